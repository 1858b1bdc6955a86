// SPDX-License-Identifier: MIT
// The suite `wgmma_rule`: whole instructions. What is refused, what faults, what only warns; which bytes of shared
// memory and which registers take part.
#include <string.h>

#include "descriptor.h"
#include "fragments.h"
#include "rules/wgmma.h"
#include "sparsity.h"
#include "wgmma.h"

enum { BASE = 1024, BYTES = 16384, MOST = WGMMA_MAX_N / 2 * WGMMA_THREADS };
static uint8_t bytes[BYTES];
static const struct memory shared = {bytes, BASE, BYTES};

static uint64_t descriptor(uint32_t start, uint32_t leading, uint32_t stride, uint32_t base_offset,
                           enum wgmma_swizzle swizzle)
{
    const struct wgmma_descriptor d = {start, leading, stride, base_offset, swizzle};
    return wgmma_descriptor_pack(&d);
}

// A at 1024, B at 8192, both K-major in one block of 8 rows after another.
static struct wgmma_operands plain_operands(void)
{
    return (struct wgmma_operands){
        {descriptor(1024, 128, 256, 0, WGMMA_SWIZZLE_NONE), descriptor(8192, 128, 256, 0, WGMMA_SWIZZLE_NONE)},
        NULL,
        &shared,
        0,
        NULL};
}

static void put16(uint32_t address, uint16_t value)
{
    memcpy(bytes + (address - BASE), &value, sizeof value);
}

static uint32_t element_of_d(const struct wgmma *w, const uint32_t *d, int row, int column)
{
    for (int i = 0; i < wgmma_d_registers(w->types, w->n) * WGMMA_THREADS; i++) {
        struct number_place place = wgmma_place_d(w->types, i % WGMMA_THREADS, i / WGMMA_THREADS, 0);
        if (place.row == row && place.column == column) return d[i];
    }
    return 0xdead;
}

// --- What the assembler refuses --------------------------------------------------------------------------------------

static void require_refused(const struct wgmma *w, enum rule rule, const char *argument)
{
    static uint32_t d[MOST] = {7};
    struct wgmma_operands operands = plain_operands();
    struct findings findings = {0};
    ck_assert_int_eq(wgmma_check(w, &operands, &findings), rule);
    ck_assert_int_eq(findings.count, 1);
    ck_assert_str_eq(findings.item[0].argument, argument);
    ck_assert_int_eq(wgmma_execute(w, &operands, d, &findings), rule);
    ck_assert_int_eq(findings.count, 1);
    ck_assert_uint_eq(d[0], 7);
}

static void require_sparse_legal(const struct wgmma *w)
{
    uint32_t metadata[WGMMA_THREADS];
    struct wgmma_operands operands = plain_operands();
    for (int t = 0; t < WGMMA_THREADS; t++) metadata[t] = 0xeeeeeeee;
    operands.metadata = metadata;
    ck_assert_int_eq(wgmma_check(w, &operands, NULL), RULE_OK);
}

static void require_legal(const struct wgmma *w)
{
    struct wgmma_operands operands = plain_operands();
    ck_assert_int_eq(wgmma_check(w, &operands, NULL), RULE_OK);
}

TEST(wgmma_n__names_the_nearest)
{
    struct findings findings = {0};
    struct wgmma_operands operands = plain_operands();
    require_refused(&(struct wgmma){.types = WGMMA_F32_F16_F16, .n = 12}, RULE_WGMMA_N, "N");
    require_refused(&(struct wgmma){.types = WGMMA_S32_S8_S8, .n = 40}, RULE_WGMMA_N, "N");
    require_refused(&(struct wgmma){.types = WGMMA_F32_F16_F16, .n = 264}, RULE_WGMMA_N, "N");
    require_refused(&(struct wgmma){.types = WGMMA_F32_F16_F16, .n = 0}, RULE_WGMMA_N, "N");
    require_legal(&(struct wgmma){.types = WGMMA_F32_F16_F16, .n = 40});
    require_legal(&(struct wgmma){.types = WGMMA_S32_S8_S8, .n = 24});
    wgmma_check(&(struct wgmma){.types = WGMMA_S32_S8_S8, .n = 40}, &operands, &findings);
    ck_assert_uint_eq(findings.item[0].nearest, 32);
}

