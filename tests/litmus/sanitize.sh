#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The sanitizer and the memory model agree: each litmus test that the simulated device runs has findings if, and only if,
# the model says that it has a data-race. docs/sanitizer.md names those that differ, with the reason, and has the counts.
# usage: sanitize.sh LABEL FOLDER [EACH]; TMAREF is the command. With EACH one test of so many runs.
set -u
label=$1 folder=$2 each=${3:-1} failed=0 number=0
page=$(dirname "$0")/../../docs/sanitizer.md
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# What no access of the model is: the end of a CTA, bytes that nobody wrote, and advice.
beside='SANITIZE_(EXIT|UNWRITTEN|SAME_VALUE|SMALL_COPY_FENCE|GLOBAL_UNWRITTEN|BARRIER_RANK)"'
sed -n '/^## The memory model/,/^## /p' "$page" | grep -oE '`[a-z0-9+_-]+`' | tr -d '`' | sort -u >"$scratch/named"
# sanitize FILE TRIES: what is told, into $scratch/told; status 0 if a finding is.
sanitize() {
    TMAREF_SANITIZE=1 TMAREF_JSON=1 "$TMAREF" litmus --executor sim --tries "$2" "$1" >/dev/null 2>"$scratch/told"
    grep '^{"sanitize": "SANITIZE_' "$scratch/told" | grep -qvE "^{\"sanitize\": \"$beside"
}

found=0 missed=0 silent=0 alarms=0 left=0
for file in "$folder"/*.litmus; do
    name=$(basename "$file" .litmus)
    [ $((number++ % each)) = 0 ] || continue
    is_race=0 is_found=0
    "$TMAREF" litmus --races --json "$file" | grep -q '"verdict": "has a data-race"' && is_race=1
    sanitize "$file" 64 && is_found=1
    # A race of another path, or of another place of the data, shows in a launch of another schedule.
    [ $is_race$is_found = 10 ] && sanitize "$file" 1056 && is_found=1
    grep -q '"sanitize": "VERDICT"' "$scratch/told" || { left=$((left + 1)); continue; }
    grep -q '"verdict": "incomplete"' "$scratch/told" && { echo "$name: incomplete:"; cut -c 1-300 "$scratch/told"; failed=1; }
    case $is_race$is_found in
    11) found=$((found + 1)) ;; 10) missed=$((missed + 1)) ;; 00) silent=$((silent + 1)) ;; 01) alarms=$((alarms + 1)) ;;
    esac
    is_named=0
    grep -qxF -- "$name" "$scratch/named" && is_named=1
    [ $((is_race != is_found)) = $is_named ] || {
        echo "$name: a race by the model $is_race, found $is_found, named as different in docs/sanitizer.md $is_named:"
        grep '^{"sanitize": "SANITIZE_' "$scratch/told" | cut -c 1-500; failed=1; }
done
row="| $label | $found | $missed | $silent | $alarms | $left |"
echo "$row"
grep -qxF -- "$row" "$page" || { echo "docs/sanitizer.md lacks that row"; failed=1; }
exit $failed
