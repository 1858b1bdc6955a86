#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref explain`: rules, CUDA errors, where the elements of a box lie, the tiles of a tensor, and wrong questions.
. "$(dirname "$0")/expect.sh" || exit 2

# --- rules and errors ---
run 0 explain map_box_dim
out "MAP_BOX_DIM"
out "Each boxDim entry must be 1 to 256 elements."
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
run 0 explain 702
out "CUDA_ERROR_LAUNCH_TIMEOUT (702): the launch timed out and was terminated. No rule that tmaref knows ends in it."
out "To see who waits for whom, type: tmaref exec -- ./program"
# What CUDA prints, as it stands on the screen, and errors of the runtime alone.
for words in "an illegal memory access was encountered" "CUDA error: an illegal memory access was encountered" cudaErrorIllegalAddress; do
    run 0 explain "$words"
    out "CUDA_ERROR_ILLEGAL_ADDRESS (700): one of these "
    out "type: tmaref exec -- ./program"
    out "GLOBAL_ACCESS_UNMAPPED"
done
run 0 explain "unspecified launch failure"
out "CUDA_ERROR_LAUNCH_FAILED (719): one of these "
run 0 explain cudaErrorInsufficientDriver
out "cudaErrorInsufficientDriver (35): CUDA driver version is insufficient for CUDA runtime version."
run 0 explain "CUDA error: operation not permitted when stream is capturing" # 800 has the first half of it
out "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED (900)"
run 0 explain --json "misaligned address"
json 716 error
json '"misaligned address"' meaning
run 2 explain illegal memory access
err "quotes make one of several words"
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
err "'MAP_BOXDIM' is neither a rule nor a CUDA error; did you mean MAP_BOX_DIM"
run 2 explain smem_align
err "did you mean LOAD_SMEM_ALIGN"
run 0 explain 5
out "CUDA_ERROR_PROFILER_DISABLED (5): profiler disabled. No rule that tmaref knows ends in it."
run 2 explain 6000
err "CUDA has no error 6000"
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
out "no byte of the box: a gap behind a short row"
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
out "fault, rule LOAD_COORD_ALIGN: tensorCoords[0] is 1, must be a multiple of 8, nearest legal value 0"
out "fault, rule LOAD_SMEM_ALIGN: dstMem is 0x410, must be a multiple of 0x80, nearest legal value 0x480"
no_out "UNMAPPED"
run 1 explain --json "${map[@]}" --shared 0x38000
json 700 result
json '"LOAD_SMEM_BOUNDS"' findings 0 rule
run 1 explain --dtype f16 --dim 64 --box 65
err "rule MAP_INNER_BYTES"

# --- stores: 16-byte pieces, what is skipped, what is not read ---
# Rows of 11 u16 are 22 bytes: the second piece has 6 in bounds and is written whole. Rows 5 and 6 are not there.
store=(--dtype u16 --dim 11,5 --strides 32 --box 16,4 --coord 0,3 --shared 0x400)
run 0 explain "${store[@]}" --store --element 12,4 --table
out "written              64 bytes; 64 bytes are out of bounds and skipped"
out "past dimension 0     20 bytes of these: 16-byte pieces go whole to global memory"
out "reads                to 0x43f, the rest is not read"
out "store                works, if what it writes is mapped"
out "  global memory      0x98: past the end of dimension 0, but in a piece that is written whole"
out "0x00400     64  0x60                (0, 3) to (15, 4), past the end of dimension 0"
out "0x00440     64  skipped             (0, 5) to (15, 6)"
no_out expect_tx
run 0 explain "${store[@]}" --element 12,4
out "in bounds            44 bytes; 84 bytes are filled with zeros"
out "none: out of bounds, filled"
run 0 explain "${store[@]}" --store --element 0,5
out "none: out of bounds, skipped"
run 1 explain "${store[@]}" --reduce add
out "reduction            faults with CUDA_ERROR_ILLEGAL_INSTRUCTION (715):"
out "rule REDUCE_TYPE"
run 1 explain "${map[@]}" --store --coord -8,0 --shared 0x480
out "fault, rule STORE_COORD_NEGATIVE: tensorCoords[0] is -8"
run 1 explain --dtype u8 --dim 64,64 --box 16,8 --swizzle 128B --byte 0x60 --store
out "a gap; the store does not read it"
run 0 explain --json "${store[@]}" --store --element 12,4
json '"store"' operation
json 64 writtenBytes
json 20 pastDimension0Bytes
json 64 readBytes
json '"0x98"' element global
run 0 explain --json --dtype u32 --dim 64,64 --box 16,8 --reduce inc
json '"inc"' operation

