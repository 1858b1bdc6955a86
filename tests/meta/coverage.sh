#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Which lines and branches of model/ do the unit and the conformance tests of the model, those of `tmaref exec` and the traces
# reach, and which formats, operations and rules do the traces? Writes html/index.html and functional.html into the build
# folder, prints both percentages of each folder, and ends with 1 when one is below its bar. The branches of an assert() do not
# count: the one that aborts is a bug of ours, and no test can take it.
# Usage: coverage.sh BUILD_DIR, from the top of the source tree; the build has TMAREF_COVERAGE=ON.
set -eu -o pipefail
build=$1

# The least percentage of lines and of branches of each folder that model/CMakeLists.txt names, and of core to mma together:
# what this script reached when the bar was set, rounded down; of alu what its own tests did. The aims are 95 and 90; what is below them are the branches of
# alu.
bars='
core     99 97
number   99 98
map      99 98
walk     99 99
tma      99 98
sync     99 98
wgmma    99 98
mma      99 99
cute     99 95
ptx      98 90
alu      99 29
machine  98 90
look     98 90
driver   98 92
runtime  98 95
together 99 98
'

command -v lcov >/dev/null || { echo "coverage: there is no lcov; install it, or run ./setup.sh coverage"; exit 2; }
case $(lcov --version) in
*' 1.'*) branches=lcov_branch_coverage ;;
*) branches=branch_coverage ;;
esac
tracefile=$build/model.info
rules=(--rc "$branches=1" --rc 'lcov_excl_br_line=LCOV_EXCL_BR_LINE|^ *assert\(')

quiet() { # command...: what it says goes to a file that is shown only when it fails
    "$@" >"$build/lcov.log" 2>&1 || { cat "$build/lcov.log"; exit 1; }
}

# On a terminal: of the lines of ctest, which test ended last.
last_test() {
    if [ -t 2 ]; then
        sed -un 's,^ *\([0-9]*/[0-9]*\) Test *#[0-9]*: \([^ ]*\) .*,\r\1 \2\x1b[K,p' | tr -d '\n' >&2
        printf '\r\033[K' >&2
    else
        cat >/dev/null
    fi
}

# Left out is what runs the model on what the others run it on already, and takes most of the time: tests of the harness, and
# the sums over all arguments. In place of the tests replay.* the count of what the traces reach runs all their cases.
left_out='^(unit\.(executor|harness|watch|torch|contest)|environment\.|conformance\.(diagnose|altered|digests|evidence|exposed|alu-sums)|replay\.)'

run_tests() { # ctest-argument...
    ctest --test-dir "$build" "$@" --output-on-failure --no-tests=error --parallel "$(nproc)" | tee "$build/lcov.log" | last_test ||
        { cat "$build/lcov.log"; exit 1; }
}

say() { printf 'coverage: %s, at %s s\n' "$*" "$SECONDS"; }

quiet lcov --directory "$build" --zerocounters
say "unit and conformance tests, without those of the harness"
run_tests --label-regex '^(unit|conformance)$' --exclude-regex "$left_out"
say "tests of the commands that print for the model"
run_tests --tests-regex '^cli\.(exec|encode$|decode$|explain$)'
say "traces, and 2000 random cases of each family"
"$build/harness/tmaref" coverage --cases=2000 --html="$build/functional.html" traces
say "lcov"
for kind in initial reached; do # a file that nothing runs is in the first only
    initial=()
    [ $kind = reached ] || initial=(--initial)
    quiet lcov "${rules[@]}" --capture "${initial[@]}" --directory "$build/model" --output-file "$tracefile.$kind"
done
quiet lcov "${rules[@]}" --add-tracefile "$tracefile.initial" --add-tracefile "$tracefile.reached" \
    --output-file "$tracefile.all"
quiet lcov "${rules[@]}" --extract "$tracefile.all" "$PWD/model/*" --output-file "$tracefile.model"
# The tables of names of cuBLAS make a weak function of each row, which the linker throws away where a file defines the
# call: no test can reach those.
quiet lcov "${rules[@]}" --remove "$tracefile.model" '*_names.def' --output-file "$tracefile"
quiet genhtml "${rules[@]}" --branch-coverage --title tmaref --prefix "$PWD" --output-directory "$build/html" "$tracefile"

# Each room, then those of the reference model, core to mma, together: the records of the tracefile itself, LF/LH lines,
# BRF/BRH branches.
rooms=$(sed -nE 's/^tmaref_module\(([a-z]+).*/\1/p' model/CMakeLists.txt | tr '\n' ' ')
awk -F : -v top="$PWD/model/" -v rooms="$rooms" -v bars="$(echo $bars)" '
    function percent(hit, found) { return found ? 100 * hit / found : 100 }
    function tell(what, lh, lf, bh, bf) {
        printf "%-22s lines %5.1f %% of %5d, branches %5.1f %% of %5d\n", what, percent(lh, lf), lf, percent(bh, bf), bf
        if (!(what in least_lines)) {
            print "coverage: " what " has no bar in tests/meta/coverage.sh"
            failed = 1
        } else if (lf == 0 || percent(lh, lf) < least_lines[what] || percent(bh, bf) < least_branches[what]) {
            print "coverage: " what " is below its bar, " least_lines[what] " % of lines and " least_branches[what] " % of branches"
            failed = 1
        }
        seen[what] = 1
    }
    BEGIN {
        names = split(rooms, name, " ")
        count = split(bars, word, " ")
        for (i = 1; i < count; i += 3) { least_lines[word[i]] = word[i + 1]; least_branches[word[i]] = word[i + 2] }
        split("core number map walk tma sync wgmma mma", reference, " ")
        for (i in reference) is_reference[reference[i]] = 1
    }
    $1 == "SF" { room = $2; sub(top, "", room); sub("/.*", "", room) }
    $1 == "LF" { lines[room] += $2 } $1 == "LH" { lines_hit[room] += $2 }
    $1 == "BRF" { branches[room] += $2 } $1 == "BRH" { branches_hit[room] += $2 }
    END {
        for (i = 1; i <= names; i++) {
            room = name[i]
            tell(room, lines_hit[room], lines[room], branches_hit[room], branches[room])
            if (!(room in is_reference)) continue
            lf += lines[room]; lh += lines_hit[room]; bf += branches[room]; bh += branches_hit[room]
        }
        tell("together", lh, lf, bh, bf)
        for (room in least_lines)
            if (!(room in seen)) { print "coverage: there is no folder " room " that has a bar"; failed = 1 }
        exit failed
    }' "$tracefile" || { echo "coverage: below a bar; see $build/html/index.html"; exit 1; }
echo "see $build/html/index.html and $build/functional.html"
