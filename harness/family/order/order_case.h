// SPDX-License-Identifier: MIT
// A case of the family "order": what is tried, how, and how often.
#ifndef TMAREF_ORDER_CASE_H
#define TMAREF_ORDER_CASE_H

#include <stdint.h>

#include "../../../kernels/order_job.h"
#include "result.h"

struct order_case {
    uint32_t what; // enum order_try
    uint32_t bytes, threads, conflicts, traffic, tries, seed;
};

// What is tried in the case.
//   litmus      the litmus test that is the same in small
//   may_fail    the memory model allows its bad end, so some tries may go wrong
struct order_row {
    const char *name, *litmus;
    enum order_pattern pattern;
    enum order_guard guard;
    enum order_by by;
    int may_fail;
};
extern const struct order_row order_rows[ORDER_TRY_COUNT];

// The tries that went wrong, and those that had words of neither side.
struct order_counts {
    uint32_t wrong, strange;
};
struct order_counts order_counts_of(const struct result *result);

#endif