# --- im2col: 14 x 9 pixels of 64 channels, a filter of 3 x 3, offset (2, 1): W -1 .. 7 and H -1 .. 12 move by it ---
column=(--dtype f16 --dim 64,9,14,64 --lower-corner -1,-1 --upper-corner -1,-1 --channels 8 --pixels 64)
run 0 explain "${column[@]}" --coord 0,4,7,7 --shared 0x400 --offsets 2,1 --element 3,6,9,7 --byte 0x420
out "bounding box         W -1 to 7 by 1, H -1 to 12 by 1, then N by 1"
out "offsets              W 2, H 1, added to every position"
out "column               64 pixels of 16 bytes, pitch 16 bytes"
out "pixels               W 6 H 8 N 7 to W 6 H 1 N 8"
out "shared memory        0x400 to 0x7ff, 1024 bytes"
out "expect_tx            1024 bytes"
# Pixel 0 is (6, 8), pixel 9 the same of the next row; byte 0x420 is pixel 2, (8, 8): (7 * 14 + 8) * 9 + 8 pixels of 128
# bytes into the tensor.
out "shared 0x496: byte 0 of element (3, 6, 9, 7)"
out "  pixel              9 of the column"
out "shared 0x420: byte 0 of element (0, 8, 8, 7)"
out "  global memory      0x1e100"
run 0 explain "${column[@]}" --coord 0,7,7,7 --offsets 2,1 --table
out "pixel  shared   bytes  global memory       elements"
out "    0  0x00000     16  fill                (0, 9, 8, 7) to (7, 9, 8, 7)"
out "    1  0x00010     16  0x1e200             (0, 1, 9, 7) to (7, 1, 9, 7)"
run 1 explain "${column[@]}" --coord 0,4,7,7 --element 8,4,7,7
out "the column does not hold it"
run 1 explain "${column[@]}" --coord 0,8,7,7
out "fault, rule IM2COL_START: tensorCoords[1] is 8, must be at most 7"
run 1 explain "${column[@]}" --coord 0,4,7,7 --store
out "fault, rule IM2COL_STORE_CORNERS: pixelBoxLowerCorner[0] is -1"
no_out offsets
inner=(--dtype f32 --dim 18,4,3,2 --strides 80,320,960 --lower-corner 0,0 --upper-corner -1,0 --channels 16 --pixels 16)
inner+=(--swizzle 64B --coord 16,1,2,0 --shared 0x480 --reduce add)
run 0 explain "${inner[@]}" --table --byte 0x498
out "reduced              176 bytes; 848 bytes are out of bounds and skipped"
out "past dimension 0     88 bytes of these"
out "pixels               W 1 H 2 N 0 to W 1 H 1 N 2"
out "reads                to 0x77f, the rest is not read"
out "shared 0x498: byte 0 of element (18, 1, 2, 0)"
out "past the end of dimension 0, but in a piece that is written whole"
out "    1  0x004d0     16  0x360               (16, 2, 2, 0) to (19, 2, 2, 0), past the end of dimension 0"
run 0 explain --json "${inner[@]}" --element 17,2,0,1 --table
json '[0,0]' lower
json '[2,2]' upper
json 16 pixels
json 64 pitchBytes
json 4 element pixel
json 1 table 4 pixel
run 1 explain --dtype u8 --dim 64,4,4 --lower-corner 0 --upper-corner 0 --channels 16 --pixels 4 --swizzle 64B --byte 0x10
out "a gap behind a short pixel; the load does not write it"
# Slices of 16 bytes: W, slice, N.
run 0 explain --dtype u8 --dim 6,4,5 --interleave 16B --lower-corner 0 --upper-corner 0 --channels 16 --pixels 9 \
    --coord 4,2,0 --element 1,2,1
out "pixels               W 4 N 0 to W 0 N 2"
out "shared 0x30: byte 0 of pixel (1, 2, 1)"
out "  pixel              3 of the column"

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
err "no copy can use this map"
run 2 explain --map "$work/zero" --store
err "no copy can use this map"

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

