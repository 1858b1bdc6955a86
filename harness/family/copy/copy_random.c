// SPDX-License-Identifier: MIT
// Random copies of whole tensors: remainders in every dimension, padded rows, every type and swizzle, clusters of any
// shape and any way to share a tile, rings of any depth; and a few that an H200 refuses. Where several CTAs reduce the
// same tile, only what does not depend on their order.
#include "arena.h"
#include "copy_case.h"
#include "reduce.h"

enum { ATTEMPTS = 200, PIECE_BYTES = 16, SMALL_BYTES = 96 << 10, LARGE_BYTES = 768 << 10, EXACT_BF16 = 256 };

static uint32_t pick_count(struct random *random, uint32_t most)
{
    return 1 + (uint32_t)random_below(random, most);
}

static enum copy_operation pick_operation(struct random *random)
{
    static const enum copy_operation operations[] = {
        COPY_LOAD, COPY_LOAD,      COPY_STORE,     COPY_STORE,           COPY_ADD,      COPY_ADD,    COPY_MIN,
        COPY_MAX,  COPY_MULTICAST, COPY_MULTICAST, COPY_MULTICAST,       COPY_SEPARATE, COPY_TILES,  COPY_TILES,
        COPY_RING, COPY_RING,      COPY_STREAM,    COPY_STREAM_SEPARATE, COPY_BYTES,    COPY_VECTOR, COPY_VECTOR_ADD};
    return random_pick(random, operations);
}

// --- The map ---------------------------------------------------------------------------------------------------------

static void pick_type(struct random *random, struct copy_case *c)
{
    uint32_t op = copy_reduction(c);
    do c->map.data_type = (uint32_t)random_below(random, DTYPE_COUNT);
    while (op > 0 && !reduce_is_legal((enum reduce_op)(op - 1), (enum dtype)c->map.data_type));
}

// A box of whole 16-byte pieces along dimension 0, at most the swizzle's span.
static void pick_box(struct random *random, struct map_args *map, uint32_t most_bytes)
{
    uint32_t size = map_element_bytes(map), most = TENSORMAP_MAX_BOX * size;
    if (map->swizzle != SWIZZLE_NONE && most > 16u << map->swizzle) most = 16u << map->swizzle;
    if (most > most_bytes) most = most_bytes;
    uint32_t pieces = random_chance(random, 40) ? most / PIECE_BYTES : pick_count(random, most / PIECE_BYTES);
    map->box[0] = pieces * PIECE_BYTES / size;
    uint32_t left = most_bytes / (pieces * PIECE_BYTES);
    for (uint32_t i = 1; i < map->rank; i++) {
        most = left < TENSORMAP_MAX_BOX ? left : TENSORMAP_MAX_BOX;
        map->box[i] =
            random_chance(random, 40) && most > 8 ? 8 * pick_count(random, most / 8) : pick_count(random, most);
        left /= map->box[i];
    }
}

// Some tiles along each dimension, of which the last may be a remainder.
static void pick_dims(struct random *random, struct copy_case *c)
{
    for (uint32_t i = 0; i < c->map.rank; i++) {
        uint64_t extent = (uint64_t)c->map.box[i] * (c->cut[i] > 0 ? c->cut[i] : 1);
        uint32_t tiles = pick_count(random, 5);
        uint64_t last = random_chance(random, 40) ? extent : 1 + random_below(random, extent);
        c->map.dim[i] = (tiles - 1) * extent + last;
    }
}

