// SPDX-License-Identifier: MIT
// Bulk copies and reductions, st.async and red.async. A cluster of two CTAs (or one CTA alone, where no job needs the
// other) takes jobs in turn: CTA 0 fills the source and issues; the destination's CTA fills the destination, owns the
// barrier, waits (bounded), drops the barrier so that its true word can be read, and dumps.
#include "bulk_job.h"
#include "device.cuh"

// --- Instructions: shared::cta and shared::cluster addresses are 32 bits wide ----------------------------------------

static __device__ void load(bool is_cta, uint32_t to, uint64_t from, uint32_t size, uint32_t barrier)
{
    if (is_cta)
        asm volatile("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                     "l"(from), "r"(size), "r"(barrier)
                     : "memory");
    else
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
            "l"(from), "r"(size), "r"(barrier)
            : "memory");
}

static __device__ void to_global(uint32_t operation, uint64_t to, uint32_t from, uint32_t size)
{
    switch (operation) {
#define REDUCE(op, op_ptx, dtype, type_ptx)                                                                            \
    case BULK_##op##_##dtype:                                                                                          \
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." op_ptx "." type_ptx                         \
                     " [%0], [%1], %2;" ::"l"(to),                                                                     \
                     "r"(from), "r"(size)                                                                              \
                     : "memory");                                                                                      \
        break;
        BULK_REDUCTIONS_ANYWHERE(REDUCE)
        BULK_REDUCTIONS_GLOBAL(REDUCE)
#undef REDUCE
    case BULK_COPY:
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(size)
                     : "memory");
        break;
    }
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>()); // read and written: the source may change, the host may look
}

static __device__ void to_cluster(uint32_t operation, uint32_t to, uint32_t from, uint32_t size, uint32_t barrier)
{
    switch (operation) {
#define REDUCE(op, op_ptx, dtype, type_ptx)                                                                            \
    case BULK_##op##_##dtype:                                                                                          \
        asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." op_ptx           \
                     "." type_ptx " [%0], [%1], %2, [%3];" ::"r"(to),                                                  \
                     "r"(from), "r"(size), "r"(barrier)                                                                \
                     : "memory");                                                                                      \
        break;
        BULK_REDUCTIONS_ANYWHERE(REDUCE)
#undef REDUCE
    case BULK_COPY:
        asm volatile(
            "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
            "r"(from), "r"(size), "r"(barrier)
            : "memory");
        break;
    }
}

#define ST_ASYNC "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes"

// Bytes `first`, then `second`; is_wide: as 64-bit elements where there is a choice.
static __device__ void store_async(bool is_wide, uint32_t to, uint32_t size, uint64_t first, uint64_t second,
                                   uint32_t barrier)
{
    uint32_t a = (uint32_t)first, b = (uint32_t)(first >> 32), c = (uint32_t)second, d = (uint32_t)(second >> 32);
    if (size == 4)
        asm volatile(ST_ASYNC ".b32 [%0], %1, [%2];" ::"r"(to), "r"(a), "r"(barrier) : "memory");
    else if (size == 8 && is_wide)
        asm volatile(ST_ASYNC ".b64 [%0], %1, [%2];" ::"r"(to), "l"(first), "r"(barrier) : "memory");
    else if (size == 8)
        asm volatile(ST_ASYNC ".v2.b32 [%0], {%1, %2}, [%3];" ::"r"(to), "r"(a), "r"(b), "r"(barrier) : "memory");
    else if (is_wide)
        asm volatile(ST_ASYNC ".v2.b64 [%0], {%1, %2}, [%3];" ::"r"(to), "l"(first), "l"(second), "r"(barrier)
                     : "memory");
    else
        asm volatile(ST_ASYNC ".v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(to), "r"(a), "r"(b), "r"(c), "r"(d),
                     "r"(barrier)
                     : "memory");
}

#define RED_ASYNC "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes."

