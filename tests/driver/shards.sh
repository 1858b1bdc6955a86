#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --shard of explore, litmus, replay and diff, and `tmaref merge` of what they print; with GNU parallel too, where there is
# one. usage: shards.sh FOLDER; TMAREF is the command, FOLDER has litmus tests.
set -u
. "$(dirname "$0")/expect.sh"
tests=$1 traces=$(dirname "$0")/../../traces/sm_90a
cd "$scratch" || exit 2

# merge STATUS PATTERN FILE...: merge ends so and prints a line like PATTERN.
merge() {
    local status=$1 pattern=$2
    shift 2
    "$TMAREF" merge "$@" >out 2>&1
    local got=$?
    [ $got = "$status" ] && grep -qE -- "$pattern" out && return
    echo "tmaref merge $*: status $got ($status expected), and not like '$pattern':"
    head -40 out
    failed=1
}

# shards NAME COMMAND...: the answers of three parts, and of the whole.
shards() {
    local name=$1
    shift
    for part in 1 2 3; do "$TMAREF" "$1" --json --shard $part/3 "${@:2}" >"$name$part.json" 2>"$name.err"; done
    "$TMAREF" "$1" --json "${@:2}" >"$name.whole" 2>"$name.err"
}

# The sums are those of one run.
shards litmus litmus "$tests"
agree=$(sed -nE 's/^  "agree": ([0-9]+),/\1/p' litmus.whole)
merge 0 "^    \"agree\": $agree,\$" --json litmus3.json litmus1.json litmus2.json
[ "$(grep -c '"claim"' out)" = "$(grep -c '"claim"' litmus.whole)" ] || { echo "other tests than in one run"; failed=1; }
merge 0 '^litmus, 3 parts: 0 failures$' litmus[123].json
shards sim litmus -x sim -n 32 "$tests/mp-release-acquire.litmus" "$tests/sb-weak.litmus" "$tests/tma-load.litmus"
merge 0 '"agree": 3,' --json sim[123].json
shards replay replay "$traces"/load_{curated,claims}.jsonl
for key in compared mismatches statusAlone; do
    [ "$("$TMAREF" merge --json replay[123].json | grep "\"$key\"" | tr -d ' ')" = "$(grep "\"$key\"" replay.whole | tr -d ' ')" ] ||
        { echo "replay: $key of the parts is not that of the whole"; failed=1; }
done
shards diff diff -f load -n 100 --faults 100 model model
for key in cases faults mismatches; do
    [ "$("$TMAREF" merge --json diff[123].json | sed -n '/"answer"/,$p' | grep "\"$key\"" | tr -d ' ,')" = "$(grep "\"$key\"" diff.whole | tr -d ' ,')" ] ||
        { echo "diff: $key of the parts is not that of the whole"; failed=1; }
done
shards all diff -f all -n 200 model model
merge 0 '"family": "all"' --json all[123].json
grep -q '"cases": 200,' out || { echo "diff of all families: not 200 cases"; failed=1; }

# A failure in one part is one of the whole.
shards explore explore --runs 5 --reduce 0 -- sh -c '[ -z "$TMAREF_WRITE_DELAYS" ] || echo "# steps 9" >"$TMAREF_WRITE_DELAYS"; [ "$TMAREF_SCHEDULE" != late ]'
merge 1 '^explore, 3 parts: 1 failures$' explore[123].json
merge 1 '"command": "tmaref exec --schedule late --' --json explore[123].json

# What does not go together, and what is no part.
merge 2 'part 2 of 3 is missing' litmus1.json litmus3.json
merge 2 'part 1 stands twice: litmus1.json and litmus1.json' litmus1.json litmus2.json litmus1.json
merge 2 'the command of litmus1.json is "litmus", that of replay2.json "replay"' litmus1.json replay2.json litmus3.json
"$TMAREF" diff --json --shard 2/3 -f load -n 100 --seed 7 --faults 100 model model >seed2.json
merge 2 'the seed of diff1.json is 1, that of seed2.json 7' diff1.json seed2.json diff3.json
sed 's/"version": "/&9/' litmus2.json >version2.json
merge 2 'the version of litmus1.json is .*, that of version2.json "9' litmus1.json version2.json litmus3.json
"$TMAREF" litmus --json --shard 2/4 "$tests" >of4.json
merge 2 'litmus1.json is a part of 3, of4.json one of 4' litmus1.json of4.json litmus3.json
merge 2 'litmus.whole is no part' litmus1.json litmus.whole litmus3.json
head -c 300 litmus2.json >cut.json
merge 2 '^tmaref merge: cut.json: ' litmus1.json cut.json litmus3.json
merge 2 'nowhere.json' litmus1.json nowhere.json
merge 2 'are for files of tmaref score' --junit junit.xml litmus[123].json
for options in 'litmus --shard 4/3' 'replay --shard 0/3' 'diff -f load model model --shard 1/0' 'litmus --shard 2' 'explore --shard x/y --'; do
    # shellcheck disable=SC2086
    "$TMAREF" $options "$tests" >out 2>&1
    [ $? = 2 ] && grep -q -- '--shard takes' out || { echo "tmaref $options is not refused:"; cat out; failed=1; }
done
"$TMAREF" replay -x sim --schedules 4 --shard 1/2 >out 2>&1 && { echo "--schedules goes with --shard"; failed=1; }
"$TMAREF" diff -f load --each 3 --shard 1/2 model model >out 2>&1 && { echo "--each goes with --shard"; failed=1; }

# The recipe of docs/shards.md for GNU parallel.
if parallel --version 2>/dev/null | grep -q '^GNU parallel'; then
    parallel --will-cite -j 2 "$TMAREF" litmus --json --shard {}/4 "$tests" '>' part{}.json ::: 1 2 3 4
    merge 0 "^    \"agree\": $agree,\$" --json part?.json
else
    echo "GNU parallel is not here: its recipe was not tried (Debian: parallel)"
fi
exit $failed
