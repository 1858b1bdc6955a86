// SPDX-License-Identifier: MIT
// The suite `wgmma_chain`: chains along K element by element against whole instructions, and the rounding of an
// epilogue.
#include <string.h>

#include "chain.h"
#include "descriptor.h"
#include "fragments.h"
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

// Wrong formulas: cutting; ties away from zero; subnormals flushed; overflow to the greatest number; NaN with payload.
static const struct {
    enum number_format format;
    uint32_t f32, rounded;
    const char *why;
} roundings[] = {
    {NUMBER_F32, 0x7f812345, 0x7f812345, "f32 is stored as it is"},
    {NUMBER_BF16, 0x3f808000, 0x3f80, "a tie to even, down"},
    {NUMBER_BF16, 0x3f818000, 0x3f82, "a tie to even, up"},
    {NUMBER_BF16, 0x3f808001, 0x3f81, "more than half"},
    {NUMBER_BF16, 0x3f807fff, 0x3f80, "less than half"},
    {NUMBER_BF16, 0x7f7fffff, 0x7f80, "overflow"},
    {NUMBER_BF16, 0xff7f8000, 0xff80, "overflow by a tie"},
    {NUMBER_BF16, 0x00018000, 0x0002, "a subnormal"},
    {NUMBER_BF16, 0x80000001, 0x8000, "the sign of what vanishes"},
    {NUMBER_BF16, 0x7fffffff, 0x7fff, "NaN"},
    {NUMBER_BF16, 0xff800001, 0x7fff, "NaN has no sign and no payload"},
    {NUMBER_F16, 0x3f801000, 0x3c00, "a tie to even, down"},
    {NUMBER_F16, 0x3f803000, 0x3c02, "a tie to even, up"},
    {NUMBER_F16, 0x3f801001, 0x3c01, "more than half"},
    {NUMBER_F16, 0x477fefff, 0x7bff, "the greatest number"},
    {NUMBER_F16, 0x477ff000, 0x7c00, "rounds to infinity"},
    {NUMBER_F16, 0xc7800000, 0xfc00, "overflow"},
    {NUMBER_F16, 0xff800000, 0xfc00, "infinity"},
    {NUMBER_F16, 0x7fc00000, 0x7fff, "NaN"},
    {NUMBER_F16, 0x387fc000, 0x03ff, "a subnormal"},
    {NUMBER_F16, 0x387ff000, 0x0400, "rounds to the least normal number"},
    {NUMBER_F16, 0x33800000, 0x0001, "the least subnormal"},
    {NUMBER_F16, 0x33000000, 0x0000, "half of it: a tie to even"},
    {NUMBER_F16, 0xb3000001, 0x8001, "a little more than half of it"},
    {NUMBER_F16, 0x32ffffff, 0x0000, "less than half of it"},
    {NUMBER_F16, 0x80000000, 0x8000, "-0"},
};

LOOP_TEST(epilogue_rounds_to_nearest_even, 0, ROWS_OF(roundings))
{
    uint32_t rounded = number_round(roundings[_i].format, roundings[_i].f32);
    ck_assert_msg(rounded == roundings[_i].rounded, "%s: 0x%x", roundings[_i].why, rounded);
}
