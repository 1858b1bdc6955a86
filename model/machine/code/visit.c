// SPDX-License-Identifier: MIT
#include "visit.h"

#include <string.h>

#include "handler.h"

enum { IS_KNOWN = 1 << 15 };

bool machine_is_opcode(const struct machine_code *code, const char *opcode)
{
    return code->choice != NULL && strncmp(ptx_form_row(code->choice->form)->opcode, opcode, strlen(opcode)) == 0;
}

bool machine_is_call(const struct machine_code *code)
{
    return code->handler == machine_call || code->handler == machine_call_indirect;
}

// A bit for each operand of the row.
static uint16_t written_of(const struct machine_visits *visits, const struct machine_code *code)
{
    struct ptx_operand_rule rule[PTX_MOST_OPERANDS];
    if (code->choice == NULL) return 1;
    if (machine_is_call(code)) return UINT16_MAX;
    uint16_t *written = &visits->written[code->choice - visits->function->choice];
    const int rules = *written == 0 ? ptx_operand_rules(code->choice, rule) : 0;
    for (int i = 0; i < rules; i++)
        if (rule[i].is_written) *written |= (uint16_t)(1 << i);
    return *written |= IS_KNOWN;
}

void machine_each_operand(const struct machine_visits *visits, const struct machine_code *code, void *context,
                          machine_visitor *visit)
{
    const uint16_t written = written_of(visits, code);
    uint32_t at = 0;
    for (int i = 0; at < code->operands; i += i < PTX_MOST_OPERANDS) {
        const uint32_t parts = code->operand[at].parts, end = parts > 1 ? at + parts : at + 1;
        for (; at < end && at < code->operands; at++) visit(context, code, &code->operand[at], written >> i & 1);
    }
}
