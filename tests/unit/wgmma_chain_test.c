// SPDX-License-Identifier: MIT
// The suite `wgmma_chain`: chains along K element by element against whole instructions, and the rounding of an
// epilogue.
#include <string.h>

#include "chain.h"
#include "descriptor.h"
#include "fragments.h"
#include "rows.h"
#include "wgmma.h"
#include "wgmma_job.h"

enum { COLUMNS = 16, STEPS = 3, ROW_BYTES = 32 * STEPS, ROWS = WGMMA_M + COLUMNS };

// Rows of A, then of B, K along them.
static uint8_t matrix[ROWS][ROW_BYTES];

static void fill(struct wgmma_layout layout, uint32_t seed)
{
    for (uint32_t i = 0; i < sizeof matrix / 8; i++) {
        uint64_t word = wgmma_word(layout, seed, i < WGMMA_M * ROW_BYTES / 8 ? 0 : 1, i);
        memcpy(matrix[0] + 8 * i, &word, sizeof word);
    }
}

// D of the three instructions, each on an operand without a swizzle: pieces of 16 bytes, 8 rows of them together.
static void execute(enum wgmma_types types, uint32_t *d)
{
    static uint8_t bytes[sizeof matrix];
    const struct memory shared = {bytes, 1024, sizeof bytes};
    const struct wgmma w = {.types = types, .n = COLUMNS};
    for (uint32_t step = 0; step < STEPS; step++) {
        struct wgmma_descriptor of_a = {.start_bytes = 1024, .leading_bytes = 128, .stride_bytes = 256}, of_b = of_a;
        of_b.start_bytes += WGMMA_M * 32;
        for (int row = 0; row < ROWS; row++) {
            const struct wgmma_descriptor *of = row < WGMMA_M ? &of_a : &of_b;
            for (int piece = 0; piece < 2; piece++) {
                uint32_t at = wgmma_address_k_major(of, row < WGMMA_M ? row : row - WGMMA_M, piece * 16);
                memcpy(bytes + at - 1024, matrix[row] + step * 32 + (uint32_t)piece * 16, 16);
            }
        }
        struct wgmma_operands o = {
            {wgmma_descriptor_pack(&of_a), wgmma_descriptor_pack(&of_b)}, NULL, &shared, step > 0, NULL};
        ck_assert_int_eq(wgmma_execute(&w, &o, d, NULL), RULE_OK);
    }
}

static const struct {
    enum wgmma_types types;
    struct wgmma_layout layout;
} inputs[] = {{WGMMA_F32_BF16_BF16, WGMMA_LAYOUT_BF16},
              {WGMMA_F32_F16_F16, WGMMA_LAYOUT_F16},
              {WGMMA_F32_E4M3_E4M3, WGMMA_LAYOUT_E4M3},
              {WGMMA_F32_E5M2_E4M3, WGMMA_LAYOUT_E5M2},
              {WGMMA_F32_TF32_TF32, WGMMA_LAYOUT_TF32}};

// Of all styles of numbers, NaN and infinity among them.
LOOP_TEST(chain_is_what_whole_instructions_leave, 0, ROWS_OF(inputs))
{
    static uint32_t d[COLUMNS / 2 * WGMMA_THREADS];
    enum wgmma_types types = inputs[_i].types;
    uint64_t k = STEPS * (uint64_t)wgmma_types_row(types)->k;
    ck_assert_uint_eq(wgmma_chain_steps(types, k), STEPS);
    for (uint32_t seed = 0; seed < 64; seed++) {
        fill(inputs[_i].layout, seed << 6 | seed);
        execute(types, d);
        for (int i = 0; i < COLUMNS / 2 * WGMMA_THREADS; i++) {
            struct number_place place = wgmma_place_d(types, i % WGMMA_THREADS, i / WGMMA_THREADS, 0);
            struct number_terms a[STEPS], b[STEPS];
            wgmma_chain_read(types, 0, k, matrix[place.row], a);
            wgmma_chain_read(types, 1, k, matrix[WGMMA_M + place.column], b);
            ck_assert_uint_eq(wgmma_chain_dot(types, STEPS, a, b, NULL), d[i]);
        }
    }
}

// What is missing of the last instruction is zeros; a chain may be cut anywhere and go on from its accumulator.
TEST(chain_ends_with_zeros_and_can_be_cut)
{
    static struct number_terms a[STEPS], b[STEPS], zeros[STEPS];
    fill((struct wgmma_layout)WGMMA_LAYOUT_F16, 0);
    ck_assert_uint_eq(wgmma_chain_steps(WGMMA_F32_F16_F16, 33), 3);
    ck_assert_uint_eq(wgmma_chain_steps(WGMMA_F32_F16_F16, 32), 2);
    wgmma_chain_read(WGMMA_F32_F16_F16, 0, 33, matrix[5], a);
    wgmma_chain_read(WGMMA_F32_F16_F16, 1, 48, matrix[WGMMA_M + 2], b);
    uint32_t whole = wgmma_chain_dot(WGMMA_F32_F16_F16, 3, a, b, NULL);
    uint32_t first = wgmma_chain_dot(WGMMA_F32_F16_F16, 2, a, b, NULL);
    ck_assert_uint_ne(whole, first);
    ck_assert_uint_eq(wgmma_chain_dot(WGMMA_F32_F16_F16, 1, a + 2, b + 2, &first), whole);
    memset(matrix[5] + 66, 0, ROW_BYTES - 66);
    wgmma_chain_read(WGMMA_F32_F16_F16, 0, 48, matrix[5], zeros);
    ck_assert_mem_eq(zeros, a, sizeof a);
}

#define ROUNDINGS "roundings.tsv" // format, number, rounded, why

LOOP_TEST(epilogue_rounds_to_nearest_even, 0, rows_count(ROUNDINGS, NULL))
{
    static const struct {
        const char *name;
        enum number_format format;
    } formats[] = {{"f32", NUMBER_F32}, {"bf16", NUMBER_BF16}, {"f16", NUMBER_F16}};
    const struct row *row = rows_at(ROUNDINGS, NULL, _i);
    int f = 0;
    while (f < ROWS_OF(formats) && strcmp(formats[f].name, row->field[0]) != 0) f++;
    ck_assert_msg(f < ROWS_OF(formats), "%s: there is no format %s", row->where, row->field[0]);
    uint32_t rounded = number_round(formats[f].format, (uint32_t)row_number(row, 1));
    ck_assert_msg(rounded == row_number(row, 2), "%s: %s of %s: 0x%x, not %s", row->where, row->field[3], row->field[1],
                  rounded, row->field[2]);
}
