#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref explore --all`: the orders of small kernels are as many as theory says. usage: explore_all.sh FOLDER; TMAREF is
# the command, RUN_ZOO a program that launches kernels of the folder's orders.ptx.
set -u
. "$(dirname "$0")/expect.sh"
kernels=$1/orders.ptx
cd "$scratch" || exit 2
export TMPDIR=$scratch/temporary
mkdir "$TMPDIR"

# all STATUS PATTERN FILE KERNEL OPTION...: explore --all ends so and prints a line like PATTERN.
all() {
    local status=$1 pattern=$2
    "$TMAREF" explore --all "${@:5}" -- "$RUN_ZOO" "$3" "$4" digest >out 2>&1
    local got=$?
    [ $got = "$status" ] && grep -qE -- "$pattern" out && return
    echo "tmaref explore --all of $4 ${*:5}: status $got ($status expected), and not like '$pattern':"
    cat out
    failed=1
}
counts() { all 0 "^$2 orders of steps, $3 outcomes: none is left\$" "$kernels" "$1"; }

# Independent writes have one order, n of one word n!, of which the last one is seen; store buffering has three.
counts apart 1 1
counts together 6 3
for warps in 2 4; do sed "s|^// zoo together 1 96|// zoo together 1 $((32 * warps))|" "$kernels" >"of$warps.ptx"; done
all 0 '^2 orders of steps, 2 outcomes: none is left$' of2.ptx together
all 0 '^24 orders of steps, 4 outcomes: none is left$' of4.ptx together
counts buffering 3 3
[ ! -e tmaref.delays ] || { echo "choices are left of a search that found nothing"; failed=1; }

# What barriers order has one order; a copy comes in its place, or where the read does not wait for it, in two.
counts meeting 1 1
counts ring 1 1
all 0 '^2 runs: 1 default, 1 delay; none failed$' "$1/explore.ptx" right
counts copy 1 1
counts copy_early 2 2

# A loop that reads a flag, or takes a lock, ends: who comes back to a state waits until something changes.
counts flag 4 1
all 0 '^[0-9]+ orders of steps, 1 outcomes: none is left$' "$kernels" locked

# Who sleeps, or only asks, may be first or last; who has counted his tries goes on behind all that can.
counts sleeper 2 2
all 0 '^[0-9]+ orders of steps, 2 outcomes: none is left$' "$kernels" looker
all 0 '^1 orders .*: none is left; who goes on by a count or a clock did so behind all others alone$' "$kernels" counter

# What waits may have had its chance before, and missed it.
counts put_off_0 2 1
counts put_off_1 2 1

# repeats PATTERN: what the answer names makes the program fail so again, without the search.
repeats() {
    # shellcheck disable=SC2046
    "$TMAREF" $(sed -nE 's/^  tmaref (exec .*)/\1/p' out) >again 2>&1
    [ $? = 1 ] && grep -qE "$1" again || { echo "the choices do not repeat the failure:"; cat again; failed=1; }
}

# What only some orders show, and not that of default.
for kernel in lapped locks flag_first; do expect 0 '' -- "$RUN_ZOO" "$kernels" $kernel; done
all 1 '^tmaref: error: kernel lapped hangs: ' "$kernels" lapped
repeats '^tmaref: error: kernel lapped hangs: '
grep -q '^turn 1/0/1$' tmaref.delays || { echo "no choices:"; cat tmaref.delays; failed=1; }
all 1 '^tmaref: error: kernel locks hangs: ' "$kernels" locks
repeats 'kernel locks hangs'
all 1 'in kernel flag_first: the kernel executed trap' "$kernels" flag_first
repeats 'executed trap'
all 1 '^other output than the first run$' "$kernels" buffering --same-output

# A budget that ends too early is said, and so are clusters that nobody chooses among.
all 0 '^[12] orders of steps, [12] outcomes; of the choices known so far, [1-9] were not tried$' "$kernels" together --runs 3
sed 's|^// zoo apart 1 |// zoo apart 2 |' "$kernels" >two.ptx
all 0 ': none is left; of clusters of a launch, one order alone was tried$' two.ptx apart

# The answer as JSON; what is no use.
"$TMAREF" explore --all --json -- "$RUN_ZOO" "$kernels" buffering digest >answer
for key in '"orders": 3,' '"outcomes": 3,' '"left": 0,' '"whole": true,'; do
    grep -q "$key" answer || { echo "no $key in JSON:"; cat answer; failed=1; }
done
all 2 'goes with none of --every-delay, --schedule and --shard' "$kernels" apart --every-delay
all 2 'goes with none of' "$kernels" apart --schedule pct
all 2 'goes with none of' "$kernels" apart --shard 1/2
bad() { printf "tmaref delays 1\n$1\n" >bad.delays; expect 2 "line 2 is '$1'" --schedule delay --delays bad.delays -- true; }
bad 'turn 0/0/1'
bad 'turn 1/0'
bad 'turn 1/0/1/2/3'
bad 'turn one'
[ -z "$(ls "$TMPDIR")" ] || { echo "files are left:"; ls "$TMPDIR"; failed=1; }
exit $failed
