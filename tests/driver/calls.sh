#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What our driver's calls answer is what an H200's answered. usage: calls.sh CALLS [RECORDED]; TMAREF is the command, CALLS
# the program driver_calls. Without RECORDED it prints the answers: this is how a GPU records them. The lines of calls
# stand there without the blanks that the runner prints before them.
set -u
sections="start names memory host modules occupancy launches streams graphs bad-graphs maps fault"
answers() {
    for section in $sections; do timeout 60 "$@" "$section" 2>/dev/null || echo "$section: status $?"; done |
        sed 's/^  \(.* = -\{0,1\}[0-9]*\)$/\1/'
}
[ $# = 1 ] && { answers "$1"; exit; }
diff <(grep -v '^#' "$2") <(answers "$TMAREF" exec -q -- "$1")
