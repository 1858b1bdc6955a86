#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# nvidia-smi under `tmaref exec`, as scripts call it: their pipes, what they look for, and what it refuses. TMAREF is the command.
set -u
failed=0

run() { "$TMAREF" exec -- nvidia-smi "$@" 2>&1; }

expect() { # expect STATUS TEXT ARGUMENT...
    local status=$1 text=$2 told got
    shift 2
    told=$(run "$@")
    got=$?
    [ $got = "$status" ] && [ "$told" = "$text" ] && return
    echo "nvidia-smi $*: status $got ($status expected), and not '$text':"
    echo "$told"
    failed=1
}

uuid=GPU-746d6172-6566-0000-0000-000000000000
expect 0 "GPU 0: NVIDIA H200 (tmaref) (UUID: $uuid)" -L
expect 0 '143771' --query-gpu=memory.total --format=csv,noheader,nounits
expect 0 $'index, name, memory.used [MiB], utilization.gpu [%], serial, fan.speed [%]\n0, NVIDIA H200 (tmaref), 0 MiB, 0 %, [N/A], [N/A]' \
    --query-gpu=index,name,memory.used,utilization.gpu,serial,fan.speed --format=csv
expect 0 '9.0, 580.159.04, 700.00 W' --query-gpu 'compute_cap, driver_version, power.limit' --format csv,noheader -i 0
expect 0 "$uuid" -i "$uuid" --query-gpu=gpu_uuid --format=csv,noheader
expect 0 'pid, used_memory [MiB]' --query-compute-apps=pid,used_memory --format=csv
expect 0 '' --query-compute-apps=pid --format=csv,noheader
expect 0 $'\tGPU0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\nGPU0\t X \tN/A\tN/A\tN/A' topo -m

prefix='nvidia-smi (tmaref): '
expect 2 "$prefix--query-gpu: \"nme\" is no field that it knows; see --help-query-gpu" --query-gpu=index,nme --format=csv
expect 2 "$prefix--query-gpu: \"\" is no field that it knows; see --help-query-gpu" --query-gpu= --format=csv
expect 2 "${prefix}a query takes --format=csv[,noheader][,nounits]" --query-gpu=name
expect 2 "$prefix--format: \"xml\" is none of csv, noheader, nounits" --query-gpu=name --format=xml
expect 2 "$prefix--format: csv is missing" --query-gpu=name --format=noheader
expect 2 "$prefix--format belongs to --query-gpu and --query-compute-apps" --format=csv
expect 2 "$prefix--query-gpu: its value is missing" --query-gpu
expect 2 "$prefix\"--bogus\" is no option that it knows; see --help" --bogus
expect 2 "$prefix-l: \"0\" is no time" -l 0
expect 6 "$prefix-i 1: there is one GPU, number 0" -i 1 -L
expect 3 "$prefix-pm: the GPU is simulated, and has no such setting" -pm 1

# What scripts look for in the pages for people.
run | grep -qE 'Driver Version: 580\.159\.04 +CUDA Version: 13\.0' || { echo "the table has no versions"; failed=1; }
run | grep -qE ' 0MiB / 143771MiB ' || { echo "the table has no memory"; failed=1; }
[ "$(run | awk '{print length($0)}' | sort -u | tail -n +2)" = 91 ] || { echo "the table has crooked edges"; failed=1; }
run -q | grep -qE '^CUDA Version +: 13\.0$' || { echo "-q has no version"; failed=1; }
# Each field that --help-query-gpu names has a value.
fields=$(run --help-query-gpu | sed 's/ or /\n/' | paste -sd,)
[ "$(run --query-gpu="$fields" --format=csv,noheader | tr ',' '\n' | grep -c .)" = "$(tr ',' '\n' <<<"$fields" | grep -c .)" ] ||
    { echo "a field of --help-query-gpu has no value"; failed=1; }
# Again and again, until it is ended; and through a shell, with the name of the other device.
[ "$("$TMAREF" exec -- timeout 2 nvidia-smi -lms 100 -L | grep -c "$uuid")" -gt 1 ] || { echo "-lms does not repeat"; failed=1; }
[ "$("$TMAREF" exec --device h100 -- sh -c 'nvidia-smi --query-gpu=name --format=csv,noheader | cut -d" " -f2')" = H100 ] ||
    { echo "a shell does not find it, or it is not the device of --device"; failed=1; }
[ "$(env -u PATH "$TMAREF" exec -- /bin/sh -c 'nvidia-smi -L | cut -c1-5')" = 'GPU 0' ] || { echo "not found without a PATH"; failed=1; }
run -L >/dev/full && { echo "a full disk is no error"; failed=1; }
exit $failed
