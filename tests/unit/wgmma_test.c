// SPDX-License-Identifier: MIT
// The suite `wgmma`: types and shapes, matrix descriptors, fragments. The numbers are compared with the slow second
// model in slow/slow_wgmma_test.c.
#include <stdbool.h>
#include <string.h>

#include "descriptor.h"
#include "fragments.h"

// --- Types and shapes ------------------------------------------------------------------------------------------------

// Wrong formulas: steps of 8 for integers too; steps of 16 from 8 on; 240 and 256 left out.
static const struct {
    enum wgmma_types types;
    int n;
    bool is_legal;
} shapes[] = {
    {WGMMA_F32_F16_F16, 8, true},    {WGMMA_F32_F16_F16, 40, true},    {WGMMA_F32_F16_F16, 256, true},
    {WGMMA_F32_F16_F16, 0, false},   {WGMMA_F32_F16_F16, 12, false},   {WGMMA_F32_F16_F16, 264, false},
    {WGMMA_F16_E5M2_E4M3, 24, true}, {WGMMA_F32_TF32_TF32, 248, true}, {WGMMA_S32_S8_U8, 8, true},
    {WGMMA_S32_S8_U8, 24, true},     {WGMMA_S32_S8_U8, 32, true},      {WGMMA_S32_S8_U8, 40, false},
    {WGMMA_S32_S8_U8, 48, true},     {WGMMA_S32_B1_B1, 56, false},     {WGMMA_S32_B1_B1, 240, true},
    {WGMMA_S32_B1_B1, 256, true},
};

LOOP_TEST(wgmma_shapes_are_those_of_ptx, 0, ROWS_OF(shapes))
{
    ck_assert_int_eq(wgmma_n_is_legal(shapes[_i].types, shapes[_i].n), shapes[_i].is_legal);
}

TEST(wgmma_types_have_256_bits_of_k)
{
    for (int t = 0; t < WGMMA_TYPES_COUNT; t++) {
        enum wgmma_types types = (enum wgmma_types)t;
        ck_assert_int_eq(wgmma_types_row(types)->k * number_format_row(wgmma_types_row(types)->a)->size_bits, 256);
        ck_assert_int_eq(wgmma_units(types) * wgmma_unit_bytes(types), 32);
        ck_assert_int_eq(wgmma_types_find(wgmma_types_row(types)->name), types);
        ck_assert_int_eq(wgmma_units(types) * WGMMA_M, 4 * WGMMA_THREADS * wgmma_a_parts(types));
    }
    ck_assert_str_eq(wgmma_types_row(WGMMA_F16_E4M3_E5M2)->name, "f16.e4m3.e5m2");
    ck_assert_int_eq(wgmma_types_find("f32.bf16.bf16"), WGMMA_F32_BF16_BF16);
    ck_assert_int_eq(wgmma_types_find("f32.bf16.f16"), WGMMA_TYPES_COUNT);
    ck_assert_int_eq(wgmma_d_registers(WGMMA_F32_TF32_TF32, 256), 128);
    ck_assert_int_eq(wgmma_d_registers(WGMMA_F16_F16_F16, 256), 64);
    ck_assert(wgmma_may_transpose(WGMMA_F32_BF16_BF16) && !wgmma_may_transpose(WGMMA_F32_TF32_TF32));
}

// --- Descriptors -----------------------------------------------------------------------------------------------------

TEST(wgmma_descriptor_is_read_as_it_was_written)
{
    const struct wgmma_descriptor d = {0x12340, 0x3fff0, 0x10, 5, WGMMA_SWIZZLE_64B};
    uint64_t bits = wgmma_descriptor_pack(&d);
    ck_assert_uint_eq(bits, 0x800a00013fff1234);
    struct wgmma_descriptor again = wgmma_descriptor_unpack(bits | WGMMA_DESCRIPTOR_IGNORED);
    ck_assert_mem_eq(&again, &d, sizeof d);
    ck_assert_uint_eq(bits & WGMMA_DESCRIPTOR_IGNORED, 0);
    ck_assert_uint_eq(WGMMA_DESCRIPTOR_IGNORED, 0x3ff1c000c000c000);
}

