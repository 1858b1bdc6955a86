#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref litmus --executor`: tests on the simulated device, what is recorded of them, and the sentence about an end that
# the memory model forbids. Argument: the folder of the litmus tests.
. "$(dirname "$0")/expect.sh" || exit 2
tests=$(cd "${1:?the folder of the tests}" && pwd) || exit 2

# The end of the question is allowed, and the machine shows it; with the fence it is forbidden, and never seen.
run 0 litmus --executor sim "$tests/tma-store-without-fence.litmus" "$tests/tma-store-fence-at-the-writer.litmus" \
    --record "$work/both.jsonl"
out "tma-store-without-fence: 5120 tries, 2 ends seen of 2 that are allowed; the end of its question is allowed"
out "tma-store-fence-at-the-writer: 5120 tries, 1 ends seen of 1 that are allowed; the end of its question is forbidden and was seen 0"
out "2 tests in 10240 tries on tmaref's PTX machine as an NVIDIA H200 (tmaref): 2 ended as the memory model allows, 0 did not"
out "seen in 1 of 1 tests where it is allowed, in 0 of 1 where it is forbidden"

# A record says the same again, also compressed, and without the files.
cp "$work/out" "$work/first"
run 0 litmus -x trace "$work/both.jsonl"
check "the record tells something else" cmp -s "$work/out" "$work/first"
run 0 litmus -x sim -n 32 "$tests/sb-weak.litmus" --record "$work/sb.jsonl.zst"
run 0 litmus -x trace "$work/sb.jsonl.zst" --json
json '"sb-weak"' tests 0 test
json 32 tests 0 tries
json 0 differ

# A test that ends its process ends no other: what comes behind it runs in the next one. Here both are killed.
"$TMAREF" litmus -x sim --seconds 60 "$tests/sb-weak.litmus" "$tests/mp-weak.litmus" >"$work/out" 2>"$work/err" &
parent=$! killed=""
for _ in $(seq 300); do
    child=$(cat "/proc/$parent/task/$parent/children" 2>/dev/null)
    case $child in "" | "$killed") sleep 0.1 ;; *) sleep 0.3; kill -9 $child; killed=$child ;; esac
    [ -d "/proc/$parent" ] || break
done
wait "$parent"
check "two killed tests gave another status than 2" test $? = 2
err "sb-weak.litmus: its process ended by signal 9"
err "mp-weak.litmus: its process ended by signal 9"
out "2 tests in 0 tries on"
out "2 could not be decided"

# An end that no execution has: the test, the end, how often, and the axiom that forbids it.
sed 's/"end":{"P1:r0":1}/"end":{"P1:r0":0}/' "$work/both.jsonl" >"$work/bad.jsonl"
run 1 litmus -x trace "$work/bad.jsonl"
out "tma-store-fence-at-the-writer: tmaref's PTX machine as an NVIDIA H200 (tmaref) ended 5120 of 5120 times with P1:r0 = 0, which the memory model forbids:"
out "The axiom 'Causality' forbids it, because this is a cycle:"
out "1 ended as the memory model allows, 1 did not"

# What an H200 showed that the model forbids: four tests, and no branch in any of them.
run 1 litmus -x trace "$tests/recorded/h200_unbranched.jsonl"
out "4 tests in 130023424 tries on NVIDIA H200, driver 580.159.04, CUDA 13.0: 0 ended as the memory model allows, 4 did not"
out "tested-cta-global-acquire-straight: NVIDIA H200, driver 580.159.04, CUDA 13.0 ended 1770547 of 32505856 times with P1:r9 = 1, P1:r0 = 0"
out "tested-cta-shared-acquire-straight: NVIDIA H200, driver 580.159.04, CUDA 13.0 ended 20543 of 32505856 times"
out "mbarrier-test-succeeds: NVIDIA H200"
out "mbarrier-test-fails: NVIDIA H200"

# Records that are none.
printf 'nothing\n' >"$work/none.jsonl"
run 2 litmus -x trace "$work/none.jsonl"
err "none.jsonl: first line (header of recorded litmus tests)"
sed 's/"P1:r0":1/"P7:r0":1/' "$work/both.jsonl" >"$work/other.jsonl"
run 2 litmus -x trace "$work/other.jsonl"
err "an end of tma-store-fence-at-the-writer says no value of P1:r0 from 0 to 15"
sed 's/"tries":5120/"tries":5119/' "$work/both.jsonl" >"$work/sum.jsonl"
run 2 litmus -x trace "$work/sum.jsonl"
err "the ends do not add up to its tries"

# What no launch of many tries can hold is not run, with the reason.
run 0 litmus -x sim "$tests/wgmma-of-a-load.litmus" "$tests/host-launch.litmus" "$tests/progress/barriers-crossed.litmus" \
    "$tests/bar-sync-other-barrier.litmus"
out "wgmma-of-a-load.litmus: not run: line 8 (P0): a wgmma needs four warps for one try"
out "a launch holds many tries, so grids and the host take no part in one"
out "barriers-crossed.litmus: not run: none of its executions ends"
out "line 6: P0 waits until P1 has ended, which it does not between tries"
out "0 could not be decided, 4 are not run"

run 2 litmus --record "$work/x.jsonl" "$tests/sb-weak.litmus"
err "--tries, --seconds and --record need --executor sim or gpu"
run 2 litmus -x sim --outcomes "$tests/sb-weak.litmus"
err "ask the executor model"
run 2 litmus -x emulator "$tests/sb-weak.litmus"
err "emulator"
finish
