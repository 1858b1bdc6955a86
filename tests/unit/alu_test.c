// SPDX-License-Identifier: MIT
// The suite `alu`: what single instructions compute, on facts recorded from an H200 and on worked examples.
#include "../alu/instance.h"

#include <fenv.h>
#include <stdio.h>
#include <string.h>

#include "table.h"

// Operands in the order of the row, the results first; selectors are the numbers that operand_rule.h says.
static const struct {
    const char *spelling;
    uint64_t operand[10];
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
    {"set.lt.f16.s32", {0x3c00, 0xffffffff, 5}, "one as f16"},
    {"set.hi.bf16.u64", {0x3f80, UINT64_MAX, 5}, "one as bf16"},
    {"set.nan.bf16.f16", {0x3f80, 0x7e00, 0}, "a comparison of f16"},
    {"set.eq.ftz.f16.f32", {0x3c00, 1, 0}, "a subnormal is zero"},
    {"fma.rz.oob.bf16", {0x4000, 0x3c00, 0x3c00, 0x3c00}, "1 + 1 of f16"},
    {"fma.rp.oob.relu.bf16x2", {0, 0x7ff77ff7, 0x3f803f80, 0x3f803f80}, "two numbers keep .oob"},
    {"rcp.rz.ftz.f64", {0x7fe0000000000000, 0x0008000000000000}, "nothing is flushed"},
    {"bfi.b32", {0x10000001, 0x80000001, 1, 28, 33}, "what ptxas folds wrongly"},
    {"shl.b32", {0, 1, 32}, "counts are not taken modulo 32"},
    {"shr.s16", {0xffff, 0x8000, 0x10000}, "and have 32 bits"},
    {"shf.l.wrap.b32", {2, 0, 1, 33}, "but for .wrap"},
    {"lop3.b32", {0x3c, 0x0f, 0x33, 0x55, 0x3c}, "a ^ b"},
    {"prmt.b32", {0xff00dd00, 0x8000dd00, 0, 0xb010}, "bit 3 repeats the sign"},
    {"dp4a.s32.u32", {0xffffff02, 0xff, 0xff, 1}, "-1 * 255 + 1"},
    {"vadd.s32.u32.s32", {0xfe, 0, 0xff, 1, 0xffff1234, 6, 7}, "255 from .b0 and -1 from .h1, without c"},
    {"vsub.u32.u32.u32.sat", {0, 0, 1, 0, 2, 0, 0}, "a difference without sign stops at 0"},
    {"vadd.u32.u32.u32.sat", {0, 0, 0xffffffff, 0, 1, 0, 0}, "ptxas leaves a sum without sign as it is above"},
    {"vadd.s32.u32.u32.sat", {0x7fffffff, 0, 0xffffffff, 0, 1, 0, 0}, "and not one with a sign"},
    {"vadd.u32.u32.u32.min",
     {0xffffffff, 0, 0x80000000, 0, 1, 0, 0xffffffff},
     "a sum meets c with the sign of its word"},
    {"vmin.u32.u32.u32.min", {0x80000001, 0, 0x80000001, 0, 0x80000002, 0, 0xffffffff}, "the lesser of two does not"},
    {"vabsdiff.s32.s32.s32.add", {0x1000, 0, 0x80, 1, 0x7f, 1, 0xf01}, "|-128 - 127| + 3841"},
    {"vshl.u32.u32.u32.clamp", {0, 0, 1, 0, 0xff, 1, 0}, "a shift by 32 and more"},
    {"vshl.s32.s32.u32.sat.wrap", {0x7fffffff, 0, 0x40000001, 0, 33, 0, 0}, "a shifted number at its limit"},
    {"vshr.s32.s32.u32.clamp", {0xffffffff, 0, 0x80, 1, 64, 0, 0}, "a sign repeated"},
    {"vset.s32.u32.lt", {1, 0, 0xffffffff, 0, 0, 0, 0}, "-1 is less than 0 without sign"},
    {"vmad.s32.s32.u32", {0xfffffff8, 0, 0xff, 1, 0, 9, 0, 0, 1, 0}, "-1 * 9 + 1"},
    {"vmad.s32.u32.u32.shr7", {0xfffffff0, 0, 0x1ff, 5, 1, 0x80, 1, 0, 0xf7ff, 0}, "(63487 - 511 * 128) / 128"},
    {"vmad.u32.u32.u32.po.sat", {0, 0, 0xffffffff, 0, 2, 0, 0}, "a whole word is signed"},
    {"vadd4.s32.s32.s32.sat", {0x007f80ff, 7, 0x117f8001, 0x3210, 0x1101fffe, 0x7654, 0x00123456}, "but the top byte"},
    {"vavrg2.s32.s32.s32", {0x0002fffe, 3, 0x0003fffd, 0x10, 0x0001ffff, 0x32, 0}, "halves away from zero"},
    {"vset4.u32.u32.ge.add", {0x103, 15, 0x01020304, 0x3210, 0x01010505, 0x7654, 0x101}, "two bytes that are"},
    {"vabsdiff4.u32.u32.u32",
     {0x01fffe02, 15, 0x0100ff05, 0x3210, 0x00ff0107, 0x7654, 7},
     "each byte by itself, without c"},
    {"vabsdiff2.u32.u32.u32.add", {0x6a, 3, 0x00010005, 0x10, 0x00030001, 0x32, 0x64}, "2 + 4 + 100"},
    {"vabsdiff2.u32.u32.u32", {0x00070002, 1, 0x00010005, 0x11, 0x00030001, 0x33, 0x00070009}, "the low half alone"},
    {"cvt.rzi.s8.bf16", {0x80, 0xc348}, "-200 as 8 bits is -128"},
    {"cvt.rn.bf16.s8", {0xbf80, 0xff}, "-1 from 8 bits"},
    {"add.rn.f32", {0x7fffffff, 0x7fc00001, 0x3f800000}, "every NaN of f32 is 7FFFFFFF"},
    {"add.rp.f32", {0x3f800001, 0x3f800000, 1}, "upwards, whatever the host rounds to"},
    {"add.rm.f32", {0x80000000, 0x3f800000, 0xbf800000}, "downwards a sum of 0 is -0"},
    {"mul.rz.ftz.f32", {0, 0x3f7ff800, 0x00800400}, "tiny after rounding is flushed"},
    {"mul.rn.ftz.f32", {0x00800000, 0x3f7ff800, 0x00800400}, "what rounding makes normal is not"},
    {"fma.rn.f32", {0x337ffffe, 0x3f800001, 0x3f7fffff, 0xbf800000}, "one rounding"},
    {"mul.sat.f32", {0, 0x7fc00000, 0x3f800000}, "a NaN saturated is +0"},
    {"add.f64", {0xfff8000000000002, 0x7ff8000000000001, 0xfff0000000000002}, "the second operand's NaN, quiet"},
    {"sub.f64", {0xfff8000000000000, 0x7ff0000000000000, 0x7ff0000000000000}, "what is invalid has a sign"},
    {"min.f32", {0x80000000, 0, 0x80000000}, "-0 is below +0"},
    {"max.f32", {0x3f800000, 0x7fc00000, 0x3f800000}, "the operand that is a number"},
    {"max.NaN.f16", {0x7fff, 0x7c01, 0x3c00}, "or a NaN"},
    {"add.f16", {0x7c00, 0x7bff, 0x7bff}, "infinity above 65504"},
    {"fma.rn.f16", {0x3c01, 0x3c00, 0x3c00, 0x1400}, "a tie goes to even, broken upwards by 2^-10"},
    {"fma.rn.oob.f16", {0, 0x7ff7, 0x3c00, 0x7fff}, "the value filled in out of bounds makes 0"},
    {"mul.bf16x2", {0x7fff3f80, 0x7fc03f80, 0x3f803f80}, "halves apart"},
    {"cvt.rni.s32.f32", {2, 0x40200000}, "2.5 to even"},
    {"cvt.rzi.u8.f32", {0, 0xbf800000}, "below the range"},
    {"cvt.rzi.s64.f32", {0x8000000000000000, 0x7fc00000}, "a NaN as 64 bits"},
    {"cvt.rzi.s32.f64", {0x80000000, 0x7ff8000000000000}, "a NaN of f64"},
    {"cvt.rn.f32.u64", {0x5f000000, 0x7fffffffffffffff}, "rounded once"},
    {"cvt.rz.f32.u64", {0x5effffff, 0x7fffffffffffffff}, "and toward zero"},
    {"cvt.rn.satfinite.e4m3x2.f32", {0x7e7f, 0x7f800000, 0x7fc00000}, "infinity stops at 448, a NaN is 7F"},
    {"cvt.rn.f16x2.e5m2x2", {0x7c007fff, 0x7c7e}, "infinity stays, a NaN is 7FFF"},
    {"cvt.rna.satfinite.tf32.f32", {0x7fbfe000, 0x7fc00000}, "one unit off a NaN"},
    {"cvt.f64.f32", {0x7ff8000020000000, 0x7f800001}, "a payload stays, quiet"},
    {"ex2.approx.f32", {0x3f800000, 0}, "2^0"},
    {"rcp.approx.ftz.f32", {0xff800000, 0x80000001}, "a subnormal is zero"},
    {"lg2.approx.f32", {0, 0x3f800000}, "0 of 1"},
    {"sin.approx.f32", {0x80000000, 0x80000000}, "-0 of -0"},
    {"tanh.approx.f32", {0x3f800000, 0x41000000}, "1 from 8 on"},
    {"rcp.approx.ftz.f64", {0x7fffffff00000000, 0x7ff8000000000000}, "the high word alone"},
};

