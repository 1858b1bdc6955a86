#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref exec --stats`. usage: stats.sh FOLDER; TMAREF is the command, RUN_PTX a program.
# tile.ptx: two warps of two CTAs load 1024 bytes a CTA. Lane l reads byte 64 * l of 1024: 16 words of two banks.
set -u
. "$(dirname "$0")/expect.sh"

expect 0 'statistics of kernel tile: 1 launch, 96 warp instructions, 2698 thread instructions' \
    --stats -- "$RUN_PTX" "$1/tile.ptx" tile 2 64
sed -i 's/  */ /g; s/^ //' "$scratch/out"
has "$scratch/out" 'mov 16 388 16.7 %' 'ld.shared 4 128 4.2 %' 'cp.async.bulk.tensor 2 2 2.1 %' 'ld 0 0 0 512 0 0' \
    'cp.async.bulk.tensor 2048 0 0 0 2048 0' 'tile.cu:14 ld.shared 4 32 4 28 8'

expect 0 '' --stats --json -- "$RUN_PTX" "$1/tile.ptx" tile 2 64
for part in '^{"statistics": "tile", "launches": 1, "warp_instructions": 96, "thread_instructions": 2698, "mix": \[' \
    '{"instruction": "cp.async.bulk.tensor", "global_read": 2048, .*"shared_written": 2048' \
    '{"place": "tile.cu:14", "instruction": "ld.shared", "accesses": 4, "wavefronts": 32, "ideal": 4, "worst": 8}\]}$'; do
    grep -q "$part" "$scratch/out" || { echo "no '$part'"; failed=1; }
done

# Without .loc, and without an access to shared memory.
expect 0 'statistics of kernel plain: 1 launch, 3 warp instr' --stats -- "$RUN_PTX" "$1/tile.ptx" plain

# A child of the program has nothing to tell; a program that ends while a kernel waits ends.
RUN_PTX_FORKS=1 expect 0 '' --stats -- "$RUN_PTX" "$1/tile.ptx" plain
[ "$(grep -c 'statistics of kernel plain' "$scratch/out")" = 1 ] || { echo "not once"; cat "$scratch/out"; failed=1; }
RUN_PTX_LEAVES=1 expect 0 'ends while a kernel waits: statistics' --stats -- timeout 20 "$RUN_PTX" "$1/hang.ptx" spin
grep -q 'statistics of kernel spin: 1 launch' "$scratch/out" || { echo "not as far as it ran"; failed=1; }
exit $failed
