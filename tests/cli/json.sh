#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# docs/json.md is the schema of what each command prints with --json: every key that is printed is in the list, with the type
# that the list says, and every key of the list is printed by one of the commands here. Argument: the root of the project.
. "$(dirname "$0")/expect.sh" || exit 2
root=$(cd "${1:?the root of the project}" && pwd) || exit 2
cd "$work" || exit 2

# section NAME: the keys under "## NAME", one a line.
section() { awk -v name="## $1" '/^## / { inside = $0 == name } inside && /^\| `/ { print $2 }' FS='`' "$root/docs/json.md"; }

# types NAME: the keys of that section whose type is one word, and that word. Of a.* a row says no type.
types() {
    awk -F'|' -v name="## $1" '/^## / { inside = $0 == name }
        inside && $2 ~ /^ `[^`]*[^*`]` $/ && $3 ~ /^ (number|string|boolean) $/ { gsub(/[` ]/, "", $2); gsub(/ /, "", $3); print $2, $3 }' \
        "$root/docs/json.md"
}

# keys "SECTION": adds the keys of the last run to those that the section was seen to have.
keys() {
    local known
    known=$("$JSON_CHECK" --paths <"$work/out" | sort -u)
    check "$1: no JSON" test -n "$known"
    echo "$known" | cut -d' ' -f1 | sed "s/^/$1|/" >>seen
    types "$1" >typed
    # A number above 2^63 - 1 is a string; what is null, or has no entries, has no type.
    echo "$known" | awk -v name="$1" 'NR == FNR { type[$1] = $2; next }
        ($1 in type) && $2 != type[$1] && $2 !~ /^(null|array|object)$/ && !(type[$1] == "number" && $2 == "large") && !(type[$1] == "string" && $2 == "large") {
            print name ": " $1 " is a " $2 ", not a " type[$1] }' typed - >wrong
    check "$(cat wrong)" test ! -s wrong
}

# compare SECTION...: the two lists.
compare() {
    local name key
    for name in "$@"; do
        section "$name" >listed
        check "docs/json.md has no section $name" test -s listed
        while IFS='|' read -r _ key; do
            awk -v key="$key" '{ stem = $0; open = sub(/\.\*$/, "", stem) }
                key == $0 || (open && (key == stem || index(key, stem ".") == 1 || index(key, stem "[") == 1)) { found = 1 }
                stem ~ /\[\]$/ && key == substr(stem, 1, length(stem) - 2) { found = 1 } # an empty array
                END { exit !found }' listed || fail "$name: docs/json.md does not list $key"
        done < <(grep -F "$name|" seen | awk -F'|' -v name="$name" '$1 == name' | sort -u)
        while read -r key; do
            awk -F'|' -v name="$name" -v key="$key" 'BEGIN { stem = key; open = sub(/\.\*$/, "", stem) }
                $1 == name && ($2 == key || (open && (index($2, stem ".") == 1 || index($2, stem "[") == 1))) { found = 1 }
                END { exit !found }' seen || fail "$name: nothing printed $key"
        done <listed
        checks=$((checks + 1))
    done
}

map=(--dtype f16 --dim 4096,4096 --box 64,64 --swizzle 128B)
run 0 list --json && keys list
run 0 list --rules --json && keys "list --rules"
run 0 diagnose --causes --json && keys "diagnose --causes"
run 0 explain MAP_BOX_DIM --json && keys "explain RULE"
run 0 explain 716 --json && keys "explain ERROR"
run 0 explain --json "${map[@]}" --coord 0,64 --shared 0x800 --byte 0x838 && keys explain
run 0 explain --json "${map[@]}" --shared 0x400 --element 3,5 --table && keys explain
run 1 explain --json "${map[@]}" --shared 0x10 --store && keys explain
run 0 explain --json "${map[@]}" --tiles && keys "explain --tiles"
run 0 explain --json "${map[@]}" --cta 3 && keys "explain --cta"
run 0 explain --json "${map[@]}" --cluster 2x1 --shared 0x400 && keys "explain --cluster"
run 1 explain --json "${map[@]}" --cluster 2x1 --shared 0x410 && keys "explain --cluster"
run 0 explain --json "${map[@]}" --accesses --shared 0x400 && keys "explain --accesses"
layout='Sw<3,4,3> o smem_ptr[16b](unset) o ((8,16),(64,2)):((64,512),(1,8192))'
run 0 explain --json --layout "$layout" --dtype bf16 --element 3,5 --tile 64,64 --cta 1 --table && keys "explain --layout"
run 1 explain --json --layout '(8,64):(72,1)' --dtype bf16 && keys "explain --layout"
run 0 encode --json "${map[@]}" && keys encode
hex=$("$TMAREF" encode "${map[@]}" | head -1)
run 1 encode --json --dtype f16 --dim 4096,4096 --strides 8200 --box 128,64 --swizzle 128B && keys encode
run 0 decode --json "$hex" && keys decode
run 1 decode --json --descriptor 0x4000004000013fff && keys "decode --descriptor"
run 0 decode --json --descriptor 0x4000004000010040 --rows 8 && keys "decode --descriptor"
run 1 decode --json "${hex:0:16}f${hex:17}" && keys decode
tar -xzf "$root/tests/driver/recorded_dumps.tar.gz"
run 1 compare --json h200/outside.dump h200/plain.dump && keys compare
run 0 swizzle 128B --json --access column --dtype f16 && keys swizzle
run 0 litmus --json "$root/tests/litmus/mp-release-acquire.litmus" && keys litmus
run 0 litmus --json --outcomes "$root/tests/litmus/sb-weak.litmus" && keys litmus
run 0 litmus --json --executor sim "$root/tests/litmus/sb-weak.litmus" && keys "litmus --executor"

run 0 mbarrier --json 0xfffff807f81ffffe && keys "mbarrier WORD"
run 0 mbarrier --json --token 0x7ffff800 && keys "mbarrier --token"
run 0 mbarrier --json "init 1" "arrive.expect_tx 4096" "complete_tx 4096" "test_wait.parity 0" && keys "mbarrier PROGRAM"
run 1 mbarrier --json "init 1" "arrive 1 lanes=0xffffffff" && keys "mbarrier PROGRAM"
run 0 ptx --json "$root/tests/cli/kernel.ptx" && keys ptx
run 0 replay --json "$root/traces/sm_90a/load_claims.jsonl" && keys replay
echo 'load_*:* garbage is known' >known.txt
echo 'store:* differs fits nothing' >>known.txt
run 1 score --json -x command:cat "$root"/traces/sm_90a/{load_claims,load_claims_fault,encode_claims,store_claims_fault}.jsonl --expect known.txt && keys "score and merge"
echo 'load_*:* differs agrees now' >known.txt
run 0 score --json -x model "$root/traces/sm_90a/load_claims.jsonl" --expect known.txt && keys "score and merge"
nothing='command:sed -u "s/^{\"index\":\([0-9]*\),.*/{\"index\":\1,\"unsupported\":\"nothing yet\"}/"'
run 0 score --json -x "$nothing" "$root/traces/sm_90a/load_claims.jsonl" && keys "score and merge"
run 0 record --json -x model -f load -n 2 -o trace.jsonl && keys record
run 0 diff --json -f load -n 50 model model && keys diff
run 0 coverage --json --cases=20 "$root/traces/sm_90a/load_curated.jsonl" && keys coverage
run 0 run --json -f load -n 20 && keys run
told='tmaref delays 1\n1 launch 1 cta 0,0,0 warp 1 after 5 # at k.cu:3\n# past 1: warp 0 of CTA (0,0,0) went on\n# steps 9\n'
run 1 explore --json --runs 3 -- sh -c '[ "$TMAREF_SCHEDULE" = default ] || { [ -z "$TMAREF_WRITE_DELAYS" ] || printf "$1" >"$TMAREF_WRITE_DELAYS"; exit 1; }' sh "$told" && keys explore
run 1 explore --json --every-delay -- sh -c '[ "$TMAREF_SCHEDULE" = default ] || { [ -z "$TMAREF_WRITE_DELAYS" ] || printf "$1" >"$TMAREF_WRITE_DELAYS"; exit 1; }' sh "$told" && keys explore
told='tmaref delays 1\nturn 1/0/0 # W0.0.1000.4 ; 0\n'
run 1 explore --json --all -- sh -c '[ -z "$TMAREF_WRITE_DELAYS" ] || { printf "$1" >"$TMAREF_WRITE_DELAYS"; exit 1; }' sh "$told" && keys explore
steps='tmaref sync 1\nL 1 k\nP 1 k.cu:1\nC 1 0 0 0,0,0 2\ns 1 0 0 0 1 0 1 i 0 8 1\ns 1 0 0 0 1 0 1 t 0 8 1 0 0 0\ns 1 0 0 1 1 0 1 w 0 8 0\ns 1 0 0 1 1 0 1 x\n'
run 1 explore --json --paths -- sh -c 'printf "$1" >"$TMAREF_WRITE_SYNC"' sh "$steps" && keys explore
steps='tmaref sync 1\nL 1 k\nP 1 k.cu:1\nC 1 0 0 0,0,0 2\ns 1 0 0 0 1 0 1 A 1 1 64 32\ns 1 0 0 1 1 0 1 A 1 1 64 32\ns 1 0 0 1 1 0 1 M 1 1\ns 1 0 0 0 1 0 1 A 1 1 64 32\ns 1 0 0 1 1 0 1 A 1 1 64 32\ns 1 0 0 1 1 0 1 M 1 1\n'
run 1 explore --json --paths -- sh -c 'printf "$1" >"$TMAREF_WRITE_SYNC"' sh "$steps" && keys explore
run 0 run gemm-pingpong --json --m 64 --n 64 --k 64 && keys "run KERNEL"
# shellcheck disable=SC2046
mapfile -t names < <(cut -d'|' -f1 seen | sort -u)
compare "${names[@]}"

run 0 --complete help ''
cut -f 1 out >commands
while read -r name; do
    "$TMAREF" --complete "$name" - | grep -q '^--json' || continue
    check "docs/json.md says nothing of $name: write a section '## $name' with its keys, and run it in tests/cli/json.sh" \
        grep -qE "^## ([a-z]+ and )?$name( |\$)" "$root/docs/json.md"
done <commands
finish
