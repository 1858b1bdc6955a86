// SPDX-License-Identifier: MIT
// How long single copies, loads and barriers take, in clocks of the SM: `tmaref bench latency`. One cluster, nothing else
// on the GPU; a round begins when the one before is over.
#include <cuda.h>

#include "device.cuh"
#include "latency_job.h"

static const uint32_t TEST_TRIES = 1 << 20; // each some 20 clocks

// The shared addresses of this CTA, and of the next one in the cluster.
struct places {
    uint32_t barrier, data, next_barrier, next_data;
    uint64_t *clocks; // of each round
};

static __device__ __forceinline__ uint32_t in_next_cta(uint32_t address)
{
    return map_to_rank(address, (ptx::get_sreg_cluster_ctarank() + 1) % ptx::get_sreg_cluster_nctarank());
}

// By test_wait: try_wait would sleep in between, and wake late.
static __device__ __forceinline__ void wait(uint32_t barrier, uint32_t phase)
{
    uint32_t done = 0;
    for (uint32_t tries = 0; !done; tries++) {
        if (tries == TEST_TRIES) __trap();
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(barrier), "r"(phase & 1)
                     : "memory");
    }
}

// --- Rounds ------------------------------------------------------------------------------------------------------------

static __device__ __forceinline__ void cluster_sync(bool is_relaxed)
{
    if (is_relaxed)
        asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    else
        asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Each address depends on the word before, which is 0.
template <uint32_t KIND>
static __device__ __forceinline__ uint32_t load_words(const latency_job &job, const places &at, uint64_t from)
{
    uint32_t word = 0, step = job.stride_bytes / LATENCY_WORDS;
#pragma unroll
    for (uint32_t i = 0; i < LATENCY_WORDS; i++) {
        if (KIND == LATENCY_SHARED_WORD)
            asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(at.data + word) : "memory");
        else if (KIND == LATENCY_REMOTE_WORD)
            asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(word) : "r"(at.next_data + word) : "memory");
        else
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word) : "l"(from + i * step + word) : "memory");
    }
    return word;
}

static __device__ __forceinline__ void copy_16(const places &at, uint64_t from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at.data), "l"(from) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
}

static __device__ __forceinline__ void bulk_load(const latency_job &job, const places &at, uint64_t from, uint32_t round)
{
    expect(at_shared(at.barrier), job.size_bytes);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, at_shared(at.data), reinterpret_cast<void *>(from),
                       job.size_bytes, at_shared(at.barrier));
    wait(at.barrier, round);
}

static __device__ __forceinline__ void tensor_load(const CUtensorMap *map, const latency_job &job, const places &at, uint32_t round)
{
    const int32_t coord[2] = {0, (int32_t)(job.stride_bytes / LATENCY_ROW_BYTES * round)};
    expect(at_shared(at.barrier), job.size_bytes);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, at_shared(at.data), map, coord,
                              at_shared(at.barrier));
    wait(at.barrier, round);
}

template <uint32_t KIND>
static __device__ __forceinline__ void bulk_store(const latency_job &job, const places &at, uint64_t to)
{
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, reinterpret_cast<void *>(to), at_shared(at.data),
                       job.size_bytes);
    ptx::cp_async_bulk_commit_group();
    if (KIND == LATENCY_BULK_STORE_READ)
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    else
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

static __device__ __forceinline__ void send_to_next(const latency_job &job, const places &at)
{
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, at_shared(at.next_data + LATENCY_MOST_BYTES / 2),
                       at_shared(at.data), job.size_bytes, at_shared(at.next_barrier));
}

// CTA 0 sends, CTA 1 sends back. Each expects before it sends, or before anything can come.
static __device__ __forceinline__ void there_and_back(const latency_job &job, const places &at, uint32_t round)
{
    bool is_first = blockIdx.x == 0;
    if (is_first) send_to_next(job, at);
    wait(at.barrier, round);
    expect(at_shared(at.barrier), job.size_bytes);
    if (!is_first) send_to_next(job, at);
}

