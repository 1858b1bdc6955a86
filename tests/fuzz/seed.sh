#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes the first inputs of every fuzz target with the command itself: seed.sh TMAREF DIR fills DIR/<target>.
set -eu
tmaref=$(realpath "$1")
mkdir -p "$2"/{trace,case,map,dump,npy,encode}
cd "$2"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Traces: plain, curated, compressed, of faults; and lines of cases behind the line that names the family.
for family in encode load mbarrier; do
    "$tmaref" record -x model -f $family --keep 3 -o "$work/$family.jsonl" >"$work/out"
    "$tmaref" record -x model -f $family --keep 2 --seed 2 --curated -o "$work/$family-words.jsonl" >"$work/out"
    "$tmaref" record -x model -f $family --keep 3 --seed 3 -o "$work/$family.jsonl.zst" >"$work/out"
    "$tmaref" record -x model -f $family --keep 2 --seed 4 -n 4000 --lane faults -o "$work/$family-faults.jsonl" >"$work/out"
    cp "$work/$family"*.jsonl* trace/
    { echo $family && "$tmaref" run -c -f $family -n 5 --seed 5; } >"case/$family"
done
{ echo multicast && "$tmaref" run -c -f multicast -n 5 --seed 5; } >case/multicast

# Maps at 0x10000 with a destination, the instruction's dimensions and coordinates; dumps of the same maps.
map() { # map NAME DIMS COORDINATES ARGUMENT...: coordinates as bytes for printf
    local name=$1 dims=$2 coordinates=$3
    shift 3
    "$tmaref" encode --address 0x10000 --raw "$work/raw" "$@" >"$work/hex"
    { cat "$work/raw" && printf "\\x00\\x08\\x00\\x00\\x0$dims$coordinates"; } >"map/$name"
    head -1 "$work/hex" >"dump/$name-digits"
    "$tmaref" encode --address 0x10000 --words "$@" | head -16 >"dump/$name-words"
    cp "$work/raw" "dump/$name-raw"
}
map row 1 '' --dtype u8 --dim 256 --box 64
map matrix 2 '\x08\x00\x00\x00\xff\xff\xff\xff' --dtype f16 --dim 64,64 --box 32,8 --swizzle 64B
map strided 3 '\x00\x00\x00\x00\x01\x00\x00\x00' --dtype f32 --dim 16,16,4 --box 8,8,4 --element-strides 1,2,3 --swizzle 128B
map slices 4 '\x00\x00\x00\x00' --dtype bf16 --dim 32,16,4,2 --strides 64,1024,4096 --box 8,4,2,1 --interleave 16B

# Calls: the bytes that encode.c takes, in its order.
printf '\x00\x00\x06\x02\x00\x02\x00\x00\x00%b%b' '\x00\x00\x01\x00\x00\x00\x00\x00' '\x00\x00\x00\x00\x00\x00\x00\x00' >"$work/call"
{
    cat "$work/call" && printf '\x40\x00\x00\x00\x00\x00\x00\x00\x40\x00\x00\x00\x00\x00\x00\x00\x80\x00\x00\x00\x00\x00\x00\x00'
    printf '\x01\x00\x00\x00\x01\x00\x00\x00\x20\x00\x00\x00\x08\x00\x00\x00'
} >encode/tiled
{
    printf '\x01' && tail -c +2 encode/tiled
} >encode/im2col
printf '\x03\x00' | cat - <(tail -c +3 encode/tiled) >encode/replace
printf '\x00\xff\x04\x06\xff\x00\x00\x00\x80' >encode/null

# Files as numpy.save() writes them: npy NAME DESCR FORTRAN SHAPE BYTES, behind the byte for the padding.
npy() {
    local head="{'descr': '$2', 'fortran_order': $3, 'shape': $4, }"
    head=$(printf '%-117s' "$head")
    { printf '\x01\x93NUMPY\x01\x00\x76\x00%s\n' "$head" && seq 1000 | head -c "$5"; } >"npy/$1"
}
npy row '<f2' False '(8,)' 16
npy matrix '<f4' False '(3, 4)' 48
npy fortran '|u1' True '(4, 3, 2)' 24
npy short '<f8' False '(2, 2)' 31
npy big '>i2' False '(2, 2)' 8
npy bits '|V2' False '(2, 3)' 12
npy nothing '<f4' False '()' 4
{ printf '\x00\x93NUMPY\x02\x00\x76\x00\x00\x00' && tail -c +12 npy/matrix; } >npy/version2
