// SPDX-License-Identifier: MIT
// The suite `transpose_case`: the families "transpose", "maps" and "bank" around the model: what the outputs have to be
// whatever the swizzle, what random cases lean to, and wavefronts.
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "bank_case.h"
#include "bank_job.h"
#include "family.h"
#include "gpu.h"
#include "maps_case.h"
#include "transpose_case.h"
#include "transpose_launch.h"

enum { CASES = 300, MAPS_CASES = 200 };

// --- Transposition ---------------------------------------------------------------------------------------------------

static struct result run(const struct family *family, const void *c)
{
    struct result result = result_at(malloc(family_result_bytes(family, c)));
    family_run_model(family, c, &result);
    ck_assert_int_eq(result.status, 0);
    return result;
}

static bool is_same_element(const struct transpose_case *c, const struct result *result, uint32_t row, uint32_t column)
{
    uint64_t from = c->source + (uint64_t)row * c->source_pitch + column * c->element_bytes;
    uint64_t to = TRANSPOSE_GUARD_BYTES + (uint64_t)column * c->result_pitch + row * c->element_bytes;
    return memcmp(arena()->bytes + from, result->window[0].bytes + to, c->element_bytes) == 0;
}

// Element (row, column) of the source is element (column, row) of the output: of a whole matrix all of them, of the
// article's tile those in it.
TEST(store_layout__every_element_is_where_it_belongs)
{
    int articles = 0, elements = 0;
    for (uint64_t i = 0; i < CASES; i++) {
        struct random random = random_for(21, i);
        struct transpose_case c;
        transpose_generate(&random, &c);
        struct result result = run(family_find("transpose"), &c);
        uint32_t side = transpose_tiles(&c).side;
        for (uint32_t row = 0; row < c.rows; row++)
            for (uint32_t column = 0; column < c.columns; column++) {
                bool is_inside = !c.is_article || (row - c.y < side && column - c.x < side);
                ck_assert_msg(is_same_element(&c, &result, row, column) == is_inside, "case %d: (%u, %u)", (int)i, row,
                              column);
                elements++;
            }
        articles += (int)c.is_article;
        free(result.first_bytes);
    }
    ck_assert_int_gt(articles, CASES / 4);
    ck_assert_int_gt(elements, 100 * CASES);
}

// Reads and writes of a tile in wavefronts for each 128 bytes. Without swizzle, or along rows, what is not 1 is a
// column of chunks; along the diagonal a swizzle harms chunks that are whole elements, for it undoes the diagonal.
static const struct {
    uint32_t bytes;
    int reads[2][TRANSPOSE_WALKS], writes[2][TRANSPOSE_WALKS]; // without and with swizzle; rows, diagonal
} wavefronts[] = {
    {1, {{1, 1}, {1, 1}}, {{8, 1}, {8, 1}}},  {2, {{1, 1}, {1, 1}}, {{8, 1}, {8, 1}}},
    {4, {{1, 1}, {1, 1}}, {{8, 1}, {4, 1}}},  {8, {{1, 1}, {1, 1}}, {{8, 1}, {2, 1}}},
    {16, {{1, 1}, {1, 8}}, {{8, 1}, {1, 8}}},
};

LOOP_TEST(swizzle_128b__wavefronts_of_a_tile, 0, ROWS_OF(wavefronts))
{
    uint32_t bytes = wavefronts[_i].bytes;
    for (int swizzled = 0; swizzled < 2; swizzled++)
        for (int walk = 0; walk < TRANSPOSE_WALKS; walk++) {
            struct transpose_wavefronts count =
                transpose_wavefronts(bytes, swizzled ? SWIZZLE_128B : SWIZZLE_NONE, (enum transpose_walk)walk);
            ck_assert_int_eq(count.reads, wavefronts[_i].reads[swizzled][walk] * count.ideal);
            ck_assert_int_eq(count.writes, wavefronts[_i].writes[swizzled][walk] * count.ideal);
        }
    struct transpose_wavefronts best = transpose_wavefronts(bytes, SWIZZLE_128B, transpose_best_walk(bytes));
    ck_assert_int_eq(best.reads + best.writes, 2 * best.ideal);
}

// Two CTAs with tiles of 16 KiB share an SM; with 32 KiB one has it for itself. All tile rows are one band.
TEST(store_layout__the_fast_case_transposes_too)
{
    const struct gpu gpu = {.processors = 132};
    struct transpose_case c = transpose_fast_case(&gpu, 4, 300, 150);
    ck_assert_uint_eq(c.ctas, 264);
    ck_assert_uint_eq(c.band, 5);
    ck_assert_uint_eq(transpose_fast_case(&gpu, 8, 64, 64).ctas, 132);
    struct result result = run(family_find("transpose"), &c);
    for (uint32_t row = 0; row < c.rows; row++)
        for (uint32_t column = 0; column < c.columns; column++) ck_assert(is_same_element(&c, &result, row, column));
    free(result.first_bytes);
}

// --- Maps ------------------------------------------------------------------------------------------------------------

// The ways change nothing but two fields of the map that repeat others, and the promotion; boxes and tensors are the
// same bytes.
TEST(replace_zeroed__all_ways_do_the_same)
{
    int ways[MAPS_WAYS] = {0}, counts[MAPS_BATCH + 1] = {0};
    for (uint64_t i = 0; i < MAPS_CASES; i++) {
        struct random random = random_for(22, i);
        struct maps_case c;
        maps_generate(&random, &c);
        ways[c.way]++;
        counts[c.count]++;
        c.way = MAPS_PARAM;
        struct result first = run(family_find("maps"), &c);
        for (c.way = MAPS_CONSTANT; c.way < MAPS_WAYS; c.way++) {
            struct result result = run(family_find("maps"), &c);
            for (int w = 0; w < result.windows; w++)
                if (c.way < MAPS_TEMPLATE || w % MAPS_WINDOWS != MAPS_WINDOW_MAP)
                    ck_assert_mem_eq(result.window[w].bytes, first.window[w].bytes, first.window[w].size_bytes);
            free(result.first_bytes);
        }
        free(first.first_bytes);
    }
    for (int way = 0; way < MAPS_WAYS; way++) ck_assert_int_gt(ways[way], MAPS_CASES / 10);
    for (int count = 1; count <= MAPS_BATCH; count++) ck_assert_int_gt(counts[count], MAPS_CASES / 10);
}
