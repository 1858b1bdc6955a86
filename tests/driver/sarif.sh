#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What exec, ptx and core write as SARIF. usage: sarif.sh FOLDER; TMAREF is the command, RUN_PTX a program, PYTHON runs sarif.py.
set -u
folder=$(cd "$1" && pwd) here=$(cd "$(dirname "$0")" && pwd)
. "$here/expect.sh"
cd "$scratch" || exit 2

# log RULE FILE:LINE...: log.sarif is a log with these results.
log() {
    "$PYTHON" "$here/sarif.py" log.sarif "$@" || { echo "tmaref of '$*':"; cat log.sarif out; failed=1; }
}

expect 1 '^faults.cu:31: error' --sarif log.sarif -- "$RUN_PTX" "$folder/faults.ptx" tensor_load 2 128 0
log LOAD_SMEM_ALIGN faults.cu:31
grep -qF '"text": "kernel tensor_load: dstMem is 0x410, must be a multiple of 0x80' log.sarif || { cat log.sarif; failed=1; }
expect 1 '^hang.cu:11: error: kernel arrivals hangs' --sarif log.sarif -- "$RUN_PTX" "$folder/hang.ptx" arrivals 1 64
log hung hang.cu:11
likely=$(sed -n 's/^  Likely: //p' out | head -1) # what the report says is the wait's message too
[ -n "$likely" ] && grep -qF "\"text\": \"waits for mbarrier: $likely\"" log.sarif || { echo "not the likely mistake '$likely':"; cat log.sarif; failed=1; }
expect 0 '^checks.cu:14: error: check' --check --sarif log.sarif -- "$RUN_PTX" "$folder/checks.ptx" unfenced 2 64
log CHECK_FENCE checks.cu:14
grep -qF '"text": "Each thread that wrote must execute fence.proxy.async' log.sarif || { cat log.sarif; failed=1; }
grep -qF '"text": "the write"' log.sarif || { cat log.sarif; failed=1; }
# Of the sanitizer, with the lines of --json on standard error.
expect 0 '"verdict": "findings"' --sanitize --json --sarif log.sarif -- "$RUN_PTX" "$folder/checks.ptx" early 1 64
log SANITIZE_UNWRITTEN checks.cu:24 SANITIZE_READ_BEFORE_COPY checks.cu:24
grep -qF '"level": "note"' log.sarif || { cat log.sarif; failed=1; }
# What is right is a log without results; a file that was there is replaced.
expect 0 '' --check --sarif log.sarif -- "$RUN_PTX" "$folder/checks.ptx" right 2 64
log
# A file that cannot be written is told before the program runs.
expect 2 'tmaref exec: --sarif: .*nowhere' --sarif nowhere/log.sarif -- "$RUN_PTX" "$folder/checks.ptx" right 2 64
grep -q 'launch' out && { echo "the program ran:"; cat out; failed=1; }

printf '.version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry f()\n{\n  mov.u33 %%r1, 1;\n  ret;\n}\n' >'a b.ptx'
"$TMAREF" ptx --sarif log.sarif 'a b.ptx' >out 2>&1
[ $? = 1 ] || { echo "ptx of a mistake:"; cat out; failed=1; }
log PTX a%20b.ptx:6

# Of a dump of an H200: the waits that depend on no other, and what faulted.
for dump in hang_deadlock fault_716_tensor; do
    "$TMAREF" core --sarif log.sarif "$here/../core/$dump.core.zst" >out 2>&1
    [ $? = 1 ] || { echo "core of $dump:"; cat out; failed=1; }
    place=$(sed -n '1s/^\(.*\.cu:[0-9]*\): error.*/\1/p' out) # what the report begins with is the first place here
    [ $dump = hang_deadlock ] && log hung "file://$place" hung "file://${place%:*}:17"
    [ $dump = fault_716_tensor ] && log faulted "file://$place"
done
grep -qF 'WARP_MISALIGNED_ADDRESS: the shared address of a tensor copy' log.sarif || { cat log.sarif; failed=1; }
exit $failed
