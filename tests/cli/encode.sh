#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref encode`: the bytes of calls, every rule of refused ones, and arguments that make no sense.
. "$(dirname "$0")/expect.sh" || exit 2

matrix=(--dtype f16 --dim 4096,4096 --box 64,64 --swizzle 128B)
matrix_words='bit    0: 0x0000000000000000
bit   64: 0x0000020000006310
bit  128: 0x0000000000000000
bit  192: 0x0000000000000000
bit  256: 0x00000fff00000fff
bit  320: 0x0000000000000000
bit  384: 0x3f00000000000000
bit  448: 0x000000000000003f
bit  512: 0x0000000000002000
bit  576: 0x0000000000000400
bit  640: 0x0000000000000000
bit  704: 0x0000000000000000
bit  768: 0x0000000000000000
bit  832: 0x0000000000000000
bit  896: 0x0000000000000000
bit  960: 0x0000000000000000'

# --- the bytes ---
run 0 encode "${matrix[@]}"
out "0000000000000000106300000002000000000000000000000000000000000000ff0f0000ff0f0000"
out "tensorDataType       CU_TENSOR_MAP_DATA_TYPE_FLOAT16 (6)"
out "globalStrides        8192"
out "(bytes of the box)   8192"
out "(pattern alignment)  1024"
out "Defaults used: globalAddress 0, globalStrides packed, elementStrides 1."
run 0 encode --words "${matrix[@]}"
check "other words" test "$(head -16 "$work/out")" = "$matrix_words"
run 0 encode --raw "$work/raw" "${matrix[@]}"
check "--raw writes 128 bytes" test "$(wc -c <"$work/raw")" -eq 128
cp "$work/raw" "$work/first"
run 0 encode --raw - "${matrix[@]}"
check "--raw - prints the 128 bytes alone" cmp -s "$work/first" "$work/out"
run 0 encode --json "${matrix[@]}"
json 0 result
json '"CUDA_SUCCESS"' resultName
json 6 call tensorDataType
json '"CU_TENSOR_MAP_SWIZZLE_128B"' names swizzle
json '[]' findings

# --- all spellings of one call make the same bytes ---
run 0 encode "${matrix[@]}"
head -1 "$work/out" >"$work/first"
same() {
    run 0 encode "$@"
    check "other bytes" cmp -s "$work/first" <(head -1 "$work/out")
}
same --tensor-data-type 6 --tensor-rank 2 --global-dim 4096,4096 --global-strides 8192 --box-dim 64,64 --swizzle 3 \
    --element-strides 1,1 --global-address 0 --interleave 0 --l2-promotion 0 --oob-fill 0
same --dtype FLOAT16 --dim "0x1000, 4096" --box 64,0x40 --swizzle CU_TENSOR_MAP_SWIZZLE_128B --interleave NONE
same --dtype CU_TENSOR_MAP_DATA_TYPE_FLOAT16 --dim 4096,4096 --box 64,64 --swizzle 128b --address 0x0 --rank 2
run 0 encode --json "${matrix[@]}"
"$JSON_CHECK" call <"$work/out" >"$work/call.json"
same "$work/call.json"
cp "$work/call.json" "$work/in"
same -
: >"$work/in"

# --- what is left out ---
run 0 encode --dtype u8 --dim 100,7,3 --box 16,1,1
out "globalStrides        112, 784"
run 0 encode --dtype u8 --dim 3,7,3 --box 16,1,1 --interleave 32B --swizzle 32B
out "globalStrides        96, 672"
run 0 encode --dtype bf16 --dim 8 --box 8 --l2-promotion 256B --oob-fill nan
out "globalStrides        none"
out "CU_TENSOR_MAP_L2_PROMOTION_L2_256B (3)"
out "CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA (1)"
no_out "globalStrides packed"

# --- im2col, wide, replace ---
run 0 encode --dtype f16 --dim 64,56,56,32 --lower-corner -1,-1 --upper-corner -1,-1 --channels 64 --pixels 128
out "mode                 im2col"
out "pixelBoxLowerCorner  -1, -1"
out "pixelsPerColumn      128"
run 0 encode --dtype f16 --dim 64,56,32 --lower-corner -1 --upper-corner -1 --channels 64 --pixels 128 --wide W128 --swizzle 128B
out "An H200 accepts this call; the documents forbid it:"
out "warning, rule MAP_WIDE_SM90"
run 0 encode --replace "$(cat "$work/first")" --address 0x12340
out "globalAddress        0x12340"
run 0 encode --replace "$work/raw" --address 16
out "globalAddress        0x10"
run 1 encode --replace "$work/raw" --address 0
out "cuTensorMapReplaceAddress returns CUDA_ERROR_INVALID_VALUE (1):"
out "rule REPLACE_ADDRESS_NULL"

# A size without its B is that size, as `tmaref swizzle` takes it.
for spelling in "--swizzle 128" "--swizzle 128B" "--swizzle 3"; do
    # shellcheck disable=SC2086
    run 0 encode --dtype f16 --dim 64,64 --box 64,8 $spelling --l2-promotion 128
    out "CU_TENSOR_MAP_SWIZZLE_128B (3)"
    out "CU_TENSOR_MAP_L2_PROMOTION_L2_128B (2)"
done
run 2 encode --dtype f16 --dim 64,64 --box 32
err "--box: has 1 number, where the rank is 2"

