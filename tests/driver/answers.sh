#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What our libraries answer is what an H200's answered. usage: answers.sh CALLS FOLDER [RECORDED]; TMAREF is the command.
# Without RECORDED it prints the answers of the libraries that the loader finds: this is how a GPU records them.
set -u
common=$(dirname "${BASH_SOURCE[0]}")/calls/common.calls
answers() { # COMMAND...
    for script in "$folder"/*.calls; do
        for section in $(sed -n 's/^section //p' "$script"); do
            echo "--- $section"
            timeout 60 "$@" "$section" "$common" "$script" 2>/dev/null || echo "$section: status $?"
        done
    done
}
folder=$2
[ $# = 2 ] && { answers "$1" --real; exit; }
diff <(grep -v '^#' "$3") <(answers "$TMAREF" exec -q -- "$1")
