# SPDX-License-Identifier: MIT
# What the tests of the command share; they source this file. The command is $TMAREF, the JSON checker $JSON_CHECK.
#   run STATUS ARGUMENT...   runs tmaref ARGUMENT... (input: the file $work/in) and wants that exit status
#   out TEXT / err TEXT      the last run's standard output / error holds TEXT, byte for byte
#   no_out TEXT              it does not; `out_is TEXT`: it is exactly TEXT; `quiet`: it printed nothing to stdout
#   json TEXT KEY...         stdout is JSON and holds TEXT at KEY of KEY ...
#   finish                   the last line of a test: says how many checks there were and how many failed
set -u
: "${TMAREF:?the path of the command}" "${JSON_CHECK:?the path of json_check}"
for built in "$TMAREF" "$JSON_CHECK"; do
    [ -x "$built" ] || { echo "$built is not built: cmake --build --preset default --target ${built##*/}"; exit 2; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$work/in"
checks=0 failures=0 what=

fail() {
    failures=$((failures + 1))
    printf 'FAILED after: tmaref %s\n  %s\n' "$what" "$1"
    printf -- '--- stdout\n%s\n--- stderr\n%s\n' "$(head -c 2000 "$work/out")" "$(head -c 2000 "$work/err")"
}

check() { # check MESSAGE COMMAND...
    local message=$1
    shift
    checks=$((checks + 1))
    "$@" || fail "$message"
}

run() {
    local want=$1 status
    shift
    what="$*"
    "$TMAREF" "$@" <"$work/in" >"$work/out" 2>"$work/err"
    status=$?
    check "exit status $status, not $want" test "$status" -eq "$want"
    [ "$want" -ne 2 ] || check "an error without a sentence" test -s "$work/err"
}

input() { printf '%s\n' "$1" >"$work/in"; }
out() { check "stdout lacks: $1" grep -qF -- "$1" "$work/out"; }
err() { check "stderr lacks: $1" grep -qF -- "$1" "$work/err"; }
no_out() { check "stdout holds: $1" eval '! grep -qF -- "$1" "$work/out"'; }
out_is() { check "stdout is not: $1" test "$(cat "$work/out")" = "$1"; }
quiet() { check "stdout is not empty" test ! -s "$work/out"; }

json() {
    local want=$1 got
    shift
    got=$("$JSON_CHECK" "$@" <"$work/out") || got="(no JSON, or no such key)"
    check "JSON at '$*' is $got, not $want" test "$got" = "$want"
}

finish() {
    printf '%s: %d checks, %d failed\n' "${0##*/}" "$checks" "$failures"
    [ "$failures" -eq 0 ]
    exit
}
