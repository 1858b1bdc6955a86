#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The examples of README.md, docs/*.md, docs/kernels/*.md and docs/articles/*.md: each block with a line "$ tmaref ..." is run, and prints what the page shows.
# A line "..." stands for any lines, "..." at the end of a line for its rest, seconds for any seconds. Skipped, with the
# reason: what needs a GPU, or a file that is not there. Argument: the root of the project.
. "$(dirname "$0")/expect.sh" || exit 2
root=$(cd "${1:?the root of the project}" && pwd) || exit 2
# The folder `traces` of the examples has few of the recordings: ctest replays all of them as replay.*.
cd "$work" && mkdir -p traces/sm_90a && ln -s "$root"/traces/sm_90a/{async.jsonl.zst,*.jsonl} traces/sm_90a || exit 2
mkdir tests && ln -s "$root/tests/litmus" tests/litmus
tmaref() { "$TMAREF" "$@"; }

cp "$root/tests/cli/tile.dump" "$root/tests/cli/kernel.ptx" .
# What cuda-gdb printed on an H200: the session of docs/diagnose.md.
cp "$root/tests/cli/cuda_gdb_tile.txt" tile.txt
cp "$root/tests/cli/cuda_gdb_map.txt" map.txt

# Dumps of an H200: the session of docs/core.md.
cp "$root/tests/core/hang_missing_arrive.core.zst" hang.core
cp "$root/tests/core/fault_719_over.core.zst" fault.core

# What the pages call dump.txt: the map of the encode example as cuda-gdb prints it.
hex=$("$TMAREF" encode --dtype f16 --dim 4096,4096 --box 64,64 --swizzle 128B | head -1)
for ((i = 0; i < 16; i++)); do
    word=$(fold -w2 <<<"${hex:i * 16:16}" | tac | tr -d '\n')
    printf '0x%x: 0x%s\n' $((0x7fffffffe300 + 8 * i)) "$word"
done >dump.txt

# Cuts the examples out: files 1.command, 1.want, 2.command, ... in their order; a block ends with its fence. The
# blanks before the fence are no part of the block.
cut_out='
/^ *```/ { inside = !inside; command = ""; indent = match($0, /`/) - 1; next }
!inside { next }
{ line = substr($0, indent + 1) }
line ~ /^\$ tmaref / { n++; command = n ".command"; print substr(line, 3) > command; printf "" > (n ".want"); next }
command != "" { print line > (n ".want") }
END { print n + 0 }'

# Says where the output (second file) is not what is wanted (first file).
compare='
function same(want, got) {
    gsub(/[0-9.]+ s,/, "T s,", want)
    gsub(/[0-9.]+ s,/, "T s,", got)
    if (want ~ /\.\.\.$/) return index(got, substr(want, 1, length(want) - 3)) == 1
    return want == got
}
NR == FNR { want[++wants] = $0; next }
{ got[++gots] = $0 }
END {
    while (wants > 0 && want[wants] == "") wants--
    while (gots > 0 && got[gots] == "") gots--
    j = 1
    for (i = 1; i <= wants; i++) {
        if (want[i] == "...") {
            if (i == wants) exit 0
            i++
            while (j <= gots && !same(want[i], got[j])) j++
        }
        if (j > gots) { print "the page shows, tmaref does not: " want[i]; exit 1 }
        if (!same(want[i], got[j])) { print "the page: " want[i] "\n  tmaref:   " got[j]; exit 1 }
        j++
    }
    if (j <= gots) { print "the page does not show: " got[j]; exit 1 }
}'

why_skipped() { # why_skipped COMMAND: prints the reason, if there is one
    local word
    for word in $1; do
        case $word in
        gpu | --executor=gpu) echo "needs a GPU" ;;
        ./*) [ -e "$word" ] || echo "there is no $word" ;;
        esac
    done
}

for page in "$root"/README.md "$root"/docs/*.md "$root"/docs/kernels/*.md "$root"/docs/articles/*.md; do
    count=$(awk "$cut_out" "$page")
    for ((n = 1; n <= count; n++)); do
        what=$(sed 's/^tmaref //' "$n.command")
        reason=$(why_skipped "$what")
        if [ -n "$reason" ]; then
            echo "skipped (${page##*/}): tmaref $what: $reason"
            continue
        fi
        eval "$(cat "$n.command")" </dev/null >out 2>err
        cat out err >all
        awk "$compare" "$n.want" all >difference
        status=$?
        check "${page##*/}: $(cat difference)" test "$status" -eq 0
    done
    rm -f ./*.command ./*.want
done

run 0 --complete help ''
while read -r name; do
    check "docs/commands.md says nothing of $name: write a section '## $name: the question that it answers'" \
        grep -qE "^## ([a-z]+ and )?$name(:| and )" "$root/docs/commands.md"
done < <(cut -f 1 out)
finish
