#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref diagnose`: dumps with and without a head, what lay there before, barriers, slices, and wrong questions. The dump
# with a head is of an H200: docs/diagnose_example.cu. Argument: that dump.
. "$(dirname "$0")/expect.sh" || exit 2
cp "${1:?a dump of an H200}" "$work/tile.dump"
cd "$work" || exit 2

# A tile of 16 x 8 bytes at (32, 4) of a matrix of 64 x 32 bytes, byte n of the tensor being n, without swizzle.
tile() { # tile COLUMN ROW: its bytes
    local row column
    for ((row = $2; row < $2 + 8; row++)); do
        for ((column = $1; column < $1 + 16; column++)); do
            # shellcheck disable=SC2059
            printf "\\x$(printf %02x $(((64 * row + column) & 255)))"
        done
    done
}
map=(--dtype u8 --dim 64,32 --box 16,8 --coord 32,4 --shared 0x800 --fill iota)
tile 32 4 >right
tile 16 4 >before
tile 32 5 >row
{ head -c 64 right && head -c 64 /dev/zero; } >half

run 0 diagnose "${map[@]}" --dump right
out "Clean: the dump is what this load leaves."
run 0 diagnose "${map[@]}" --dump right --barrier 0xfffff800001ffffe --expect 128
run 0 diagnose "${map[@]}" --dump right --json
json true clean
run 1 diagnose "${map[@]}" --dump before
out "OTHER_PHASE: the tile is 1 box before along dimension 0: coordinate 0 is 16, not 32"
out "meant there        element (32, 4) byte 0"
run 1 diagnose "${map[@]}" --dump row --json
json false clean
json '"COORD_OFF"' explanations 0 cause
json true explanations 0 whole
run 1 diagnose "${map[@]}" --dump half --before 0
out "STALE: 64 bytes of the tile's 128, in 1 piece, are what was there before"
run 1 diagnose "${map[@]}" --dump half --before half
out "STALE"
run 1 diagnose "${map[@]}" --dump right --expect 112
out "TX_COUNT: arrive.expect_tx announced 112 bytes, the copy brings 128: 16 short"
run 1 diagnose "${map[@]}" --shared 0x810 --dump right
out "the load as meant faults, rule LOAD_SMEM_ALIGN"
{ cat right right; } >twice
run 1 diagnose "${map[@]}" --slices 2,0 --dump twice
out "WRONG_SLICE: place 1 holds slice 0"

run 0 diagnose --causes
out "STALE             Bytes that the copy writes are still what was there before"
run 0 diagnose --causes --json
json '"STALE"' 1 id

# What a debugger prints.
od -An -v -tx4 right | sed -E 's/ ([0-9a-f]+)/ 0x\1/g; s/^/0x800:/' >words
run 0 diagnose "${map[@]}" --dump words
out "dump                 0x800 to 0x87f"
{ printf '$1 = {' && od -An -v -tx4 before | sed -E 's/ ([0-9a-f]+)/0x\1, /g' && printf '0x0}\n'; } >array
run 1 diagnose "${map[@]}" --dump array
out "OTHER_PHASE"
echo '$1 = {0x0 <repeats 32 times>}' >repeats
run 2 diagnose "${map[@]}" --dump repeats
err "set print repeats 0"

# The tensor from a file, at its address or another.
for ((i = 0; i < 64 * 32; i++)); do
    # shellcheck disable=SC2059
    printf "\\x$(printf %02x $((i & 255)))"
done >tensor
run 0 diagnose "${map[@]:0:10}" --tensor tensor --dump right
run 0 diagnose "${map[@]:0:10}" --address 0x1000 --tensor tensor --tensor-at 0x1000 --dump right
run 1 diagnose "${map[@]:0:10}" --tensor tensor --tensor-at 0x1000 --dump right
out "the load as meant faults, rule LOAD_UNMAPPED"

