#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The recipe of docs/shards.md for Slurm, on a cluster of this machine alone: an array of four jobs, whose answers are merged.
# usage: slurm.sh FOLDER; TMAREF is the command. Prints why it is skipped where there is no Slurm.
set -u
tests=$1
for program in slurmctld slurmd sbatch squeue scontrol; do
    command -v $program >/dev/null || { echo "skipped: there is no $program (Debian: slurmctld, slurmd, slurm-client)"; exit 0; }
done
[ "$(id -u)" = 0 ] || { echo "skipped: a Slurm of its own needs root"; exit 0; }
for plugin in auth_none cred_none proctrack_pgid; do
    ls /usr/lib/*/slurm*/"$plugin".so >/dev/null 2>&1 || { echo "skipped: this Slurm has no $plugin"; exit 0; }
done
scratch=$(mktemp -d)
node=$(hostname -s)
read -r control daemon < <(python3 -c 'import socket
held = [socket.socket() for _ in range(2)]
for s in held: s.bind(("127.0.0.1", 0))
print(*[s.getsockname()[1] for s in held])') || { echo "skipped: there is no python3 to find free ports"; exit 0; }
mkdir "$scratch/state" "$scratch/spool"
cat >"$scratch/slurm.conf" <<CONF
ClusterName=one
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$control
SlurmdPort=$daemon
SlurmUser=root
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
MpiDefault=none
ReturnToService=2
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd.pid
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$node Default=YES State=UP
CONF
export SLURM_CONF=$scratch/slurm.conf
slurmctld -D >"$scratch/slurmctld.log" 2>&1 &
pids=$!
slurmd -D -N "$node" >"$scratch/slurmd.log" 2>&1 &
pids="$pids $!"
trap 'kill $pids 2>/dev/null; wait $pids 2>/dev/null; rm -rf "$scratch"' EXIT
is_up=0
for ((i = 0; i < 60 && !is_up; i++)); do
    sinfo -h -o %T 2>/dev/null | grep -qE 'idle|mixed' && is_up=1 || sleep 1
done
[ $is_up = 1 ] || { echo "skipped: slurmd or slurmctld did not start here: $(tail -n 2 "$scratch"/slurm*.log | tr '\n' ' ')"; exit 0; }

# The recipe.
cd "$scratch" || exit 1
cat >explore.sbatch <<'JOB'
#!/bin/sh
#SBATCH --array=1-4 --output=part%a.log
"$TMAREF" litmus --json --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_MAX" "$1" >"part$SLURM_ARRAY_TASK_ID.json"
JOB
export TMAREF
timeout 120 sbatch --wait explore.sbatch "$tests" >sbatch.log 2>&1 || { echo "the array failed:"; cat sbatch.log part*.log slurm*.log | tail -n 40; exit 1; }
"$TMAREF" merge --json part*.json >merged.json || { echo "merge failed"; cat part*.log; exit 1; }
wanted=$("$TMAREF" litmus -q "$tests" | sed -nE 's/.*: ([0-9]+) agree.*/\1/p')
grep -qE "^ +\"agree\": $wanted," merged.json || { echo "not $wanted tests agree:"; head -20 merged.json; exit 1; }
echo "4 jobs of an array, $wanted tests"
