// SPDX-License-Identifier: MIT
// Random tiled loads, biased to limits: every bounds class in every dimension, every place of the swizzle pattern,
// strides of any order, and now and then a load that an H200 must refuse.
#include "arena.h"
#include "draw.h"
#include "load_case.h"
#include "load_job.h"
#include "tile.h"

// A coordinate along a dimension of `dim` elements for a box that spans `span`: inside, over an edge, outside, far out.
static int32_t pick_coord(struct random *random, uint64_t dim, int64_t span)
{
    static const int32_t far[] = {INT32_MIN, INT32_MIN + 16, INT32_MAX, INT32_MAX - 15, -65536, 65536, 1 << 20};
    int64_t size = dim > INT32_MAX ? INT32_MAX : (int64_t)dim;
    int64_t coord = DRAW(random, {40, BETWEEN(0, size - span), .is_just = size <= span}, {20, BETWEEN(-span, 0)},
                         {22, BETWEEN(size, size - span)}, {8, BETWEEN(-2 * span, size + span)}, {4, BETWEEN(0, 3)},
                         {6, ONE_OF(far)});
    return (int32_t)(coord > INT32_MAX ? INT32_MAX : coord < INT32_MIN ? INT32_MIN : coord);
}

static void pick_coords(struct random *random, struct load_case *c)
{
    for (uint32_t i = 0; i < c->map.rank; i++) c->coord[i] = pick_coord(random, c->map.dim[i], c->map.box[i]);
    if (c->map.interleave != INTERLEAVE_NONE || random_chance(random, 1)) return;
    c->coord[0] = map_align_coord(&c->map, c->coord[0]);
}

// Sizes and strides that only matter at their limits.
static void stretch(struct random *random, struct map_args *map)
{
    static const uint64_t dims[] = {(uint64_t)1 << 31, ((uint64_t)1 << 31) - 1, (uint64_t)1 << 30, 1};
    if (random_chance(random, 12)) {
        uint64_t value = random_pick(random, dims);
        map->dim[random_below(random, map->rank)] = value;
    }
    if (random_chance(random, 1)) map->dim[random_below(random, map->rank)] = ((uint64_t)1 << 31) + 1;
    if (map->rank > 1 && random_chance(random, 12)) {
        uint64_t value = map_pick_limit_stride(random);
        map->strides[random_below(random, map->rank - 1)] = value;
    }
}

// The bytes of global memory, relative to the map's address, that the box and the base itself touch.
static void touched(const struct load_case *c, const struct tensormap *map, __int128 *low, __int128 *high)
{
    struct tile tile = tile_of(map, c->coord);
    *low = 0;
    *high = 16;
    __int128 first = 0, last = map->stride[0];
    for (int i = 0; i < map->rank; i++) {
        int64_t by = i == 0 && map->interleave == INTERLEAVE_NONE ? 1 : map->estride[i];
        int64_t least = c->coord[i], most = least + by * ((int64_t)tile.steps[i] - 1), dim = (int64_t)map->dim[i];
        if (least < 0) least = least % by == 0 ? 0 : by + least % by;
        if (most >= dim) most = dim - 1;
        if (least > most) return;
        first += (__int128)least * map->stride[i];
        last += (__int128)most * map->stride[i];
    }
    if (last > *high) *high = last;
    if (first < *low) *low = first;
}

// Puts the tensor where all that is read is mapped, if the arena has room; now and then over the arena's edge.
static void place(struct random *random, struct load_case *c)
{
    struct tensormap map;
    c->map.address = ARENA_BASE;
    if (!map_args_made(&c->map, &map)) return;
    __int128 low, high;
    touched(c, &map, &low, &high);
    if (high - low > (__int128)(ARENA_BYTES / 4)) {
        for (int i = 0; i < TENSORMAP_MAX_RANK - 1 && random_chance(random, 95); i++) c->map.strides[i] = 0;
        for (int i = 0; i + 1 < map.rank; i++) map.stride[i + 1] = c->map.strides[i];
        touched(c, &map, &low, &high);
    }
    if (high > (__int128)ARENA_BYTES / 2) return;
    uint64_t room = ARENA_BYTES / 2 - (uint64_t)high, align = map_align_bytes(&c->map);
    uint64_t half = dtype_row(map.dtype)->is_tf32 || random_chance(random, 10) ? ARENA_BYTES / 2 : 0;
    uint64_t offset = random_chance(random, 10) ? room : random_below(random, room + 1);
    c->map.address += half + offset / align * align;
    if (random_chance(random, 1) && random_chance(random, 50)) c->map.address = ARENA_BASE + ARENA_BYTES - align;
}

uint32_t load_pick_shared(struct random *random, uint64_t extent_bytes)
{
    uint32_t extent = extent_bytes < LOAD_SHARED_BYTES ? (uint32_t)extent_bytes : LOAD_SHARED_BYTES;
    uint32_t steps = (LOAD_SHARED_END - LOAD_WINDOW_START) / 128, used = (extent + 127) / 128;
    if (random_chance(random, 1) && random_chance(random, 50))
        return LOAD_WINDOW_START + 16 * (uint32_t)random_below(random, 64);
    if (random_chance(random, 1) && random_chance(random, 30)) return LOAD_SHARED_END - (used > 1 ? used / 2 * 128 : 0);
    uint32_t free = used < steps ? steps - used : 0;
    uint32_t step = random_chance(random, 80) && free > 32 ? (uint32_t)random_below(random, 32)
                                                           : (uint32_t)random_below(random, free + 1);
    return LOAD_WINDOW_START + 128 * step;
}

uint32_t load_pick_bytes(struct random *random)
{
    return (uint32_t)DRAW(random, {700, JUST(2048)}, {250, JUST(8192)}, {45, JUST(32768)},
                          {5, JUST(TENSORMAP_MAX_BOX_BYTES - 4096)});
}

// A box that the encoder counts as 0 bytes, because one element stride exceeds its side: nothing then bounds the rest.
static void overgrow(struct random *random, struct map_args *map)
{
    if (map->rank < 3) return;
    uint32_t zero = 1 + (uint32_t)random_below(random, map->rank - 1);
    for (uint32_t i = 1; i < map->rank; i++) map->box[i] = i == zero ? 1 : 256;
    map->estride[zero] = 2;
}

void load_generate(struct random *random, void *test_case)
{
    struct load_case *c = test_case;
    *c = (struct load_case){0};
    map_args_generate_tiled(random, load_pick_bytes(random), &c->map);
    stretch(random, &c->map);
    if (random_chance(random, 1) && random_chance(random, 20)) overgrow(random, &c->map);
    pick_coords(random, c);
    place(random, c);
    c->dims =
        random_chance(random, 1) && random_chance(random, 30) ? 1 + (uint32_t)random_below(random, 5) : c->map.rank;
    struct tensormap map;
    if (!map_args_made(&c->map, &map)) return;
    struct tile tile = tile_of(&map, c->coord);
    c->shared = load_pick_shared(random, tile_extent_bytes(&tile));
    c->expect = (uint32_t)tile_transaction_bytes(&tile);
    if (c->expect < 4096 && random_chance(random, 1)) c->expect += 16 * (1 + (uint32_t)random_below(random, 8));
}