# A dump that brings map, coordinates and place along.
run 1 diagnose --dump tile.dump --fill iota
out "OTHER_PHASE"
run 1 diagnose --dump tile.dump --fill iota --coord 0,16
no_out "OTHER_PHASE: the tile is 1 box before"
head -c 300 tile.dump >cut.dump
run 2 diagnose --dump cut.dump --fill iota
err "cut.dump is cut short, or of another version"

# An all-zero tile: never written comes first. Bytes of nowhere: it says so, and names what it finds in --other.
head -c 128 /dev/zero >zeros
run 1 diagnose "${map[@]}" --dump zeros --json
json '"STALE"' explanations 0 cause
noise() { # noise SEED BYTES: bytes that do not repeat
    # shellcheck disable=SC2059
    printf "$(awk -v x="$1" -v n="$2" 'BEGIN { for (; n > 0; n--) { x = (x * 16807) % 2147483647; printf "\\x%02x", x % 256 } }')"
}
noise 1 128 >strange
run 1 diagnose "${map[@]:0:10}" --tensor tensor --dump strange --before 0xcd
out "128 of the wrong bytes are not from this tensor. Possible reasons: they are old; they are from another tensor"
out "FOREIGN"
no_out "No cause explains"
run 1 diagnose "${map[@]:0:10}" --tensor tensor --dump strange --other zeros --other strange
out "OTHER_TENSOR: 128 bytes are those of file 2 of --other at the same place"
# Two mistakes: the tile before, and half of it never came.
{ head -c 64 before && head -c 64 strange; } >both
{ head -c 64 zeros && tail -c 64 both; } >old
run 1 diagnose "${map[@]}" --dump both --before old
out "STALE and OTHER_PHASE:"
run 1 diagnose "${map[@]}" --dump both --before old --json
json '"STALE"' explanations 0 cause
json '"OTHER_PHASE"' explanations 0 second cause
# A few bytes; rows exchanged; the tile of halves in the other byte order.
{ head -c 77 right && printf x && tail -c 50 right; } >spoiled
run 1 diagnose "${map[@]}" --dump spoiled
out "CORRUPTED: 1 byte in 1 place: 0x84d is 0x78; the rest is right"
noise 2 2048 >unlike
for row in 7 1 2 3 4 5 6 0; do dd if=unlike bs=16 count=1 skip=$(((4 + row) * 4 + 2)) status=none; done >rows
run 1 diagnose "${map[@]:0:10}" --tensor unlike --dump rows
out "ROW_ORDER: steps along dimension 1 are in other places: 0 at 7, 7 at 0"
od -An -v -tx1 right | tr -d ' \n' | sed -E 's/(..)(..)/\2\1/g' | sed -E 's/../\\x&/g' | xargs -0 printf >swapped
run 1 diagnose --dtype u16 --dim 32,32 --box 8,8 --coord 16,4 --shared 0x800 --tensor tensor --dump swapped
out "BYTE_ORDER: the bytes of each 2-byte element are in the other order"

# A store: the tile is known, the dump is of the tensor.
store=(--store --dtype u8 --dim 64,32 --box 16,8 --coord 32,4 --shared 0x800 --tile right)
{ head -c $((4 * 64)) tensor && head -c $((28 * 64)) /dev/zero; } >empty
stored() { # stored COLUMN ROW: the empty tensor with the tile there
    local row
    cp empty stored
    for ((row = 0; row < 8; row++)); do
        dd if=right of=stored bs=16 count=1 skip=$row seek=$((4 * ($2 + row) + $1 / 16)) conv=notrunc status=none
    done
}
stored 32 4
run 0 diagnose "${store[@]}" --dump stored --before empty
out "Clean: the dump is what this store leaves."
stored 16 4
run 1 diagnose "${store[@]}" --dump stored --before empty
out "OTHER_PHASE: the tile is 1 box before along dimension 0: coordinate 0 is 16, not 32"
out "meant there        element (16, 4)"
run 1 diagnose "${store[@]}" --dump empty --before empty --json
json '"STALE"' explanations 0 cause
json true store