static void expect(int row, alu_function *(*find)(const struct ptx_choice *), uint32_t lanes)
{
    static struct registers test;
    char context[200];
    ck_assert_msg(registers_open(&test, -1, rows[row].spelling, 1), "no row of the ALU takes %s", rows[row].spelling);
    for (int slot = 0; slot < test.slots; slot++)
        for (int lane = 0; lane < 32; lane++)
            registers_set(&test, slot, lane, 0, test.is_written[slot] ? 0x5a5a5a5a5a5a5a5a : rows[row].operand[slot]);
    uint64_t untouched = registers_get(&test, 0, 0, 0);
    registers_run(&test, find(&test.choice), lanes);
    for (int lane = 0; lane < 32; lane++) {
        uint64_t want = lanes >> lane & 1 ? rows[row].operand[0] : untouched;
        snprintf(context, sizeof context, "%s: %s, lane %d", rows[row].spelling, rows[row].why, lane);
        ck_assert_msg(registers_get(&test, 0, lane, 0) == want, "%s: %llx, expected %llx", context,
                      (unsigned long long)registers_get(&test, 0, lane, 0), (unsigned long long)want);
    }
}

LOOP_TEST(alu_gives_what_is_known, 0, ROWS_OF(rows))
{
    expect(_i, alu_find, UINT32_MAX);
    expect(_i, alu_find, 0x80000001);
    expect(_i, alu_find_portable, UINT32_MAX);
    expect(_i, alu_find_portable, 0x12345678);
}

