// SPDX-License-Identifier: MIT
// The suite `mma`: the table of mma.sync and mma.sp, fragments, metadata, and whole instructions. The numbers of one
// element are compared with the slow second model in slow/slow_mma_test.c.
#include <fenv.h>
#include <string.h>

#include "kept.h"
#include "mma.h"

static int unit_bits(enum number_format format)
{
    return format == NUMBER_B1 ? 32 : number_format_row(format)->size_bits;
}

// --- The table -------------------------------------------------------------------------------------------------------

TEST(mma_registers_hold_all_of_each_operand)
{
    for (int i = 0; i < MMA_FORMS; i++) {
        enum mma_form form = (enum mma_form)i;
        const struct mma_row *row = mma_row(form);
        int k = mma_units(form), register_bits = row->d == NUMBER_F64 ? 64 : 32;
        ck_assert_int_eq(row->registers[MMA_OF_A] * MMA_LANES * register_bits, row->m * k * unit_bits(row->a));
        ck_assert_int_eq(row->registers[MMA_OF_B] * MMA_LANES * register_bits,
                         MMA_N * mma_column_units(form) * unit_bits(row->b));
        ck_assert_int_eq(row->registers[MMA_OF_D] * MMA_LANES * register_bits, row->m * MMA_N * unit_bits(row->d));
        ck_assert_int_le(row->registers[MMA_OF_A], MMA_MAX_REGISTERS);
        ck_assert_int_eq(mma_find(row->name), form);
    }
    ck_assert_int_eq(mma_find("m16n8k16.f32.bf16.bf16"), MMA_M16K16_F32_BF16_BF16_PLAIN);
    ck_assert_int_eq(mma_find("m8n8k128.s32.b1.b1.xor.popc"), MMA_M8K128_S32_B1_B1_XOR);
    ck_assert_int_eq(mma_find("m16n8k16.f32.bf16.f16"), MMA_FORMS);
}

// --- Fragments -------------------------------------------------------------------------------------------------------

// Wrong formulas: rows and columns of B exchanged; registers 1 and 2 of A exchanged; D's pairs down a column; k in
// steps of 8 where a register holds four; the second register of an 8-row A taken for 8 rows further down.
static const struct {
    const char *form;
    enum mma_operand operand;
    int lane, index, part, row, column;
} places[] = {
    {"m16n8k16.f32.f16.f16", MMA_OF_A, 6, 0, 1, 1, 5},    {"m16n8k16.f32.f16.f16", MMA_OF_A, 6, 1, 0, 9, 4},
    {"m16n8k16.f32.f16.f16", MMA_OF_A, 6, 2, 0, 1, 12},   {"m16n8k16.f32.f16.f16", MMA_OF_B, 6, 1, 1, 13, 1},
    {"m16n8k16.f32.f16.f16", MMA_OF_D, 31, 1, 0, 7, 7},   {"m16n8k16.f32.f16.f16", MMA_OF_D, 31, 2, 0, 15, 6},
    {"m16n8k16.f16.f16.f16", MMA_OF_D, 31, 1, 1, 15, 7},  {"m16n8k8.f32.tf32.tf32", MMA_OF_A, 5, 2, 0, 1, 5},
    {"m16n8k4.f32.tf32.tf32", MMA_OF_B, 5, 0, 0, 1, 1},   {"m16n8k32.s32.s8.u8", MMA_OF_A, 5, 3, 2, 9, 22},
    {"m16n8k32.f32.e4m3.e5m2", MMA_OF_B, 5, 1, 3, 23, 1}, {"m8n8k16.s32.s8.s8", MMA_OF_D, 5, 1, 0, 1, 3},
    {"m16n8k64.s32.s4.s4", MMA_OF_A, 5, 2, 7, 1, 47},     {"m16n8k256.s32.b1.b1.and.popc", MMA_OF_A, 5, 2, 0, 1, 5},
    {"m16n8k16.f64.f64.f64", MMA_OF_A, 5, 7, 0, 9, 13},   {"m16n8k16.f64.f64.f64", MMA_OF_B, 5, 3, 0, 13, 1},
    {"m8n8k4.f64.f64.f64", MMA_OF_D, 5, 1, 0, 1, 3},      {"m16n8k8.f64.f64.f64", MMA_OF_D, 5, 2, 0, 9, 2},
};

