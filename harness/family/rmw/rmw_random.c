// SPDX-License-Identifier: MIT
// Random read-modify-writes: every kernel; arrays that start anywhere their call allows, with a last tile of any
// length, and now and then one that is not aligned for a bulk copy.
#include "rmw_case.h"

#include "draw.h"

enum { MOST_BYTES = 48 << 10 }; // of an array, but for a few

static uint32_t pick_form(struct random *random)
{
    static const uint32_t forms[] = {RMW_MEMCPY_ASYNC_ALIGNED, RMW_MEMCPY_ASYNC,    RMW_MEMCPY_ASYNC,
                                     RMW_MEMCPY_ASYNC_GROUP,   RMW_MEMCPY_ASYNC_TX, RMW_CP_ASYNC_BULK};
    return random_pick(random, forms);
}

// Elements of a tile: short ones, and for bulk copies multiples of 16 bytes, so that every tile is aligned.
static uint32_t pick_tile(struct random *random, enum rmw_path path, uint32_t element_bytes)
{
    uint32_t unit = path == RMW_BULK ? 16 : element_bytes;
    uint32_t units = (uint32_t)DRAW(random, {50, BETWEEN(1, 512 / unit)}, {40, BETWEEN(1, 4096 / unit)},
                                    {10, BETWEEN(1, 16384 / unit)});
    return units * unit / element_bytes;
}

// Elements in all: often whole tiles, one element more, or one less.
static uint32_t pick_count(struct random *random, uint32_t tile, uint32_t element_bytes)
{
    uint32_t most = MOST_BYTES / element_bytes / tile;
    if (most < 1) most = 1;
    if (most > 16) most = 16;
    uint32_t whole = tile * (uint32_t)random_range(random, 1, most);
    uint64_t kind = random_below(random, 100);
    if (kind < 15) return whole;
    if (kind < 25) return whole + 1;
    if (kind < 35) return whole > 1 ? whole - 1 : 1;
    return whole - (uint32_t)random_below(random, tile);
}

// A start, or tiles, that a bulk copy of an array of this type cannot have. The first tile moves at least 16 bytes.
static void misalign(struct random *random, struct rmw_case *c, uint32_t element_bytes)
{
    if (element_bytes >= 16) return;
    if (c->tile * element_bytes < 16) c->tile = 16 / element_bytes;
    if (c->count < 2 * c->tile) c->count = 2 * c->tile;
    if (random_chance(random, 50))
        c->offset += element_bytes * (uint32_t)random_range(random, 1, 16 / element_bytes - 1);
    else
        c->tile += (uint32_t)random_range(random, 1, 16 / element_bytes - 1);
    if (c->count < 2 * c->tile) c->count = 2 * c->tile;
}

void rmw_generate(struct random *random, void *test_case)
{
    static const uint32_t threads[] = {32, 64, 96, 128, 128, 192, 256};
    struct rmw_case *c = test_case;
    *c = (struct rmw_case){.form = pick_form(random)};
    c->type = (uint32_t)random_below(random, RMW_TYPES);
    c->issuer = (uint32_t)random_below(random, RMW_ISSUERS);
    c->threads = random_pick(random, threads);
    const uint32_t bytes = rmw_element_bytes((enum rmw_type)c->type);
    const enum rmw_path path = rmw_path((enum rmw_form)c->form, (enum rmw_type)c->type);
    const uint32_t unit = path == RMW_BULK ? 16 : bytes;
    c->tile = pick_tile(random, path, bytes);
    c->count = pick_count(random, c->tile, bytes);
    c->offset = unit * (uint32_t)random_below(random, 112 / unit);
    c->seed = (uint32_t)random_u64(random);
    int faults = random_chance(random, 3);
    if (faults && path == RMW_BULK) misalign(random, c, bytes);
}
