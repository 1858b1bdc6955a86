// SPDX-License-Identifier: MIT
// Family "store", and what it shares with "im2col_store": one tensor store or reduction. The result is global memory
// around all that may be written, which held a pattern of the map's type before.
#include <stdlib.h>
#include <string.h>

#include "family.h"
#include "feature.h"
#include "field.h"
#include "gpu_jobs.h"
#include "im2col_store.h"
#include "rules/store.h"
#include "store.h"
#include "store_case.h"

enum { ALIGN_BYTES = 256, SHARED_SALT = 0x5, GLOBAL_SALT = 0xa };

static const char *const operation_names[] = {"store", "add", "min", "max", "inc", "dec", "and", "or", "xor", NULL};

const char *store_operation_name(uint32_t operation)
{
    return operation <= REDUCE_OPS ? operation_names[operation] : "?";
}

struct box store_box(const struct store_case *c, const struct tensormap *map)
{
    struct box box;
    box_start_store(&box, c->mode == STORE_IM2COL ? TENSORMAP_IM2COL : TENSORMAP_TILED, map, c->coord);
    return box;
}

uint32_t store_next_rows(const struct box *box, struct box_walk *walk, struct tile_run *run)
{
    uint32_t rows;
    do rows = box_next_rows(box, walk, run);
    while (rows > 0 && run->is_fill);
    return rows;
}

// What the map and the coordinates break, from shared address 0 to a memory where nothing is mapped.
static enum rule check_alone(const struct store_case *c, const struct tensormap *map)
{
    uint8_t cta[STORE_SHARED_BYTES]; // nobody looks at the bytes
    const struct memory none = {NULL, 0, 0}, shared = {cta, 0, sizeof cta};
    return c->mode == STORE_IM2COL ? im2col_store_check(map, map->rank, c->coord, &none, &shared, 0, NULL)
                                   : tile_store_check(map, map->rank, c->coord, &none, &shared, 0, NULL);
}

bool store_has_walk(const struct store_case *c, const struct tensormap *map)
{
    return (map->mode == TENSORMAP_IM2COL) == (c->mode == STORE_IM2COL) && check_alone(c, map) != RULE_STORE_MAP_FORMAT;
}

bool store_reach(const struct store_case *c, const struct tensormap *map, uint64_t *low, uint64_t *high)
{
    if (check_alone(c, map) != RULE_STORE_UNMAPPED) return false;
    const struct box box = store_box(c, map);
    struct box_walk walk = box_walk(&box);
    struct tile_run run;
    bool found = false;
    for (uint32_t rows; (rows = store_next_rows(&box, &walk, &run)) > 0; found = true) {
        uint64_t end = run.address + (rows - 1) * box_step_bytes(&box) + run.bytes;
        if (!found || run.address < *low) *low = run.address;
        if (!found || end > *high) *high = end;
    }
    return found;
}

