#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref exec` does not say that no kernel ran where a product of matrices did. TMAREF is the command, CALLS a program that
# is refused (tests/driver). usage: notes.sh BLAS_CALLS
set -u
refused=$("$TMAREF" exec -- "$CALLS" maps 2>&1)
grep -q 'no kernel ran' <<<"$refused" || { echo "it is not refused: $refused"; exit 1; }
told=$("$TMAREF" exec -- sh -c '"$1" maps; "$2" types' - "$CALLS" "$1" 2>&1) || { echo "$told"; exit 1; }
! grep 'no kernel ran' <<<"$told"
