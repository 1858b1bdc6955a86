#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref coverage`: what it counts, the page it writes, cases that close a hole, and what it refuses.
. "$(dirname "$0")/expect.sh" || exit 2
cd "$work" || exit 2

"$TMAREF" record -f load -x model -n 50 -s 3 -o some.jsonl >/dev/null
run 0 coverage --cases 0 --holes 1 some.jsonl
out "points                       possible recorded  3 times generated"
out "the whole cross                  5760"
out "recorded fewer than 3 times:"
out "more"
run 0 coverage --cases 300 --holes 0 --html page.html some.jsonl
check "holes are not asked for" eval '! grep -q -e fewer -e never "$work/out"'
check "the page is whole" grep -q "</html>" page.html
check "the page has a grid for each operation" test "$(grep -c '<h2 id=' page.html)" -eq 22

# What another executor answers as recorded is counted apart.
run 0 coverage --cases 0 --holes 0 --executor model some.jsonl
out "answered as recorded: 49 of 49 cases"
run 0 coverage --cases 0 --holes 0 --executor model --sample 7 some.jsonl
out "answered as recorded: 7 of 49 cases"
sed 's/"status":[0-9]*/"status":1/' some.jsonl >other.jsonl
run 0 coverage --cases 0 --holes 0 --executor model other.jsonl
out "answered as recorded: 0 of 49 cases, 0 of the rules"
run 0 coverage --cases 0 --holes 0 some.jsonl
check "nobody was asked" eval '! grep -q answered "$work/out"'

# What closes a hole is a list of cases; with three recordings of each no hole is left that they reach.
run 0 coverage --cases 500 --closing load some.jsonl
cp "$work/out" closing.jsonl
check "there are holes to close" test "$(wc -l <closing.jsonl)" -gt 50
"$TMAREF" record -f load -x model -I closing.jsonl --lane all -o closed.jsonl >/dev/null
run 0 coverage --cases 500 --closing load some.jsonl closed.jsonl closed.jsonl closed.jsonl
check "no case closes a hole that three have closed" test ! -s "$work/out"

run 2 coverage --closing nothing some.jsonl
err "there is no family 'nothing'"
run 2 coverage nowhere.jsonl
err "nowhere.jsonl"
quiet
run 2 coverage --cases -1 some.jsonl
err "--cases takes a whole number"
echo '{}' >bad.jsonl
run 2 coverage bad.jsonl
err "bad.jsonl"
quiet
run 2 coverage --html /nowhere/page.html --cases 0 some.jsonl
err "/nowhere/page.html"
quiet
finish
