// SPDX-License-Identifier: MIT
#include "feature.h"

#include "im2col.h"
#include "reduce.h"
#include "tile.h"

const char *feature_operation_name(enum feature_operation operation)
{
    static const char *const names[] = {"load", "multicast", "store"};
    return operation < FEATURE_REDUCE ? names[operation] : reduce_op_name((enum reduce_op)(operation - FEATURE_REDUCE));
}

struct sight {
    bool low, high, in;
};

// What of the steps first, first + by, ..., `steps` of them, lies in 0 .. dim - 1.
static void look(struct sight *sight, int64_t first, int64_t by, int64_t steps, uint64_t dim)
{
    int64_t last = first + by * (steps - 1), skipped = first < 0 ? (-first + by - 1) / by : 0;
    int64_t first_in = first + by * skipped;
    sight->low |= first < 0;
    sight->high |= last >= (int64_t)dim;
    sight->in &= first_in <= last && first_in < (int64_t)dim;
}

static enum feature_bounds class_of(const struct sight *sight)
{
    if (!sight->in) return BOUNDS_OUTSIDE;
    if (sight->low && sight->high) return BOUNDS_BOTH;
    return sight->low ? BOUNDS_LOW : sight->high ? BOUNDS_HIGH : BOUNDS_INSIDE;
}

static enum feature_bounds tile_bounds(const struct tensormap *map, const int32_t *coord)
{
    struct tile tile = tile_of(map, coord);
    struct sight sight = {.in = true};
    for (int i = 0; i < map->rank; i++) {
        int64_t by = i == 0 && map->interleave == INTERLEAVE_NONE ? 1 : map->estride[i];
        look(&sight, coord[i], by, tile.steps[i], map->dim[i]);
    }
    return class_of(&sight);
}

// Pixel by pixel: the walk stands at the pixel that comes next.
static enum feature_bounds im2col_bounds(const struct tensormap *map, struct im2col column)
{
    struct sight any = {false};
    struct tile_run run;
    column.pixels_touch = 0;
    for (struct im2col_walk walk = im2col_walk(&column); walk.pixel < column.pixels; im2col_next(&walk, &run)) {
        struct sight pixel = {.in = column.first_byte < column.past_byte};
        for (int k = 0; k < column.spatials; k++)
            look(&pixel, walk.at[k] + column.offset[k], 1, 1, map->dim[column.spatial + k]);
        look(&pixel, walk.n, 1, 1, map->dim[map->rank - 1]);
        any.low |= pixel.low;
        any.high |= pixel.high;
        any.in |= pixel.in;
    }
    any.low |= column.first_byte > 0;
    any.high |= column.past_byte < column.pixel_bytes;
    return class_of(&any);
}

static enum feature_estride estride_of(const struct tensormap *map)
{
    bool outer = false;
    for (int i = 1; i < map->rank; i++) outer |= map->estride[i] > 1;
    return (enum feature_estride)((map->estride[0] > 1 ? ESTRIDE_INNER : ESTRIDE_ONE) + (outer ? ESTRIDE_OUTER : 0));
}

struct feature feature_of(enum feature_operation operation, const struct tensormap *map, const int32_t *coord,
                          const uint16_t *offset)
{
    struct feature feature = {operation,    map->mode,       map->dtype,    map->rank,
                              map->swizzle, map->interleave, BOUNDS_INSIDE, estride_of(map)};
    if (map->mode == TENSORMAP_IM2COL) {
        struct im2col column = offset == NULL ? im2col_of_store(map, coord) : im2col_of(map, coord, offset);
        feature.bounds = im2col_bounds(map, column);
    } else {
        feature.bounds = tile_bounds(map, coord);
    }
    return feature;
}

bool feature_is_possible(const struct feature *feature)
{
    bool is_load = feature->operation == FEATURE_LOAD || feature->operation == FEATURE_MULTICAST;
    if (feature->rank < 3 && (feature->interleave != INTERLEAVE_NONE || feature->mode == TENSORMAP_IM2COL))
        return false;
    if (!is_load && (feature->bounds == BOUNDS_LOW || feature->bounds == BOUNDS_BOTH)) return false;
    if (feature->rank == 1 && feature->estride >= ESTRIDE_OUTER) return false;
    return feature->operation < FEATURE_REDUCE ||
           reduce_is_legal((enum reduce_op)(feature->operation - FEATURE_REDUCE), feature->dtype);
}
