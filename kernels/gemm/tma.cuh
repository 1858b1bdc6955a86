// SPDX-License-Identifier: MIT
// The tensor copies of the GEMM kernels: 2-D loads, with multicast or without, 2-D stores and reductions.
#ifndef TMAREF_GEMM_TMA_CUH
#define TMAREF_GEMM_TMA_CUH

#include <cuda.h>
#include <stdint.h>

static __device__ __forceinline__ void tma_prefetch_map(const CUtensorMap *map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

// `x` is the coordinate along the rows (elements), `y` the row.
static __device__ __forceinline__ void tma_load(uint32_t to, const CUtensorMap *map, int32_t x, int32_t y,
                                                uint32_t barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(barrier)
                 : "memory");
}

// To the same place in every CTA of `mask`, signalling the barrier at the same place there.
static __device__ __forceinline__ void tma_load_multicast(uint32_t to, const CUtensorMap *map, int32_t x, int32_t y,
                                                          uint32_t barrier, uint32_t mask)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster"
                 " [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(barrier), "h"((uint16_t)mask)
                 : "memory");
}

// Brings a box to L2, as TMA would load it.
static __device__ __forceinline__ void tma_prefetch(const CUtensorMap *map, int32_t x, int32_t y)
{
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(map), "r"(x), "r"(y) : "memory");
}

static __device__ __forceinline__ void tma_store(const CUtensorMap *map, int32_t x, int32_t y, uint32_t from)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x),
                 "r"(y), "r"(from)
                 : "memory");
}

static __device__ __forceinline__ void tma_reduce_add(const CUtensorMap *map, int32_t x, int32_t y, uint32_t from)
{
    asm volatile(
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
        "r"(x), "r"(y), "r"(from)
        : "memory");
}

static __device__ __forceinline__ void tma_commit()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Until all but the newest N groups of this thread have read their shared memory.
template <int N>
static __device__ __forceinline__ void tma_wait_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}

// Lets TMA and wgmma see what this thread wrote to shared memory.
static __device__ __forceinline__ void async_proxy_fence()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// True in one thread of the warp.
static __device__ __forceinline__ bool elect_one()
{
    uint32_t elected;
    asm volatile("{.reg .pred p;\n"
                 "elect.sync _|p, 0xffffffff;\n"
                 "selp.b32 %0, 1, 0, p;}"
                 : "=r"(elected));
    return elected;
}

#endif
