#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref explain`: rules, CUDA errors, where the elements of a box lie, the tiles of a tensor, and wrong questions.
. "$(dirname "$0")/expect.sh" || exit 2

# --- rules and errors ---
run 0 explain map_box_dim
out "MAP_BOX_DIM"
out "Each boxDim entry is 1 to 256 elements."
out "sm_90a: INVALID, CUDA_ERROR_INVALID_VALUE (1) (recorded in traces/sm_90a/encode)"
run 0 explain --json LOAD_SMEM_ALIGN
json '"LOAD_SMEM_ALIGN"' id
json 716 cuda_error
for name in 716 CUDA_ERROR_MISALIGNED_ADDRESS cuda_error_misaligned_address cudaErrorMisalignedAddress MisalignedAddress; do
    run 0 explain "$name"
    out "CUDA_ERROR_MISALIGNED_ADDRESS (716): one of these "
    out "LOAD_SMEM_ALIGN"
    out "MBARRIER_ADDRESS_ALIGN"
    no_out "LOAD_COORD_ALIGN"
done
run 0 explain cudaErrorLaunchFailure
out "CUDA_ERROR_LAUNCH_FAILED (719)"
run 0 explain --json 715
json '"CUDA_ERROR_ILLEGAL_INSTRUCTION"' name
json 715 rules 0 cuda_error
run 0 explain 912
out "no rule that tmaref knows ends in this error"
run 0 explain 0
out "CUDA_SUCCESS (0): no error, but these "
run 0 explain silent
out "BULK_SIZE_FIELD"
no_out "BULK_ALIGN"
no_out "TILE_ADDRESS"
run 0 explain --json silent
json 0 error
json '"WORKS"' rules 0 sm_90a
run 0 explain ok
run 2 explain MAP_BOXDIM
err "'MAP_BOXDIM' is no rule and no CUDA error; did you mean MAP_BOX_DIM"
run 2 explain smem_align
err "did you mean LOAD_SMEM_ALIGN"
run 2 explain 5
err "no rule that tmaref knows ends in CUDA error 5"
for name in '' zzz -1 99999999999999999999 "$(printf 'A%.0s' {1..5000})" 'MAP BOX' '%s%s%n'; do
    run 2 explain -- "$name"
    err "tmaref explain: "
    no_out "rule"
done

# --- one box: a matrix of f16, 64 x 64 boxes, 128B swizzle ---
map=(--dtype f16 --dim 100,70 --strides 208 --box 64,64 --swizzle 128B --address 0x10000)
run 0 explain "${map[@]}" --coord 64,64 --shared 0x400
out "rows                 64 rows of 128 bytes, pitch 128 bytes"
out "shared memory        0x400 to 0x23ff, 8192 bytes"
out "expect_tx            8192 bytes"
out "in bounds            432 bytes; 7760 bytes are filled with zeros"
out "the box begins where it begins"
out "load                 works"
run 0 explain "${map[@]}" --shared 0x480
out "the box begins 128 bytes into it"
# Row 1 of the box is line 0x480, whose bits 9..7 are 1: chunk 0 goes to 0x490. 0x10000 + 65 * 208 + 64 * 2 = 0x13550.
run 0 explain "${map[@]}" --coord 64,64 --shared 0x400 --element 64,65
out "shared 0x490: byte 0 of element (64, 65)"
out "global memory      0x13550"
out "bank               4"
out "16-byte chunk      1 of the 128-byte line 0x480"
out "without swizzle    0x480"
run 0 explain "${map[@]}" --coord 64,64 --shared 0x400 --byte 0x491
out "shared 0x491: byte 1 of element (64, 65)"
out "global memory      0x13551"
run 0 explain "${map[@]}" --coord 64,64 --shared 0x400 --element 100,65
out "global memory      none: out of bounds, filled"
run 1 explain "${map[@]}" --coord 64,64 --element 63,64
out "element (63, 64): the box does not hold it"
run 1 explain "${map[@]}" --shared 0x400 --byte 0x3ff
out "no byte of the box: outside of it"
run 1 explain --dtype u8 --dim 64,64 --box 16,8 --swizzle 128B --byte 0x60
out "no byte of the box: a gap after a short row"
run 0 explain --json "${map[@]}" --coord 64,64 --shared 0x400 --element 64,65 --byte 0x491 --table
json 8192 expectTx
json 432 inBoundsBytes
json 0 result
json 1168 element shared
json '"0x13550"' element global
json '[64,65]' byte index
json true tableIsCut
json true table 1 fill
json '[64,64]' table 0 first
run 1 explain --json "${map[@]}" --byte 0xffffffff
json null byte

# --- the table, cut and whole ---
run 0 explain "${map[@]}" --coord 64,64 --shared 0x400 --table
out "0x00400     72  0x13480             (64, 64) to (99, 64)"
out "0x00448     56  fill                (100, 64) to (127, 64)"
out "0x00490     16  0x13550             (64, 65) to (71, 65)"
out "... only the first 64 pieces; --all prints every one"
run 0 explain "${map[@]}" --coord 64,64 --table --all
no_out "only the first"
check "bytes of all pieces" test "$(awk '/^0x/ { n += $2 } END { print n }' "$work/out")" -eq 8192
run 0 explain --dtype f32 --dim 1024,1024 --box 16,16 --table
out "0x00000     64  0x0                 (0, 0) to (15, 0)"

