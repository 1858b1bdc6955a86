// SPDX-License-Identifier: MIT
// Order of wgmma: a warpgroup keeps four wgmma-groups in flight, waits for some of them, and overwrites what one of
// them reads. Or: one group with a fence, commit or wait left out, as text that the assembler sees so.
#include "device.cuh"
#include "wgmma_order_job.h"

static constexpr uint64_t STRIDES =
    (uint64_t)(2 * WGMMA_ORDER_CORE_BYTES / 16 / 2) << 16 | (uint64_t)(2 * WGMMA_ORDER_CORE_BYTES / 16) << 32;

// Rows of 8 follow each other, and in each of those the two halves of K: LBO 128, SBO 256.
static __device__ uint64_t descriptor(uint32_t address)
{
    return (uint64_t)(address / 16) | STRIDES;
}

static __device__ __forceinline__ void multiply_8(uint32_t (&d)[4], uint64_t a, uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "l"(a), "l"(b)
                 : "memory");
}

// --- Overwriting -----------------------------------------------------------------------------------------------------

// What overwrites the victim, and where this lane puts it: two words of A, or the first of them for B.
struct overwriting {
    uint64_t word[2];
    char *to[2];
};

static __device__ __forceinline__ overwriting prepare(const wgmma_order_job &job, char *shared)
{
    uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    uint32_t a = WGMMA_ORDER_SHARED_START + job.victim * WGMMA_ORDER_A_BYTES + warp * WGMMA_ORDER_ROWS_BYTES;
    uint32_t b = WGMMA_ORDER_B_START + job.victim * WGMMA_ORDER_B_BYTES;
    uint32_t start = job.target == WGMMA_ORDER_A_OWN ? a : b;
    overwriting o;
    for (uint32_t i = 0; i < 2; i++) {
        o.to[i] = shared + start + 8 * (lane + 32 * i);
        o.word[i] = wgmma_order_word(job.seed, start + 8 * (lane + 32 * i), 1);
    }
    return o;
}

// As fast as can be, while the rest is in flight.
static __device__ __forceinline__ void overwrite(const wgmma_order_job &job, const overwriting &o)
{
    if (job.target == WGMMA_ORDER_B_ALL) __syncthreads();
    if (job.target == WGMMA_ORDER_A_OWN || threadIdx.x / 32 == WGMMA_ORDER_WRITER)
        *(volatile uint64_t *)o.to[0] = o.word[0];
    if (job.target == WGMMA_ORDER_A_OWN) *(volatile uint64_t *)o.to[1] = o.word[1];
}

static __device__ __forceinline__ void fill(const wgmma_order_job &job, char *shared)
{
    for (uint32_t at = WGMMA_ORDER_SHARED_START + 8 * threadIdx.x; at < WGMMA_ORDER_SHARED_END;
         at += 8 * WGMMA_ORDER_THREADS)
        *(uint64_t *)(shared + at) = wgmma_order_word(job.seed, at, 0);
    ptx::fence_proxy_async(); // wgmma reads what was filled
    __syncthreads();
}

template <int NEWEST, int LOAD>
static __device__ __forceinline__ void run_overwrite(const wgmma_order_job &job, char *shared, uint32_t *output)
{
    uint32_t d[WGMMA_ORDER_GROUPS][4], load[4] = {0, 0, 0, 0};
    uint64_t a = descriptor(WGMMA_ORDER_SHARED_START), b = descriptor(WGMMA_ORDER_B_START);
#pragma unroll
    for (int i = 0; i < 4 * WGMMA_ORDER_GROUPS; i++) {
        d[i / 4][i % 4] = 0;
        asm volatile("" : "+r"(d[i / 4][i % 4]), "+r"(load[i % 4])); // registers of their own, before the fence
    }
    overwriting o = prepare(job, shared);
    asm volatile("" : "+l"(o.word[0]), "+l"(o.word[1])); // computed here, not after the wait
    wgmma_fence();
#pragma unroll
    for (int group = 0; group < WGMMA_ORDER_GROUPS; group++) {
#pragma unroll
        for (int i = 0; i < LOAD; i++) multiply_8(load, a, b);
        multiply_8(d[group], a + group * (WGMMA_ORDER_A_BYTES / 16), b + group * (WGMMA_ORDER_B_BYTES / 16));
        wgmma_commit();
    }
    wgmma_wait<NEWEST>();
    overwrite(job, o);
    wgmma_wait<0>();
#pragma unroll
    for (int i = 0; i < 4 * WGMMA_ORDER_GROUPS; i++)
        output[job.output + i * WGMMA_ORDER_THREADS + threadIdx.x] = d[i / 4][i % 4];
    if (load[0] == 0xffffffff) output[job.output] = load[0]; // never: it makes them count
}

