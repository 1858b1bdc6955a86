// SPDX-License-Identifier: MIT
// One instruction with operands that may be wrong. CTA 0 of a cluster (or a CTA alone) fills its shared memory, thread
// 0 issues, all wait for a fixed time (a barrier that is not told cannot tell), and both CTAs dump what may have changed.
#include "device.cuh"
#include "misuse_job.h"

// Longer than any copy of a job takes, with all others in flight (about 20 microseconds).
static const long long SETTLE_CLOCKS = 40000;

// --- Instructions: each with and without a cache hint ------------------------------------------------------------------

#define HINTED(text, hint_text, operands, ...)                                                                         \
    if (job.has_hint)                                                                                                  \
        asm volatile(text ".L2::cache_hint" hint_text ::__VA_ARGS__, "l"(job.policy) : "memory");                      \
    else                                                                                                               \
        asm volatile(text operands ::__VA_ARGS__ : "memory")

static __device__ void tile(const misuse_job &job)
{
    switch (job.operation) {
    case MISUSE_TILE_LOAD:
        HINTED("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes",
               " [%0], [%1, {%2, %3}], [%4], %5;", " [%0], [%1, {%2, %3}], [%4];", "r"(job.shared), "l"(job.map),
               "r"(job.coord[0]), "r"(job.coord[1]), "r"(job.barrier));
        break;
    case MISUSE_TILE_STORE:
        HINTED("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group", " [%1, {%2, %3}], [%0], %4;",
               " [%1, {%2, %3}], [%0];", "r"(job.shared), "l"(job.map), "r"(job.coord[0]), "r"(job.coord[1]));
        break;
    case MISUSE_TILE_REDUCE:
        HINTED("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group", " [%1, {%2, %3}], [%0], %4;",
               " [%1, {%2, %3}], [%0];", "r"(job.shared), "l"(job.map), "r"(job.coord[0]), "r"(job.coord[1]));
        break;
    }
}

static __device__ void bulk(const misuse_job &job, uint64_t global)
{
    switch (job.operation) {
    case MISUSE_BULK_LOAD:
        HINTED("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes", " [%0], [%1], %2, [%3], %4;",
               " [%0], [%1], %2, [%3];", "r"(job.shared), "l"(global), "r"(job.size_bytes), "r"(job.barrier));
        break;
    case MISUSE_BULK_STORE:
        HINTED("cp.async.bulk.global.shared::cta.bulk_group", " [%1], [%0], %2, %3;", " [%1], [%0], %2;",
               "r"(job.shared), "l"(global), "r"(job.size_bytes));
        break;
    case MISUSE_BULK_REDUCE:
        if (job.has_hint)
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.u32 [%1], [%0], %2, %3;"
                         ::"r"(job.shared), "l"(global), "r"(job.size_bytes), "l"(job.policy)
                         : "memory");
        else
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%1], [%0], %2;"
                         ::"r"(job.shared), "l"(global), "r"(job.size_bytes)
                         : "memory");
        break;
    case MISUSE_BULK_SHARED:
        asm volatile(
            "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                job.shared),
            "r"(job.other), "r"(job.size_bytes), "r"(job.barrier)
            : "memory");
        break;
    }
}

static __device__ void prefetch_tile(const misuse_job &job)
{
    switch (job.dims) {
    case 1:
        HINTED("cp.async.bulk.prefetch.tensor.1d.L2.global.tile", " [%0, {%1}], %2;", " [%0, {%1}];", "l"(job.map),
               "r"(job.coord[0]));
        break;
    case 2:
        HINTED("cp.async.bulk.prefetch.tensor.2d.L2.global.tile", " [%0, {%1, %2}], %3;", " [%0, {%1, %2}];",
               "l"(job.map), "r"(job.coord[0]), "r"(job.coord[1]));
        break;
    case 3:
        HINTED("cp.async.bulk.prefetch.tensor.3d.L2.global.tile", " [%0, {%1, %2, %3}], %4;", " [%0, {%1, %2, %3}];",
               "l"(job.map), "r"(job.coord[0]), "r"(job.coord[1]), "r"(job.coord[2]));
        break;
    }
}

