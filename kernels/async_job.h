// SPDX-License-Identifier: MIT
// What the async kernel and the harness agree on: a program of up to 16 steps on asynchronous operations, where its
// memory lies and what that holds before. Plain C, included by both.
#ifndef TMAREF_ASYNC_JOB_H
#define TMAREF_ASYNC_JOB_H

#include <stdint.h>

#include "../model/tma/cp_async_form.h"

// Shared addresses of a CTA. Step i copies into slot i, between guards, and bulk operations read source i.
enum {
    ASYNC_MAX_OPS = 16,
    ASYNC_SHARED_START = 1024, // first shared address of a CTA's own memory: the system keeps 1 KiB on sm_90
    ASYNC_BARRIER = ASYNC_SHARED_START,
    ASYNC_SLOTS = ASYNC_SHARED_START + 128,
    ASYNC_GUARD_BYTES = 16,
    ASYNC_SLOT_BYTES = 48,                 // a guard, the copy's 16 bytes, a guard
    ASYNC_JOB = ASYNC_SHARED_START + 1024, // the job itself: a step takes no longer than the operations need
    ASYNC_JOB_BYTES = 1024,
    ASYNC_SOURCES = ASYNC_JOB + ASYNC_JOB_BYTES,
    ASYNC_SOURCE_BYTES = 2048,
    ASYNC_SHARED_END = ASYNC_SOURCES + ASYNC_MAX_OPS * ASYNC_SOURCE_BYTES,
    ASYNC_SHARED_BYTES = ASYNC_SHARED_END - ASYNC_SHARED_START,
    ASYNC_THREADS = 64,
    ASYNC_SAMPLES = 4,          // words of a destination that a wait looks at
    ASYNC_ANSWER_BIT = 1 << 16, // in the word of a wait on the barrier: its phase was complete
    ASYNC_BALLAST = 8,          // what a slow bulk operation is behind: so many reductions of the upper half of sources
    ASYNC_BALLAST_BYTES = ASYNC_MAX_OPS / 2 * ASYNC_SOURCE_BYTES,
};

enum async_opcode {
    ASYNC_OP_COPY_CA,
    ASYNC_OP_COPY_CG,
    ASYNC_OP_STORE,
    ASYNC_OP_REDUCE,
    ASYNC_OP_PREFETCH,
    ASYNC_OP_COMMIT,
    ASYNC_OP_WAIT,
    ASYNC_OP_WAIT_ALL,
    ASYNC_OP_BULK_COMMIT,
    ASYNC_OP_BULK_WAIT,
    ASYNC_OP_BULK_WAIT_READ,
    ASYNC_OP_OVERWRITE,     // plain stores over the source of the bulk operation of step `number`
    ASYNC_OP_COPIES_ARRIVE, // cp.async.mbarrier.arrive
    ASYNC_OP_COPIES_ARRIVE_NOINC,
    ASYNC_OP_ARRIVE,
    ASYNC_OP_EXPECT_TX,
    ASYNC_OP_COMPLETE_TX,
    ASYNC_OP_BARRIER_WAIT, // test_wait.parity until it says true, or never will
    ASYNC_OP_SETTLE,       // a pause that lets every asynchronous arrival land
    ASYNC_OPS
};

// The two threads of a program: one thread does everything, or lanes 0 and 1 of a warp, or one each of two warps.
enum async_threads { ASYNC_ONE_THREAD, ASYNC_SAME_WARP, ASYNC_OTHER_WARP, ASYNC_THREAD_MODES };

// The numbers of groups that a wait may leave: an operand of the instruction, so the kernel has code for each.
#define ASYNC_WAIT_NUMBERS(ROW)                                                                                        \
    ROW(0) ROW(1) ROW(2) ROW(3) ROW(4) ROW(5) ROW(6) ROW(7) ROW(8) ROW(16) ROW(62) ROW(63) ROW(64) ROW(65) ROW(1000)

// One step. `thread` 0 or 1; `size_bytes` of a copy or bulk operation; `form` of a copy (enum cp_async_form); `number`
// its src-size or ignore-src, the groups of a wait, the step of an overwrite, the count, bytes or parity of a barrier
// operation; `from` and `to` of copies: a global address, and a shared one. `slow` 1: a copy whose source is in the
// host's memory, or a bulk operation that is issued behind ASYNC_BALLAST others: it is most often still under way when
// a wait that does not cover it ends.
struct async_op {
    uint32_t opcode;
    uint16_t thread, slow;
    uint32_t size_bytes, form, number, to;
    uint64_t from;
};

// What a wait saw, one bit a step, of every operation before it: whether it was complete, by a plain load (which L1 may
// answer) before the wait and after it, and then by one that asks L2. Copies lie in shared memory: all loads are one.
struct async_look {
    uint16_t plain_before, plain_after, after;
};

// One program. `must` has for each wait the operations (one bit a step) that have to be complete after it, `expected`
// for each operation what it leaves at its samples, `global` for each bulk operation where in the output its
// destination lies, guards around it. The windows of the result follow each other from `output`: the barrier's word (16
// bytes), one word for each step, one look for each step, the slots, the destinations.
struct async_job {
    uint64_t output, global_bytes;
    uint32_t threads, init, seed, count;
    struct async_op op[ASYNC_MAX_OPS];
    uint32_t must[ASYNC_MAX_OPS], global[ASYNC_MAX_OPS];
    uint32_t expected[ASYNC_MAX_OPS][ASYNC_SAMPLES];
};

#ifdef __CUDACC__
#define ASYNC_DEVICE __device__
#else
#define ASYNC_DEVICE
#endif

// The 4 bytes at an address before the program. `salt` keeps the memories apart.
enum { ASYNC_SALT_SLOTS, ASYNC_SALT_SOURCES, ASYNC_SALT_GLOBAL };
ASYNC_DEVICE static inline uint32_t async_word(uint32_t seed, uint32_t salt, uint32_t address)
{
    uint64_t x = ((uint64_t)seed << 32 | address) * 4 + salt;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return (uint32_t)(x ^ x >> 32);
}

// Where sample `i` of a destination of so many bytes begins: the first word, two between, the last one.
ASYNC_DEVICE static inline uint32_t async_sample(uint32_t size_bytes, uint32_t i)
{
    return (size_bytes / 4 - 1) * i / (ASYNC_SAMPLES - 1) * 4;
}

// Sizes of the windows before the destinations, which begin at async_windows_bytes() from `output`.
ASYNC_DEVICE static inline uint32_t async_waits_bytes(uint32_t count)
{
    return (count + 3) / 4 * 16;
}

ASYNC_DEVICE static inline uint32_t async_looks_bytes(uint32_t count)
{
    return (count * (uint32_t)sizeof(struct async_look) + 15) / 16 * 16;
}

ASYNC_DEVICE static inline uint32_t async_windows_bytes(uint32_t count)
{
    return 16 + async_waits_bytes(count) + async_looks_bytes(count) + ASYNC_SLOT_BYTES * count;
}

#endif
