// SPDX-License-Identifier: MIT
// What kernels repeat: shared memory by its addresses, one thread of many, meetings, barriers, waits that end.
// Instructions are cuda::ptx's; asm is for those that it has not.
#ifndef TMAREF_DEVICE_CUH
#define TMAREF_DEVICE_CUH

#include <cuda/ptx>

namespace ptx = cuda::ptx;

// --- Shared memory ---------------------------------------------------------------------------------------------------

// The address of a byte of shared memory: in this CTA's window, or with a rank in bits 24 and up in the cluster's.
static __device__ __forceinline__ uint32_t shared_address(const void *pointer)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

// What lies there: cuda::ptx takes pointers.
template <class T = uint64_t>
static __device__ __forceinline__ T *at_shared(uint32_t address)
{
    return static_cast<T *>(__cvta_shared_to_generic(address));
}

// The same place in CTA `rank` of the cluster. A rank that is not there gives an address that is not there.
static __device__ __forceinline__ uint32_t map_to_rank(uint32_t address, uint32_t rank)
{
    uint32_t mapped;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
    return mapped;
}

template <class T>
static __device__ __forceinline__ T *map_to_rank(T *pointer, uint32_t rank)
{
    T *mapped;
    asm("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(pointer), "r"(rank));
    return mapped;
}

// The dynamic shared memory by addresses: byte `a` of the CTA is at the returned pointer + a. It has to begin at `start`.
static __device__ __forceinline__ char *shared_from_0(char *dynamic, uint32_t start)
{
    if ((shared_address(dynamic) & 0xffffff) != start) __trap();
    return dynamic - start;
}

// Bytes `start` to `end` - 1 behind `bytes`, by all threads of the CTA: word_at(a) is what lies at a.
template <class WordAt>
static __device__ __forceinline__ void fill(char *bytes, uint32_t start, uint32_t end, WordAt word_at)
{
    using word = decltype(word_at(start));
    for (uint32_t at = start + sizeof(word) * threadIdx.x; at < end; at += sizeof(word) * blockDim.x)
        *reinterpret_cast<word *>(bytes + at) = word_at(at);
}

// `count` bytes, by all threads of the CTA: a multiple of 16, as the addresses are.
static __device__ __forceinline__ void dump(void *to, const void *from, uint32_t count)
{
    for (uint32_t at = 16 * threadIdx.x; at < count; at += 16 * blockDim.x)
        *reinterpret_cast<uint4 *>(static_cast<char *>(to) + at) =
            *reinterpret_cast<const uint4 *>(static_cast<const char *>(from) + at);
}

// --- Threads ---------------------------------------------------------------------------------------------------------

// True in one thread of the warp, all of whose threads call it together. The compiler then knows that it is one, and
// puts no loop around instructions that one thread issues.
static __device__ __forceinline__ bool elect_one()
{
    uint32_t elected;
    asm volatile("{.reg .pred p;\n elect.sync _|p, 0xffffffff;\n selp.u32 %0, 1, 0, p;}" : "=r"(elected));
    return elected;
}

// True in one thread of the CTA, that of warp 0.
static __device__ __forceinline__ bool is_elected()
{
    bool elected = elect_one();
    return __shfl_sync(0xffffffff, threadIdx.x / 32, 0) == 0 && elected;
}

// All threads of the cluster: what each did before is over for all the others.
static __device__ __forceinline__ void meet_cluster()
{
    ptx::barrier_cluster_arrive(ptx::sem_release);
    ptx::barrier_cluster_wait(ptx::sem_acquire);
}

// The same; those of the CTA in a launch without clusters.
static __device__ __forceinline__ void meet(bool is_cluster)
{
    if (is_cluster)
        meet_cluster();
    else
        __syncthreads();
}

// --- Time ------------------------------------------------------------------------------------------------------------

static __device__ __forceinline__ void stay(long long clocks)
{
    for (long long start = clock64(); clock64() - start < clocks;) continue;
}

// Whether a try succeeds before so many clocks have passed.
template <class Try>
static __device__ __forceinline__ bool wait_until(long long clocks, Try try_once)
{
    if (try_once()) return true;
    for (long long start = clock64(); clock64() - start < clocks;)
        if (try_once()) return true;
    return false;
}

// --- Barriers --------------------------------------------------------------------------------------------------------

// By one thread. The fence shows them to the copy engine and, once they have met, to the other CTAs of the cluster.
static __device__ __forceinline__ void start_barriers(uint64_t *barriers, uint32_t count, uint32_t arrivals)
{
    for (uint32_t i = 0; i < count; i++) ptx::mbarrier_init(&barriers[i], arrivals);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
}

static __device__ __forceinline__ void start_barrier(uint64_t *barrier, uint32_t arrivals)
{
    start_barriers(barrier, 1, arrivals);
}

// Arrives, and says how many bytes the phase waits for.
static __device__ __forceinline__ void expect(uint64_t *barrier, uint32_t bytes)
{
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier, bytes);
}

static __device__ __forceinline__ void complete_tx(uint64_t *barrier, uint32_t bytes)
{
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}

// On the barrier of another CTA of the cluster, which sees the arrival. It releases nothing, weaker than PTX asks where
// memory is handed over: for .release.cluster ptxas puts a MEMBAR of the whole GPU in front.
static __device__ __forceinline__ void arrive_remote(uint32_t barrier)
{
    asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// Until phase 0 has completed: acquires what the cluster's copies wrote. Or, with `settle`, for as long as it waits at
// most, about a millisecond, where the barrier cannot tell. A phase that does not come is a result: the word says so.
static __device__ __forceinline__ void wait_or_settle(uint64_t *barrier, bool settle)
{
    wait_until(2000000, [&] {
        return ptx::mbarrier_test_wait_parity(ptx::sem_acquire, ptx::scope_cluster, barrier, 0) && !settle;
    });
}

// mbarrier.inval writes a barrier's word back to shared memory, as the barrier unit has it, and changes nothing.
static __device__ __forceinline__ void write_back(uint64_t *barrier)
{
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
}

static __device__ __forceinline__ uint64_t final_word(uint64_t *barrier)
{
    write_back(barrier);
    __threadfence_block();
    return *static_cast<volatile uint64_t *>(barrier);
}

// --- Groups of wgmma -------------------------------------------------------------------------------------------------

static __device__ __forceinline__ void wgmma_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

static __device__ __forceinline__ void wgmma_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Until all but the newest N groups of this thread are complete.
template <int N>
static __device__ __forceinline__ void wgmma_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}

#endif
