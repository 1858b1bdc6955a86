#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref exec` itself: options, exit statuses, how long it takes to start. TMAREF is the command.
set -u
failed=0
scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT

expect() { # expect STATUS PATTERN ARGUMENT...
    local status=$1 pattern=$2
    shift 2
    "$TMAREF" exec "$@" >"$scratch" 2>&1
    local got=$?
    [ $got = "$status" ] && { [ -z "$pattern" ] || grep -qE "$pattern" "$scratch"; } && return
    echo "tmaref exec $*: status $got ($status expected), and not like '$pattern':"
    cat "$scratch"
    failed=1
}

expect 2 'no program given'
expect 2 'cannot start the program /no/such/program: No such file' -- /no/such/program
expect 2 "'fast' is not one of: default late early shuffled" --schedule fast -- true
expect 2 "'a100' is not one of: h200 h100" --device a100 -- true
expect 2 "'-1' is not a whole number" --seed=-1 -- true
expect 3 '' -- sh -c 'exit 3'
expect 143 '' -- sh -c 'kill -TERM $$'
expect 0 '/exec(:|$)' -- sh -c 'echo "$LD_LIBRARY_PATH"'
expect 0 '^shuffled 5 2 h100$' -S shuffled -s 5 -t 2 --device h100 -- \
    sh -c 'echo $TMAREF_SCHEDULE $TMAREF_SEED $TMAREF_THREADS $TMAREF_DEVICE'

start=$(date +%s%N)
for _ in 1 2 3 4 5 6 7 8 9 10; do "$TMAREF" exec -- "$CALLS" names >/dev/null 2>&1; done
milliseconds=$((($(date +%s%N) - start) / 10000000))
echo "tmaref exec and a program that loads a module: $milliseconds ms"
[ $milliseconds -lt 100 ] || { echo "more than 100 ms"; failed=1; }
exit $failed
