// SPDX-License-Identifier: MIT
// The tiled walk: one box of a tensor map as runs of bytes. Everything that needs the places of a box uses this walk.
// What moves the bytes is copy.h; im2col has a walk of its own.
#ifndef TMAREF_TILE_H
#define TMAREF_TILE_H

#include "memory.h"
#include "tensormap.h"

// A run: `bytes` bytes that lie together in shared memory (before swizzling) and, unless `is_fill`, in global memory.
//   offset    from the start of the box in shared memory                                               (bytes)
//   address   global address of the first byte; meaningless when is_fill
struct tile_run {
    uint32_t offset;
    uint32_t bytes;
    uint64_t address;
    int is_fill;
};

// A box being walked. Dimension 0 lies inside a row; `steps[i]` rows follow each other along dimension i.
//   inner_dim  how far dimension 0 reaches: dim[0], for stores up to the end of its last 16-byte piece
//   steps[i]   elements (16- or 32-byte pixels with interleave) of the box along dimension i
//   pitch      bytes from one row to the next in shared memory
//   row_bytes  bytes of a row that are written
//   row_step_bytes  bytes from one row to the next along dimension 1 in global memory
//   rows_touch rows follow each other without a gap, in shared and in global memory: they make longer runs
struct tile {
    const struct tensormap *map;
    int32_t coord[TENSORMAP_MAX_RANK];
    uint64_t inner_dim;
    uint32_t steps[TENSORMAP_MAX_RANK];
    uint32_t pitch_bytes, row_bytes;
    uint64_t rows; // a box whose bytes the encoder counted as 0 may have 2^32
    uint64_t row_step_bytes;
    int rows_touch;
};

// The box of `map` at `coord` (rank entries, innermost first; elements, or slices and pixels with interleave).
struct tile tile_of(const struct tensormap *map, const int32_t *coord);

// The same for stores and reductions, which write dimension 0 in whole 16-byte pieces: a run that is no fill may end up
// to 15 bytes past dim[0]. Rule STORE_GRANULE.
struct tile tile_of_store(const struct tensormap *map, const int32_t *coord);

// The same in place.
void tile_start(struct tile *tile, const struct tensormap *map, const int32_t *coord);
void tile_start_store(struct tile *tile, const struct tensormap *map, const int32_t *coord);

// Bytes a load of this box signals to its mbarrier: the whole box, out-of-bounds parts included, gaps not.
uint64_t tile_transaction_bytes(const struct tile *tile);

// Bytes of shared memory from the first to the last byte of the box, gaps between rows included.
uint64_t tile_extent_bytes(const struct tile *tile);

// Bytes of shared memory from the first byte of the box to the end of the last element in bounds, 0 if none is: how far
// a store, whose coordinates are not negative, reads.
uint64_t tile_reach_bytes(const struct tile *tile);

// A walk in progress; start it with tile_walk().
struct tile_walk {
    const struct tile *tile;
    uint64_t row;                      // rows already begun
    uint32_t step[TENSORMAP_MAX_RANK]; // where the row lies, dimension 0 excluded
    uint64_t row_address;              // global address of coordinate 0 of dimension 0 in this row
    uint32_t outside;                  // how many outer dimensions are out of bounds
    uint32_t done_bytes;               // of this row
    int64_t first, past;               // steps of dimension 0 in bounds: first <= k < past
};

// Starts the walk of `tile`, which must outlive it; also in place.
struct tile_walk tile_walk(const struct tile *tile);
void tile_walk_start(struct tile_walk *walk, const struct tile *tile);

// Starts it at row `row`, which is less than tile->rows, at once.
struct tile_walk tile_walk_from(const struct tile *tile, uint64_t row);

// The next run, in rising order of `offset`; returns 0 when the box is done.
int tile_next(struct tile_walk *walk, struct tile_run *run);

// The same in bigger steps, for code that moves bytes: the next run, and how many rows from it on have the same shape.
// Each is pitch_bytes further in shared memory and row_step_bytes further in global memory. Rows of fill have no global
// address. Returns 0 when the box is done.
uint32_t tile_next_rows(struct tile_walk *walk, struct tile_run *run);

#endif
