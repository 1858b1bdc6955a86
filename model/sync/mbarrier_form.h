// SPDX-License-Identifier: MIT
// The forms of mbarrier instructions, one row each: what it is called, takes, gives and does. How it is executed:
// mbarrier_operate.h. C and CUDA read the numbers; all else is C's.
#ifndef TMAREF_MBARRIER_FORM_H
#define TMAREF_MBARRIER_FORM_H

#include <stdint.h>

enum { MBARRIER_LANES = 32 };

// The operations, numbered as the rows of mbarrier_op_row(); 0 is none.
enum mbarrier_opcode {
    MBARRIER_OP_NONE,
    MBARRIER_OP_INIT,
    MBARRIER_OP_INVAL,
    MBARRIER_OP_ARRIVE,
    MBARRIER_OP_ARRIVE_NO_COMPLETE,
    MBARRIER_OP_ARRIVE_DROP,
    MBARRIER_OP_ARRIVE_DROP_NO_COMPLETE,
    MBARRIER_OP_EXPECT_TX,
    MBARRIER_OP_COMPLETE_TX,
    MBARRIER_OP_ARRIVE_EXPECT_TX,
    MBARRIER_OP_ARRIVE_DROP_EXPECT_TX,
    MBARRIER_OP_TEST_WAIT,
    MBARRIER_OP_TEST_WAIT_PARITY,
    MBARRIER_OP_TRY_WAIT,
    MBARRIER_OP_TRY_WAIT_PARITY,
    MBARRIER_OP_PENDING_COUNT,
    MBARRIER_OP_COPIES_ARRIVE, // cp.async.mbarrier.arrive when it is issued; its end: mbarrier_land()
    MBARRIER_OP_COPIES_ARRIVE_NOINC,
    MBARRIER_OPS
};

// What an operation takes beside the barrier, and what it gives back to each lane.
enum mbarrier_operand {
    MBARRIER_TAKES_NOTHING,
    MBARRIER_TAKES_COUNT,
    MBARRIER_TAKES_BYTES,
    MBARRIER_TAKES_PARITY,
    MBARRIER_TAKES_TOKEN,
    MBARRIER_TAKES_WORD, // no instruction does: for languages of tests
};
enum mbarrier_result { MBARRIER_GIVES_NOTHING, MBARRIER_GIVES_TOKEN, MBARRIER_GIVES_PREDICATE, MBARRIER_GIVES_COUNT };

// One operation. `name` is PTX's without "mbarrier.", `ptx` the instruction, `ptx_cluster` its .shared::cluster form or
// NULL where there is none; `does` is the kind of transaction; `by_value`: the assembler makes one transaction per
// distinct operand value, lowest lane first, not one per warp (rule MBARRIER_LANE_GROUPS).
enum mbarrier_effect {
    MBARRIER_NO_EFFECT,
    MBARRIER_ARRIVES,
    MBARRIER_EXPECTS,
    MBARRIER_COMPLETES,
    MBARRIER_BOTH,        // an arrival and the bytes that it expects
    MBARRIER_EXPECTS_ONE, // each lane, whatever its operand
};
struct mbarrier_op_row {
    const char *name, *ptx, *ptx_cluster;
    enum mbarrier_operand operand;
    enum mbarrier_result result;
    enum mbarrier_effect does;
    int drop, no_complete, by_value;
};

// The row of an opcode, 1 .. MBARRIER_OPS - 1.
const struct mbarrier_op_row *mbarrier_op_row(uint32_t opcode);

// The opcode named `name` ("arrive.expect_tx"), with or without "mbarrier." before it, or MBARRIER_OPS.
uint32_t mbarrier_op_find(const char *name);

#endif
