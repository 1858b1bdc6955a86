#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A program of cuRAND under `tmaref exec`. usage: run.sh PROGRAM FOLDER_OF_LIBCURAND; TMAREF is the command.
set -u
failed=0
out=$(LD_LIBRARY_PATH=$2 "$TMAREF" exec -- "$1" 2>&1) || failed=1
want='^tmaref: curandGenerate: the output is at 0x[0-9a-f]+, which is no memory of the device
tmaref: curandGenerate: the output takes 1048576 bytes from 0x[0-9a-f]+ on, and the allocation ends before$'
[[ $failed = 0 && $out =~ $want ]] && exit 0
echo "status $failed, printed:"
echo "$out"
exit 1
