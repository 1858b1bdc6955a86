#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The project about itself. Usage: meta.sh CHECK RULES_PAGE, from the top of the source tree; RULES_PAGE is the program
# made of site/rules_page.c. A check prints each offence on a line of its own and exits 1 if there is one.
set -u
check=$1
rules_page=$2

. tests/meta/offences.sh

sources() {
    find model kernels harness tests docs site -type f \( "$@" \) | LC_ALL=C sort
}

rule_ids() {
    "$rules_page" --table | cut -f 1 | LC_ALL=C sort -u
}

# The part before "__" of every test that has one, in capitals: the rule that the test is about.
tested_ids() {
    {
        grep -rhoE --include='*.c' '\b((LOOP_)?TEST|TEST_CALL)\([a-z0-9_]+__' tests | sed -E 's/.*TEST(_CALL)?\((.*)__$/\2/'
        grep -rhoE --include='*.calls' '^section [a-z0-9_]+__' tests | sed -E 's/^section (.*)__$/\1/'
    } |
        tr '[:lower:]' '[:upper:]' | LC_ALL=C sort -u
}

check_rules_tested() {
    LC_ALL=C comm -23 <(rule_ids) <(tested_ids) |
        sed 's/$/: no test; write TEST(<the id in lower case>__<the claim>), or a section of this name in a script/' | offences
}

check_tests_named() {
    {
        LC_ALL=C comm -13 <(rule_ids) <(tested_ids) | sed 's/^/tests: a TEST is named after a rule that is not there: /'
        grep -rnoE --include='*.c' '^START_TEST\(.*' tests | sed 's/$/: no suite has it; write TEST(...), TEST_CALL(...) or LOOP_TEST(...) (tests\/unit\/unit_test.h)/'
    } | offences
}

# Every rule names as evidence a trace, or a family of traces, that traces/sm_90a/MANIFEST lists in its first columns; but
# for those of which there can be none: the assembler refuses the instruction.
check_evidence() {
    local manifest=traces/sm_90a/MANIFEST
    [ -f $manifest ] || { echo "$manifest is missing"; return 1; }
    "$rules_page" --table | awk -F '\t' '
        FNR == NR { sub(/\..*/, "", $1); listed[$1]; listed[$2]; next }
        $3 == "UNSUPPORTED" && $2 != "" { print $1 ": the assembler refuses it, so \047" $2 "\047 cannot show it" }
        $3 == "UNSUPPORTED" { next }
        $2 == "" { print $1 ": names no evidence"; next }
        !($2 in listed) { print $1 ": its evidence \047" $2 "\047 is not in the MANIFEST" }' $manifest - | offences
}

# A rule keeps its number for ever, or programs compiled before would take one rule for another; and who relies on a
# verdict that changes reads of it in the changelog. The list holds every rule that there ever was, with its verdict as of
# the last release: number_rules, which the target rule-numbers runs, adds new ones and changes no line; release_rules
# writes the verdicts anew.
numbers=tests/meta/rule_numbers.tsv

check_rule_numbers() {
    "$rules_page" --table | awk -F '\t' '
        FILENAME == "CHANGELOG.md" { changelog = changelog " " $0; next }
        FILENAME != "-" { number[$2] = $1; taken[$1] = $2; verdict[$2] = $3; next }
        !($1 in number) && $4 in taken { print $1 ": its number " $4 " is that of " taken[$4] "; take the next free one" }
        !($1 in number) { print $1 ": not in the list of numbers: build the target rule-numbers"; next }
        number[$1] != $4 { print $1 ": has number " $4 ", was and stays " number[$1] }
        verdict[$1] != $5 && changelog !~ ("[^A-Z0-9_]" $1 "([^A-Z0-9_]|$)") {
            print $1 ": was " verdict[$1] ", and is " $5 ": say so in CHANGELOG.md"
        }
        { delete number[$1] }
        END { for (id in number) print id ": was rule " number[id] ", and is gone; keep its row" }' \
        $numbers CHANGELOG.md - | offences
}

