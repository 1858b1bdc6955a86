#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref demo`: each mistake, its report, and that the lines it names are those of the source. demo.sh FOLDER, where ring.cu is.
. "$(dirname "$0")/expect.sh" || exit 2
source=$1

run 0 demo
for name in hang tile map; do out "tmaref demo $name"; done

run 0 demo hang
err "ring.cu:26: error: kernel ring(int const*, int*) hangs: thread (0,0,0) of CTA (0,0,0) waits for mbarrier empty[1]: 32 of 32 arrivals are missing"
err "Likely: warp 1 arrived in the phase before (ring.cu:38)"
out "cuCtxSynchronize returned CUDA_ERROR_LAUNCH_TIMEOUT (702)"
out "tmaref exec -- ./x"
check "ring.cu:26 is no wait for empty[]" grep -q 'try_wait_parity(&empty' <(sed -n 26p "$source/ring.cu")
check "ring.cu:38 is no arrive on empty[]" grep -q 'mbarrier_arrive(&empty' <(sed -n 38p "$source/ring.cu")

TMPDIR=$work run 0 demo tile
out "1792 of 2048 elements are wrong: tile[1][0] is 136, wanted 128"
out "READ_UNSWIZZLED"
out "SWIZZLE_MODE: the bytes lie where SWIZZLE_128B puts them, not SWIZZLE_NONE"
check "the tile is left behind" test -z "$(ls "$work" | grep tmaref-demo)"

run 0 demo map
err "refused, rule MAP_SWIZZLE_SPAN: boxDim[0] is 128, must be at most 64"
out "cuTensorMapEncodeTiled returned CUDA_ERROR_INVALID_VALUE (1)"

# What is typed next says the same.
run 1 encode --dtype u16 --dim 128,32 --box 128,32 --swizzle 128B
out "MAP_SWIZZLE_SPAN"
run 0 swizzle 128B

run 2 demo hnag
err "there is no demonstration 'hnag'; did you mean hang?"
run 2 demo hang tile
err "one demonstration at a time, not also 'tile'"
TMPDIR=/nowhere run 2 demo tile
err "cannot write /nowhere/tmaref-demo-"
finish
