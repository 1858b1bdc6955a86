// SPDX-License-Identifier: MIT
// Which element lies where: the walk of a box, asked from either end. Used by explain, by mismatch reports and by the
// text of curated traces.
#ifndef TMAREF_PROVENANCE_H
#define TMAREF_PROVENANCE_H

#include "tile.h"

// One byte of a box: element `index` (tensor coordinates), byte `byte` of it, at global `address`, landing at `shared`.
struct provenance {
    int64_t index[TENSORMAP_MAX_RANK];
    uint32_t byte;
    int is_fill;
    uint64_t address;
    uint32_t shared;
};

// The byte at shared address `address` of the box loaded to `shared`; 0 if no byte of the box lies there.
int provenance_of_shared(const struct tensormap *map, const int32_t *coord, uint32_t shared, uint32_t address,
                         struct provenance *place);

// The first byte of tensor element `index` (all `rank` entries); 0 if the box does not hold it.
int provenance_of_element(const struct tensormap *map, const int32_t *coord, uint32_t shared, const int64_t *index,
                          struct provenance *place);

// The first byte of the box that is read from global `address`; 0 if none is.
int provenance_of_global(const struct tensormap *map, const int32_t *coord, uint32_t shared, uint64_t address,
                         struct provenance *place);

#endif
