#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref exec --coverage`. usage: coverage.sh FOLDER; TMAREF is the command, RUN_PTX a program.
set -u
. "$(dirname "$0")/expect.sh"

info=$scratch/tile.info
expect 0 '' --coverage "$info" -- "$RUN_PTX" "$1/tile.ptx" tile 2 64
has "$info" SF:tile.cu FN:5,tile FNDA:4,tile DA:5,4 DA:9,2 DA:16,0 DA:18,4 LF:11 LH:10 end_of_record

# Without .loc the lines are the PTX's, which lies beside. An instruction whose guard holds for nobody has not run.
expect 0 '' --coverage "$info" -- "$RUN_PTX" "$1/tile.ptx" plain
beside=$(ls "$info".*.ptx)
has "$info" "SF:$beside" DA:64,1 DA:65,0 LF:5 LH:3
cmp "$beside" "$1/tile.ptx" || failed=1
rm "$beside" && mkdir "$beside"
expect 0 'the PTX beside the coverage .*: Is a directory' --coverage "$info" -- "$RUN_PTX" "$1/tile.ptx" plain
rmdir "$beside"

# A program that changes its folder writes the same file; all launches count.
cd "$scratch" && expect 0 '' --coverage sum.info -- sh -c "cd / && '$RUN_PTX' '$1/tile.ptx' tile 3 32"
has "$info" LF:5
has "$scratch/sum.info" DA:18,3

if command -v genhtml >/dev/null; then
    seq 30 >"$scratch/tile.cu"
    (cd "$scratch" && genhtml -q -o pages sum.info >/dev/null 2>&1) || { echo "genhtml does not take it"; failed=1; }
fi
expect 2 'cannot write /no/such/file: No such file' --coverage /no/such/file -- true
exit $failed
