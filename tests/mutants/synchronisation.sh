#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# synchronisation.py on a kernel with a barrier that is needed and one that is not. usage: synchronisation.sh FOLDER; TMAREF is the
# command, RUN_PTX a program, PYTHON the interpreter.
set -u
folder=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# says COMMAND ROW...: each of these in what the command prints
says() {
    local -a command
    read -ra command <<<"$1"
    shift
    "$PYTHON" "$folder/synchronisation.py" "${command[@]}" --tmaref "$TMAREF" -- "$RUN_PTX" {} handed 1 64 >"$scratch/out" 2>&1
    for row in "$@"; do
        grep -qE -- "$row" "$scratch/out" || { echo "${command[0]}: no '$row' in:"; cat "$scratch/out"; failed=1; }
    done
}

file=$folder/handed.ptx
"$PYTHON" "$folder/synchronisation.py" plan "$file" >"$scratch/plan" || exit 1
[ "$(cut -f 2,3 "$scratch/plan" | tr '\t\n' '  ')" = "remove 18 count 18 remove 20 count 20 " ] || { echo "plan:"; cat "$scratch/plan"; failed=1; }
says "run $file $scratch/plan --remedies" '^named@ +mended +needed remove +18 .* RACE' '^missed +needed remove +20 ' '3 named, 3 right line, 3 mended'
says "prove $file $scratch/plan" '^found +remove +18 ' '^proven +remove +20 ' '^# handed.ptx: 3 found, 1 proven$'
says "paths $file" '^as it is: none' '^order other_phase PTX line 18 +count +18 '
says "silent $file --seeds 1" '4 runs, 0 with a finding'
says "compare $file $scratch/plan --seeds 1" '^same +remove +20 '
exit $failed
