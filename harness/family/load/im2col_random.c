// SPDX-License-Identifier: MIT
// Random im2col loads, biased to limits: small images whose bounding box a column wraps through, starts on the box's
// edges, offsets in and past their fields, dimensions up to 2^31, and now and then a load that an H200 must refuse.
#include "arena.h"
#include "draw.h"
#include "load_case.h"
#include "load_job.h"

#define BEFORE_BYTES ((uint64_t)31 << 30) // addresses before the arena that a GPU keeps unmapped

// Sizes: few images, few rows and columns; channels around what a pixel takes, or slices.
static void pick_dims(struct random *random, struct map_args *map)
{
    uint32_t inner = map->interleave == INTERLEAVE_NONE ? 0 : map->rank - 2, channels = map->channels;
    for (uint32_t i = 0; i < map->rank; i++)
        map->dim[i] = 1 + random_below(random, random_chance(random, 85) ? 16 : 70);
    map->dim[map->rank - 1] = 1 + random_below(random, 5);
    if (inner == 0 && random_chance(random, 60)) map->dim[0] = channels + random_below(random, 2 * channels);
    if (inner == 0 && random_chance(random, 30)) map->dim[0] = 1 + random_below(random, channels);
}

// Now and then a dimension, or a stride, at a limit; not both, so that no address passes 2^63.
static void stretch(struct random *random, struct map_args *map)
{
    if (random_chance(random, 10)) {
        uint64_t value = map_pick_limit_dim(random);
        map->dim[random_below(random, map->rank)] = value;
        for (uint32_t i = 0; i + 1 < map->rank; i++)
            if (map->dim[i + 1] > 65535) map->strides[i] = 32 * random_below(random, 4);
    } else if (random_chance(random, 12)) {
        uint64_t value = map_pick_limit_stride(random);
        map->strides[random_below(random, map->rank - 1)] = value;
    }
}

// Corners that leave a box: mostly small, as convolutions have them, or anywhere up to the limits.
static void pick_corners(struct random *random, struct map_args *map)
{
    static const int32_t limits[] = {32767, 127, 15};
    int32_t limit = limits[map->rank - 3], reach = random_chance(random, 85) ? 4 : limit;
    for (uint32_t k = 0; k < map->rank - 2; k++) {
        int64_t dim = (int64_t)map->dim[map_first_corner(map) + k];
        int64_t lower = random_range(random, -reach, reach / 4), upper = random_range(random, -reach, reach / 4);
        if (random_chance(random, 4)) lower = -limit - 1;
        if (random_chance(random, 4)) upper = limit;
        if (dim >= INT32_MAX - 65536 && upper > -1) upper = -1 - (upper & 3); // the encoder's sum has 32 bits
        if (dim + upper <= lower) upper = lower - dim + 1 + (int64_t)random_below(random, 3);
        if (dim + upper <= lower || upper > limit || upper < -limit - 1) lower = upper = 0;
        if (dim >= INT32_MAX - 65536 && upper == 0) upper = -1;
        map->lower[k] = (int32_t)lower;
        map->upper[k] = (int32_t)upper;
    }
}

int32_t im2col_pick_start(struct random *random, const struct map_args *map, uint32_t k)
{
    int64_t low = map->lower[k], high = (int64_t)map->dim[map_first_corner(map) + k] - 1 + map->upper[k];
    int64_t near = high - low < 8 ? high - low : 8;
    int64_t start = DRAW(random, {12, JUST(low)}, {12, JUST(high)}, {16, JUST(high - near)}, {15, JUST(low + near)},
                         {45, BETWEEN(low, high)});
    return (int32_t)(start > INT32_MAX ? INT32_MAX : start);
}

