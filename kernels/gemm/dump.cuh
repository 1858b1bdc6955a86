// SPDX-License-Identifier: MIT
// What a launch leaves of CTA 0 where the job asks for it: its stages, zeros where nothing was loaded, and the words of
// its barriers. Both calls are made by all threads of the CTA.
#ifndef TMAREF_GEMM_DUMP_CUH
#define TMAREF_GEMM_DUMP_CUH

#include "../device.cuh"
#include "gemm_job.h"

// Before the cluster meets: zeros, over which TMA writes, that of this CTA and by multicast that of the others.
static __device__ __forceinline__ void prepare_dump(const gemm_job &job, uint32_t stages, uint32_t stages_bytes)
{
    if (!job.dump) return;
#pragma unroll 1
    for (uint32_t at = 16 * threadIdx.x; at < stages_bytes; at += 16 * GEMM_THREADS)
        asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};" ::"r"(stages + at), "r"(0) : "memory");
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::fence(ptx::sem_acq_rel, ptx::scope_cluster);
}

// At the end: all loads have come to a consumer, all releases to the producer.
static __device__ __forceinline__ void take_dump(const gemm_job &job, uint32_t stages, uint32_t stages_bytes,
                                                 uint32_t barriers)
{
    char *to = (char *)job.dump;
    if (!to || blockIdx.x != 0) return;
    __syncthreads();
    for (uint32_t at = 4 * threadIdx.x; at < stages_bytes; at += 4 * GEMM_THREADS) {
        uint32_t word;
        asm volatile("ld.shared.b32 %0, [%1];" : "=r"(word) : "r"(stages + at) : "memory");
        *(uint32_t *)(to + at) = word;
    }
    for (uint32_t i = threadIdx.x; i < 2 * job.stages; i += GEMM_THREADS)
        *(uint64_t *)(to + stages_bytes + 8 * i) = final_word(at_shared(barriers + 8 * i));
}

#endif
