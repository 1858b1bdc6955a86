// SPDX-License-Identifier: MIT
// Wrong tiles, made on purpose: each CTA takes jobs in turn; fills its window with canaries, issues the job's loads and
// dumps the window when the job says so, which may be too early. Every wait is bounded.
#include "diagnose_job.h"
#include "tensor_copy.cuh"

static __device__ void issue(const diagnose_job_load &job, char *shared, uint64_t *barrier)
{
    void *to = shared + job.shared;
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_sys, job.map, ptx::n32_t<128>());
    if (job.mode == LOAD_IM2COL)
        load_im2col(job.dims, job.map, job.coord, job.offset, to, barrier);
    else
        load_tile(job.dims, job.map, job.coord, to, barrier);
}

static __device__ void run_earlier(const diagnose_job &job, char *shared, uint64_t *barrier)
{
    start_barrier(barrier, 1);
    for (uint32_t i = 0; i < job.earlier; i++) {
        ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, barrier, job.load[i].bytes);
        issue(job.load[i], shared, barrier);
    }
    ptx::mbarrier_arrive(barrier);
    wait_or_settle(barrier, false);
    final_word(barrier);
}

static __device__ void run_loads(const diagnose_job &job, char *shared, uint64_t *barrier)
{
    start_barrier(barrier, 1);
    if (job.announce) expect(barrier, job.expect_bytes);
    for (uint32_t i = job.earlier; i < job.loads; i++) issue(job.load[i], shared, barrier);
}

extern "C" __global__ void __launch_bounds__(LOAD_THREADS) diagnose_jobs(const diagnose_job *jobs, int count, char *output)
{
    extern __shared__ __align__(1024) char dynamic[];
    char *shared = shared_from_0(dynamic, LOAD_SHARED_START);
    uint64_t *barrier = (uint64_t *)(shared + LOAD_BARRIER);

    for (int i = blockIdx.x; i < count; i += gridDim.x) {
        const diagnose_job &job = jobs[i];
        fill(shared, job.window, job.window_end, load_canary);
        ptx::fence_proxy_async(); // the loads write over the canaries, and over what was read for the job before
        __syncthreads();
        if (threadIdx.x == 0 && job.earlier > 0)
            run_earlier(job, shared, (uint64_t *)(shared + DIAGNOSE_EARLIER_BARRIER));
        if (threadIdx.x == 0) run_loads(job, shared, barrier);
        if (threadIdx.x == 0 && job.clocks < 0) wait_or_settle(barrier, job.settle);
        __syncthreads();
        stay(job.clocks);
        dump(output + job.output, shared + job.window, job.window_end - job.window);
        if (threadIdx.x == 0 && job.clocks >= 0) wait_or_settle(barrier, job.settle);
        __syncthreads();
        if (threadIdx.x == 0) *(uint64_t *)(output + job.output - 8) = final_word(barrier);
        __syncthreads();
    }
}
