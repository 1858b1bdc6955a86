// SPDX-License-Identifier: MIT
// Family "im2col": one tensor load in im2col mode. The result is the barrier's word after the load, and shared memory
// around the column of pixels: what must not change is part of it.
#include <string.h>

#include "arena.h"
#include "copy.h"
#include "family.h"
#include "feature.h"
#include "field.h"
#include "gpu.h"
#include "im2col_case.h"
#include "im2col_load.h"
#include "load_launch.h"
#include "load_text.h"
#include "mbarrier.h"

static const char *const mode_names[] = {"tile", "im2col", NULL};

// What no single value shows: 0 with a sentence in `why`.
int im2col_case_map(const struct im2col_case *c, struct tensormap *map)
{
    struct tensormap_image image;
    if (map_args_encode(&c->map, &image, NULL) != RULE_OK) return 0;
    tensormap_decode(&image, map, NULL);
    return 1;
}

static void narrow(const struct im2col_case *c, uint16_t *offset)
{
    for (int i = 0; i < IM2COL_MAX_SPATIAL; i++) offset[i] = (uint16_t)c->offset[i];
}

struct im2col im2col_case_column(const struct im2col_case *c, const struct tensormap *map)
{
    uint16_t offset[IM2COL_MAX_SPATIAL];
    narrow(c, offset);
    return im2col_of(map, c->coord, offset);
}

static struct load_window window_of(const void *test_case)
{
    const struct im2col_case *c = test_case;
    struct tensormap map;
    uint64_t extent = 0;
    if (im2col_case_map(c, &map) && map.mode == TENSORMAP_IM2COL) {
        struct im2col column = im2col_case_column(c, &map);
        extent = im2col_extent_bytes(&column);
    }
    return load_window_around(c->shared, extent);
}

// The kernel's order: the encode, arrive.expect_tx, the load, its complete_tx. Returns the first rule broken.
static enum rule run_case(const struct im2col_case *c, struct load_cta *cta)
{
    const struct mbarrier_transaction announce = {.arrivals = 1, .expect_bytes = c->expect};
    struct tensormap_image image;
    struct tensormap map;
    uint16_t offset[IM2COL_MAX_SPATIAL];
    uint32_t bytes;
    cta->word = mbarrier_init(1);
    enum rule rule = map_args_encode(&c->map, &image, NULL);
    if (rule == RULE_OK) rule = mbarrier_transact(&cta->word, &announce);
    if (rule != RULE_OK) return rule;
    tensormap_decode(&image, &map, NULL);
    narrow(c, offset);
    rule = c->mode == LOAD_IM2COL
               ? im2col_load(&map, (int)c->dims, c->coord, offset, arena(), &cta->shared, c->shared, &bytes, NULL)
               : tile_load(&map, (int)c->dims, c->coord, arena(), &cta->shared, c->shared, &bytes, NULL);
    if (rule == RULE_OK) mbarrier_transact_remote(&cta->word, &(struct mbarrier_transaction){.complete_bytes = bytes});
    return rule;
}

// Fills the job of one case; returns the CUDA error of its encode.
static int make_job(struct gpu *gpu, const void *test_case, const struct result *result, const struct gpu_place *place,
                    void *to)
{
    struct load_job *job = to;
    const struct im2col_case *c = test_case;
    struct map_args args = c->map;
    struct tensormap_image image;
    struct tensormap map;
    args.address += gpu_arena(gpu) - ARENA_BASE;
    int error = map_args_call(&gpu->driver, &args, &image);
    if (error != CUDA_SUCCESS) return error;
    *job = (struct load_job){.dims = (int32_t)c->dims, .shared = c->shared, .expect_bytes = c->expect, .mode = c->mode};
    if (im2col_case_map(c, &map) && map.mode == TENSORMAP_IM2COL) {
        struct im2col column = im2col_case_column(c, &map);
        job->settle = im2col_transaction_bytes(&column) != c->expect;
    }
    memcpy(job->map, image.word, sizeof job->map);
    memcpy(job->coord, c->coord, sizeof job->coord);
    narrow(c, job->offset);
    load_set_window(result, place, job);
    return CUDA_SUCCESS;
}

