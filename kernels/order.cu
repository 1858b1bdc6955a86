// SPDX-License-Identifier: MIT
// Order: small patterns of writing and reading, each with a fence or a scope, or without it. A CTA or a cluster makes
// the tries of a job one after the other. Before each of them everything is settled, so that only what the try itself
// does can be late. The words of a try differ from those of the one before in every place.
#include "order.cuh"

// --- Stores ----------------------------------------------------------------------------------------------------------

static __device__ __forceinline__ uint32_t try_store(const order_job &job, uint32_t round)
{
    memories &shared = shared_memories();
    const uint32_t to = shared_address(shared.words);
    if (!takes_part(job)) return 0;
    each_word(job, threadIdx.x, job.threads,
              [&](uint32_t at) { store_own(to + 4 * at, order_word(job.seed, at, round)); });
    if (job.guard == ORDER_GUARD_WRITERS) ptx::fence_proxy_async(ptx::space_shared);
    meet_party(job);
    if (threadIdx.x == 0) {
        if (job.guard == ORDER_GUARD_ISSUER) ptx::fence_proxy_async(ptx::space_shared);
        bulk_store(global_words[blockIdx.x], shared.words, job.bytes);
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
    meet_party(job);
    return judge_global(job, global_words[blockIdx.x], round, threadIdx.x, job.threads);
}

ORDER_KERNEL(order_store, 1, {
    run(
        job, output, 1, [&] { fill_words(job, shared_memories().words, ~0u); },
        [&](uint32_t round) { return try_store(job, round); });
})

// One thread writes, stores and reads; the words of a few stores are in flight when the bulk store is issued.
static __device__ __forceinline__ uint32_t try_alone(const order_job &job, uint32_t round)
{
    memories &shared = shared_memories();
    const uint32_t to = shared_address(shared.words);
    if (threadIdx.x != 0) return 0;
    each_word(job, 0, 1, [&](uint32_t at) { store_own(to + 4 * at, order_word(job.seed, at, round)); });
    if (job.guard == ORDER_GUARD_WRITERS) ptx::fence_proxy_async(ptx::space_shared);
    bulk_store(global_words[blockIdx.x], shared.words, job.bytes);
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    return judge_global(job, global_words[blockIdx.x], round, 0, 1);
}

ORDER_KERNEL(order_alone, 1, {
    run(
        job, output, 1, [&] { fill_words(job, shared_memories().words, ~0u); },
        [&](uint32_t round) { return try_alone(job, round); });
})

// A bulk store of words that have been there for long; then its thread reads what it has stored, the last words first.
// It has looked at the words from before, so L1 has them.
static __device__ __forceinline__ uint32_t try_wait(const order_job &job, uint32_t round)
{
    enum { LOOKS = 32 };
    memories &shared = shared_memories();
    uint32_t *const to = global_words[blockIdx.x], found = 0, words = job.bytes / 4;
    fill_words(job, shared.words, round);
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x != 0) return 0;
    for (uint32_t i = 0; i < LOOKS; i++) load_global(to + words - 1 - i * (words / LOOKS));
    bulk_store(to, shared.words, job.bytes);
    if (job.guard == ORDER_GUARD_WRITERS)
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    else
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    for (uint32_t i = 0; i < LOOKS; i++) {
        const uint32_t at = words - 1 - i * (words / LOOKS);
        found |= judge(job, at, load_global(to + at), round, round - 1);
    }
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    return found;
}

ORDER_KERNEL(order_wait, 1, {
    run(
        job, output, 1, [&] { fill_words(job, global_words[blockIdx.x], ~0u); },
        [&](uint32_t round) { return try_wait(job, round); });
})

// --- Products --------------------------------------------------------------------------------------------------------

// A is one number everywhere, another one in each round; B is 1 everywhere. So each element of D is 16 times the number.
static __device__ __forceinline__ uint32_t number_of(uint32_t round)
{
    return round % 3 + 1;
}

