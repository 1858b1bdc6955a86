#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The file of `exec --write-sync`. usage: write_sync.sh FOLDER; TMAREF is the command, RUN_ZOO launches kernels of the folder's
# paths.ptx.
set -u
. "$(dirname "$0")/expect.sh"
cd "$scratch" || exit 2
sed -E 's|^//-||; s|^//\+.*||' "$1/paths.ptx" >mistake.ptx

# steps KERNEL: its steps are the lines of standard input, but for their places.
steps() {
    cat >wanted
    expect 0 '' --write-sync steps -- "$RUN_ZOO" mistake.ptx "$1"
    sed -nE 's/^s 1 0 ([0-9]+ [0-9]+ [0-9a-f]+ [0-9]+) [0-9]+/\1/p; /^[Bfgh] /p' steps >got
    diff wanted got >different || { echo "the steps of $1:"; cat different; failed=1; }
}

# Two warps at bar.sync; arrivals of whole warps; a try_wait that fails is none.
steps third <<'END'
B 1 0 0 1024 full
0 0 1 0 i 0 1024 32
B 1 0 0 1032 back
0 0 1 0 i 0 1032 32
0 0 ffffffff 0 A 1 0 0 32
0 1 ffffffff 0 A 1 0 0 32
0 1 ffffffff 0 M 1 0
0 0 ffffffff 0 M 1 0
0 0 ffffffff 0 t 0 1024 32 0 0 0
0 1 ffffffff 0 w 0 1024 0
0 1 ffffffff 0 t 0 1032 32 0 0 0
0 1 ffffffff 0 x
0 0 ffffffff 0 t 0 1024 32 0 0 0
0 0 ffffffff 0 t 0 1024 32 0 0 0
0 0 ffffffff 0 x
END

# A warp that polls a flag: the reads before the write are one step, and those behind it one.
expect 0 '' --write-sync steps -- "$RUN_ZOO" mistake.ptx flag
[ "$(sed -nE 's/^s 1 0 0 ([01]) 1 0 [0-9]+ f ([RW]).*/\1\2/p' steps | tr '\n' ' ')" = '0R 1W 0R ' ] || { echo "the flag:"; cat steps; failed=1; }

# The places are those of the PTX, the barriers of the other CTA have its rank, and a file that cannot be written is said.
expect 0 '' --write-sync steps -- "$RUN_ZOO" mistake.ptx remote
grep -qE '^s 1 0 1 0 ffffffff 0 [0-9]+ t 0 1024 32 0 0 0$' steps && grep -qE '^C 1 0 1 1,0,0 1$' steps &&
    grep -qE '^P [0-9]+ PTX line [0-9]+$' steps || { echo "the steps of remote:"; cat steps; failed=1; }
expect 2 'cannot write' --write-sync nowhere/steps -- true
exit $failed
