#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref exec --why`: who wrote a place, and from which bytes. usage: why.sh FOLDER; TMAREF is the command,
# RUN_PTX, RUN_WHY and RUN_ZOO are programs, JSON_CHECK one that reads JSON.
set -u
. "$(dirname "$0")/expect.sh"
folder=$1
tile=("$RUN_PTX" "$folder/tile.ptx" tile 2 32)

# tells PATTERN...: the last run printed lines like each of them, in this order.
tells() {
    local from=1 at
    for pattern in "$@"; do
        at=$(tail -n +$from "$scratch/out" | grep -nE -m 1 -- "$pattern" | cut -d: -f1)
        [ -n "$at" ] && { from=$((from + at)); continue; }
        echo "no line like '$pattern' from line $from on:"
        cat "$scratch/out"
        failed=1
        return
    done
}

# A tensor copy: the element, its global bytes, and the call that wrote these.
expect 0 '^tmaref: why: kernel tile, launch 1: buffer\+0x80 of CTA \(1,0,0\) = 0x00000490, 1 write$' --why buffer+0x80@1 -- "${tile[@]}"
tells '^  0x00000000 -> 0x00000490 by tile.cu:9 \(PTX line 31\), kernel tile, launch 1, CTA \(1,0,0\), thread \(0,0,0\): cp.async.bulk.tensor.2d' \
    '^      the map: tiled of UINT32 at 0x[0-9a-f]+, dimensions 64 x 64, strides 256, box 16 x 16, no swizzle; coordinates 16 16; shared memory buffer; mbarrier full$' \
    '^      from byte 0 of element \(16, 18\) of the tensor, global:0x[0-9a-f]+ = alloc:1\+0x1240$' \
    '^    written by cuMemcpyHtoD \(called in main of run_ptx, at 0x[0-9a-f]+\), copy or fill 1 of the program$' \
    "^      from memory of the program's own$"
# An mbarrier: its init, its arrival, and the end of the copy.
expect 0 '^tmaref: why: kernel tile, launch 1: full of CTA \(0,0,0\) = 0x[0-9a-f]{16}, 3 writes$' --why tile:full:8 -- "${tile[@]}"
tells 'by tile.cu:9 .*: the end of this operation, at the mbarrier: ' 'by tile.cu:8 .*: mbarrier.arrive.expect_tx' 'by tile.cu:7 .*: mbarrier.init'
# Global memory: the stores of two CTAs over a copy. Only as many as are asked for.
expect 0 '^tmaref: why: global:0x[0-9a-f]+ = alloc:1\+0x4 = 0x00000450, 3 writes$' --why alloc:1+4 -- "${tile[@]}"
tells '^  0x00000450 -> 0x00000450 by tile.cu:18 .* CTA \(1,0,0\), thread \(1,0,0\): st.global.u32' \
    '^  0x00000001 -> 0x00000450 by tile.cu:18 .* CTA \(0,0,0\), thread \(1,0,0\): st.global.u32' \
    '^  0x00000000 -> 0x00000001 by cuMemcpyHtoD '
expect 0 '^  and 2 earlier writes; --why-writes N shows more$' --why alloc:1+4 --why-writes 1 -- "${tile[@]}"
# What nobody has written.
expect 0 '^tmaref: why: kernel plain, launch 1: ' --why plain:word -- "$RUN_PTX" "$folder/why.ptx" plain
tells '^tmaref: why: .*word of CTA \(0,0,0\) = 0x00000000, 0 writes$'

# Through copies: a multicast of a swizzled box, a bulk copy to the other CTA, one to global memory, and reductions there.
chain=("$RUN_WHY" "$folder/why.ptx" chain 2)
expect 0 '^tmaref: why: global:0x[0-9a-f]+ = alloc:3 = 0x00000129, 3 writes$' --why alloc:3 -- "${chain[@]}"
tells '^  0x00000128 -> 0x00000129 by why.cu:35 .*: red.global.add.u32' \
    '^      combined with what was there, written by why.cu:34 .*: cp.reduce.async.bulk.global' \
    '^  0x00000094 -> 0x00000128 by why.cu:34 ' '^      it moves 16 bytes$' '^      from sent of CTA \(0,0,0\)$' \
    '^      combined with what was there, written by why.cu:33 ' \
    '^    written by why.cu:28 .*, CTA \(1,0,0\), thread \(0,0,0\): cp.async.bulk.shared::cluster.shared::cta' '^      from tile\+0x400 of CTA \(1,0,0\)$' \
    '^    written by why.cu:24 .*, CTA \(0,0,0\), .*multicast::cluster' 'to CTAs 0x3 of the cluster; mbarrier full$' \
    '^      from byte 0 of element \(48, 8\) of the tensor, global:0x[0-9a-f]+ = alloc:1\+0x8c0$' \
    '^    written by why.cu:10 .*, kernel produce, launch 1, CTA \(0,0,0\), thread \(16,0,0\): st.global.u32' \
    '^  0x00000000 -> 0x00000094 by why.cu:33 '