static __device__ __forceinline__ uint32_t halves_of(uint32_t round)
{
    const uint32_t number = number_of(round);
    return number == 1 ? 0x3c003c00 : number == 2 ? 0x40004000 : 0x42004200;
}

static __device__ __forceinline__ uint64_t descriptor(uint32_t address)
{
    return (uint64_t)(address / 16) | (uint64_t)(128 / 16) << 16 | (uint64_t)(256 / 16) << 32;
}

static __device__ __forceinline__ void multiply(uint32_t (&d)[4], uint32_t a, uint32_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 0, 1, 1, 0, 0;"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "l"(descriptor(a)), "l"(descriptor(b))
                 : "memory");
}

static __device__ __forceinline__ uint32_t try_product(const order_job &job, uint32_t round)
{
    memories &shared = shared_memories();
    const uint32_t a = shared_address(shared.words), b = shared_address(shared.weights);
    uint32_t d[4] = {0, 0, 0, 0}, found = 0;
    if (!takes_part(job)) return 0;
    each_word(job, threadIdx.x, job.threads, [&](uint32_t at) { store_own(a + 4 * at, halves_of(round)); });
    if (job.guard == ORDER_GUARD_WRITERS) ptx::fence_proxy_async(ptx::space_shared);
    meet_party(job);
    wgmma_fence();
    multiply(d, a, b);
    wgmma_commit();
    wgmma_wait<0>();
    const int is = number_of(round), was = number_of(round + 2); // of the round before
    for (int i = 0; i < 4; i++) {
        const int sum = (int)__uint_as_float(d[i]);
        const bool is_mixed = sum >= 16 * min(is, was) && sum <= 16 * max(is, was);
        found |= sum == 16 * is ? 0 : is_mixed ? 1 : 2;
    }
    return found;
}

ORDER_KERNEL(order_product, 1, {
    run(
        job, output, 1,
        [&] {
            memories &shared = shared_memories();
            for (uint32_t at = threadIdx.x; at < ORDER_PRODUCT_BYTES / 4; at += ORDER_THREADS)
                shared.words[at] = halves_of(2); // as of a round before the first
            if (threadIdx.x < 64) shared.weights[threadIdx.x] = 0x3c003c00;
        },
        [&](uint32_t round) { return try_product(job, round); });
})

// --- Loads -----------------------------------------------------------------------------------------------------------

static __device__ __forceinline__ void write_global(const order_job &job, uint32_t *to, uint32_t round)
{
    each_word(job, threadIdx.x, job.threads,
              [&](uint32_t at) { store_global(to + at, order_word(job.seed, at, round)); });
}

static __device__ __forceinline__ uint32_t try_load(const order_job &job, uint32_t round)
{
    memories &shared = shared_memories();
    uint32_t *const from = global_words[blockIdx.x];
    if (!takes_part(job)) return 0;
    write_global(job, from, round);
    if (job.guard == ORDER_GUARD_WRITERS) ptx::fence_proxy_async();
    if (job.guard == ORDER_GUARD_THREADFENCE) __threadfence();
    meet_party(job);
    if (threadIdx.x == 0) bulk_load(shared.words, from, job.bytes, round);
    meet_party(job);
    return judge_shared(job, shared_address(shared.words), round, load_own);
}

ORDER_KERNEL(order_load, 1, {
    run(
        job, output, 1, [&] { fill_words(job, global_words[blockIdx.x], ~0u); },
        [&](uint32_t round) { return try_load(job, round); });
})

// CTA 1 of the cluster writes and sets a flag; CTA 0 loads.
static __device__ __forceinline__ uint32_t try_flag(const order_job &job, uint32_t round)
{
    memories &shared = shared_memories();
    const uint32_t rank = ptx::get_sreg_cluster_ctarank(), first = blockIdx.x - rank;
    uint32_t *const from = global_words[first], *const flag = &global_flags[first], value;
    if (!takes_part(job)) return 0;
    if (rank == 1) {
        write_global(job, from, round);
        meet_party(job);
        if (threadIdx.x == 0)
            asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(round + 1) : "memory");
        return 0;
    }
    if (threadIdx.x == 0) {
        do {
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
        } while (value != round + 1);
        if (job.guard == ORDER_GUARD_ISSUER) ptx::fence_proxy_async();
        bulk_load(shared.words, from, job.bytes, round);
    }
    meet_party(job);
    return judge_shared(job, shared_address(shared.words), round, load_own);
}

