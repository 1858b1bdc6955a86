// SPDX-License-Identifier: MIT
// Random transpositions: matrices with remainders in both directions, long ones of a few rows or columns so that CTAs
// take many tiles, one element to many tiles; the article's tile of every span, anywhere in the pattern, inside its
// matrix and sticking out.
#include "arena.h"
#include "transpose_case.h"

enum { MAX_SOURCE_BYTES = 1 << 20 };

// At least `row_bytes`, a multiple of 16, sometimes with room to spare.
static uint32_t pick_pitch(struct random *random, uint32_t row_bytes)
{
    uint32_t spare = random_chance(random, 50) ? 0 : 16 * (uint32_t)random_below(random, 12);
    return (row_bytes + 15) / 16 * 16 + spare;
}

// Both matrices, once rows and columns are known.
static void place_matrices(struct random *random, struct transpose_case *c)
{
    c->source_pitch = pick_pitch(random, c->columns * c->element_bytes);
    c->result_pitch = pick_pitch(random, c->rows * c->element_bytes);
    c->source = 16 * (uint32_t)random_below(random, (ARENA_BYTES - 2 * MAX_SOURCE_BYTES) / 16);
}

// Near a multiple of the tile's side half of the time.
static uint32_t pick_extent(struct random *random, uint32_t side, uint32_t max_tiles)
{
    uint32_t tiles = (uint32_t)random_below(random, max_tiles), near = tiles * side + (uint32_t)random_below(random, 3);
    if (random_chance(random, 50) && near > 1) return near - 1;
    return tiles * side + 1 + (uint32_t)random_below(random, side);
}

static void pick_matrix(struct random *random, struct transpose_case *c)
{
    uint32_t side, few, many;
    c->element_bytes = UINT32_C(1) << random_below(random, 5);
    c->swizzle = random_chance(random, 75) ? SWIZZLE_128B : SWIZZLE_NONE;
    c->walk = random_chance(random, 75) ? transpose_best_walk(c->element_bytes)
                                        : (uint32_t)random_below(random, TRANSPOSE_WALKS);
    side = TRANSPOSE_SIDE(c->element_bytes);
    few = random_chance(random, 70) ? 1 + (uint32_t)random_below(random, 16) : pick_extent(random, side, 2);
    many = pick_extent(random, side, random_chance(random, 50) ? 3 : few <= 16 ? 12 : 6);
    bool is_wide = random_chance(random, 50);
    c->rows = is_wide ? few : many;
    c->columns = is_wide ? many : few;
    struct transpose_tiles tiles = transpose_tiles(c);
    c->band = 1 + (uint32_t)random_below(random, tiles.down);
    c->ctas = 1 + (uint32_t)random_below(random, random_chance(random, 60) ? 2 : 40);
    c->tile = (uint32_t)random_below(random, tiles.down * tiles.across);
}

static void pick_article(struct random *random, struct transpose_case *c)
{
    uint32_t bytes, slots, first, second;
    c->is_article = 1;
    c->element_bytes = ARTICLE_ELEMENT_BYTES;
    c->swizzle = (uint32_t)random_below(random, 4);
    c->rows = random_chance(random, 30) ? 8 : 1 + (uint32_t)random_below(random, 40);
    c->columns = random_chance(random, 30) ? 8 : 1 + (uint32_t)random_below(random, 40);
    c->x = random_chance(random, 30) ? 0 : (uint32_t)random_below(random, c->columns + 2);
    c->y = random_chance(random, 30) ? 0 : (uint32_t)random_below(random, c->rows + 2);
    bytes = transpose_tiles(c).side * transpose_tiles(c).side * ARTICLE_ELEMENT_BYTES;
    slots = (ARTICLE_WINDOW_BYTES / 2 - bytes) / 128 + 1;
    first = ARTICLE_WINDOW + 128 * (uint32_t)random_below(random, slots);
    second = ARTICLE_WINDOW + ARTICLE_WINDOW_BYTES / 2 + 128 * (uint32_t)random_below(random, slots);
    bool is_swapped = random_chance(random, 50);
    c->loaded = is_swapped ? second : first;
    c->transposed = is_swapped ? first : second;
}

void transpose_generate(struct random *random, void *test_case)
{
    struct transpose_case *c = test_case;
    *c = (struct transpose_case){0};
    if (random_chance(random, 40))
        pick_article(random, c);
    else
        pick_matrix(random, c);
    place_matrices(random, c);
}
