// SPDX-License-Identifier: MIT
// What the kernels of dense and sparse wgmma share: the text of their operands, and a job's way from filling shared
// memory to D of all threads.
#ifndef TMAREF_WGMMA_STEPS_CUH
#define TMAREF_WGMMA_STEPS_CUH

#include "device.cuh"
#include "wgmma_job.h"
#include "wgmma_registers.h"

// --- Operands of the instructions: %0, %1 the descriptors, %2 scale-d, %3 to %6 registers of A, then D ---------------

#define JOIN_(a, b)    a##b
#define JOIN(a, b)     JOIN_(a, b)
#define TEXT_(a)       #a
#define TEXT(a)        TEXT_(a)
#define COUNT(D, n)    COUNT_##D##_##n
#define FROM_REGISTERS "{%3, %4, %5, %6}"
#define FROM_SHARED    "%0"

// The operands behind scale-d, by the kind of the types (16-bit floats have transposes) and the variant.
#define TAIL_HALF_SS           ", 1, 1, 0, 0"
#define TAIL_HALF_RS           ", 1, 1, 0"
#define TAIL_HALF_TA           ", 1, 1, 1, 0"
#define TAIL_HALF_TB           ", 1, 1, 0, 1"
#define TAIL_HALF_TT           ", 1, 1, 1, 1"
#define TAIL_HALF_RT           ", 1, 1, 1"
#define TAIL_HALF_NA           ", -1, 1, 0, 0"
#define TAIL_HALF_NB           ", 1, -1, 0, 0"
#define TAIL_HALF_NN           ", -1, -1, 0, 0"
#define TAIL_NARROW_SS         ", 1, 1"
#define TAIL_NARROW_RS         ", 1, 1"
#define TAIL_NARROW_NA         ", -1, 1"
#define TAIL_NARROW_NB         ", 1, -1"
#define TAIL_NARROW_NN         ", -1, -1"
#define TAIL_INTEGER_SS        ""
#define TAIL_INTEGER_RS        ""
#define TAIL_INTEGER_SF        ""
#define TAIL_INTEGER_RF        ""
#define A_SS                   FROM_SHARED
#define A_TA                   FROM_SHARED
#define A_TB                   FROM_SHARED
#define A_TT                   FROM_SHARED
#define A_NA                   FROM_SHARED
#define A_NB                   FROM_SHARED
#define A_NN                   FROM_SHARED
#define A_SF                   FROM_SHARED
#define A_RS                   FROM_REGISTERS
#define A_RT                   FROM_REGISTERS
#define A_RF                   FROM_REGISTERS
#define SATFINITE_SS           ""
#define SATFINITE_RS           ""
#define SATFINITE_SF           ".satfinite"
#define SATFINITE_RF           ".satfinite"
#define AFTER_HALF(variant)    ""
#define AFTER_NARROW(variant)  ""
#define AFTER_INTEGER(variant) SATFINITE_##variant
#define AFTER_BIT(variant)     ".and.popc"
#define TAIL_BIT_SS            ""
#define TAIL_BIT_RS            ""

static constexpr wgmma_layout layout_of_F16 = WGMMA_LAYOUT_F16, layout_of_BF16 = WGMMA_LAYOUT_BF16,
                              layout_of_TF32 = WGMMA_LAYOUT_TF32, layout_of_E4M3 = WGMMA_LAYOUT_E4M3,
                              layout_of_E5M2 = WGMMA_LAYOUT_E5M2, layout_of_S8 = WGMMA_LAYOUT_S8,
                              layout_of_U8 = WGMMA_LAYOUT_U8, layout_of_B1 = WGMMA_LAYOUT_B1,
                              layout_of_F32 = WGMMA_LAYOUT_F32, layout_of_S32 = WGMMA_LAYOUT_S32;

// --- A job -----------------------------------------------------------------------------------------------------------

struct operands {
    uint64_t a, b;
    uint32_t scale_d, metadata, registers[4];
};

static __device__ void fill(const wgmma_job &job, wgmma_layout layout, uint32_t salt, char *shared)
{
    for (uint32_t at = job.range[salt].start + 8 * threadIdx.x; at < job.range[salt].end; at += 8 * WGMMA_THREADS)
        *(uint64_t *)(shared + at) = wgmma_word(layout, job.seed, salt, at / 8);
}

static __device__ __noinline__ void prepare(const wgmma_job &job, wgmma_layout a, wgmma_layout b, char *shared)
{
    fill(job, a, WGMMA_SALT_A, shared);
    __syncthreads();
    fill(job, b, WGMMA_SALT_B, shared);
    ptx::fence_proxy_async(); // wgmma reads what was filled
    __syncthreads();
}

static __device__ __noinline__ operands operands_of(const wgmma_job &job, wgmma_layout layout, uint32_t step)
{
    operands o = {wgmma_advance(job.descriptor[0], step * job.advance_bytes[0]),
                  wgmma_advance(job.descriptor[1], step * job.advance_bytes[1]), job.scale_d >> step & 1,
                  wgmma_metadata(job.metadata, layout.width, job.seed, step, threadIdx.x)};
    for (uint32_t i = 0; i < 4; i++)
        o.registers[i] = (uint32_t)wgmma_word(layout, job.seed, WGMMA_SALT_A, wgmma_index_a(step, threadIdx.x, i));
    return o;
}

static __device__ __noinline__ uint32_t start_of_d(const wgmma_job &job, wgmma_layout layout, uint32_t index)
{
    return (uint32_t)wgmma_word(layout, job.seed, WGMMA_SALT_D, wgmma_index_d(threadIdx.x, index));
}

// Keeps the compiler from moving D's registers over the fence before an instruction, or the wait after it.
template <int C>
static __device__ __forceinline__ void hold(uint32_t (&d)[C])
{
#pragma unroll
    for (int i = 0; i < C; i++) asm volatile("" : "+r"(d[i])::"memory");
}

// The steps of a job: `multiply` is the instruction on C registers of D.
template <int C, class Multiply>
static __device__ void run(const wgmma_job &job, wgmma_layout of_d, wgmma_layout of_a, wgmma_layout of_b, char *shared,
                           uint32_t *output, Multiply multiply)
{
    uint32_t d[C];
    prepare(job, of_a, of_b, shared);
#pragma unroll
    for (int i = 0; i < C; i++) d[i] = start_of_d(job, of_d, i);
#pragma unroll 1
    for (uint32_t step = 0; step < job.steps; step++) {
        operands o = operands_of(job, of_a, step);
        hold(d);
        wgmma_fence(); // the registers of A and D
        multiply(d, o);
        wgmma_commit();
        wgmma_wait<0>(); // D is there, the operands have been read
        hold(d);
    }
#pragma unroll
    for (int i = 0; i < C; i++) output[job.output + i * WGMMA_THREADS + threadIdx.x] = d[i];
}

// Takes the jobs in turn; `run_job(job, shared, output)` picks the function of the job's instruction.
template <class RunJob>
static __device__ void run_jobs(const wgmma_job *jobs, int count, uint32_t *output, RunJob run_job)
{
    extern __shared__ __align__(1024) char dynamic[];
    char *shared = dynamic - WGMMA_SHARED_START; // shared + address is the byte at that address of this CTA
    if ((__cvta_generic_to_shared(dynamic) & 0xffffff) != WGMMA_SHARED_START) __trap();
    for (int i = blockIdx.x; i < count; i += gridDim.x) {
        run_job(jobs[i], shared, output);
        __syncthreads(); // all warps' wgmma are done: shared memory may be filled again
    }
}

#endif