TEST(wgmma_transpose__is_for_16_bits_and_shared_memory)
{
    require_refused(&(struct wgmma){.types = WGMMA_F32_TF32_TF32, .n = 8, .is_transposed = {1, 0}},
                    RULE_WGMMA_TRANSPOSE, "imm-trans-a");
    require_refused(&(struct wgmma){.types = WGMMA_S32_S8_S8, .n = 8, .is_transposed = {0, 1}}, RULE_WGMMA_TRANSPOSE,
                    "imm-trans-b");
    require_refused(&(struct wgmma){.types = WGMMA_F32_F16_F16, .n = 8, .a_in_registers = 1, .is_transposed = {1, 1}},
                    RULE_WGMMA_TRANSPOSE, "imm-trans-a");
    require_legal(&(struct wgmma){.types = WGMMA_F32_BF16_BF16, .n = 8, .is_transposed = {1, 1}});
}

TEST(wgmma_scale__is_for_floats)
{
    require_refused(&(struct wgmma){.types = WGMMA_S32_U8_U8, .n = 8, .negate = {0, 1}}, RULE_WGMMA_SCALE,
                    "imm-scale-b");
    require_legal(&(struct wgmma){.types = WGMMA_F16_E4M3_E4M3, .n = 8, .negate = {1, 1}});
}

TEST(wgmma_satfinite__is_for_bytes)
{
    require_refused(&(struct wgmma){.types = WGMMA_S32_B1_B1, .n = 8, .satfinite = 1}, RULE_WGMMA_SATFINITE,
                    ".satfinite");
    require_refused(&(struct wgmma){.types = WGMMA_F32_F16_F16, .n = 8, .satfinite = 1}, RULE_WGMMA_SATFINITE,
                    ".satfinite");
    require_legal(&(struct wgmma){.types = WGMMA_S32_U8_S8, .n = 8, .satfinite = 1});
}

// All rules broken are named; the first one is returned.
TEST(wgmma_n__comes_first)
{
    struct findings findings = {0};
    struct wgmma_operands operands = plain_operands();
    const struct wgmma w = {
        .types = WGMMA_S32_B1_B1, .n = 7, .satfinite = 1, .is_transposed = {1, 1}, .negate = {1, 1}};
    ck_assert_int_eq(wgmma_check(&w, &operands, &findings), RULE_WGMMA_N);
    ck_assert_int_eq(findings.count, 6);
    ck_assert_uint_eq(findings.item[0].nearest, 8);
}

TEST(wgmma_sparse_types__leave_out_b1)
{
    require_refused(&(struct wgmma){.types = WGMMA_S32_B1_B1, .n = 8, .is_sparse = 1}, RULE_WGMMA_SPARSE_TYPES, ".b1");
    require_sparse_legal(&(struct wgmma){.types = WGMMA_S32_S8_U8, .n = 8, .is_sparse = 1, .satfinite = 1});
}

TEST(wgmma_sparse_selector__is_0_or_1)
{
    require_refused(&(struct wgmma){.types = WGMMA_F32_F16_F16, .n = 8, .is_sparse = 1, .selector = 2},
                    RULE_WGMMA_SPARSE_SELECTOR, "sp-sel");
    require_refused(&(struct wgmma){.types = WGMMA_F32_E4M3_E5M2, .n = 8, .is_sparse = 1, .selector = 1},
                    RULE_WGMMA_SPARSE_SELECTOR, "sp-sel");
    require_sparse_legal(&(struct wgmma){.types = WGMMA_F32_F16_F16, .n = 8, .is_sparse = 1, .selector = 1});
    require_sparse_legal(&(struct wgmma){.types = WGMMA_F32_TF32_TF32, .n = 8, .is_sparse = 1, .selector = 1});
    require_sparse_legal(&(struct wgmma){.types = WGMMA_F32_E4M3_E5M2, .n = 8, .is_sparse = 1});
}

