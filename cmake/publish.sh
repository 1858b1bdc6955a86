#!/bin/sh
# SPDX-License-Identifier: MIT
# The public face of the library, made of the model's headers: model/tmaref.h includes what is public, and every name
# that these headers declare gets the prefix tmaref_ or TMAREF_.
# Usage: publish.sh CC MODEL_DIR OUT_DIR, the last an absolute path. Writes into OUT_DIR:
#   include/tmaref.h, include/tmaref/*/*.h   the headers to install
#   renames                                  "NAME tmaref_NAME" of each function, for objcopy --redefine-syms
#   roots                                    "-u NAME" of each, for a linker that takes what they need
# Needs a C preprocessor and awk: both are where C is compiled.
set -eu
export LC_ALL=C
cc=$1 out=$3
here=$(cd "$(dirname "$0")" && pwd)
cd "$2"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The headers of the system are left out by empty ones in their place: only the model's own names are to be seen.
mkdir -p "$work/empty"
sed -n 's/^#include <\(.*\)>.*/\1/p' ./*.h ./*/*.h | sort -u | while read -r name; do
    mkdir -p "$work/empty/$(dirname "$name")"
    : >"$work/empty/$name"
done
set -- -nostdinc -I "$work/empty"
for table in */rules.def */forms.def; do
    [ ! -f "$table" ] || sh "$here/ids.sh" "$table" "$work/$(basename "$table" s.def)_ids.def"
done
for folder in */; do set -- "$@" -I "${folder%/}"; done
set -- "$@" -I "$work" -DRULE_IDS_IN_ENUM

# What tmaref.h includes, and what that includes.
"$cc" -MM "$@" tmaref.h | tr -d '\\' | tr -s ' ' '\n' | sed -n 's|^\([a-z0-9_]*/[a-z0-9_]*\.h\)$|\1|p' >"$work/headers"

# What they declare.
"$cc" -E -P "$@" tmaref.h >"$work/flat.c"
awk -f "$here/declared.awk" "$work/flat.c" >"$work/names"
while read -r header; do
    echo "header $header"
    sed -n 's/^#define \([A-Za-z_0-9]*\) .*/macro \1/p' "$header" | grep -v '^macro TMAREF_' || true
done <"$work/headers" >>"$work/names"

# The sentence of each rule, for its constant.
cat >"$work/rules.c" <<END
#define RULE(number, id, documented, sm_90a, error, sentence, ...) about RULE_##id sentence
#include "rules.def"
END
"$cc" -E -P "$@" "$work/rules.c" |
    sed -n 's/\\"/\&quot;/g; s/" *"//g; s/^ *\(about [A-Za-z_0-9]*\) *"\(.*\)" *$/\1 \2/; s/&quot;/"/g; /^about/p' >>"$work/names"

mkdir -p "$work/include/tmaref"
while read -r header; do
    mkdir -p "$work/include/tmaref/$(dirname "$header")"
    awk -f "$here/publish.awk" -v path="$header" "$work/names" "$header" >"$work/include/tmaref/$header"
done <"$work/headers"
awk -f "$here/publish.awk" -v path=tmaref.h "$work/names" tmaref.h >"$work/include/tmaref.h"

mkdir -p "$out"
rm -rf "$out/include"
mv "$work/include" "$out/include"
awk '$1 == "function" { print $2, "tmaref_" $2 }' "$work/names" >"$out/renames"
awk '{ print "-u", $1 }' "$out/renames" >"$out/roots"
