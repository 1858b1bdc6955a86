#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref ptx`: what it prints, and what it says of mistakes. Argument: the root of the project.
. "$(dirname "$0")/expect.sh" || exit 2
root=$(cd "${1:?the root of the project}" && pwd) || exit 2
cd "$work" && cp "$root/tests/cli/kernel.ptx" . || exit 2

run 0 ptx --forms kernel.ptx
out "2 entries, 1 other functions"
out "entry load_tile"
out "136 bytes"
out "reqntid 32,1,1, cluster 1,1,1"
out "shared 8 bytes + dynamic"
out "  1  mbarrier.try_wait.parity.shared.b64"
run 0 ptx --function=twice kernel.ptx
out "func twice"
no_out "entry load_tile"

sed 's/add.s32/add.s23/' kernel.ptx >wrong.ptx
run 1 ptx wrong.ptx
err "wrong.ptx:13:5: error: '.s23' is not a PTX modifier; did you mean '"
err "	   ^~~~"
run 0 ptx --function=load_tile wrong.ptx
run 2 ptx --function=nosuch kernel.ptx
err "has no function 'nosuch'"
run 2 ptx
run 2 ptx nosuch.ptx
printf 'PK' >binary.ptx
run 1 ptx binary.ptx
err "PTX begins with .version"
quiet
run 1 ptx /dev/null
quiet
sed 's/^\.version.*/.version 99.0/' kernel.ptx >newer.ptx
run 1 ptx newer.ptx
quiet
cp kernel.ptx in
run 0 ptx -
out "-: PTX 8.6 for sm_90a"
finish