// A kernel of its own for each: the assembler serialises wgmma in functions that are called.
#define OVERWRITE(newest, load)                                                                                        \
    extern "C" __global__ void __launch_bounds__(WGMMA_ORDER_THREADS)                                                  \
        wgmma_order_##newest##_##load(const wgmma_order_job *jobs, int count, uint32_t *output)                        \
    {                                                                                                                  \
        extern __shared__ __align__(1024) char dynamic[];                                                              \
        char *shared = shared_from_0(dynamic, WGMMA_ORDER_SHARED_START);                                               \
        for (int i = blockIdx.x; i < count; i += gridDim.x) {                                                          \
            fill(jobs[i], shared);                                                                                     \
            run_overwrite<newest, load>(jobs[i], shared, output);                                                      \
            __syncthreads();                                                                                           \
        }                                                                                                              \
    }
OVERWRITE(0, 0)
OVERWRITE(1, 0)
OVERWRITE(2, 0)
OVERWRITE(3, 0)
OVERWRITE(0, 64)
OVERWRITE(1, 64)
OVERWRITE(2, 64)
OVERWRITE(3, 64)

// --- Leaving out -----------------------------------------------------------------------------------------------------

// One wgmma on numbers that ordinary instructions made; one of D is changed; two more.
#define OMIT(id, name, has_fence, has_commit, has_wait)                                                                \
    extern "C" __global__ void __launch_bounds__(WGMMA_ORDER_THREADS)                                                  \
        wgmma_order_omit_##id(const wgmma_order_job *jobs, int count, uint32_t *output)                                \
    {                                                                                                                  \
        extern __shared__ __align__(1024) char dynamic[];                                                              \
        char *shared = shared_from_0(dynamic, WGMMA_ORDER_SHARED_START);                                               \
        for (int job = blockIdx.x; job < count; job += gridDim.x) {                                                    \
            uint32_t d[4];                                                                                             \
            uint64_t a = descriptor(WGMMA_ORDER_SHARED_START), b = descriptor(WGMMA_ORDER_B_START);                    \
            fill(jobs[job], shared);                                                                                   \
            for (int i = 0; i < 4; i++) d[i] = __float_as_uint((float)(jobs[job].seed >> 8 * i & 7));                  \
            if (has_fence) wgmma_fence();                                                                              \
            multiply_8(d, a, b);                                                                                       \
            if (has_commit) wgmma_commit();                                                                            \
            if (has_wait) wgmma_wait<0>();                                                                             \
            for (int i = 0; i < 4; i++) d[i] = __float_as_uint(__uint_as_float(d[i]) + 1);                             \
            if (has_fence) wgmma_fence();                                                                              \
            multiply_8(d, a, b);                                                                                       \
            multiply_8(d, a + WGMMA_ORDER_A_BYTES / 16, b + WGMMA_ORDER_B_BYTES / 16);                                 \
            if (has_commit) wgmma_commit();                                                                            \
            if (has_wait) wgmma_wait<0>();                                                                             \
            for (int i = 0; i < 4 * WGMMA_ORDER_GROUPS; i++)                                                           \
                output[jobs[job].output + i * WGMMA_ORDER_THREADS + threadIdx.x] = i < 4 ? d[i] : 0;                   \
            __syncthreads();                                                                                           \
        }                                                                                                              \
    }
WGMMA_ORDER_OMISSIONS(OMIT)
