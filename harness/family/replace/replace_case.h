// SPDX-License-Identifier: MIT
// One map on the device as data: 128 bytes, the place they lie in, edits, and a tiled load through what comes out.
#ifndef TMAREF_REPLACE_CASE_H
#define TMAREF_REPLACE_CASE_H

#include "family.h"
#include "load_case.h"
#include "replace.h"
#include "replace_job.h"

// `start` is what the map holds before `count` edits in `space`; addresses in it, and in the edits, that are near the
// arena are shifted with it. `location` is where the load finds the map, `misalign` bytes past a 64-byte boundary.
// `dims` is the .Nd of the load, 0 for none; coordinates, destination and expected bytes are as in struct load_case.
struct replace_case {
    uint64_t start[TENSORMAP_BYTES / 8];
    struct replace_op op[REPLACE_MAX_OPS];
    uint32_t count, space, location, misalign;
    int32_t coord[TENSORMAP_MAX_RANK];
    uint32_t dims, shared, expect;
};

// The edits that make any map the tiled map `map`; returns how many there are, at most REPLACE_MAX_OPS.
uint32_t replace_ops_of(const struct tensormap *map, struct replace_op *op);

// The map after all edits; 0 if no load can be made through it.
bool replace_final_map(const struct replace_case *test_case, struct tensormap *map);

#endif
