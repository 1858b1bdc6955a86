// SPDX-License-Identifier: MIT
// Steps of whole warps on matrices: mma, ldmatrix, stmatrix, movmatrix.
#include <string.h>

#include "operand_rule.h"
#include "random_program.h"

// Sparse operands keep two of four, in rising order: sixteen bits of each are four such pairs.
static uint32_t random_pairs(struct program *program, bool is_one_of_two)
{
    static const uint32_t two_of_four[] = {0x4, 0x8, 0x9, 0xc, 0xd, 0xe}, one_of_two[] = {0x4, 0xe};
    uint32_t pairs = 0;
    for (int i = 0; i < 8; i++)
        pairs = pairs << 4 | (is_one_of_two ? random_pick(&program->random, one_of_two)
                                            : random_pick(&program->random, two_of_four));
    return pairs;
}

static bool is_written_already(const struct program *program, char file, int number)
{
    for (int i = 0; i < program->writes; i++)
        if (program->written[i].file == file && program->written[i].number == number) return true;
    return false;
}

// is_apart: no register that the instruction writes.
static size_t put_parts(struct program *program, const struct ptx_operand_rule *rule, bool is_apart, char *text,
                        size_t bytes)
{
    char file = program_file((int)ptx_type_row((enum ptx_type)rule->type)->bits);
    size_t used = (size_t)snprintf(text, bytes, rule->vector > 0 ? "{" : "");
    for (int part = 0; part < (rule->vector > 0 ? rule->vector : 1); part++) {
        int number = program_register(program, file, -1);
        while ((rule->is_written || is_apart) && is_written_already(program, file, number))
            number = program_register(program, file, -1);
        if (rule->is_written)
            program_wrote(program, file, number);
        else if (program_chance(program, 70))
            program_refresh(program, (enum ptx_type)rule->type, file, number);
        used += (size_t)snprintf(text + used, bytes - used, "%s%%%c%d", part ? ", " : "", file, number);
    }
    return used + (size_t)snprintf(text + used, bytes - used, rule->vector > 0 ? "}" : "");
}

static size_t put_operand(struct program *program, const struct ptx_choice *choice, const struct ptx_operand_rule *rule,
                          char *text, size_t bytes)
{
    if (rule->kind == PTX_RULE_ADDRESS) {
        if (choice->space[0] == 0) program_say(program, "cvta.shared.u64 %%A4, %%A4;\n");
        return (size_t)snprintf(text, bytes, "[%%A4]");
    }
    if (rule->kind == PTX_RULE_CONSTANT)
        return (size_t)snprintf(text, bytes, "%d", rule->least + program_below(program, rule->most - rule->least + 1));
    if (rule->name_length == 4 && memcmp(rule->name, "meta", 4) == 0) {
        program_say(program, "mov.b32 %%B4, %u;\n", random_pairs(program, choice->type[1] == PTX_TYPE_tf32));
        return (size_t)snprintf(text, bytes, "%%B4");
    }
    // Of products of FP8 ptxas 13.0 writes a part of D before it has read all of C.
    enum ptx_type type = (enum ptx_type)choice->type[1];
    return put_parts(program, rule, type == PTX_TYPE_e4m3 || type == PTX_TYPE_e5m2, text, bytes);
}

// The rows that ldmatrix reads, 16 bytes for each thread of the CTA.
static void fill_rows(struct program *program)
{
    int a = program_register(program, 'r', -1), b = program_register(program, 'r', -1);
    program_say(program,
                "mov.b64 %%A4, %%row;\nmov.b64 %%A6, %%A4;\n"
                "bar.warp.sync %%m0;\nst.shared.v4.b32 [%%A4], {%%r%d, %%r%d, %%r%d, %%r%d};\nbar.warp.sync %%m0;\n",
                a, b, program_register(program, 'r', -1), a);
}

static void read_rows(struct program *program)
{
    program_say(program, "bar.warp.sync %%m0;\nld.shared.v2.u64 {%%A4, %%A5}, [%%A6];\nbar.warp.sync %%m0;\n");
    program_wrote(program, 'A', 4);
    program_wrote(program, 'A', 5);
}

// mma of f64 has other rounding modes that the machine does not run.
static bool is_left_out(const struct ptx_choice *choice)
{
    int round = choice->word[PTX_CLASS_ROUND];
    return round != 0 && round != PTX_RN;
}

void step_matrix(struct program *program)
{
    static const char *const opcodes[] = {"mma", "ldmatrix", "stmatrix", "movmatrix", NULL};
    struct ptx_operand_rule rule[PTX_MOST_OPERANDS];
    struct ptx_choice choice;
    char spelling[96], text[400];
    size_t used = 0;
    int form;
    do form = draw_row(program, PTX_RUNS_MATRIX, opcodes);
    while (!spell(program, form, spelling, sizeof spelling, &choice) || is_left_out(&choice));
    int rules = ptx_operand_rules(&choice, rule);
    bool has_rows = form == row_of("LDMATRIX") || form == row_of("STMATRIX");
    program_begin_step(program, ptx_form_row(form)->name);
    if (has_rows) fill_rows(program);
    for (int i = 0; i < rules; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, i > 0 ? ", " : " ");
        used += put_operand(program, &choice, &rule[i], text + used, sizeof text - used);
    }
    program_say(program, "%s%s;\n", spelling, text);
    if (has_rows) read_rows(program);
    program_end_step(program);
}
