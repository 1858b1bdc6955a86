// SPDX-License-Identifier: MIT
// A budget of bytes for the whole process: all that a program's modules, kernels and allocations take is counted here,
// by what takes it, and refused beyond the limit. What is asked for counts, touched or not. Text of printf is left out:
// one call has a megabyte at most.
#ifndef TMAREF_MACHINE_BUDGET_H
#define TMAREF_MACHINE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// X(part, words)
#define BUDGET_ROWS(X)                                                                                                 \
    X(BUDGET_TEXT, "PTX text")                                                                                         \
    X(BUDGET_CODE, "decoded code")                                                                                     \
    X(BUDGET_VARIABLES, ".global and .const variables")                                                                \
    X(BUDGET_REGISTERS, "registers")                                                                                   \
    X(BUDGET_LOCAL, "local memory")                                                                                    \
    X(BUDGET_SHARED, "shared memory")                                                                                  \
    X(BUDGET_HEAP, "the heap of malloc in kernels")                                                                    \
    X(BUDGET_DEVICE, "allocations (cuMemAlloc and its like)")

enum budget_part {
#define BUDGET_PART(part, words) part,
    BUDGET_ROWS(BUDGET_PART)
#undef BUDGET_PART
        BUDGET_PARTS
};

// The limit, 0: none; who is told of the first refusal: what asked, and what each part has. Safe on any thread.
void budget_set(uint64_t limit_bytes, void (*tell)(const char *text));

// 0 if it is too much, and then nothing is taken.
bool budget_take(enum budget_part part, uint64_t bytes);
void budget_give(enum budget_part part, uint64_t bytes);

// What is left; UINT64_MAX without a limit.
uint64_t budget_left(void);

#pragma GCC visibility pop

#endif