// Returns a word that nobody needs, so that loads are waited for.
template <uint32_t KIND>
static __device__ __forceinline__ uint32_t run_round(const CUtensorMap *map, const latency_job &job, const places &at,
                                                     uint64_t from, uint64_t to, uint32_t round)
{
    if (KIND == LATENCY_SHARED_WORD || KIND == LATENCY_REMOTE_WORD || KIND == LATENCY_GLOBAL_WORD)
        return load_words<KIND>(job, at, from);
    if (KIND == LATENCY_COPY_16) copy_16(at, from);
    if (KIND == LATENCY_BULK_LOAD) bulk_load(job, at, from, round);
    if (KIND == LATENCY_TENSOR_LOAD) tensor_load(map, job, at, round);
    if (KIND == LATENCY_BULK_STORE_READ || KIND == LATENCY_BULK_STORE) bulk_store<KIND>(job, at, to);
    if (KIND == LATENCY_BULK_REMOTE) there_and_back(job, at, round);
    if (KIND == LATENCY_SYNCTHREADS)
#pragma unroll
        for (int i = 0; i < LATENCY_WORDS; i++) asm volatile("bar.sync 0;" ::: "memory");
    if (KIND == LATENCY_CLUSTER_SYNC || KIND == LATENCY_CLUSTER_SYNC_RELAXED)
        cluster_sync(KIND == LATENCY_CLUSTER_SYNC_RELAXED);
    return 0;
}

// The clock after `word` is there: its use stands before the read.
static __device__ __forceinline__ long long clock_after(uint32_t word)
{
    if (word != 0) __trap();
    return clock64();
}

// The clocks are kept in shared memory: a store to global memory would be waited for by the next round's release.
template <uint32_t KIND>
static __device__ __forceinline__ void run_rounds(const CUtensorMap *map, const latency_job &job, const places &at)
{
    bool takes_all_threads = KIND >= LATENCY_SYNCTHREADS;
    bool takes_all_ctas = takes_all_threads || KIND == LATENCY_BULK_REMOTE;
    if ((blockIdx.x != 0 && !takes_all_ctas) || (threadIdx.x != 0 && !takes_all_threads)) return;
    uint64_t from = job.from, to = job.to;
    for (uint32_t round = 0; round < LATENCY_ROUNDS; round++, from += job.stride_bytes, to += job.stride_bytes) {
        long long start = clock64();
        uint32_t word = run_round<KIND>(map, job, at, from, to, round);
        long long end = clock_after(word);
        if (threadIdx.x == 0) at.clocks[round] = (uint64_t)(end - start);
    }
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    for (uint32_t round = 0; round < LATENCY_ROUNDS; round++) ((uint64_t *)job.clocks)[round] = at.clocks[round];
}

extern "C" __global__ void latency(const __grid_constant__ CUtensorMap map, const __grid_constant__ latency_job job)
{
    extern __shared__ __align__(1024) char dynamic[];
    uint32_t base = shared_address(dynamic);
    places at = {base, base + LATENCY_DATA, in_next_cta(base), in_next_cta(base + LATENCY_DATA),
                 (uint64_t *)(dynamic + LATENCY_CLOCKS)};
    for (uint32_t i = 4 * threadIdx.x; i < LATENCY_SHARED_BYTES; i += 4 * blockDim.x) *(uint32_t *)(dynamic + i) = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        start_barrier(at_shared(at.barrier), 1);
        if (job.kind == LATENCY_BULK_REMOTE) expect(at_shared(at.barrier), job.size_bytes);
    }
    ptx::fence_proxy_async(); // zeros, before the copies
    __syncthreads();
    cluster_sync(false);
    switch (job.kind) {
#define CASE(name, text)                                                                                               \
    case LATENCY_##name:                                                                                               \
        run_rounds<LATENCY_##name>(&map, job, at);                                                                     \
        break;
        LATENCY_KINDS(CASE)
#undef CASE
    }
    __syncthreads();
    cluster_sync(false); // the others stay as long as somebody reads from them
}