struct store_window store_window(const struct store_case *c)
{
    const uint64_t end = STORE_GLOBAL_BASE + STORE_GLOBAL_BYTES;
    struct tensormap map;
    uint64_t low = c->map.address, high = low;
    if (map_args_made(&c->map, &map)) store_reach(c, &map, &low, &high);
    if (low < STORE_GLOBAL_BASE || low >= end) low = STORE_GLOBAL_BASE;
    if (high < low) high = low;
    low = low - STORE_GUARD_BYTES < STORE_GLOBAL_BASE ? STORE_GLOBAL_BASE : low - STORE_GUARD_BYTES;
    high = high > end - STORE_GUARD_BYTES ? end : high + STORE_GUARD_BYTES;
    low = low / ALIGN_BYTES * ALIGN_BYTES;
    high = (high + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
    return (struct store_window){low, (uint32_t)(high - low)};
}

uint64_t store_extent(const struct store_case *c, const struct tensormap *map)
{
    if (!store_has_walk(c, map)) return 0;
    const struct box box = store_box(c, map);
    return box_extent_bytes(&box);
}

void store_source(const struct store_case *c, const struct tensormap *map, uint32_t *first, uint32_t *end)
{
    uint64_t reach = 0;
    if (store_has_walk(c, map)) {
        const struct box box = store_box(c, map);
        reach = box_reach_bytes(&box);
    }
    if (reach > STORE_SHARED_BYTES) reach = 0;
    uint64_t past = (c->shared + reach + 127) / 128 * 128;
    *first = c->shared / 128 * 128;
    *end = past < STORE_SHARED_END ? (uint32_t)past : STORE_SHARED_END;
}

static void store_windows(const void *test_case, struct result *result)
{
    struct store_window window = store_window(test_case);
    result_window(result, "global", window.base, window.size_bytes);
}

static uint64_t seed_of(const struct store_case *c, uint64_t salt)
{
    return random_mix((uint64_t)c->seed << 8 | salt);
}

static void fill(uint64_t seed, uint32_t data_type, uint64_t offset, uint8_t *bytes, uint32_t size_bytes)
{
    for (uint32_t at = 0; at < size_bytes; at += 8)
        put_u64(bytes + at, store_pattern(seed, data_type, (uint32_t)((offset + at) / 8)));
}

void store_fill_shared(const struct store_case *c, uint32_t address, uint8_t *bytes, uint32_t size_bytes)
{
    fill(seed_of(c, SHARED_SALT), c->map.data_type, address, bytes, size_bytes);
}

void store_fill_global(const struct store_case *c, uint64_t address, uint8_t *bytes, uint32_t size_bytes)
{
    fill(seed_of(c, GLOBAL_SALT), c->map.data_type, address - STORE_GLOBAL_BASE, bytes, size_bytes);
}

static void store_before(const void *test_case, struct result *result)
{
    const struct store_case *c = test_case;
    const struct store_window window = store_window(c);
    struct tensormap map;
    uint32_t first, end;
    store_fill_global(c, window.base, result_window(result, "global", window.base, window.size_bytes),
                      window.size_bytes);
    if (!map_args_made(&c->map, &map)) return;
    store_source(c, &map, &first, &end);
    store_fill_shared(c, first, result_window(result, "shared", first, end - first), end - first);
}

static enum rule run_store(const struct store_case *c, const struct memory *global, const struct memory *shared)
{
    struct tensormap map;
    enum rule rule = map_args_make(&c->map, &map);
    if (rule != RULE_OK) return rule;
    enum reduce_op op = (enum reduce_op)(c->operation - 1);
    int dims = (int)c->dims;
    if (c->mode == STORE_IM2COL)
        return c->operation == 0 ? im2col_store(&map, dims, c->coord, global, shared, c->shared, NULL)
                                 : im2col_reduce(op, &map, dims, c->coord, global, shared, c->shared, NULL);
    return c->operation == 0 ? tile_store(&map, dims, c->coord, global, shared, c->shared, NULL)
                             : tile_reduce(op, &map, dims, c->coord, global, shared, c->shared, NULL);
}

static enum rule store_run_model(const void *test_case, struct result *result)
{
    const struct store_case *c = test_case;
    const struct window *window = &result->window[0];
    uint8_t cta[STORE_SHARED_BYTES], *memory = malloc(STORE_GLOBAL_BYTES);
    const struct memory shared = {cta, STORE_SHARED_START, sizeof cta};
    const struct memory global = {memory, STORE_GLOBAL_BASE, STORE_GLOBAL_BYTES};
    struct tensormap map;
    uint32_t first, end;
    if (memory == NULL) abort();
    if (map_args_made(&c->map, &map)) {
        store_source(c, &map, &first, &end);
        store_fill_shared(c, first, cta + (first - STORE_SHARED_START), end - first);
    }
    store_fill_global(c, window->base, memory + (window->base - STORE_GLOBAL_BASE), window->size_bytes);
    enum rule rule = run_store(c, &global, &shared);
    memcpy(window->bytes, memory + (window->base - STORE_GLOBAL_BASE), window->size_bytes);
    free(memory);
    return rule;
}

// Returns the CUDA error of the encode.
static int make_job(const struct gpu_place *place, void *to)
{
    const struct store_case *c = place->test_case;
    const struct window *window = &place->result->window[0];
    struct store_job *job = to;
    struct map_args args = c->map;
    struct tensormap_image image;
    struct tensormap map = {0};
    args.address += place->output + place->offset - window->base;
    int error = map_args_call(&place->gpu->driver, &args, &image);
    if (error != CUDA_SUCCESS) return error;
    *job = (struct store_job){.mode = c->mode,
                              .dims = (int32_t)c->dims,
                              .operation = c->operation,
                              .data_type = c->map.data_type,
                              .shared = c->shared,
                              .window_first = (uint32_t)(window->base - STORE_GLOBAL_BASE) / 8,
                              .window_bytes = window->size_bytes,
                              .window = place->offset,
                              .shared_seed = seed_of(c, SHARED_SALT),
                              .window_seed = seed_of(c, GLOBAL_SALT)};
    memcpy(job->map, image.word, sizeof job->map);
    memcpy(job->coord, c->coord, sizeof job->coord);
    if (map_args_made(&c->map, &map)) store_source(c, &map, &job->filled, &job->filled_end);
    return CUDA_SUCCESS;
}

const struct gpu_jobs store_jobs = {GPU_JOBS_OF("store", struct store_case, struct store_job), .block = STORE_THREADS,
                                    .shared_bytes = STORE_SHARED_BYTES, .per_processor = 2, .make = make_job};

// What a case exercises: as struct family says.
static int store_feature(const void *test_case, struct feature *feature)
{
    const struct store_case *c = test_case;
    struct tensormap map;
    if (!map_args_made(&c->map, &map)) return 0;
    *feature = feature_of((enum feature_operation)(FEATURE_STORE + c->operation), &map, c->coord, NULL);
    return 1;
}

static const char *dims_illegal(const void *test_case)
{
    const struct store_case *c = test_case;
    return c->mode == STORE_IM2COL && c->dims < 3 ? "\"dims\" is 3 to 5" : NULL;
}

static void start_tile(void *test_case)
{
    ((struct store_case *)test_case)->mode = STORE_TILE;
}

static void start_im2col(void *test_case)
{
    ((struct store_case *)test_case)->mode = STORE_IM2COL;
}

#define CASE struct store_case
static const struct field field[] = {
    FIELD_MAP_OF(map, "the map"),
    FIELD_ONE_OF("operation", operation, operation_names, "store, or the reduction"),
    FIELD_NUMBER("dims", dims, 1, TENSORMAP_MAX_RANK, "the .Nd of the instruction", .illegal = dims_illegal),
    FIELD_COORDINATES_AS("tensorCoords", coord, dims, "as many as the instruction has"),
    FIELD_NUMBER("shared", shared, STORE_SHARED_START, STORE_SHARED_END, "source in shared memory"),
    FIELD_SEED,
    FIELD_END,
};
#undef CASE

const struct fields store_fields = {
    .name = "store case", .field = field, .bytes = sizeof(struct store_case), .start = start_tile};

const struct family family_store = {
    .name = "store",
    .summary = "cp.async.bulk.tensor and cp.reduce.async.bulk.tensor, tiled: global memory around all that is written",
    .case_bytes = sizeof(struct store_case),
    .generate = store_generate,
    .fields = &store_fields,
    .windows = store_windows,
    .before = store_before,
    .run_model = store_run_model,
    .jobs = &store_jobs,
    .kernels = "store",
    .explain = store_explain,
    .feature = store_feature,
};

const struct family family_im2col_store = {
    FAMILY_CASES("im2col_store", struct store_case, field, .start = start_im2col),
    .summary = "cp.async.bulk.tensor and cp.reduce.async.bulk.tensor, im2col_no_offs: global memory around all that is "
               "written",
    .generate = im2col_store_generate,
    .windows = store_windows,
    .before = store_before,
    .run_model = store_run_model,
    .jobs = &store_jobs,
    .kernels = "store",
    .explain = store_explain,
    .feature = store_feature,
};
