// SPDX-License-Identifier: MIT
// What the matrix kernel and the harness agree on: one job is one ldmatrix or stmatrix of a warp, and both know what
// shared memory and registers hold before it. Plain C, included by both.
#ifndef TMAREF_MATRIX_JOB_H
#define TMAREF_MATRIX_JOB_H

#include <stdint.h>

#include "bulk_job.h"

enum {
    MATRIX_SHARED_START = BULK_SHARED_START,
    MATRIX_SHARED_BYTES = 4096, // dynamic shared memory of the launch, all of it filled and dumped
    MATRIX_SHARED_END = MATRIX_SHARED_START + MATRIX_SHARED_BYTES,
    MATRIX_THREADS = 32,
};

// Every form: X(id, name in a case, is a store, matrices, .trans). One row per form, and no other list.
#define MATRIX_FORMS(X)                                                                                                \
    X(LOAD_1, "ldmatrix.x1", 0, 1, 0)                                                                                  \
    X(LOAD_2, "ldmatrix.x2", 0, 2, 0)                                                                                  \
    X(LOAD_4, "ldmatrix.x4", 0, 4, 0)                                                                                  \
    X(LOAD_1_TRANS, "ldmatrix.x1.trans", 0, 1, 1)                                                                      \
    X(LOAD_2_TRANS, "ldmatrix.x2.trans", 0, 2, 1)                                                                      \
    X(LOAD_4_TRANS, "ldmatrix.x4.trans", 0, 4, 1)                                                                      \
    X(STORE_1, "stmatrix.x1", 1, 1, 0)                                                                                 \
    X(STORE_2, "stmatrix.x2", 1, 2, 0)                                                                                 \
    X(STORE_4, "stmatrix.x4", 1, 4, 0)                                                                                 \
    X(STORE_1_TRANS, "stmatrix.x1.trans", 1, 1, 1)                                                                     \
    X(STORE_2_TRANS, "stmatrix.x2.trans", 1, 2, 1)                                                                     \
    X(STORE_4_TRANS, "stmatrix.x4.trans", 1, 4, 1)

enum matrix_form {
#define ID(id, name, is_store, count, is_trans) MATRIX_##id,
    MATRIX_FORMS(ID)
#undef ID
        MATRIX_FORM_COUNT
};

// `address`: the operand of each lane. `output`: where the registers of all lanes (4 of them: lane l's register i is
// word 32 i + l) and then shared memory go.
struct matrix_job {
    uint64_t output;
    uint32_t form, seed, address[MATRIX_THREADS];
};

enum { MATRIX_REGISTERS = 4, MATRIX_OUTPUT_BYTES = MATRIX_REGISTERS * MATRIX_THREADS * 4 + MATRIX_SHARED_BYTES };

// The word at shared address `address` (a multiple of 4), and register `index` of a lane, before the instruction.
BULK_DEVICE static inline uint32_t matrix_word(uint32_t seed, uint32_t address)
{
    return (uint32_t)bulk_mix((uint64_t)seed << 32 | address);
}

BULK_DEVICE static inline uint32_t matrix_register(uint32_t seed, uint32_t lane, uint32_t index)
{
    return (uint32_t)bulk_mix((uint64_t)seed << 32 | (1u << 31) | (index * MATRIX_THREADS + lane));
}

#endif
