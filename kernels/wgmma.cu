// SPDX-License-Identifier: MIT
// Dense wgmma: a warpgroup takes jobs in turn. It fills what the operands read, runs one to three instructions on the
// same accumulators, and dumps D of all threads. One function for each instruction that wgmma_job.h lists.
#include "wgmma_steps.cuh"

#define FUNCTION(kind, D, A, B, d_ptx, a_ptx, b_ptx, k, n, variant)                                                    \
    static __device__ __noinline__ void D##_##A##_##B##_##n##_##variant(const wgmma_job &job, char *shared,            \
                                                                        uint32_t *output)                              \
    {                                                                                                                  \
        run<COUNT(D, n)>(job, layout_of_##D, layout_of_##A, layout_of_##B, shared, output,                             \
                         [](uint32_t(&d)[COUNT(D, n)], operands &o) {                                                  \
                             asm volatile(                                                                             \
                                 "{.reg .pred p;\n setp.ne.b32 p, %2, 0;\n"                                            \
                                 "wgmma.mma_async.sync.aligned.m64n" #n "k" #k "." #d_ptx "." #a_ptx                   \
                                 "." #b_ptx AFTER_##kind(variant) " {" JOIN(LIST_, COUNT(D, n)) "}, " A_##variant      \
                                 ", %1, p" TAIL_##kind##_##variant ";}"                                                \
                                 : "+l"(o.a), "+l"(o.b), "+r"(o.scale_d), "+r"(o.registers[0]), "+r"(o.registers[1]),  \
                                   "+r"(o.registers[2]), "+r"(o.registers[3]), JOIN(REGS_, COUNT(D, n))                \
                                 :                                                                                     \
                                 : "memory");                                                                          \
                         });                                                                                           \
    }
#define HALF_FUNCTION(...)    FUNCTION(HALF, __VA_ARGS__)
#define NARROW_FUNCTION(...)  FUNCTION(NARROW, __VA_ARGS__)
#define INTEGER_FUNCTION(...) FUNCTION(INTEGER, __VA_ARGS__)
#define BIT_FUNCTION(...)     FUNCTION(BIT, __VA_ARGS__)
WGMMA_INSTANCES(HALF_FUNCTION, NARROW_FUNCTION, INTEGER_FUNCTION, BIT_FUNCTION)

static __device__ void run_job(const wgmma_job &job, char *shared, uint32_t *output)
{
    switch (job.instance) {
#define CASE(D, A, B, d, a, b, k, n, variant)                                                                          \
    case WGMMA_INSTANCE_##D##_##A##_##B##_##n##_##variant:                                                             \
        return D##_##A##_##B##_##n##_##variant(job, shared, output);
        WGMMA_INSTANCES(CASE, CASE, CASE, CASE)
#undef CASE
    }
}

extern "C" __global__ void __launch_bounds__(WGMMA_THREADS)
    wgmma_jobs(const wgmma_job *jobs, int count, uint32_t *output)
{
    run_jobs(jobs, count, output, [](const wgmma_job &job, char *shared, uint32_t *out) { run_job(job, shared, out); });
}
