#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A library shows the names of its table's releases and nothing else, and the rows are in the order of the alphabet.
# usage: exports.sh LIBRARY TABLE [FIRST LAST]    (releases: 12040 is CUDA 12.4)
set -u
rows=$(dirname "$0")/../../cmake/calls.awk
awk -f "$rows" "$2" | awk '{ print $1 }' | LC_ALL=C sort -c || { echo "$2: this row is not in its place"; exit 1; }
diff <(nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort) \
    <(awk -v first="${3:-}" -v last="${4:-}" -f "$rows" "$2" | awk '{ print $1; if ($5 != "-") print $1 $5 }' | LC_ALL=C sort) ||
    { echo "$1 does not show the names of $2"; exit 1; }
