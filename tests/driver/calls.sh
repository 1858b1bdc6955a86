#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What our driver answers to the sections of a call script is what an H200's answered. usage: calls.sh CALLS SCRIPT
# [RECORDED]; TMAREF is the command, CALLS the runner. Without RECORDED it prints the answers: this is how a GPU records
# them. The blanks that the runner prints before a line of a call do not count.
set -u
common=$(dirname "${BASH_SOURCE[0]}")/calls/common.calls script=$2
answers() {
    for section in $(sed -n 's/^section //p' "$script"); do
        timeout 60 "$@" "$section" "$common" "$script" 2>/dev/null || echo "$section: status $?"
    done | sed 's/^  \(.* = -\{0,1\}[0-9]*\)$/\1/'
}
[ $# = 2 ] && { answers "$1"; exit; }
diff <(sed '/^#/d; s/^  \(.* = -\{0,1\}[0-9]*\)$/\1/' "$3") <(answers "$TMAREF" exec -q -- "$1")
