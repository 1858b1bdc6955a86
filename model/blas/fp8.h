// SPDX-License-Identifier: MIT
// Sums of products of FP8, as an H200 leaves them: bit for bit those of cuBLASLt in 18 shapes and with four types of D,
// where it does not split K (tests/blas/fp8_recorded.h has some). Its kernels are chains of wgmma along K. Without fast
// sums each 128 elements of K are a chain of their own, and what the chains leave is added as f32.
#ifndef TMAREF_BLAS_FP8_H
#define TMAREF_BLAS_FP8_H

#include "numbers.h"

// Lanes are rows of A, or columns of B. Steps in elements, which are bytes.
struct fp8_side {
    enum number_type type;
    const uint8_t *at;
    int64_t lane_step, depth_step;
};

// At most FP8_MOST rows and columns, over `k`.
enum { FP8_MOST = 192 };
struct fp8_block {
    struct fp8_side a, b;
    int rows, columns;
    int64_t k;
    bool has_fast_sums;
};

// One block at a time: fp8_sum() is of the latest.
void fp8_multiply(const struct fp8_block *block);
float fp8_sum(int row, int column);

#endif