// --- Metadata --------------------------------------------------------------------------------------------------------

// Bits of one chunk of thread 37: row 16 + 1, chunk 6. Descending indices are as good as others.
static const struct {
    enum wgmma_types types;
    uint32_t bits;
    int is_legal;
} chunk_bits[] = {
    {WGMMA_F32_F16_F16, 0x0, 0},   {WGMMA_F32_F16_F16, 0x5, 0},   {WGMMA_F32_F16_F16, 0xf, 0},
    {WGMMA_F32_F16_F16, 0xe, 1},   {WGMMA_F32_F16_F16, 0x6, 1},   {WGMMA_F32_TF32_TF32, 0xe, 1},
    {WGMMA_F32_TF32_TF32, 0x6, 0}, {WGMMA_F32_TF32_TF32, 0x8, 0},
};

LOOP_TEST(wgmma_sparse_metadata__only_warns, 0, ROWS_OF(chunk_bits))
{
    struct findings findings = {0};
    struct wgmma_operands operands = plain_operands();
    uint32_t metadata[WGMMA_THREADS];
    const struct wgmma w = {.types = chunk_bits[_i].types, .n = 8, .is_sparse = 1};
    for (int t = 0; t < WGMMA_THREADS; t++) metadata[t] = 0x44444444;
    metadata[37] = 0x44444044u | chunk_bits[_i].bits << 8;
    metadata[38] = 0; // not of selector 0
    operands.metadata = metadata;
    ck_assert_int_eq(number_chunk_is_legal(wgmma_sparsity(w.types), chunk_bits[_i].bits), chunk_bits[_i].is_legal);
    ck_assert_int_eq(wgmma_check(&w, &operands, &findings), RULE_OK);
    ck_assert_int_eq(findings.count, !chunk_bits[_i].is_legal);
    if (chunk_bits[_i].is_legal) return;
    ck_assert_int_eq(findings.item[0].rule, RULE_WGMMA_SPARSE_METADATA);
    ck_assert_int_eq(findings.item[0].index, 17);
    ck_assert_uint_eq(findings.item[0].value, chunk_bits[_i].bits);
    ck_assert(number_chunk_is_legal(wgmma_sparsity(w.types), (uint32_t)findings.item[0].nearest));
}

// --- Descriptors -----------------------------------------------------------------------------------------------------

TEST(wgmma_descriptor_bits__only_warn)
{
    struct wgmma w = {.types = WGMMA_F32_F16_F16, .n = 8};
    struct wgmma_operands operands = plain_operands();
    struct findings findings = {0};
    operands.descriptor[1] |= (uint64_t)1 << 46;
    ck_assert_int_eq(wgmma_check(&w, &operands, &findings), RULE_OK);
    ck_assert_int_eq(findings.count, 1);
    ck_assert_int_eq(findings.item[0].rule, RULE_WGMMA_DESCRIPTOR_BITS);
    ck_assert_uint_eq(findings.item[0].nearest, plain_operands().descriptor[1]);
}

