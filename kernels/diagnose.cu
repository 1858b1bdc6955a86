// SPDX-License-Identifier: MIT
// Wrong tiles, made on purpose: each CTA takes jobs in turn; fills its window with canaries, issues the job's loads and
// dumps the window when the job says so, which may be too early. Every wait is bounded.
#include <cuda/ptx>

#include "diagnose_job.h"

namespace ptx = cuda::ptx;

// A phase that has not completed after this many clocks (about a millisecond) never will.
static const long long WAIT_CLOCKS = 2000000;

template <int dims> static __device__ void load(const diagnose_job_load &load, void *destination, uint64_t *barrier)
{
    int32_t coord[dims];
    for (int i = 0; i < dims; i++) coord[i] = load.coord[i];
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, destination, load.map, coord, barrier);
}

// cuda::ptx has no im2col loads: one wrapper for each rank.
static __device__ void im2col(const diagnose_job_load &load, uint32_t to, uint32_t signal)
{
    const int32_t *c = load.coord;
    const uint16_t *o = load.offset;
    switch (load.dims) {
    case 3:
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%2, %3, %4}], [%5], {%6};" ::"r"(to),
                     "l"(load.map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(signal), "h"(o[0])
                     : "memory");
        break;
    case 4:
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(to),
                     "l"(load.map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(signal), "h"(o[0]), "h"(o[1])
                     : "memory");
        break;
    case 5:
        asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%2, %3, %4, %5, %6}], [%7], {%8, %9, %10};" ::"r"(to),
                     "l"(load.map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]), "r"(signal), "h"(o[0]),
                     "h"(o[1]), "h"(o[2])
                     : "memory");
        break;
    }
}

static __device__ void issue(const diagnose_job_load &job, char *shared, uint64_t *barrier)
{
    void *to = shared + job.shared;
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_sys, job.map, ptx::n32_t<128>());
    if (job.mode == LOAD_IM2COL) {
        im2col(job, (uint32_t)__cvta_generic_to_shared(to), (uint32_t)__cvta_generic_to_shared(barrier));
        return;
    }
    switch (job.dims) {
    case 1: load<1>(job, to, barrier); break;
    case 2: load<2>(job, to, barrier); break;
    case 3: load<3>(job, to, barrier); break;
    case 4: load<4>(job, to, barrier); break;
    case 5: load<5>(job, to, barrier); break;
    }
}

static __device__ void init(uint64_t *barrier)
{
    ptx::mbarrier_init(barrier, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster); // the copies signal it
    ptx::fence_proxy_async();
}

// Waits for phase 0 and acquires what the loads wrote; or for the whole time where the barrier cannot tell.
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

static __device__ void run_earlier(const diagnose_job &job, char *shared, uint64_t *barrier)
{
    init(barrier);
    for (uint32_t i = 0; i < job.earlier; i++) {
        ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, barrier, job.load[i].bytes);
        issue(job.load[i], shared, barrier);
    }
    ptx::mbarrier_arrive(barrier);
    wait(barrier, false);
    final_word(barrier);
}

static __device__ void run_loads(const diagnose_job &job, char *shared, uint64_t *barrier)
{
    init(barrier);
    if (job.announce)
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier, job.expect_bytes);
    for (uint32_t i = job.earlier; i < job.loads; i++) issue(job.load[i], shared, barrier);
}

extern "C" __global__ void __launch_bounds__(LOAD_THREADS) diagnose_jobs(const diagnose_job *jobs, int count, char *output)
{
    extern __shared__ __align__(1024) char dynamic[];
    char *shared = dynamic - LOAD_SHARED_START; // shared + address is the byte at that shared address
    uint64_t *barrier = (uint64_t *)(shared + LOAD_BARRIER);
    if (__cvta_generic_to_shared(dynamic) != LOAD_SHARED_START) __trap();

    for (int i = blockIdx.x; i < count; i += gridDim.x) {
        const diagnose_job &job = jobs[i];
        for (uint32_t at = job.window + 4 * threadIdx.x; at < job.window_end; at += 4 * LOAD_THREADS)
            *(uint32_t *)(shared + at) = load_canary(at);
        ptx::fence_proxy_async(); // the loads write over the canaries, and over what was read for the job before
        __syncthreads();
        if (threadIdx.x == 0 && job.earlier > 0)
            run_earlier(job, shared, (uint64_t *)(shared + DIAGNOSE_EARLIER_BARRIER));
        if (threadIdx.x == 0) run_loads(job, shared, barrier);
        if (threadIdx.x == 0 && job.clocks < 0) wait(barrier, job.settle);
        __syncthreads();
        for (long long start = clock64(); clock64() - start < job.clocks;) continue;
        for (uint32_t at = job.window + 16 * threadIdx.x; at < job.window_end; at += 16 * LOAD_THREADS)
            *(uint4 *)(output + job.output + (at - job.window)) = *(uint4 *)(shared + at);
        if (threadIdx.x == 0 && job.clocks >= 0) wait(barrier, job.settle);
        __syncthreads();
        if (threadIdx.x == 0) *(uint64_t *)(output + job.output - 8) = final_word(barrier);
        __syncthreads();
    }
}
