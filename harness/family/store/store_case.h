// SPDX-License-Identifier: MIT
// One tensor store or reduction as data, tiled or im2col, and the global memory around it. The families store and
// im2col_store share all but their generators.
#ifndef TMAREF_STORE_CASE_H
#define TMAREF_STORE_CASE_H

#include "box.h"
#include "family.h"
#include "map_args.h"
#include "memory.h"
#include "store_job.h"

struct feature;

// The global memory of a case: only these addresses are mapped. On a GPU they lie somewhere else.
#define STORE_GLOBAL_BASE ((uint64_t)1 << 46)
struct gpu;

enum { STORE_GLOBAL_BYTES = 65536, STORE_GUARD_BYTES = 256 };

// `mode` is the instruction's: STORE_TILE or STORE_IM2COL. `dims` is its .Nd and the number of its coordinates,
// `operation` as in struct store_job, `shared` the source (a shared address of the CTA); `seed` says what both memories
// hold before.
struct store_case {
    struct map_args map;
    int32_t coord[TENSORMAP_MAX_RANK];
    uint32_t mode, dims, shared, operation, seed;
};

// The global addresses that the result holds: what may be written and what lies around it. A multiple of 256.
struct store_window {
    uint64_t base;
    uint32_t size_bytes;
};

struct store_window store_window(const struct store_case *test_case);

// Is the map one that an encoder makes, and of the case's mode?
bool store_has_walk(const struct store_case *test_case, const struct tensormap *map);

// What the store of a case covers, if the map has a walk; and the next rows of a walk over it that are in bounds, in
// the order of shared memory: how many are like `run`, 0 at the end.
struct box store_box(const struct store_case *test_case, const struct tensormap *map);
uint32_t store_next_rows(const struct box *box, struct box_walk *walk, struct tile_run *run);

// The bytes that are written, as low .. high - 1: 0 if there are none (or the map is not one that stores take).
bool store_reach(const struct store_case *test_case, const struct tensormap *map, uint64_t *low, uint64_t *high);

// Bytes of shared memory from the first to the last one of the whole box or column; 0 if the map has no walk.
uint64_t store_extent(const struct store_case *test_case, const struct tensormap *map);

// The shared addresses that are read, to whole 128-byte lines and cut to the CTA's memory.
void store_source(const struct store_case *test_case, const struct tensormap *map, uint32_t *first, uint32_t *end);

// What a memory holds before: shared memory at a shared address, global memory at an address of STORE_GLOBAL_BASE.
void store_fill_shared(const struct store_case *test_case, uint32_t address, uint8_t *bytes, uint32_t size_bytes);
void store_fill_global(const struct store_case *test_case, uint64_t address, uint8_t *bytes, uint32_t size_bytes);

// "store", or the name of the reduction.
const char *store_operation_name(uint32_t operation);

// Parts of a struct family that the two share.
extern const struct fields store_fields;
extern const struct gpu_jobs store_jobs;

// --- What the random cases of both share

// Sizes near `span` (rank entries), and the strides of a tensor that is packed or padded, its outer dimensions in any
// order.
void store_shape(struct random *random, const int64_t *span, struct map_args *map);

// A coordinate at which a good part of `span` elements is in bounds, at an edge, or none of it; never negative.
int32_t store_pick_coord(struct random *random, uint64_t dim, int64_t span);

// A store, or a reduction that the type of the map has.
void store_pick_operation(struct random *random, struct store_case *test_case);

// Puts what is written into the case's memory, wherever globalAddress then lies. 0 if it does not fit, or if the order
// of its elements matters.
bool store_place(struct random *random, struct store_case *test_case);

// A source for `extent_bytes`: any 128-byte step of the 1024-byte swizzle pattern, high and low in shared memory.
uint32_t store_pick_shared(struct random *random, uint64_t extent_bytes);

#endif
