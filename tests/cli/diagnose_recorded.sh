#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref diagnose` on what mistakes left on an H200 (tests/diagnose/recorded): loads, im2col and interleaved loads, slices of
# a multicast, stores. Each row is a mistake, the cause that has to be named, and where: first, or with others that give
# the same bytes. Argument: the archive of the dumps.
. "$(dirname "$0")/expect.sh" || exit 2
archive=$(realpath "${1:?the archive of the dumps}")
cd "$work" && tar xzf "$archive" || exit 2
cases=0

plain=(--dtype f16 --dim 256,64 --box 64,16 --swizzle 128B --coord 64,16 --fill iota)
column=(--dtype f16 --dim 32,16,8,2 --lower-corner=-1,-1 --upper-corner=-1,-1 --channels 32 --pixels 32 --swizzle 64B
    --coord 0,3,2,1 --offsets 2,1 --fill iota)
sliced=(--dtype f16 --dim 32,8,2,2 --strides 1024,8192,16384 --box 16,4,1,1 --interleave 32B --coord 4,2,1,1 --fill iota)
four=(--dtype f16 --dim 256,64 --box 32,8 --swizzle 64B --coord 32,16 --slices 4,1 --fill iota)
stored=(--store --dtype f16 --dim 64,64 --box 32,8 --swizzle 64B --coord 32,16 --before 0x11 --shared 0x400)

# named CAUSE PLACE: the last run names it, first or at all, as what explains every byte.
named() {
    cases=$((cases + 1))
    case $2 in
    first) json "\"$1\"" explanations 0 cause ;;
    tie) out "\"cause\": \"$1\"" ;;
    esac
}

while read -r name cause place; do
    run 1 diagnose "${plain[@]}" --dump "load_$name.dump" --json
    named "$cause" "$place"
done <<'ROWS'
swapped COORD_SWAPPED first
tile_numbers COORD_UNIT first
bytes COORD_UNIT first
row_off COORD_OFF first
swizzle SWIZZLE_MODE first
pitch STRIDE first
pointer GLOBAL_BASE tie
element_stride ELEMENT_STRIDE first
box BOX tie
bounds BOUNDS first
type COORD_UNIT first
no_wait STALE first
expect_half TX_COUNT first
other_stage SHARED_ADDRESS first
parity OTHER_PHASE first
stages_overlap OVERWRITTEN first
ROWS
run 1 diagnose "${plain[@]}" --coord 64,56 --dump load_fill.dump --json
named FILL first
tail -c +$((232 + 384 + 1)) load_unaligned.dump | head -c 2048 >buffer # as one sees it who thinks that it is aligned
run 1 diagnose "${plain[@]}" --shared 0x400 --dump buffer --json
named SWIZZLE_BASE first

while read -r name cause; do
    run 1 diagnose "${column[@]}" --dump "im2col_$name.dump" --json
    named "$cause" first
done <<'ROWS'
taps_swapped IM2COL_OFFSET
tap IM2COL_OFFSET
corner IM2COL_CORNER
picture OTHER_PHASE
swizzle SWIZZLE_MODE
ROWS
while read -r name cause; do
    run 1 diagnose "${sliced[@]}" --swizzle 32B --dump "interleave_$name.dump" --json
    named "$cause" first
done <<'ROWS'
swapped COORD_SWAPPED
slice OTHER_PHASE
pitch STRIDE
ROWS
run 1 diagnose "${sliced[@]}" --dump interleave_16.dump --json
named INTERLEAVE first

# The addresses in a dump of a cluster have the rank of the CTA in them, the poison too.
run 0 diagnose "${four[@]}" --dump multicast_right.dump
out "dump                 0x400 to 0xbff"
while read -r name cause; do
    run 1 diagnose "${four[@]}" --dump "multicast_$name.dump" --json
    named "$cause" first
done <<'ROWS'
slice_of_rank_0 WRONG_SLICE
place_of_next WRONG_SLICE
mask_short STALE
one_does_not_issue STALE
only_to_itself STALE
expect_own TX_COUNT
swapped COORD_SWAPPED
no_cluster_sync STALE
ROWS

while read -r name cause place; do
    run 1 diagnose "${stored[@]}" --tile "store_$name.tile" --dump "store_$name.after" --json
    named "$cause" "$place"
done <<'ROWS'
swapped COORD_SWAPPED first
tile_numbers COORD_UNIT first
row_off COORD_OFF first
swizzle SWIZZLE_MODE first
pitch STRIDE first
box BOX tie
pointer GLOBAL_BASE tie
bounds BOUNDS tie
other_stage SHARED_ADDRESS first
ROWS
run 1 diagnose "${stored[@]}" --dtype u32 --dim 32,64 --box 16,8 --coord 16,16 --tile store_added.tile --dump store_added.after --json
named ADDED first
while read -r name cause; do
    run 1 diagnose "${stored[@]}" --slices 4,1 --tile "store_$name.tile" --dump "store_$name.after" --json
    named "$cause" first
done <<'ROWS'
slices_turned WRONG_SLICE
slice_of_rank_0 WRONG_SLICE
three_slices STALE
ROWS
run 1 diagnose "${stored[@]}" --slices 4,1 --tile store_no_barrier.tile --dump store_no_barrier.after \
    --other store_no_barrier.other --json # the tile before, in the same buffer
named OTHER_TENSOR first

check "$cases mistakes were looked at, not 49" test "$cases" -eq 49
finish
