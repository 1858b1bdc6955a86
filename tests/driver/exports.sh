#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A library shows the names of its table's releases and nothing else, and the rows are in the order of the alphabet.
# usage: exports.sh LIBRARY TABLE [FIRST LAST]    (releases: 12040 is CUDA 12.4)
# A table of rows CALL and ROUTINE (model/blas/routines.h) names calls of all releases.
set -u
model=$(dirname "$0")/../../model
rows=$model/../cmake/calls.awk

names_of_rows() { # in the order of the table
    if grep -q routines.h "$1"; then
        awk -F '[(, )]+' '/^CALL/ { print "CALL " $3 } /^ROUTINE/ { print "ROUTINE " $4 " " $5 }' "$1"
    else
        awk -f "$rows" "$1" | awk '{ print $1 }'
    fi
}

all_names() {
    if grep -q routines.h "$1"; then
        "${CC:-cc}" -E -P -I "$model/blas" -D 'NAME(name)=name' -x c "$1" | tr -s ' ' '\n'
    else
        awk -v first="$2" -v last="$3" -f "$rows" "$1" | awk '{ print $1; if ($5 != "-") print $1 $5 }'
    fi
}

names_of_rows "$2" | LC_ALL=C sort -c || { echo "$2: this row is not in its place"; exit 1; }
diff <(nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort) \
    <(all_names "$2" "${3:-}" "${4:-}" | LC_ALL=C sort) || { echo "$1 does not show the names of $2"; exit 1; }
