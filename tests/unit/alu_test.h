// SPDX-License-Identifier: MIT
// One instruction on registers of 32 lanes, for who tests model/alu: made from its spelling alone.
#ifndef TMAREF_TESTS_ALU_TEST_H
#define TMAREF_TESTS_ALU_TEST_H

#include "alu.h"
#include "operand_rule.h"

enum { ALU_TEST_SLOTS = 24 };

// The registers of one instruction, by operand; of vectors, by part.
struct alu_test {
    struct ptx_choice choice;
    struct ptx_operand_rule rule[PTX_MOST_OPERANDS];
    int rules, slots;         // slots: registers, without the NULL behind them
    int bits[ALU_TEST_SLOTS]; // of each register; 1: a predicate
    int is_written[ALU_TEST_SLOTS];
    uint64_t lanes[ALU_TEST_SLOTS][64]; // room for 32 lanes of 128 bits
    void *operand[ALU_TEST_SLOTS + 1];
    uint32_t carry;
};

// Which row of the table the spelling is, the first that the ALU has; 0 if it has none. Vectors of mov have `parts`.
int alu_test_open(struct alu_test *test, const char *spelling, int parts);

// One lane of a register, its low or (word 1) its high 64 bits.
uint64_t alu_test_get(const struct alu_test *test, int slot, int lane, int word);
void alu_test_set(struct alu_test *test, int slot, int lane, int word, uint64_t value);

void alu_test_run(struct alu_test *test, alu_function *function, uint32_t lanes);

#endif
