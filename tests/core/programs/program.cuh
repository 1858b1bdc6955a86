// SPDX-License-Identifier: MIT
// What the programs of this folder share: PTX as small functions, tensor maps, and a launch whose end is reported.
#ifndef PROGRAM_CUH
#define PROGRAM_CUH

#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CHECK(call) check((call), #call)

static inline void check(cudaError_t error, const char *call)
{
    if (error == cudaSuccess) return;
    printf("%s: %d %s\n", call, (int)error, cudaGetErrorName(error));
    fflush(stdout);
    _exit(1);
}

// --- On the device ---------------------------------------------------------------------------------------------------

static __device__ __forceinline__ uint32_t at(const void *pointer)
{
    return (uint32_t)__cvta_generic_to_shared(pointer);
}

static __device__ __forceinline__ void barrier_init(uint64_t *barrier, uint32_t count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(barrier)), "r"(count) : "memory");
}

static __device__ __forceinline__ void barrier_arrive(uint64_t *barrier, uint32_t count = 1)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" ::"r"(at(barrier)), "r"(count) : "memory");
}

static __device__ __forceinline__ void barrier_expect(uint64_t *barrier, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(barrier)), "r"(bytes) : "memory");
}

static __device__ __forceinline__ void barrier_arrive_at(uint64_t *barrier, uint32_t rank)
{
    asm volatile("{ .reg .b32 there;\n"
                 "mapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there]; }" ::"r"(at(barrier)), "r"(rank)
                 : "memory");
}

static __device__ __forceinline__ void barrier_wait(uint64_t *barrier, uint32_t parity)
{
    asm volatile("{ .reg .pred done;\n"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@done bra over;\n"
                 "bra again;\n"
                 "over: }" ::"r"(at(barrier)), "r"(parity)
                 : "memory");
}

static __device__ __forceinline__ void barriers_are_ready()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

static __device__ __forceinline__ void bulk_load(void *to, const void *from, uint32_t bytes, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(to)),
                 "l"(from), "r"(bytes), "r"(at(barrier))
                 : "memory");
}

static __device__ __forceinline__ void bulk_multicast(void *to, const void *from, uint32_t bytes, uint64_t *barrier,
                                                      uint16_t mask)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1], %2, [%3], %4;" ::"r"(at(to)),
                 "l"(from), "r"(bytes), "r"(at(barrier)), "h"(mask)
                 : "memory");
}

static __device__ __forceinline__ void tile_load(void *to, const CUtensorMap *map, int x, int y, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(at(to)),
                 "l"(map), "r"(x), "r"(y), "r"(at(barrier))
                 : "memory");
}

static __device__ __forceinline__ void cluster_arrive()
{
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
}

static __device__ __forceinline__ void cluster_wait()
{
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

static __device__ __forceinline__ uint32_t cluster_rank()
{
    uint32_t rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// --- On the host -----------------------------------------------------------------------------------------------------

static inline void *device_words(size_t words)
{
    void *memory;
    CHECK(cudaMalloc(&memory, words * 4));
    CHECK(cudaMemset(memory, 0x11, words * 4));
    return memory;
}

typedef CUresult encode_call(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                             const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                             CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

// A map of `rank` dimensions of floats: rows of 64 elements, the rest 64 as well; boxes of box_x x box_y.
static inline CUtensorMap map_of(void *memory, int rank, uint32_t box_x, uint32_t box_y)
{
    void *call = NULL;
    cudaDriverEntryPointQueryResult found;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &call, 12000, cudaEnableDefault, &found));
    CUtensorMap map;
    cuuint64_t dim[] = {64, 64, 1}, stride[] = {256, 256 * 64};
    cuuint32_t box[] = {box_x, box_y, 1}, element[] = {1, 1, 1};
    CUresult error = ((encode_call *)call)(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, (cuuint32_t)rank, memory, dim, stride,
                                           box, element, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                           CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (error != CUDA_SUCCESS) printf("cuTensorMapEncodeTiled: %d\n", (int)error);
    return map;
}

static inline int finish()
{
    CHECK(cudaGetLastError());
    printf("launched\n");
    fflush(stdout);
    cudaError_t error = cudaDeviceSynchronize();
    printf("ended: %d %s\n", (int)error, cudaGetErrorName(error));
    fflush(stdout);
    return 0;
}

#endif
