// SPDX-License-Identifier: MIT
// Family "im2col": one tensor load in im2col mode. The result is the barrier's word after the load, and shared memory
// around the column of pixels: what must not change is part of it.
#include <string.h>

#include "arena.h"
#include "copy.h"
#include "family.h"
#include "feature.h"
#include "gpu.h"
#include "im2col_case.h"
#include "im2col_load.h"
#include "json.h"
#include "load_launch.h"
#include "load_text.h"
#include "mbarrier.h"

static const char *const mode_names[] = {"tile", "im2col", NULL};

static json_t *case_write(const void *test_case)
{
    const struct im2col_case *c = test_case;
    json_t *json = json_object();
    json_object_set_new(json, "map", map_args_write(&c->map));
    json_object_set_new(json, "load_mode", json_string(mode_names[c->mode]));
    json_object_set_new(json, "dims", json_u64(c->dims));
    json_object_set_new(json, "tensorCoords", json_i32s(c->coord, (int)c->map.rank));
    if (c->mode == LOAD_IM2COL) json_object_set_new(json, "im2colOffsets", json_u32s(c->offset, (int)c->dims - 2));
    json_object_set_new(json, "shared", json_u64(c->shared));
    json_object_set_new(json, "expect", json_u64(c->expect));
    return json;
}

// What no single value shows: 0 with a sentence in `why`.
static int check_case(const struct im2col_case *c, struct text *why)
{
    uint32_t least = c->mode == LOAD_IM2COL ? 3 : 1;
    if (c->dims < least || c->shared < LOAD_WINDOW_START) {
        text_set(why, "im2col case: \"dims\" is %u to 5 with this \"load_mode\", and \"shared\" is %d to %d", least,
                 LOAD_WINDOW_START, LOAD_SHARED_END);
        return 0;
    }
    for (int i = 0; i < IM2COL_MAX_SPATIAL; i++)
        if (c->offset[i] > UINT16_MAX) {
            text_set(why, "im2col case: \"im2colOffsets\" has %u, but an offset is 0 to 65535", c->offset[i]);
            return 0;
        }
    if (c->mode == LOAD_TILE && c->map.function == MAP_TILED) {
        text_set(why, "im2col case: a tiled load of a tiled map is a case of the family load");
        return 0;
    }
    return 1;
}

static int case_read(const json_t *json, void *test_case, struct text *why)
{
    struct im2col_case *c = test_case;
    struct json_reader reader = json_reader_open(json, "im2col case", why);
    *c = (struct im2col_case){0};
    const json_t *map = json_read_object(&reader, "map");
    if (!reader.ok || !map_args_read(map, "im2col case: map", &c->map, why)) return 0;
    if (c->map.function == MAP_REPLACE_ADDRESS || c->map.rank < 1 || c->map.rank > TENSORMAP_MAX_RANK) {
        text_set(why, "im2col case: map is not an encode call with a rank of 1 to 5");
        return 0;
    }
    c->mode = (uint32_t)json_read_name(&reader, "load_mode", mode_names);
    c->dims = (uint32_t)json_read_u64(&reader, "dims", TENSORMAP_MAX_RANK);
    json_read_i32s(&reader, "tensorCoords", (int)c->map.rank, c->coord);
    if (reader.ok && c->mode == LOAD_IM2COL && c->dims >= 3)
        json_read_u32s(&reader, "im2colOffsets", (int)c->dims - 2, c->offset);
    c->shared = (uint32_t)json_read_u64(&reader, "shared", LOAD_SHARED_END);
    c->expect = (uint32_t)json_read_u64(&reader, "expect", UINT32_MAX);
    if (reader.ok && !check_case(c, why)) return 0;
    return json_reader_close(&reader);
}

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
static enum rule run_case(const void *test_case, const struct memory *shared, uint64_t *word)
{
    const struct im2col_case *c = test_case;
    const struct mbarrier_transaction announce = {.arrivals = 1, .expect_bytes = c->expect};
    struct tensormap_image image;
    struct tensormap map;
    uint16_t offset[IM2COL_MAX_SPATIAL];
    uint32_t bytes;
    *word = mbarrier_init(1);
    enum rule rule = map_args_encode(&c->map, &image, NULL);
    if (rule == RULE_OK) rule = mbarrier_transact(word, &announce);
    if (rule != RULE_OK) return rule;
    tensormap_decode(&image, &map, NULL);
    narrow(c, offset);
    rule = c->mode == LOAD_IM2COL
               ? im2col_load(&map, (int)c->dims, c->coord, offset, arena(), shared, c->shared, &bytes)
               : tile_load(&map, (int)c->dims, c->coord, arena(), shared, c->shared, &bytes);
    if (rule == RULE_OK) mbarrier_transact_remote(word, &(struct mbarrier_transaction){.complete_bytes = bytes});
    return rule;
}

// Fills the job of one case; returns the CUDA error of its encode.
static int make_job(struct gpu *gpu, const void *test_case, struct load_job *job)
{
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
    return CUDA_SUCCESS;
}

static const struct load_kind im2col_kind = {sizeof(struct im2col_case), window_of, run_case, make_job};

static size_t case_result_bytes(const void *test_case)
{
    return load_window_bytes(window_of(test_case));
}

static void case_run_model(const void *test_case, struct result *result)
{
    load_on_model(&im2col_kind, test_case, result);
}

static int case_run_gpu(struct gpu *gpu, const void *cases, int count, struct result *results)
{
    return load_on_gpu(&im2col_kind, gpu, cases, count, results);
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

const struct family family_im2col = {
    .name = "im2col",
    .summary = "cp.async.bulk.tensor.{3d..5d} im2col loads: shared memory around the column, and the barrier's word",
    .case_bytes = sizeof(struct im2col_case),
    .generate = im2col_generate,
    .write = case_write,
    .read = case_read,
    .result_bytes = case_result_bytes,
    .run_model = case_run_model,
    .run_gpu = case_run_gpu,
    .kernels = "load",
    .describe = load_describe,
    .explain = im2col_explain,
    .rule = RULE_IM2COL_WALK,
    .feature = case_feature,
};