ORDER_KERNEL(order_flag, 2, {
    run(
        job, output, 2,
        [&] {
            const uint32_t rank = ptx::get_sreg_cluster_ctarank();
            if (rank == 1) fill_words(job, global_words[blockIdx.x - 1], ~0u);
            if (threadIdx.x == 0) global_flags[blockIdx.x] = 0;
        },
        [&](uint32_t round) { return try_flag(job, round); });
})

// --- Messages by an mbarrier -----------------------------------------------------------------------------------------

static __device__ __forceinline__ void arrive_at(const order_job &job, uint32_t barrier)
{
    if (job.guard == ORDER_GUARD_CTA)
        asm volatile("mbarrier.arrive.release.cta.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
    else if (job.guard == ORDER_GUARD_RELAXED)
        asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
    else
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}

static __device__ __forceinline__ void wait_for(const order_job &job, uint64_t *barrier, uint32_t round)
{
    if (job.guard == ORDER_GUARD_CLUSTER_WAIT_CTA)
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, barrier, round & 1)) continue;
    else
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, barrier, round & 1)) continue;
}

// CTA 1 writes to CTA `owner`, and tells CTA 0, which reads there.
static __device__ __forceinline__ uint32_t try_arrive(const order_job &job, uint32_t round, uint32_t owner)
{
    memories &shared = shared_memories();
    const uint32_t rank = ptx::get_sreg_cluster_ctarank();
    const uint32_t words = map_to_rank(shared_address(shared.words), owner);
    if (!takes_part(job) || rank == 2) return 0;
    if (rank == 1) {
        each_word(job, threadIdx.x, job.threads,
                  [&](uint32_t at) { store_shared(words + 4 * at, order_word(job.seed, at, round)); });
        arrive_at(job, map_to_rank(shared_address(&shared.barrier), 0));
        return 0;
    }
    wait_for(job, &shared.barrier, round);
    return owner == 0 ? judge_shared(job, shared_address(shared.words), round, load_own)
                      : judge_shared(job, words, round, load_shared);
}

ORDER_KERNEL(order_arrive, 2, {
    run(
        job, output, 2, [&] { fill_words(job, shared_memories().words, ~0u); },
        [&](uint32_t round) { return try_arrive(job, round, 0); });
})

ORDER_KERNEL(order_third, 3, {
    run(
        job, output, 3, [&] { fill_words(job, shared_memories().words, ~0u); },
        [&](uint32_t round) { return try_arrive(job, round, 2); });
})

// --- Reads in front of an overwrite ----------------------------------------------------------------------------------

// The words of the thread, all of whose loads are issued before `tell`; memory holds those of `round`, and is overwritten
// by those of the next.
template <class Load, class Tell>
static __device__ __forceinline__ uint32_t read_and_tell(const order_job &job, uint32_t from, uint32_t round, Load load,
                                                         Tell tell)
{
    uint32_t word[ORDER_WORDS_EACH], found = 0;
#pragma unroll
    for (uint32_t i = 0; i < ORDER_WORDS_EACH; i++) {
        const uint32_t n = threadIdx.x + i * job.threads;
        if (n < job.bytes / 4) word[i] = load(from + 4 * place_of(job, n));
    }
    tell();
#pragma unroll
    for (uint32_t i = 0; i < ORDER_WORDS_EACH; i++) {
        const uint32_t n = threadIdx.x + i * job.threads, at = place_of(job, n);
        if (n < job.bytes / 4) found |= judge(job, at, word[i], round, round + 1);
    }
    return found;
}

