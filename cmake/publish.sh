#!/bin/sh
# SPDX-License-Identifier: MIT
# The public face of the library, made of the model's headers: model/tmaref.h includes what is public, and every name
# that these headers declare gets the prefix tmaref_ or TMAREF_.
# Usage: publish.sh CC MODEL_DIR OUT_DIR. Writes into OUT_DIR:
#   include/tmaref.h, include/tmaref/*/*.h   the headers to install
#   renames                                  "NAME tmaref_NAME" of each function, for objcopy --redefine-syms
# Needs a C preprocessor and awk: both are where C is compiled.
set -eu
export LC_ALL=C
cc=$1 model=$2 out=$3
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The headers of the system are left out by empty ones in their place: only the model's own names are to be seen.
mkdir -p "$work/empty"
sed -n 's/^#include <\(.*\)>.*/\1/p' "$model"/*.h "$model"/*/*.h | sort -u | while read -r name; do
    mkdir -p "$work/empty/$(dirname "$name")"
    : >"$work/empty/$name"
done
set -- -nostdinc -I "$work/empty"
for folder in "$model"/*/; do set -- "$@" -I "$folder"; done

# What model/tmaref.h includes, and what that includes.
$cc -MM "$@" "$model/tmaref.h" | tr -d '\\' | tr -s ' ' '\n' | sed -n "s|^$model/\([a-z0-9_]*/[a-z0-9_]*\.h\)\$|\1|p" >"$work/headers"

$cc -E -P "$@" "$model/tmaref.h" >"$work/flat.c"
awk -f "$here/declared.awk" "$work/flat.c" >"$work/names"
while read -r header; do
    echo "header $header"
    sed -n 's/^#define \([A-Za-z_0-9]*\) .*/macro \1/p' "$model/$header" | grep -v '^macro TMAREF_' || true
done <"$work/headers" >>"$work/names"

mkdir -p "$work/include/tmaref"
while read -r header; do
    mkdir -p "$work/include/tmaref/$(dirname "$header")"
    awk -f "$here/publish.awk" -v path="$header" "$work/names" "$model/$header" >"$work/include/tmaref/$header"
done <"$work/headers"
awk -f "$here/publish.awk" -v path=tmaref.h "$work/names" "$model/tmaref.h" >"$work/include/tmaref.h"

mkdir -p "$out"
rm -rf "$out/include"
mv "$work/include" "$out/include"
awk '$1 == "function" { print $2, "tmaref_" $2 }' "$work/names" >"$out/renames"