LOOP_TEST(mma_fragments__are_those_of_ptx, 0, ROWS_OF(places))
{
    struct number_place at =
        mma_place(mma_find(places[_i].form), places[_i].operand, places[_i].lane, places[_i].index, places[_i].part);
    ck_assert_int_eq(at.row, places[_i].row);
    ck_assert_int_eq(at.column, places[_i].column);
}

// Every element is in one place.
TEST(mma_fragments__hold_each_element_once)
{
    for (int i = 0; i < 3 * MMA_FORMS; i++) {
        enum mma_form form = (enum mma_form)(i / 3);
        enum mma_operand operand = (enum mma_operand)(i % 3);
        int count[MMA_MAX_COLUMN][MMA_MAX_COLUMN] = {{0}}, seen = 0;
        for (int lane = 0; lane < MMA_LANES; lane++) {
            for (int e = 0; e < mma_row(form)->registers[operand] * mma_parts(form, operand); e++) {
                int parts = mma_parts(form, operand);
                struct number_place at = mma_place(form, operand, lane, e / parts, e % parts);
                seen += count[at.row][at.column]++ == 0;
            }
        }
        int rows = operand == MMA_OF_B ? mma_column_units(form) : mma_row(form)->m;
        ck_assert_int_eq(seen, rows * (operand == MMA_OF_A ? mma_units(form) : MMA_N));
    }
}

// --- Whole instructions ----------------------------------------------------------------------------------------------

// One element of A, one of B: one product in D, all other elements stay as they were.
TEST(mma_multiplies_a_row_by_a_column)
{
    uint32_t a[4 * MMA_LANES] = {0}, b[2 * MMA_LANES] = {0}, d[4 * MMA_LANES];
    for (int i = 0; i < 4 * MMA_LANES; i++) d[i] = 0x3f800000;
    a[3 * MMA_LANES + 9] = 0x40000000;  // bf16 2 at row 10, k 11
    b[1 * MMA_LANES + 21] = 0x40400000; // bf16 3 at k 11, column 5
    mma_execute(MMA_M16K16_F32_BF16_BF16_PLAIN, a, b, d, NULL);
    for (int i = 0; i < 4 * MMA_LANES; i++) {
        struct number_place at = mma_place(MMA_M16K16_F32_BF16_BF16_PLAIN, MMA_OF_D, i % MMA_LANES, i / MMA_LANES, 0);
        ck_assert_uint_eq(d[i], at.row == 10 && at.column == 5 ? 0x40e00000 : 0x3f800000);
    }
}

TEST(mma_keeps_both_halves_of_f16_and_f64)
{
    uint32_t a[8 * 2 * MMA_LANES] = {0}, b[4 * 2 * MMA_LANES] = {0}, d[4 * 2 * MMA_LANES] = {0};
    for (int i = 0; i < 2 * MMA_LANES; i++) d[i] = 0x3c004000;
    mma_execute(MMA_M16K8_F16_F16_F16_PLAIN, a, b, d, NULL);
    for (int i = 0; i < 2 * MMA_LANES; i++) ck_assert_uint_eq(d[i], 0x3c004000);
    for (int i = 0; i < 4 * 2 * MMA_LANES; i++) d[i] = i % 2 ? 0x3ff00000 : (uint32_t)i;
    mma_execute(MMA_M16K16_F64_F64_F64_PLAIN, a, b, d, NULL);
    for (int i = 0; i < 4 * 2 * MMA_LANES; i++) ck_assert_uint_eq(d[i], i % 2 ? 0x3ff00000 : (uint32_t)i);
}

// --- Sparse ----------------------------------------------------------------------------------------------------------