// --- Every row that runs ---------------------------------------------------------------------------------------------

struct count {
    int form, spellings, found;
    char text[128];
};

static void count_spelling(struct count *count)
{
    struct ptx_spelling cut;
    struct ptx_choice choice;
    int taken;
    if (!ptx_spelling_cut(count->text, strlen(count->text), &cut)) return;
    if (!ptx_form_match(count->form, &cut, &choice, &taken)) return;
    count->spellings++;
    count->found += alu_find(&choice) != NULL && alu_find_portable(&choice) != NULL;
}

static void count_slots(struct count *count, int slot)
{
    size_t used = strlen(count->text), length;
    if (slot == ptx_form_slots(count->form)) {
        count_spelling(count);
        return;
    }
    if (ptx_form_slot_is_optional(count->form, slot)) count_slots(count, slot + 1);
    const char *word = ptx_form_slot_word(count->form, slot, 0, &length);
    for (int n = 0; word != NULL; word = ptx_form_slot_word(count->form, slot, ++n, &length)) {
        snprintf(count->text + used, sizeof count->text - used, ".%.*s", (int)length, word);
        count_slots(count, slot + 1);
        count->text[used] = '\0';
    }
}

TEST(alu_has_all_spellings_of_the_rows_that_say_so)
{
    for (int form = 0; form < ptx_form_count(); form++) {
        const struct ptx_form *row = ptx_form_row(form);
        if (row->runs != PTX_RUNS_ALU && row->runs != PTX_RUNS_MEETING) continue;
        struct count count = {.form = form};
        snprintf(count.text, sizeof count.text, "%s", row->opcode);
        count_slots(&count, 0);
        if (row->runs == PTX_RUNS_MEETING && count.found == 0) continue; // barriers and the like compute nothing
        ck_assert_msg(count.spellings > 0 && count.found == count.spellings, "%s: %d of %d spellings are found",
                      row->name, count.found, count.spellings);
    }
}

// A row of model/alu names its form by a word, so a word that is no form's would never be found.
#define TABLE(file) &file,
static const struct alu_rows *const alu_tables[] = {ALU_FILES(TABLE)};

LOOP_TEST(alu_rows_name_forms, 0, ROWS_OF(alu_tables))
{
    const struct alu_rows *table = alu_tables[_i];
    for (size_t i = 0; i < table->count; i++) {
        int form = 0;
        while (form < ptx_form_count() && strcmp(ptx_form_row(form)->name, table->row[i].form) != 0) form++;
        ck_assert_msg(form < ptx_form_count(), "forms.def has no row %s, which ROW() of model/alu names",
                      table->row[i].form);
    }
}

// --- Two builds, and no caller's environment -------------------------------------------------------------------------

struct comparison {
    uint64_t *first, *second;
    int instances;
};

static void compare_builds(void *to, struct instance *instance)
{
    struct comparison *comparison = to;
    if (comparison->instances++ % 7 != 0) return;
    if (instance->tuples > 1024) instance->tuples = 1024;
    int words = instance_compute(instance, alu_find(&instance->registers.choice), comparison->first);
    fesetround(FE_UPWARD);
    instance_compute(instance, alu_find_portable(&instance->registers.choice), comparison->second);
    ck_assert_int_eq(fegetround(), FE_UPWARD);
    fesetround(FE_TONEAREST);
    ck_assert_msg(memcmp(comparison->first, comparison->second, (size_t)words * (size_t)instance->tuples * 8) == 0,
                  "%s: what all processors have gives other results", instance->key);
}

TEST(alu_gives_the_same_by_other_instructions_and_in_another_rounding_mode)
{
    static uint64_t first[INSTANCE_MOST_WORDS * 1024], second[INSTANCE_MOST_WORDS * 1024];
    struct comparison comparison = {first, second, 0};
    instance_each(1, compare_builds, &comparison);
    ck_assert_int_gt(comparison.instances, 4000);
}