# --- the CTAs of a cluster ---
tile=(--dtype s32 --dim 16,16 --box 16,8 --shared 0x400)
run 0 explain "${tile[@]}" --cluster 2
out "CTA 1   loads slice 1 at (0, 8) to 0x600 of CTAs 0, 1 (ctaMask 0x0003)"
out "expect_tx            1024 bytes in every CTA"
out "Every CTA receives its whole tile."
run 1 explain "${tile[@]}" --cluster 1x1x2 --slices 1,1
out "CTA 0   never receives slice 0: 0x400 to 0x5ff keep what they held"
out "CTA 1   receives slice 1 twice"
out "nothing hangs, and nothing faults"
run 1 explain "${tile[@]}" --cluster 2 --slices 0,0 --numbers
out " 112  113  114  115  116  117  118  119  120  121  122  123  124  125  126  127"
out "   0    0    0    0    0    0    0    0    0    0    0    0    0    0    0    0"
run 0 explain "${tile[@]}" --cluster 2 --slices 1,0 --numbers
out " 240  241  242  243  244  245  246  247  248  249  250  251  252  253  254  255"
run 0 explain "${tile[@]}" --cluster 4x2 --multicast x --tile 32,16
out "CTA 6   loads slice 2 of its own group's tile to 0x800 of CTAs 4, 5, 6, 7 (ctaMask 0x00f0)"
run 1 explain "${tile[@]}" --cluster 2 --shared 0x410
out "A load faults:"
out "LOAD_SMEM_ALIGN"
run 1 explain --json "${tile[@]}" --cluster 2 --slices 0,0
json 1024 expectTx
json '[2,0]' ctas 1 gets
json 3 ctas 1 ctaMask
json '[0,0]' ctas 1 coord
run 0 explain --json "${tile[@]}" --cluster 2x2 --multicast y
json 10 ctas 3 ctaMask
json 1536 ctas 3 shared

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
bad "--offsets: only loads of im2col maps have them" "${map[@]}" --offsets 0,0
bad "--offsets: only loads of im2col maps have them" "${column[@]}" --store --offsets 0,0
bad "--offsets: has 1 numbers, rank - 2 is 2" "${column[@]}" --offsets 0
bad "--offsets: item 1, '65536'" "${column[@]}" --offsets 65536,0
bad "--store, or --reduce, not both" "${map[@]}" --store --reduce add
bad "--reduce: takes add, min, max, inc, dec, and, or, xor, not 'sum'" "${map[@]}" --reduce sum
bad "--tiles and --cta are of tiled maps; this is an im2col map" "${column[@]}" --tiles
bad "--cta takes a whole number from 0 to 18446744073709551615, not 'seven'" "${map[@]}" --cta seven
bad "--cta: there are 4 tiles, so CTA 0 to 3" "${map[@]}" --cta 4
bad "--order is outer or inner, not 'up'" "${map[@]}" --tiles --order up
bad "past all shared addresses" "${map[@]}" --shared 0xffffff80
bad "go with --cluster" "${map[@]}" --slices 0,1
bad "a cluster has 1 to 16 CTAs, not 32" "${map[@]}" --cluster 8x4
bad "--cluster: a dimension is 1 to 16, not 0" "${map[@]}" --cluster 2x0
bad "--cluster: a dimension is 1 to 16, not 17" "${map[@]}" --cluster 17x1
bad "--cluster: " "${map[@]}" --cluster two
bad "--multicast: takes x, y, z or more of them, not 'w'" "${map[@]}" --cluster 2 --multicast w
bad "cut it into 0 slices" "${map[@]}" --cluster 2 --tile 7,7
bad "--tile: has 1 numbers" "${map[@]}" --cluster 2 --tile 7
bad "--slices: has 1 numbers, the cluster 2 CTAs" "${map[@]}" --cluster 2 --slices 0
bad "--slices: slices are 0 to 1" "${map[@]}" --cluster 2 --slices 0,2
bad "--numbers or --json, not both" "${map[@]}" --cluster 2 --numbers --json
bad "past all shared addresses" "${map[@]}" --cluster 2 --shared 0xffffff80
bad "a load of a tiled map" "${map[@]}" --cluster 2 --store
bad "a load of a tiled map" --dtype f16 --dim 64,56,32 --lower-corner 0 --upper-corner 0 --channels 64 --pixels 16 \
    --cluster 2
