// SPDX-License-Identifier: MIT
// Random maps on the device, biased to what kernels do and to what may go wrong: built from zeros, turned from one map
// into another, edited at random with values at limits, with flipped bits, wholly random; in every place a map may lie
// and, now and then, where it may not.
#include "arena.h"
#include "copy.h"
#include "draw.h"
#include "replace_case.h"

// Edits, in random order, that make any map the tiled map `to`.
static void rebuild(struct random *random, const struct tensormap *to, struct replace_case *c)
{
    c->count = replace_ops_of(to, c->op);
    for (uint32_t i = c->count; i > 1; i--) {
        uint32_t other = (uint32_t)random_below(random, i);
        struct replace_op op = c->op[i - 1];
        c->op[i - 1] = c->op[other];
        c->op[other] = op;
    }
}

static uint64_t any_box(struct random *random, int64_t limit)
{
    static const int32_t boxes[] = {4, 8, 16, 32, 64};
    return (uint64_t)DRAW(random, {60, ONE_OF(boxes)}, {25, BETWEEN(0, 256)}, {11, BETWEEN(253, 258)},
                          {2, BETWEEN(limit - 1, limit)}, {2, JUST(UINT32_MAX)});
}

static uint64_t any_dim(struct random *random, int64_t limit)
{
    return (uint64_t)DRAW(random, {72, BETWEEN(1, 300)}, {8, BETWEEN(0, 1)}, {10, BETWEEN(limit, limit + 1)},
                          {5, JUST(UINT32_MAX)}, {5, JUST(4096)});
}

static uint64_t any_stride(struct random *random, int64_t anything)
{
    return (uint64_t)DRAW(random, {10, JUST(anything)}, {54, BETWEEN(0, 8191), .unit = 16}, {18, BETWEEN(8, 24)},
                          {9, JUST((int64_t)1 << 36)}, {9, JUST(((int64_t)1 << 40) - 16)});
}

static uint64_t any_value(struct random *random, enum replace_field field)
{
    const int64_t limit = (int64_t)1 << 31, anything = (int64_t)random_u64(random);
    switch (field) {
    case REPLACE_GLOBAL_ADDRESS:
        return (uint64_t)DRAW(random, {6, JUST(anything)}, {4, JUST(ARENA_BASE + 8)},
                              {90, BETWEEN(ARENA_BASE, ARENA_BASE + ARENA_BYTES / 2 - 1), .unit = 16});
    case REPLACE_RANK:
        return (uint64_t)DRAW(random, {94, BETWEEN(0, 4)}, {5, BETWEEN(0, 10)}, {1, JUST(UINT32_MAX)});
    case REPLACE_BOX_DIM:
        return any_box(random, limit);
    case REPLACE_GLOBAL_DIM:
        return any_dim(random, limit);
    case REPLACE_GLOBAL_STRIDE:
        return any_stride(random, anything);
    case REPLACE_ELEMENT_STRIDE:
        return (uint64_t)DRAW(random, {85, BETWEEN(1, 8)}, {12, BETWEEN(0, 10)}, {2, BETWEEN(limit - 1, limit)},
                              {1, JUST(UINT32_MAX)});
    case REPLACE_INTERLEAVE_LAYOUT:
        return (uint64_t)DRAW(random, {70, JUST(0)}, {30, BETWEEN(0, REPLACE_INTERLEAVES - 1)});
    case REPLACE_ELEMTYPE:
        return random_below(random, REPLACE_ELEMTYPES);
    default:
        return random_below(random, field == REPLACE_SWIZZLE_MODE ? REPLACE_SWIZZLES : REPLACE_FILLS);
    }
}

static void edit(struct random *random, struct replace_case *c)
{
    uint32_t count = 1 + (uint32_t)random_below(random, random_chance(random, 70) ? 4 : REPLACE_MAX_OPS - c->count);
    for (uint32_t i = 0; i < count; i++) {
        enum replace_field field = (enum replace_field)random_below(random, REPLACE_FIELDS);
        bool has_ordinal = field >= REPLACE_BOX_DIM && field <= REPLACE_ELEMENT_STRIDE;
        uint32_t ordinal = has_ordinal ? (uint32_t)random_below(random, REPLACE_ORDINALS) : 0;
        c->op[c->count++] = (struct replace_op){field, ordinal, any_value(random, field)};
    }
}

