// SPDX-License-Identifier: MIT
// One tiled store or reduction as data, and the global memory around it.
#ifndef TMAREF_STORE_CASE_H
#define TMAREF_STORE_CASE_H

#include <stdio.h>

#include "map_args.h"
#include "memory.h"
#include "store_job.h"

// The global memory of a case: only these addresses are mapped. On a GPU they lie somewhere else.
#define STORE_GLOBAL_BASE ((uint64_t)1 << 46)
enum { STORE_GLOBAL_BYTES = 65536, STORE_GUARD_BYTES = 256 };

// `dims` is the .Nd of the instruction and the number of its coordinates, `operation` as in struct store_job, `shared`
// the source (a shared address of the CTA); `seed` says what both memories hold before.
struct store_case {
    struct map_args map;
    int32_t coord[TENSORMAP_MAX_RANK];
    uint32_t dims, shared, operation, seed;
};

// The global addresses that the result holds: what may be written and what lies around it. A multiple of 256.
struct store_window {
    uint64_t base;
    uint32_t size_bytes;
};

struct store_window store_window(const struct store_case *test_case);

// The map of a case; 0 if its encode is refused.
int store_map(const struct store_case *test_case, struct tensormap *map);

// The bytes that are written, as low .. high - 1: 0 if there are none (or the map is not one that stores take).
int store_reach(const struct tensormap *map, const int32_t *coord, uint64_t *low, uint64_t *high);

// The shared addresses that the box fills, to whole 128-byte lines and cut to the CTA's memory.
void store_source(const struct store_case *test_case, const struct tensormap *map, uint32_t *first, uint32_t *end);

// What a memory holds before: shared memory at a shared address, global memory at an address of STORE_GLOBAL_BASE.
void store_fill_shared(const struct store_case *test_case, uint32_t address, uint8_t *bytes, uint32_t size_bytes);
void store_fill_global(const struct store_case *test_case, uint64_t address, uint8_t *bytes, uint32_t size_bytes);

// "store", or the name of the reduction.
const char *store_operation_name(uint32_t operation);

// What is wrong at the first byte that differs: which element, what memory and source held, the likely rule.
void store_explain(const void *test_case, const struct result *expected, const struct result *found, FILE *out);

// A random case; see store_random.c for what it leans to.
void store_generate(struct random *random, void *test_case);

#endif
