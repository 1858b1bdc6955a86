#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How many lines of C, CUDA and .def the tree had at a commit, and what has become of them. usage: mass.sh COMMIT
# All lines count, blank ones and braces too. A file that stood at the commit counts as old, under a new name too, where git
# finds four tenths of it again; all others are new.
set -u
start=${1:?usage: mass.sh COMMIT}
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
kinds=('*.c' '*.h' '*.cu' '*.cuh' '*.def')

lines_at() { # COMMIT: PATH LINES of each file. The empty tree differs from a commit by all of its lines.
    git diff --numstat "$(git hash-object -t tree /dev/null)" "$1" -- "${kinds[@]}" | awk '{ print $3, $1 }'
}

{
    lines_at "$start" | sed 's/^/then /'
    lines_at HEAD | sed 's/^/now /'
    git diff -M40% -l0 --name-status --diff-filter=A "$start" HEAD -- "${kinds[@]}" | awk '{ print "new", $2 }'
} | awk '
    BEGIN {
        print "| A  folder | lines at the start | of the same files now | change | in new files |"
        print "| A-|---|---|---|---|"
    }
    { split($2, part, "/"); folder = part[1]; folders[folder] }
    $1 == "then" { was[folder] += $3; was_all += $3 }
    $1 == "now" { size[$2] = $3; is[folder] += $3; is_all += $3 }
    $1 == "new" { new[folder] += size[$2]; new_all += size[$2] }
    function row(name, a, b, c) { printf "| %s | %d | %d | %d | %d |\n", name, a, b, b - a, c }
    END {
        for (folder in folders) row("`" folder "`", was[folder], is[folder] - new[folder], new[folder])
        row("~ all", was_all, is_all - new_all, new_all)
    }' | LC_ALL=C sort | sed 's/^| A  folder/| folder/; s/^| A-|/|---|/; s/^| ~ all/| all/'
