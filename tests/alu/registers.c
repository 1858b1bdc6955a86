// SPDX-License-Identifier: MIT
#include <stddef.h>
#include <string.h>

#include "registers.h"

static bool choose(struct ptx_choice *choice, int wanted, const char *spelling)
{
    struct ptx_spelling cut;
    int taken;
    if (!ptx_spelling_cut(spelling, strlen(spelling), &cut)) return false;
    for (int form = ptx_form_next(&cut, 0); form >= 0; form = ptx_form_next(&cut, form + 1))
        if ((wanted < 0 || form == wanted) && ptx_form_match(form, &cut, choice, &taken) && alu_find(choice) != NULL)
            return true;
    return false;
}

static void add_slot(struct registers *test, int bits, bool is_byte, int is_written)
{
    int slot = test->slots++;
    test->bits[slot] = bits;
    test->is_byte[slot] = is_byte;
    test->is_written[slot] = is_written;
    test->slot[slot] = (uint32_t)(offsetof(struct registers, lanes) + (size_t)slot * sizeof test->lanes[0]);
}

int registers_parts(const struct registers *test, const struct ptx_operand_rule *rule)
{
    return rule->may_pack ? test->parts : rule->vector > 0 ? rule->vector : 1;
}

static void add_rule(struct registers *test, const struct ptx_operand_rule *rule)
{
    int bits = rule->kind == PTX_RULE_CONSTANT ? 32 : (int)ptx_type_row(rule->type)->bits;
    if (rule->may_pack) bits /= test->parts;
    for (int part = 0; part < registers_parts(test, rule); part++)
        add_slot(test, bits, bits == 8 && !rule->is_wide && !rule->may_pack, rule->is_written);
}

bool registers_open(struct registers *test, int form, const char *spelling, int parts)
{
    *test = (struct registers){0};
    if (!choose(&test->choice, form, spelling)) return false;
    test->parts = parts;
    test->rules = ptx_operand_rules(&test->choice, test->rule);
    for (int i = 0; i < test->rules; i++) add_rule(test, &test->rule[i]);
    test->slot[test->slots] = ALU_LEFT_OUT;
    return true;
}

uint64_t registers_get(const struct registers *test, int slot, int lane, int word)
{
    const void *lanes = test->lanes[slot];
    int bits = test->bits[slot];
    if (bits == 1) return *(const uint32_t *)lanes >> lane & 1;
    if (bits <= 16) return ((const uint16_t *)lanes)[lane] & (test->is_byte[slot] ? 0xff : 0xffff);
    if (bits == 32) return ((const uint32_t *)lanes)[lane];
    return ((const uint64_t *)lanes)[bits == 128 ? 2 * lane + word : lane];
}

void registers_set(struct registers *test, int slot, int lane, int word, uint64_t value)
{
    void *lanes = test->lanes[slot];
    int bits = test->bits[slot];
    if (bits == 1)
        *(uint32_t *)lanes = (*(uint32_t *)lanes & ~(1u << lane)) | (uint32_t)(value & 1) << lane;
    else if (bits <= 16)
        ((uint16_t *)lanes)[lane] = (uint16_t)value;
    else if (bits == 32)
        ((uint32_t *)lanes)[lane] = (uint32_t)value;
    else
        ((uint64_t *)lanes)[bits == 128 ? 2 * lane + word : lane] = value;
}

void registers_run(struct registers *test, alu_function *function, uint32_t lanes)
{
    const struct alu_registers registers = {{(uintptr_t)test, 0, 0, 0 - (uintptr_t)ALU_LEFT_OUT}, &test->carry};
    struct alu_environment environment;
    alu_environment_enter(&environment);
    function(&registers, test->slot, &test->choice, lanes);
    alu_environment_leave(&environment);
}
