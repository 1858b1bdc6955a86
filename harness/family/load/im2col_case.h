// SPDX-License-Identifier: MIT
// One im2col load as data. The map's address is in the model's arena (arena.h).
#ifndef TMAREF_IM2COL_CASE_H
#define TMAREF_IM2COL_CASE_H

#include <stdio.h>

#include "difference.h"
#include "im2col.h"
#include "map_args.h"

// `mode` is the instruction's: LOAD_IM2COL, or LOAD_TILE to show what a tiled load does with an im2col map. `dims` is
// its .Nd, `offset` its im2colOffsets (W, H, D; 16 bits each), `shared` the destination, `expect` the bytes that
// arrive.expect_tx announces.
struct im2col_case {
    struct map_args map;
    int32_t coord[TENSORMAP_MAX_RANK];
    uint32_t offset[IM2COL_MAX_SPATIAL];
    uint32_t dims, mode, shared, expect;
};

// The map of a case; 0 if its encode is refused.
int im2col_case_map(const struct im2col_case *test_case, struct tensormap *map);

// The column of a case whose map is an im2col map.
struct im2col im2col_case_column(const struct im2col_case *test_case, const struct tensormap *map);

// What is wrong at the first byte that differs: pixel, position, channel byte, and the likely rule.
enum rule im2col_explain(const void *test_case, const struct difference *difference, FILE *out);

// A random start along spatial dimension `k` of a map: in the bounding box, its ends preferred.
int32_t im2col_pick_start(struct random *random, const struct map_args *map, uint32_t k);

// A random case; see im2col_random.c for what it leans to.
void im2col_generate(struct random *random, void *test_case);

#endif
