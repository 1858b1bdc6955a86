#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref score` and `tmaref merge`: what agrees by family, rule and feature; known failures; a run that is cut off; shards; and
# the forms of the report. Arguments: the adapter, the one whose maps never have the 128-byte swizzle, the folder of the recordings.
. "$(dirname "$0")/../cli/expect.sh" || exit 2
here=$(cd "$(dirname "$0")" && pwd)
adapter=command:$(realpath "$1") wrong=command:$(realpath "$2") all=$(realpath "$3")
cd "$work" || exit 2
mkdir traces
ln -s "$all"/{load_claims,load_curated,load_claims_fault,mbarrier_claims}.jsonl traces

run 0 score -x "$adapter" traces
out "all "
check "families" grep -Eq '^load +246 +246 +0 +0 +0 +0 +0 +0 +100.00 %$' out
check "unsupported" grep -Eq '^mbarrier +17 +0 +0 +17 +0 +0 +0 +0 +-$' out
out "      17 no such family here"
no_out "agree least"
run 2 score traces
err "--executor is needed"

# The mistake is the feature that agrees least.
run 1 score -x "$wrong" --html page.html --junit junit.xml --write-json report.json --write-expectations known.txt traces
check "the feature to blame" test "$(grep -A1 '^features that agree least' out | tail -1 | awk '{ print $1, $2 }')" = "swizzle 128B"
out "  SWIZZLE_128B "
out " differs: traces/load_c"
known=$(grep -c '^[^#]' known.txt)
check "failures of the file" test "$known" -gt 20
cp report.json out
json "$known" total differs
python3 - "$known" <<'P' || fail "junit.xml"
import sys
import xml.etree.ElementTree as tree
suites = tree.parse("junit.xml").getroot()
cases = [case for suite in suites for case in suite]
failures = [case for case in cases if case.find("failure") is not None]
assert len(failures) == int(sys.argv[1]) == sum(int(suite.get("failures")) for suite in suites), failures
assert all(int(suite.get("tests")) == len(suite) for suite in suites)
assert "element (" in "".join(case.find("failure").text for case in failures)
P
check "page.html" grep -q '<summary><b>load_claims:' page.html
check "page.html has no script and loads nothing" eval '! grep -Eq "<script|src=|href=" page.html'

# Known failures do not count; those that agree now are told, and so are lines that fit nothing.
run 0 score -x "$wrong" --expect known.txt --junit junit.xml traces
check "known" grep -Eq " $known +[0-9.]+ %$" out
no_out " differs: "
check "known failures are skipped" test "$(grep -c '<skipped message="' junit.xml)" -ge "$known"
{ cat known.txt; echo "load_claims:9999 differs gone"; echo "wgmma*:* unsupported no tensor cores"; } >old.txt
run 0 score -x "$adapter" --expect old.txt traces
out "unexpectedly agrees: take these lines out of the expectations:"
out "  $(sed -n 2p known.txt)"
out "stale: no case of this run fits these lines of the expectations:"
out "  load_claims:9999 differs gone"
out "  wgmma*:* unsupported no tensor cores"
sed '2s/ differs / crashed /' known.txt >other.txt
run 1 score -x "$wrong" --expect other.txt traces # it does not do what is known
out "$(sed -n 2s/' .*'//p known.txt) differs: "
echo "load_*:* differs 128B is to come" >pattern.txt
run 0 score -x "$wrong" --expect pattern.txt traces
no_out "unexpectedly"
echo "load_claims:3 wrong because" >bad.txt
run 2 score -x "$wrong" --expect bad.txt traces
err "bad.txt: line 1: 'wrong' is no verdict"

# A run that was cut off goes on behind what it has; a line that is not whole is run again.
run 1 score -x "$wrong" --write-json whole.json traces
run 1 score -x "$wrong" --resume results.jsonl --write-json one.json traces
check "one line for each case" test "$(wc -l <results.jsonl)" = 264
head -100 results.jsonl >cut.jsonl && sed -n 101p results.jsonl | head -c 30 >>cut.jsonl
run 1 score -x "$wrong" --resume cut.jsonl --write-json two.json traces
check "what was there is not run again" test "$(wc -l <cut.jsonl)" = 264
cmp -s whole.json one.json || fail "kept results give another report"
cmp -s whole.json two.json || fail "a resumed run gives another report"
run 2 score -x "$adapter" --resume cut.jsonl traces
err "it holds other results"

# Shards add up to the whole.
for i in 1 2 3; do run 1 score -x "$wrong" --shard $i/3 --resume shard$i.jsonl traces; done
out "1 of 3 shards: tmaref merge adds the others"
run 1 merge shard1.jsonl shard2.jsonl shard3.jsonl --write-json three.json
check "shards" python3 -c '
import json
one, other = json.load(open("whole.json")), json.load(open("three.json"))
assert other.pop("shards") == [3, 3] and one.pop("shards") == [1, 1]
assert one == other'
run 0 merge shard*.jsonl --expect known.txt
run 2 merge shard1.jsonl cut.jsonl
err '"shards" is 1, and 3 in the file before'
run 2 merge known.txt
err "it is no file of results"

# Simulators that end, hang or talk nonsense have their verdicts.
run 0 run -f load -n 12
cp out known.jsonl
run 0 record -x model -f load -n 12 -o traces/random.jsonl
TMAREF_COMMAND_SECONDS=2 run 1 score -x "command:python3 $here/simulator.py $work/known.jsonl 1:crash 2:hang 3:garbage 4:unsupported" \
    traces/random.jsonl
check "verdicts" grep -Eq '^load +[0-9]+ +[0-9]+ +0 +1 +1 +1 +1 +0 ' out
run 0 score -x model traces
finish
