// SPDX-License-Identifier: MIT
// The tensor copies of the GEMM kernels: 2-D loads, with multicast or without, 2-D stores and reductions.
#ifndef TMAREF_GEMM_TMA_CUH
#define TMAREF_GEMM_TMA_CUH

#include <cuda.h>

#include "../device.cuh"

static __device__ __forceinline__ void tma_prefetch_map(const CUtensorMap *map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

// `x` is the coordinate along the rows (elements), `y` the row.
static __device__ __forceinline__ void tma_load(uint32_t to, const CUtensorMap *map, int32_t x, int32_t y,
                                                uint32_t barrier)
{
    const int32_t c[2] = {x, y};
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, at_shared(to), map, c, at_shared(barrier));
}

// To the same place in every CTA of `mask`, signalling the barrier at the same place there.
static __device__ __forceinline__ void tma_load_multicast(uint32_t to, const CUtensorMap *map, int32_t x, int32_t y,
                                                          uint32_t barrier, uint32_t mask)
{
    const int32_t c[2] = {x, y};
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, at_shared(to), map, c, at_shared(barrier), (uint16_t)mask);
}

static __device__ __forceinline__ void tma_store(const CUtensorMap *map, int32_t x, int32_t y, uint32_t from)
{
    const int32_t c[2] = {x, y};
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, c, at_shared(from));
}

static __device__ __forceinline__ void tma_reduce_add(const CUtensorMap *map, int32_t x, int32_t y, uint32_t from)
{
    const int32_t c[2] = {x, y};
    ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, map, c, at_shared(from));
}

#endif
