#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref exec --lint-sync`. usage: lint_sync.sh FOLDER; TMAREF is the command, RUN_PTX a program.
set -u
. "$(dirname "$0")/expect.sh"
folder=$1

# lists KERNEL NEEDED NOT LINE...: those lines of lint.cu, and no others
lists() {
    local kernel=$1 needed=$2 not=$3
    shift 3
    expect 0 "^tmaref: lint-sync: kernel $kernel: of $((needed + not)) fences, waits and barriers, $needed needed, $not not, 0 not tried; launches: 1" \
        --lint-sync -- "$RUN_PTX" "$folder/lint.ptx" "$kernel" 1 64
    for line in "$@"; do
        grep -q "^lint.cu:$line: note: lint-sync: kernel $kernel: no access needs this: " "$scratch/out" || { echo "$kernel: line $line is not told:"; cat "$scratch/out"; failed=1; }
    done
    [ "$(grep -c 'no access needs this' "$scratch/out")" = $# ] || { echo "$kernel: other lines are told:"; cat "$scratch/out"; failed=1; }
}

lists spare 1 2 10 12
lists unrolled 2 0
lists waits 2 1 32
expect 0 '^tmaref: lint-sync: kernel wrong: not tried: no launch of it was clean$' --lint-sync -- "$RUN_PTX" "$folder/lint.ptx" wrong 1 64
expect 0 '^{"lint": "UNNEEDED", "kernel": "spare", "file": "lint.cu", "line": 10, "ptx_line": 20, "launches": 1, "text": "fence.proxy.async.shared::cta;"}$' \
    --lint-sync --json -- "$RUN_PTX" "$folder/lint.ptx" spare 1 64
exit $failed
