// SPDX-License-Identifier: MIT
// What the host hands to kernels/mbarrier.cu and what it gets back: plain C, the same bytes on both sides. A program is
// steps, each a warp instruction on one of four barriers; what each is called and takes: the family's mbarrier_step.h.
#ifndef TMAREF_MBARRIER_PROGRAM_H
#define TMAREF_MBARRIER_PROGRAM_H

#include "../model/sync/mbarrier_form.h"

enum { MBARRIER_MAX_OPS = 16, MBARRIER_SLOTS = 4 };

// A step is an instruction of the model's list before cp.async's, or this: mbarrier.inval, then a plain 64-bit store.
enum { MBARRIER_OP_WORD = MBARRIER_OP_NONE, MBARRIER_STEP_OPS = MBARRIER_OP_COPIES_ARRIVE };

// Who executes it, and through which address: the barrier's own CTA by .shared::cta, the own CTA by .shared::cluster
// (mapa to itself), or the other CTA of a cluster of two by .shared::cluster.
enum mbarrier_issuer { MBARRIER_ISSUER_CTA, MBARRIER_ISSUER_SELF, MBARRIER_ISSUER_REMOTE, MBARRIER_ISSUERS };

// `token` when the operation takes the high half of its token from the operand instead of from an earlier step.
#define MBARRIER_TOKEN_OPERAND UINT32_C(0xffffffff)

struct mbarrier_op {
    uint32_t opcode;        // enum mbarrier_opcode, or MBARRIER_OP_WORD
    uint32_t barrier;       // which of the four, 0 .. 3; its word is logged
    uint32_t issuer;        // enum mbarrier_issuer
    uint32_t lanes;         // the lanes of the warp that execute it, not 0; one warp instruction
    uint32_t operand, step; // lane l's operand is operand + l * step mod 2^32
    uint32_t token;         // index of the earlier step whose tokens it takes, lane by lane
    uint32_t offset_bytes;  // added to the barrier's address, 0 .. 7: anything but 0 faults
    uint64_t word;          // MBARRIER_OP_WORD only
    uint64_t spread;        // lane l is on barrier (barrier + bits 2 l and 2 l + 1) mod 4; 0: all on one
};

// One program: `count` steps, at most MBARRIER_MAX_OPS. `remote` is not 0 when a step is issued by the other CTA.
struct mbarrier_program {
    uint32_t count, remote;
    struct mbarrier_op op[MBARRIER_MAX_OPS];
};

// What one step left: the true word after it, the lanes whose wait said true, the lanes that were active together at
// the instruction (equal to the step's mask, or the warp was not converged), and per lane the token's high half or
// the count that was returned, 0 where there is none.
struct mbarrier_record {
    uint64_t word;
    uint32_t ballot, active;
    uint32_t lane[MBARRIER_LANES];
};

// One program's log. Only the first `count` records are written. `last`: the four words after the last step.
struct mbarrier_log {
    struct mbarrier_record record[MBARRIER_MAX_OPS];
    uint64_t last[MBARRIER_SLOTS];
};

#endif
