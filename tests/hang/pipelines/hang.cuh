// SPDX-License-Identifier: MIT
// What the pipelines of this folder share: their synchronisation, and the mistakes that can be planted in it.
//
// A program runs its kernel with the mistake whose number is its argument, 0: none. DROP(statement) leaves the statement
// out; ALTER(k, right, wrong) is the wrong value. The number is the line times 10, plus k. `//@ a b: kind` behind a line
// says which barriers the line is about, and what kind of mistake it is (mutants.py).
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>

__constant__ int mutant;

#define DROP(...)                                                                                                      \
    if (mutant != __LINE__ * 10) {                                                                                     \
        __VA_ARGS__;                                                                                                   \
    }
#define ALTER(k, right, wrong) (mutant == __LINE__ * 10 + (k) ? (wrong) : (right))

typedef uint64_t barrier_t;

__device__ inline uint32_t smem(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ inline void init(barrier_t *b, int count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem(b)), "r"(count) : "memory");
}
__device__ inline void wait(barrier_t *b, uint32_t parity)
{
    asm volatile("{ .reg .pred p;\nW: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra W; }" ::"r"(smem(b)),
                 "r"(parity)
                 : "memory");
}
__device__ inline void arrive(barrier_t *b, int count = 1)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" ::"r"(smem(b)), "r"(count) : "memory");
}
__device__ inline void expect(barrier_t *b, uint32_t bytes) // arrives, too
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(smem(b)), "r"(bytes) : "memory");
}
__device__ inline void expect_only(barrier_t *b, uint32_t bytes)
{
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(smem(b)), "r"(bytes) : "memory");
}
__device__ inline uint32_t mapped(const void *p, uint32_t rank)
{
    uint32_t at;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(smem(p)), "r"(rank));
    return at;
}
__device__ inline void arrive_at(barrier_t *b, uint32_t rank)
{
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(mapped(b, rank)) : "memory");
}
__device__ inline void copy(void *to, const void *from, uint32_t bytes, barrier_t *b)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(smem(to)),
                 "l"(from), "r"(bytes), "r"(smem(b))
                 : "memory");
}
__device__ inline void multicast(void *to, const void *from, uint32_t bytes, barrier_t *b, uint32_t mask)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], "
                 "%4;" ::"r"(smem(to)),
                 "l"(from), "r"(bytes), "r"(smem(b)), "h"((uint16_t)mask)
                 : "memory");
}
__device__ inline void fence_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ inline void named_sync(int id, int threads) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }
__device__ inline void named_arrive(int id, int threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ inline void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
__device__ inline uint32_t rank_in_cluster()
{
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// What the host does: the kernel, launched over `blocks` CTAs of `threads`, with numbers to read and a place to write.
#define RUN(kernel, blocks, threads)                                                                                   \
    int main(int count, char **argument)                                                                               \
    {                                                                                                                  \
        int number = count > 1 ? atoi(argument[1]) : 0;                                                                \
        float *from, *to;                                                                                              \
        cudaMemcpyToSymbol(mutant, &number, sizeof number);                                                            \
        cudaMalloc(&from, 1 << 22);                                                                                    \
        cudaMalloc(&to, 1 << 20);                                                                                      \
        cudaMemset(from, 0, 1 << 22);                                                                                  \
        cudaMemset(to, 0, 1 << 20);                                                                                    \
        kernel<<<blocks, threads>>>(from, to);                                                                         \
        cudaError_t error = cudaDeviceSynchronize();                                                                   \
        printf("%s\n", cudaGetErrorName(error));                                                                       \
        return error != cudaSuccess;                                                                                   \
    }