// A coordinate of N or of the slices: inside, just outside, far out.
static int32_t pick_index(struct random *random, uint64_t dim, int32_t reach)
{
    static const int32_t far[] = {INT32_MIN, INT32_MIN + 16, INT32_MAX, INT32_MAX - 15, -65536, 1 << 20};
    int64_t size = dim > INT32_MAX ? INT32_MAX : (int64_t)dim;
    return (int32_t)DRAW(random, {84, BETWEEN(0, size - 1)}, {8, JUST(size - 1)}, {3, BETWEEN(-1, -reach)},
                         {3, BETWEEN(size, size + 3), .is_just = size >= INT32_MAX - 4}, {2, ONE_OF(far)});
}

static void pick_coords(struct random *random, struct load_case *c)
{
    const struct map_args *map = &c->map;
    for (uint32_t k = 0; k < map->rank - 2; k++)
        c->coord[map_first_corner(map) + k] = im2col_pick_start(random, map, k);
    c->coord[map->rank - 1] = pick_index(random, map->dim[map->rank - 1], 3);
    if (map->interleave != INTERLEAVE_NONE) {
        c->coord[map->rank - 2] = pick_index(random, map->dim[map->rank - 2], 3);
        return;
    }
    c->coord[0] = random_chance(random, 45) ? 0 : pick_index(random, map->dim[0], (int32_t)map->channels);
    c->coord[0] = map_align_coord(map, c->coord[0]);
}

static void pick_offsets(struct random *random, struct load_case *c)
{
    static const uint32_t limits[] = {65535, 255, 31};
    uint32_t limit = limits[c->map.rank - 3];
    for (uint32_t k = 0; k < c->map.rank - 2; k++) {
        uint64_t kind = random_below(random, 100), most = kind < 50 ? 1 : kind < 84 ? 4 : kind < 90 ? 20 : limit;
        c->offset[k] = (uint16_t)random_below(random, (most > limit ? limit : most) + 1);
        if (kind == 94) c->offset[k] = (uint16_t)limit;
        if (kind >= 97) c->offset[k] = (uint16_t)random_below(random, 65536);
    }
}

// Moves offsets so that the first pixel lies in the image, where they can.
static void aim(struct load_case *c)
{
    static const int64_t limits[] = {65535, 255, 31};
    for (uint32_t k = 0; k < c->map.rank - 2; k++) {
        int64_t start = c->coord[map_first_corner(&c->map) + k],
                dim = (int64_t)c->map.dim[map_first_corner(&c->map) + k];
        int64_t offset = c->offset[k], limit = limits[c->map.rank - 3];
        if (start + offset >= dim) offset = dim - 1 - start > 0 ? dim - 1 - start : 0;
        if (start + offset < 0) offset = -start;
        c->offset[k] = (uint16_t)(offset < limit ? offset : limit);
    }
}

// The bytes of global memory, relative to the map's address, that the column reads, and the base if that is touched.
static bool touched(const struct im2col *column, uint64_t base, uint64_t *low, uint64_t *high)
{
    struct tile_run run;
    bool is_base = im2col_first_outside(column);
    *low = is_base ? 0 : UINT64_MAX;
    *high = is_base ? 16 : 0;
    for (struct im2col_walk walk = im2col_walk(column); im2col_next(&walk, &run);) {
        if (run.is_fill) continue;
        uint64_t from = run.address - base, past = from + run.bytes;
        if (from < *low) *low = from;
        if (past > *high) *high = past;
    }
    return is_base;
}

// Puts the tensor where all that is read is mapped, if the arena has room. The base itself may lie before the arena
// where nothing touches it.
static void place(struct random *random, struct load_case *c)
{
    struct tensormap map;
    uint64_t low = 0, high = 0, align = map_align_bytes(&c->map), most = ARENA_BYTES / 2 - 64;
    bool is_base = true;
    c->map.address = ARENA_BASE;
    if (!map_args_made(&c->map, &map)) return;
    for (int tries = 0; tries < 4; tries++) {
        struct im2col column = im2col_of(&map, c->coord, c->offset);
        is_base = touched(&column, ARENA_BASE, &low, &high);
        if (low > high) low = high = 0; // nothing is read
        if (high - low <= most && low < BEFORE_BYTES) break;
        for (uint32_t i = 0; i + 1 < c->map.rank && (tries > 1 || random_chance(random, 50)); i++)
            map.stride[i + 1] = c->map.strides[i] = 0;
    }
    if (high - low > most || low >= BEFORE_BYTES) return;
    if (!is_base && high <= most && random_chance(random, 85)) low = 0;
    low = low / align * align;
    uint64_t room = ARENA_BYTES / 2 - (high - low);
    uint64_t half = dtype_row(map.dtype)->is_tf32 || random_chance(random, 10) ? ARENA_BYTES / 2 : 0;
    uint64_t offset = random_chance(random, 10) ? room : random_below(random, room + 1);
    c->map.address += half + offset / align * align - low;
}

