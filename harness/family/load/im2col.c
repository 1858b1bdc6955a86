// SPDX-License-Identifier: MIT
// Family "im2col": one tensor load in im2col mode, or a tiled one through an im2col map. It runs as those of the family
// "load" (load.c); the result has shared memory around the column of pixels.
#include "family.h"
#include "field.h"
#include "load_case.h"
#include "load_job.h"

static const char *const mode_names[] = {"tile", "im2col", NULL};

static int is_im2col(const void *test_case)
{
    const struct load_case *c = test_case;
    return c->mode == LOAD_IM2COL;
}

static const char *map_illegal(const void *test_case)
{
    const struct load_case *c = test_case;
    bool has_rank = c->map.rank >= 1 && c->map.rank <= TENSORMAP_MAX_RANK;
    return c->map.function != MAP_REPLACE_ADDRESS && has_rank ? NULL
                                                              : "map is not an encode call with a rank of 1 to 5";
}

static const char *dims_illegal(const void *test_case)
{
    return is_im2col(test_case) && ((const struct load_case *)test_case)->dims - 2 > IM2COL_MAX_SPATIAL
               ? "\"dims\" is 3 to 5 with this \"load_mode\""
               : NULL;
}

static const char *illegal(const void *test_case)
{
    const struct load_case *c = test_case;
    return c->mode == LOAD_TILE && c->map.function == MAP_TILED
               ? "a tiled load of a tiled map is a case of the family load"
               : NULL;
}

#define CASE struct load_case
static const struct field field[] = {
    FIELD_MAP_OF(map, "the map", .illegal = map_illegal),
    FIELD_ONE_OF("load_mode", mode, mode_names, "the mode of the instruction"),
    FIELD_NUMBER("dims", dims, 1, TENSORMAP_MAX_RANK, "the .Nd of the instruction", .illegal = dims_illegal),
    FIELD_COORDINATES_AS("tensorCoords", coord, map.rank, "as many as the map has dimensions"),
    FIELD_NUMBERS_AS("im2colOffsets", offset, dims, 2, 0, UINT16_MAX, "as many as the instruction has",
                     .is_there = is_im2col, .where = "the mode im2col"),
    FIELD_NUMBER("shared", shared, LOAD_WINDOW_START, LOAD_SHARED_END, "destination in shared memory"),
    FIELD_NUMBER("expect", expect, 0, UINT32_MAX, "bytes that the barrier expects"),
    FIELD_END,
};
#undef CASE

const struct family family_im2col = {
    FAMILY_CASES("im2col", struct load_case, field, .illegal = illegal),
    .summary = "cp.async.bulk.tensor.{3d..5d} im2col loads: shared memory around the column, and the barrier's word",
    .generate = im2col_generate,
    .windows = load_windows,
    .before = load_before,
    .run_model = load_run_model,
    .jobs = &load_jobs,
    .kernels = "load",
    .describe = load_describe,
    .explain = im2col_explain,
    .feature = load_feature,
};
