#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What our linking answers is what an H200's driver answered. usage: links.sh LINKS RECORDED; TMAREF is the command.
# Without RECORDED it prints the answers: this is how a GPU records them.
set -u
kinds="1 2 0 3 4"
answers() {
    timeout 60 "$@" 2>/dev/null || echo "status $?"
    for kind in $kinds; do timeout 60 "$@" "$kind" 2>/dev/null || echo "$kind: status $?"; done
}
[ $# = 1 ] && { answers "$1"; exit; }
diff <(grep -v '^#' "$2") <(answers "$TMAREF" exec -q -- "$1")
