// SPDX-License-Identifier: MIT
// The operands of decoded instructions one by one, and which of them are written: for what decoding finds out about a
// whole function.
#ifndef TMAREF_MACHINE_VISIT_H
#define TMAREF_MACHINE_VISIT_H

#include "code.h"

#pragma GCC visibility push(hidden)

enum { MACHINE_UNIT = MACHINE_SLOT_ALIGN };

// `written`: of each spelling of the function what is known of it, 0 at first.
struct machine_visits {
    const struct machine_function *function;
    uint16_t *written;
};

typedef void machine_visitor(void *context, const struct machine_code *code, const struct machine_operand *operand,
                             int is_written);

// Each operand of the code. An aside writes its first one. A call may write any.
void machine_each_operand(const struct machine_visits *visits, const struct machine_code *code, void *context,
                          machine_visitor *visit);

bool machine_is_call(const struct machine_code *code);

// Does the opcode begin so?
bool machine_is_opcode(const struct machine_code *code, const char *opcode);

static inline bool machine_is_in_frame(const struct machine_operand *operand)
{
    return operand->slot != MACHINE_LEFT_OUT && operand->slot % MACHINE_BASES == MACHINE_IN_FRAME;
}

// The frame in units of MACHINE_UNIT bytes: a slot is named by its first.
static inline uint32_t machine_unit_of(uint32_t slot)
{
    return slot / MACHINE_UNIT;
}

// Of each unit, how many instructions may write it: up to 2.
static inline void machine_count_write(uint8_t *writes, const struct machine_operand *operand, bool is_written)
{
    if (!is_written || !machine_is_in_frame(operand)) return;
    uint8_t *of = &writes[machine_unit_of(operand->slot)];
    if (*of < 2) ++*of;
}

#pragma GCC visibility pop

#endif