static void pick_map(struct random *random, struct copy_case *c)
{
    struct map_args *map = &c->map;
    uint32_t boxes = 1, most = random_chance(random, 85) ? 2048 : 16384;
    for (int i = 0; i < COPY_MAX_RANK; i++) boxes *= c->cut[i] > 0 ? c->cut[i] : 1;
    pick_type(random, c);
    map->swizzle = (uint32_t)random_below(random, 4);
    map->l2_promotion = (uint32_t)random_below(random, 4);
    map->oob_fill = dtype_row((enum dtype)map->data_type)->is_float && random_chance(random, 30);
    pick_box(random, map, boxes > 2 ? 2048 : most);
    for (uint32_t i = 0; i < map->rank; i++) map->estride[i] = 1;
    pick_dims(random, c);
    map_pick_strides(random, map, 40, 0, 8, map->strides);
    uint64_t at = PIECE_BYTES * (1 + random_below(random, 256));
    map->address = copy_is(c, COPY_STORES) ? COPY_GLOBAL_BASE + 512 + at : ARENA_BASE + at;
    c->shared = COPY_TILE_START + 128 * (uint32_t)random_below(random, random_chance(random, 50) ? 16 : 1);
    if (!copy_is(c, COPY_TWO)) return;
    map_pick_strides(random, map, 40, 0, 8, c->to_strides);
    c->to = COPY_GLOBAL_BASE + 512 + PIECE_BYTES * random_below(random, 256);
}

// --- Clusters --------------------------------------------------------------------------------------------------------

// Deals the factors of `number` to the dimensions: how a tile is cut into so many boxes.
static void pick_cut(struct random *random, uint32_t number, uint32_t rank, uint32_t *cut)
{
    cut[0] = cut[1] = cut[2] = 1;
    for (uint32_t factor = 2; number > 1;) {
        if (number % factor != 0) {
            factor++;
            continue;
        }
        cut[random_below(random, rank)] *= factor;
        number /= factor;
    }
}

// As it should be: each takes its own; or all the same; or any of all orders; or anything.
static void pick_slices(struct random *random, uint32_t group, uint32_t *slice)
{
    uint64_t kind = random_below(random, 100), same = random_below(random, group);
    for (uint32_t i = 0; i < group; i++) slice[i] = i;
    for (uint32_t i = 0; i < group && kind >= 60; i++) {
        uint64_t other = random_below(random, i + 1);
        slice[i] = slice[other];
        slice[other] = i;
    }
    for (uint32_t i = 0; i < group && kind >= 75; i++)
        slice[i] = kind < 88 ? (uint32_t)same : (uint32_t)random_below(random, group);
}

static void pick_cluster(struct random *random, struct copy_case *c)
{
    static const uint32_t sizes[] = {1, 1, 2, 2, 2, 3, 4, 4, 5, 6, 7, 8, 8, 16};
    bool is_stream = copy_is(c, COPY_STREAMS);
    do
        for (int i = 0; i < 3; i++) c->cluster[i] = is_stream && i > 0 ? 1 : random_pick(random, sizes);
    while (c->cluster[0] * c->cluster[1] * c->cluster[2] > COPY_GROUP);
    if (!is_stream) c->along = (uint32_t)random_below(random, SLICE_XYZ + 1);
    struct cluster_shape shape = {{c->cluster[0], c->cluster[1], c->cluster[2]}};
    uint32_t group = slice_group_ctas(&shape, is_stream ? SLICE_XYZ : (int)c->along);
    pick_cut(random, group, c->map.rank, c->cut);
    if (c->operation == COPY_MULTICAST) pick_slices(random, group, c->slice);
}

// --- Cases -----------------------------------------------------------------------------------------------------------

// Reductions of one tile by several CTAs must not tell in which order they came.
static void pick_parts(struct random *random, struct copy_case *c)
{
    uint64_t rows = 1;
    for (uint32_t i = 1; i < c->map.rank; i++) rows *= c->map.box[i];
    c->fill = random_chance(random, 40) ? COPY_ROWS : COPY_PATTERN;
    c->parts = copy_reduction(c) > 0 && random_chance(random, 40) ? pick_count(random, 4) : 1;
    c->is_waiting = (uint32_t)random_below(random, 2);
    if (!dtype_row((enum dtype)c->map.data_type)->is_float || c->parts == 1) return;
    c->fill = COPY_ROWS;
    if (rows * c->parts + PIECE_BYTES > EXACT_BF16) c->parts = 1;
}

