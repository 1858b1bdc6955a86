// SPDX-License-Identifier: MIT
// Random tiled loads, stores and reductions, biased to limits: coordinates at the edges of the tensor and of 32 bits,
// dimensions around the box and around 2^31, strides that are zero, permuted or overlapping, and now and then one cause
// of a fault.
#include <string.h>

#include "slow_store.h"

static const uint32_t element[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

static void choose_format(struct slow_random *random, struct tensormap *map)
{
    map->rank = (int)slow_between(random, 1, 5);
    map->dtype = (enum dtype)slow_between(random, 0, DTYPE_COUNT - 1);
    map->swizzle = (enum tensormap_swizzle)slow_between(random, 0, 3);
    if (map->rank >= 3) map->interleave = (enum tensormap_interleave)slow_between(random, 0, 2);
    map->l2_promotion = (enum tensormap_l2_promotion)slow_between(random, 0, 3);
    if (map->dtype >= DTYPE_FLOAT16) map->oob_fill = (enum tensormap_oob_fill)slow_between(random, 0, 1);
    map->stride[0] = map->interleave == INTERLEAVE_NONE ? element[map->dtype] : 16 * (uint64_t)map->interleave;
}

// Steps of dimension `d` of the box.
static uint32_t steps(const struct tensormap *map, int d)
{
    if (map->interleave == INTERLEAVE_NONE && d == 0) return map->box[0];
    if (map->interleave != INTERLEAVE_NONE && d == map->rank - 2) return 1;
    return (map->box[d] + map->estride[d] - 1) / map->estride[d];
}

// A box of about `room` bytes: 16-byte pieces in dimension 0, few steps in some dimensions and many in others.
static void choose_box(struct slow_random *random, struct tensormap *map, int64_t room)
{
    int64_t piece = 16 / (int64_t)element[map->dtype];
    int64_t most = 256 / piece;
    if (map->interleave == INTERLEAVE_NONE && map->swizzle != SWIZZLE_NONE && most > 1 << map->swizzle) {
        most = 1 << map->swizzle;
    }
    if (most * 16 > room) most = room / 16;
    for (int d = 0; d < map->rank; d++) {
        int64_t limit = slow_chance(random, 50) ? 4 : 256;
        map->estride[d] = slow_chance(random, 40) ? 1 : (uint32_t)slow_between(random, 1, 8);
        if (d == 0) {
            map->box[0] = (uint32_t)(piece * slow_between(random, 1, most));
            room /= (int64_t)(steps(map, 0) * map->stride[0]);
            continue;
        }
        if (limit > room * map->estride[d]) limit = room * map->estride[d];
        if (d == map->rank - 2 && map->interleave != INTERLEAVE_NONE) limit = 256;
        map->box[d] = (uint32_t)slow_between(random, 1, limit < 1 ? 1 : limit > 256 ? 256 : limit);
        room /= steps(map, d);
    }
}

static uint64_t choose_dim(struct slow_random *random, uint32_t box)
{
    switch (slow_between(random, 0, 9)) {
    case 0:
        return 1;
    case 1:
        return box;
    case 2:
        return box + 1;
    case 3:
        return box > 1 ? box - 1 : 1;
    case 4:
        return (uint64_t)1 << 31;
    case 5:
        return (uint64_t)slow_between(random, 0x7ffffff0, 0x7fffffff);
    default:
        return (uint64_t)slow_between(random, 1, 3 * (int64_t)box);
    }
}

// Most strides keep the box within 64 KiB; some are huge, and work only where a single row is in bounds. Not along
// huge dimensions: what becomes of an address above 2^64 has not been measured, and the two models need not agree.
static uint64_t choose_stride(struct slow_random *random, const struct tensormap *map, int d)
{
    int64_t align = map->interleave == INTERLEAVE_32B ? 32 : 16;
    int64_t reach = SLOW_GMEM_BYTES / 3 / (int64_t)map->box[d];
    if (slow_chance(random, 8)) return 0;
    if (map->dim[d] < 1 << 20 && slow_chance(random, 6)) {
        int64_t most = ((int64_t)1 << 40) / align - 1;
        return (uint64_t)(align * (slow_chance(random, 50) ? most : slow_between(random, 0, most)));
    }
    if (slow_chance(random, 10)) return (uint64_t)align;
    if (reach < align) return (uint64_t)align;
    return (uint64_t)(slow_between(random, 0, reach / align) * align);
}

static int32_t choose_coord(struct slow_random *random, uint64_t dim, uint32_t box)
{
    int64_t end = (int64_t)dim;
    int64_t coord;
    switch (slow_between(random, 0, 9)) {
    case 0:
        coord = slow_between(random, -(int64_t)box, 0);
        break;
    case 1:
        coord = end - slow_between(random, 0, box);
        break;
    case 2:
        coord = end - 1 - slow_between(random, 0, 2 * (int64_t)box);
        break;
    case 3:
        coord =
            slow_chance(random, 50) ? INT32_MIN + slow_between(random, 0, 20) : INT32_MAX - slow_between(random, 0, 20);
        if (slow_chance(random, 50)) coord = 0;
        break;
    case 4:
        coord = slow_between(random, 0, end - 1);
        break;
    default:
        coord = end > box ? slow_between(random, 0, end - box < 64 ? end - box : 64) : 0;
    }
    return (int32_t)(coord < INT32_MIN ? INT32_MIN : coord > INT32_MAX ? INT32_MAX : coord);
}

// The least multiple of the rule at or below `coord` (INT32_MIN is one), so that the load does not fault.
static int32_t align_coord(const struct tensormap *map, int32_t coord)
{
    int64_t piece = map->interleave == INTERLEAVE_NONE ? 16 / (int64_t)element[map->dtype] : 1;
    return (int32_t)(coord - ((int64_t)coord % piece + piece) % piece);
}

// A base such that the first in-bounds row lies in global memory, or one in global memory whatever is read.
static uint64_t choose_address(struct slow_random *random, const struct slow_tile *tile)
{
    const struct tensormap *map = &tile->map;
    uint64_t base = tile->gmem_base + (uint64_t)slow_between(random, 0, 128) * 32;
    if (slow_chance(random, 20)) base = tile->gmem_base + (uint64_t)slow_between(random, 0, 4095) * 32;
    if (slow_chance(random, 30)) return base;
    uint64_t address = base;
    for (int d = 0; d < map->rank; d++) {
        if (tile->coord[d] > 0) address -= (uint64_t)tile->coord[d] * map->stride[d];
    }
    address -= address % 32;
    return address >> 57 == 0 ? address : base;
}

// One cause of a fault, or none.
static void spoil(struct slow_random *random, struct slow_tile *tile)
{
    struct tensormap *map = &tile->map;
    int d = (int)slow_between(random, 0, map->rank - 1);
    bool is_free = map->stride[d] < (uint64_t)1 << 32;
    if (slow_chance(random, 4)) tile->coord[0] = (int32_t)slow_between(random, -300, 300);
    if (slow_chance(random, 2)) tile->shared += (uint32_t)slow_between(random, 1, 127);
    if (slow_chance(random, 2)) tile->shared += 16 * (uint32_t)slow_between(random, 1, 7);
    if (slow_chance(random, 2)) tile->dims = (int)slow_between(random, 1, 5);
    if (is_free && slow_chance(random, 3)) map->dim[d] = ((uint64_t)1 << 31) + (uint64_t)slow_between(random, 0, 1);
    if (is_free && slow_chance(random, 1)) map->dim[d] = (uint64_t)1 << 32;
    if (slow_chance(random, 1) && map->rank >= 3) map->mode = TENSORMAP_IM2COL;
    if (slow_chance(random, 2)) tile->shared = (uint32_t)slow_between(random, 0, SLOW_SMEM_BASE / 128) * 128;
    if (slow_chance(random, 3)) tile->shared = (uint32_t)(tile->smem_base + tile->smem_bytes) - 128;
}

// Bytes of the box in shared memory, gaps between rows included.
static uint64_t extent(const struct tensormap *map)
{
    uint64_t bytes = steps(map, 0) * map->stride[0];
    if (map->interleave == INTERLEAVE_NONE && map->swizzle != SWIZZLE_NONE) bytes = (uint64_t)16 << map->swizzle;
    for (int d = 1; d < map->rank; d++) bytes *= steps(map, d);
    return bytes;
}

// Stores fault at negative coordinates: most have none.
static void forget_signs(struct slow_random *random, struct slow_tile *tile)
{
    for (int d = 0; d < tile->map.rank; d++) {
        if (tile->coord[d] < 0 && slow_chance(random, 97)) tile->coord[d] = (int32_t)slow_between(random, 0, 3) * 16;
    }
}

static void generate(struct slow_random *random, struct slow_tile *tile, int64_t room, bool is_store)
{
    struct tensormap *map = &tile->map;
    memset(tile, 0, sizeof *tile);
    tile->gmem_base = slow_chance(random, 50) ? SLOW_GMEM_BASE : (uint64_t)1 << 56;
    tile->gmem_bytes = SLOW_GMEM_BYTES;
    tile->smem_base = SLOW_SMEM_BASE;
    tile->smem_bytes = SLOW_SMEM_BYTES;
    if (slow_chance(random, 5)) tile->gmem_bytes = (uint64_t)slow_between(random, 1, SLOW_GMEM_BYTES);
    if (slow_chance(random, 5)) tile->smem_bytes = 128 * (uint64_t)slow_between(random, 1, SLOW_SMEM_BYTES / 128);
    choose_format(random, map);
    choose_box(random, map, room);
    for (int d = 0; d < map->rank; d++) {
        map->dim[d] = choose_dim(random, map->box[d]);
        if (d > 0) map->stride[d] = choose_stride(random, map, d);
        tile->coord[d] = choose_coord(random, map->dim[d], map->box[d]);
    }
    if (is_store) forget_signs(random, tile);
    tile->coord[0] = align_coord(map, tile->coord[0]);
    tile->dims = map->rank;
    int64_t lines = ((int64_t)tile->smem_bytes - (int64_t)extent(map)) / 128;
    tile->shared = SLOW_SMEM_BASE + 128 * (uint32_t)slow_between(random, 0, lines < 0 ? 0 : lines);
    spoil(random, tile);
    map->address = choose_address(random, tile);
}

void slow_generate_load(struct slow_random *random, struct slow_tile *tile)
{
    generate(random, tile, slow_chance(random, 90) ? 2048 : slow_chance(random, 90) ? 16384 : 40000, false);
}

void slow_generate_store(struct slow_random *random, struct slow_store *store)
{
    enum dtype dtype;
    generate(random, &store->tile, slow_chance(random, 70) ? 256 : slow_chance(random, 97) ? 1024 : 8192, true);
    dtype = store->tile.map.dtype;
    store->is_reduction = slow_chance(random, 75);
    store->op = (enum reduce_op)slow_between(random, 0, REDUCE_OPS - 1);
    for (int i = 0; i < 4 && !slow_reduce_is_legal(store->op, dtype, SLOW_NONE); i++) {
        store->op = (enum reduce_op)slow_between(random, 0, i < 2 ? REDUCE_OPS - 1 : REDUCE_MAX);
    }
    if (!slow_reduce_is_legal(store->op, dtype, SLOW_NONE) && slow_chance(random, 80)) store->is_reduction = 0;
}