# What the swizzle moved, what is out of bounds, st.async.
expect 0 '= 0x000000b1, 1 write$' --why 'chain#1:tile+0x124@1' -- "${chain[@]}"
tells '^      from byte 0 of element \(49, 2\) of the tensor, global:0x[0-9a-f]+ = alloc:1\+0x2c4$'
expect 0 '= 0x00000000, 1 write$' --why chain:tile+64@1,0,0 -- "${chain[@]}"
tells '^      from byte 0 of element \(64, 0\) of the tensor, which is out of bounds: filled$'
expect 0 '= 0x0000004d, 1 write$' --why chain:sent+128 -- "${chain[@]}"
tells '^  0x00000000 -> 0x0000004d by why.cu:29 .*, CTA \(1,0,0\), .*: st.async' '^      from a register of that thread$'
# A variable of the device, and lanes of one instruction.
expect 0 '= table\+0x4 = 0x0000011f, 1 write$' --why table+4 -- "${chain[@]}"
tells '^  0x00000002 -> 0x0000011f by why.cu:11 .*, thread \(31,0,0\) and 31 more of its warp: st.global.u32 '
# A tensor store, a cp.async that is filled up, a copy on the device of what was set.
back=("$RUN_WHY" "$folder/why.ptx" back)
expect 0 '= 0x000003f1, 2 writes$' --why alloc:1+0x2100 -- "${back[@]}"
tells '^  0x00000840 -> 0x000003f1 by why.cu:45 ' '^      from tile\+0x90 of CTA \(0,0,0\), to byte 0 of element \(0, 33\) of the tensor$' \
    '^    written by why.cu:42 .*, thread \(9,0,0\): st.shared.v4.u32 ' '^  0x00000000 -> 0x00000840 by cuMemcpyHtoD '
expect 0 'chunk of CTA \(0,0,0\) = 0x00000005, 1 write$' --why chunk -- "${back[@]}"
tells 'by why.cu:48 .*: cp.async.ca' '^      from global:0x[0-9a-f]+ = alloc:1\+0x400$' '^    written by cuMemcpyDtoD .*, copy or fill 3 ' \
    '= alloc:2$' '^    written by cuMemsetD32 .*, copy or fill 2 ' '^      from the value that the call sets$'
expect 0 'chunk\+0x8 of CTA \(0,0,0\) = 0x00000000, 1 write$' --why chunk+8 -- "${back[@]}"
tells '^      from nowhere: it is filled with 0$'
# One byte, 16 bytes, late operations.
expect 0 '= table\+0x5 = 0x01, 1 write$' --why table+5:1 -- "${back[@]}"
expect 0 'chunk of CTA \(0,0,0\) = 0x00000000000000000000000500000005, 1 write$' --why chunk:16 -- "${back[@]}"
expect 0 '= alloc:3 = 0x00000129, 3 writes$' --schedule late --why alloc:3 -- "${chain[@]}"
tells '^    written by why.cu:10 .*kernel produce'

# A copy that read what lay there before a store, which no fence had shown it.
sed -E 's|^//-||; s|^//\+.*||' "$folder/../zoo/fences.ptx" >"$scratch/mistake.ptx"
expect 0 '= alloc:1\+0x8 = 0x00000000, 2 writes$' --schedule late --why alloc:1+8 -- "$RUN_ZOO" "$scratch/mistake.ptx" store_unfenced
tells '^  0x00000002 -> 0x00000000 by line 29 of the PTX, .*: @%first cp.async.bulk.global' '^      from tile\+0x8 of CTA' \
    '^      which held another value by then: ' '^    written by line 26 of the PTX, .* thread \(2,0,0\): st.shared.u32'
