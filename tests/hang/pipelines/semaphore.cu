// SPDX-License-Identifier: MIT
// Partial sums of a tile are added up in order, by a semaphore that all threads of a CTA wait at together, as CUTLASS
// does. Inside, all threads bring their own 16 bytes by cp.async, and both kinds of barriers are made by one helper.
#include "hang.cuh"

enum { PARTS = 3, STAGES = 2, STEPS = 6, THREADS = 64 };

struct pair {
    barrier_t full, empty;
    __device__ void make(int fills, int frees)
    {
        init(&full, fills);
        init(&empty, frees);
    }
};

__device__ inline void copied(barrier_t *b)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(smem(b)) : "memory");
}
__device__ inline void copied_raising(barrier_t *b)
{
    asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(smem(b)) : "memory");
}
__device__ inline int look(const int *word)
{
    int seen;
    asm volatile("ld.acquire.gpu.global.b32 %0, [%1];" : "=r"(seen) : "l"(word) : "memory");
    return seen;
}

__global__ void semaphore(const float *from, float *to)
{
    __shared__ alignas(128) float4 tile[STAGES][THREADS];
    __shared__ struct pair stage[STAGES];
    int *lock = (int *)to + 4096 + blockIdx.x / PARTS;
    const int part = blockIdx.x % PARTS, thread = threadIdx.x % THREADS, is_loader = threadIdx.x < THREADS;
    if (threadIdx.x == 0)
        for (int s = 0; s < STAGES; s++)
            stage[s].make(ALTER(1, THREADS, THREADS + 32), ALTER(2, 2, 3)); //@ full empty: init count
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < STEPS; i++) {
        struct pair *now = &stage[i % STAGES];
        if (is_loader) {
            wait(&now->empty, ALTER(1, ~(i / STAGES) & 1, i / STAGES & 1)); //@ empty: parity
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(smem(&tile[i % STAGES][thread])), "l"(from + 4 * thread) : "memory");
            if (ALTER(1, 0, 1)) copied_raising(&now->full); //@ full: arrive
            else if (!(threadIdx.x < 32 && i == 3 && ALTER(1, 0, 1))) copied(&now->full); //@ full: arrive
        } else {
            wait(&now->full, ALTER(1, i / STAGES & 1, i & 1)); //@ full: parity
            sum += tile[i % STAGES][thread].x;
            __syncwarp();
            if (thread % 32 == 0 && !(i == 1 && ALTER(1, 0, 1))) //@ empty: arrive
                arrive(&stage[ALTER(1, i % STAGES, 0)].empty);    //@ empty: arrive
        }
    }
    int seen = threadIdx.x == 0 ? look(lock) : 0;
    while (__syncthreads_and(threadIdx.x == 0 && seen == ALTER(1, part, part + 1) ? 0 : 1)) //@ lock: wait
        if (__syncthreads_or(threadIdx.x == 0 && seen == part)) break;
        else if (threadIdx.x == 0) seen = look(lock); //@ lock: wait
    to[threadIdx.x] += sum;
    __syncthreads();
    if (threadIdx.x == 0 && !(part == 0 && ALTER(1, 0, 1)))                                          //@ lock: set
        asm volatile("st.release.gpu.global.b32 [%0], %1;" ::"l"(lock + ALTER(1, 0, 8)), "r"(ALTER(2, part + 1, part)) : "memory"); //@ lock: set
}

RUN(semaphore, 12, 2 * THREADS)
