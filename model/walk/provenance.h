// SPDX-License-Identifier: MIT
// Which element lies where: the walk of a box, or of an im2col column, asked from either end. Used by explain, by
// mismatch reports, by the text of curated traces and by `tmaref exec --why`.
#ifndef TMAREF_PROVENANCE_H
#define TMAREF_PROVENANCE_H

#include <stdbool.h>

#include "box.h"

// One byte of a box: element `index` (tensor coordinates), byte `byte` of it, at global `address`, landing at `shared`;
// in a column the `pixel` that holds it.
struct provenance {
    int64_t index[TENSORMAP_MAX_RANK];
    uint32_t byte, pixel;
    bool is_fill;
    uint64_t address;
    uint32_t shared;
};

// The byte at shared address `address` of the box at `coord` that is loaded to `shared`; 0 if no byte of it lies there.
bool provenance_of_shared(const struct box *box, const int32_t *coord, uint32_t shared, uint32_t address,
                          struct provenance *place);

// The first byte of tensor element `index` (all `rank` entries), which may lie in several pixels of a column: in the
// first. 0 if the box does not hold it.
bool provenance_of_element(const struct box *box, const int32_t *coord, uint32_t shared, const int64_t *index,
                           struct provenance *place);

// The first byte of the box or column that is read from global `address`, or stored there; 0 if none is.
bool provenance_of_global(const struct box *box, const int32_t *coord, uint32_t shared, uint64_t address,
                          struct provenance *place);

// The run of a column that holds byte `offset`, before swizzling, and its pixel: `walk` stands there. 0 if none does.
bool provenance_pixel(const struct im2col *column, uint32_t offset, struct im2col_walk *walk, struct tile_run *run);

#endif
