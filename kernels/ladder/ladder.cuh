// SPDX-License-Identifier: MIT
// What every step of the ladder does alike: load a box, multiply a block of k, store a fragment. What they do when, and
// who waits for whom, is each step's own. The instructions are those of kernels/gemm.
#ifndef TMAREF_LADDER_CUH
#define TMAREF_LADDER_CUH

#include "../gemm/barrier.cuh"
#include "../gemm/tma.cuh"
#include "../gemm/wgmma.cuh"
#include "ladder_job.h"

static __device__ __forceinline__ uint32_t ladder_blocks(const ladder_job &job)
{
    return (job.k + LADDER_BLOCK - 1) / LADDER_BLOCK;
}

// Loads rows `row` to row + 127 of block `block` of k. Past the matrix come zeros, which add nothing.
static __device__ __forceinline__ void load_box(uint32_t to, const CUtensorMap &map, uint32_t block, uint32_t row,
                                                uint32_t barrier)
{
    tma_load(to, &map, (int32_t)(block * LADDER_BLOCK), (int32_t)row, barrier);
}

// Begins d += A * B for one block of k, by one warpgroup: 64 rows of A at `a`, 64 more 8 KiB behind; 128 rows of B. The
// tensor cores read the boxes, and own the accumulators, until a wait: wgmma_wait<0>() for all blocks, wgmma_wait<1>()
// for all but the newest.
static __device__ __forceinline__ void multiply_block(float (&d)[2][64], uint32_t a, uint32_t b)
{
    uint64_t of_a = wgmma_descriptor(a), of_b = wgmma_descriptor(b);
    wgmma_fence();
#pragma unroll
    for (int step = 0; step < LADDER_BLOCK / 16; step++) // 32 bytes of k each: 2 units of 16 bytes
#pragma unroll
        for (int half = 0; half < 2; half++)
            wgmma<bf16, 128>::multiply(d[half], of_a + 512 * half + 2 * step, of_b + 2 * step);
    wgmma_commit();
}

// The fragment of a thread of a warpgroup to D, from row `row` and column `column` on, as far as D goes.
static __device__ __forceinline__ void store_fragment(const ladder_job &job, uint32_t row, uint32_t column,
                                                      const float (&d)[64])
{
    uint32_t thread = threadIdx.x % 128, m = row + thread / 32 * 16 + thread % 32 / 4, n = column + thread % 4 * 2;
#pragma unroll
    for (uint32_t i = 0; i < 64; i += 2) {
        uint32_t r = m + i / 2 % 2 * 8, c = n + i / 4 * 8;
        float *to = (float *)job.d + (uint64_t)r * job.pitch + c;
        if (r < job.m && c + 1 < job.n) {
            *(float2 *)to = make_float2(d[i], d[i + 1]);
        } else if (r < job.m && c < job.n) {
            *to = d[i];
        }
    }
}

#endif
