// SPDX-License-Identifier: MIT
// Random tiled stores and reductions, biased to limits: tensors about as big as the box, edges in the middle of a
// 16-byte piece, strides in any order, types with every operation they have, and a few that an H200 must refuse.
// Rows that share addresses are kept only where the order of the elements cannot be seen.
#include <string.h>

#include "reduce.h"

#include "draw.h"
#include "store.h"
#include "store_case.h"

enum { TENSOR_BYTES = 40000, ATTEMPTS = 200, PIECE_BYTES = 16, PIECES = STORE_GLOBAL_BYTES / PIECE_BYTES };
#define FAR_BYTES ((uint64_t)1 << 44) // between globalAddress and what is written, at most

// How many elements of dimension i the box spans.
static int64_t span_of(const struct map_args *map, uint32_t i)
{
    return i + 2 == map->rank && map->interleave != INTERLEAVE_NONE ? 1 : map->box[i];
}

static uint64_t pick_dim(struct random *random, int64_t span)
{
    int64_t dim = DRAW(random, {50, BETWEEN(span - 3, span + 5)}, {20, BETWEEN(1, span)}, {15, BETWEEN(1, 2 * span)},
                       {15, BETWEEN(1, 64)});
    return dim < 1 ? 1 : (uint64_t)dim;
}

void store_shape(struct random *random, const int64_t *span, struct map_args *map)
{
    uint64_t extent = map_unit_bytes(map);
    uint32_t order[TENSORMAP_MAX_RANK] = {0, 1, 2, 3, 4};
    int shuffled = random_chance(random, 40);
    for (uint32_t i = 1; i + 1 < map->rank && shuffled; i++) {
        uint32_t other = i + (uint32_t)random_below(random, map->rank - i), swapped = order[i];
        order[i] = order[other];
        order[other] = swapped;
    }
    for (uint32_t k = 0; k < map->rank; k++) {
        uint32_t i = order[k];
        map->dim[i] = pick_dim(random, span[i]);
        if (map->dim[i] > TENSOR_BYTES / extent) map->dim[i] = TENSOR_BYTES / extent;
        if (map->dim[i] == 0) map->dim[i] = 1;
        if (i > 0) map->strides[i - 1] = extent;
        extent = map_pick_pitch(random, map, i, extent, 30, 0, 3);
    }
}

int32_t store_pick_coord(struct random *random, uint64_t dim, int64_t span)
{
    int64_t size = dim > INT32_MAX ? INT32_MAX : (int64_t)dim;
    int64_t coord = DRAW(random, {45, BETWEEN(0, size - span), .is_just = size <= span}, {15, JUST(0)},
                         {33, BETWEEN(size - 1, size - span)}, {5, BETWEEN(size, size + 5)}, {2, JUST(INT32_MAX - 15)});
    return (int32_t)(coord < 0 ? 0 : coord > INT32_MAX ? INT32_MAX : coord);
}

static void pick_coords(struct random *random, struct store_case *c)
{
    for (uint32_t i = 0; i < c->map.rank; i++)
        c->coord[i] = store_pick_coord(random, c->map.dim[i], span_of(&c->map, i));
    if (c->map.interleave == INTERLEAVE_NONE) c->coord[0] = map_align_coord(&c->map, c->coord[0]);
}

// Sizes and strides at their limits, one step of the box along them; and rows at one address.
static void stretch(struct random *random, struct store_case *c)
{
    static const uint64_t dims[] = {(uint64_t)1 << 31, ((uint64_t)1 << 31) - 1, (uint64_t)1 << 30, 1};
    static const uint64_t strides[] = {(uint64_t)1 << 20, (uint64_t)1 << 36, ((uint64_t)1 << 40) - 32};
    struct map_args *map = &c->map;
    uint32_t i = (uint32_t)random_below(random, map->rank);
    uint64_t kind = random_below(random, 100);
    if (kind < 6) {
        map->dim[i] = random_pick(random, dims);
        if (i > 0 && random_chance(random, 50)) c->coord[i] = store_pick_coord(random, map->dim[i], span_of(map, i));
    } else if (kind < 12 && i > 0) {
        map->strides[i - 1] = random_pick(random, strides);
        c->coord[i] = (int32_t)map->dim[i] - 1;
    } else if (kind < 16 && i > 0) {
        map->strides[i - 1] = random_chance(random, 50) ? 0 : map->strides[random_below(random, map->rank - 1)];
    }
}

static bool has_operation(enum dtype dtype)
{
    for (int op = 0; op < REDUCE_OPS; op++)
        if (reduce_is_legal((enum reduce_op)op, dtype)) return true;
    return false;
}

void store_pick_operation(struct random *random, struct store_case *c)
{
    enum dtype dtype = (enum dtype)c->map.data_type;
    c->operation = 0;
    if (!has_operation(dtype) || random_chance(random, 22)) return;
    do c->operation = 1 + (uint32_t)random_below(random, REDUCE_OPS);
    while (!reduce_is_legal((enum reduce_op)(c->operation - 1), dtype));
}

// Does the result not depend on the order of elements that meet at one address?
static bool is_order_free(const struct store_case *c)
{
    enum reduce_op op = (enum reduce_op)(c->operation - 1);
    if (c->operation == 0 || op == REDUCE_INC || op == REDUCE_DEC) return false;
    return op != REDUCE_ADD || !dtype_row((enum dtype)c->map.data_type)->is_float;
}

