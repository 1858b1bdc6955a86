// SPDX-License-Identifier: MIT
// What the wgmma_order kernel and the harness agree on: four wgmma-groups in flight, a wait, and shared memory of one
// of them that is overwritten after it; or one group from which instructions of order are left out. Plain C, included
// by both.
#ifndef TMAREF_WGMMA_ORDER_JOB_H
#define TMAREF_WGMMA_ORDER_JOB_H

#include <stdint.h>

#include "bulk_job.h"

// Shared memory: A (64 x 16 f16) and B (16 x 8) of each group, K-major without a swizzle.
enum {
    WGMMA_ORDER_GROUPS = 4,
    WGMMA_ORDER_THREADS = 128,
    WGMMA_ORDER_WRITER = 3,    // the warp that overwrites B: on an H200 the first one lags behind what is in flight
    WGMMA_ORDER_REGISTERS = 4, // of D of one group, in each thread
    WGMMA_ORDER_SHARED_START = BULK_SHARED_START,
    WGMMA_ORDER_A_BYTES = 2048,
    WGMMA_ORDER_B_BYTES = 256,
    WGMMA_ORDER_B_START = WGMMA_ORDER_SHARED_START + WGMMA_ORDER_GROUPS * WGMMA_ORDER_A_BYTES,
    WGMMA_ORDER_SHARED_END = WGMMA_ORDER_B_START + WGMMA_ORDER_GROUPS * WGMMA_ORDER_B_BYTES,
    WGMMA_ORDER_SHARED_BYTES = WGMMA_ORDER_SHARED_END - WGMMA_ORDER_SHARED_START,
    WGMMA_ORDER_CORE_BYTES = 128, // 8 rows of 16 bytes: SBO; LBO is twice that
    WGMMA_ORDER_ROWS_BYTES = 512, // of A, what a warp reads
};

// What is overwritten, and by whom: its own rows of A by each warp, after its own wait; B of the group by the whole
// warpgroup, after all have waited; B by one warp (WGMMA_ORDER_WRITER), after its own wait.
#define WGMMA_ORDER_TARGETS(X)                                                                                         \
    X(A_OWN, "a_own_rows")                                                                                             \
    X(B_ALL, "b_after_all")                                                                                            \
    X(B_ALONE, "b_after_own")

// What is left out of fence, instruction, commit, wait; the assembler puts in what it finds missing for registers.
#define WGMMA_ORDER_OMISSIONS(X)                                                                                       \
    X(NOTHING, "nothing", 1, 1, 1)                                                                                     \
    X(FENCE, "fence", 0, 1, 1)                                                                                         \
    X(COMMIT, "commit", 1, 0, 1)                                                                                       \
    X(WAIT, "wait", 1, 1, 0)                                                                                           \
    X(ALL, "all", 0, 0, 0)

enum wgmma_order_target {
#define ID(id, name) WGMMA_ORDER_##id,
    WGMMA_ORDER_TARGETS(ID)
#undef ID
        WGMMA_ORDER_TARGET_COUNT
};

enum wgmma_order_omission {
#define ID(id, name, fence, commit, wait) WGMMA_ORDER_OMIT_##id,
    WGMMA_ORDER_OMISSIONS(ID)
#undef ID
        WGMMA_ORDER_OMISSION_COUNT
};

// `kind` 0: `newest` of the wait, group `victim`, `target`; `load` (0 or 1): many products come before that of each
// group, and take their time. Kind 1: `omission`, and D is changed by an ordinary instruction between two wgmma.
// `output`: where D goes, in words: register r of thread t of group g is word 128 (4 g + r) + t.
struct wgmma_order_job {
    uint64_t output;
    uint32_t kind, newest, victim, target, omission, load, seed, reserved;
};

enum { WGMMA_ORDER_OVERWRITE, WGMMA_ORDER_OMIT };
enum { WGMMA_ORDER_OUTPUT_WORDS = WGMMA_ORDER_GROUPS * WGMMA_ORDER_REGISTERS * WGMMA_ORDER_THREADS };

// Four f16 at shared address `address` (a multiple of 8): small integers, so that all sums are exact. `is_new`: what
// overwrites them, which differs in every element.
BULK_DEVICE static inline uint64_t wgmma_order_word(uint32_t seed, uint32_t address, uint32_t is_new)
{
    const uint16_t value[8] = {0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800}; // 1 to 8
    uint64_t bits = bulk_mix((uint64_t)seed << 32 | address), word = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t pick = (uint32_t)(bits >> 16 * i & 3) + 4 * is_new, sign = (uint32_t)(bits >> (16 * i + 8) & 1);
        word |= (uint64_t)(value[pick] | sign << 15) << 16 * i;
    }
    return word;
}

#endif
