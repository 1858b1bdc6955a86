// SPDX-License-Identifier: MIT
// One tiled load as data, and where its result lies. The map's address is in the model's arena (arena.h).
#ifndef TMAREF_LOAD_CASE_H
#define TMAREF_LOAD_CASE_H

#include <stdio.h>

#include "difference.h"
#include "family.h"
#include "map_args.h"
#include "memory.h"

// `dims` is the .Nd of the instruction, `shared` the destination (a shared address of the CTA), `expect` the bytes that
// arrive.expect_tx announces.
struct load_case {
    struct map_args map;
    int32_t coord[TENSORMAP_MAX_RANK];
    uint32_t dims, shared, expect;
};

// The shared addresses that the result holds: the box and what lies around it.
struct load_window {
    uint32_t base, size_bytes;
};

struct load_window load_window(const struct load_case *test_case);

// The map of a case; 0 if its encode is refused.
int load_map(const struct load_case *test_case, struct tensormap *map);

// What is wrong at the first byte that differs: element, byte, bank, where the bytes found come from, the likely rule.
enum rule load_explain(const void *test_case, const struct difference *difference, FILE *out);

// Which elements the model has at `place` of a window, and the rule that decides it.
enum rule load_explain_place(const void *test_case, const struct place *place, FILE *out);

// A random case; see load_random.c for what it leans to.
void load_generate(struct random *random, void *test_case);

// A destination for a box of `extent_bytes`: any 128-byte step of the 1024-byte swizzle pattern, high and low in shared
// memory; now and then one that is misaligned or too near the end.
uint32_t load_pick_shared(struct random *random, uint64_t extent_bytes);

#endif
