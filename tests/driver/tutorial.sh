#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# README.md, docs/tutorial.md and docs/help.md show what `tmaref exec` prints of ring.cu. usage: tutorial.sh SOURCE FOLDER; TMAREF is the command.
set -u
source=$1 folder=$2 failed=0 checks=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# shown PAGE LINE NUMBER: the block between the fences NUMBER and NUMBER + 1 behind the line that begins so.
shown() {
    sed -n "/^$2/,\$p" "$1" | awk -v wanted="$3" '/^```/ { n++; next } n == wanted' | sed 's,^[^ (]*ring\.cu,ring.cu,'
}

# is_printed WHAT: every line of `shown` is one of those that were printed.
is_printed() {
    while read -r line; do
        checks=$((checks + 1))
        grep -qF -- "$line" "$scratch/out" && continue
        echo "$1: not printed: $line"
        cat "$scratch/out"
        failed=1
    done <"$scratch/shown"
}

run() { # run OPTION... PROGRAM: what it prints, with places as the pages have them
    "$TMAREF" exec "${@:1:$#-1}" -- "$folder/${!#}" 2>&1 | sed 's,[^ (]*ring\.cu,ring.cu,g' >>"$scratch/out"
}

page=$source/docs/tutorial.md
run ring0
grep -q '^cudaSuccess: 97831, wanted 97831$' "$scratch/out" || { echo "ring0:"; cat "$scratch/out"; failed=1; }
for mistake in 1 2 3; do
    : >"$scratch/out"
    run "ring$mistake"
    shown "$page" "## Mistake $mistake" 1 >"$scratch/shown"
    is_printed "mistake $mistake"
    [ $mistake = 1 ] || continue
    shown "$source/README.md" "# tmaref" 1 >"$scratch/shown"
    is_printed "README.md"
done
: >"$scratch/out"
run --sanitize ring4
shown "$page" "## Mistake 4" 3 >"$scratch/shown"
is_printed "mistake 4"
shown "$source/docs/help.md" "## It is wrong" 3 >"$scratch/shown"
is_printed "help.md"
# Machine code with its PTX inside has its lines in tables of the machine code.
: >"$scratch/out"
run ring1
grep -v '^  at ' "$scratch/out" >"$scratch/shown"
: >"$scratch/out"
run ring_kept
is_printed "ring_kept"
echo "$checks lines of the pages"
[ "$checks" -gt 25 ] && [ "$failed" = 0 ]