// Wrong formulas: row r + 8 in the low half; the other pair of lanes; rows and chunks of bytes exchanged.
static const struct {
    const char *form;
    int selector, row, chunk, lane, at; // which lane's metadata, and which four bits of it
} chunks[] = {
    {"sp.m16n8k16.f32.f16.f16", 3, 2, 1, 11, 1},   {"sp.m16n8k16.f32.f16.f16", 0, 10, 3, 8, 7},
    {"sp.m16n8k32.f32.bf16.bf16", 1, 2, 5, 11, 1}, {"sp.m16n8k32.f32.bf16.bf16", 0, 15, 3, 28, 7},
    {"sp.m16n8k8.f32.tf32.tf32", 2, 8, 0, 2, 4},   {"sp.m16n8k16.f32.tf32.tf32", 1, 1, 7, 7, 3},
    {"sp.m16n8k32.s32.s8.u8", 1, 1, 7, 6, 7},      {"sp.m16n8k32.s32.s8.u8", 0, 9, 2, 5, 2},
    {"sp.m16n8k64.s32.s8.s8", 0, 1, 9, 6, 1},      {"sp.m16n8k64.f32.e4m3.e5m2", 0, 9, 7, 5, 7},
    {"sp.m16n8k64.s32.s4.s4", 1, 9, 7, 7, 7},      {"sp.m16n8k128.s32.u4.u4", 0, 0, 15, 2, 7},
};

LOOP_TEST(mma_metadata__lies_in_the_lanes_of_ptx, 0, ROWS_OF(chunks))
{
    enum mma_form form = mma_find(chunks[_i].form);
    uint32_t metadata[MMA_LANES] = {0};
    metadata[chunks[_i].lane] = 0xdu << 4 * chunks[_i].at;
    ck_assert_int_ne(form, MMA_FORMS);
    ck_assert_int_le(chunks[_i].selector, number_most_selector(mma_sparsity(form)));
    ck_assert_uint_eq(
        number_chunk_bits(mma_sparsity(form), chunks[_i].selector, metadata, chunks[_i].row, chunks[_i].chunk), 0xd);
}

TEST(mma_metadata__picks_elements_pairs_and_halves)
{
    uint32_t metadata[MMA_LANES];
    uint64_t column[MMA_MAX_COLUMN], units[MMA_MAX_UNITS];
    for (int i = 0; i < MMA_LANES; i++) metadata[i] = 0xd1d1d1d1; // 1 and 0, then 1 and 3
    for (uint64_t i = 0; i < MMA_MAX_COLUMN; i++) column[i] = 0x10000 * (2 * i + 1) + 2 * i;
    mma_pick(mma_find("sp.m16n8k16.f32.f16.f16"), 0, metadata, 0, column, units);
    ck_assert(units[0] == column[1] && units[1] == column[0] && units[2] == column[5] && units[3] == column[7]);
    mma_pick(mma_find("sp.m16n8k64.s32.s4.u4"), 0, metadata, 0, column, units);
    ck_assert(units[0] == column[2] && units[1] == column[3] && units[2] == column[0] && units[6] == column[14]);
    mma_pick(mma_find("sp.m16n8k8.f32.tf32.tf32"), 0, metadata, 0, column, units);
    ck_assert_uint_eq(units[0], 0x00000001);
    ck_assert_uint_eq(units[1], 0x00070005);
    ck_assert(number_chunk_is_legal(mma_sparsity(mma_find("sp.m16n8k16.f32.f16.f16")), 0xd));
    ck_assert(!number_chunk_is_legal(mma_sparsity(mma_find("sp.m16n8k16.f32.f16.f16")), 0x1));
    ck_assert(number_chunk_is_legal(mma_sparsity(mma_find("sp.m16n8k8.f32.tf32.tf32")), 0xe));
    ck_assert(!number_chunk_is_legal(mma_sparsity(mma_find("sp.m16n8k8.f32.tf32.tf32")), 0xd));
}

// A sparse product is the dense one of A with zeros in it, where no element of B is special: 1 + 2^-25 - 1 too.
TEST(mma_metadata__makes_a_product_of_what_is_stored)
{
    uint32_t a[2 * MMA_LANES] = {0}, b[2 * MMA_LANES] = {0}, d[4 * MMA_LANES] = {0}, metadata[MMA_LANES];
    enum mma_form form = MMA_SP_M16K16_F32_BF16_BF16_PLAIN;
    for (int i = 0; i < MMA_LANES; i++) metadata[i] = 0xeeeeeeee; // elements 2 and 3 of each four
    a[9] = 0x40404000;                                            // 2 and 3, chunk 1 of row 2
    b[4 * 5 + 3] = 0x40a04080;                                    // 4 and 5, k 6 and 7 of column 5
    mma_execute_sparse(form, 1, metadata, a, b, d, NULL);
    for (int i = 0; i < 4 * MMA_LANES; i++) {
        struct number_place at = mma_place(form, MMA_OF_D, i % MMA_LANES, i / MMA_LANES, 0);
        ck_assert_uint_eq(d[i], at.row == 2 && at.column == 5 ? 0x41b80000 : 0);
    }
}

