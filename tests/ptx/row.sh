#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A new row in the middle of forms.def makes no record of another row stale: the table with such a row, compiled aside and
# compared with verdicts.tsv, lacks the new row's record and no other. Usage: row.sh CC, from the top of the tree.
set -eu -o pipefail
cc=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/objects"
cp -r model/core model/number model/ptx "$scratch"

# Before the row in the middle that is the first of its opcode: of an opcode, the first row has more cases.
awk -F '"' '
    FNR == NR { rows += /^FORM\(/; next }
    /^FORM\(/ && ++row >= rows / 2 && $2 != before && !done {
        print "FORM(NEW_ROW, \"newrow\", \"u32|s32 sat?\", \"d=T a:T b:T\", 10, ACCEPTED, ALU, \"\")"
        done = 1
    }
    /^FORM\(/ { before = $2 }
    { print }' model/ptx/forms.def model/ptx/forms.def >"$scratch/ptx/forms.def"
sh cmake/ids.sh "$scratch/ptx/forms.def" "$scratch/form_ids.def"
sh cmake/ids.sh "$scratch/core/rules.def" "$scratch/rule_ids.def"
find "$scratch" -name '*.c' -print0 | xargs -0 -n 4 sh -c 'for file; do
        '"$cc"' -std=gnu11 -O1 -w -I"$0" -I"$0/core" -I"$0/number" -I"$0/ptx" -c "$file" -o "$0/objects/$(basename "$file").o"
    done' "$scratch"
"$cc" -std=gnu11 -O1 -w -I"$scratch" -I"$scratch/ptx" -I"$scratch/core" tests/ptx/verdicts.c tests/ptx/cases.c \
    "$scratch"/objects/*.o -lm -o "$scratch/verdicts"
"$scratch/verdicts" --compare tests/ptx/verdicts.tsv >"$scratch/said" || true
sed '$d' "$scratch/said" >"$scratch/stale"
diff - "$scratch/stale" <<'END_OF_STALE' || { echo "a new row makes other rows' records stale"; exit 1; }
NEW_ROW: tests/ptx/verdicts.tsv has no line of it; python3 tests/ptx/ask_ptxas.py build/default/tests/ptx/ptx_verdicts --rows NEW_ROW prints it
END_OF_STALE
