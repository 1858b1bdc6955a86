// SPDX-License-Identifier: MIT
// The suite `alu`: what single instructions compute, on facts recorded from an H200 and on worked examples.
#include "alu_test.h"

#include <check.h>
#include <stdio.h>

Suite *alu_suite(void);

// Operands in the order of the row, the results first.
static const struct {
    const char *spelling;
    uint64_t operand[6];
    const char *why;
} rows[] = {
    {"add.s32", {0x80000000, 0x7fffffff, 1}, "sums wrap"},
    {"add.u16", {0, 0xffff, 1}, "of 16 bits too"},
    {"add.sat.s32", {0x7fffffff, 0x7fffffff, 1}, "or stop at the greatest number"},
    {"sub.u64", {UINT64_MAX, 0, 1}, "a difference below 0"},
    {"mul.hi.s32", {0xffffffff, 0xffffffff, 5}, "-1 * 5"},
    {"mul.hi.u64", {0xfffffffffffffffe, UINT64_MAX, UINT64_MAX}, "the upper half of 128 bits"},
    {"mul.wide.s16", {0xfffffffb, 0xffff, 5}, "-1 * 5 in 32 bits"},
    {"mad.lo.u16", {0x0002, 0xffff, 0xffff, 1}, "a product of 16 bits fits no int"},
    {"div.s32", {0xffffffff, 7, 0}, "a quotient by 0 is all ones"},
    {"rem.u32", {0xffffffff, 7, 0}, "the remainder too"},
    {"div.s32", {0x80000000, 0x80000000, 0xffffffff}, "the least number by -1"},
    {"rem.s64", {0, 0x8000000000000000, UINT64_MAX}, "and its remainder"},
    {"sad.s16", {9, 0xffff, 3, 5}, "5 + |-1 - 3|"},
    {"bfind.s32", {0xffffffff, 0xffffffff}, "-1 has no bit that differs from its sign"},
    {"bfind.shiftamt.u32", {0xffffffff, 0}, "nor has 0 one"},
    {"bfe.s32", {0xffffffff, 0x80000000, 40, 4}, "the sign repeated beyond the top"},
    {"bfe.u32", {0x5, 0x50, 0x104, 4}, "the low 8 bits of a position"},
    {"bfi.b32", {0x10000001, 0x80000001, 1, 28, 33}, "what ptxas folds wrongly"},
    {"shl.b32", {0, 1, 32}, "counts are not taken modulo 32"},
    {"shr.s16", {0xffff, 0x8000, 0x10000}, "and have 32 bits"},
    {"shf.l.wrap.b32", {2, 0, 1, 33}, "but for .wrap"},
    {"lop3.b32", {0x3c, 0x0f, 0x33, 0x55, 0x3c}, "a ^ b"},
    {"prmt.b32", {0xff00dd00, 0x8000dd00, 0, 0xb010}, "bit 3 repeats the sign"},
    {"dp4a.s32.u32", {0xffffff02, 0xff, 0xff, 1}, "-1 * 255 + 1"},
};

static void expect(int row, alu_function *(*find)(const struct ptx_choice *), uint32_t lanes)
{
    static struct alu_test test;
    char context[200];
    ck_assert_msg(alu_test_open(&test, rows[row].spelling, 1), "no row of the ALU takes %s", rows[row].spelling);
    for (int slot = 0; slot < test.slots; slot++)
        for (int lane = 0; lane < 32; lane++)
            alu_test_set(&test, slot, lane, 0, test.is_written[slot] ? 0x5a5a5a5a5a5a5a5a : rows[row].operand[slot]);
    uint64_t untouched = alu_test_get(&test, 0, 0, 0);
    alu_test_run(&test, find(&test.choice), lanes);
    for (int lane = 0; lane < 32; lane++) {
        uint64_t want = lanes >> lane & 1 ? rows[row].operand[0] : untouched;
        snprintf(context, sizeof context, "%s: %s, lane %d", rows[row].spelling, rows[row].why, lane);
        ck_assert_msg(alu_test_get(&test, 0, lane, 0) == want, "%s: %llx, expected %llx", context,
                      (unsigned long long)alu_test_get(&test, 0, lane, 0), (unsigned long long)want);
    }
}

START_TEST(alu_gives_what_is_known)
{
    expect(_i, alu_find, UINT32_MAX);
    expect(_i, alu_find, 0x80000001);
    expect(_i, alu_find_portable, UINT32_MAX);
    expect(_i, alu_find_portable, 0x12345678);
}
END_TEST

Suite *alu_suite(void)
{
    Suite *suite = suite_create("alu");
    TCase *known = tcase_create("known");
    tcase_add_loop_test(known, alu_gives_what_is_known, 0, (int)(sizeof rows / sizeof *rows));
    suite_add_tcase(suite, known);
    return suite;
}
