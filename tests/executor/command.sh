#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The executor command: what a simulator of somebody else may do to a comparison, and what becomes of the case that it
# does it in. Read simulator.py first.
. "$(dirname "$0")/../cli/expect.sh" || exit 2
here=$(cd "$(dirname "$0")" && pwd) || exit 2
cd "$work" || exit 2
simulator() { echo "command:python3 $here/simulator.py $work/known.jsonl $*"; }
run 0 run -f load -n 24
cp out known.jsonl
run 0 run -f load -n 24 --show-cases
cp out cases.jsonl
compare() { run "$1" diff -f load -I cases.jsonl --print 99 model "$(simulator "${@:2}")"; }

# A simulator that is right, and one that answers in other ways.
compare 0
out "24 cases compared"
compare 0 all:changed
compare 0 all:twice
compare 0 all:leave
compare 0 3:rule # the rule of an accepted case is none that could differ

# Each way to go wrong is the end of one case alone.
wrong() { # wrong WAY TEXT...: at case 5
    local way=$1 text
    shift
    compare 1 "5:$way"
    out "24 cases compared"
    out ", 1 mismatches"
    for text; do out "$text"; done
}
wrong wrong "window shared, 0xc00: f7 expected, 07 found" "likely rule TILE_FILL_NAN"
wrong crash "crashed: the command was killed by signal 11"
wrong exit "crashed: the command ended with exit status 3 before it answered"
wrong garbage "garbage: '[' or '{' expected near 'Segment'" "in: Segment 3 of the pipeline is ready"
wrong flood "garbage: a line of more than"
wrong nowindow 'garbage: result: there is no window "mbarrier"'
export TMAREF_COMMAND_SECONDS=2
wrong hang "hung: no answer within 2 s"
compare 1 2:crash 4:exit 6:garbage 8:hang 10:unsupported
out "23 cases compared"
out ", 4 mismatches"
out "1 more cases were not compared: the command says that it does not support them"

# A recording: the same, and the table says what was not compared.
run 0 record -x model -f load -n 24 -o known.trace.jsonl
run 0 replay -x "$(simulator)" known.trace.jsonl
out "against python3 $here/simulator.py"
run 1 replay -x "$(simulator 2:crash 5:wrong 10:unsupported)" known.trace.jsonl
err "found none: crashed: the command was killed by signal 11"
err "likely rule"
out "1 cases were not compared"
run 1 replay --json -x "$(simulator 2:crash 10:unsupported)" known.trace.jsonl
json 1 0 mismatches
json 1 0 unsupported

# A command that is not there is no mismatch; nor are two at once.
run 2 diff -f load -n 5 model command:/nowhere/simulator
err "the command cannot be run (exit status 127): /nowhere/simulator"
run 2 diff -f load -n 5 command:true command:true
err "compares one command"
run 2 replay -x command: known.trace.jsonl
err "there is no executor 'command:'"

# What is asked and what is answered is what the schemas say, and they refuse what is not.
: >schema.log
schemas=$here/../../conformance/schema
fits() { python3 "$here/schema.py" "$schemas/$1.schema.json" "$2" >>schema.log; } # fits SCHEMA FILE
for family in $("$TMAREF" list | sed -n '/^families/,/^executors/s/^  \([a-z_0-9]*\) .*/\1/p'); do
    "$TMAREF" run -f "$family" -n 3 --show-requests >requests.jsonl 2>err.txt
    check "requests of $family: $(tail -1 schema.log)" fits request requests.jsonl
done
check "results of tmaref run: $(tail -1 schema.log)" fits answer known.jsonl
for line in '{"index":1}' '{"index":-1,"unsupported":"x"}' '{"index":1,"result":{"status":0},"unsupported":"x"}' \
    '{"index":1,"result":{"status":1000}}' '{"index":1,"result":{"status":0,"map":{"bytes":"123"}}}' \
    '{"index":1,"result":{"status":0,"map":{"changed":[{"at":1}]}}}' '{"index":1,"unsupported":"x","why":"x"}'; do
    echo "$line" >line.jsonl
    check "the schema takes $line" eval '! fits answer line.jsonl'
done
run 0 run -f load -n 1 --show-requests
json '"load"' family
json 8 windows mbarrier size
finish
