#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The manual pages: there is one for each command, man and mandoc have nothing to say about them, and each says all that
# --help says of the options. Argument: the folder of the pages.
. "$(dirname "$0")/expect.sh" || exit 2
pages=${1:?the folder of the pages}
[ -d "$pages" ] || { echo "there is no $pages: cmake --build --preset default --target man_pages"; exit 2; }

# Text without what lays it out: one line, single blanks, hyphens as they are typed.
flat() { tr -s ' \n' '  '; }
shown() { MANWIDTH=100 LC_ALL=C.UTF-8 man --warnings -E ascii -l "$1" 2>"$work/err" | col -bx | flat; }

run 2 --man nosuch
err "there is no command 'nosuch'"
err "Try 'tmaref --help'."
run 0 --complete help ''
cut -f 1 "$work/out" >"$work/commands"
ls "$pages" | sed -n 's/^tmaref-\(.*\)\.1$/\1/p' | sort >"$work/pages"
what="the list of pages"
check "the pages are not those of the commands" diff <(sort "$work/commands") "$work/pages"

have() { command -v "$1" >/dev/null || { echo "skipped: what $1 says of the pages; there is no $1 here"; return 1; }; }
if have mandoc; then
    for page in "$pages"/*.1; do
        what="mandoc -T lint $page"
        mandoc -T lint -W warning "$page" 2>&1 | grep -v 'missing date, using ""' >"$work/out"
        check "it complains" test ! -s "$work/out"
    done
fi
if have man && man --version 2>/dev/null | grep -q "^man 2" && have col; then
    while read -r command; do
        what="man tmaref-$command"
        shown "$pages/tmaref-$command.1" >"$work/page"
        check "man complains" test ! -s "$work/err"
        "$TMAREF" --complete "$command" - >"$work/options"
        check "there are no options" test -s "$work/options"
        awk -F '\t' 'NR == FNR { page = $0; next }
            { sub(/=$/, "", $1); gsub(/ +/, " ", $2) }
            !index(page, $1) { print "the page lacks " $1 }
            !index(page, $2) { print "the page lacks: " $2 }' "$work/page" "$work/options" >"$work/out"
        check "$(head -n 1 "$work/out")" test ! -s "$work/out"
        "$TMAREF" "$command" --help | sed -n '1,/^$/p' | grep -vE '^Usage:|^ ' | flat | sed 's/ $//' >"$work/about"
        check "--help says nothing before the options" test -s "$work/about"
        check "the page lacks what --help says first" grep -qFf "$work/about" "$work/page"
    done <"$work/commands"
fi
finish
