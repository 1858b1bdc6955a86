// SPDX-License-Identifier: MIT
// mma.m8n8k4 of f16: where its four products have their elements, and in which order terms are added.
#include <string.h>

#include "octet.h"

enum { REGISTERS = 8, WORDS = REGISTERS * MMA_LANES };

#define ONE 0x3c00u

// Lanes of the product of lane 0, in the order of the rows of A and D.
static const int lanes[] = {0, 1, 2, 3, 16, 17, 18, 19};

static void put_half(uint32_t *words, int lane, int index, uint32_t half)
{
    words[index / 2 * MMA_LANES + lane] |= half << index % 2 * 16;
}

// A has a one at (row, k), B a one at (k, column): D has it at (row, column) alone.
static void set_ones(const struct octet *octet, int row, int k, int column, uint32_t *a, uint32_t *b)
{
    if (octet->a_is_column)
        put_half(a, lanes[row / 4 * 4 + k], row % 4, ONE);
    else
        put_half(a, lanes[row], k, ONE);
    if (octet->b_is_row)
        put_half(b, lanes[column / 4 * 4 + k], column % 4, ONE);
    else
        put_half(b, lanes[column], k, ONE);
}

LOOP_TEST(MMA__m8n8k4_multiplies_the_row_by_the_column, 0, 4)
{
    const struct octet octet = {.a_is_column = _i & true, .b_is_row = _i >> 1 & true};
    for (int at = 0; at < 8 * 4 * 8; at++) {
        const int row = at / 32, k = at / 8 % 4, column = at % 8;
        uint32_t a[WORDS] = {0}, b[WORDS] = {0}, c[WORDS] = {0}, d[WORDS] = {0}, want[WORDS] = {0};
        set_ones(&octet, row, k, column, a, b);
        put_half(want, lanes[row], column, ONE);
        octet_execute(&octet, a, b, c, d);
        ck_assert_msg(memcmp(d, want, sizeof d) == 0, "row %d, k %d, column %d", row, k, column);
    }
}

// Of f32 the lane and register of each element of D, as PTX has them.
TEST(MMA__m8n8k4_of_f32_has_other_places)
{
    const struct octet octet = {.d_is_f32 = true, .c_is_f32 = true};
    uint32_t a[WORDS] = {0}, b[WORDS] = {0}, c[WORDS] = {0}, d[WORDS];
    set_ones(&octet, 6, 1, 5, a, b);
    octet_execute(&octet, a, b, c, d);
    for (int i = 0; i < WORDS; i++)
        ck_assert_uint_eq(d[i], i == (2 + 4 + 1) * MMA_LANES + 16 ? 0x3f800000 : 0); // lane 16 + row % 2, register 7
}

// Terms of row 0 and column 0, C, and what comes of both orders.
static const struct {
    uint32_t a[4], b[4], c, of_f16, of_f32;
    const char *why;
} sums[] = {
    {{ONE, ONE, ONE, ONE}, {ONE, ONE, ONE, ONE}, 0x3c00, 0x4500, 0x40a00000, "4 + 1"},
    {{0x7bff, 0x7bff, 0x7bff, 0x7bff},
     {0x7bff, 0xfbff, 0x7bff, 0xfbff},
     0x3c00,
     0x3c00,
     0x3f800000,
     "products that cancel"},
    {{0x7800, 0x0001, 0xf800, 0}, {0x7800, 0x0001, 0x7800, 0}, 0, 0, 0, "a term too small beside the first is lost"},
    {{0x7800, 0, 0xf800, 0x0001},
     {0x7800, 0, 0x7800, 0x0001},
     0,
     0,
     0x27800000,
     "one behind what cancels is not in f32"},
    {{0x7c00, 0, 0, 0}, {0, 0, 0, 0}, 0, 0x7fff, 0x7fffffff, "infinity times 0"},
    {{0x8000, 0, 0, 0}, {ONE, 0, 0, 0}, 0x8000, 0, 0, "a sum of zeros"},
};

LOOP_TEST(MMA__m8n8k4_adds_in_the_order_of_ptxas, 0, ROWS_OF(sums))
{
    for (int is_f32 = 0; is_f32 < 2; is_f32++) {
        const struct octet octet = {.d_is_f32 = is_f32};
        uint32_t a[WORDS] = {0}, b[WORDS] = {0}, c[WORDS] = {0}, d[WORDS] = {0};
        for (int k = 0; k < 4; k++) put_half(a, 0, k, sums[_i].a[k]), put_half(b, 0, k, sums[_i].b[k]);
        put_half(c, 0, 0, sums[_i].c);
        octet_execute(&octet, a, b, c, d);
        ck_assert_msg((is_f32 ? d[0] : d[0] & 0xffff) == (is_f32 ? sums[_i].of_f32 : sums[_i].of_f16), "%s: %x",
                      sums[_i].why, d[0]);
    }
}
