// SPDX-License-Identifier: MIT
// A role synchronises at three lines or more of its own, counting calls of helpers; a helper at fewer.
#include "role.h"

#include <string.h>

enum { LINES_OF_A_ROLE = 3, MOST_DEPTH = 32 };

static bool synchronises(const struct ptx_program *program, const struct ptx_instruction *instruction)
{
    static const char *const opcodes[] = {"mbarrier", "bar",   "cp.async",   "cp.reduce",   "st.async",  "red",
                                          "atom",     "wgmma", "ld.acquire", "ld.volatile", "st.release"};
    const struct ptx_name *spelling = &program->op[instruction->op].spelling;
    for (size_t i = 0; i < sizeof opcodes / sizeof opcodes[0]; i++)
        if (spelling->length >= strlen(opcodes[i]) && memcmp(spelling->at, opcodes[i], strlen(opcodes[i])) == 0)
            return true;
    return false;
}

// Are two locations one place, inlined at the same calls? 0 is the outside of all.
static bool is_same_site(const struct ptx_location *all, uint32_t one, uint32_t other)
{
    while (one != other && one != 0 && other != 0) {
        if (all[one].file != all[other].file || all[one].line != all[other].line ||
            all[one].column != all[other].column)
            return false;
        one = all[one].inlined_at;
        other = all[other].inlined_at;
    }
    return one == other;
}

// The line in what was inlined at `call`, from which a location comes; 0: it comes from elsewhere.
static uint32_t line_within(const struct ptx_location *all, uint32_t location, uint32_t call)
{
    for (int depth = 0; location != 0 && depth < MOST_DEPTH; depth++) {
        if (is_same_site(all, all[location].inlined_at, call)) return all[location].line;
        location = all[location].inlined_at;
    }
    return 0;
}

// Are there many lines in what was inlined at `call`, 0: in the function itself, that synchronise?
static bool has_many_lines(const struct ptx_program *program, const struct ptx_function *function, uint32_t call)
{
    uint32_t line[LINES_OF_A_ROLE], lines = 0;
    for (uint32_t i = 0; i < function->instructions && lines < LINES_OF_A_ROLE; i++) {
        const struct ptx_instruction *instruction = &function->instruction[i];
        if (instruction->location == 0 || !synchronises(program, instruction)) continue;
        const uint32_t found = line_within(function->location, instruction->location, call);
        uint32_t at = 0;
        while (at < lines && line[at] != found) at++;
        if (found != 0 && at == lines) line[lines++] = found;
    }
    return lines == LINES_OF_A_ROLE;
}

uint32_t machine_role_calls(const struct ptx_program *program, const struct ptx_function *function, uint32_t location)
{
    uint32_t at[MOST_DEPTH], depth = 0;
    for (; location != 0 && depth < MOST_DEPTH; location = function->location[location].inlined_at)
        at[depth++] = location;
    while (depth > 1 && has_many_lines(program, function, at[depth - 1])) depth--;
    return depth > 0 ? depth - 1 : 0;
}

bool machine_is_role(const struct ptx_program *program, const struct ptx_function *function)
{
    return has_many_lines(program, function, 0);
}

bool machine_is_called_once(const struct ptx_function *function, uint32_t call)
{
    const struct ptx_location *all = function->location;
    for (uint32_t i = 1; i < function->locations; i++)
        if (all[i].file == all[call].file && all[i].line == all[call].line &&
            !is_same_site(all, all[i].inlined_at, all[call].inlined_at))
            return false;
    return true;
}
