// SPDX-License-Identifier: MIT
// The case of the family "mbarrier": a program of barrier operations, as struct mbarrier_op describes them.
#ifndef TMAREF_MBARRIER_CASE_H
#define TMAREF_MBARRIER_CASE_H

#include "family.h"
#include "mbarrier_step.h"

// `count` 1 .. MBARRIER_MAX_OPS operations, each legal by mbarrier_op_illegal().
struct mbarrier_case {
    int count;
    struct mbarrier_op op[MBARRIER_MAX_OPS];
};

// An operation with nothing chosen: lane 0 of the barrier's own CTA, barrier 0, operand 0, no token.
struct mbarrier_op mbarrier_op_plain(uint32_t opcode);

// Appends one operation as people type it ("arrive.expect_tx 4096 lanes=3 barrier=1 issuer=remote"). An arrive without
// a count means 1, a wait without a token the newest token of its barrier. Returns 0 with a sentence in `why`.
int mbarrier_case_add_text(struct mbarrier_case *program, const char *text, struct text *why);

#endif
