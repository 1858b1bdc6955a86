// SPDX-License-Identifier: MIT
// Values that are hard on arithmetic: the ends of ranges, halves, NaNs, numbers near powers of two, and any bits.
#ifndef TMAREF_TESTS_ALU_VALUES_H
#define TMAREF_TESTS_ALU_VALUES_H

#include "operand_rule.h"

// 64 bits that depend on all bits of `x`.
uint64_t value_mix(uint64_t x);

// A value for a register of `type`: the low bits of `kind` pick what sort, `random` which.
uint64_t value_of_type(enum ptx_type type, uint64_t kind, uint64_t random);

// A selector of an operand with its dot, or nothing, or with .minus the sign before it. Returns the number that it
// makes.
enum { VALUES_SELECTOR_BYTES = 8 };
uint32_t value_of_selector(enum ptx_selector selector, uint64_t random, char text[VALUES_SELECTOR_BYTES]);

#endif
