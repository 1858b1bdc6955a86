#!/bin/sh
# SPDX-License-Identifier: MIT
# What the headers need of a table (rules.def, forms.def, families.def): its rows cut down to what names them, RULE(number, id),
# FORM(name), FAMILY(name). Sentences and other columns are compiled in one file each, so a change of them changes nothing here.
# Of driver_calls.def it is the rows of the calls that tmaref makes itself, whole.
# Of rules also a header for each group, the part of the ids before the first _: rules/map.h has RULE_MAP_RANK and so on.
# Usage: ids.sh TABLE OUT. A file is written only where it would change: what includes it is then not compiled again.
set -eu
export LC_ALL=C

# The input, to the file named.
keep() {
    cat >"$1.new"
    if cmp -s "$1.new" "$1"; then rm "$1.new"; else mv "$1.new" "$1"; fi
}

# The header of the group $1 in capitals, of the rows of the file $2.
group_header() {
    echo "// Made by cmake/ids.sh of model/core/rules.def: the rules $1_*."
    echo "#ifndef TMAREF_RULES_$1_H"
    echo "#define TMAREF_RULES_$1_H"
    echo '#include "rule.h"'
    echo '#ifndef RULE_IDS_IN_ENUM'
    sed -nE "s/^RULE\(([0-9]+), ($1_[A-Z0-9_]+)\)/#define RULE_\2 ((enum rule)\1)/p" "$2"
    echo '#endif'
    echo '#endif'
}

if [ "$(basename "$1")" = driver_calls.def ]; then
    awk -v kinds='^(MADE|MAP|TIMED)$' -v table=1 -f "$(dirname "$0")/calls.awk" "$1" | keep "$2"
    grep -q '^MADE' "$2" || { echo "ids.sh: $1 has no row MADE" >&2; exit 1; }
    exit
fi

sed -nE 's/^(RULE\([0-9]+, [A-Z0-9_]+),.*/\1)/p; s/^((FORM|FAMILY)\([A-Za-z0-9_]+),.*/\1)/p' "$1" | keep "$2"
[ -s "$2" ] || { echo "ids.sh: $1 has no rows" >&2; exit 1; }

groups=$(sed -nE 's/^RULE\([0-9]+, ([A-Z0-9]+)_.*/\1/p' "$2" | sort -u)
[ -n "$groups" ] || exit 0
folder=$(dirname "$2")/rules
mkdir -p "$folder"
for group in $groups; do
    name=$(echo "$group" | tr '[:upper:]' '[:lower:]')
    group_header "$group" "$2" | keep "$folder/$name.h"
    echo "#include \"rules/$name.h\""
done | keep "$folder/all.h"