static __device__ void prefetch(const misuse_job &job, uint64_t global, uint64_t pointer)
{
    switch (job.operation) {
    case MISUSE_PREFETCH_BULK:
        HINTED("cp.async.bulk.prefetch.L2.global", " [%0], %1, %2;", " [%0], %1;", "l"(global), "r"(job.size_bytes));
        break;
    case MISUSE_PREFETCH_TILE: prefetch_tile(job); break;
    case MISUSE_PREFETCH_IM2COL:
        HINTED("cp.async.bulk.prefetch.tensor.3d.L2.global.im2col", " [%0, {%1, %2, %3}], {%4}, %5;",
               " [%0, {%1, %2, %3}], {%4};", "l"(job.map), "r"(job.coord[0]), "r"(job.coord[1]), "r"(job.coord[2]),
               "h"((uint16_t)job.offset));
        break;
    case MISUSE_PREFETCH_MAP: asm volatile("prefetch.tensormap [%0];" ::"l"(pointer) : "memory"); break;
    case MISUSE_ACQUIRE_MAP:
        asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(pointer) : "memory");
        break;
    }
}

// A load, a store, an atomic, an arrive: what it wrote to its register.
static __device__ uint64_t access(const misuse_job &job, uint64_t global)
{
    uint32_t word = 0;
    uint64_t token = 0;
    switch (job.operation) {
    case MISUSE_LOAD_SHARED:
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(job.shared) : "memory");
        return word;
    case MISUSE_STORE_SHARED:
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(job.shared), "r"(job.seed) : "memory");
        return 0;
    case MISUSE_ATOMIC_SHARED:
        asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(word) : "r"(job.shared), "r"(job.seed) : "memory");
        return word;
    case MISUSE_ARRIVE_SHARED:
        asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(token) : "r"(job.barrier) : "memory");
        return token >> 32; // the lower half carries no state
    case MISUSE_INIT_SHARED:
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(job.barrier), "r"((uint32_t)MISUSE_INIT_COUNT)
                     : "memory");
        return 0;
    case MISUSE_TEST_SHARED:
        asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
                     : "=r"(word)
                     : "r"(job.barrier)
                     : "memory");
        return word;
    case MISUSE_EXPECT_SHARED:
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(job.barrier),
                     "r"((uint32_t)MISUSE_EXPECT_BYTES)
                     : "memory");
        return 0;
    case MISUSE_ARRIVE_GENERIC:
        asm volatile("mbarrier.arrive.b64 %0, [%1];" : "=l"(token) : "l"(global) : "memory");
        return token >> 32;
    case MISUSE_LOAD_GLOBAL:
        if (job.has_hint)
            asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;"
                         : "=r"(word)
                         : "l"(global), "l"(job.policy)
                         : "memory");
        else
            asm volatile("ld.global.u32 %0, [%1];" : "=r"(word) : "l"(global) : "memory");
        return word;
    case MISUSE_STORE_GLOBAL:
        if (job.has_hint)
            asm volatile("st.global.L2::cache_hint.u32 [%0], %1, %2;" ::"l"(global), "r"(job.seed), "l"(job.policy)
                         : "memory");
        else
            asm volatile("st.global.u32 [%0], %1;" ::"l"(global), "r"(job.seed) : "memory");
        return 0;
    }
    return 0;
}

// --- A job -----------------------------------------------------------------------------------------------------------

