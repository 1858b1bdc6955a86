#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref exec --break` and `--dump`. usage: break.sh FOLDER; TMAREF is the command, RUN_PTX a program.
set -u
. "$(dirname "$0")/expect.sh"
tile() { expect 0 "$1" "${@:2}" -- "$RUN_PTX" "$folder/tile.ptx" tile 2 64; }
folder=$1

tile 'kernel tile reached tile.cu:14 \(hit 1\)' --break tile.cu:14 --thread 37 --cta 1 --dump all
has "$scratch/out" '    %r0       0x00000025  37' '    %p1       0x1' '    buffer at 0x400, 1024 bytes' \
    '  full: shared address 0x800 of CTA 0 in the cluster.' \
    '    Its current phase has parity 1: 1 of 1 arrivals and 0 bytes are missing.' \
    '    The last arrival was in an earlier phase: CTA 1 warp 0 at tile.cu:8 (PTX line 26). That warp has exited' \
    '    mbarrier.init created it: CTA 1 warp 0 at tile.cu:7 (PTX line 24)' \
    '    0x00400: 00000410 00000411 00000412 00000413 00000414 00000415 00000416 00000417'
grep -q 'CTA (1,0,0), thread (37,0,0): shl.b32' "$scratch/out" || { echo "another thread"; failed=1; }

# By default: registers and barriers of the first thread that comes. The program goes on.
tile '%r1       0x00000400  1024' --break tile.cu:14
grep -q 'shared memory of' "$scratch/out" && { echo "shared memory was not asked for"; failed=1; }
tile '0x00000000 0x00000001 0x00000002' --break tile:39 --thread 5 --dump warp
tile '\(hit 3\)' --break tile.cu:14 --hit 3
tile 'was hit 4 times, not 5' --break tile.cu:14 --hit 5
tile 'no instruction is there; the nearest is at line 12' --break tile.cu:13
tile 'no kernel that ran has code with that name' --break other.cu:14

# Parts of a vector by their names.
expect 0 'hit 1' --break pairs:76 -- "$RUN_PTX" "$folder/tile.ptx" pairs
has "$scratch/out" '    %v1.x     0x00000007  7' '    %v1.y     0x00000008  8'

# Where a kernel fails.
expect 1 'kernel arrivals ended early' --dump barriers -- "$RUN_PTX" "$folder/hang.ptx" arrivals 1 64
has "$scratch/out" '  full: shared address 0x408 of CTA 0 in the cluster.'

expect 2 "--break takes FILE:LINE or KERNEL:LINE, not 'tile.cu'" --break tile.cu -- true
expect 2 "--break takes FILE:LINE or KERNEL:LINE, not 'tile.cu:0'" --break tile.cu:0 -- true
expect 2 "--cta takes numbers X,Y,Z, not '1,2,3,4'" --cta 1,2,3,4 -- true
expect 2 "--thread takes numbers X,Y,Z, not 'x'" --thread x -- true
expect 2 "--dump takes a list of: .*, not 'shared,everything'" --dump shared,everything -- true
expect 2 "--hit takes a whole number of at least 1, not '-1'" --hit=-1 -- true
expect 2 "--hit takes a whole number of at least 1, not '0'" --break tile.cu:14 --hit 0 -- true
expect 2 '--hit goes with --break' --hit 2 -- true
expect 2 '--cta goes with --break' --cta 1 -- true
expect 2 '--thread goes with --break' --dump all --thread 1 -- true
TMAREF_BREAK=tile.cu:14 expect 0 '' --thread 1 -- true
exit $failed
