// SPDX-License-Identifier: MIT
// What the order kernels share: memory, accesses of one word, the tries of a job, and how words are judged.
#ifndef TMAREF_ORDER_CUH
#define TMAREF_ORDER_CUH

#include "device.cuh"
#include "order_job.h"

// Of global memory, for each CTA: what bulk stores write, and what bulk loads read.
static __device__ __align__(128) uint32_t global_words[ORDER_MOST_CTAS][ORDER_MOST_BYTES / 4];
static __device__ uint32_t global_flags[ORDER_MOST_CTAS];

struct memories {
    alignas(128) uint32_t words[ORDER_MOST_BYTES / 4], other[ORDER_MOST_BYTES / 4];
    alignas(128) uint32_t weights[64], junk[ORDER_JUNK_BYTES / 4];
    uint64_t barrier, loaded;
};
static_assert(sizeof(memories) <= ORDER_SHARED_BYTES, "what the launch gives");

static __device__ __forceinline__ memories &shared_memories()
{
    extern __shared__ __align__(128) char dynamic[];
    return *reinterpret_cast<memories *>(dynamic);
}

// --- Accesses --------------------------------------------------------------------------------------------------------

static __device__ __forceinline__ void store_shared(uint32_t address, uint32_t word)
{
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(address), "r"(word) : "memory");
}

static __device__ __forceinline__ uint32_t load_shared(uint32_t address)
{
    uint32_t word;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(word) : "r"(address) : "memory");
    return word;
}

static __device__ __forceinline__ void store_own(uint32_t address, uint32_t word)
{
    asm volatile("st.shared::cta.u32 [%0], %1;" ::"r"(address), "r"(word) : "memory");
}

static __device__ __forceinline__ uint32_t load_own(uint32_t address)
{
    uint32_t word;
    asm volatile("ld.shared::cta.u32 %0, [%1];" : "=r"(word) : "r"(address) : "memory");
    return word;
}

static __device__ __forceinline__ void store_global(uint32_t *to, uint32_t word)
{
    asm volatile("st.global.u32 [%0], %1;" ::"l"(to), "r"(word) : "memory");
}

static __device__ __forceinline__ uint32_t load_global(const uint32_t *from)
{
    uint32_t word;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(word) : "l"(from) : "memory");
    return word;
}

// --- A job -----------------------------------------------------------------------------------------------------------

static __device__ __forceinline__ bool takes_part(const order_job &job)
{
    return threadIdx.x < job.threads;
}

// Those that take part meet.
static __device__ __forceinline__ void meet_party(const order_job &job)
{
    asm volatile("bar.sync 1, %0;" ::"r"(job.threads) : "memory");
}

// Word number `n` of those that the threads take in turn.
static __device__ __forceinline__ uint32_t place_of(const order_job &job, uint32_t n)
{
    return job.conflicts ? n % 32 * (job.bytes / 128) + n / 32 : n;
}

template <class Each>
static __device__ __forceinline__ void each_word(const order_job &job, uint32_t thread, uint32_t threads, Each each)
{
    for (uint32_t n = thread; n < job.bytes / 4; n += threads) each(place_of(job, n));
}

// What was found: bit 0: a word of the wrong side; bit 1: a word of neither.
static __device__ __forceinline__ uint32_t judge(const order_job &job, uint32_t at, uint32_t word, uint32_t right,
                                                 uint32_t wrong)
{
    if (word == order_word(job.seed, at, right)) return 0;
    return word == order_word(job.seed, at, wrong) ? 1 : 2;
}

// The warps behind the producer's.
static __device__ __forceinline__ void disturb(const order_job &job, uint32_t ctas)
{
    if (!job.traffic || threadIdx.x < ORDER_HELPERS) return;
    const uint32_t junk = shared_address(shared_memories().junk) + threadIdx.x % 32 * 128;
    const uint32_t next = (ptx::get_sreg_cluster_ctarank() + 1) % ctas;
    const uint32_t to = map_to_rank(junk, next);
    for (uint32_t i = 0; i < ORDER_DISTURBANCES; i++)
        asm volatile("st.volatile.shared::cluster.u32 [%0], %1;" ::"r"(i % 2 && ctas > 1 ? to : junk), "r"(i) : "memory");
}