# .npy files are read as what they are: type, shape and order, laid out with the strides of the map.
npy() { # npy DESCR FORTRAN SHAPE: a head; the elements follow from stdin
    local head="{'descr': '$1', 'fortran_order': $2, 'shape': $3, }"
    # shellcheck disable=SC2059
    printf "\\x93NUMPY\\x01\\x00\\x$(printf %02x ${#head})\\x00%s" "$head" && cat
}
npy '|u1' False '(32, 64)' <tensor >tensor.npy
run 0 diagnose "${map[@]:0:10}" --tensor tensor.npy --dump right
npy '|u1' True '(64, 32)' <tensor >fortran.npy
run 0 diagnose "${map[@]:0:10}" --tensor fortran.npy --dump right
run 0 diagnose "${map[@]:0:10}" --strides 80 --tensor tensor.npy --dump right
npy '|u1' False '(64, 32)' <tensor >turned.npy
npy '<f4' False '(32, 64)' <tensor >floats.npy
npy '>u2' False '(32, 32)' <tensor >big.npy

bad() { # bad SENTENCE ARGUMENT...
    local sentence=$1
    shift
    run 2 diagnose "$@"
    err "$sentence"
    quiet
}
bad "--dump is needed" "${map[@]}"
bad "--tensor or --fill is needed" --dump right --dtype u8 --dim 64,32 --box 16,8
check "neither was given" eval '! grep -q both "$work/err"'
bad "--tensor or --fill is needed, not both" --dump right --fill iota --tensor tensor "${map[@]}"
bad "say which map" --dump right --fill iota
bad "No such file" "${map[@]}" --dump missing
bad "--slices: takes 1 to 16 and a dimension" "${map[@]}" --dump right --slices 0,1
bad "--slices: takes 1 to 16 and a dimension" "${map[@]}" --dump right --slices 2
bad "--coord: has 1 numbers, the rank is 2" "${map[@]}" --dump right --coord 0
bad "--offsets: only loads of im2col maps have them" "${map[@]}" --dump right --offsets 1
bad "--before: before has 128 bytes, the dump 256" "${map[@]}" --dump twice --before before
bad "--fill: takes iota or words, not 'ones'" "${map[@]}" --fill ones --dump right
bad "--barrier: 'x' is not a 64-bit word" "${map[@]}" --dump right --barrier x
bad "--expect: '-1' is not a number of bytes" "${map[@]}" --dump right --expect=-1
bad "shared addresses end at 0x40000" "${map[@]}" --shared 0x3ffff --dump right
bad "takes no argument 'x'" "${map[@]}" --dump right x
bad "turned.npy has the dimensions 32, 64, innermost first; the map's are 64, 32" "${map[@]:0:10}" --tensor turned.npy --dump right
bad "floats.npy has 2048 bytes of elements, its shape needs 8192" "${map[@]:0:10}" --tensor floats.npy --dump right
bad "big.npy is big-endian (>u2)" --dtype u16 --dim 32,32 --box 8,8 --tensor big.npy --dump right
head -c 1000 tensor >short
bad "--tensor: short has 1000 bytes, the tensor 2048" "${map[@]:0:10}" --tensor short --dump right
bad "--dump: short has 1000 bytes, the tensor 2048" "${store[@]}" --dump short
head -c 100 right >shorter
bad "--dump: shorter has 100 bytes, the tile 128" "${map[@]}" --dump shorter
bad "--tile: shorter has 100 bytes, the tile 128" "${store[@]}" --tile shorter --dump stored
bad "--other: short has 1000 bytes, neither as many as the dump (128)" "${map[@]}" --dump right --other short
bad "with --store, --tile or --fill is needed" --store "${map[@]:0:10}" --dump stored
bad "--tile is for stores" "${map[@]}" --tile right --dump right
run 0 diagnose --help
check "--map stands among the options of im2col maps" eval 'sed "/^ An im2col map/,\$d" "$work/out" | grep -q -e --map='
finish
