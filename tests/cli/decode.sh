#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref decode`: the fields of 128 bytes in every form they come in, bytes that are no map, and text that is no bytes.
. "$(dirname "$0")/expect.sh" || exit 2

call=(--dtype f16 --dim 4096,4096 --box 64,64 --swizzle 128B --address 0x7f0000000000)
"$TMAREF" encode "${call[@]}" --raw "$work/raw" | head -1 >"$work/hex"
"$TMAREF" encode "${call[@]}" --words | head -16 >"$work/words"
hex=$(cat "$work/hex")

# --- the fields, and the call ---
run 0 decode "$hex"
out "mode                 tiled"
out "globalAddress        0x7f0000000000"
out "globalDim            4096, 4096"
out "boxDim               64, 64"
out "swizzle              CU_TENSOR_MAP_SWIZZLE_128B (3)"
out "cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, (void *)0x7f0000000000,"
out "(cuuint64_t[]){4096, 4096}, (cuuint64_t[]){8192},"
no_out "rule "
cp "$work/out" "$work/fields"

# --- every form of the same bytes ---
same() {
    run 0 decode "$@"
    check "other fields" cmp -s "$work/fields" "$work/out"
}
same "$work/hex"
same "$work/raw"
same "$work/words"
same "0x$hex"
same "$(tr a-f A-F <"$work/hex")"
same "$(sed 's/../& /g' "$work/hex")"
same "{$(sed 's/../0x&, /g' "$work/hex")}"
for form in hex raw words; do
    cp "$work/$form" "$work/in"
    same -
done
fold -w 32 "$work/hex" >"$work/in" && same -
sed 's/$/\r/' "$work/words" >"$work/in" && same -
# cuda-gdb: x/16gx, x/32wx, x/128bx, p/x
sed 's/.*: //' "$work/words" | paste -d '\t' - - | sed 's/^/0x7fffffffe3c0 <map+16>:\t/' >"$work/in"
same -
sed 's/.*0x\(........\)\(........\)/0x\2 0x\1/' "$work/words" | paste -d ' ' - - | sed 's/^/0x7fffe3c0:\t/' >"$work/in"
same -
sed 's/../0x& /g' "$work/hex" | fold -w 40 | sed 's/^/0x7fffe3c0:\t/' >"$work/in"
same -
{
    printf '$1 = {opaque = {'
    sed 's/.*0x0*\(.\)/0x\1/' "$work/words" | head -10 | paste -s -d ',' | tr -d '\n'
    printf ', 0x0 <repeats 6 times>}}\n'
} >"$work/in"
same -
: >"$work/in"

# --- JSON, which encode reads back ---
run 0 decode --json "$hex"
json "\"$hex\"" map
json '[]' findings
json '"CU_TENSOR_MAP_DATA_TYPE_FLOAT16"' names tensorDataType
"$JSON_CHECK" call <"$work/out" >"$work/call.json"
run 0 encode "$work/call.json"
out "$hex"
"$TMAREF" encode --dtype f16 --dim 64,56,56,32 --lower-corner -1,-3 --upper-corner -1,2 --channels 64 --pixels 128 |
    head -1 >"$work/im2col"
run 0 decode "$work/im2col"
out "cuTensorMapEncodeIm2col(&map, "
out "(int[]){-1, -3}, (int[]){-1, 2}, 64, 128, "
run 0 decode --json "$work/im2col"
json '[-1,-3]' call pixelBoxLowerCorner

# --- bytes that no encoder makes ---
head -c 128 /dev/zero >"$work/zero"
run 1 decode "$work/zero"
out "No encode call makes these bytes:"
out "rule MAP_BITS_FIELD: boxDim[0] is 1"
head -c 128 /dev/zero | tr '\0' '\377' >"$work/ones"
run 1 decode "$work/ones"
out "No encode call makes a map with these fields."
out "tensorRank           8"
run 1 decode --json "$work/ones"
json null call
json '"tensorRank"' findings 0 argument
run 1 decode "${hex:0:160}01${hex:162}"
out "odd, rule MAP_BITS_RESERVED: 64-bit word[10] is 0x1, must be 0x0"
run 1 decode --json "${hex:0:254}ff"
json '"0xff00000000000000"' findings 0 value

