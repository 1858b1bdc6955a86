// SPDX-License-Identifier: MIT
// What the ladder of GEMM kernels and the host agree on. D[m][n] = A[m][k] * B[n][k]^T, A and B of bf16, D of f32, all
// row-major. Any m, n, k >= 1; the rows start at multiples of 16 bytes. Plain C, included by both.
#ifndef TMAREF_LADDER_JOB_H
#define TMAREF_LADDER_JOB_H

#include <stdint.h>

enum {
    LADDER_TILE = 128,         // rows of a box of A and of B; columns of a tile of D
    LADDER_BLOCK = 64,         // elements of k that one step loads: rows of 128 bytes, one span of the swizzle
    LADDER_BOX_BYTES = 16384,  // a box: LADDER_TILE rows of LADDER_BLOCK elements
    LADDER_SHARED_START = 1024 // where a CTA's own shared memory begins
};

// X(step, rows, boxes, stages, threads): the kernel is ladder_<step> in ladder/<step>.cu. Rows of its tiles; boxes of A
// and B that a block of k takes; how many blocks shared memory holds; threads of a CTA.
#define LADDER_STEPS(X)                                                                                                \
    X(load, 128, 2, 1, 128)                                                                                            \
    X(double_buffer, 128, 2, 2, 128)                                                                                   \
    X(pipeline, 128, 2, 3, 160)                                                                                        \
    X(cooperative, 256, 3, 4, 288)                                                                                     \
    X(pingpong, 128, 2, 6, 288)

// The third parameter, behind the maps of A and B (boxes of LADDER_TILE x LADDER_BLOCK, swizzle 128B). `d`: the first
// row; `pitch`: elements from row to row, an even number. A CTA makes the tile (blockIdx.x, blockIdx.y); ping-pong
// takes the tiles blockIdx.x, blockIdx.x + gridDim.x, ... as `columns` of them lie in a row of tiles.
struct ladder_job {
    uint64_t d;
    uint32_t m, n, k, pitch, columns;
};

#endif
