// SPDX-License-Identifier: MIT
// The shapes of the GEMM contests: a list, or random ones.
#ifndef TMAREF_BENCH_GEMM_SHAPES_H
#define TMAREF_BENCH_GEMM_SHAPES_H

#include "bench.h"
#include "gemm/gemm_job.h"

// Kernel: GEMM_PINGPONG, or GEMM_ANY for what gemm_choose() takes. `bar`: of the ratio, 0 for none.
enum { GEMM_ANY = -1 };
struct gemm_row {
    int kernel;
    uint32_t m, n, k;
    double bar;
};

// What all random shapes together have to reach.
#define GEMM_MEAN_BAR  1.0
#define GEMM_WORST_BAR 0.85

// Row `index` of this run; 0 past the last. Random shapes: each side 16 * 1024^u for a uniform u in [0, 1), rounded
// down to a multiple of 8; the same for every type. Sides that are asked for or drawn go up to the next multiple of 8,
// for e4m3 of 16: rows of TMA, and cuBLASLt's fp8 kernels, want 16 bytes.
int gemm_row_of(const struct bench *bench, enum gemm_type type, int index, struct gemm_row *row);

#endif
