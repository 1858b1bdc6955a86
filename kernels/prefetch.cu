// SPDX-License-Identifier: MIT
// The prefetch pipeline of the async-copy guide: every CTA keeps several batches of an array on their way to shared
// memory, adds 1 to each element, and sends them back by bulk stores. One mbarrier a stage says by its parity when a
// batch is there; a stage is loaded again only after cp.async.bulk.wait_group.read of its store. What a bulk copy
// cannot move, up to 12 bytes at the end of the last batch, goes through registers.
#include <cuda/barrier>

#include "device.cuh"
#include "prefetch_job.h"
#include "ring.cuh"

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

// A phase that has not completed after so long (about a second) never will.
static const long long WAIT_CLOCKS = 2000000000;

// The stage's place in shared memory and its barrier; the batch's bytes that a bulk copy moves, and those behind.
struct stage {
    char *bytes;
    block_barrier *barrier;
};

struct batch {
    uint64_t start;
    uint32_t bulk_bytes, tail_bytes;
};

static __device__ stage stage_of(const prefetch_job &job, char *shared, uint32_t turn)
{
    uint32_t index = turn % job.stages;
    char *first = shared + PREFETCH_BARRIERS_BYTES + PREFETCH_GUARD_BYTES;
    return {first + index * prefetch_pitch(job.batch_bytes), reinterpret_cast<block_barrier *>(shared) + index};
}

// Batch `turn` of this CTA.
static __device__ batch batch_of(const prefetch_job &job, uint32_t turn)
{
    uint64_t start = (blockIdx.x + (uint64_t)turn * gridDim.x) * job.batch_bytes, left = job.count_bytes - start;
    uint32_t bytes = left < job.batch_bytes ? (uint32_t)left : job.batch_bytes;
    return {start, bytes / 16 * 16, bytes % 16};
}

static __device__ uint32_t turns_of(const prefetch_job &job)
{
    uint64_t batches = (job.count_bytes + job.batch_bytes - 1) / job.batch_bytes;
    return batches <= blockIdx.x ? 0 : (uint32_t)((batches - blockIdx.x - 1) / gridDim.x + 1);
}

// By one thread: the barrier is told what to expect, then the copy goes.
static __device__ void load(const prefetch_job &job, char *shared, uint32_t turn)
{
    stage s = stage_of(job, shared, turn);
    batch b = batch_of(job, turn);
    expect(cuda::device::barrier_native_handle(*s.barrier), b.bulk_bytes);
    cuda::device::memcpy_async_tx(s.bytes, reinterpret_cast<const char *>(job.source) + b.start,
                                  cuda::aligned_size_t<16>(b.bulk_bytes), *s.barrier);
}

static __device__ void store(const prefetch_job &job, char *shared, uint32_t turn)
{
    batch b = batch_of(job, turn);
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, reinterpret_cast<char *>(job.destination) + b.start,
                       stage_of(job, shared, turn).bytes, b.bulk_bytes);
    ptx::cp_async_bulk_commit_group();
}

// Until all stores but the newest `newest` have been read from shared memory.
static __device__ void wait_stores(uint32_t newest)
{
    switch (newest) {
    case 0:
        return ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    case 1:
        return ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>());
    case 2:
        return ptx::cp_async_bulk_wait_group_read(ptx::n32_t<2>());
    case 3:
        return ptx::cp_async_bulk_wait_group_read(ptx::n32_t<3>());
    case 4:
        return ptx::cp_async_bulk_wait_group_read(ptx::n32_t<4>());
    case 5:
        return ptx::cp_async_bulk_wait_group_read(ptx::n32_t<5>());
    case 6:
        return ptx::cp_async_bulk_wait_group_read(ptx::n32_t<6>());
    default:
        return ptx::cp_async_bulk_wait_group_read(ptx::n32_t<PREFETCH_MAX_STORES>());
    }
}

// Every thread, until the phase of this parity has completed: acquires what its copy wrote.
static __device__ void wait_load(block_barrier *barrier, uint32_t parity)
{
    uint64_t *handle = cuda::device::barrier_native_handle(*barrier);
    const auto try_once = [&] {
        return ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, handle, parity);
    };
    if (!wait_until(WAIT_CLOCKS, try_once)) __trap();
}

static __device__ void compute(const prefetch_job &job, char *shared, uint32_t turn)
{
    char *bytes = stage_of(job, shared, turn).bytes;
    batch b = batch_of(job, turn);
    for (uint32_t at = 16 * threadIdx.x; at < b.bulk_bytes; at += 16 * blockDim.x) {
        uint4 *place = reinterpret_cast<uint4 *>(bytes + at), value = *place;
        *place = make_uint4(value.x + 1, value.y + 1, value.z + 1, value.w + 1);
    }
    uint64_t tail = b.start + b.bulk_bytes + 4 * threadIdx.x;
    if (4 * threadIdx.x < b.tail_bytes)
        *reinterpret_cast<uint32_t *>(job.destination + tail) =
            *reinterpret_cast<const uint32_t *>(job.source + tail) + 1;
}

static __device__ void start(const prefetch_job &job, char *shared)
{
    char *stages = shared + PREFETCH_BARRIERS_BYTES;
    uint32_t bytes = job.shared ? prefetch_stages_bytes(job.batch_bytes, job.stages) : 0;
    fill(stages, 0, bytes, prefetch_canary);
    if (threadIdx.x == 0)
        for (uint32_t i = 0; i < job.stages; i++) init(reinterpret_cast<block_barrier *>(shared) + i, 1);
    ptx::fence_proxy_async(ptx::space_shared); // the loads write over the canaries and signal the barriers
    __syncthreads();                           // nobody waits at a barrier before its init
}

static __device__ void dump_all(const prefetch_job &job, char *shared)
{
    uint32_t bytes = prefetch_stages_bytes(job.batch_bytes, job.stages), words = prefetch_words_bytes(job.stages);
    char *to_stages = reinterpret_cast<char *>(job.shared) + (uint64_t)blockIdx.x * bytes;
    char *to_words = reinterpret_cast<char *>(job.barriers) + (uint64_t)blockIdx.x * words;
    dump(to_stages, shared + PREFETCH_BARRIERS_BYTES, bytes);
    if (threadIdx.x < job.stages)
        reinterpret_cast<uint64_t *>(to_words)[threadIdx.x] =
            final_word(reinterpret_cast<uint64_t *>(shared) + threadIdx.x);
}

extern "C" __global__ void __launch_bounds__(512) prefetch(const __grid_constant__ prefetch_job job)
{
    extern __shared__ __align__(128) char shared[];
    const uint32_t turns = turns_of(job), ahead = turns < job.stages ? turns : job.stages;
    const bool elected = is_elected();
    ring_place at;
    start(job, shared);
    for (uint32_t turn = 0; elected && turn < ahead; turn++) load(job, shared, turn);

    for (uint32_t turn = 0; turn < turns; turn++, at.advance(job.stages)) {
        wait_load(reinterpret_cast<block_barrier *>(shared) + at.stage, at.phase);
        compute(job, shared, turn);
        ptx::fence_proxy_async(ptx::space_shared); // the store reads what was written
        __syncthreads();
        if (elected) {
            store(job, shared, turn);
            wait_stores(job.stores); // the stage that is loaded next has been read
            if (turn >= job.stores && turn - job.stores + job.stages < turns)
                load(job, shared, turn - job.stores + job.stages);
        }
    }
    if (elected) wait_stores(0); // no store reads the shared memory of a CTA that has ended
    __syncthreads();
    if (job.shared) dump_all(job, shared);
}
