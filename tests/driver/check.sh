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
    expect 0 "^checks.cu:[0-9]+: error: check: kernel $kernel: $3" --check --schedule "$1" -- "$RUN_PTX" "$folder/checks.ptx" "$kernel" 2 "$threads"
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
    finds $schedule other 'fence.proxy.async is missing' 'the operation: checks.cu:154, CTA 0, shared address 0x480' 'the write: checks.cu:152'
    finds $schedule again 'an mbarrier was initialised again' 'the init: checks.cu:62, CTA 0, shared address 0x500' \
        'the init before it: checks.cu:60'
    finds $schedule missing 'an mbarrier was used that no mbarrier.init had created' 'the use: checks.cu:74'
    finds $schedule awaited 'an mbarrier was used that no mbarrier.init had created' 'the use: checks.cu:174'
    finds $schedule unexpected 'a copy brought bytes to an mbarrier which nobody had expected' "the copy: $copy:82"
    is_right $schedule right 2
    is_right $schedule behind 2
    is_right $schedule resident 300
    is_right $schedule instead 2 2
    is_right $schedule spread 2 2
    is_right $schedule busy 2 2
    is_right $schedule beside 2 2
    is_right $schedule stopped 1
    is_right $schedule numbers 1
done
for schedule in default late; do
    finds $schedule early 'a thread read shared memory that a copy' 'the read: checks.cu:24' "the copy: $copy:22"
    finds $schedule covered 'a thread wrote shared memory that a copy' 'the write: checks.cu:34' "the copy: $copy:32"
    finds $schedule direction 'an operation read shared memory that a copy' 'the operation: checks.cu:132' 'the copy: checks.cu:131' \
        'Wait for the mbarrier of the copy before the operation is issued.'
    finds $schedule multiplied 'an operation read shared memory that a copy' 'the operation: checks.cu:94' "the copy: $copy:92"
done
finds late reused 'a thread wrote shared memory that an operation' 'the write: checks.cu:46' "the operation: $copy:44" \
    'If the operation is to read what is written, put a barrier before it.'
finds late refilled 'a copy wrote shared memory that an operation' "the copy: $copy:56" "the operation: $copy:54"
# Copies of one line are one finding, told once.
expect 0 '^checks.cu:[0-9]+: error: check: kernel many: ' --check -- "$RUN_PTX" "$folder/checks.ptx" many 1 32
grep -q 'left out' "$scratch/out" && { echo "many: copies of a line count as others:"; cat "$scratch/out"; failed=1; }
[ "$(grep -c 'the write: checks.cu:100' "$scratch/out")" = 1 ] || { echo "many: not once:"; cat "$scratch/out"; failed=1; }

# Threads that give a barrier different numbers: said by --check, and where it hangs.
for seed in 0 1 2 3; do
    "$TMAREF" exec --check --schedule shuffled --seed $seed -- "$RUN_PTX" "$folder/checks.ptx" counts 1 128 >>"$scratch/counts" 2>&1
done
grep -q '^checks.cu:12[24]: error: check: kernel counts: threads gave one barrier of the CTA different numbers of threads' "$scratch/counts" &&
    grep -q ', CTA 0, barrier 0x1$' "$scratch/counts" && grep -q 'Likely: threads name barrier 1 with different counts, 64 and 128. All must name the same.' "$scratch/counts" ||
    { echo "counts:"; cat "$scratch/counts"; failed=1; }

# For machines; and a status for scripts, of findings and of kernels that fail, unless the program has one of its own.
expect 0 '^\{"check": "CHECK_FENCE", "kernel": "unfenced", "signature": "unfenced", .*"what": "the operation", "file": "copy.h", "line": 5,.*"user_file": "checks.cu", "user_line": 14.*"other_line": 12.*"cta": \[[01], 0, 0\], "address": "0x[0-9a-f]+"' \
    --check --json -- "$RUN_PTX" "$folder/checks.ptx" unfenced 2 64
grep '^{' "$scratch/out" | "$JSON_CHECK" check >"$scratch/key" && grep -q 'CHECK_FENCE' "$scratch/key" || { echo "no JSON:"; cat "$scratch/out"; failed=1; }
expect 9 'fence.proxy.async is missing' --check --error-exitcode 9 -- "$RUN_PTX" "$folder/checks.ptx" unfenced 2 64
expect 0 '' --check --error-exitcode 9 -- "$RUN_PTX" "$folder/checks.ptx" right 2 64
expect 1 'error: CUDA_ERROR' --error-exitcode 9 -- "$RUN_PTX" "$folder/faults.ptx" load
expect 9 'error: CUDA_ERROR' --error-exitcode 9 -- sh -c "'$RUN_PTX' '$folder/faults.ptx' load || true"
expect 2 '0 to 255' --error-exitcode 256 -- true
exit $failed
