#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref vectors`: the same files each time, by their schema, each flag explained; and the judge that needs no tmaref. Arguments:
# the adapter, the one whose maps never have the 128-byte swizzle, the folder of the recordings.
. "$(dirname "$0")/../cli/expect.sh" || exit 2
here=$(cd "$(dirname "$0")" && pwd)
kit=$here/../../conformance adapter=$(realpath "$1") wrong=$(realpath "$2") traces=$(realpath "$3")
cd "$work" || exit 2
run 0 vectors -o one --sample=26 "$traces"
run 0 vectors -o two --sample=26 --jobs=1 "$traces"
check "the files differ from run to run" diff -r one two
check "a file for each recording" test "$(ls one | wc -l)" = "$(find "$traces" -name '*.jsonl*' | wc -l)"
for file in one/*.json; do
    python3 -c 'import json, sys; print(json.dumps(json.load(open(sys.argv[1]))))' "$file"
done >lines.jsonl
check "the schema" python3 "$here/schema.py" "$kit/schema/vectors.schema.json" lines.jsonl
check "flags" python3 - <<'P'
import json
kinds = set()
for line in open("lines.jsonl"):
    file = json.loads(line)
    used = {flag for vector in file["vectors"] for flag in vector["flags"]}
    assert used == file["flags"].keys(), (file["family"], used ^ file["flags"].keys())
    kinds |= {vector["verdict"] for vector in file["vectors"]}
assert kinds == {"must", "may", "must not"}, kinds
P
check "the sample of the tree: run tmaref vectors -o conformance/vectors traces/sm_90a/encode_claims.jsonl" \
    python3 -c '
import json, sys
one, other = (json.load(open(path)) for path in sys.argv[1:])
assert one["vectors"] == other["vectors"] and one["flags"].keys() == other["flags"].keys()' \
    one/encode_claims.json "$kit/vectors/encode_claims.json"

# The judge agrees with the adapter that is right, and catches the other one.
python3 "$kit/judge.py" "$adapter" one/{encode_claims,load_claims,load_claims_fault,store,bulk,im2col_store,mbarrier}.json >out 2>err
check "the judge's status" test $? = 0
no_out FAILED
out "must: "
out "must not: "
for wrong_call in "$adapter /no/such/file.json" "$adapter /dev/null" "true one/load_claims.json"; do
    # shellcheck disable=SC2086 # two words
    python3 "$kit/judge.py" $wrong_call >out 2>err
    check "the judge's status for $wrong_call" test $? = 2
    err "judge.py: "
    check "no traceback for $wrong_call" test "$(wc -l <err)" = 1
done
python3 "$kit/judge.py" "$wrong" one/load_claims.json >out 2>err
check "the judge's status for a wrong one" test $? = 1
out "(Swizzle"
out "): FAILED: shared+0x"
run 0 vectors -o three --sample=1 --arena "$traces/load_claims.jsonl"
check "the arena" test "$(wc -c <three/arena.bin)" = 33554432
run 2 vectors "$traces"
err "--output is needed"
sed 's/"status":0/"status":700/' "$traces/mbarrier_claims.jsonl" >false.jsonl
run 2 vectors -o four false.jsonl
err "false.jsonl: line 2: the model differs from the recording"
finish
