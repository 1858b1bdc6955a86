// SPDX-License-Identifier: MIT
// Steps that compute nothing: fences, hints, time that passes; and the stack.
#include <string.h>

#include "operand_rule.h"
#include "random_program.h"

// A range of 128 bytes is thrown away, and written again by all threads that own it.
static void discard(struct program *program)
{
    program_say(program, "discard.global.L2 [%%own], 128;\n");
    for (int at = 0; at < PROGRAM_OWN_BYTES; at += 16)
        program_say(program, "st.global.v2.u64 [%%own+%d], {%%zd, %%d%d};\n", at, program_register(program, 'd', -1));
}

static void stack(struct program *program)
{
    int bytes = 16 << program_below(program, 3), from = program_register(program, 'd', -1);
    program_say(program,
                "stacksave.u64 %%A6;\nmov.u64 %%A7, %d;\nalloca.u64 %%A5, %%A7, 16;\nst.local.u64 [%%A5+8], %%d%d;\n"
                "ld.local.u64 %%A4, [%%A5+8];\nstackrestore.u64 %%A6;\n",
                bytes, from);
    program_wrote(program, 'A', 4);
}

static void active_lanes(struct program *program)
{
    program_say(program, "activemask.b32 %%B4;\nmov.u32 %%B5, %%lanemask_eq;\nand.b32 %%B6, %%B4, %%B5;\n");
    program_wrote(program, 'B', 6);
}

static void hint(struct program *program)
{
    static const char *const opcodes[] = {"membar",
                                          "membar.proxy",
                                          "fence",
                                          "fence.proxy",
                                          "prefetch",
                                          "prefetchu",
                                          "applypriority",
                                          "griddepcontrol",
                                          "pmevent",
                                          "nanosleep",
                                          "createpolicy.fractional",
                                          "createpolicy.range",
                                          "createpolicy.cvt.L2",
                                          NULL};
    static const enum ptx_runs runs[] = {PTX_RUNS_ASYNC, PTX_RUNS_MEMORY, PTX_RUNS_CONTROL};
    struct ptx_operand_rule rule[PTX_MOST_OPERANDS];
    struct ptx_choice choice;
    char spelling[96], text[200];
    size_t used = 0;
    int form;
    do form = draw_row(program, random_pick(&program->random, runs), opcodes);
    while (!spell(program, form, spelling, sizeof spelling, &choice) || form == row_of("PREFETCH_TENSORMAP"));
    int rules = ptx_operand_rules(&choice, rule);
    const char *address = choice.space[0] == PTX_LOCAL ? "%lo" : "%own";
    for (int i = 0; i < rules; i++) {
        const char *separator = i > 0 ? ", " : " ";
        if (rule[i].kind == PTX_RULE_ADDRESS)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s[%s]", separator, address);
        else if (rule[i].is_written)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%%A4", separator);
        else if (rule[i].kind == PTX_RULE_CONSTANT)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%d", separator,
                                     rule[i].least + program_below(program, rule[i].most - rule[i].least + 1));
        else
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", separator,
                                     rule[i].is_fraction                            ? "0f3f000000"
                                     : choice.type[0] == PTX_TYPE_b64 && rules == 2 ? "%zd"
                                                                                    : "128");
    }
    text[used] = '\0';
    program_say(program, "%s%s;\n", spelling, text);
}

void step_quiet(struct program *program)
{
    int what = program_below(program, 12);
    program_begin_step(program, "nothing to see");
    if (what == 0)
        discard(program);
    else if (what == 1)
        stack(program);
    else if (what == 2)
        active_lanes(program);
    else
        hint(program);
    program_end_step(program);
}
