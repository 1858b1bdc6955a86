// SPDX-License-Identifier: MIT
// The descriptors of wgmma that read a layout against those that CuTe makes (cute_facts.tsv), and layouts that none
// reads.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cute_box.h"
#include "cute_operand.h"
#include "rows.h"

#define FACTS "cute_facts.tsv"

static struct cute_layout layout_of(const char *text)
{
    struct cute_layout layout;
    struct cute_error error;
    ck_assert_msg(cute_read(text, &layout, &error), "%s: column %d: %s", text, error.column, error.why);
    return layout;
}

// The same bits; and every step along K of the whole tile is read as well.
LOOP_TEST(descriptors_are_those_of_cute, 0, rows_count(FACTS, "OPERAND"))
{
    const struct row *row = rows_at(FACTS, "OPERAND", _i);
    const struct cute_layout layout = layout_of(row->field[1]);
    const uint32_t bytes = (uint32_t)row_number(row, 2) / 8;
    const uint64_t want = row_number(row, 4);
    struct cute_operand operand;
    struct cute_error error;
    ck_assert_msg(cute_operand_of(&layout, bytes, &operand, &error), "%s: %s", row->where, error.why);
    uint64_t got = wgmma_descriptor_pack(&operand.descriptor);
    ck_assert_msg(got == want, "%s: CuTe makes %016llx, not %016llx", row->where, (unsigned long long)want,
                  (unsigned long long)got);
    ck_assert_int_eq(operand.is_mn_major, (int)row_number(row, 3));
    ck_assert_uint_eq(cute_operand_start(&layout, &operand, bytes, 0), 0);
}

// How far the steps along K are apart, and what the atoms are called.
static const struct {
    const char *text, *atom;
    int rows, steps;
    uint32_t start[6];
} steps[] = {
    {"Sw<3,4,3> o smem_ptr[16b](unset) o ((8,16),(64,2)):((64,512),(1,8192))",
     "Layout_K_SW128_Atom",
     128,
     8,
     {0, 32, 64, 96, 16384, 16416}},
    {"Sw<2,4,3> o smem_ptr[16b](unset) o ((32,4),(8,8)):((1,256),(32,1024))",
     "Layout_MN_SW64_Atom",
     128,
     4,
     {0, 4096, 8192, 12288}},
    {"((8,8),(8,8)):((8,64),(1,512))", "Layout_K_INTER_Atom", 64, 4, {0, 2048, 4096, 6144}},
    {"Sw<3,4,3> o smem_ptr[16b](unset) o ((8,64),64,3):((64,512),1,32768)",
     "Layout_K_SW128_Atom",
     256,
     4,
     {0, 32, 64, 96}},
};

LOOP_TEST(steps_along_k_are_where_the_layout_has_them, 0, ROWS_OF(steps))
{
    const struct cute_layout layout = layout_of(steps[_i].text);
    struct cute_operand operand;
    struct cute_error error;
    ck_assert_msg(cute_operand_of(&layout, 2, &operand, &error), "%s: %s", steps[_i].text, error.why);
    ck_assert_int_eq(operand.rows, steps[_i].rows);
    ck_assert_int_eq(operand.steps, steps[_i].steps);
    ck_assert_str_eq(cute_operand_atom(&operand), steps[_i].atom);
    for (int step = 0; step < operand.steps && step < 6; step++)
        ck_assert_uint_eq(cute_operand_start(&layout, &operand, 2, step), steps[_i].start[step]);
}

#define REFUSED "cute_refused.tsv"

LOOP_TEST(a_layout_that_no_descriptor_reads_is_refused, 0, rows_count(REFUSED, "OPERAND"))
{
    const struct row *row = rows_at(REFUSED, "OPERAND", _i);
    const struct cute_layout layout = layout_of(row->field[1]);
    struct cute_operand operand;
    struct cute_error error;
    ck_assert_msg(!cute_operand_of(&layout, (uint32_t)row_number(row, 2), &operand, &error), "%s is taken", row->where);
    ck_assert_msg(row->field[3][0] != '\0' && strstr(error.why, row->field[3]) != NULL, "%s: %s", row->where,
                  error.why);
}
