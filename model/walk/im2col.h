// SPDX-License-Identifier: MIT
// The im2col walk: one column of pixels of an im2col map as runs of bytes, the vocabulary of tile.h. A pixel holds
// channelsPerPixel channels, or one 16- or 32-byte slice with interleave. Loads are in im2col_load.h.
#ifndef TMAREF_IM2COL_H
#define TMAREF_IM2COL_H

#include "tile.h"

enum { IM2COL_MAX_SPATIAL = 3 }; // W, H, D

// A column of pixels. Spatial dimension k (0 W, 1 H, 2 D) is dimension `spatial` + k of the map; N is the last.
//   offset[k]     added to the position for bounds and address, not for the steps
//   start[k], lower[k], upper[k]  where the steps start, and the bounding box, both ends included     (elements)
//   pixel_bytes   of a pixel in shared memory; pitch_bytes from one to the next
//   first_byte .. past_byte  what of a pixel's bytes is in bounds along C; equal when nothing is
//   step_bytes    from one pixel to the next along W in global memory
//   pixels_touch  pixels follow each other without a gap, in shared and in global memory: they make longer runs
struct im2col {
    const struct tensormap *map;
    int spatial, spatials;
    uint32_t offset[IM2COL_MAX_SPATIAL];
    int64_t start[IM2COL_MAX_SPATIAL], lower[IM2COL_MAX_SPATIAL], upper[IM2COL_MAX_SPATIAL];
    int64_t start_n;
    uint64_t inner_address; // of the first channel, or of the slice, at W, H, D, N = 0
    uint32_t pixels, pixel_bytes, pitch_bytes;
    uint32_t first_byte, past_byte;
    uint64_t step_bytes;
    int pixels_touch;
};

// The column that a load of `map` at `coord` (rank entries, innermost first) reads, the map's rank being 3 to 5.
//   offset   the im2colOffsets of the instruction as given, rank - 2 entries, W first                  (elements)
//   source   PTX ISA 9.1 "im2col mode" (#tensor-im2col-mode); rules IM2COL_WALK, IM2COL_OFFSETS
struct im2col im2col_of(const struct tensormap *map, const int32_t *coord, const uint16_t *offset);

// The column that a store or reduction writes: no offsets, and channels in whole 16-byte pieces: a run that is no fill
// may end up to 15 bytes past the last channel. Rules IM2COL_STORE_WALK, STORE_GRANULE.
struct im2col im2col_of_store(const struct tensormap *map, const int32_t *coord);

// Does the start lie in the bounding box, in every spatial dimension? `outside` takes the first that does not (0 W).
int im2col_start_in_box(const struct im2col *column, int *outside);

// Is byte 0 of the first pixel out of bounds?
int im2col_first_outside(const struct im2col *column);

// Bytes a load signals to its mbarrier: all pixels, out-of-bounds parts included, gaps not.
uint64_t im2col_transaction_bytes(const struct im2col *column);

// Bytes of shared memory from the first to the last byte, gaps between pixels included.
uint64_t im2col_extent_bytes(const struct im2col *column);

// Bytes of shared memory from the first byte to the end of the last one in bounds, 0 if none is: how far a store, which
// skips what is out of bounds, reads.
uint64_t im2col_reach_bytes(const struct im2col *column);

// A walk in progress; start it with im2col_walk().
struct im2col_walk {
    const struct im2col *column;
    uint32_t pixel;                 // the current one
    uint32_t done_bytes;            // of it
    int64_t at[IM2COL_MAX_SPATIAL]; // its position, offsets not added
    int64_t n;
};

// Starts the walk of `column`, which must outlive it.
struct im2col_walk im2col_walk(const struct im2col *column);

// The next run, in rising order of `offset`; returns 0 when the column is done.
int im2col_next(struct im2col_walk *walk, struct tile_run *run);

// The same in bigger steps, for code that moves bytes: the next run, and how many pixels from it on have the same
// shape. Each is pitch_bytes further in shared memory and step_bytes further in global memory. Returns 0 when the
// column is done.
uint32_t im2col_next_pixels(struct im2col_walk *walk, struct tile_run *run);

#endif
