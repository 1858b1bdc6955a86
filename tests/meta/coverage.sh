#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Which lines and branches of model/ do the unit and the conformance tests of the model reach? Writes html/index.html into the build
# folder, prints both percentages, and ends with 1 when one is below its minimum. The branches of an assert() do not
# count: the one that aborts is a bug of ours, and no test can take it.
# Usage: coverage.sh BUILD_DIR, from the top of the source tree; the build has TMAREF_COVERAGE=ON.
set -eu -o pipefail
build=$1
minimum_lines=98
minimum_branches=95

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

# Left out are tests of the harness: they run the model on what the others run it on already, and take most of the time.
harness='^(unit\.(executor|harness|watch|torch|contest)|environment\.|conformance\.(diagnose|altered|digests|evidence|exposed))'

run_tests() {
    ctest --test-dir "$build" --label-regex '^(unit|conformance)$' --exclude-regex "$harness" --output-on-failure --no-tests=error \
        --parallel "$(nproc)" | tee "$build/lcov.log" | last_test || { cat "$build/lcov.log"; exit 1; }
}

quiet lcov --directory "$build" --zerocounters
run_tests
for kind in initial reached; do # a file that nothing runs is in the first only
    initial=()
    [ $kind = reached ] || initial=(--initial)
    quiet lcov "${rules[@]}" --capture "${initial[@]}" --directory "$build/model" \
        --base-directory . --output-file "$tracefile.$kind"
done
quiet lcov "${rules[@]}" --add-tracefile "$tracefile.initial" --add-tracefile "$tracefile.reached" \
    --output-file "$tracefile.all"
quiet lcov "${rules[@]}" --extract "$tracefile.all" "$PWD/model/*" --output-file "$tracefile"
quiet genhtml "${rules[@]}" --branch-coverage --title tmaref --prefix "$PWD" --output-directory "$build/html" "$tracefile"

# Each folder, then those of the reference model together, for which the minimum is: the records of the tracefile itself,
# LF/LH lines, BRF/BRH branches. The folders of the PTX machine and the drivers are run by programs, not by these tests.
awk -F : -v top="$PWD/model/" -v minimum_lines=$minimum_lines -v minimum_branches=$minimum_branches '
    function percent(hit, found) { return found ? 100 * hit / found : 100 }
    function tell(what, lh, lf, bh, bf) {
        printf "%-22s lines %5.1f %% of %5d, branches %5.1f %% of %5d\n", what, percent(lh, lf), lf, percent(bh, bf), bf
    }
    BEGIN { split("core number map walk tma sync wgmma mma ptx alu machine look driver runtime", rooms, " ") }
    $1 == "SF" { room = $2; sub(top, "", room); sub("/.*", "", room) }
    $1 == "LF" { lines[room] += $2 } $1 == "LH" { lines_hit[room] += $2 }
    $1 == "BRF" { branches[room] += $2 } $1 == "BRH" { branches_hit[room] += $2 }
    END {
        for (i = 1; i in rooms; i++) {
            room = rooms[i]
            tell(room, lines_hit[room], lines[room], branches_hit[room], branches[room])
            if (i > 8) continue
            lf += lines[room]; lh += lines_hit[room]; bf += branches[room]; bh += branches_hit[room]
        }
        tell("core to mma together", lh, lf, bh, bf)
        exit lf == 0 || percent(lh, lf) < minimum_lines || percent(bh, bf) < minimum_branches
    }' "$tracefile" || { echo "coverage: below the minimum; see $build/html/index.html"; exit 1; }
echo "see $build/html/index.html"
