// SPDX-License-Identifier: MIT
// Every instruction that the rows of the ALU can spell, each with operands of its own: what a GPU and the model are
// compared on. Nothing here is random: the same instance has the same operands everywhere.
#ifndef TMAREF_TESTS_ALU_INSTANCE_H
#define TMAREF_TESTS_ALU_INSTANCE_H

#include <stdbool.h>

#include "registers.h"
#include "values.h"

enum { INSTANCE_TUPLES = 2048, INSTANCE_MOST_TUPLES = 65536, INSTANCE_MOST_WORDS = 2 * REGISTERS_MOST };

// A spelling of a row. `variant` numbers what a spelling leaves open: a constant, or the parts of a vector.
struct instance {
    int form, variant, parts;
    char spelling[96], key[160]; // key: row, spelling and variant
    uint64_t seed;               // of the operands: of the key, and of what instance_each() was told
    uint32_t constant;
    struct registers registers;
    int tuples;
    bool has_carry, is_difference, is_meeting; // is_meeting: the lanes of `mask` execute
    int mask;                                  // the register that says which lanes, or -1
};

// Calls tell() for each, in an order that does not change; the instance is valid until tell() returns. Another seed
// gives other operands.
void instance_each(uint64_t seed, void (*tell)(void *to, struct instance *instance), void *to);

// The 64-bit word of register `slot` (the carry flag: behind the last one) for tuple `tuple`.
uint64_t instance_operand(const struct instance *instance, int slot, int word, int tuple);

// What selector `rule` of the instance is, and the number that it makes.
uint32_t instance_selector(const struct instance *instance, int rule, char text[VALUES_SELECTOR_BYTES]);

// The lanes that execute, of the warp of tuples warp * 32 on.
uint32_t instance_lanes(const struct instance *instance, int warp);

// What a written register has before.
#define INSTANCE_BEFORE 0x5a5a5a5a5a5a5a5au

// Computes all tuples by `function`; word w of the results for tuple t is results[w * tuples + t]: those of each
// written register in their order, of 128 bits two, and then the carry flag. Returns the number of words.
int instance_compute(struct instance *instance, alu_function *function, uint64_t *results);

uint64_t instance_digest(const uint64_t *results, size_t count);

#endif