// The tries of a job. start(): what memory holds before the first; attempt(round): one try by all threads, whose result
// is a bit mask of judge(); `ctas`: of the cluster.
template <class Start, class Attempt>
static __device__ __forceinline__ void run(const order_job &job, uint32_t *output, uint32_t ctas, Start start,
                                           Attempt attempt)
{
    memories &shared = shared_memories();
    uint32_t found[ORDER_OUTPUT_WORDS] = {0, 0};
    if (threadIdx.x == 0) {
        start_barrier(&shared.barrier, job.threads);
        start_barrier(&shared.loaded, 1);
    }
    start();
    for (uint32_t round = 0; round < job.tries; round++) {
        __threadfence();
        ptx::fence_proxy_async();
        meet(ctas > 1);
        disturb(job, ctas);
        const uint32_t one = attempt(round);
        found[0] += __syncthreads_or(one & 1) != 0;
        found[1] += __syncthreads_or(one & 2) != 0;
    }
    meet(ctas > 1);
    if (threadIdx.x == 0) {
        ptx::fence_proxy_async();
        write_back(&shared.barrier);
        write_back(&shared.loaded);
        if (ptx::get_sreg_cluster_ctarank() == 0)
            for (int i = 0; i < ORDER_OUTPUT_WORDS; i++) output[job.output + i] = found[i];
    }
    __syncthreads();
}

// A kernel: the jobs by turns. BODY has `job` and `output`.
#define ORDER_KERNEL(name, ctas, ...)                                                                                  \
    extern "C" __global__ void __launch_bounds__(ORDER_THREADS) name(const order_job *jobs, int count, uint32_t *output) \
    {                                                                                                                  \
        if (gridDim.x > ORDER_MOST_CTAS) __trap();                                                                     \
        for (int i = blockIdx.x / (ctas); i < count; i += gridDim.x / (ctas)) {                                        \
            const order_job job = jobs[i];                                                                             \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }

static __device__ __forceinline__ void fill_words(const order_job &job, uint32_t *words, uint32_t round)
{
    for (uint32_t at = threadIdx.x; at < job.bytes / 4; at += ORDER_THREADS) words[at] = order_word(job.seed, at, round);
}

static __device__ __forceinline__ void bulk_store(uint32_t *to, const uint32_t *from, uint32_t bytes)
{
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to, from, bytes);
    ptx::cp_async_bulk_commit_group();
}

// A bulk load into shared memory by one thread, which waits for it: the `round`-th of the job.
static __device__ __forceinline__ void bulk_load(uint32_t *to, const uint32_t *from, uint32_t bytes, uint32_t round)
{
    memories &shared = shared_memories();
    expect(&shared.loaded, bytes);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, from, bytes, &shared.loaded);
    while (!ptx::mbarrier_try_wait_parity(&shared.loaded, round & 1)) continue;
}

static __device__ __forceinline__ uint32_t judge_global(const order_job &job, const uint32_t *words, uint32_t round,
                                                        uint32_t thread, uint32_t threads)
{
    uint32_t found = 0;
    each_word(job, thread, threads,
              [&](uint32_t at) { found |= judge(job, at, load_global(words + at), round, round - 1); });
    return found;
}

// Of shared memory from `from` on, which `load` reads.
template <class Load>
static __device__ __forceinline__ uint32_t judge_shared(const order_job &job, uint32_t from, uint32_t round, Load load)
{
    uint32_t found = 0;
    each_word(job, threadIdx.x, job.threads,
              [&](uint32_t at) { found |= judge(job, at, load(from + 4 * at), round, round - 1); });
    return found;
}

#endif
