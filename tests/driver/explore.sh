#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref explore`, and the schedules pct and delay of exec. usage: explore.sh FOLDER; TMAREF is the command, RUN_ZOO a
# program that launches kernels of the folder's explore.ptx.
set -u
. "$(dirname "$0")/expect.sh"
kernels=$1/explore.ptx
cd "$scratch" || exit 2

# explore STATUS PATTERN ARGUMENT...: explore ends so and prints a line like PATTERN.
explore() {
    local status=$1 pattern=$2
    shift 2
    "$TMAREF" explore "$@" >out 2>&1
    local got=$?
    [ $got = "$status" ] && { [ -z "$pattern" ] || grep -qE -- "$pattern" out; } && return
    echo "tmaref explore $*: status $got ($status expected), and not like '$pattern':"
    cat out
    failed=1
}

# Arriving before the read goes wrong if the reading warp is late behind the arrive: that is the one step.
early=$(grep -n 'too late' "$kernels" | cut -d : -f 1)
explore 1 "^  warp 1 of CTA \(0,0,0\), launch 1, behind [0-9]+ of its instructions, at line $early of the PTX\$" \
    --schedule pct -- "$RUN_ZOO" "$kernels" refill
grep -q '^The one delayed step (found in ' out && grep -qE '^    meanwhile warp 0 of CTA \(0,0,0\) went on from line ' out ||
    { echo "not the one delayed step:"; cat out; failed=1; }

# What it prints repeats the failure, the schedule and the list of delays alike; and so does the file without comments.
for command in "$(sed -nE 's/^  tmaref (exec --schedule pct .*)/\1/p' out)" "$(sed -nE 's/^  tmaref (exec --schedule delay .*)/\1/p' out)"; do
    # shellcheck disable=SC2086
    "$TMAREF" $command >again 2>&1
    [ $? = 1 ] && grep -q 'in kernel refill: the kernel executed trap' again || { echo "tmaref $command does not repeat it:"; cat again; failed=1; }
done
[ "$(wc -l <tmaref.delays)" = 2 ] || { echo "not one delay:"; cat tmaref.delays; failed=1; }

# With the arrive behind the read no schedule fails; nor does a list that delays what comes anyway.
explore 0 '^60 runs: 1 default, 1 late, 1 early, 28 shuffled, 29 pct; none failed$' --runs 60 -- "$RUN_ZOO" "$kernels" right
expect 0 '' --schedule delay --delays tmaref.delays -- "$RUN_ZOO" "$kernels" right

# A missing proxy fence needs no delay: hidden stores show it.
explore 1 '^No step is delayed' --delays weak.delays -- "$RUN_ZOO" "$kernels" unfenced
has weak.delays 'tmaref delays 1' 'weak'

# So does a wait for the source alone where the bytes are read back: it waits for no more.
explore 1 '^No step is delayed' --delays weak.delays -- "$RUN_ZOO" "$kernels" unwaited

# A load that a loop gives time instead of a wait: the load is what is late.
explore 1 '^  asynchronous operation 1 of warp 0 of CTA \(0,0,0\), launch 1, at line [0-9]+ of the PTX$' -- "$RUN_ZOO" "$kernels" counted

# Each list of one delay: all of them for the right kernel, up to the first that fails for the other, which is put behind.
explore 0 ': none is left$' --every-delay -- "$RUN_ZOO" "$kernels" right
[ ! -e tmaref.delays ] || { echo "a list is left of a search that found nothing"; failed=1; }
explore 0 '^4 of [0-9]+ lists of one delay were tried$' --every-delay --runs 5 -- "$RUN_ZOO" "$kernels" right
explore 1 "^  warp 1 of CTA \(0,0,0\), launch 1, behind [1-9][0-9]* of its instructions, at line $early of the PTX\$" \
    --every-delay -- "$RUN_ZOO" "$kernels" refill

# A program without kernels has nothing to explore.
explore 2 '^tmaref explore: no kernel of the program ran' -- true