// What a thread writes is in registers before it waits.
static __device__ __forceinline__ void overwrite(const order_job &job, uint32_t to, uint32_t round)
{
    uint32_t word[ORDER_WORDS_EACH];
#pragma unroll
    for (uint32_t i = 0; i < ORDER_WORDS_EACH; i++)
        word[i] = order_word(job.seed, place_of(job, threadIdx.x + i * job.threads), round + 1);
    wait_for(job, &shared_memories().barrier, round);
#pragma unroll
    for (uint32_t i = 0; i < ORDER_WORDS_EACH; i++) {
        const uint32_t n = threadIdx.x + i * job.threads;
        if (n < job.bytes / 4) store_own(to + 4 * place_of(job, n), word[i]);
    }
}

// CTA 0 reads the memory of CTA 1, and tells it; CTA 1 overwrites it.
static __device__ __forceinline__ uint32_t try_read(const order_job &job, uint32_t round)
{
    memories &shared = shared_memories();
    const uint32_t words = shared_address(shared.words);
    if (ptx::get_sreg_cluster_ctarank() == 0) {
        if (!takes_part(job)) return 0;
        return read_and_tell(job, map_to_rank(words, 1), round, load_shared,
                             [&] { arrive_at(job, map_to_rank(shared_address(&shared.barrier), 1)); });
    }
    if (job.by == ORDER_BY_THREADS && takes_part(job)) overwrite(job, words, round);
    if (job.by == ORDER_BY_THREADS || threadIdx.x != 0) return 0;
    wait_for(job, &shared.barrier, round);
    if (job.guard == ORDER_GUARD_CLUSTER_FENCED) ptx::fence_proxy_async();
    if (job.by == ORDER_BY_LOAD) {
        bulk_load(shared.words, global_words[blockIdx.x], job.bytes, round);
    } else {
        expect(&shared.loaded, job.bytes);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, shared.words, shared.other, job.bytes, &shared.loaded);
        while (!ptx::mbarrier_try_wait_parity(&shared.loaded, round & 1)) continue;
    }
    return 0;
}

// What overwrites in this round is there before it begins.
static __device__ __forceinline__ void prepare(const order_job &job, uint32_t round)
{
    fill_words(job, global_words[blockIdx.x], round + 1);
    fill_words(job, shared_memories().other, round + 1);
    __threadfence();
    ptx::fence_proxy_async();
}

ORDER_KERNEL(order_read, 2, {
    run(
        job, output, 2, [&] { fill_words(job, shared_memories().words, 0), prepare(job, 0); },
        [&](uint32_t round) {
            const uint32_t found = try_read(job, round);
            meet_cluster();
            prepare(job, round + 1);
            return found;
        });
})

// Threads read, and tell the producer, whose bulk load overwrites.
static __device__ __forceinline__ uint32_t try_own(const order_job &job, uint32_t round)
{
    memories &shared = shared_memories();
    const bool meets = job.guard == ORDER_GUARD_MEETING || job.guard == ORDER_GUARD_MEETING_FENCED;
    if (takes_part(job))
        return read_and_tell(job, shared_address(shared.words), round, load_own, [&] {
            if (meets)
                asm volatile("bar.sync 2, %0;" ::"r"(job.threads + 32) : "memory");
            else
                asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(
                                 shared_address(&shared.barrier))
                             : "memory");
        });
    if (threadIdx.x / 32 != ORDER_PRODUCER / 32) return 0;
    if (meets) asm volatile("bar.sync 2, %0;" ::"r"(job.threads + 32) : "memory");
    if (threadIdx.x != ORDER_PRODUCER) return 0;
    if (!meets) wait_for(job, &shared.barrier, round);
    if (job.guard == ORDER_GUARD_ISSUER || job.guard == ORDER_GUARD_MEETING_FENCED) ptx::fence_proxy_async();
    bulk_load(shared.words, global_words[blockIdx.x], job.bytes, round);
    return 0;
}

ORDER_KERNEL(order_own, 1, {
    run(
        job, output, 1, [&] { fill_words(job, shared_memories().words, 0), prepare(job, 0); },
        [&](uint32_t round) {
            const uint32_t found = try_own(job, round);
            __syncthreads();
            prepare(job, round + 1);
            return found;
        });
})