// --- Rounding --------------------------------------------------------------------------------------------------------

// Of row 0 and column 0: a * 1 + c, and c.
static const struct {
    double a, c;
    uint64_t want[4]; // by enum number_rounding
    const char *why;
} roundings[] = {
    {0x1p-60,
     1,
     {0x3ff0000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x3ff0000000000001},
     "a little more than 1"},
    {-0x1p-60, 1, {0x3ff0000000000000, 0x3fefffffffffffff, 0x3fefffffffffffff, 0x3ff0000000000000}, "less"},
    {-0x1p-60, -1, {0xbff0000000000000, 0xbff0000000000000, 0xbff0000000000001, 0xbff0000000000000}, "less than -1"},
    {1, -1, {0, 0, 0x8000000000000000, 0}, "a sum of 0 has a sign downwards"},
    {1, 1, {0x4000000000000000, 0x4000000000000000, 0x4000000000000000, 0x4000000000000000}, "exact"},
};

LOOP_TEST(mma_rounds_sums_of_f64_as_asked, 0, ROWS_OF(roundings))
{
    for (int rounding = NUMBER_NEAREST; rounding <= NUMBER_UP; rounding++) {
        const double one = 1;
        uint32_t a[2 * MMA_LANES] = {0}, b[2 * MMA_LANES] = {0}, d[4 * MMA_LANES] = {0};
        uint64_t got;
        memcpy(&a[6], &roundings[_i].a, sizeof one); // k = 3, behind three products of 0
        memcpy(&b[6], &one, sizeof one);
        memcpy(&d[0], &roundings[_i].c, sizeof one);
        fesetround(FE_UPWARD); // the caller's, which does not matter and stays
        const enum rule rule =
            mma_execute_rounded(MMA_M8K4_F64_F64_F64_PLAIN, (enum number_rounding)rounding, a, b, d, NULL);
        ck_assert_int_eq(fegetround(), FE_UPWARD);
        fesetround(FE_TONEAREST);
        ck_assert_int_eq(rule, RULE_OK);
        memcpy(&got, &d[0], sizeof got);
        ck_assert_msg(got == roundings[_i].want[rounding], "%s, rounding %d: %llx", roundings[_i].why, rounding,
                      (unsigned long long)got);
    }
}

// --- The whole instruction, and its elements one by one --------------------------------------------------------------

enum { WORDS = 2 * MMA_LANES * MMA_MAX_REGISTERS, ROUNDS = 40 };

static uint64_t next(uint64_t *random)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return *random >> 32;
}

// Bits of any kind; in some rounds small fields of exponents, so that few elements are NaN; zeros.
static void fill(uint32_t *words, int round, uint64_t *random)
{
    static const uint32_t masks[] = {UINT32_MAX, 0xbfbfbfbf, 0xbcbcbcbc, 0x8f8f8f8f};
    for (int i = 0; i < WORDS; i++) words[i] = (uint32_t)next(random) & masks[round % 4];
    for (int i = 0; i < WORDS && round % 8 > 5; i++) words[i] = next(random) % 3 == 0 ? words[i] : 0;
}

// The units of an operand, by rows of A and D and columns of B.
static void take_units(enum mma_form form, enum mma_operand operand, const uint32_t *words,
                       uint64_t to[][MMA_MAX_COLUMN])
{
    const int parts = mma_parts(form, operand);
    const bool is_wide = mma_row(form)->d == NUMBER_F64;
    for (int i = 0; i < mma_row(form)->registers[operand] * parts * MMA_LANES; i++) {
        const int lane = i % MMA_LANES, index = i / MMA_LANES / parts, part = i / MMA_LANES % parts, bits = 32 / parts;
        const int word = MMA_LANES * index + lane;
        const struct number_place at = mma_place(form, operand, lane, index, part);
        uint64_t unit = is_wide ? words[2 * word] | (uint64_t)words[2 * word + 1] << 32
                                : words[word] >> bits * part & UINT32_MAX >> (32 - bits);
        if (operand == MMA_OF_B)
            to[at.column][at.row] = unit;
        else
            to[at.row][at.column] = unit;
    }
}