# A failure of the default schedule is one, and nothing is left to reduce.
explore 1 '^1 runs: 1 default$' -- "$RUN_ZOO" "$kernels" broken
explore 1 '^tmaref: error: .* kernel broken' -- "$RUN_ZOO" "$kernels" broken

# Statuses, output, runs that take too long, programs that are no use. What the default run gives is no failure.
steps='[ -z "$TMAREF_WRITE_DELAYS" ] || echo "# steps 9" >"$TMAREF_WRITE_DELAYS"' # as a program with kernels has them
explore 0 '^5 runs: .*none failed$' --runs 5 -- sh -c "$steps; exit 3"
explore 1 '^status 4, with the default schedule 3$' --runs 5 -- sh -c '[ "$TMAREF_SCHEDULE" = early ] && exit 4; exit 3'
explore 0 'none failed' --runs 3 -- sh -c 'echo $TMAREF_SCHEDULE'
explore 1 '^other output than the first run$' --same-output --runs 3 -- sh -c 'echo $TMAREF_SCHEDULE'
explore 0 '^2 runs: .*; 1 of them were cut; none failed$' --runs 2 --run-seconds 2 -- sh -c '[ "$TMAREF_SCHEDULE" != late ] || exec sleep 60'
explore 1 'It did not come again' --runs 2 -- sh -c 'test ! -e there || { rm there; exit 1; }; test "$TMAREF_SCHEDULE" != default || touch there'
explore 2 'cannot start the program ./nowhere' -- ./nowhere
explore 2 'no program given'
explore 2 '--runs takes a whole number of at least 1' --runs 0 -- true
explore 2 '--seconds takes a whole number from 1' --seconds 0 -- true
explore 2 '--schedule is all, late, early, shuffled or pct, not .sideways' --schedule sideways -- true
explore 2 '--shard takes a whole number from 1 to 2, not .3' --shard 3/2 -- true
explore 2 '--shard takes a whole number from 1 to 10000, not .0' --shard 1/0 -- true
explore 2 '--shard takes I/N' --shard 1 -- true
explore 2 '--depth takes' --depth 17 -- true

# Two shards have all runs behind the first one between them.
for part in 1 2; do
    "$TMAREF" explore --runs 9 --shard $part/2 -- sh -c "$steps;"'echo "$TMAREF_SCHEDULE $TMAREF_SEED" >>seen'
done >out 2>&1
[ "$(grep -vc default seen)" = 16 ] && [ "$(grep -v default seen | sort -u | wc -l)" = 16 ] ||
    { echo "shards have runs twice:"; sort seen; failed=1; }

# Lists that are none.
bad() { printf "$1" >bad.delays; expect 2 "$2" --schedule delay --delays bad.delays -- true; }
bad 'weak\n' "line 1 is 'weak', not 'tmaref delays 1'"
bad 'tmaref delays 1\nstrong\n' "line 2 is 'strong'"
bad 'tmaref delays 1\n1 launch 1 cta 0,0 warp 2 after 3\n' "line 2 is '1 launch 1 cta 0,0 warp"
bad 'tmaref delays 1\n0 launch 1 cta 0,0,0 warp 2 after 3\n' 'line 2'
bad 'tmaref delays 1\n1 launch 1 cta 0,0,0 warp 2 operation 0\n' 'line 2'
bad 'tmaref delays 1\n1 launch 1 cta 0,0,0 warp 2 after 3 and more\n' 'line 2'
expect 2 'cannot read nowhere' --schedule delay --delays nowhere -- true
expect 2 'go together' --schedule delay -- true
expect 2 'go together' --delays tmaref.delays -- true
expect 2 'cannot write ' --schedule pct --write-delays nowhere/file -- true
printf 'tmaref delays 1\r\n\n# nothing\n  \nweak\n2 warps\n1 operations\n' >good.delays
expect 0 '' --schedule delay --delays good.delays -- "$RUN_ZOO" "$kernels" right
exit $failed
