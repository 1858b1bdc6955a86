// SPDX-License-Identifier: MIT
// One GEMM by a step of the ladder (kernels/ladder).
#ifndef TMAREF_LADDER_CASE_H
#define TMAREF_LADDER_CASE_H

#include "family.h"
#include "gemm_case.h"
#include "ladder/ladder_job.h"

enum ladder_step {
#define LADDER_ENUMERATOR(step, rows, boxes, stages, threads) LADDER_##step,
    LADDER_STEPS(LADDER_ENUMERATOR)
#undef LADDER_ENUMERATOR
        LADDER_STEP_COUNT
};

enum { LADDER_MAX_SIDE = 8192, LADDER_MAX_CTAS = 1024 };

// `ctas`: of ping-pong, whose CTAs take many tiles each, how many there are; 0: as many as the GPU has multiprocessors.
struct ladder_case {
    uint32_t step, m, n, k, ctas, seed;
};

struct gpu;

// How long each of `rounds` launches takes. Returns 0 or the CUDA error.
int ladder_time(struct gpu *gpu, const void *test_case, int rounds, float *milliseconds);

// Floating-point operations of a launch.
double ladder_work(const void *test_case);

#endif