// Of the last 8 rows the first is looked at.
TEST(wgmma_smem_bounds__end_at_the_last_rows)
{
    struct wgmma w = {.types = WGMMA_F32_F16_F16, .n = 16};
    struct wgmma_operands operands = plain_operands();
    uint32_t last = BASE + BYTES - 512, first, end;
    operands.descriptor[1] = descriptor(last + 112, 128, 256, 0, WGMMA_SWIZZLE_NONE);
    ck_assert_int_eq(wgmma_check(&w, &operands, NULL), RULE_OK);
    operands.descriptor[1] = descriptor(last + 128, 128, 256, 0, WGMMA_SWIZZLE_NONE);
    ck_assert_int_eq(wgmma_check(&w, &operands, NULL), RULE_WGMMA_SMEM_BOUNDS);
    ck_assert_int_eq(rule_cuda_error(RULE_WGMMA_SMEM_BOUNDS), 700);
    wgmma_reach(&w, 1, operands.descriptor[1], &first, &end);
    ck_assert_uint_eq(first, last + 128);
    ck_assert_uint_eq(end, last + 128 + 512);
    operands.descriptor[1] = plain_operands().descriptor[1];
    operands.descriptor[0] = descriptor(0x3fff0, 0, 0, 0, WGMMA_SWIZZLE_NONE);
    ck_assert_int_eq(wgmma_check(&w, &operands, NULL), RULE_WGMMA_SMEM_BOUNDS);
    w.a_in_registers = 1;
    ck_assert_int_eq(wgmma_check(&w, &operands, NULL), RULE_OK);
}

// The last start at which a single group of 8 rows fits: `slack` bytes are left from there to the end. Each piece of 16
// bytes of the first row takes a whole span from where it lies; the seven rows behind it may lie past the end. Wrong
// formulas: all rows, the first row's operand alone, the second row, one span for all pieces of the row.
static const struct first_row {
    const char *why;
    int n, is_sparse, is_mn_major;
    enum wgmma_swizzle swizzle;
    uint32_t leading, slack;
} first_rows[] = {
    {"two pieces", 8, 0, 0, WGMMA_SWIZZLE_32B, 0, 32 + 16},
    {"two pieces", 8, 0, 0, WGMMA_SWIZZLE_64B, 0, 64 + 16},
    {"two pieces", 8, 0, 0, WGMMA_SWIZZLE_128B, 0, 128 + 16},
    {"the second 32 bytes of K are LBO further", 8, 1, 0, WGMMA_SWIZZLE_32B, 128, 128 + 16 + 32},
    {"four pieces", 8, 1, 0, WGMMA_SWIZZLE_64B, 0, 64 + 48},
    {"four pieces", 8, 1, 0, WGMMA_SWIZZLE_128B, 0, 128 + 48},
    {"8 of N are one piece", 8, 0, 1, WGMMA_SWIZZLE_64B, 0, 64},
    {"16 of N are two", 16, 0, 1, WGMMA_SWIZZLE_64B, 0, 64 + 16},
    {"32 of N are four", 32, 0, 1, WGMMA_SWIZZLE_128B, 0, 128 + 48},
    {"the second 64 of N are LBO further", 96, 0, 1, WGMMA_SWIZZLE_128B, 512, 512 + 128 + 48},
};

LOOP_TEST(wgmma_smem_bounds__are_those_of_the_first_row_of_8, 0, ROWS_OF(first_rows))
{
    const struct first_row *row = &first_rows[_i];
    struct wgmma w = {
        .types = WGMMA_F32_F16_F16, .n = row->n, .is_sparse = row->is_sparse, .is_transposed = {0, row->is_mn_major}};
    struct wgmma_operands operands = plain_operands();
    uint32_t last = BASE + BYTES - row->slack, metadata[WGMMA_THREADS];
    memset(metadata, 0x44, sizeof metadata); // elements 0 and 1 of each 4
    operands.metadata = metadata;
    operands.descriptor[1] = descriptor(last, row->leading, 0, 0, row->swizzle);
    ck_assert_msg(wgmma_check(&w, &operands, NULL) == RULE_OK, "%s", row->why);
    operands.descriptor[1] = descriptor(last + 16, row->leading, 0, 0, row->swizzle);
    ck_assert_msg(wgmma_check(&w, &operands, NULL) == RULE_WGMMA_SMEM_BOUNDS, "%s", row->why);
    if (row->is_mn_major) return;
    w.n = 16; // the second group's first row counts too
    operands.descriptor[1] = descriptor(last - 256, row->leading, 256, 0, row->swizzle);
    ck_assert_int_eq(wgmma_check(&w, &operands, NULL), RULE_OK);
    operands.descriptor[1] = descriptor(last - 256, row->leading, 272, 0, row->swizzle);
    ck_assert_int_eq(wgmma_check(&w, &operands, NULL), RULE_WGMMA_SMEM_BOUNDS);
}

