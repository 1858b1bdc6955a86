// SPDX-License-Identifier: MIT
// Sparse wgmma: as wgmma.cu, with the sparsity metadata of each thread and K of twice the depth. One function for each
// instruction that wgmma_sparse_job.h lists.
#include "wgmma_sparse_job.h"
#include "wgmma_steps.cuh"

// The depth, of the dense one.
#define SPARSE_K_8  16
#define SPARSE_K_16 32
#define SPARSE_K_32 64

// Operand %2 is scale-d and, above it, the metadata.
#define FUNCTION(kind, D, A, B, d_ptx, a_ptx, b_ptx, k, n, variant, selector)                                          \
    static __device__ __noinline__ void D##_##A##_##B##_##n##_##variant##_##selector(const wgmma_job &job,             \
                                                                                     char *shared, uint32_t *output)   \
    {                                                                                                                  \
        run<COUNT(D, n)>(job, layout_of_##D, layout_of_##A, layout_of_##B, shared, output,                             \
                         [](uint32_t(&d)[COUNT(D, n)], operands &o) {                                                  \
                             uint64_t scale_and_metadata = (uint64_t)o.metadata << 32 | o.scale_d;                     \
                             asm volatile("{.reg .pred p;\n.reg .b32 scale, metadata;\n"                               \
                                          "mov.b64 {scale, metadata}, %2;\nsetp.ne.b32 p, scale, 0;\n"                 \
                                          "wgmma.mma_async.sp.sync.aligned.m64n" #n                                    \
                                          "k" TEXT(JOIN(SPARSE_K_, k)) "." #d_ptx "." #a_ptx "." #b_ptx AFTER_##kind(  \
                                              variant) " {" JOIN(LIST_, COUNT(D, n)) "}, " A_##variant                 \
                                          ", %1, metadata, " #selector ", p" TAIL_##kind##_##variant ";}"              \
                                          : "+l"(o.a), "+l"(o.b), "+l"(scale_and_metadata), "+r"(o.registers[0]),      \
                                            "+r"(o.registers[1]), "+r"(o.registers[2]), "+r"(o.registers[3]),          \
                                            JOIN(REGS_, COUNT(D, n))                                                   \
                                          :                                                                            \
                                          : "memory");                                                                 \
                         });                                                                                           \
    }
#define HALF_FUNCTION(...)    FUNCTION(HALF, __VA_ARGS__)
#define NARROW_FUNCTION(...)  FUNCTION(NARROW, __VA_ARGS__)
#define INTEGER_FUNCTION(...) FUNCTION(INTEGER, __VA_ARGS__)
WGMMA_SPARSE_INSTANCES(HALF_FUNCTION, NARROW_FUNCTION, INTEGER_FUNCTION)

static __device__ void run_job(const wgmma_job &job, char *shared, uint32_t *output)
{
    switch (job.instance) {
#define CASE(D, A, B, d, a, b, k, n, variant, selector)                                                                \
    case WGMMA_SPARSE_INSTANCE_##D##_##A##_##B##_##n##_##variant##_##selector:                                         \
        return D##_##A##_##B##_##n##_##variant##_##selector(job, shared, output);
        WGMMA_SPARSE_INSTANCES(CASE, CASE, CASE)
#undef CASE
    }
}

extern "C" __global__ void __launch_bounds__(WGMMA_THREADS)
    wgmma_sparse_jobs(const wgmma_job *jobs, int count, uint32_t *output)
{
    run_jobs(jobs, count, output, [](const wgmma_job &job, char *shared, uint32_t *out) { run_job(job, shared, out); });
}