sed -E 's|^//\+||; s|^//-.*||' "$folder/../zoo/fences.ptx" >"$scratch/right.ptx"
expect 0 '= alloc:1\+0x8 = 0x00000002, 2 writes$' --schedule late --why alloc:1+8 -- "$RUN_ZOO" "$scratch/right.ptx" store_unfenced
grep -q 'another value' "$scratch/out" && { echo "a right copy is stale:"; cat "$scratch/out"; failed=1; }
# At a break: the history up to there, and all of it in the end.
expect 0 '^tmaref: kernel tile reached tile.cu:7 ' --why buffer+0x80 --break tile.cu:7 -- "${tile[@]}"
tells '^tmaref: why: kernel tile, launch 1: buffer\+0x80 of CTA \(0,0,0\) = 0x00000000, 0 writes$' '^tmaref: why: .* = 0x00000490, 1 write$'
expect 1 '^tmaref: why: tile#2:buffer\+0x80 is not in this launch$' --why tile#2:buffer+0x80 --break tile.cu:7 -- "${tile[@]}"

# More writers than there is room for, most of which nobody can ask about.
expect 0 '= alloc:1\+0xffc = 0x00002710, 10002 writes$' --why alloc:1+4092 -- "$RUN_PTX" "$folder/why.ptx" many 1 1024
tells '^  0x0000270f -> 0x00002710 by why.cu:62 ' '^      combined with what was there, written by why.cu:60 ' '^  0x0000270e -> 0x0000270f by why.cu:60 .* thread \(1023,0,0\)'
grep -qE 'memory to keep|no room' "$scratch/out" && { echo "short:"; cat "$scratch/out"; failed=1; }

# JSON: the same as data.
expect 0 '^\{"why": "buffer\+0x80@1", ' --json --why buffer+0x80@1 -- "${tile[@]}"
grep '^{"why"' "$scratch/out" >"$scratch/json"
[ "$("$JSON_CHECK" why <"$scratch/json")" = '"buffer+0x80@1"' ] || { echo "no JSON:"; cat "$scratch/json"; failed=1; }
grep -qE '"value": "0x00000490", "bytes": 4, "writes": 1, "told": \[\{"before": "0x00000000", "after": "0x00000490", "lanes": 1, "is_stale": false, "chain": \[\{"by": "operation", .*"user_file": "tile.cu", "user_line": 9, "ptx_line": 31, "cta": \[1, 0, 0\], "thread": \[0, 0, 0\], .*"from": "byte 0 of element \(16, 18\) of the tensor, .*\{"by": "call", .*"call": 1, "from": "memory of the program' "$scratch/json" ||
    { echo "other JSON:"; cat "$scratch/json"; failed=1; }

# What is nowhere: what there is, and status 1.
expect 1 '^tmaref: why: nosuch is nowhere; there are buffer of kernel tile \(1024 bytes\), full of kernel tile \(8 bytes\), alloc:1 \(65536 bytes at 0x' --why nosuch -- "${tile[@]}"
expect 1 'nosuch:buffer is nowhere: no kernel nosuch ran; kernels that ran: tile \(1 launch\)' --why nosuch:buffer -- "${tile[@]}"
expect 1 'tile#4:buffer is nowhere: kernel tile was launched 1 time; ' --why tile#4:buffer -- "${tile[@]}"
expect 1 'buffer\+1021 is nowhere: buffer in kernel tile has 1024 bytes: offset 1021 with 4 bytes is not in it; ' --why buffer+1021 -- "${tile[@]}"
expect 1 'buffer@7 is nowhere: the grid of kernel tile has 2 x 1 x 1 CTAs: there is no such CTA; ' --why buffer@7 -- "${tile[@]}"
expect 1 'alloc:3 is nowhere: the program made 1 allocation; ' --why alloc:3 -- "${tile[@]}"
expect 1 'alloc:1\+65536 is nowhere: alloc:1 has 65536 bytes: ' --why alloc:1+65536 -- "${tile[@]}"
expect 1 'global:0x10 is nowhere; ' --why global:0x10 -- "${tile[@]}"
expect 1 '^tmaref exec: --why: the program did not use CUDA$' --why buffer -- true
expect 3 '' --why buffer -- sh -c 'exit 3'
# What is no place.
for place in '' buffer+ buffer+x buffer@ buffer@1,2,3,4 buffer:3 buffer:32 ':buffer' 'tile#0:buffer' 'tile#x:buffer' alloc: alloc:0 alloc:x global: global:x 'a::'; do
    expect 2 "--why takes .*, not '" --why "$place" -- true
done
expect 2 'why-writes' --why buffer --why-writes 0 -- true
exit $failed
