// SPDX-License-Identifier: MIT
// setmaxnreg: the warpgroups of a CTA take registers from its pool and give some back, each step in a slot of time of its
// own; when a step is done, it says in which slot that was. ptxas makes a loop of .inc: USETMAXREG.TRY_ALLOC.CTAPOOL until
// it is granted, warp by warp; .dec is USETMAXREG.DEALLOC.CTAPOOL.
#include "setmaxnreg_job.h"

#define INC(n)                                                                                                         \
    case n:                                                                                                            \
        asm volatile("setmaxnreg.inc.sync.aligned.u32 " #n ";" ::: "memory");                                          \
        break;
#define DEC(n)                                                                                                         \
    case n:                                                                                                            \
        asm volatile("setmaxnreg.dec.sync.aligned.u32 " #n ";" ::: "memory");                                          \
        break;

static __device__ __forceinline__ void increase(uint32_t count)
{
    switch (count) {
        SETMAXNREG_COUNTS(INC)
    }
}

static __device__ __forceinline__ void decrease(uint32_t count)
{
    switch (count) {
        SETMAXNREG_COUNTS(DEC)
    }
}

static __device__ __forceinline__ void run_step(const setmaxnreg_job &job, uint32_t i, long long start, uint32_t *output)
{
    const uint32_t op = job.step[i].op, count = job.step[i].count;
    while (clock64() - start < (long long)i * SETMAXNREG_SLOT_CLOCKS) continue;
    if (op == SETMAXNREG_INC)
        increase(count);
    else
        decrease(count);
    const uint32_t slot = (uint32_t)((clock64() - start) / SETMAXNREG_SLOT_CLOCKS);
    if (threadIdx.x % 32 == 0) output[i * SETMAXNREG_WARPS + threadIdx.x / 32 % SETMAXNREG_WARPS] = slot;
}

// Takes the jobs in turn; each begins and ends with `REGISTERS` for all.
template <uint32_t REGISTERS>
static __device__ __forceinline__ void run_jobs(const setmaxnreg_job *jobs, int count, uint32_t *outputs)
{
    __shared__ long long start;
    for (int at = blockIdx.x; at < count; at += gridDim.x) {
        const setmaxnreg_job &job = jobs[at];
        if (threadIdx.x == 0) start = clock64();
        __syncthreads(); // all see the start, and all have their registers
        const long long begin = start;
        for (uint32_t i = 0; i < job.count; i++)
            if (threadIdx.x / 128 == job.step[i].warpgroup) run_step(job, i, begin, outputs + job.output);
        while (clock64() - begin < (long long)job.count * SETMAXNREG_SLOT_CLOCKS) continue;
        decrease(SETMAXNREG_LEAST);
        __syncthreads(); // nobody takes before all have given, and nobody sets the start while it is read
        increase(REGISTERS);
    }
}

#define KERNEL(warpgroups, registers)                                                                                  \
    extern "C" __global__ void __launch_bounds__(128 * warpgroups, 1)                                                  \
        setmaxnreg_##warpgroups(const setmaxnreg_job *jobs, int count, uint32_t *outputs)                              \
    {                                                                                                                  \
        run_jobs<registers>(jobs, count, outputs);                                                                     \
    }
SETMAXNREG_LAUNCHES(KERNEL)
