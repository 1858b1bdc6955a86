// SPDX-License-Identifier: MIT
// A program on asynchronous operations as data, and what the model makes of it: must and may.
#ifndef TMAREF_ASYNC_CASE_H
#define TMAREF_ASYNC_CASE_H

#include "async_job.h"
#include "family.h"
#include "memory.h"

// Bytes of destinations in global memory that a program may have. A long operation is still under way at the next
// steps.
enum { ASYNC_GLOBAL_MOST = 96 << 10 };

// What is asked of the waits: what PTX promises to a thread, or what an H200 does besides. The second is what one
// machine was recorded to do and no promise of another.
enum async_promise { ASYNC_PTX, ASYNC_SM_90A, ASYNC_PROMISES };

// `init` is the count of the one barrier, `seed` decides what memory holds, `op` is in kernels/async_job.h; addresses
// are those of the arena and of a CTA's shared memory.
struct async_case {
    uint32_t threads, promise, init, seed, count;
    struct async_op op[ASYNC_MAX_OPS];
};

// What the model says of a program. `waits` is what the result has for each step: the operations that must be complete
// after a wait, and a barrier's answer. `open`: the outcome depends on when something lands, so this is no case.
struct async_outcome {
    enum rule rule;
    bool open;
    uint64_t word;
    uint32_t waits[ASYNC_MAX_OPS];
    uint8_t slots[ASYNC_MAX_OPS * ASYNC_SLOT_BYTES];
    uint8_t global[ASYNC_GLOBAL_MOST];
};

extern const char *const async_op_names[], *const async_thread_names[], *const async_promise_names[];

// Kinds of operations, as bits.
enum {
    ASYNC_COPIES = 1 << ASYNC_OP_COPY_CA | 1 << ASYNC_OP_COPY_CG,
    ASYNC_BULKS = 1 << ASYNC_OP_STORE | 1 << ASYNC_OP_REDUCE, // they have a source and a destination
    ASYNC_SIZED = 1 << ASYNC_OP_COPY_CA | 1 << ASYNC_OP_PREFETCH | ASYNC_BULKS,
    ASYNC_GROUP_WAITS = 1 << ASYNC_OP_WAIT | 1 << ASYNC_OP_BULK_WAIT | 1 << ASYNC_OP_BULK_WAIT_READ,
    ASYNC_TRANSACTIONS = 1 << ASYNC_OP_EXPECT_TX | 1 << ASYNC_OP_COMPLETE_TX,
    ASYNC_BARRIER_OPS = 1 << ASYNC_OP_COPIES_ARRIVE | 1 << ASYNC_OP_COPIES_ARRIVE_NOINC | 1 << ASYNC_OP_ARRIVE |
                        ASYNC_TRANSACTIONS | 1 << ASYNC_OP_BARRIER_WAIT,
};

static inline bool async_is(uint32_t opcode, int kinds)
{
    return (1 << opcode & kinds) != 0;
}

// The most bytes that a bulk operation of step `step` reads: to the end of the sources, which hold the same for all.
uint32_t async_source_most(int step);

// Can the step be slow? A bulk operation can, and a copy that reads nothing but the arena.
bool async_may_be_slow(const struct async_op *op);

// Is there a source of more than 2048 bytes? Such sources lie over those of the next steps.
bool async_has_long_source(const struct async_case *test_case);

// Does step `step` have a source that may be overwritten? What delays slow bulk operations reads the upper half of all.
bool async_may_overwrite(const struct async_case *test_case, uint32_t step);

// The shared address of step `step`'s slot, where legal copies go: guard, 16 bytes, guard.
uint32_t async_slot(int step);

// Bytes of all destinations in global memory, guards included; `offsets` (may be NULL) gets those of each step.
uint32_t async_global_bytes(const struct async_case *test_case, uint32_t *offsets);

// Runs the program. NULL, or a sentence that names what no executor could run or decide.
const char *async_run(const struct async_case *test_case, struct async_outcome *outcome);

#endif