// A tiled map, which an im2col instruction does not take.
static void turn_tiled(struct random *random, struct load_case *c)
{
    map_args_generate_tiled(random, 2048, &c->map);
    c->map.address = ARENA_BASE;
    c->dims = c->map.rank < 3 ? 3 : c->map.rank;
    for (uint32_t d = 0; d < TENSORMAP_MAX_RANK; d++) c->coord[d] = 0;
}

// One cause of a fault.
static void spoil(struct random *random, struct load_case *c)
{
    struct map_args *map = &c->map;
    const uint32_t k = (uint32_t)random_below(random, map->rank - 2), i = map_first_corner(map) + k;
    const uint32_t any = (uint32_t)random_below(random, map->rank), up = 16 * (1 + (uint32_t)random_below(random, 7));
    const uint32_t dims = 3 + (c->dims - 3 + 1 + (uint32_t)random_below(random, 2)) % 3;
    const int64_t end = (int64_t)map->dim[i] + map->upper[k];
    const uint64_t kind = random_below(random, 12);
    if (kind == 0) {
        turn_tiled(random, c);
    } else if (kind == 1) {
        map->address = ARENA_BASE - (1 << 20); // the base is not mapped, and nothing else is read
        c->coord[map->rank - 1] = -1 - (1 << 20);
    } else {
        change_one(random, CHANGES({2, CHANGE(c->coord[i], map->lower[k] - 1)},
                                   {2, CHANGE(c->coord[i], end < INT32_MAX ? end : INT32_MAX)},
                                   {1, CHANGE(c->coord[i], INT32_MIN)}, {1, CHANGE(c->coord[i], INT32_MAX)},
                                   {2, CHANGE(c->coord[0], c->coord[0] + 1)}, // with interleave W, and may be fine
                                   {2, CHANGE(map->dim[any], ((uint64_t)1 << 31) + 1)}, {2, CHANGE(c->dims, dims)},
                                   {2, CHANGE(c->mode, LOAD_TILE)}, {2, CHANGE(c->shared, c->shared + up)},
                                   {2, CHANGE(c->shared, LOAD_SHARED_END - 128)},
                                   {2, CHANGE(map->address, ARENA_BASE + ARENA_BYTES - 32)})); // hardly any is mapped
    }
}

void im2col_generate(struct random *random, void *test_case)
{
    struct load_case *c = test_case;
    struct tensormap map;
    *c = (struct load_case){.mode = LOAD_IM2COL, .shared = LOAD_WINDOW_START};
    map_args_generate_im2col(random, load_pick_bytes(random), &c->map);
    pick_dims(random, &c->map);
    map_pick_strides(random, &c->map, 30, 0, 7, c->map.strides);
    stretch(random, &c->map);
    pick_corners(random, &c->map);
    pick_coords(random, c);
    pick_offsets(random, c);
    if (random_chance(random, 50)) aim(c);
    place(random, c);
    c->dims = c->map.rank;
    if (!map_args_made(&c->map, &map)) return;
    struct im2col column = im2col_of(&map, c->coord, c->offset);
    c->shared = load_pick_shared(random, im2col_extent_bytes(&column));
    c->expect = (uint32_t)im2col_transaction_bytes(&column);
    if (c->expect < 4096 && random_chance(random, 1)) c->expect += 16 * (1 + (uint32_t)random_below(random, 8));
    if (random_chance(random, 2)) spoil(random, c);
}
