// SPDX-License-Identifier: MIT
// Constant expressions: their values and types as ptxas stores them, and what it refuses.
#include <stdio.h>

#include "ptx_test.h"
#include "rows.h"

#define CONSTANTS "ptx_constants.tsv"

LOOP_TEST(an_expression_has_the_bytes_that_ptxas_stores, 0, rows_count(CONSTANTS, NULL))
{
    const struct row *row = rows_at(CONSTANTS, NULL, _i);
    const uint64_t stored = row_number(row, 1);
    char text[256];
    uint64_t bits;
    snprintf(text, sizeof text, HEAD ".global .u64 g = %s;\n", row->field[0]);
    struct opened opened = open_text(text);
    ck_assert_msg(opened.errors.count == 0, "%s: %s: %s", row->where, row->field[0], opened.errors.item[0].message);
    memcpy(&bits, opened.program->variable[0].init, sizeof bits);
    ck_assert_msg(bits == stored, "%s: %s: 0x%llx, and ptxas stores 0x%llx", row->where, row->field[0],
                  (unsigned long long)bits, (unsigned long long)stored);
    ptx_close(opened.module);
}

// ptxas refuses each of them.
static const struct {
    const char *type, *text, *message;
} refused[] = {
    {"u64", "5 / 0", "division by zero"},
    {"u64", "5 % 0U", "division by zero"},
    {"f64", "1.5 / 0.0", "division by zero"},
    {"f64", "1.5 + 1", "do not mix"},
    {"u64", "1 < 1.5", "do not mix"},
    {"f64", "1.5 % 2.0", "not an operator of floating-point constants"},
    {"u64", "1.5 && 1.5", "not an operator of floating-point constants"},
    {"u64", "!0.0", "not an operator of floating-point constants"},
    {"u64", "~1.5", "not an operator of floating-point constants"},
    {"u64", "1.5 ? 1 : 2", "a choice is between integers"},
    {"f64", "1 ? 1.5 : 2.5", "a choice is between integers"},
    {"u64", "(.s64)1.5", "a cast takes an integer"},
    {"u64", "(.f64)1", "a cast is (.s64) or (.u64)"},
    {"f32", "-0f3F800000", "0f3F800000 takes no operators"},
    {"u64", "0f3F800000 < 2.0", "0f3F800000 takes no operators"},
};

LOOP_TEST(what_ptxas_refuses_is_refused, 0, ROWS_OF(refused))
{
    char text[256];
    snprintf(text, sizeof text, HEAD ".global .%s g = %s;\n", refused[_i].type, refused[_i].text);
    struct opened opened = open_text(text);
    ck_assert_msg(opened.errors.count > 0 && strstr(opened.errors.item[0].message, refused[_i].message) != NULL,
                  "%s: %u errors, %s", refused[_i].text, opened.errors.count, opened.errors.item[0].message);
    ptx_close(opened.module);
}

// ptxas is ended by a signal at this quotient; here it wraps.
TEST(the_least_integer_by_minus_one_wraps)
{
    uint64_t bits;
    struct opened opened = open_text(HEAD ".global .u64 g = (-9223372036854775807 - 1) / -1;\n");
    ck_assert_uint_eq(opened.errors.count, 0);
    memcpy(&bits, opened.program->variable[0].init, sizeof bits);
    ck_assert_uint_eq(bits, (uint64_t)1 << 63);
    ptx_close(opened.module);
}