// Wrong formulas: LBO and SBO the other way round, in one of the majors or with a swizzle; the pattern at the start of
// the operand; the base offset added; rows of 128 bytes with every swizzle; the start wrapping at 2^18.
static const struct {
    const char *why;
    struct wgmma_descriptor d;
    bool is_mn_major;
    int row, k; // k: bytes where K-major
    uint32_t address;
} places[] = {
    {"K-major: 8 rows of 16 bytes", {1024, 128, 256, 0, WGMMA_SWIZZLE_NONE}, false, 7, 3, 1024 + 7 * 16 + 3},
    {"K-major: the next 16 bytes", {1024, 128, 256, 0, WGMMA_SWIZZLE_NONE}, false, 1, 17, 1024 + 16 + 128 + 1},
    {"K-major: the next 8 rows", {1024, 128, 256, 0, WGMMA_SWIZZLE_NONE}, false, 17, 0, 1024 + 2 * 256 + 16},
    {"no swizzle: the base offset does nothing", {1024, 128, 256, 3, WGMMA_SWIZZLE_NONE}, false, 1, 0, 1040},
    {"K-major 128B: row 1 is XORed by 1", {1024, 4096, 1024, 0, WGMMA_SWIZZLE_128B}, false, 1, 0, 1024 + 128 + 16},
    {"K-major 128B: row 9", {1024, 4096, 1024, 0, WGMMA_SWIZZLE_128B}, false, 9, 20, 2048 + 128 + 4},
    {"K-major 64B: two rows in a line", {1024, 0, 512, 0, WGMMA_SWIZZLE_64B}, false, 3, 0, 1024 + 192 + 16},
    {"K-major 32B: four rows in a line", {1024, 0, 256, 0, WGMMA_SWIZZLE_32B}, false, 5, 0, 1024 + 160 + 16},
    {"K-major 32B: LBO to the next 32 bytes of K",
     {1024, 2048, 256, 0, WGMMA_SWIZZLE_32B},
     false,
     1,
     34,
     3072 + 32 + 2},
    {"K-major 64B: 32 bytes of K are within", {1024, 2048, 512, 0, WGMMA_SWIZZLE_64B}, false, 1, 34, 1024 + 64 + 34},
    {"absolute: a start within the pattern", {1024 + 128, 0, 1024, 0, WGMMA_SWIZZLE_128B}, false, 0, 0, 1152 + 16},
    {"the base offset is subtracted", {1024 + 128, 0, 1024, 1, WGMMA_SWIZZLE_128B}, false, 0, 0, 1152},
    {"and wraps", {1024, 0, 1024, 1, WGMMA_SWIZZLE_128B}, false, 0, 0, 1024 + 112},
    {"K advanced by the start", {1024 + 32, 0, 1024, 0, WGMMA_SWIZZLE_128B}, false, 1, 0, 1152 + (32 ^ 16)},
    {"MN-major: 8 elements side by side", {1024, 512, 128, 0, WGMMA_SWIZZLE_NONE}, true, 7, 3, 1024 + 14 + 48},
    {"MN-major: SBO to the next 8", {1024, 512, 128, 0, WGMMA_SWIZZLE_NONE}, true, 17, 0, 1024 + 256 + 2},
    {"MN-major: LBO to the next 8 of K", {1024, 512, 128, 0, WGMMA_SWIZZLE_NONE}, true, 0, 9, 1024 + 512 + 16},
    {"MN-major 128B: 64 elements side by side",
     {1024, 2048, 1024, 0, WGMMA_SWIZZLE_128B},
     true,
     63,
     1,
     1024 + 128 + 110},
    {"MN-major 128B: LBO to the next 64", {1024, 2048, 1024, 0, WGMMA_SWIZZLE_128B}, true, 64, 0, 1024 + 2048},
    {"MN-major 128B: SBO to the next 8 of K", {1024, 2048, 1024, 0, WGMMA_SWIZZLE_128B}, true, 0, 8, 1024 + 1024},
    {"MN-major 32B: 16 elements side by side", {1024, 2048, 256, 0, WGMMA_SWIZZLE_32B}, true, 24, 4, 1024 + 2048 + 128},
    {"no wrap at 2^18", {0x3fff0, 128, 256, 0, WGMMA_SWIZZLE_NONE}, false, 8, 0, 0x3fff0 + 256},
};

LOOP_TEST(wgmma_elements_lie_where_the_descriptor_says, 0, ROWS_OF(places))
{
    uint32_t address = places[_i].is_mn_major ? wgmma_address_mn_major(&places[_i].d, places[_i].row, places[_i].k)
                                              : wgmma_address_k_major(&places[_i].d, places[_i].row, places[_i].k);
    ck_assert_msg(address == places[_i].address, "%s: %u, not %u", places[_i].why, address, places[_i].address);
}

// --- Fragments -------------------------------------------------------------------------------------------------------

