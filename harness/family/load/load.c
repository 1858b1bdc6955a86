// SPDX-License-Identifier: MIT
// Family "load": one tiled tensor load. The result is the barrier's word after the load, and shared memory around the
// box: what must not change is part of it. The family "im2col" runs the same way: im2col.c.
#include <string.h>

#include "arena.h"
#include "box.h"
#include "copy.h"
#include "family.h"
#include "feature.h"
#include "field.h"
#include "gpu.h"
#include "im2col_load.h"
#include "load_case.h"
#include "load_job.h"
#include "load_launch.h"
#include "mbarrier.h"

// The box of a case, by its map; 0 if there is none: the map is refused, or the instruction is not for tiled ones.
static bool box_of(const struct load_case *c, struct tensormap *map, struct box *box)
{
    if (!map_args_made(&c->map, map) || (c->mode == LOAD_IM2COL && map->mode == TENSORMAP_TILED)) return false;
    box_start(box, map->mode, map, c->coord, c->offset);
    return true;
}

struct load_window load_window(const struct load_case *c)
{
    struct tensormap map;
    struct box box;
    return load_window_around(c->shared, box_of(c, &map, &box) ? box_extent_bytes(&box) : 0);
}

// The kernel's order: the encode, arrive.expect_tx, the load, its complete_tx. Returns the first rule broken.
static enum rule run_load(const struct load_case *c, struct load_cta *cta)
{
    const struct mbarrier_transaction announce = {.arrivals = 1, .expect_bytes = c->expect};
    struct tensormap map;
    uint32_t bytes;
    cta->word = mbarrier_init(1);
    enum rule rule = map_args_make(&c->map, &map);
    if (rule == RULE_OK) rule = mbarrier_transact(&cta->word, &announce);
    if (rule != RULE_OK) return rule;
    rule = c->mode == LOAD_IM2COL
               ? im2col_load(&map, (int)c->dims, c->coord, c->offset, arena(), &cta->shared, c->shared, &bytes, NULL)
               : tile_load(&map, (int)c->dims, c->coord, arena(), &cta->shared, c->shared, &bytes, NULL);
    if (rule == RULE_OK) mbarrier_transact_remote(&cta->word, &(struct mbarrier_transaction){.complete_bytes = bytes});
    return rule;
}

// Fills the job of one case; returns the CUDA error of its encode.
static int make_job(const struct gpu_place *place, void *to)
{
    struct load_job *job = to;
    const struct load_case *c = place->test_case;
    struct map_args args = c->map;
    struct tensormap_image image;
    struct tensormap map;
    struct box box;
    args.address += gpu_arena(place->gpu) - ARENA_BASE;
    int error = map_args_call(&place->gpu->driver, &args, &image);
    if (error != CUDA_SUCCESS) return error;
    *job = (struct load_job){.dims = (int32_t)c->dims, .shared = c->shared, .expect_bytes = c->expect, .mode = c->mode};
    job->settle = box_of(c, &map, &box) && box_transaction_bytes(&box) != c->expect;
    memcpy(job->map, image.word, sizeof job->map);
    memcpy(job->coord, c->coord, sizeof job->coord);
    memcpy(job->offset, c->offset, sizeof c->offset);
    load_set_window(place, job);
    return CUDA_SUCCESS;
}

const struct gpu_jobs load_jobs = {GPU_JOBS_OF("load", struct load_case, struct load_job), .block = LOAD_THREADS,
                                   .shared_bytes = LOAD_SHARED_BYTES, .make = make_job};

void load_windows(const void *test_case, struct result *result)
{
    load_lay_out(load_window(test_case), result);
}

void load_before(const void *test_case, struct result *result)
{
    const struct load_window window = load_window(test_case);
    load_canaries(window.base, result_window(result, "shared", window.base, window.size_bytes), window.size_bytes);
}

enum rule load_run_model(const void *test_case, struct result *result)
{
    struct load_cta cta;
    load_cta_open(&cta, result);
    enum rule rule = run_load(test_case, &cta);
    load_cta_close(&cta, result);
    return rule;
}

int load_feature(const void *test_case, struct feature *feature)
{
    const struct load_case *c = test_case;
    struct tensormap map;
    if (!map_args_made(&c->map, &map)) return 0;
    *feature = feature_of(FEATURE_LOAD, &map, c->coord, c->offset);
    return 1;
}

static const char *map_illegal(const void *test_case)
{
    const struct load_case *c = test_case;
    bool is_legal = c->map.function == MAP_TILED && c->map.rank >= 1 && c->map.rank <= TENSORMAP_MAX_RANK;
    return is_legal ? NULL : "map is not a tiled map of rank 1 to 5";
}

#define CASE struct load_case
static const struct field field[] = {
    FIELD_MAP_OF(map, "the tiled map", .illegal = map_illegal),
    FIELD_NUMBER("dims", dims, 1, TENSORMAP_MAX_RANK, "the .Nd of the instruction"),
    FIELD_COORDINATES_AS("tensorCoords", coord, map.rank, "as many as the map has dimensions"),
    FIELD_NUMBER("shared", shared, LOAD_WINDOW_START, LOAD_SHARED_END, "destination in shared memory"),
    FIELD_NUMBER("expect", expect, 0, UINT32_MAX, "bytes that the barrier expects"),
    FIELD_END,
};
#undef CASE

const struct family family_load = {
    FAMILY_CASES("load", struct load_case, field),
    .summary = "cp.async.bulk.tensor.{1d..5d} tiled loads: shared memory around the box, and the barrier's word",
    .generate = load_generate,
    .windows = load_windows,
    .before = load_before,
    .run_model = load_run_model,
    .jobs = &load_jobs,
    .kernels = "load",
    .describe = load_describe,
    .explain = load_explain,
    .explain_place = load_explain_place,
    .feature = load_feature,
};