bad "there is no option '--" --tilings
run 0 explain --help
check "--map stands among the options of im2col maps" eval 'sed "/^ An im2col map/,\$d" "$work/out" | grep -q -e --map='
out "--order"
# What is read and written, and by which proxy.
run 0 explain --dtype f16 --dim 100,100 --box 64,8 --coord 64,96 --reduce add --accesses
out "  read    tensormap  weak     none   the map                128 bytes"
out "  reduce  async      relaxed  gpu    global 0x4e80           80 bytes"
out "  read    async      weak     none   shared 0x0"
check "a reduction tells no barrier" eval '! grep -q complete_tx "$work/out"'
run 0 explain --dtype f16 --dim 4096,4096 --box 64,256 --accesses
out "more accesses; --all prints them"
out "complete_tx of 32768 bytes"
run 0 explain --dtype f16 --dim 4096,4096 --box 64,256 --accesses --all --json

# --- CuTe layouts ---
sw128='Sw<3,4,3> o smem_ptr[16b](unset) o ((8,16),(64,2)):((64,512),(1,8192))'
run 0 explain --layout "$sw128" --dtype bf16
out "box                  64 x 128: 64 of mode 1, 128 of mode 0"
out "copies               2: 2 along dimension 0, 64 elements and 16384 bytes apart"
out "descriptor           0x4000004000010000 + address / 16: leading offset 16, stride offset 1024"
out "0x00080 r1 8-15  r1 0-7 "
run 0 explain --layout "$sw128" --dtype bf16 --json --element 1,8 --tile 64,64 --cta 3
json '[64,128]' box box
json 2 box copies
json 64 index
json '[64,64]' corner
run 1 explain --layout '(8,64):(72,1)' --dtype bf16
out "box                  none: stride 72 is 144 bytes"
out "                             ^"
run 0 explain --layout '(8,64)' --table
out "     1      1      9     17"
run 0 explain --layout 'Sw<1,1,2> o 0 o (4,8):(8,1)' --table --json
json '[10,11,8,9,14,15,12,13]' table 1
run 0 explain --layout '(8,64)' --table --json
json '[7,15,23,31,39,47,55,63,71,79,87,95,103,111,119,127]' table 7
run 0 explain --layout 8:2 --table
out "     7     14"
run 0 explain --layout '(2,2):(1000000,100000000)' --table
out "     1   1000000 101000000"
run 0 explain --layout '(8,64,3):(64,1,512)' --dtype bf16 --modes 2
out "copies               3: 3 stages, 1024 bytes apart"
bad_layout() { # bad_layout MESSAGE ARGUMENT...
    local message=$1
    shift
    run 2 explain --layout "$@"
    err "$message"
}
bad_layout ", or ) is missing here" '(8,64'
bad_layout '  (8,64
       ^' '(8,64'
bad_layout "stands in place of a map" '(8,64)' --box 64
bad_layout "stands in place of a map" '(8,64)' MAP_BOX_DIM
bad_layout "takes --dtype, --modes, --element" '(8,64)' --coord 0,0
bad_layout "no data type of a tensor map; FP8 moves as u8" '(8,64)' --dtype e4m3
bad_layout "mode 0 has 8 elements, there is no 8" '(8,64)' --element 8,0
bad_layout "--cta with --layout needs --tile" '(8,64)' --cta 0
bad_layout "--table shows two modes: the layout has rank 3" '(2,2,2)' --table
bad_layout "--modes goes with --dtype" '(8,64)' --modes 1
bad_layout "a layout begins with (, a number or Sw<" Layout_K_SW128_Atom
bad_layout "the pointer is not of shared memory: give the layout alone, (8,64):(64,1)" 'gmem_ptr[16b](0x400) o (8,64):(64,1)'
bad_layout "give the layout alone, Sw<3,4,3> o 0 o (8,64):(64,1)" 'Sw<3,4,3> o gmem_ptr[16b](0x400) o (8,64):(64,1)'
bad_layout "give the layout alone, Sw<3,4,3> o 0 o (8,64):(64,1)" 'Sw<3,4,3>_gmem_ptr[16b](0x400) o (8,64):(64,1)'
bad_layout "there are 8 tiles, no CTA 8" '(8,64)' --tile 8,8 --cta 8
bad_layout "a tile of 3 numbers: the layout has rank 2" '(8,64)' --tile 8,8,1
bad_layout "a tile of no elements" '(8,64)' --tile 0
run 2 explain --modes 2
err "--modes goes with --layout"
finish
