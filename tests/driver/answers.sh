#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What our libraries answer is what an H200's answered. usage: answers.sh ANSWERS FOLDER [RECORDED]; TMAREF is the
# command. Without RECORDED it prints the answers of the libraries that the loader finds: this is how a GPU records them.
set -u
sections=$(sed -nE 's/^SECTION\((.*)\)$/\1/p' "$2"/*.c)
answers() { for section in $sections; do timeout 60 "$@" "$section" 2>/dev/null || echo "$section: status $?"; done; }
[ $# = 2 ] && { answers "$1" --real; exit; }
diff <(grep -v '^#' "$3") <(answers "$TMAREF" exec -q -- "$1")
