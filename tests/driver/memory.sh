#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref exec --limit-memory`. usage: memory.sh FOLDER; TMAREF is the command, RUN_PTX a program.
set -u
. "$(dirname "$0")/expect.sh"
head='.version 8.0
.target sm_90a
.address_size 64'

# takes NAME BODY: a kernel `k`, which is given 64 KiB
takes() {
    printf '%s\n%s\n' "$head" "$2" >"$scratch/$1.ptx"
}
takes variables '.visible .global .b8 vast[8000000];
.visible .entry k(.param .u64 out) { ret; }'
takes local '.visible .entry k(.param .u64 out) { .local .b8 own[100000]; .reg .b64 %rd; mov.u64 %rd, own; ret; }'
takes calls '.func f(.param .b32 n) { .reg .b32 %r<3>; .reg .pred %p; ld.param.u32 %r1, [n]; setp.eq.u32 %p, %r1, 0; @%p ret;
sub.u32 %r2, %r1, 1; call f, (%r2); ret; }
.visible .entry k(.param .u64 out) { .reg .b32 %r; mov.u32 %r, 5; call f, (%r); ret; }'

# Enough for all, and what is counted is given back.
expect 0 '' --limit-memory 16M -- "$RUN_PTX" "$scratch/variables.ptx" k 1 32
expect 0 '' --limit-memory 1M -- "$RUN_PTX" "$scratch/calls.ptx" k 200 64

# Each part that is too much is named, with what the others have.
expect 1 '--limit-memory: the limit of 8000000 bytes is reached: .global and .const variables would take 8000000' \
    --limit-memory 8000000 -- "$RUN_PTX" "$scratch/variables.ptx" k 1 32
expect 1 'reached: local memory would take 3200000 bytes more' --limit-memory 3M -- "$RUN_PTX" "$scratch/local.ptx" k 1 32
grep -qE '^ +65536 bytes: allocations' "$scratch/out" || { cat "$scratch/out"; failed=1; }
expect 1 'reached: allocations \(cuMemAlloc and its like\) would take 65536' --limit-memory 60K -- "$RUN_PTX" \
    "$scratch/calls.ptx" k 1 32
expect 1 'the program takes more memory than the limit of' --limit-memory 70000 -- "$RUN_PTX" "$scratch/calls.ptx" k 1 32

for size in 0 x 5X 5MB -1 99999999999999999999 99999999999T; do
    expect 2 'limit-memory takes a size such as 500M or 2G' "--limit-memory=$size" -- true
done
exit $failed