static uint64_t dot(enum mma_form form, int selector, const uint32_t *metadata, int row, const uint64_t *a,
                    const uint64_t *column, uint64_t c)
{
    struct mma_vector of_a, of_b;
    uint64_t picked[MMA_MAX_UNITS];
    if (mma_row(form)->is_sparse) mma_pick(form, selector, metadata, row, column, picked);
    mma_vector_read(form, MMA_OF_A, a, &of_a);
    mma_vector_read(form, MMA_OF_B, mma_row(form)->is_sparse ? picked : column, &of_b);
    return mma_dot(form, &of_a, &of_b, c);
}

static void compare_with_dots(enum mma_form form, int round, uint64_t *random)
{
    static uint32_t a[WORDS], b[WORDS], d[WORDS], result[WORDS], metadata[MMA_LANES];
    static uint64_t of_a[MMA_MAX_M][MMA_MAX_COLUMN], of_b[MMA_N][MMA_MAX_COLUMN], of_d[MMA_MAX_M][MMA_MAX_COLUMN],
        of_result[MMA_MAX_M][MMA_MAX_COLUMN];
    const struct mma_row *row = mma_row(form);
    fill(a, round, random);
    fill(b, round, random);
    fill(d, round + 1, random);
    for (int i = 0; i < MMA_LANES; i++) metadata[i] = 0x4e9c4e9c;
    const int selector = row->is_sparse ? round % (number_most_selector(mma_sparsity(form)) + 1) : 0;
    memcpy(result, d, sizeof d);
    ck_assert_int_eq(row->is_sparse ? mma_execute_sparse(form, selector, metadata, a, b, result, NULL)
                                    : mma_execute(form, a, b, result, NULL),
                     RULE_OK);
    take_units(form, MMA_OF_A, a, of_a);
    take_units(form, MMA_OF_B, b, of_b);
    take_units(form, MMA_OF_D, d, of_d);
    take_units(form, MMA_OF_D, result, of_result);
    for (int i = 0; i < row->m * MMA_N; i++) {
        const int m = i / MMA_N, n = i % MMA_N;
        const uint64_t wanted = dot(form, selector, metadata, m, of_a[m], of_b[n], of_d[m][n]);
        ck_assert_msg(of_result[m][n] == wanted, "%s, round %d, d[%d][%d]: %llx, wanted %llx", row->name, round, m, n,
                      (unsigned long long)of_result[m][n], (unsigned long long)wanted);
    }
}

LOOP_TEST(mma_multiplies_as_its_elements_one_by_one, 0, MMA_FORMS)
{
    uint64_t random = (uint64_t)_i + 1;
    for (int round = 0; round < ROUNDS; round++) compare_with_dots((enum mma_form)_i, round, &random);
}

// Forms and operands change from product to product, or do not, or in one bit.
LOOP_TEST(mma_with_a_kept_operand_is_the_same, 0, MMA_FORMS)
{
    static uint32_t a[WORDS], b[WORDS], d[WORDS], wanted[WORDS];
    static struct mma_kept kept;
    uint64_t random = (uint64_t)_i + 77;
    const enum mma_form forms[] = {(enum mma_form)_i, (enum mma_form)((_i + 1) % MMA_FORMS)};
    memset(&kept, 0, sizeof kept);
    fill(a, 0, &random);
    for (int round = 0; round < ROUNDS; round++) {
        const enum mma_form form = forms[next(&random) % 4 == 0];
        const size_t words = (size_t)mma_row(form)->registers[MMA_OF_A] * MMA_LANES;
        if (mma_row(form)->is_sparse) continue;
        if (next(&random) % 4 == 0) fill(a, round, &random);
        if (next(&random) % 3 == 0) a[next(&random) % words] ^= 1u << next(&random) % 32;
        fill(b, round, &random);
        fill(d, round + 1, &random);
        memcpy(wanted, d, sizeof d);
        mma_execute(form, a, b, wanted, NULL);
        mma_execute_keeping(form, NUMBER_NEAREST, a, b, d, &kept);
        ck_assert_msg(memcmp(d, wanted, sizeof d) == 0, "%s, round %d", mma_row(form)->name, round);
    }
}