static __device__ void reduce_async(uint32_t operation, uint32_t to, uint64_t value, uint32_t barrier)
{
    switch (operation) {
    case BULK_ADD_UINT64:
        asm volatile(RED_ASYNC "add.u64 [%0], %1, [%2];" ::"r"(to), "l"(value), "r"(barrier) : "memory");
        break;
#define REDUCE(op, op_ptx, dtype, type_ptx)                                                                            \
    case BULK_##op##_##dtype:                                                                                          \
        asm volatile(RED_ASYNC op_ptx "." type_ptx " [%0], %1, [%2];" ::"r"(to), "r"((uint32_t)value), "r"(barrier)    \
                     : "memory");                                                                                      \
        break;
        BULK_REDUCTIONS_ANYWHERE_32(REDUCE)
#undef REDUCE
    }
}

// --- A job -----------------------------------------------------------------------------------------------------------

// `shared` is the address of this CTA's byte 0 of shared memory: the rank, 8 bits from bit 24.
static __device__ void issue(const bulk_job &job, uint32_t shared)
{
    bool is_cluster = job.form != BULK_GLOBAL_TO_SHARED && job.form != BULK_SHARED_TO_GLOBAL;
    uint32_t from = shared + (uint32_t)job.from, to = shared + (uint32_t)job.to, barrier = shared + BULK_BARRIER;
    if (is_cluster) to = map_to_rank(to, job.rank), barrier = map_to_rank(barrier, job.rank);
    if (job.form == BULK_SHARED_TO_GLOBAL) {
        to_global(job.operation, job.to, from, job.size_bytes);
    } else if (job.form == BULK_REGISTERS_TO_OTHER) {
        uint64_t first = bulk_word(job.seed, job.content, BULK_SALT_SOURCE, 0);
        uint64_t second = bulk_word(job.seed, job.content, BULK_SALT_SOURCE, 8);
        if (job.operation == BULK_COPY)
            store_async(job.seed & 1, to, job.size_bytes, first, second, barrier);
        else
            reduce_async(job.operation, to, first, barrier);
    } else if (job.form == BULK_SHARED_TO_OWN || job.form == BULK_SHARED_TO_OTHER) {
        to_cluster(job.operation, to, from, job.size_bytes, barrier);
    } else {
        load(!is_cluster && (job.seed & 1), to, job.from, job.size_bytes, barrier);
    }
}

static __device__ void run_job(const bulk_job &job, char *shared, char *output, uint32_t rank, bool is_cluster)
{
    bool is_issuer = rank == 0, is_global = job.form == BULK_SHARED_TO_GLOBAL;
    bool is_destination = rank == job.rank;
    bool is_owner = is_destination && !is_global && threadIdx.x == 0;
    uint64_t *barrier = (uint64_t *)(shared + BULK_BARRIER);
    uint32_t window_bytes = job.window_end - job.window;
    char *window = is_global ? output + job.output : shared + job.window;

    const auto word_of = [&](uint32_t salt) {
        return [&job, salt](uint32_t at) { return bulk_word(job.seed, job.content, salt, at); };
    };
    if (is_issuer) fill(shared + job.source, 0, job.source_end - job.source, word_of(BULK_SALT_SOURCE));
    __syncthreads();
    if (is_destination) fill(window, 0, window_bytes, word_of(BULK_SALT_DESTINATION));
    __threadfence();
    ptx::fence_proxy_async(); // source, destination and global window: copies read and write them
    meet(is_cluster);
    if (is_owner) {
        start_barrier(barrier, 1);
        expect(barrier, job.expect_bytes);
    }
    meet(is_cluster);
    if (is_issuer && threadIdx.x == 0)
        issue(job, shared_address(shared + BULK_SHARED_START) - BULK_SHARED_START);
    if (is_owner) {
        wait_or_settle(barrier, job.settle);
        *(uint64_t *)(output + job.output - 8) = final_word(barrier);
    }
    meet(is_cluster);
    if (is_destination && !is_global) dump(output + job.output, window, window_bytes);
}

extern "C" __global__ void __launch_bounds__(BULK_THREADS) bulk_jobs(const bulk_job *jobs, int count, char *output)
{
    extern __shared__ __align__(1024) char dynamic[];
    char *shared = shared_from_0(dynamic, BULK_SHARED_START);
    uint32_t rank = ptx::get_sreg_cluster_ctarank(), ranks = ptx::get_sreg_cluster_nctarank();

    for (int i = blockIdx.x / ranks; i < count; i += gridDim.x / ranks) {
        run_job(jobs[i], shared, output, rank, ranks > 1);
        meet(ranks > 1);
    }
}
