#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A library shows the names of its table's releases and nothing else; where a toolkit is here, its library has the names
# of its release.
# usage: exports.sh LIBRARY TABLE [FIRST LAST] [THEIRS [RELEASE]]    (releases: 12040 is CUDA 12.4)
set -u
names() { nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort; }
# table FILE FIRST LAST: a row without releases, or of the driver (its number is another one), is always one.
table() {
    awk -F '[(), ]+' -v first="$2" -v last="$3" '
        /^[A-Z]+_(NAME|ALIAS)\(/ {
            since = /^RUNTIME/ ? $(NF - 2) : 0
            until = /^RUNTIME/ && $(NF - 1) != "LATEST" ? $(NF - 1) : 99999
            if (since + 0 <= last + 0 && until + 0 >= first + 0) print $2
        }' "$1" | LC_ALL=C sort
}
ours=$1 table=$2 first=0 last=99999 failed=0
shift 2
if [[ ${1:-} =~ ^[0-9]+$ ]]; then
    first=$1 last=$2
    shift 2
fi
theirs=${1:-} release=${2:-99999}
diff <(names "$ours") <(table "$table" "$first" "$last") || { echo "$ours does not show the names of $table"; failed=1; }
[ -n "$theirs" ] || exit $failed
diff <(names "$theirs") <(table "$table" "$release" "$release") || { echo "$theirs has other names than $table"; failed=1; }
exit $failed
