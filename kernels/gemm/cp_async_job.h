// SPDX-License-Identifier: MIT
// What cp_async.cu and the host agree on: the GEMM of the generation before, the baseline that TMA and wgmma start
// from. D[m][n] = A[m][k] * B[n][k]^T as in gemm_job.h, but by pointers: no tensor maps. Plain C, included by both.
#ifndef TMAREF_CP_ASYNC_JOB_H
#define TMAREF_CP_ASYNC_JOB_H

#include <stdint.h>

#include "gemm_job.h"

enum { CP_ASYNC_THREADS = 256, CP_ASYNC_MAX_STAGES = 4 };

// X as in gemm_job.h; one CTA makes one tile. The functions are gemm_cp_async_<in>_<out>_<tile_m>x<tile_n>.
#define CP_ASYNC_INSTANCES(X)                                                                                          \
    X(cp_async, bf16, bf16, 128, 256, 1, 1, 1, 100)                                                                    \
    X(cp_async, bf16, f32, 128, 256, 1, 1, 1, 100)                                                                     \
    X(cp_async, f16, f16, 128, 256, 1, 1, 1, 100)                                                                      \
    X(cp_async, f16, f32, 128, 256, 1, 1, 1, 100)

// The only parameter. `a`, `b`, `d` and the pitches are multiples of 16; `group` and `dump` as in struct gemm_job.
struct cp_async_job {
    uint64_t a, b, d, dump;
    uint32_t m, n, k;
    uint32_t pitch_bytes[3];
    uint32_t stages, group;
};

GEMM_DEVICE static inline uint32_t cp_async_shared_bytes(uint32_t stages)
{
    return stages * gemm_stage_bytes(128, 256);
}

#endif