check_number_rules() {
    local new
    new=$("$rules_page" --table | awk -F '\t' '
        FILENAME != "-" { listed[$2]; next }
        !($1 in listed) { print $4 "\t" $1 "\t" $5 }' $numbers - | sort -n)
    [ -z "$new" ] || printf '%s\n' "$new" >>$numbers
}

check_release_rules() {
    "$rules_page" --table | awk -F '\t' '{ print $4 "\t" $1 "\t" $5 }' | sort -n >$numbers
}

# The pages that the build makes (site/CMakeLists.txt): docs/ has a short one in the place of each, which ends with a sample.
check_pages() {
    local page made short sample
    made=$(dirname "$rules_page")/../pages
    for page in "$made"/*.md; do
        short=docs/${page##*/}
        [ -f "$short" ] || { echo "$short: is not there, but links lead to it: write what it is, and a sample"; continue; }
        sample=$(sed '1,/^A sample:$/d; /./,$!d' "$short")
        [ -n "$sample" ] || { echo "$short: has no sample behind a line 'A sample:'"; continue; }
        [[ $(<"$page") == *"$sample"* ]] || echo "$short: its sample does not stand in $page"
    done | offences
}

# The folders of the model and whom they may use, as docs/architecture.md shows them. The files that it names are there, and the functions of
# docs/paths.md, which dev.whereis holds against runs.
check_layers() {
    {
        diff <(sed -nE '/^### The floors/q; s/^\| `([a-z]+)` \| .* \| ([a-z -]+) \|$/\1 \2/p' docs/architecture.md) \
            <(sed -nE 's/^tmaref_module\(([a-z]+) USES ([a-z ]*[a-z]) (APART )?SOURCES.*/\1 \2/p
                      s/^tmaref_module\(([a-z]+) SOURCES.*/\1 -/p' model/CMakeLists.txt) |
            sed -n 's/^[<>]/docs\/architecture.md: the table of layers:/p'
        sed -nE 's/^\| `([a-z_/]+\.[ch])` \|.*/\1/p' docs/architecture.md | while read -r file; do
            [ -f "$file" ] || [ -n "$(git ls-files "model/machine/**$file" "model/driver/**$file" "model/look/$file")" ] ||
                echo "docs/architecture.md: there is no $file"
        done
        sed -nE 's/^\| `([a-z_]+\/[a-z_/]+\.[ch])` \| (.*)/\1 \2/p' docs/paths.md | while read -r file words; do
            grep -oE '`[A-Za-z0-9_]+\(\)`' <<<"$words" | tr -d '`)' | while read -r name; do
                grep -qF -e "${name%[0-9](}" -e "_CALL(${name%(}," "$file" || echo "docs/paths.md: there is no $name) in $file"
            done
        done
    } | offences
}

# The tables of the folders, as the includes of all files show them; those of the harness also name what its CMakeLists.txt does.
check_folders() {
    {
        awk -f tests/meta/folders.awk docs/architecture.md <(git ls-files '*.h' '*.cuh') \
            <(git grep -E '^ *# *include "' -- '*.c' '*.h' '*.cu' '*.cuh') | LC_ALL=C sort
        diff <(sed -nE '/^### The floors/,/^Some families/ s/^\| `([a-z]+)` \| .* \| ([a-z/_ -]+) \|$/\1 \2/p' docs/architecture.md | LC_ALL=C sort) \
            <(tr '\n' ' ' <harness/CMakeLists.txt | grep -oE 'tmaref_floor\([a-z]+( [^)]*)?\)' |
                sed -E 's/tmaref_floor\(([a-z]+)( USES ([^)]*))?\)/\1 \3/; s/ +/ /g; s/ $/ -/' | LC_ALL=C sort) |
            grep -E '^>' | sed 's/^>/docs\/architecture.md: the table of floors lacks a row as harness\/CMakeLists.txt has it:/'
    } | offences
}

# What docs/hardware.md and docs/articles claim can be looked up. Any word that begins like the id of a rule (MAP_, LOAD_,
# ...) is one; in tables, the column "rules" holds ids or "-", the words in backquotes under "shown by" are traces of the
# MANIFEST, and verdicts are those that docs/articles/README.md lists.
check_claims() {
    local verdicts
    verdicts=$(sed -nE 's/^\| ([a-z][a-z0-9_ ]*) \| [^|]*\|$/\1/p' docs/articles/README.md | tr '\n' '|')
    rule_ids | awk -v verdicts="$verdicts" '
        function offence(what) { printf "%s:%d: %s\n", FILENAME, FNR, what }
        function check_ids(text, all_are,    word, prefix) {
            while (match(text, /[A-Za-z0-9_]+/)) {
                word = prefix = substr(text, RSTART, RLENGTH)
                text = substr(text, RSTART + RLENGTH)
                sub(/_.*/, "_", prefix)
                if ((all_are || (prefix in prefixes && word ~ /^[A-Z0-9_]+$/)) && !(word in rules))
                    offence("there is no rule " word)
            }
        }
        function check_traces(text,    word, n, i) {
            n = split(text, word, "`")
            for (i = 2; i <= n; i += 2) if (!(word[i] in traces)) offence("there is no trace " word[i])
        }
        function check_row(    i) {
            if (cells != heads) offence("a row of " cells - 2 " cells, its table has " heads - 2 " columns")
            for (i = 2; i < cells; i++) {
                gsub(/^ +| +$/, "", cell[i])
                if (cell[i] ~ /^-+$/) continue
                check_ids(cell[i], head[i] == "rules")
                if (head[i] == "shown by") check_traces(cell[i])
                if (head[i] == "verdict" && head[2] == "claim" && !(cell[i] in known))
                    offence("README.md does not list the verdict " cell[i])
            }
        }
        BEGIN { n = split(verdicts, cell, "|"); for (i = 1; i <= n; i++) known[cell[i]] }
        FNR == NR { rules[$1]; sub(/_.*/, "_", $1); prefixes[$1]; next }
        FILENAME ~ /MANIFEST$/ { sub(/\..*/, "", $1); traces[$1]; next }
        /^ *```/ { code = !code }
        code { next }
        !/^\|/ { heads = 0; check_ids($0, 0); next }
        { cells = split($0, cell, "|") }
        heads == 0 { heads = cells; for (i = 2; i < cells; i++) { head[i] = cell[i]; gsub(/^ +| +$/, "", head[i]) } next }
        { check_row() }' - traces/sm_90a/MANIFEST docs/hardware.md docs/articles/*.md | offences
}

# model/CMakeLists.txt says which folder of the model may use which. Outside of the model: the harness uses the model and
# the structs that kernels take, a kernel shares lists of the model, and the tests may use everything.
check_include_order() {
    {
        sed -nE 's/^tmaref_module\(([a-z]+) (USES ([a-z ]+) )?SOURCES.*/uses \1 \3/p' model/CMakeLists.txt
        find model harness kernels tests -name '*.h' | sed 's/^/header /'
        grep -rnoE --include='*.[ch]' --include='*.cu' --include='*.cuh' '^ *#include "[^"]+"' model harness kernels |
            sed -E 's/^([^:]+):([0-9]+): *#include "(\.\.\/)*([^"]+)"/include \1 \2 \4/'
    } | awk '
        function folder(path) { sub("/[^/]*$", "", path); return match(path, /^model\/[a-z]+/) ? substr(path, 1, RLENGTH) : path }
        function may_use(from, to) {
            if (from ~ /^model\//) return from == to || (from, to) in uses
            if (from == "model") return to ~ /^model/
            if (from ~ /^kernels/) return to ~ /^(model|kernels)/
            return to ~ /^(model|harness|kernels)/
        }
        $1 == "uses" { for (i = 3; i <= NF; i++) uses["model/" $2, "model/" $i] = 1 }
        $1 == "header" { headers[$2] = folder($2) }
        $1 == "include" {
            known = legal = 0
            for (header in headers) {
                if (substr("/" header, length(header) - length($4) + 1) != "/" $4) continue
                known = 1
                if (may_use(folder($2), headers[header])) legal = 1
            }
            if (known && !legal) printf "%s:%d: a file of %s may not include %s\n", $2, $3, folder($2), $4
        }' | offences
}

# At most 500 lines a file, 60 a function, and 7 parameters. Tables of data may be longer: rules.def, vectors. Functions that CUDA, or the
# public library as CUDA does, gives more parameters have them.
check_size() {
    sources -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' -o -name '*.sh' | while read -r file; do
        awk -v file="$file" '
            function check_parameters(text,    n) {
                if (file !~ /^(model|harness)\/.*\.c$/ || text !~ /^[a-z][^;={}#]*\)$/ || text ~ /^[^(]*[ *](cu[A-Za-z]|__cuda|tensormap_encode|tile_|im2col_|multicast_|encode_|tmaref_)/) return
                sub(/^[^(]*\(/, "", text)
                while (gsub(/\([^()]*\)/, "", text)) {} # of pointers to functions
                n = gsub(/,/, ",", text) + 1
                if (n > 7) printf "%s:%d: a function of %d parameters: give it a struct\n", file, FNR, n
            }
            /^[A-Za-z].*\(/ || /^}/ { head = "" }
            /^\{/ { check_parameters(head) }
            { head = head $0 }
            /^\{/ || /^[A-Za-z].*\) *\{$/ { start = FNR }
            /^}/ {
                if (start && FNR - start > 60) printf "%s:%d: a function of %d lines\n", file, start, FNR - start
                start = 0
            }
            END { if (FNR > 500) printf "%s: %d lines\n", file, FNR }' "$file"
    done | offences
}

# One version: that of CMakeLists.txt is what the newest entries of the changelogs say, and what users of the library ask for.
check_version() {
    local version minor next
    version=$(sed -n 's/^project(tmaref VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
    minor=${version%.*} next=${version%%.*}.$((${minor#*.} + 1))
    {
        [ "$version" = "$(sed -n 's/^#define TMAREF_VERSION_[MP][A-Z]* \([0-9]*\)$/\1/p' model/core/version.h | paste -sd.)" ] ||
            echo "model/core/version.h: it is not of $version"
        grep -m 1 '^## ' CHANGELOG.md | grep -qE "^## $version(,|$)" || echo "CHANGELOG.md: its first entry is not of $version"
        head -n 1 debian/changelog | grep -qE "^tmaref \\(${version}[-)]" || echo "debian/changelog: its first entry is not of $version"
        grep -qx "version = \"$version\"" traces/pyproject.toml || echo "traces/pyproject.toml: it is not of $version"
        grep -qF "find_package(tmaref $minor REQUIRED)" docs/abi.md || echo "docs/abi.md: no find_package(tmaref $minor REQUIRED)"
        grep -qF "accepts any $minor.x and no $next;" docs/abi.md || echo "docs/abi.md: does not say what $minor accepts"
    } | offences
}

# The front door: short, and its first block is the report of a hang. Numbered lines of code are those of the program.
check_readme() {
    local words number code name
    {
        words=$(wc -w <README.md)
        [ "$words" -le 900 ] || echo "README.md: $words words, more than 900"
        awk '/^```/ { getline; print; exit }' README.md | grep -qE '^ring\.cu:[0-9]+: error: kernel .* hangs: ' ||
            echo "README.md: its first block is not the report of a hang"
        grep -cqE '^[0-9]+: ' README.md || echo "README.md: no numbered line of the program"
        sed -nE 's/^([0-9]+): /\1 /p' README.md | while read -r number code; do
            for name in $(grep -oE 'ptx::[a-z_]+|empty|full|stage' <<<"$code"); do
                sed -n "$number,+1p" docs/examples/cuda/ring.cu | grep -qF "$name" || echo "README.md: line $number of ring.cu has no $name"
            done
        done
    } | offences
}

