// SPDX-License-Identifier: MIT
// What the generators of store and im2col_store share.
#ifndef TMAREF_STORE_RANDOM_H
#define TMAREF_STORE_RANDOM_H

#include "store_case.h"

// Sizes near `span` (rank entries), and the strides of a tensor that is packed or padded, its outer dimensions in any
// order.
void store_shape(struct random *random, const int64_t *span, struct map_args *map);

// A coordinate at which a good part of `span` elements is in bounds, at an edge, or none of it; never negative.
int32_t store_pick_coord(struct random *random, uint64_t dim, int64_t span);

// A store, or a reduction that the type of the map has.
void store_pick_operation(struct random *random, struct store_case *test_case);

// Puts what is written into the case's memory, wherever globalAddress then lies. 0 if it does not fit, or if the order
// of its elements matters.
int store_place(struct random *random, struct store_case *test_case);

// A source for `extent_bytes`: any 128-byte step of the 1024-byte swizzle pattern, high and low in shared memory.
uint32_t store_pick_shared(struct random *random, uint64_t extent_bytes);

#endif