# --- not 128 bytes ---
bad() { # bad SENTENCE ARGUMENT...
    local sentence=$1
    shift
    run 2 decode "$@"
    err "$sentence"
    quiet
}
bad "say which map: 256 hex digits, a file, or - for standard input"
bad "one map at a time, not also 'cd'" ab cd
bad "the argument: found 254 hex digits (127 bytes); a tensor map has 256 (128 bytes)" "${hex:2}"
bad "found 255 hex digits (127 and a half bytes)" "${hex:1}"
bad "found 512 hex digits" "$hex$hex"
bad "found 0 hex digits" ""
bad "standard input: found 0 hex digits" -
bad "neither a file nor hexadecimal digits" "$work/nowhere"
bad "neither a file nor hexadecimal digits" map.hex
bad "Is a directory" "$work"
bad "there is no option '--" --hex "$hex"
head -15 "$work/words" >"$work/in"
bad "found 15 words of 8 bytes, which are 120 bytes; a tensor map has 128" -
head -c 100 "$work/raw" >"$work/in"
bad "standard input: found 100 raw bytes; a tensor map has 128" -
input "${hex:0:10}
${hex:10:20}g"
bad "line 2: 'g' is not hexadecimal" -
input "0x1234 ${hex:4}"
bad "words that begin with 0x and plain digits are mixed" -
for text in 0x 0xzz '<repeats 3 times>' '0x0 <repeats x times>' '0x0 <repeats 9999 times>' '$1 = void'; do
    input "$text"
    bad "standard input: " -
done
yes 00 | head -c 2000000 >"$work/in"
bad "too large" -
: >"$work/in"
printf '%0200000d' 0 >"$work/in"
bad "found 200000 hex digits" -
: >"$work/in"

# Edits as tensormap.replace makes them, and what a load does with what comes out.
zeros=$(printf '%0256d' 0)
run 1 decode --replace global_dim:1=0 --replace box_dim:0=16 --replace elemtype=f64 "$zeros"
out "tensormap.replace global_dim:1 = 0 becomes 4294967296"
out "tensormap.replace elemtype:0 = 9"
out "warning, rule REPLACE_VALUE: global_dim[1] is 0, must be at least 1"
out "FLOAT64"
run 1 decode "$zeros"
out "A load through these bytes faults, whatever its coordinates: CUDA_ERROR_ILLEGAL_INSTRUCTION (715)"
run 1 decode --replace box_dim:0=16 --replace global_address=8 "$zeros"
out "fault, rule LOAD_MAP_ADDRESS: globalAddress is 0x8, must be a multiple of 0x10, nearest legal value 0x0"
run 1 decode --json --replace elemtype=tf32 --replace elemtype=f32 --replace box_dim:0=0 "$zeros"
out '"rule": "REPLACE_TF32"'
bad "'box=1' is not FIELD=VALUE or FIELD:ORDINAL=VALUE" --replace box=1 "$hex"
bad "'rank' is not FIELD=VALUE" --replace rank "$hex"
bad "'box_dim:5=1': the assembler takes no such ordinal or value for box_dim" --replace box_dim:5=1 "$hex"
bad "'elemtype=13': the assembler takes no such" --replace elemtype=13 "$hex"
bad "'rank:1=1': the assembler takes no such" --replace rank:1=1 "$hex"
# A matrix descriptor: fields, where each row is read, and the next step along K. The 128B swizzle of rows of 128 bytes.
run 0 decode --descriptor 0x4000004000010040 --rows 16
out "start address        0x400"
out "stride offset        1024 bytes"
out "swizzle              128B (1 here, 3 in a tensor map)"
out "reads                0x400 to 0xbff"
out "next along K         0x4000004000010042: the start is 32 bytes on"
out "   9  0x00890        0x00880"
run 0 decode --descriptor 0x4000004000010046 --rows 8
out "next along K         in the next box: the span of 128 bytes ends here"
run 0 decode --descriptor 0x0000001000080040 --rows 8
out "next along K         0x0000001000080050: the start is 256 bytes on"
run 0 decode --descriptor 0x4000004000010040 --rows 16 --mn-major
out "next along K         0x40000040000100c0: the start is 2048 bytes on"
run 1 decode --descriptor 0x4000004000013fff
out "fault, rule WGMMA_SMEM_BOUNDS: b-desc is"
bad "has no operand of 9 rows" --descriptor 12 --rows 9
bad "--descriptor takes a number of 64 bits, not '0xzz'" --descriptor 0xzz
bad "--types takes the types of a wgmma" --descriptor 12 --types f32
bad "only operands of 16 bits may be MN-major" --descriptor 12 --types f32.e4m3.e4m3 --mn-major
bad "--descriptor stands in place of a map: leave out MAP and --replace" --descriptor 12 "$hex"
bad "--mn-major goes with --descriptor" --mn-major
bad "--rows goes with --descriptor" --rows 16 "$hex"
bad "--types goes with --descriptor" --types f32.f16.f16 "$hex"
run 0 decode --help
out "cuda-gdb"
finish
