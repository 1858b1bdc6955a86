#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref exec --check`. usage: check.sh FOLDER; TMAREF is the command, RUN_PTX a program.
set -u
. "$(dirname "$0")/expect.sh"
folder=$1

# finds SCHEDULE KERNEL SENTENCE PLACE [PLACE]
finds() {
    local kernel=$2 threads=64
    [ "$kernel" = multiplied ] && threads=128
    expect 0 "^tmaref: check: kernel $kernel: $3" --check --schedule "$1" -- "$RUN_PTX" "$folder/checks.ptx" "$kernel" 2 "$threads"
    shift 3
    for place in "$@"; do
        grep -qF -- "    $place" "$scratch/out" || { echo "$kernel: no '$place' in:"; cat "$scratch/out"; failed=1; }
    done
    [ "$(grep -c 'check: kernel' "$scratch/out")" = 1 ] || { echo "$kernel: not once:"; cat "$scratch/out"; failed=1; }
}

# is_right SCHEDULE KERNEL GRID [CLUSTER]
is_right() {
    local status=0
    [ "$2" = stopped ] && status=1
    expect $status '' --check --schedule "$1" -- "$RUN_PTX" "$folder/checks.ptx" "$2" "$3" 64 ${4:+"$4"}
    grep 'check:' "$scratch/out" && { echo "$2: nothing is wrong with it"; failed=1; }
}

copy='copy.h:5, inlined at checks.cu'
for schedule in default late early shuffled; do
    finds $schedule unfenced 'fence.proxy.async is missing' "the operation: $copy:14, CTA 0" 'the write: checks.cu:12'
    finds $schedule again 'an mbarrier was initialised again' 'the init: checks.cu:62, CTA 0, shared address 0x500' \
        'the init before it: checks.cu:60'
    finds $schedule missing 'an mbarrier was used that no mbarrier.init had created' 'the use: checks.cu:74'
    finds $schedule unexpected 'a copy brought bytes to an mbarrier which nobody had expected' "the copy: $copy:82"
    is_right $schedule right 2
    is_right $schedule resident 300
    is_right $schedule instead 2 2
    is_right $schedule spread 2 2
    is_right $schedule busy 2 2
    is_right $schedule stopped 1
done
for schedule in default late; do
    finds $schedule early 'a thread read shared memory that a copy' 'the read: checks.cu:24' "the copy: $copy:22"
    finds $schedule covered 'a thread wrote shared memory that a copy' 'the write: checks.cu:34' "the copy: $copy:32"
    finds $schedule multiplied 'a wgmma read shared memory that a copy' 'the wgmma: checks.cu:94' "the copy: $copy:92"
done
finds late reused 'a thread wrote shared memory that an operation' 'the write: checks.cu:46' "the operation: $copy:44" \
    'If the operation is to read what is written, put a barrier before it.'
finds late refilled 'a copy wrote shared memory that an operation' "the copy: $copy:56" "the operation: $copy:54"
expect 0 '^tmaref: check: kernel many: more was found' --check -- "$RUN_PTX" "$folder/checks.ptx" many 1 32
[ "$(grep -c 'the write: checks.cu:100' "$scratch/out")" = 1 ] || { echo "many: not once:"; cat "$scratch/out"; failed=1; }
exit $failed