// Every element of D has one place, and every unit of A.
TEST(wgmma_fragments_cover_the_matrix_once)
{
    for (int t = 0; t < WGMMA_TYPES_COUNT; t++) {
        static uint8_t of_d[WGMMA_M][WGMMA_MAX_N], of_a[WGMMA_M][32];
        enum wgmma_types types = (enum wgmma_types)t;
        int parts = wgmma_types_row(types)->d == NUMBER_F16 ? 2 : 1;
        memset(of_d, 0, sizeof of_d);
        memset(of_a, 0, sizeof of_a);
        for (int thread = 0; thread < WGMMA_THREADS; thread++) {
            for (int i = 0; i < wgmma_d_registers(types, 96) * parts; i++) {
                struct number_place place = wgmma_place_d(types, thread, i / parts, i % parts);
                of_d[place.row][place.column]++;
            }
            for (int i = 0; i < 4 * wgmma_a_parts(types); i++) {
                struct number_place place =
                    wgmma_place_a(types, thread, i / wgmma_a_parts(types), i % wgmma_a_parts(types));
                of_a[place.row][place.column]++;
            }
        }
        for (int row = 0; row < WGMMA_M; row++) {
            for (int n = 0; n < WGMMA_MAX_N; n++) ck_assert_int_eq(of_d[row][n], n < 96);
            for (int k = 0; k < 32; k++) ck_assert_int_eq(of_a[row][k], k < wgmma_units(types));
        }
    }
}

static void require_place(struct number_place place, int row, int column)
{
    ck_assert_msg(place.row == row && place.column == column, "(%d, %d), not (%d, %d)", place.row, place.column, row,
                  column);
}

struct rows {
    uint32_t *at[WGMMA_MAX_D][WGMMA_PARTS];
};

static struct rows rows_of(uint32_t *d)
{
    struct rows rows;
    for (int i = 0; i < WGMMA_MAX_D * WGMMA_PARTS; i++) rows.at[i / WGMMA_PARTS][i % WGMMA_PARTS] = d + 32 * i;
    return rows;
}

// The formulas of PTX's pictures at places that tell rows, columns and halves apart.
LOOP_TEST(wgmma_columns_are_those_of_the_fragments, 0, WGMMA_TYPES_COUNT)
{
    static uint32_t d[WGMMA_THREADS * WGMMA_MAX_N / 2], again[WGMMA_THREADS * WGMMA_MAX_N / 2];
    enum wgmma_types types = (enum wgmma_types)_i;
    int parts = wgmma_types_row(types)->d == NUMBER_F16 ? 2 : 1, words = wgmma_d_registers(types, 24) * WGMMA_THREADS;
    for (int i = 0; i < words; i++) d[i] = 0x9e3779b9u * (uint32_t)i;
    const struct rows from = rows_of(d), to = rows_of(again);
    for (int first = 0; first < 24; first += WGMMA_COLUMNS) {
        uint32_t columns[WGMMA_M][WGMMA_COLUMNS];
        wgmma_columns_of_d(types, first, from.at, columns);
        for (int i = 0; i < words * parts; i++) {
            int word = i / parts, part = i % parts;
            struct number_place at = wgmma_place_d(types, word % WGMMA_THREADS, word / WGMMA_THREADS, part);
            uint32_t element = parts == 2 ? d[word] >> 16 * part & 0xffff : d[word];
            if (at.column / WGMMA_COLUMNS * WGMMA_COLUMNS == first)
                ck_assert_uint_eq(columns[at.row][at.column - first], element);
        }
        wgmma_columns_to_d(types, first, columns, to.at);
    }
    ck_assert_mem_eq(again, d, (size_t)words * sizeof *d);
}

TEST(wgmma_fragments_are_those_of_the_pictures)
{
    require_place(wgmma_place_d(WGMMA_F32_F16_F16, 37, 0, 0), 16 + 1, 2);
    require_place(wgmma_place_d(WGMMA_F32_F16_F16, 37, 1, 0), 16 + 1, 3);
    require_place(wgmma_place_d(WGMMA_F32_F16_F16, 37, 2, 0), 16 + 9, 2);
    require_place(wgmma_place_d(WGMMA_F32_F16_F16, 37, 4, 0), 16 + 1, 10);
    require_place(wgmma_place_d(WGMMA_F16_F16_F16, 37, 1, 1), 16 + 9, 3);
    require_place(wgmma_place_d(WGMMA_F16_F16_F16, 37, 2, 0), 16 + 1, 10);
    require_place(wgmma_place_a(WGMMA_F32_F16_F16, 37, 1, 1), 16 + 9, 3);
    require_place(wgmma_place_a(WGMMA_F32_F16_F16, 37, 2, 0), 16 + 1, 10);
    require_place(wgmma_place_a(WGMMA_F32_TF32_TF32, 37, 3, 0), 16 + 9, 5);
    require_place(wgmma_place_a(WGMMA_S32_U8_U8, 37, 2, 3), 16 + 1, 23);
    require_place(wgmma_place_a(WGMMA_S32_B1_B1, 37, 2, 0), 16 + 1, 5);
}