TEST(wgmma_smem_bounds__of_both_halves_of_k_without_a_swizzle)
{
    struct wgmma w = {.types = WGMMA_F32_F16_F16, .n = 8};
    struct wgmma_operands operands = plain_operands();
    operands.descriptor[1] = descriptor(BASE + BYTES - 16 - 1024, 1024, 0, 0, WGMMA_SWIZZLE_NONE);
    ck_assert_int_eq(wgmma_check(&w, &operands, NULL), RULE_OK);
    operands.descriptor[1] = descriptor(BASE + BYTES - 1024, 1024, 0, 0, WGMMA_SWIZZLE_NONE);
    ck_assert_int_eq(wgmma_check(&w, &operands, NULL), RULE_WGMMA_SMEM_BOUNDS);
}

// Each row: where a 1 of A and of B must be put for D[9][13] to become 1. Wrong formulas: those of wgmma_test.c's
// table.
static const struct layout {
    enum rule rule;
    int is_mn_major;
    uint32_t leading, stride, base_offset;
    enum wgmma_swizzle swizzle;
    uint32_t start, address_a, address_b; // at k = 9; of A row 9, of B column 13, from `start` on
} layouts[] = {
    {RULE_WGMMA_LAYOUT, 0, 1024, 128, 0, WGMMA_SWIZZLE_NONE, 2048, 128 + 16 + 1024 + 2, 128 + 5 * 16 + 1024 + 2},
    {RULE_WGMMA_LAYOUT, 1, 1024, 128, 0, WGMMA_SWIZZLE_NONE, 2048, 128 + 1024 + 16 + 2, 128 + 1024 + 16 + 10},
    {RULE_WGMMA_LAYOUT, 1, 1024, 256, 0, WGMMA_SWIZZLE_32B, 2048, 256 + 32 + 16 + 2, 256 + 32 + 16 + 10},
    {RULE_WGMMA_LEADING_UNUSED, 0, 0x3fff0, 256, 0, WGMMA_SWIZZLE_32B, 2048, 256 + 32 + 16 + 2, 256 + 160 + 0 + 2},
    {RULE_WGMMA_SWIZZLE, 0, 0, 1024, 0, WGMMA_SWIZZLE_128B, 2048, 1024 + 128 + 0 + 2, 1024 + 640 + (16 ^ 80) + 2},
    {RULE_WGMMA_SWIZZLE, 0, 0, 1024, 0, WGMMA_SWIZZLE_128B, 2048 + 128, 1024 + 128 + (16 ^ 32) + 2,
     1024 + 640 + (16 ^ 96) + 2},
    {RULE_WGMMA_SWIZZLE, 0, 0, 1024, 1, WGMMA_SWIZZLE_128B, 2048 + 128, 1024 + 128 + (16 ^ 16) + 2,
     1024 + 640 + (16 ^ 80) + 2},
};

static void require_layout(const struct layout *layout)
{
    static uint32_t d[MOST];
    const struct wgmma w = {
        .types = WGMMA_F32_F16_F16, .n = 16, .is_transposed = {layout->is_mn_major, layout->is_mn_major}};
    struct wgmma_operands operands = plain_operands();
    for (uint32_t i = 0; i < 2; i++)
        operands.descriptor[i] =
            descriptor(layout->start + i * 7168, layout->leading, layout->stride, layout->base_offset, layout->swizzle);
    memset(bytes, 0, sizeof bytes);
    put16(layout->start + layout->address_a, 0x3c00);
    put16(layout->start + 7168 + layout->address_b, 0x3c00);
    ck_assert_int_eq(wgmma_execute(&w, &operands, d, NULL), RULE_OK);
    uint32_t sum = 0;
    for (int i = 0; i < wgmma_d_registers(w.types, w.n) * WGMMA_THREADS; i++) sum += d[i];
    ck_assert_uint_eq(element_of_d(&w, d, 9, 13), 0x3f800000);
    ck_assert_uint_eq(sum, 0x3f800000);
}