static const struct gpu_jobs jobs = {.module = "load",
                                     .kernel = "load_jobs",
                                     .case_bytes = sizeof(struct im2col_case),
                                     .job_bytes = sizeof(struct load_job),
                                     .block = LOAD_THREADS,
                                     .shared_bytes = LOAD_SHARED_BYTES,
                                     .make = make_job};

static void case_windows(const void *test_case, struct result *result)
{
    load_lay_out(window_of(test_case), result);
}

static enum rule case_run_model(const void *test_case, struct result *result)
{
    struct load_cta cta;
    load_cta_open(&cta, result);
    enum rule rule = run_case(test_case, &cta);
    load_cta_close(&cta, result);
    return rule;
}

static int case_feature(const void *test_case, struct feature *feature)
{
    const struct im2col_case *c = test_case;
    uint16_t offset[IM2COL_MAX_SPATIAL];
    struct tensormap map;
    if (!im2col_case_map(c, &map)) return 0;
    for (int k = 0; k < IM2COL_MAX_SPATIAL; k++) offset[k] = (uint16_t)c->offset[k];
    *feature = feature_of(FEATURE_LOAD, &map, c->coord, offset);
    return 1;
}

static uint32_t rank_of(const void *test_case)
{
    const struct im2col_case *c = test_case;
    return c->map.rank;
}

static uint32_t offsets_of(const void *test_case)
{
    const struct im2col_case *c = test_case;
    return c->dims - 2;
}

static int is_im2col(const void *test_case)
{
    const struct im2col_case *c = test_case;
    return c->mode == LOAD_IM2COL;
}

static const char *map_illegal(const void *test_case)
{
    const struct im2col_case *c = test_case;
    int has_rank = c->map.rank >= 1 && c->map.rank <= TENSORMAP_MAX_RANK;
    return c->map.function != MAP_REPLACE_ADDRESS && has_rank ? NULL
                                                              : "map is not an encode call with a rank of 1 to 5";
}

static const char *dims_illegal(const void *test_case)
{
    return is_im2col(test_case) && offsets_of(test_case) > IM2COL_MAX_SPATIAL
               ? "\"dims\" is 3 to 5 with this \"load_mode\""
               : NULL;
}

static const char *illegal(const void *test_case)
{
    const struct im2col_case *c = test_case;
    return c->mode == LOAD_TILE && c->map.function == MAP_TILED
               ? "a tiled load of a tiled map is a case of the family load"
               : NULL;
}

#define CASE struct im2col_case
static const struct field field[] = {
    FIELD_MAP_OF(map, "the map", .illegal = map_illegal),
    FIELD_ONE_OF("load_mode", mode, mode_names, "the mode of the instruction"),
    FIELD_NUMBER("dims", dims, 1, TENSORMAP_MAX_RANK, "the .Nd of the instruction", .illegal = dims_illegal),
    FIELD_COORDINATES("tensorCoords", coord, rank_of, "as many as the map has dimensions"),
    FIELD_NUMBERS_OF("im2colOffsets", offset, offsets_of, 0, UINT16_MAX, "as many as the instruction has",
                     .is_there = is_im2col, .where = "the mode im2col"),
    FIELD_NUMBER("shared", shared, LOAD_WINDOW_START, LOAD_SHARED_END, "destination in shared memory"),
    FIELD_NUMBER("expect", expect, 0, UINT32_MAX, "bytes that the barrier expects"),
    FIELD_END,
};
#undef CASE

static const struct fields fields = {
    .name = "im2col case", .field = field, .bytes = sizeof(struct im2col_case), .illegal = illegal};

const struct family family_im2col = {
    .name = "im2col",
    .summary = "cp.async.bulk.tensor.{3d..5d} im2col loads: shared memory around the column, and the barrier's word",
    .case_bytes = sizeof(struct im2col_case),
    .generate = im2col_generate,
    .fields = &fields,
    .windows = case_windows,
    .run_model = case_run_model,
    .jobs = &jobs,
    .kernels = "load",
    .describe = load_describe,
    .explain = im2col_explain,
    .feature = case_feature,
};
