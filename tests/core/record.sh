#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes the dumps of this folder anew, on a machine with an H100 or H200 and nvcc: OUT=folder tests/core/record.sh. Builds the
# programs, runs each with a bound, and has the driver write a core dump of it: of a hang through the pipe, of a fault on
# the exception. strip.py then makes them small.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${OUT:?the folder that gets the dumps}"
mkdir -p "$OUT"
export PATH=$PATH:/usr/local/cuda/bin
# The sources are compiled in a folder of this name, since line tables keep it.
work=/tmp/hangs
rm -rf $work
mkdir -p $work/core/src
cp "$here"/programs/* $work/core/src/
cd $work/core/src || exit 1

small=skip_nonrelocated_elf_images,skip_global_memory,skip_local_memory

hang() { # hang NAME: one byte into the pipe a second after the launch
    local pipe=$work/$1.pipe log=$work/$1.txt process
    CUDA_ENABLE_USER_TRIGGERED_COREDUMP=1 CUDA_COREDUMP_PIPE=$pipe timeout -k 2 25 ./"$1" >"$log" 2>&1 &
    process=$!
    for _ in $(seq 100); do
        grep -q launched "$log" && break
        kill -0 $process 2>/dev/null || break
        sleep 0.1
    done
    sleep 1
    timeout 3 bash -c "printf x > '$pipe'" || echo "$1: the pipe took nothing"
    wait $process
}

for program in *.cu; do
    name=${program%.cu}
    nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a -lineinfo -o "$name" "$program" || continue
    export CUDA_COREDUMP_FILE=$work/$name.core CUDA_COREDUMP_GENERATION_FLAGS=$small
    # The map of one, and the flag of another, lie in global memory.
    case $name in hang_expect_small | hang_flag) CUDA_COREDUMP_GENERATION_FLAGS=skip_nonrelocated_elf_images,skip_local_memory ;; esac
    case $name in
    hang_*) hang "$name" ;;
    *) CUDA_ENABLE_COREDUMP_ON_EXCEPTION=1 timeout -k 2 25 ./"$name" >"$work/$name.txt" 2>&1 ;;
    esac
    # A dump that the driver left half written stays as it is.
    python3 "$here/strip.py" "$work/$name.core" "$OUT/$name.core" || cp "$work/$name.core" "$OUT/"
    zstd -q -19 --rm -f "$OUT/$name.core"
done
for how in no-shared no-registers no-lines two-units arrived sm-100; do
    python3 "$here/strip.py" $work/hang_named.core "$OUT/$how.core" $how && zstd -q -19 --rm -f "$OUT/$how.core"
done