static void pick_flat(struct random *random, struct copy_case *c)
{
    c->size_bytes = random_below(random, random_chance(random, 80) ? 16384 : 131072);
    if (random_chance(random, 40)) c->size_bytes = c->size_bytes / PIECE_BYTES * PIECE_BYTES;
    c->from = ARENA_BASE + PIECE_BYTES * random_below(random, 1 << 16);
    c->to = COPY_GLOBAL_BASE + 512 + PIECE_BYTES * random_below(random, 64);
    if (c->operation == COPY_VECTOR_ADD) {
        c->size_bytes -= c->size_bytes % 4;
        c->from += random_chance(random, 70) ? ARENA_BYTES - ARENA_SPECIAL_BYTES : 0; // floats at their limits
    }
    if (c->operation != COPY_BYTES) return;
    static const uint32_t chunks[] = {16, 64, 256, 1008, 1024, 4096, 8192, 65520, 65536};
    c->chunk_bytes = random_chance(random, 50) ? random_pick(random, chunks) : PIECE_BYTES * pick_count(random, 512);
}

static void pick_case(struct random *random, struct copy_case *c)
{
    c->seed = copy_is(c, COPY_WRITES) ? (uint32_t)random_u64(random) : 0;
    if (!copy_is(c, COPY_TENSORS)) {
        pick_flat(random, c);
        return;
    }
    c->map.rank = 2 + (uint32_t)random_below(random, 2);
    if (copy_is(c, COPY_SHARED)) pick_cluster(random, c);
    if (copy_is(c, COPY_TWO) && random_chance(random, 30)) c->reduce = 1 + (uint32_t)random_below(random, 3);
    pick_map(random, c);
    if (copy_is(c, COPY_STORES)) pick_parts(random, c);
    if (!copy_is(c, COPY_STAGED)) return;
    c->ctas = pick_count(random, copy_is(c, COPY_STREAMS) ? 4 : 8);
    c->stages = pick_count(random, 8);
    if (c->operation == COPY_STREAM_SEPARATE) c->stagger = (uint32_t)random_below(random, 6);
}

// One of what is refused: a tile that is not at 128 bytes (716), a type without the operation (715), a row that is not
// whole 16-byte pieces (the encode call).
static void spoil(struct random *random, struct copy_case *c)
{
    uint64_t kind = random_below(random, 3);
    if (!copy_is(c, COPY_TENSORS)) return;
    if (kind == 0) {
        c->shared += PIECE_BYTES * pick_count(random, 7);
    } else if (kind == 1 && copy_reduction(c) > 0) {
        c->map.data_type = copy_reduction(c) == 1 + REDUCE_ADD ? DTYPE_INT64 : DTYPE_FLOAT32;
    } else {
        c->map.strides[0] += 4 * pick_count(random, 3);
    }
}

// Small most times, and multicast boxes where multicast wants them.
static bool is_wanted(const struct copy_case *c, uint64_t most_bytes)
{
    struct copy_plan plan;
    if (copy_complaint(c) != NULL || copy_plan_of(c, &plan) != RULE_OK) return false;
    if (copy_is(c, COPY_SHARED) && plan.job.boxes > 1 && plan.job.box_pitch_bytes % 128 != 0) return false;
    return plan.tiles_bytes + plan.tensor_bytes <= most_bytes && plan.machine.shared_bytes <= 64 << 10;
}

void copy_generate(struct random *random, void *test_case)
{
    struct copy_case *c = test_case;
    enum copy_operation operation = pick_operation(random);
    uint64_t most_bytes = random_chance(random, 95) ? SMALL_BYTES : LARGE_BYTES;
    int attempts = 0;
    do {
        *c = (struct copy_case){.operation = operation};
        pick_case(random, c);
        if (++attempts % ATTEMPTS == 0) most_bytes *= 2; // a cluster with few small tiles is hard to find
    } while (!is_wanted(c, most_bytes));
    if (random_chance(random, 2)) spoil(random, c);
}
