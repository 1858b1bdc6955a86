#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref exec` as a run wrapper: --expect, the example project of docs/ci.md under ctest where nvcc is here, and that the two CI files
# take the same steps. wrapper.sh EXAMPLES [NVCC]
. "$(dirname "$0")/../cli/expect.sh" || exit 2
examples=$1 nvcc=${2:-}
cd "$work" || exit 2

printf '# known\nfalse fails bug 12\nslow* skip takes an hour\n' >known
run 0 exec --expect known -- false
err "false fails with status 1, as expected: bug 12"
run 0 exec --expect known -- true
run 77 exec --expect known --test slow1 -- touch there
err "slow1 is skipped: takes an hour"
check "a skipped program ran" test ! -e there
run 1 exec --expect known --test false -- true
err "false passes, though known says that it fails: take its line out"
run 1 exec --expect known --test other -- false
printf 'x hangs always\n' >known
run 2 exec --expect known -- true
err "known: line 1: 'hangs' is no verdict: fails or skip"
printf 'x fails\n' >known
run 2 exec --expect known -- true
err "there is no reason behind 'fails'"
run 2 exec --expect nowhere -- true
err "nowhere"

steps() { grep -oE "(apt-get update|git clone|cmake -S|timeout) .*" "$1" | sed 's/; }$//'; }
check "github.yml and gitlab.yml differ in what they run" diff <(steps "$examples/github.yml" | sort) <(steps "$examples/gitlab.yml" | sort)

if [ -n "$nvcc" ]; then
    export PATH="$(dirname "$TMAREF"):$(dirname "$nvcc"):$PATH"
    { cmake -S "$examples/kernels" -B build && cmake --build build; } >log 2>&1 || cat log
    ctest --test-dir build --output-junit results.xml >out 2>&1
    check "the example project's tests fail: $(cat out)" grep -q "100% tests passed, 0 tests failed out of 2" out
    check "no JUnit" grep -q '<testcase name="ring1"' build/results.xml
    cmake -S "$examples/kernels" -B build "-DLAUNCHER=tmaref;exec" >log 2>&1
    ctest --test-dir build >out 2>&1
    check "a hang does not fail without known.txt" grep -q "ring1 (Failed)" out
else
    echo "the example project is left out: there is no nvcc here"
fi
finish
