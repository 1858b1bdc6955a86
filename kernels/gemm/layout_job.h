// SPDX-License-Identifier: MIT
// What layout.cu and the host agree on: a GEMM of one tile per CTA whose operands may have any swizzle and, of 16 bits,
// either majorness, all by run-time parameters. Plain C, included by both.
//
// D[m][n] = A[m][k] * B[n][k]^T in f32. A K-major operand is a row-major matrix of m (or n) rows; an MN-major one is
// its transpose: k rows of m (or n) elements.
#ifndef TMAREF_GEMM_LAYOUT_JOB_H
#define TMAREF_GEMM_LAYOUT_JOB_H

#include <stdint.h>

#include "gemm_job.h"

enum {
    LAYOUT_TILE = 128, // rows and columns of a tile of D
    LAYOUT_THREADS = 256,
    LAYOUT_MAX_BLOCKS = 6,      // of k, GEMM_BLOCK_BYTES of it each; all of them lie in shared memory
    LAYOUT_BLOCK_BYTES = 16384, // of one operand
    LAYOUT_SHIFT = 1024,     // an operand starts so many bytes behind the start of its part of shared memory, at most
    LAYOUT_SHIFT_UNIT = 128, // in steps of the alignment of a tensor copy
};

// X(type, a, b): majorness of A and B. The functions are gemm_layout_<type>_<a>_<b>.
#define LAYOUT_INSTANCES(X)                                                                                            \
    X(bf16, k, k)                                                                                                      \
    X(bf16, k, mn)                                                                                                     \
    X(bf16, mn, k) X(bf16, mn, mn) X(f16, k, k) X(f16, k, mn) X(f16, mn, k) X(f16, mn, mn) X(e4m3, k, k) X(e5m2, k, k)

// The third parameter, behind the maps of A and B. `d`: its first row; `dump`: 0, or where
// CTA 0 leaves layout_shared_bytes(). swizzle: as tensor maps number it.
struct layout_job {
    uint64_t d, dump;
    uint32_t m, n, k;
    uint32_t pitch_elems;     // of D
    uint32_t blocks, columns; // of k; tiles along n (a CTA's tile is its number, n fastest)
    uint32_t swizzle[2], shift_bytes[2];
};

// Bytes of K, or of M or N, that lie in one box of an operand: the span of the swizzle, 16 without one.
GEMM_DEVICE static inline uint32_t layout_span_bytes(uint32_t swizzle)
{
    return 16u << swizzle;
}

// Shared memory: A, B (each with room for its shift), then a barrier for each block.
GEMM_DEVICE static inline uint32_t layout_operand_bytes(uint32_t blocks)
{
    return blocks * LAYOUT_BLOCK_BYTES + LAYOUT_SHIFT;
}

GEMM_DEVICE static inline uint32_t layout_shared_bytes(uint32_t blocks)
{
    return 2 * layout_operand_bytes(blocks) + 8 * blocks;
}

#endif
