// SPDX-License-Identifier: MIT
// Tensor loads: each CTA takes jobs in turn; fills its window with canaries, loads one box, waits for its barrier
// (bounded), drops the barrier so that its true word can be read, and dumps window and word.
#include "load_job.h"
#include "tensor_copy.cuh"

static __device__ uint64_t run_job(const load_job &job, char *shared, uint64_t *barrier)
{
    start_barrier(barrier, 1);
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_sys, job.map, ptx::n32_t<128>()); // the host wrote it
    expect(barrier, job.expect_bytes);
    if (job.mode == LOAD_IM2COL)
        load_im2col(job.dims, job.map, job.coord, job.offset, shared + job.shared, barrier);
    else
        load_tile(job.dims, job.map, job.coord, shared + job.shared, barrier);
    wait_or_settle(barrier, job.settle);
    return final_word(barrier);
}

extern "C" __global__ void __launch_bounds__(LOAD_THREADS) load_jobs(const load_job *jobs, int count, char *output)
{
    extern __shared__ __align__(1024) char dynamic[];
    char *shared = shared_from_0(dynamic, LOAD_SHARED_START);
    uint64_t *barrier = (uint64_t *)(shared + LOAD_BARRIER);

    for (int i = blockIdx.x; i < count; i += gridDim.x) {
        const load_job &job = jobs[i];
        fill(shared, job.window, job.window_end, load_canary);
        ptx::fence_proxy_async(); // the load writes over what this thread wrote here, and read for the job before
        __syncthreads();
        if (threadIdx.x == 0) *(uint64_t *)(output + job.output - 8) = run_job(job, shared, barrier);
        __syncthreads(); // what thread 0 waited for, all may read
        dump(output + job.output, shared + job.window, job.window_end - job.window);
        __syncthreads(); // all have read it
    }
}
