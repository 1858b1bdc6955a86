// SPDX-License-Identifier: MIT
// Loads in a cluster, with and without multicast: each cluster takes jobs in turn. Every CTA fills its window with
// canaries and sets up its barrier, the issuers issue, every CTA waits for its barrier (bounded), drops it so that its
// true word can be read, and dumps word and window.
#include "device.cuh"
#include "multicast_job.h"

// Every load has the same operands, of which its text names some: %0 destination, %1 map or source, %2 barrier, %3 mask,
// %4 size, %5 to %9 coordinates, %10 to %12 im2col offsets.
#define COMPLETES ".mbarrier::complete_tx::bytes"
#define OPERANDS                                                                                                       \
    "r"(to), "l"(from), "r"(barrier), "h"((uint16_t)issue.mask), "r"(issue.size_bytes), "r"(issue.coord[0]),           \
        "r"(issue.coord[1]), "r"(issue.coord[2]), "r"(issue.coord[3]), "r"(issue.coord[4]), "h"(issue.offset[0]),      \
        "h"(issue.offset[1]), "h"(issue.offset[2])
#define LOAD(instruction, source, offsets)                                                                             \
    if (issue.is_multicast)                                                                                            \
        asm volatile("cp.async.bulk" instruction COMPLETES ".multicast::cluster [%0], " source ", [%2]" offsets        \
                     ", %3;" ::OPERANDS                                                                                \
                     : "memory");                                                                                      \
    else                                                                                                               \
        asm volatile("cp.async.bulk" instruction COMPLETES " [%0], " source ", [%2]" offsets ";" ::OPERANDS : "memory")

static __device__ void load(const multicast_job &job, const multicast_issue &issue, uint32_t to, uint32_t barrier)
{
    uint64_t from = job.mode == MULTICAST_BULK ? issue.from : (uint64_t)job.map;
    switch (job.mode << 4 | job.dims) {
    case LOAD_TILE << 4 | 1: LOAD(".tensor.1d.shared::cluster.global.tile", "[%1, {%5}]", ""); break;
    case LOAD_TILE << 4 | 2: LOAD(".tensor.2d.shared::cluster.global.tile", "[%1, {%5, %6}]", ""); break;
    case LOAD_TILE << 4 | 3: LOAD(".tensor.3d.shared::cluster.global.tile", "[%1, {%5, %6, %7}]", ""); break;
    case LOAD_TILE << 4 | 4: LOAD(".tensor.4d.shared::cluster.global.tile", "[%1, {%5, %6, %7, %8}]", ""); break;
    case LOAD_TILE << 4 | 5: LOAD(".tensor.5d.shared::cluster.global.tile", "[%1, {%5, %6, %7, %8, %9}]", ""); break;
    case LOAD_IM2COL << 4 | 3:
        LOAD(".tensor.3d.shared::cluster.global.im2col", "[%1, {%5, %6, %7}]", ", {%10}");
        break;
    case LOAD_IM2COL << 4 | 4:
        LOAD(".tensor.4d.shared::cluster.global.im2col", "[%1, {%5, %6, %7, %8}]", ", {%10, %11}");
        break;
    case LOAD_IM2COL << 4 | 5:
        LOAD(".tensor.5d.shared::cluster.global.im2col", "[%1, {%5, %6, %7, %8, %9}]", ", {%10, %11, %12}");
        break;
    case MULTICAST_BULK << 4: LOAD(".shared::cluster.global", "[%1], %4", ""); break;
    }
}

static __device__ void announce(const multicast_job &job, uint64_t *barrier, uint32_t expect_bytes)
{
    start_barrier(barrier, 1);
    if (job.mode != MULTICAST_BULK)
        ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_sys, job.map, ptx::n32_t<128>());
    expect(barrier, expect_bytes);
}

static __device__ void run_job(const multicast_job &job, char *shared, char *output, uint32_t rank, uint32_t ranks,
                               bool is_cluster)
{
    uint64_t *barrier = (uint64_t *)(shared + job.barrier);
    uint32_t window_bytes = job.window_end - job.window;
    char *words = output + job.output, *window = words + (ranks + 1) / 2 * 16 + rank * window_bytes;

    fill(shared, job.window, job.window_end, [&](uint32_t at) { return load_canary(rank << 24 | at); });
    ptx::fence_proxy_async(); // copies of any CTA write over them
    __syncthreads();
    if (threadIdx.x == 0) announce(job, barrier, job.expect[rank]);
    meet(is_cluster); // all canaries and barriers are there
    for (uint32_t i = 0; i < job.issues && threadIdx.x == 0; i++) {
        const multicast_issue &issue = job.issue[i];
        if (issue.issuer == rank)
            load(job, issue, map_to_rank(issue.shared, issue.to_rank), map_to_rank(job.barrier, issue.barrier_rank));
    }
    if (threadIdx.x == 0) wait_or_settle(barrier, job.settle);
    meet(is_cluster); // nobody's barrier is signalled any more
    if (threadIdx.x == 0) ((uint64_t *)words)[rank] = final_word(barrier);
    dump(window, shared + job.window, window_bytes);
}

// `cluster` is the cluster attribute of the launch, 0 for none.
extern "C" __global__ void __launch_bounds__(MULTICAST_THREADS)
    multicast_jobs(const multicast_job *jobs, int count, char *output, uint32_t cluster)
{
    extern __shared__ __align__(1024) char dynamic[];
    char *shared = shared_from_0(dynamic, LOAD_SHARED_START);
    uint32_t rank = ptx::get_sreg_cluster_ctarank(), ranks = ptx::get_sreg_cluster_nctarank();
    bool is_cluster = cluster > 0;

    for (int i = blockIdx.x / ranks; i < count; i += gridDim.x / ranks) {
        run_job(jobs[i], shared, output, rank, ranks, is_cluster);
        meet(is_cluster);
    }
}