# The table of docs/architecture.md that says how large the folders are. A function is counted from its brace on.
print_sizes() {
    echo "| folder | files | lines | functions | lines of a function: median | nine in ten have at most | 99 in 100 |"
    echo "|---|---|---|---|---|---|---|"
    for folder in model/* harness kernels native tests; do
        [ -d "$folder" ] || continue
        git ls-files "$folder" | grep -E '\.(c|h|cu|cuh|def)$' | tr '\n' '\0' | xargs -0 awk '
            FNR == 1 { files++; start = 0 }
            { lines++ }
            /^\{/ || /^[A-Za-z].*\) *\{$/ { start = FNR }
            /^}/ && start { print FNR - start - 1; start = 0 }
            END { print -1, files, lines }' | sort -n | awk -v folder="$folder" '
            NR == 1 { files = $2; lines = $3; next }
            { length_of[++functions] = $1 }
            END { print "| `" folder "` | " files " | " lines " | " functions " | " \
                        length_of[int((functions + 1) / 2)] " | " length_of[int(functions * 0.9)] " | " length_of[int(functions * 0.99)] " |" }'
    done
}
# Puts the input in place of the table of docs/architecture.md whose first row begins with $1.
write_table() {
    local scratch
    scratch=$(mktemp)
    cat >"$scratch.table"
    awk -v table="$scratch.table" -v first="$1" '
        index($0, first) == 1 { while ((getline line < table) > 0) print line; is_old = 1 }
        is_old && !/^\|/ { is_old = 0 }
        !is_old' docs/architecture.md >"$scratch"
    cat "$scratch" >docs/architecture.md
    rm -f "$scratch" "$scratch.table"
}

# Here the second argument is the folder of the build.
write_sizes() {
    local rebuilt
    print_sizes | write_table "| folder | files "
    rebuilt=$(bash tests/meta/rebuilt.sh "$rules_page" table) && write_table "| a change of " <<<"$rebuilt"
    sed -i "s/^\(The target \`sizes\` writes this table. It last ran on \)[0-9-]*/\1$(date +%F)/" docs/architecture.md
}

case $check in
write_sizes)
    write_sizes
    ;;
rule_numbers | number_rules | release_rules | rules_tested | tests_named | evidence | claims | pages | layers | folders | include_order | size | version | readme)
    "check_$check"
    ;;
*)
    echo "meta.sh: there is no check '$check'" >&2
    exit 2
    ;;
esac
