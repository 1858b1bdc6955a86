// SPDX-License-Identifier: MIT
// Random im2col stores and reductions, biased to limits: small images that a column wraps through and runs out of,
// corners that shrink the box, channels that end in the middle of a 16-byte piece, types with every operation they
// have, and a few that an H200 must refuse. Pixels that share addresses are kept only where the order cannot be seen.
#include "draw.h"
#include "load_case.h"
#include "reduce.h"
#include "store_case.h"

enum { ATTEMPTS = 200 };

// Few images, few rows and columns; channels around what a pixel takes, or slices.
static void pick_tensor(struct random *random, struct map_args *map)
{
    int64_t span[TENSORMAP_MAX_RANK];
    for (uint32_t i = 0; i < map->rank; i++) span[i] = 1 + (int64_t)random_below(random, 6);
    span[map->rank - 1] = 1 + (int64_t)random_below(random, 3);
    if (map->interleave == INTERLEAVE_NONE) span[0] = map->channels;
    store_shape(random, span, map);
}

// Corners inside the image that leave a box. The encoder's sum of a dimension and its upper corner has 32 bits.
static void pick_corners(struct random *random, struct map_args *map)
{
    for (uint32_t k = 0; k < map->rank - 2; k++) {
        int64_t dim = (int64_t)map->dim[map_first_corner(map) + k], limit = map->rank == 5 ? 15 : 127;
        int64_t most = dim - 1 < limit ? dim - 1 : limit;
        int64_t lower = random_chance(random, 50) ? 0 : random_range(random, 0, most < 4 ? most : 4);
        int64_t shrink = random_chance(random, 50) ? 0 : random_range(random, 0, most < 4 ? most : 4);
        if (random_chance(random, 4)) lower = most;
        if (lower + shrink >= dim) shrink = 0;
        if (dim > INT32_MAX && shrink == 0) shrink = 1;
        map->lower[k] = (int32_t)lower;
        map->upper[k] = (int32_t)-shrink;
    }
}

static void pick_coords(struct random *random, struct store_case *c)
{
    const struct map_args *map = &c->map;
    uint32_t inner = map->interleave == INTERLEAVE_NONE ? 0 : map->rank - 2;
    for (uint32_t k = 0; k < map->rank - 2; k++)
        c->coord[map_first_corner(map) + k] = im2col_pick_start(random, map, k);
    c->coord[map->rank - 1] = store_pick_coord(random, map->dim[map->rank - 1], 1);
    if (random_chance(random, 40)) c->coord[map->rank - 1] = 0;
    c->coord[inner] = store_pick_coord(random, map->dim[inner], inner == 0 ? map->channels : 1);
    if (inner == 0) c->coord[0] = map_align_coord(map, c->coord[0]);
}

// Now and then a dimension at its limit, or a stride that is one, 0 or that of another dimension.
static void stretch(struct random *random, struct map_args *map)
{
    uint64_t kind = random_below(random, 100);
    if (kind >= 15) return;
    uint64_t value = kind < 6    ? map_pick_limit_dim(random)
                     : kind < 12 ? map_pick_limit_stride(random)
                                 : map->strides[random_below(random, map->rank - 1)];
    if (kind < 6)
        map->dim[random_below(random, map->rank)] = value;
    else
        map->strides[random_below(random, map->rank - 1)] = value;
}

// A map that the instruction does not take: one whose address was replaced without an encode, or a tiled one.
static void spoil_map(struct random *random, struct store_case *c)
{
    struct map_args *map = &c->map;
    if (random_chance(random, 50)) {
        *map = (struct map_args){.function = MAP_REPLACE_ADDRESS, .address = map->address};
        return;
    }
    map_args_generate_tiled(random, 2048, map);
    map->address = STORE_GLOBAL_BASE;
    c->dims = map->rank < 3 ? 3 : map->rank;
    for (uint32_t i = 0; i < TENSORMAP_MAX_RANK; i++) c->coord[i] = 0;
}

// One cause of a fault: a corner that reaches out of the tensor, whether a pixel does or not; a start outside the box;
// a coordinate that no store takes, negative or not at a 16-byte piece; or what the instruction does not take.
static void spoil(struct random *random, struct store_case *c)
{
    static const int32_t negatives[] = {-1, -2, -16, -64, INT32_MIN, INT32_MIN + 16};
    struct map_args *map = &c->map;
    const uint32_t k = (uint32_t)random_below(random, map->rank - 2), i = map_first_corner(map) + k;
    const uint32_t inner = map->interleave == INTERLEAVE_NONE ? 0 : map->rank - 2, last = map->rank - 1;
    const uint32_t any = (uint32_t)random_below(random, map->rank);
    const uint32_t dims = 3 + (c->dims - 3 + 1 + (uint32_t)random_below(random, 2)) % 3;
    const uint32_t operation = 1 + (uint32_t)random_below(random, REDUCE_OPS);
    const uint32_t up = 16 * (1 + (uint32_t)random_below(random, 7)),
                   down = 128 * (1 + (uint32_t)random_below(random, 3));
    const int32_t few = 1 + (int32_t)random_below(random, 3), some = 1 + (int32_t)random_below(random, 8);
    const int32_t negative = random_pick(random, negatives);
    const int64_t end = (int64_t)map->dim[i] + map->upper[k];
    if (random_chance(random, 10)) {
        spoil_map(random, c);
        return;
    }
    change_one(random,
               CHANGES({10, CHANGE(map->lower[k], -few)}, {10, CHANGE(map->upper[k], few)},
                       {10, CHANGE(c->coord[i], map->lower[k] - 1)},
                       {10, CHANGE(c->coord[i], end < INT32_MAX ? end : INT32_MAX)},
                       {10, CHANGE(c->coord[i], INT32_MAX)}, {6, CHANGE(c->coord[last], negative)},
                       {6, CHANGE(c->coord[inner], inner == 0 ? -16 : negative)}, {6, CHANGE(c->coord[any], negative)},
                       {6, CHANGE(c->coord[0], c->coord[0] < INT32_MAX - 8 ? c->coord[0] + some : c->coord[0])},
                       {10, CHANGE(map->dim[any], ((uint64_t)1 << 31) + 1)}, {10, CHANGE(c->dims, dims)},
                       {10, CHANGE(c->operation, operation)}, {25, CHANGE(c->shared, c->shared + up)},
                       {25, CHANGE(c->shared, STORE_SHARED_END - down)},
                       {25, CHANGE(map->address, map->address - ((uint64_t)1 << 45))}));
}

void im2col_store_generate(struct random *random, void *test_case)
{
    struct store_case *c = test_case;
    struct tensormap map;
    bool placed = false;
    for (int attempt = 0; attempt < ATTEMPTS && !placed; attempt++) {
        *c = (struct store_case){.mode = STORE_IM2COL};
        map_args_generate_im2col(random, random_chance(random, 80) ? 2048 : 16384, &c->map);
        pick_tensor(random, &c->map);
        stretch(random, &c->map);
        pick_corners(random, &c->map);
        pick_coords(random, c);
        store_pick_operation(random, c);
        placed = store_place(random, c);
    }
    c->dims = c->map.rank;
    c->seed = (uint32_t)random_u64(random);
    c->shared = STORE_SHARED_START;
    if (!placed || !map_args_made(&c->map, &map)) return;
    c->shared = store_pick_shared(random, store_extent(c, &map));
    if (random_chance(random, 2)) spoil(random, c);
}