// Bits that loads ignore, or any bits.
static void flip(struct random *random, struct replace_case *c)
{
    static const struct {
        uint32_t first, count;
    } ignored[] = {{57, 7}, {65, 3}, {81, 15}, {240, 16}, {431, 9}, {480, 32}, {512, 512}};
    bool is_ignored = random_chance(random, 60);
    for (uint64_t count = 1 + random_below(random, 8); count > 0; count--) {
        uint32_t i = (uint32_t)random_below(random, sizeof ignored / sizeof ignored[0]);
        uint64_t bit =
            is_ignored ? ignored[i].first + random_below(random, ignored[i].count) : random_below(random, 512);
        c->start[bit / 64] ^= (uint64_t)1 << bit % 64;
    }
}

// A legal load, as the family "load" has it, and its map.
static bool pick_load(struct random *random, struct load_case *load, struct tensormap *map,
                      struct tensormap_image *image)
{
    load_generate(random, load);
    if (map_args_encode(&load->map, image, NULL) != RULE_OK) return false;
    tensormap_decode(image, map, NULL);
    return true;
}

// Fits the load to the map as it has become: the rank, the alignment of coordinate 0, the bytes. A load that faults is
// mostly left out: there are plenty.
static void fit_load(struct random *random, struct replace_case *c)
{
    uint8_t byte;
    const struct memory shared = {&byte, LOAD_SHARED_START, LOAD_SHARED_BYTES};
    struct tensormap map;
    bool faults = !replace_final_map(c, &map);
    if (!faults) {
        if (random_chance(random, 98)) c->dims = (uint32_t)map.rank;
        int32_t piece = 16 / (int32_t)dtype_row(map.dtype)->size_bytes;
        c->coord[0] -= ((c->coord[0] % piece) + piece) % piece;
        struct tile tile = tile_of(&map, c->coord);
        c->shared = load_pick_shared(random, tile_extent_bytes(&tile));
        c->expect = (uint32_t)tile_transaction_bytes(&tile);
        faults = c->expect >= 1 << 20 ||
                 tile_load_check(&map, (int)c->dims, c->coord, arena(), &shared, c->shared, NULL) != RULE_OK;
    }
    if (faults && random_chance(random, 85)) c->dims = 0;
}

// A place for a map that nobody edits.
static void pick_location(struct random *random, struct replace_case *c)
{
    if (c->count > 0) return;
    uint64_t kind = random_below(random, 100);
    c->location = kind < 45 ? MAP_IN_PARAM : kind < 90 ? MAP_IN_CONSTANT : MAP_IN_GLOBAL;
    if (c->dims == 0 || !random_chance(random, 3)) return;
    c->location = MAP_IN_SHARED + (uint32_t)random_below(random, MAP_LOCATIONS - MAP_IN_SHARED);
    if (random_chance(random, 50)) return;
    c->location = MAP_IN_GLOBAL;
    c->misalign = random_chance(random, 20) ? 64 : UINT32_C(1) << random_below(random, 6);
}

void replace_generate(struct random *random, void *test_case)
{
    struct replace_case *c = test_case;
    struct load_case load, other;
    struct tensormap map;
    struct tensormap_image image;
    *c = (struct replace_case){.shared = LOAD_WINDOW_START};
    c->space = (uint32_t)random_below(random, REPLACE_SPACES);
    uint64_t kind = random_below(random, 100);
    if (!pick_load(random, &load, &map, &image)) return;
    for (int i = 0; i < TENSORMAP_MAX_RANK; i++) c->coord[i] = i < map.rank ? load.coord[i] : 0;
    c->dims = load.dims;
    if (kind >= 25 && kind < 50) pick_load(random, &other, &(struct tensormap){0}, &image);
    for (int i = 0; i < TENSORMAP_BYTES / 8; i++)
        c->start[i] = kind < 25 ? 0 : kind >= 95 ? random_u64(random) : image.word[i];
    if (kind < 50) rebuild(random, &map, c);
    if (kind >= 50 && kind < 70) edit(random, c);
    if (kind >= 70 && kind < 80) flip(random, c);
    if (kind >= 95 && random_chance(random, 70)) edit(random, c);
    if (kind >= 95 && random_chance(random, 90)) c->dims = 0;
    if (c->dims > 0) fit_load(random, c);
    pick_location(random, c);
}
