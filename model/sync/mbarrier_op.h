// SPDX-License-Identifier: MIT
// One step of a barrier program, as plain data: the same bytes go to the model and to the kernel, so this file is
// C and CUDA and includes nothing of ours. What each operation is called and takes: the table in mbarrier_step.c.
#ifndef TMAREF_MBARRIER_OP_H
#define TMAREF_MBARRIER_OP_H

#include <stdint.h>

enum { MBARRIER_MAX_OPS = 16, MBARRIER_SLOTS = 4, MBARRIER_LANES = 32 };

// The operations, numbered as the rows of mbarrier_op_row().
enum mbarrier_opcode {
    MBARRIER_OP_WORD, // not an instruction: mbarrier.inval, then a plain 64-bit store
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
    MBARRIER_OPS
};

// Who executes it, and through which address: the barrier's own CTA by .shared::cta, the own CTA by .shared::cluster
// (mapa to itself), or the other CTA of a cluster of two by .shared::cluster.
enum mbarrier_issuer { MBARRIER_ISSUER_CTA, MBARRIER_ISSUER_SELF, MBARRIER_ISSUER_REMOTE, MBARRIER_ISSUERS };

// `token` when the operation takes the high half of its token from the operand instead of from an earlier step.
#define MBARRIER_TOKEN_OPERAND UINT32_C(0xffffffff)

struct mbarrier_op {
    uint32_t opcode;        // enum mbarrier_opcode
    uint32_t barrier;       // which of the four, 0 .. 3
    uint32_t issuer;        // enum mbarrier_issuer
    uint32_t lanes;         // the lanes of the warp that execute it, not 0; one warp instruction
    uint32_t operand, step; // lane l's operand is operand + l * step mod 2^32
    uint32_t token;         // index of the earlier step whose tokens it takes, lane by lane
    uint32_t offset_bytes;  // added to the barrier's address, 0 .. 7: anything but 0 faults
    uint64_t word;          // MBARRIER_OP_WORD only
};

#endif
