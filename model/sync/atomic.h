// SPDX-License-Identifier: MIT
// Integer atomics, as numbers. Where they act: cluster_access.h.
#ifndef TMAREF_ATOMIC_H
#define TMAREF_ATOMIC_H

#include <stdint.h>

#include "atomic_form.h"

// `ptx` is the function as PTX spells it, `is_red`: red has it too.
struct atomic_row {
    const char *ptx;
    uint32_t bytes;
    int is_red;
};

// The row of a function < ATOMIC_FUNCTION_COUNT.
const struct atomic_row *atomic_row(uint32_t function);

// What is left of `old`; all operands are of the function's width.
uint64_t atomic_apply(uint32_t function, uint64_t old, uint64_t operand, uint64_t compare);

#endif
