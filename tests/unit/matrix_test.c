// SPDX-License-Identifier: MIT
// The suite `matrix`: ldmatrix and stmatrix, their lanes and the rows they refuse.
#include <stdbool.h>
#include <string.h>

#include "matrix.h"
#include "rules/matrix.h"

enum { BASE = 1024, BYTES = 512 };

// Element (row, column) of matrix i is 256 i + 16 row + column.
static void put_matrices(uint8_t *bytes, uint32_t address[MATRIX_LANES], bool is_reversed)
{
    for (uint32_t lane = 0; lane < MATRIX_LANES; lane++) {
        address[lane] = BASE + MATRIX_ROW_BYTES * (is_reversed ? 31 - lane : lane);
        for (uint32_t column = 0; column < 8; column++) {
            uint16_t value = (uint16_t)(lane / 8 * 256 + lane % 8 * 16 + column);
            memcpy(bytes + (address[lane] - BASE) + column * 2, &value, 2);
        }
    }
}

// `_i`: bit 0 .trans, bit 1 rows in reverse order.
LOOP_TEST(matrix_lanes__get_a_pair_of_their_row_or_column, 0, 4)
{
    uint8_t bytes[BYTES], copy[BYTES] = {0};
    const struct memory shared = {bytes, BASE, sizeof bytes}, other = {copy, BASE, sizeof copy};
    uint32_t address[MATRIX_LANES], registers[MATRIX_MAX][MATRIX_LANES];
    put_matrices(bytes, address, _i >> 1);
    for (int count = 1; count <= MATRIX_MAX; count *= 2) {
        ck_assert_int_eq(matrix_load(&shared, address, count, _i & 1, registers, NULL), RULE_OK);
        for (int i = 0; i < count * MATRIX_LANES; i++) {
            uint32_t lane = (uint32_t)i % 32, base = (uint32_t)i / 32 * 256, low = lane % 4 * 2, row = lane / 4;
            uint32_t first = _i & 1 ? base + low * 16 + row : base + row * 16 + low;
            uint32_t second = _i & 1 ? first + 16 : first + 1;
            ck_assert_uint_eq(registers[i / 32][lane], first | second << 16);
        }
        ck_assert_int_eq(matrix_store(&other, address, count, _i & 1, registers, NULL), RULE_OK);
    }
    ck_assert_mem_eq(bytes, copy, sizeof bytes);
}

TEST(matrix_lanes__that_point_at_no_row_do_not_count)
{
    uint8_t bytes[BYTES] = {0};
    const struct memory shared = {bytes, BASE, sizeof bytes};
    uint32_t address[MATRIX_LANES], registers[MATRIX_MAX][MATRIX_LANES] = {{0}};
    put_matrices(bytes, address, false);
    address[8] = BASE + 8;
    address[31] = UINT32_MAX;
    ck_assert_int_eq(matrix_load(&shared, address, 1, 0, registers, NULL), RULE_OK);
    ck_assert_int_eq(matrix_store(&shared, address, 1, 1, registers, NULL), RULE_OK);
}

static void require_refused(uint32_t lane, uint32_t value, enum rule rule, int cuda_error, uint64_t nearest)
{
    uint8_t bytes[BYTES] = {0}, before[BYTES];
    const struct memory shared = {bytes, BASE, sizeof bytes};
    uint32_t address[MATRIX_LANES], registers[MATRIX_MAX][MATRIX_LANES] = {{7}};
    struct findings findings = {0};
    put_matrices(bytes, address, false);
    memcpy(before, bytes, sizeof before);
    address[lane] = value;
    ck_assert_int_eq(matrix_check(&shared, address, 2, &findings), rule);
    ck_assert_int_eq(findings.item[0].index, (int)lane);
    ck_assert_uint_eq(findings.item[0].nearest, nearest);
    ck_assert_int_eq(matrix_load(&shared, address, 2, 0, registers, NULL), rule);
    ck_assert_int_eq(matrix_store(&shared, address, 2, 0, registers, NULL), rule);
    ck_assert_uint_eq(registers[0][0], 7);
    ck_assert_mem_eq(bytes, before, sizeof before);
    ck_assert_int_eq(rule_cuda_error(rule), cuda_error);
}

TEST(matrix_row_align__is_16)
{
    require_refused(8, BASE + 8, RULE_MATRIX_ROW_ALIGN, 716, BASE);
    require_refused(0, BASE + 33, RULE_MATRIX_ROW_ALIGN, 716, BASE + 32);
}

TEST(matrix_row_bounds__come_before_the_alignment)
{
    require_refused(3, BASE + BYTES + 8, RULE_MATRIX_ROW_BOUNDS, 700, BASE + BYTES - MATRIX_ROW_BYTES);
    require_refused(3, BASE + BYTES - 8, RULE_MATRIX_ROW_ALIGN, 716, BASE + BYTES - MATRIX_ROW_BYTES);
}

TEST(matrix_row_bounds__end_with_shared_memory)
{
    require_refused(15, BASE + BYTES, RULE_MATRIX_ROW_BOUNDS, 700, BASE + BYTES - MATRIX_ROW_BYTES);
    require_refused(1, BASE | 1 << 18, RULE_MATRIX_ROW_BOUNDS, 700, BASE + BYTES - MATRIX_ROW_BYTES);
}

TEST(matrix_row_rank__is_0)
{
    require_refused(1, BASE | 1 << 24, RULE_MATRIX_ROW_RANK, 715, BASE);
    require_refused(0, UINT32_MAX - 15, RULE_MATRIX_ROW_RANK, 715, 0xfffff0);
}

// All 16 rows at one place: row 0 of matrix 1 is kept.
TEST(matrix_same_row__keeps_the_first_of_the_last_matrix)
{
    uint8_t bytes[BYTES] = {0};
    const struct memory shared = {bytes, BASE, sizeof bytes};
    uint32_t address[MATRIX_LANES], registers[MATRIX_MAX][MATRIX_LANES];
    for (int i = 0; i < MATRIX_LANES; i++) address[i] = BASE;
    for (int i = 0; i < 2 * MATRIX_LANES; i++) registers[i / MATRIX_LANES][i % MATRIX_LANES] = (uint32_t)i;
    ck_assert_int_eq(matrix_store(&shared, address, 2, 0, registers, NULL), RULE_OK);
    ck_assert_mem_eq(bytes, registers[1], MATRIX_ROW_BYTES);
    ck_assert_int_eq(matrix_store(&shared, address, 2, 1, registers, NULL), RULE_OK);
    const uint16_t column[8] = {32, 36, 40, 44, 48, 52, 56, 60}; // lower halves of lanes 0, 4, 8 ... 28
    ck_assert_mem_eq(bytes, column, sizeof column);
}

// The system's memory below: a load gives zeros, a store does nothing.
TEST(matrix_row_bounds__do_not_begin_with_shared_memory)
{
    uint8_t bytes[BYTES];
    const struct memory shared = {bytes, BASE, sizeof bytes};
    uint32_t address[MATRIX_LANES], registers[MATRIX_MAX][MATRIX_LANES];
    put_matrices(bytes, address, false);
    address[3] = BASE - MATRIX_ROW_BYTES;
    ck_assert_int_eq(matrix_load(&shared, address, 1, 0, registers, NULL), RULE_OK);
    for (int lane = 12; lane < 16; lane++) ck_assert_uint_eq(registers[0][lane], 0);
    ck_assert_uint_eq(registers[0][16], 0x00410040);
    ck_assert_int_eq(matrix_store(&shared, address, 1, 0, registers, NULL), RULE_OK);
}
