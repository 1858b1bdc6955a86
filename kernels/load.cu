// SPDX-License-Identifier: MIT
// Tensor loads: each CTA takes jobs in turn; fills its window with canaries, loads one box, waits for its barrier
// (bounded), drops the barrier so that its true word can be read, and dumps window and word.
#include <cuda/ptx>

#include "load_job.h"

namespace ptx = cuda::ptx;

// A phase that has not completed after this many clocks (about a millisecond) never will.
static const long long WAIT_CLOCKS = 2000000;

template <int dims> static __device__ void load(const load_job &job, void *destination, uint64_t *barrier)
{
    int32_t coord[dims];
    for (int i = 0; i < dims; i++) coord[i] = job.coord[i];
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, destination, job.map, coord, barrier);
}

// cuda::ptx has no im2col loads: one wrapper for each rank.
static __device__ void im2col_3d(const load_job &job, uint32_t destination, uint32_t barrier)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %4}], [%5], {%6};" ::"r"(destination),
                 "l"(job.map), "r"(job.coord[0]), "r"(job.coord[1]), "r"(job.coord[2]), "r"(barrier),
                 "h"(job.offset[0])
                 : "memory");
}

static __device__ void im2col_4d(const load_job &job, uint32_t destination, uint32_t barrier)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(destination),
                 "l"(job.map), "r"(job.coord[0]), "r"(job.coord[1]), "r"(job.coord[2]), "r"(job.coord[3]),
                 "r"(barrier), "h"(job.offset[0]), "h"(job.offset[1])
                 : "memory");
}

static __device__ void im2col_5d(const load_job &job, uint32_t destination, uint32_t barrier)
{
    asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %4, %5, %6}], [%7], {%8, %9, %10};" ::"r"(destination),
                 "l"(job.map), "r"(job.coord[0]), "r"(job.coord[1]), "r"(job.coord[2]), "r"(job.coord[3]),
                 "r"(job.coord[4]), "r"(barrier), "h"(job.offset[0]), "h"(job.offset[1]), "h"(job.offset[2])
                 : "memory");
}

static __device__ void load_im2col(const load_job &job, void *destination, uint64_t *barrier)
{
    uint32_t to = (uint32_t)__cvta_generic_to_shared(destination);
    uint32_t signal = (uint32_t)__cvta_generic_to_shared(barrier);
    switch (job.dims) {
    case 3: im2col_3d(job, to, signal); break;
    case 4: im2col_4d(job, to, signal); break;
    case 5: im2col_5d(job, to, signal); break;
    }
}

static __device__ void load_of_rank(const load_job &job, void *destination, uint64_t *barrier)
{
    switch (job.dims) {
    case 1: load<1>(job, destination, barrier); break;
    case 2: load<2>(job, destination, barrier); break;
    case 3: load<3>(job, destination, barrier); break;
    case 4: load<4>(job, destination, barrier); break;
    case 5: load<5>(job, destination, barrier); break;
    }
}

// Waits for phase 0 and acquires what the copy wrote; or for the whole time where the barrier cannot tell. A phase that
// does not come is a result: the word says so.
static __device__ void wait(uint64_t *barrier, bool settle)
{
    for (long long start = clock64(); clock64() - start < WAIT_CLOCKS;)
        if (ptx::mbarrier_test_wait_parity(barrier, 0) && !settle) return;
}

// The word as the barrier unit has it: mbarrier.inval writes it back.
static __device__ uint64_t final_word(uint64_t *barrier)
{
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"((uint32_t)__cvta_generic_to_shared(barrier)) : "memory");
    return *(volatile uint64_t *)barrier;
}

static __device__ uint64_t run_job(const load_job &job, char *shared, uint64_t *barrier)
{
    ptx::mbarrier_init(barrier, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster); // the copy signals it
    ptx::fence_proxy_async();
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_sys, job.map, ptx::n32_t<128>()); // the host wrote it
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier, job.expect_bytes);
    if (job.mode == LOAD_IM2COL)
        load_im2col(job, shared + job.shared, barrier);
    else
        load_of_rank(job, shared + job.shared, barrier);
    wait(barrier, job.settle);
    return final_word(barrier);
}

extern "C" __global__ void __launch_bounds__(LOAD_THREADS) load_jobs(const load_job *jobs, int count, char *output)
{
    extern __shared__ __align__(1024) char dynamic[];
    char *shared = dynamic - LOAD_SHARED_START; // shared + address is the byte at that shared address
    uint64_t *barrier = (uint64_t *)(shared + LOAD_BARRIER);
    if (__cvta_generic_to_shared(dynamic) != LOAD_SHARED_START) __trap();

    for (int i = blockIdx.x; i < count; i += gridDim.x) {
        const load_job &job = jobs[i];
        for (uint32_t at = job.window + 4 * threadIdx.x; at < job.window_end; at += 4 * LOAD_THREADS)
            *(uint32_t *)(shared + at) = load_canary(at);
        ptx::fence_proxy_async(); // the load writes over what this thread wrote here, and read for the job before
        __syncthreads();
        if (threadIdx.x == 0) *(uint64_t *)(output + job.output - 8) = run_job(job, shared, barrier);
        __syncthreads(); // what thread 0 waited for, all may read
        for (uint32_t at = job.window + 16 * threadIdx.x; at < job.window_end; at += 16 * LOAD_THREADS)
            *(uint4 *)(output + job.output + (at - job.window)) = *(uint4 *)(shared + at);
        __syncthreads(); // all have read it
    }
}