# --- refused: every rule, with value, limit and nearest legal value ---
run 1 encode --dtype f16 --dim 4096,0 --strides 8200 --box 64,257 --element-strides 1,9 --address 8
out "cuTensorMapEncodeTiled returns CUDA_ERROR_INVALID_VALUE (1):"
out "refused, rule MAP_ADDRESS_ALIGN: globalAddress is 0x8, must be a multiple of 0x10, nearest legal value 0x10"
out "refused, rule MAP_STRIDE_ALIGN: globalStrides[0] is 8200, must be a multiple of 16, nearest legal value 8208"
out "refused, rule MAP_DIM: globalDim[1] is 0, must be at least 1"
out "refused, rule MAP_BOX_DIM: boxDim[1] is 257, must be at most 256"
out "refused, rule MAP_ELEMENT_STRIDE: elementStrides[1] is 9, must be at most 8"
out "Pad the rows to a multiple of 16 bytes; a stride is in bytes, not in elements."
run 1 encode --json --dtype f16 --dim 4096,0 --box 64,257
json 1 result
json '"CUDA_ERROR_INVALID_VALUE"' resultName
json '"boxDim"' findings 1 argument
json 256 findings 1 nearest
run 1 encode --json --dtype f16 --dim 64 --box 64 --address 0xffffffffffffffff
json '"0xffffffffffffffff"' findings 0 value
run 1 encode --dtype 13 --dim 64 --box 64
out "rule MAP_DATA_TYPE_PACKED"
run 1 encode --dtype 99 --dim 64 --box 64
out "rule MAP_DATA_TYPE:"
run 1 encode --dtype f16 --dim 1,1,1,1,1,1 --box 8,1,1,1,1,1
out "rule MAP_RANK: tensorRank is 6"
run 1 encode --dtype f16 --dim 64 --rank 0xffffffff --box 64
out "cuTensorMapEncodeTiled crashes the process on an H200:"
run 1 encode --dtype f16 --dim 4294967296,4294967296,4294967296 --box 8,1,1
out "rule MAP_STRIDE_LIMIT"
run 0 encode --dtype f16 --dim 64,8 --strides 64 --box 64,8
out "warning, rule MAP_STRIDE_ORDER"

# --- arguments that make no sense ---
bad() { # bad SENTENCE ARGUMENT...
    local sentence=$1
    shift
    run 2 encode "$@"
    err "$sentence"
    quiet
}
bad "--dtype is needed"
bad "--dim is needed" --dtype f16
bad "--box is needed" --dtype f16 --dim 64
bad "--channels is needed" --dtype f16 --dim 64,64,1 --lower-corner 0 --upper-corner 0
bad "--dtype: takes u8, u16" --dtype f17 --dim 64 --box 64
bad "--swizzle: takes none, 32B, 64B, 128B, or a number, not '256B'" --dtype f16 --dim 64 --box 64 --swizzle 256B
bad "--dim: item 2, '', is not a whole number" --dtype f16 --dim 64, --box 64
bad "--dim: item 1, '-1', is not a whole number" --dtype f16 --dim -1 --box 64
bad "--dim: item 1, '18446744073709551616'" --dtype f16 --dim 18446744073709551616 --box 64
bad "--dim: item 1, '0000" --dtype f16 --dim 0000000000000000000000000000000000000001 --box 64
bad "--dim: takes at most 16 numbers" --dtype f16 --dim 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1 --box 64
bad "--box: has 1 number, where the rank is 2" --dtype f16 --dim 64,64 --box 64
bad "--box: item 1, '4294967296'" --dtype f16 --dim 64 --box 4294967296
bad "--strides: has 2 numbers, where rank - 1 is 1" --dtype f16 --dim 64,64 --strides 128,128 --box 64,1
bad "--strides: a map of rank 1 has none" --dtype f16 --dim 64 --strides 16 --box 64
bad "--dim: has 2 numbers, where the rank is 3" --dtype f16 --dim 64,64 --rank 3 --box 64,64,1
bad "--rank: 'two' is not a whole number" --dtype f16 --dim 64,64 --rank two --box 64,64
bad "--address: '0xg' is not a whole number" --dtype f16 --dim 64 --box 64 --address 0xg
bad "--lower-corner: has 1 number, where rank - 2 is 2" --dtype f16 --dim 64,9,9,1 --lower-corner 0 --upper-corner 0,0 \
    --channels 64 --pixels 9
bad "--box: an im2col map has --channels and --pixels instead" --dtype f16 --dim 64,9,1 --lower-corner 0 \
    --upper-corner 0 --channels 64 --pixels 9 --box 64,1,1
bad "--replace: takes --address and nothing else" --replace "$work/raw"
bad "--replace: takes --address and nothing else" --replace "$work/raw" --address 16 --dtype f16
bad "there is no option '--boxes'; did you mean --box?" --boxes 64
bad "there is no option '--dtpye'; did you mean --dtype?" --dtpye u8
bad "requires an argument" --dtype
bad "one file at a time" one.json two.json
bad "options of the map, or a JSON file, not both" --dtype f16 "$work/call.json"
bad "No such file or directory" "$work/nowhere.json"
bad "Is a directory" "$work"
bad "--raw:" "${matrix[@]}" --raw "$work/nowhere/map"
for text in '' '{' '[]' '42' '{"function":"cuTensorMapEncodeTiled"}' '{"function":"cuLaunch"}' '{"a":1,"a":2}' 'nonsense'; do
    input "$text"
    bad "tmaref encode: " -
done
sed 's/"swizzle":3/"swizzle":3,"colour":1/' "$work/call.json" >"$work/in"
bad "tmaref encode: " -
printf '\0\1\2' >"$work/in"
bad "tmaref encode: " -
run 0 encode --help
out "--element-strides"
finish
