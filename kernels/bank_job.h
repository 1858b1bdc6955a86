// SPDX-License-Identifier: MIT
// What the bank kernel and the harness agree on: one job is one access to shared memory by a warp. Plain C, included by
// both.
#ifndef TMAREF_BANK_JOB_H
#define TMAREF_BANK_JOB_H

#include <stdint.h>

enum {
    BANK_SHARED_BYTES = 16384, // dynamic shared memory of the launch: addresses of jobs are offsets into it
    BANK_THREADS = 512,
    BANK_TRIES = 9,
    BANK_UNROLLED = 8,  // accesses of a round
    BANK_ROUNDS_A = 2,  // the shorter loop,
    BANK_ROUNDS_B = 66, // the longer one; their difference is what a result is made of
    BANK_ACCESSES = (BANK_ROUNDS_B - BANK_ROUNDS_A) * BANK_UNROLLED * (BANK_THREADS / 32),
};

// Lanes of the mask `active` load (`is_store` 0) or store `bytes` bytes (1, 2, 4, 8, 16) at `address`, a multiple of
// `bytes`. `clocks` is the answer: how many clocks longer the longer loop took, in which BANK_ACCESSES more such
// accesses by the warps of one CTA were served.
struct bank_job {
    uint32_t is_store, bytes, active, clocks;
    uint32_t address[32];
};

#endif
