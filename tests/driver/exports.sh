#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A library shows the names of its table and nothing else; where a toolkit is here, its library has the same names.
# usage: exports.sh LIBRARY TABLE [THEIRS]
set -u
names() { nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort; }
table() { sed -nE 's/^[A-Z]+_(NAME|ALIAS)\(([A-Za-z0-9_]+).*/\2/p' "$1" | LC_ALL=C sort; }
failed=0
diff <(names "$1") <(table "$2") || { echo "$1 does not show the names of $2"; failed=1; }
[ $# -lt 3 ] && exit $failed
diff <(names "$3") <(table "$2") || { echo "$3 has other names than $2"; failed=1; }
exit $failed