static void require_layouts(enum rule rule)
{
    int count = 0;
    for (int i = 0; i < ROWS_OF(layouts); i++) {
        if (layouts[i].rule != rule) continue;
        require_layout(&layouts[i]);
        count++;
    }
    ck_assert_int_gt(count, 0);
}

TEST_CALL(wgmma_layout__puts_elements_where_the_strides_say, require_layouts(RULE_WGMMA_LAYOUT))
TEST_CALL(wgmma_leading_unused__any_value_does, require_layouts(RULE_WGMMA_LEADING_UNUSED))

// B of a sparse instruction has 64 bytes of K: as many as the 64B swizzle is wide, twice as many as the 32B swizzle.
TEST(wgmma_leading_unused__but_beyond_the_span)
{
    uint32_t first, end;
    const struct wgmma w = {.types = WGMMA_F32_F16_F16, .n = 16, .a_in_registers = 1, .is_sparse = 1};
    wgmma_reach(&w, 1, descriptor(2048, 4096, 512, 0, WGMMA_SWIZZLE_64B), &first, &end);
    ck_assert_uint_eq(first, 2048);
    ck_assert_uint_eq(end, 2048 + 1024);
    wgmma_reach(&w, 1, descriptor(2048, 4096, 256, 0, WGMMA_SWIZZLE_32B), &first, &end);
    ck_assert_uint_eq(first, 2048);
    ck_assert_uint_eq(end, 2048 + 4096 + 512);
}

TEST_CALL(wgmma_swizzle__is_absolute_and_subtracts_the_base_offset, require_layouts(RULE_WGMMA_SWIZZLE))

// A in registers: thread 37, register 2, upper half is row 17, k = 11.
TEST(wgmma_fragments__a_and_d_meet)
{
    static uint32_t d[MOST], a[WGMMA_THREADS][4];
    const struct wgmma w = {.types = WGMMA_F32_F16_F16, .n = 16, .a_in_registers = 1};
    struct wgmma_operands operands = plain_operands();
    memset(bytes, 0, sizeof bytes);
    a[37][2] = 0x3c000000;
    operands.a = (const uint32_t(*)[4])a;
    put16(8192 + 256 + 3 * 16 + 128 + 3 * 2, 0xc000); // column 11, k 11: -2
    ck_assert_int_eq(wgmma_execute(&w, &operands, d, NULL), RULE_OK);
    ck_assert_uint_eq(element_of_d(&w, d, 17, 11), 0xc0000000);
    ck_assert_uint_eq(d[5 * WGMMA_THREADS + 32 + 5], 0xc0000000); // warp 1, lane 5, register 5
    ck_assert_uint_eq(element_of_d(&w, d, 17, 10), 0);
}

TEST(wgmma_reads_zeros_below_the_window)
{
    uint32_t a[32], b[32];
    const struct wgmma w = {.types = WGMMA_F32_F16_F16, .n = 8};
    struct wgmma_operands operands = plain_operands();
    memset(bytes, 0xff, sizeof bytes);
    operands.descriptor[0] = descriptor(512, 128, 256, 0, WGMMA_SWIZZLE_NONE);
    ck_assert_int_eq(wgmma_check(&w, &operands, NULL), RULE_OK);
    wgmma_factors_of(&w, &operands, 15, 7, a, b);
    ck_assert_uint_eq(a[0], 0);
    ck_assert_uint_eq(b[15], 0xffff);
    wgmma_factors_of(&w, &operands, 16, 7, a, b);
    ck_assert_uint_eq(a[0], 0xffff);
}
