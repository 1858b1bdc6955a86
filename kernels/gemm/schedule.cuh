// SPDX-License-Identifier: MIT
// The static persistent schedule: which tiles a CTA computes, in which order, and what its cluster shares.
#ifndef TMAREF_GEMM_SCHEDULE_CUH
#define TMAREF_GEMM_SCHEDULE_CUH

#include "barrier.cuh"
#include "gemm_job.h"

// Where a tile begins (elements), its blocks of k, and which part of k that is.
struct tile {
    uint32_t m, n;
    uint32_t block, block_end;
    uint32_t split;
};

// The CTA's place in its cluster. Ranks run along m first, then along n, then over the parts of k.
struct place {
    uint32_t m, n, split;    // 0 <= m < cluster_m, 0 <= n < cluster_n
    uint32_t mask_a, mask_b; // the CTAs that share its A, its B
};

// Has the compiler compute the value here, and keep it.
static __device__ __forceinline__ void in_register(uint32_t &value)
{
    asm volatile("" : "+r"(value));
}

// The exponent of a power of two.
static __device__ __forceinline__ uint32_t exponent(uint32_t power)
{
    return 31 - __clz((int)power);
}

static __device__ __forceinline__ place place_of(const gemm_job &job, uint32_t rank)
{
    uint32_t log_m = exponent(job.cluster_m), log_n = exponent(job.cluster_n);
    place at = {rank & (job.cluster_m - 1), rank >> log_m & (job.cluster_n - 1), rank >> (log_m + log_n), 0, 0};
    uint32_t first = at.split << (log_m + log_n);
#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
        if (i < job.cluster_n) at.mask_a |= 1u << (first + at.m + (i << log_m));
        if (i < job.cluster_m) at.mask_b |= 1u << (first + (at.n << log_m) + i);
    }
    return at;
}

// Tiles of the whole cluster, in groups of job.group rows of them; down the columns of a group. Where the parts of k
// are not CTAs of one cluster, those of a tile follow each other.
template <uint32_t TILE_M, uint32_t TILE_N, uint32_t BLOCK_K, bool SPLIT>
struct schedule {
    uint32_t rows, columns, count;
    uint32_t index, step;
    uint32_t blocks;
    uint32_t origin_m, origin_n;
    uint32_t split;
    uint32_t in_turn; // parts of k of a tile that follow each other

    __device__ __forceinline__ schedule(const gemm_job &job, const place &at, uint32_t ranks)
    {
        rows = ((job.m - 1) / TILE_M >> exponent(job.cluster_m)) + 1;
        columns = ((job.n - 1) / TILE_N >> exponent(job.cluster_n)) + 1;
        in_turn = SPLIT ? job.splits / gemm_splits_in_cluster(&job) : 1;
        count = rows * columns * in_turn;
        index = blockIdx.x / ranks;
        step = gridDim.x / ranks;
        blocks = (job.k - 1) / BLOCK_K + 1;
        origin_m = at.m * TILE_M;
        origin_n = at.n * TILE_N;
        split = at.split;
    }

    __device__ __forceinline__ bool get(const gemm_job &job, tile &t) const
    {
        if (index >= count) return false;
        uint32_t at = index;
        t.split = split;
        if (SPLIT && in_turn > 1) {
            t.split = at % in_turn;
            at /= in_turn;
        }
        uint32_t group = at / (job.group * columns);
        uint32_t in_group = at % (job.group * columns);
        uint32_t height = min(rows - group * job.group, job.group);
        t.m = (group * job.group + in_group % height) * TILE_M * job.cluster_m + origin_m;
        t.n = in_group / height * TILE_N * job.cluster_n + origin_n;
        t.block = 0;
        t.block_end = blocks;
        if (SPLIT && job.splits > 1) { // 32 bits: k is below 2^30, and there are at most 64 parts
            t.block = blocks * t.split / job.splits;
            t.block_end = blocks * (t.split + 1) / job.splits;
        }
        return true;
    }

    // The first tile, found while the launch before still goes on, which is then waited for. All that the first loads
    // need is in registers: else the compiler puts some of it off until behind the wait, and launches of 3 us take 1 %
    // longer.
    __device__ __forceinline__ bool first(const gemm_job &job, tile &t)
    {
        in_register(step);
        t = {};
        bool is_there = get(job, t);
        in_register(t.m);
        in_register(t.n);
        in_register(t.block);
        in_register(t.block_end);
        wait_for_launch_before();
        return is_there;
    }

    // The tile behind t.
    __device__ __forceinline__ bool next(const gemm_job &job, tile &t)
    {
        next();
        return get(job, t);
    }

    __device__ __forceinline__ void next()
    {
        index += step;
    }
};

#endif
