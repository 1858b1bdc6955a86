#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The zoo: kernels with one planted mistake each, and the same kernels without it. usage: zoo.sh FOLDER; TMAREF is the
# command, RUN_ZOO a program.
#
# A line that begins with //- is only in the kernel with the mistake, one with //+ only in the right one. `// HERE ID` at
# the end of a line says, before any run, which finding must name that line of the kernel with the mistake; more than
# one such line in a kernel: any of them. A launch that fails there, and says so, names it too. `// MISSED` behind it: the sanitizer is known not to find it.
set -u
. "$(dirname "$0")/expect.sh"
folder=$1
page=$(dirname "$0")/../../docs/sanitizer.md

# kernels VARIANT FILE: the file with only that variant's lines, each at its old number
kernels() {
    [ "$1" = mistake ] && sed -E 's|^//-||; s|^//\+.*||' "$2" || sed -E 's|^//\+||; s|^//-.*||' "$2"
}

# planted FILE: KERNEL ID LINE [MISSED] of each line that has to be named
planted() {
    awk '/^\/\/ zoo /{kernel = $3} /\.entry /{match($0, /\.entry [a-z_0-9]+/); entry = substr($0, RSTART + 7, RLENGTH - 7)}
         match($0, /\/\/ HERE [A-Z_]+/) {split(substr($0, RSTART), word, " "); print entry, word[3], FNR, (/MISSED/ ? "MISSED" : "")}' "$1"
}

# of_check ID: what --check calls it; of other kinds it tells nothing
of_check() {
    case $1 in
    FENCE) echo CHECK_FENCE ;;
    READ_BEFORE_COPY) echo CHECK_READ_EARLY ;;
    OPERATION_BEFORE_COPY) echo CHECK_OPERATION_EARLY ;;
    WRITE_BEFORE_COPY) echo CHECK_WRITTEN_UNDER ;;
    REFILL) echo CHECK_REFILLED ;;
    SOURCE_OVERWRITTEN | PRODUCT_OVERWRITTEN) echo 'CHECK_SOURCE_(WRITTEN|COPIED)' ;;
    UNINITIALISED | UNORDERED_INIT) echo CHECK_NOT_INITIALISED ;;
    AGAIN) echo CHECK_INITIALISED_AGAIN ;;
    UNEXPECTED) echo CHECK_UNEXPECTED ;;
    COUNT) echo CHECK_MEETING ;;
    esac
}

quick=0
for file in "$folder"/*.ptx; do
    class=$(basename "$file" .ptx)
    for variant in mistake right; do
        kernels $variant "$file" >"$scratch/$variant.ptx"
        if ! "$TMAREF" exec --sanitize --json -- "$RUN_ZOO" "$scratch/$variant.ptx" >"$scratch/$variant.out" 2>"$scratch/$variant.err"; then
            # A mistake may end its process: the others have one of their own.
            [ $variant = mistake ] || { echo "$class: the right kernels failed:"; cat "$scratch/right.out"; failed=1; }
            for kernel in $(sed -nE 's|^// zoo ([a-z_0-9]+) .*|\1|p' "$file"); do
                "$TMAREF" exec --sanitize --json -- "$RUN_ZOO" "$scratch/$variant.ptx" "$kernel"
            done >"$scratch/$variant.out" 2>"$scratch/$variant.err"
        fi
        sed -nE 's/^\{"sanitize": "([A-Z_]+)", "kernel": "([a-z_0-9]+)".* "ptx_line": ([0-9]+), .*/\2 \1 \3/p' "$scratch/$variant.err" |
            awk '!/other_ptx_line/' >"$scratch/$variant.found"
        sed -nE 's/^\{"error": [0-9]+, "kernel": "([a-z_0-9]+)".* "ptx_line": ([0-9]+),.*/\1 FAULT \2/p' "$scratch/$variant.err" >>"$scratch/$variant.found"
    done
    # The quick form names the same line, and nothing in the right kernels.
    for variant in mistake right; do
        for kernel in $(sed -nE 's|^// zoo ([a-z_0-9]+) .*|\1|p' "$file"); do
            "$TMAREF" exec --check --json -- "$RUN_ZOO" "$scratch/$variant.ptx" "$kernel" 2>&1 >/dev/null
        done | sed -nE 's/^\{"check": "([A-Z_]+)", "kernel": "([a-z_0-9]+)".* "ptx_line": ([0-9]+), .*/\2 \1 \3/p' >"$scratch/$variant.quick"
    done
    [ -s "$scratch/right.quick" ] && { echo "$class: --check finds in right kernels:"; cat "$scratch/right.quick"; failed=1; }
    quick=$((quick + $(cut -d ' ' -f 1 "$scratch/mistake.quick" | sort -u | wc -l)))
    planted "$file" >"$scratch/planted"
    while read -r kernel id line _; do
        rule=$(of_check "${id#SANITIZE_}")
        [ -z "$rule" ] || ! grep -qx "$kernel $id $line" "$scratch/mistake.found" ||
            grep -qxE "$kernel $rule $line" "$scratch/mistake.quick" || { echo "$class: --check says no $rule of $kernel at line $line:"
            grep "^$kernel " "$scratch/mistake.quick"; failed=1; }
    done <"$scratch/planted"
    count=0 found=0 alarms=0
    for kernel in $(cut -d ' ' -f 1 "$scratch/planted" | sort -u); do
        count=$((count + 1))
        is_found=0 is_missed=0
        while read -r name id line missed; do
            [ "$name" = "$kernel" ] || continue
            [ "$missed" = MISSED ] && is_missed=1
            grep -qxE "$kernel ($id|FAULT) $line" "$scratch/mistake.found" && is_found=1
        done <"$scratch/planted"
        found=$((found + is_found))
        [ $((is_found + is_missed)) = 1 ] || { echo "$class: $kernel: found $is_found, said to be missed $is_missed; planted, then found:"
            grep "^$kernel " "$scratch/planted"; grep "^$kernel " "$scratch/mistake.found"; failed=1; }
    done
    # Lanes meet at an atomic, also where it is the first access of their CTA that is told of.
    grep '^global_counter SANITIZE_LANES ' "$scratch/mistake.found" && { echo "$class: global_counter: lanes that an atomic orders"; failed=1; }
    # A right kernel has no finding, and each launch is clean.
    alarms=$(grep -c '"verdict": "findings"' "$scratch/right.err")
    [ "$alarms" = 0 ] && ! grep -q '"verdict": "incomplete"' "$scratch/right.err" ||
        { echo "$class: not clean:"; grep -E '"sanitize": "(VERDICT", "verdict": "[fi]|SANITIZE)' "$scratch/right.err" | cut -c 1-700; failed=1; }
    echo "| $class | $count | $found | $alarms |" >>"$scratch/table"
done
cat "$scratch/table"
echo "--check finds something in $quick of the kernels with a mistake"
grep -qF "\`--check\` finds something in $quick of the " "$page" || { echo "docs/sanitizer.md does not say $quick of --check"; failed=1; }
while read -r row; do
    grep -qxF -- "$row" "$page" || { echo "docs/sanitizer.md lacks: $row"; failed=1; }
done <"$scratch/table"
exit $failed
