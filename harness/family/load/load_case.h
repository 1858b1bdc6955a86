// SPDX-License-Identifier: MIT
// One tensor load as data, and where its result lies. The map's address is in the model's arena (arena.h).
#ifndef TMAREF_LOAD_CASE_H
#define TMAREF_LOAD_CASE_H

#include <stdio.h>

#include "family.h"
#include "im2col.h"
#include "map_args.h"
#include "memory.h"

// `mode` is the instruction's: LOAD_TILE, or LOAD_IM2COL, which alone takes `offset`, its im2colOffsets (W, H, D; 16
// bits each). `dims` is its .Nd, `shared` the destination (a shared address of the CTA), `expect` the bytes that
// arrive.expect_tx announces.
struct load_case {
    struct map_args map;
    int32_t coord[TENSORMAP_MAX_RANK];
    uint16_t offset[IM2COL_MAX_SPATIAL];
    uint32_t dims, mode, shared, expect;
};

// The shared addresses that the result holds: the box and what lies around it.
struct load_window {
    uint32_t base, size_bytes;
};

struct load_window load_window(const struct load_case *test_case);

// What the families "load" and "im2col" share; each tells what its cases may be.
extern const struct gpu_jobs load_jobs;
void load_windows(const void *test_case, struct result *result);
void load_before(const void *test_case, struct result *result);
enum rule load_run_model(const void *test_case, struct result *result);
int load_feature(const void *test_case, struct feature *feature);

// Which elements the model has at `place` of a window, and the rule that decides it.
enum rule load_explain_place(const void *test_case, const struct place *place, FILE *out);

// What eight bytes of shared memory turn out to be; of bytes of the source, their global address.
enum load_origin { LOAD_UNTOUCHED, LOAD_FILL, LOAD_SOURCE, LOAD_UNKNOWN };
enum load_origin load_origin_of(uint32_t shared, const uint8_t *bytes, uint64_t *address);

// A random start along spatial dimension `k` of a map: in the bounding box, its ends preferred.
int32_t im2col_pick_start(struct random *random, const struct map_args *map, uint32_t k);

// A destination for a box of `extent_bytes`: any 128-byte step of the 1024-byte swizzle pattern, high and low in shared
// memory; now and then one that is misaligned or too near the end.
uint32_t load_pick_shared(struct random *random, uint64_t extent_bytes);

// At most so many bytes a random box, or a column, has.
uint32_t load_pick_bytes(struct random *random);

// The result of a load as lines: "smem 0800+16 = gmem 1a40", "smem 0880+32 = fill 7ff7", "smem 0900+256 untouched",
// "mbar 7fffe00000..." (addresses and words in hex, lengths in bytes; gmem counts from the start of the arena).
json_t *load_describe(const void *test_case, const struct result *result);

// Appends the lines of one window of shared memory, whose base is the shared address that the canaries were made of.
void load_describe_window(const struct window *window, json_t *lines);
// These lines back: writes what they say into the bytes of shared memory from `base` on, which hold what was there
// before, and the word. Returns 0 if a line is no such line or lies outside.
int load_restore(const json_t *text, uint8_t *word, uint8_t *shared, uint64_t base, uint32_t size_bytes);

#endif