// The whole warp, for copy_map is an instruction of the warp.
static __device__ uint64_t issue(const misuse_job &job, char *shared)
{
    uint64_t global = job.is_window & MISUSE_GLOBAL ? (uint64_t)(shared + job.global) : job.global;
    uint64_t pointer = job.is_window & MISUSE_POINTER ? (uint64_t)(shared + job.pointer) : job.pointer, value = 0;
    if (job.operation == MISUSE_COPY_MAP)
        asm volatile(
            "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::
                "l"(global),
            "r"(job.shared)
            : "memory");
    if (threadIdx.x != 0) return 0;
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_sys, job.map, ptx::n32_t<128>());
    if (job.operation <= MISUSE_TILE_REDUCE)
        tile(job);
    else if (job.operation <= MISUSE_BULK_SHARED)
        bulk(job, global);
    else if (job.operation <= MISUSE_ACQUIRE_MAP)
        prefetch(job, global, pointer);
    else
        value = access(job, global);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    stay(SETTLE_CLOCKS);
    return value;
}

static __device__ void prepare(const misuse_job &job, char *shared, misuse_output *output, uint32_t rank)
{
    uint64_t *barriers = (uint64_t *)(shared + MISUSE_BARRIER_START);
    fill(shared, MISUSE_SHARED_START, MISUSE_FILL_START, [](uint32_t) { return (uint64_t)0; });
    fill(shared, MISUSE_FILL_START, MISUSE_SHARED_END, [&](uint32_t at) { return misuse_word(job.seed, at); });
    if (rank == 0)
        fill((char *)output->global, 0, MISUSE_GLOBAL_BYTES,
             [&](uint32_t at) { return misuse_word(job.seed + 1, at); });
    __syncthreads();
    if (threadIdx.x == 0) start_barriers(barriers, MISUSE_BARRIERS, 1);
    __threadfence();
    ptx::fence_proxy_async(); // copies read and write what was filled, and signal the barriers
}

static __device__ void dump_all(const misuse_job &job, char *shared, misuse_output *output, uint32_t rank)
{
    if (threadIdx.x == 0) {
        for (int i = 0; i < MISUSE_BARRIERS; i++) write_back((uint64_t *)(shared + MISUSE_BARRIER_START) + i);
        if (job.dropped != 0) write_back((uint64_t *)(shared + job.dropped));
    }
    __syncthreads();
    uint64_t sum = 0;
    for (uint32_t at = MISUSE_SHARED_START + 8 * threadIdx.x; at < MISUSE_SHARED_END; at += 8 * MISUSE_THREADS)
        sum += *(volatile uint64_t *)(shared + at) * (2 * at + 1);
    atomicAdd((unsigned long long *)&output->sum[rank], (unsigned long long)sum);
    if (rank != 0) return;
    for (uint32_t at = 8 * threadIdx.x; at < MISUSE_DUMP_BYTES; at += 8 * MISUSE_THREADS)
        output->shared[at / 8] = *(uint64_t *)(shared + MISUSE_DUMP_START + at);
    if (threadIdx.x < MISUSE_BARRIERS)
        output->barrier[threadIdx.x] = *(volatile uint64_t *)(shared + MISUSE_BARRIER_START + 8 * threadIdx.x);
}

extern "C" __global__ void __launch_bounds__(MISUSE_THREADS)
    misuse_jobs(const misuse_job *jobs, int count, char *outputs)
{
    extern __shared__ __align__(1024) char dynamic[];
    char *shared = shared_from_0(dynamic, MISUSE_SHARED_START);
    uint32_t rank = ptx::get_sreg_cluster_ctarank(), ranks = ptx::get_sreg_cluster_nctarank();

    for (int i = blockIdx.x / ranks; i < count; i += gridDim.x / ranks) {
        misuse_output *output = (misuse_output *)(outputs + jobs[i].output);
        if (threadIdx.x == 0) output->sum[rank] = 0;
        if (threadIdx.x == 0 && rank == 0) output->unused = 0;
        if (threadIdx.x == 0 && ranks == 1) output->sum[1] = 0;
        prepare(jobs[i], shared, output, rank);
        meet(ranks > 1);
        if (rank == 0 && threadIdx.x < 32) {
            uint64_t value = issue(jobs[i], shared);
            if (threadIdx.x == 0) output->value = value;
        }
        meet(ranks > 1);
        dump_all(jobs[i], shared, output, rank);
        meet(ranks > 1);
    }
}