# --- the load faults, with every reason that can be told without memory ---
run 1 explain "${map[@]}" --coord 1,0 --shared 0x410
out "load                 faults with CUDA_ERROR_ILLEGAL_INSTRUCTION (715):"
out "fault, rule LOAD_COORD_ALIGN: tensorCoords[0] is 1, limit 8, nearest legal value 0"
out "fault, rule LOAD_SMEM_ALIGN: dstMem is 0x410, limit 0x80, nearest legal value 0x480"
no_out "UNMAPPED"
run 1 explain --json "${map[@]}" --shared 0x38000
json 700 result
json '"LOAD_SMEM_BOUNDS"' findings 0 rule
run 1 explain --dtype f16 --dim 64 --box 65
err "rule MAP_INNER_BYTES"

# --- --map, in all its forms ---
"$TMAREF" encode "${map[@]}" --json >"$work/encoded"
"$JSON_CHECK" call <"$work/encoded" >"$work/call.json"
"$JSON_CHECK" map <"$work/encoded" | tr -d '"' >"$work/hex"
for form in "$work/call.json" "$work/hex" "$(cat "$work/call.json")" "$(cat "$work/hex")"; do
    run 0 explain --map "$form" --coord 64,64 --shared 0x400 --element 64,65
    out "global memory      0x13550"
done
head -c 128 /dev/zero >"$work/zero"
run 2 explain --map "$work/zero"
err "no load can use this map"

# --- tiles; CTA 7 as in CuTe: print_tensor of the coordinates of block 7 of a 16 x 16 tiling ---
run 0 explain --dtype f32 --dim 1024,1024 --box 16,16 --cta 7
out "CTA 7      tile (0, 7)  coordinates (0, 112)"
out "ArithTuple(0,112) o (_16,_16):(_1@1,_1@0):"
out "  (0,112)  (1,112)  (2,112)  (3,112)"
out "  (0,127)  (1,127)  (2,127)  (3,127)"
out "(15,127)"
no_out "*"
run 0 explain --dtype f32 --dim 1024,1024 --box 16,16 --cta 7 --order inner
out "ArithTuple(112,0) o (_16,_16):(_1@1,_1@0):"
run 0 explain --dtype f32 --dim 40,20 --box 16,16 --tiles
out "3 x 2 = 6 tiles"
out "CTA 0      tile (0, 0)  coordinates (0, 0)"
out "CTA 1      tile (0, 1)  coordinates (0, 16)  remainder: 16 x 4 in bounds"
out "CTA 5      tile (2, 1)  coordinates (32, 16)  remainder: 8 x 4 in bounds"
no_out "CTA 6"
run 0 explain --dtype f32 --dim 40,20 --box 16,16 --cta 5
out "(39,19)  (40,19)*"
out "* out of bounds: filled"
run 0 explain --dtype f32 --dim 64,64 --box 16,16 --element-strides 1,2 --cta 0
out "ArithTuple(0,0) o (_8,_16):(_2@1,_1@0):"
run 0 explain --dtype f32 --dim 64,64 --box 64,64 --cta 0
out "--all prints every coordinate"
run 0 explain --dtype f32 --dim 1000,40 --box 16,16 --tiles
out "... only the first 64 of 189; --all prints every one"
run 0 explain --json --dtype f32 --dim 40,20 --box 16,16 --tiles
json 6 tiles
json '[32,16]' ctas 5 coord
json '[8,4]' ctas 5 inBounds
run 0 explain --json --dtype f32 --dim 40,20 --box 16,16 --cta 1
json true remainder

# --- wrong questions ---
bad() { # bad SENTENCE ARGUMENT...
    local sentence=$1
    shift
    run 2 explain "$@"
    err "$sentence"
    quiet
}
bad "say what: a rule, a CUDA error, or a map"
bad "say what" --coord 0,0
bad "one rule or error at a time, not also '716'" 715 716
bad "a rule, or a map, not both" MAP_BOX_DIM "${map[@]}"
bad "--map, or the options of a map, not both" --map "$work/hex" --dtype f16
bad "--dim is needed" --dtype f16
bad "--map: found 2 hex digits" --map ab
bad "not a JSON object" --map '{'
bad "Is a directory" --map "$work"
bad "--coord: has 1 numbers, the rank is 2" "${map[@]}" --coord 0
bad "--coord: item 1, '2147483648'" "${map[@]}" --coord 2147483648,0
bad "--coord: item 2, 'x'" "${map[@]}" --coord 0,x
bad "--shared: '-128' is not a 32-bit shared address" "${map[@]}" --shared -128
bad "--byte: '4294967296' is not a 32-bit shared address" "${map[@]}" --byte 4294967296
bad "--element: has 3 numbers, the rank is 2" "${map[@]}" --element 0,0,0
bad "--cta: 'seven' is not a whole number" "${map[@]}" --cta seven
bad "--cta: there are 4 tiles, so CTA 0 to 3" "${map[@]}" --cta 4
bad "--order: takes outer or inner, not 'up'" "${map[@]}" --tiles --order up
bad "past all shared addresses" "${map[@]}" --shared 0xffffff80
bad "only boxes of tiled maps are explained" --dtype f16 --dim 64,56,32 --lower-corner 0 --upper-corner 0 --channels 64 \
    --pixels 16
bad "unrecognized option" --tilings
run 0 explain --help
out "--order"
finish
