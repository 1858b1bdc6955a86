#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs a case of a family with one kernel of this tree in place of its own: own_kernel.sh TMAREF MODULE.ptx FAMILY CASE. For
# synchronisation.py, which passes {} for MODULE.ptx: the number that it puts in front of the name is cut off.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/kernels"
name=$(basename "$2")
cp "$2" "$folder/kernels/${name#[0-9]*-}"
cp "$1" "$folder/tmaref" # it looks for its kernels beside itself
echo "$4" | "$folder/tmaref" run --executor=gpu --family="$3" --input=-
