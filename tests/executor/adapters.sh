#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The adapter in C of the conformance kit agrees with what an H200 did; the same with one mistake is caught, and the element,
# the byte and the rule are named. Arguments: the adapter, the wrong one, the folder of the recordings.
. "$(dirname "$0")/../cli/expect.sh" || exit 2
adapter=$(realpath "$1") wrong=$(realpath "$2") traces=$(realpath "$3")
cd "$work" || exit 2

run 0 replay --sample=200 -x "command:$adapter" "$traces"/{encode,load,im2col,store,im2col_store,bulk}*.jsonl*
compared=$(awk '$1 == "all" { print $3 }' out)
check "only $compared cases agree" test "$compared" -gt 3000
out "cases were not compared: the command says that it does not support them"
run 0 replay --sample=5 -x "command:$adapter" "$traces"/wgmma.jsonl.zst
check "cases of wgmma were compared" test "$(awk '$1 == "all" { print $3 }' out)" = 0

# A pattern that somebody reads before writing his own is short.
for pattern in adapter.py adapter.c; do
    lines=$(wc -l <"$traces/../../conformance/$pattern")
    check "$pattern has $lines lines" test "$lines" -lt 150
done

# A map that never has the 128-byte swizzle: the driver's bytes, and where a load puts an element.
run 1 replay --print=1 -x "command:$wrong" "$traces"/encode_claims.jsonl
err "map+0x"
err "likely rule"
run 1 diff -f load -n 200 --print=99 model "command:$wrong"
out "window shared, 0x"
out "expected: element ("
out "likely rule SWIZZLE_128B"
finish
