// SPDX-License-Identifier: MIT
// The suite `alu`: what single instructions compute, on facts recorded from an H200 and on worked examples.
#include "../alu/instance.h"

#include <fenv.h>
#include <stdio.h>
#include <string.h>

#include "rows.h"
#include "table.h"

#define ROWS "alu_rows.tsv" // instruction, operands, why

static void expect(const struct row *row, alu_function *(*find)(const struct ptx_choice *), uint32_t lanes)
{
    static struct registers test;
    uint64_t operand[10];
    row_numbers(row, 1, operand, 10);
    ck_assert_msg(registers_open(&test, -1, row->field[0], 1), "%s: no row of the ALU takes %s", row->where,
                  row->field[0]);
    for (int slot = 0; slot < test.slots; slot++)
        for (int lane = 0; lane < 32; lane++)
            registers_set(&test, slot, lane, 0, test.is_written[slot] ? 0x5a5a5a5a5a5a5a5a : operand[slot]);
    uint64_t untouched = registers_get(&test, 0, 0, 0);
    registers_run(&test, find(&test.choice), lanes);
    for (int lane = 0; lane < 32; lane++) {
        uint64_t want = lanes >> lane & 1 ? operand[0] : untouched;
        ck_assert_msg(registers_get(&test, 0, lane, 0) == want, "%s: %s: %s, lane %d: %llx, expected %llx", row->where,
                      row->field[0], row->field[2], lane, (unsigned long long)registers_get(&test, 0, lane, 0),
                      (unsigned long long)want);
    }
}

LOOP_TEST(alu_gives_what_is_known, 0, rows_count(ROWS, NULL))
{
    const struct row *row = rows_at(ROWS, NULL, _i);
    expect(row, alu_find, UINT32_MAX);
    expect(row, alu_find, 0x80000001);
    expect(row, alu_find_portable, UINT32_MAX);
    expect(row, alu_find_portable, 0x12345678);
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
