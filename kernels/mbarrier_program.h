// SPDX-License-Identifier: MIT
// What the host hands to kernels/mbarrier.cu and what it gets back: plain C, the same bytes on both sides. The steps
// themselves are the model's struct mbarrier_op.
#ifndef TMAREF_MBARRIER_PROGRAM_H
#define TMAREF_MBARRIER_PROGRAM_H

#include "../model/sync/mbarrier_op.h"

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
