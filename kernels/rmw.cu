// SPDX-License-Identifier: MIT
// The read-modify-write of the async-copy guide: every CTA copies its tile of an array to shared memory, adds 1 to each
// element, and sends the tile back by a bulk store. One kernel for each way to ask for the first copy, each type of
// elements and each way to choose the issuing thread. The bytes that a bulk copy cannot move, up to 15 at the end of
// the array, go through registers; so does the way back of a tile that is not aligned.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda_fp16.h>

#include "device.cuh"
#include "rmw_job.h"

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

// A phase that has not completed after so long (about a second) never will.
static const long long WAIT_CLOCKS = 2000000000;

// How often a copy is asked what it announces.
static const int LOOKS = 4;

// --- Who issues ------------------------------------------------------------------------------------------------------

template <rmw_issuer issuer>
static __device__ bool is_issuer()
{
    return issuer == RMW_ELECTED ? is_elected() : threadIdx.x == 0;
}

// --- The tile of a CTA -----------------------------------------------------------------------------------------------

// The elements at `global` and in `shared`; the first `bulk_bytes` bytes may go back by a bulk store.
template <class Element>
struct tile {
    Element *global, *shared;
    uint32_t elements, bulk_bytes;
    block_barrier *barrier;
};

static __device__ constexpr bool asks_for_bulk(rmw_form form)
{
#define IS_BULK(id, name, is_bulk) is_bulk,
    constexpr bool rows[] = {RMW_FORMS_LIST(IS_BULK)};
#undef IS_BULK
    return rows[form];
}

template <rmw_form form, class Element>
static __device__ tile<Element> tile_of(const rmw_job &job, char *shared)
{
    uint64_t start = (uint64_t)blockIdx.x * job.tile, left = job.count - start;
    tile<Element> t;
    t.global = reinterpret_cast<Element *>(job.data) + start;
    t.shared = reinterpret_cast<Element *>(shared + RMW_BARRIER_BYTES + RMW_GUARD_BYTES);
    t.elements = left < job.tile ? (uint32_t)left : job.tile;
    bool may = asks_for_bulk(form) || reinterpret_cast<uint64_t>(t.global) % 16 == 0;
    t.bulk_bytes = may ? (uint32_t)(t.elements * sizeof(Element)) / 16 * 16 : 0;
    t.barrier = reinterpret_cast<block_barrier *>(shared);
    return t;
}

// Step 2 of the guide, by one thread, or for MEMCPY_ASYNC_GROUP by all. Returns RMW_FULFILLED_...
template <rmw_form form, class Element>
static __device__ uint32_t load(const tile<Element> &t)
{
    block_barrier &barrier = *t.barrier;
    uint64_t *handle = cuda::device::barrier_native_handle(barrier);
    const size_t bytes = t.elements * sizeof(Element);
    cuda::async_contract_fulfillment fulfilled = cuda::async_contract_fulfillment::none;
    if constexpr (form == RMW_MEMCPY_ASYNC_ALIGNED) {
        fulfilled = cuda::memcpy_async(t.shared, t.global, cuda::aligned_size_t<16>(t.bulk_bytes), barrier);
    } else if constexpr (form == RMW_MEMCPY_ASYNC) {
        fulfilled = cuda::memcpy_async(t.shared, t.global, bytes, barrier);
    } else if constexpr (form == RMW_MEMCPY_ASYNC_GROUP) {
        auto block = cooperative_groups::this_thread_block();
        fulfilled = cuda::memcpy_async(block, t.shared, t.global, bytes, barrier);
    } else if constexpr (form == RMW_MEMCPY_ASYNC_TX) {
        cuda::device::barrier_expect_tx(barrier, t.bulk_bytes);
        fulfilled = cuda::device::memcpy_async_tx(t.shared, t.global, cuda::aligned_size_t<16>(t.bulk_bytes), barrier);
    } else {
        ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, handle, t.bulk_bytes);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, t.shared, t.global, t.bulk_bytes, handle);
        return RMW_FULFILLED_UNTOLD;
    }
    return fulfilled == cuda::async_contract_fulfillment::async ? RMW_FULFILLED_ASYNC : RMW_FULFILLED_NONE;
}

static __device__ uint64_t arrive(uint64_t *handle)
{
    return ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, handle);
}

// Acquires what the copies of the phase wrote.
static __device__ void wait(uint64_t *handle, uint64_t token)
{
    const auto try_once = [&] { return ptx::mbarrier_try_wait(ptx::sem_acquire, ptx::scope_cta, handle, token); };
    if (!wait_until(WAIT_CLOCKS, try_once)) __trap();
}

// Step 3: every thread arrives and waits for the token's phase.
static __device__ void arrive_and_wait(block_barrier *barrier)
{
    uint64_t *handle = cuda::device::barrier_native_handle(*barrier);
    wait(handle, arrive(handle));
}

// --- Elements --------------------------------------------------------------------------------------------------------

template <class Element>
static __device__ Element add_1(Element value)
{
    return (Element)(value + Element(1));
}

template <>
__device__ __half add_1(__half value)
{
    return __hadd(value, __float2half(1.0f));
}

template <>
__device__ uint4 add_1(uint4 value)
{
    return make_uint4(value.x + 1, value.y + 1, value.z + 1, value.w + 1);
}

// --- What is dumped --------------------------------------------------------------------------------------------------

