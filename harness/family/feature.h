// SPDX-License-Identifier: MIT
// What a case exercises, as a point of a small space: operation x mode x data type x rank x swizzle x interleave, and
// two classes that say how the box meets the tensor. Families say it of their cases; cross.h counts the points.
#ifndef TMAREF_FEATURE_H
#define TMAREF_FEATURE_H

#include <stdbool.h>

#include "tensormap.h"

// A load, a load to several CTAs, a store, and from FEATURE_REDUCE on the reductions in the order of enum reduce_op.
enum feature_operation { FEATURE_LOAD, FEATURE_MULTICAST, FEATURE_STORE, FEATURE_REDUCE, FEATURE_OPERATIONS = 11 };

// Where elements of the box lie: all in bounds, some before the tensor, some past its end, both, or none in bounds.
enum feature_bounds { BOUNDS_INSIDE, BOUNDS_LOW, BOUNDS_HIGH, BOUNDS_BOTH, BOUNDS_OUTSIDE, BOUNDS_CLASSES };

// Where elementStrides is more than 1: nowhere, along dimension 0, along others, or both.
enum feature_estride { ESTRIDE_ONE, ESTRIDE_INNER, ESTRIDE_OUTER, ESTRIDE_BOTH, ESTRIDE_CLASSES };

enum { FEATURE_MODES = 2, FEATURE_RANKS = 5, FEATURE_SWIZZLES = 4, FEATURE_INTERLEAVES = 3 };

struct feature {
    enum feature_operation operation;
    enum tensormap_mode mode;
    enum dtype dtype;
    int rank;
    enum tensormap_swizzle swizzle;
    enum tensormap_interleave interleave;
    enum feature_bounds bounds;
    enum feature_estride estride;
};

// The point of an operation with `map` at `coord`, tiled or im2col by the map. `offset`: NULL, or the im2colOffsets.
struct feature feature_of(enum feature_operation operation, const struct tensormap *map, const int32_t *coord,
                          const uint16_t *offset);

// Can a case at this point run without a fault? Loads of all formats can; a reduction needs a type that has it, an
// interleaved or im2col map rank 3, and stores no start before the tensor.
bool feature_is_possible(const struct feature *feature);

// "load", "multicast", "store", "add", ...
const char *feature_operation_name(enum feature_operation operation);

#endif
