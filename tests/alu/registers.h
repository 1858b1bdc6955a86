// SPDX-License-Identifier: MIT
// One instruction on registers of 32 lanes, for who tests model/alu: made from its spelling alone.
#ifndef TMAREF_TESTS_ALU_REGISTERS_H
#define TMAREF_TESTS_ALU_REGISTERS_H

#include <stdbool.h>

#include "alu.h"
#include "operand_rule.h"

enum { REGISTERS_MOST = 24 };

// The registers of one instruction, by operand; of vectors, by part.
struct registers {
    struct ptx_choice choice;
    struct ptx_operand_rule rule[PTX_MOST_OPERANDS];
    int parts;                   // of what packs or unpacks
    int rules, slots;            // slots: registers, without the end behind them
    int bits[REGISTERS_MOST];    // of each register; 1: a predicate
    int is_byte[REGISTERS_MOST]; // no wider register may stand there
    int is_written[REGISTERS_MOST];
    uint64_t lanes[REGISTERS_MOST][64]; // room for 32 lanes of 128 bits
    uint32_t slot[REGISTERS_MOST + 1];  // offsets from here
    uint32_t carry;
};

// Row `form` of the table, or with -1 the first that the ALU has; 0 if it has none. Vectors of mov have `parts`.
bool registers_open(struct registers *test, int form, const char *spelling, int parts);

// How many registers an operand is: a vector has several.
int registers_parts(const struct registers *test, const struct ptx_operand_rule *rule);

// One lane of a register, its low or (word 1) its high 64 bits.
uint64_t registers_get(const struct registers *test, int slot, int lane, int word);
void registers_set(struct registers *test, int slot, int lane, int word, uint64_t value);

void registers_run(struct registers *test, alu_function *function, uint32_t lanes);

#endif