// Whether the call announces the tile's bytes to its barrier, as one that makes a bulk copy does. The barrier's phase
// lacks nothing but these bytes: they count as come already. So it completes when they are announced, and what comes
// later belongs to the next phase. Then the count is made up for, and all that is on its way awaited.
template <rmw_form form, class Element>
static __device__ bool announces(const tile<Element> &t)
{
    uint64_t *handle = cuda::device::barrier_native_handle(*t.barrier);
    complete_tx(handle, t.bulk_bytes);
    uint64_t token = arrive(handle);
    load<form>(t);
    bool is_complete = ptx::mbarrier_test_wait(ptx::sem_acquire, ptx::scope_cta, handle, token);
    ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, handle, t.bulk_bytes);
    if (is_complete)
        arrive_and_wait(t.barrier);
    else
        wait(handle, token);
    return is_complete;
}

// The bytes that the same copy announces to a barrier of its own, asked a few times: memcpy_async announces them behind
// the copy, some of which may have come by then.
template <rmw_form form, class Element>
static __device__ uint32_t look(tile<Element> t)
{
    bool announced = false;
    t.barrier += 1;
    init(t.barrier, 1);
    ptx::fence_proxy_async(ptx::space_shared); // the copies signal it
    for (int i = 0; i < LOOKS; i++) announced |= announces<form>(t);
    return announced ? t.bulk_bytes : 0;
}

static __device__ void fill_guarded(char *guarded, uint32_t bytes)
{
    fill(guarded, 0, bytes, rmw_canary);
    ptx::fence_proxy_async(ptx::space_shared); // the copy writes over them
}

static __device__ void dump_guarded(uint64_t output, const char *guarded, uint32_t bytes)
{
    dump(reinterpret_cast<char *>(output) + (uint64_t)blockIdx.x * bytes, guarded, bytes);
    __syncthreads();
}

// --- The kernels -----------------------------------------------------------------------------------------------------

template <rmw_form form, class Element, rmw_issuer issuer>
static __device__ void read_modify_write(const rmw_job &job, char *shared)
{
    const tile<Element> t = tile_of<form, Element>(job, shared);
    const uint32_t guarded = rmw_guarded_bytes(job.tile * sizeof(Element));
    struct rmw_log log = {0, 0, RMW_FULFILLED_NONE};
    if (job.log) fill_guarded(shared + RMW_BARRIER_BYTES, guarded);
    if (threadIdx.x == 0) {
        init(t.barrier, blockDim.x);
        ptx::fence_proxy_async(ptx::space_shared); // the copy signals it
    }
    __syncthreads(); // nobody arrives before its init, no copy goes before the canaries are there

    const bool issues = is_issuer<issuer>();
    if (job.log && form != RMW_MEMCPY_ASYNC_GROUP && issues) log.bulk_bytes = look<form>(t);
    if (form == RMW_MEMCPY_ASYNC_GROUP || issues) log.fulfilled = load<form>(t);
    const uint32_t whole = t.bulk_bytes / sizeof(Element), tail = whole + threadIdx.x;
    if (asks_for_bulk(form) && tail < t.elements) t.shared[tail] = t.global[tail];
    arrive_and_wait(t.barrier);
    if (job.log) dump_guarded(job.before, shared + RMW_BARRIER_BYTES, guarded);

    for (uint32_t i = threadIdx.x; i < t.elements; i += blockDim.x) {
        t.shared[i] = add_1(t.shared[i]);
        if (i >= whole) t.global[i] = t.shared[i];
    }
    ptx::fence_proxy_async(ptx::space_shared); // the store reads what was written
    __syncthreads();
    if (issues) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, t.global, t.shared, t.bulk_bytes);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
    if (!job.log) return;
    dump_guarded(job.after, shared + RMW_BARRIER_BYTES, guarded);
    if (!issues) return;
    log.word = final_word(cuda::device::barrier_native_handle(*t.barrier)); // behind the barrier in dump_guarded(): all have waited
    reinterpret_cast<struct rmw_log *>(job.log)[blockIdx.x] = log;
}

#define KERNEL(type_name, type, form, form_name, issuer, issuer_name)                                                  \
    extern "C" __global__ void __launch_bounds__(RMW_MAX_THREADS)                                                      \
        rmw_##form_name##_##type_name##_##issuer_name(const __grid_constant__ rmw_job job)                             \
    {                                                                                                                  \
        extern __shared__ __align__(128) char shared[];                                                                \
        read_modify_write<RMW_##form, type, RMW_##issuer>(job, shared);                                                \
    }
#define KERNELS_OF_TYPE(id, type_name, type, bytes)                                                                    \
    KERNELS(type_name, type, ELECTED, elected)                                                                         \
    KERNELS(type_name, type, THREAD0, thread0)
#define KERNELS(type_name, type, issuer, issuer_name)                                                                  \
    KERNEL(type_name, type, MEMCPY_ASYNC_ALIGNED, memcpy_async_aligned, issuer, issuer_name)                           \
    KERNEL(type_name, type, MEMCPY_ASYNC, memcpy_async, issuer, issuer_name)                                           \
    KERNEL(type_name, type, MEMCPY_ASYNC_GROUP, memcpy_async_group, issuer, issuer_name)                               \
    KERNEL(type_name, type, MEMCPY_ASYNC_TX, memcpy_async_tx, issuer, issuer_name)                                     \
    KERNEL(type_name, type, CP_ASYNC_BULK, cp_async_bulk, issuer, issuer_name)
RMW_TYPES_LIST(KERNELS_OF_TYPE)
