// SPDX-License-Identifier: MIT
// Random im2col stores and reductions, biased to limits: small images that a column wraps through and runs out of,
// corners that shrink the box, channels that end in the middle of a 16-byte piece, types with every operation they
// have, and a few that an H200 must refuse. Pixels that share addresses are kept only where the order cannot be seen.
#include "load_case.h"
#include "reduce.h"
#include "store_case.h"
#include "store_random.h"

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

// A corner that reaches out of the tensor, whether a pixel does or not; or a start outside the box.
static void spoil_box(struct random *random, struct store_case *c)
{
    struct map_args *map = &c->map;
    uint32_t k = (uint32_t)random_below(random, map->rank - 2), i = map_first_corner(map) + k;
    int64_t end = (int64_t)map->dim[i] + map->upper[k];
    switch (random_below(random, 5)) {
    case 0:
        map->lower[k] = -1 - (int32_t)random_below(random, 3);
        break;
    case 1:
        map->upper[k] = 1 + (int32_t)random_below(random, 3);
        break;
    case 2:
        c->coord[i] = map->lower[k] - 1;
        break;
    case 3:
        c->coord[i] = (int32_t)(end < INT32_MAX ? end : INT32_MAX);
        break;
    default:
        c->coord[i] = INT32_MAX;
        break;
    }
}

// A coordinate that no store takes: negative, or not at a 16-byte piece.
static void spoil_coord(struct random *random, struct store_case *c)
{
    static const int32_t negatives[] = {-1, -2, -16, -64, INT32_MIN, INT32_MIN + 16};
    const struct map_args *map = &c->map;
    uint32_t inner = map->interleave == INTERLEAVE_NONE ? 0 : map->rank - 2;
    int32_t value;
    switch (random_below(random, 4)) {
    case 0:
        c->coord[map->rank - 1] = random_pick(random, negatives);
        break;
    case 1:
        c->coord[inner] = inner == 0 ? -16 : random_pick(random, negatives);
        break;
    case 2:
        value = random_pick(random, negatives);
        c->coord[random_below(random, map->rank)] = value;
        break;
    default:
        c->coord[0] += c->coord[0] < INT32_MAX - 8 ? 1 + (int32_t)random_below(random, 8) : 0;
        break;
    }
}

static void spoil_map(struct random *random, struct store_case *c)
{
    struct map_args *map = &c->map;
    switch (random_below(random, 5)) {
    case 0:
        map->dim[random_below(random, map->rank)] = ((uint64_t)1 << 31) + 1;
        break;
    case 1:
        c->dims = 3 + (c->dims - 3 + 1 + (uint32_t)random_below(random, 2)) % 3;
        break;
    case 2:
        c->operation = 1 + (uint32_t)random_below(random, REDUCE_OPS);
        break;
    case 3:
        *map = (struct map_args){.function = MAP_REPLACE_ADDRESS, .address = map->address};
        break;
    default:
        map_args_generate_tiled(random, 2048, map);
        map->address = STORE_GLOBAL_BASE;
        c->dims = map->rank < 3 ? 3 : map->rank;
        for (uint32_t i = 0; i < TENSORMAP_MAX_RANK; i++) c->coord[i] = 0;
        break;
    }
}

// One cause of a fault.
static void spoil(struct random *random, struct store_case *c)
{
    switch (random_below(random, 8)) {
    case 0:
    case 1:
        spoil_box(random, c);
        break;
    case 2:
        spoil_coord(random, c);
        break;
    case 3:
    case 4:
        spoil_map(random, c);
        break;
    case 5:
        c->shared += 16 * (1 + (uint32_t)random_below(random, 7));
        break;
    case 6:
        c->shared = STORE_SHARED_END - 128 * (1 + (uint32_t)random_below(random, 3));
        break;
    default:
        c->map.address -= (uint64_t)1 << 45;
        break;
    }
}

void im2col_store_generate(struct random *random, void *test_case)
{
    struct store_case *c = test_case;
    struct tensormap map;
    int placed = 0;
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