// Do two rows write the same piece? `low` is the first byte written; all lies within STORE_GLOBAL_BYTES of it.
static bool overlaps(const struct store_case *c, const struct tensormap *map, uint64_t low)
{
    uint8_t written[PIECES] = {0};
    const struct box box = store_box(c, map);
    struct box_walk walk = box_walk(&box);
    struct tile_run run;
    for (uint32_t rows; (rows = store_next_rows(&box, &walk, &run)) > 0;)
        for (uint32_t row = 0; row < rows; row++) {
            uint64_t piece = (run.address + row * box_step_bytes(&box) - low) / PIECE_BYTES;
            for (uint32_t i = 0; i < run.bytes / PIECE_BYTES; i++)
                if (written[piece + i]++ != 0) return true;
        }
    return false;
}

bool store_place(struct random *random, struct store_case *c)
{
    const uint64_t least = STORE_GLOBAL_BASE + STORE_GUARD_BYTES, room = STORE_GLOBAL_BYTES - 2 * STORE_GUARD_BYTES;
    struct tensormap map;
    uint64_t low = 0, high = 16;
    c->map.address = 0;
    if (!map_args_made(&c->map, &map)) return false;
    bool writes = store_reach(c, &map, &low, &high);
    if (high - low > room || low > FAR_BYTES) return false;
    if (writes && overlaps(c, &map, low) && !is_order_free(c)) return false;
    uint64_t align = map_align_bytes(&c->map), steps = (room - (high - low)) / align;
    uint64_t step = random_chance(random, 60) ? random_below(random, 64) : random_below(random, steps + 1);
    c->map.address = least + align * (step < steps ? step : steps) - low / align * align;
    return true;
}

uint32_t store_pick_shared(struct random *random, uint64_t extent_bytes)
{
    uint32_t steps = STORE_SHARED_BYTES / 128, used = (uint32_t)(extent_bytes + 127) / 128;
    uint32_t free = used < steps ? steps - used : 0, near = free < 32 ? free : 31;
    return STORE_SHARED_START +
           128 * (uint32_t)random_below(random, random_chance(random, 80) ? near + 1 : (uint64_t)free + 1);
}

// Is every element of the box in bounds?
static bool is_whole(const struct tensormap *map, const int32_t *coord)
{
    struct tile tile = tile_of(map, coord);
    struct tile_run run;
    for (struct tile_walk walk = tile_walk(&tile); tile_next(&walk, &run);)
        if (run.is_fill) return false;
    return true;
}

// The same tensor as an im2col map, which a tiled instruction does not take.
static void turn_im2col(struct map_args *map)
{
    if (map->rank < 3) return;
    map->function = MAP_IM2COL;
    map->channels = map->box[0];
    map->pixels = 8;
    memset(map->box, 0, sizeof map->box);
}

// Breaks a rule now and then: one of what an H200 refuses.
static void spoil(struct random *random, struct store_case *c, const struct tensormap *map, uint64_t extent_bytes)
{
    static const int32_t negatives[] = {-1, -2, -16, -64, INT32_MIN, INT32_MIN + 16};
    const uint64_t kind = random_below(random, 1000);
    if (kind == 0 && random_chance(random, 50)) turn_im2col(&c->map);
    if (kind == 1 && random_chance(random, 50))
        c->map = (struct map_args){.function = MAP_REPLACE_ADDRESS, .address = c->map.address};
    if (kind < 2 || kind >= 27) return;
    const uint32_t i = (uint32_t)random_below(random, c->map.rank), up = 16 * (1 + (uint32_t)random_below(random, 7));
    const uint32_t other = 1 + (uint32_t)random_below(random, REDUCE_OPS), dims = 1 + (uint32_t)random_below(random, 5);
    const int32_t negative = random_pick(random, negatives), some = (int32_t)random_below(random, 9);
    const bool is_piece = i == 0 && c->map.interleave == INTERLEAVE_NONE;
    const bool may_end = is_whole(map, c->coord) && extent_bytes > 256;
    change_one(random,
               CHANGES({6, CHANGE(c->coord[i], is_piece ? -16 : negative)},
                       {8, CHANGE(c->operation, reduce_is_legal((enum reduce_op)(other - 1), map->dtype) ? 0 : other)},
                       {3, CHANGE(c->coord[0], c->coord[0] < INT32_MAX - 8 ? c->coord[0] + some : c->coord[0])},
                       {2, CHANGE(c->dims, dims)}, {1, CHANGE(c->map.dim[i], ((uint64_t)1 << 31) + 1)},
                       {2, CHANGE(c->shared, c->shared + up)},
                       {2, CHANGE(c->shared, may_end ? STORE_SHARED_END - 128 : c->shared)},
                       {1, CHANGE(c->map.address, c->map.address - ((uint64_t)1 << 45))}));
}

void store_generate(struct random *random, void *test_case)
{
    struct store_case *c = test_case;
    int64_t span[TENSORMAP_MAX_RANK];
    bool placed = false;
    for (int attempt = 0; attempt < ATTEMPTS && !placed; attempt++) {
        *c = (struct store_case){0};
        map_args_generate_tiled(random, random_chance(random, 80) ? 2048 : 16384, &c->map);
        for (uint32_t i = 0; i < c->map.rank; i++) span[i] = span_of(&c->map, i);
        store_shape(random, span, &c->map);
        pick_coords(random, c);
        stretch(random, c);
        store_pick_operation(random, c);
        placed = store_place(random, c);
    }
    struct tensormap map;
    c->dims = c->map.rank;
    c->seed = (uint32_t)random_u64(random);
    c->shared = STORE_SHARED_START;
    if (!placed || !map_args_made(&c->map, &map)) return;
    struct tile tile = tile_of(&map, c->coord);
    c->shared = store_pick_shared(random, tile_extent_bytes(&tile));
    spoil(random, c, &map, tile_extent_bytes(&tile));
}
