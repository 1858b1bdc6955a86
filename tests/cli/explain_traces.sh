#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref explain --table` against the curated loads of the traces: where a GPU put every byte, in the recording's own
# words, is where explain says it is. Argument: the curated trace.
. "$(dirname "$0")/expect.sh" || exit 2

# Reads the recording's lines, then explain's table; prints each 8 bytes of shared memory that they disagree about.
compare='
function number(hex,    i, n) {
    sub(/^0x/, "", hex)
    for (i = 1; i <= length(hex); i++) n = 16 * n + index("0123456789abcdef", substr(hex, i, 1)) - 1
    return n
}
$1 == "smem" {
    split($2, span, "+")
    at = number(span[1])
    for (i = 0; i < span[2]; i += 8) {
        if ($3 == "untouched") seen[at + i] = "none"
        else if ($4 == "fill") seen[at + i] = "fill"
        else if ($4 == "gmem") seen[at + i] = number($5) + i
    }
}
/^0x/ && NF > 3 {
    at = number($1)
    for (i = 0; i < $2; i++) told[at + i] = $3 == "fill" ? "fill" : number($3) - 17592186044416 + i
}
END {
    for (at in seen) {
        for (i = 0; i < 8; i++) {
            want = seen[at] == "none" || seen[at] == "fill" ? seen[at] : seen[at] + i
            have = (at + i) in told ? told[at + i] : "none"
            if (have != want) { printf "smem %d: recorded %s, explained %s\n", at + i, want, have; break }
        }
        compared++
    }
    if (!compared) print "nothing was compared"
}'

cases=0
while IFS= read -r line; do
    field() { "$JSON_CHECK" "$@" <<<"$line"; }
    [ "$(field status 2>/dev/null)" = 0 ] || continue
    coord=$(field case tensorCoords | tr -d '[]')
    run 0 explain --map "$(field case map)" --coord "$coord" --shared "$(field case shared)" --table --all
    { field text | tr -d '["]' | tr ',' '\n'; cat "$work/out"; } | awk "$compare" >"$work/wrong"
    check "$(head -3 "$work/wrong")" test ! -s "$work/wrong"
    cases=$((cases + 1))
done <"${1:?the curated trace}"
check "no case in $1" test "$cases" -gt 0
finish
