// SPDX-License-Identifier: MIT
// Attention of one query to many keys, the keys of a row split over the CTAs of a cluster (flash decoding): each CTA
// keeps the state of an online softmax, and the states are merged through distributed shared memory, or through global
// memory by a second kernel. The order of all operations is fixed, so the result is the same to the bit in every way.
#include "softmax.cuh"

// --- Through the cluster ---------------------------------------------------------------------------------------------

// The same place in the CTA of rank `rank`, as a pointer for loads and as an address for st.async.
template <class T>
static __device__ __forceinline__ T *map_to_rank(T *pointer, uint32_t rank)
{
    T *mapped;
    asm("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(pointer), "r"(rank));
    return mapped;
}

static __device__ __forceinline__ uint32_t address_in_rank(const void *pointer, uint32_t rank)
{
    uint32_t mapped;
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(mapped)
        : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(pointer))), "r"(rank));
    return mapped;
}

static __device__ __forceinline__ void arrive()
{
    ptx::barrier_cluster_arrive(ptx::sem_release);
}

static __device__ __forceinline__ void wait()
{
    ptx::barrier_cluster_wait(ptx::sem_acquire);
}

template <int DIMS>
static __device__ void pull(const softmax_job &job)
{
    extern __shared__ __align__(128) float shared[];
    constexpr uint32_t WORDS = DIMS + SOFTMAX_STATE_HEAD;
    const uint32_t row = ptx::get_sreg_clusterid_x(), rank = ptx::get_sreg_cluster_ctarank();
    make_state<DIMS>(job, row, rank, shared, shared + (1 + SOFTMAX_MAX_PARTS) * WORDS);
    arrive();
    wait(); // every state is there
    if (rank == 0) write_out<DIMS>(job, row, [&](uint32_t i, uint32_t word) { return map_to_rank(shared, i)[word]; });
    arrive();
    wait(); // nobody's state goes before it was read
}

// Whether the barrier's phase 0 ended in time: acquires what the cluster sent.
static __device__ bool wait_for(uint64_t *barrier)
{
    for (int i = 0; i < WAIT_TRIES; i++)
        if (ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, barrier, 0)) return true;
    return false;
}

// The word of a barrier that is used no more: inval writes it back, then a plain load sees it.
static __device__ uint64_t last_word(uint64_t *barrier)
{
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(barrier)))
                 : "memory");
    __threadfence_block();
    return *static_cast<volatile uint64_t *>(barrier);
}

// 16 bytes of this CTA's state to its slot in the first CTA, by each thread that has some.
static __device__ void send(const float *own, const float *slot, const uint64_t *barrier, uint32_t words)
{
    if (threadIdx.x >= words / 4) return;
    const uint4 piece = reinterpret_cast<const uint4 *>(own)[threadIdx.x];
    const uint32_t to = address_in_rank(slot + 4 * threadIdx.x, 0), counter = address_in_rank(barrier, 0);
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(to),
        "r"(piece.x), "r"(piece.y), "r"(piece.z), "r"(piece.w), "r"(counter)
        : "memory");
}

template <int DIMS>
static __device__ void push(const softmax_job &job)
{
    extern __shared__ __align__(128) float shared[];
    __shared__ uint64_t barrier;
    constexpr uint32_t WORDS = DIMS + SOFTMAX_STATE_HEAD;
    const uint32_t row = ptx::get_sreg_clusterid_x(), rank = ptx::get_sreg_cluster_ctarank();
    float *slots = shared + WORDS;
    if (rank == 0 && threadIdx.x == 0) {
        ptx::mbarrier_init(&barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster); // the others' st.async signal it
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier,
                                       (job.parts - 1) * WORDS * 4);
    }
    arrive(); // the first CTA runs and its barrier is ready: known long before it is needed
    make_state<DIMS>(job, row, rank, shared, shared + (1 + SOFTMAX_MAX_PARTS) * WORDS);
    wait();
    if (rank != 0) return send(shared, slots + rank * WORDS, &barrier, WORDS);
    if (!wait_for(&barrier)) __trap();
    write_out<DIMS>(job, row,
                    [&](uint32_t i, uint32_t word) { return i == 0 ? shared[word] : slots[i * WORDS + word]; });
    __syncthreads(); // nobody waits any more
    if (job.barriers != 0 && threadIdx.x == 0) reinterpret_cast<uint64_t *>(job.barriers)[row] = last_word(&barrier);
    float *to = reinterpret_cast<float *>(job.slots) + static_cast<uint64_t>(row) * job.parts * WORDS;
    for (uint32_t i = WORDS + threadIdx.x; job.slots != 0 && i < job.parts * WORDS; i += blockDim.x) to[i] = slots[i];
}

// --- Through global memory -------------------------------------------------------------------------------------------

template <int DIMS>
static __device__ void part(const softmax_job &job)
{
    extern __shared__ __align__(128) float shared[];
    constexpr uint32_t WORDS = DIMS + SOFTMAX_STATE_HEAD;
    make_state<DIMS>(job, blockIdx.x / job.parts, blockIdx.x % job.parts, shared,
                     shared + (1 + SOFTMAX_MAX_PARTS) * WORDS);
}

template <int DIMS>
static __device__ void merge_parts(const softmax_job &job)
{
    constexpr uint32_t WORDS = DIMS + SOFTMAX_STATE_HEAD;
    const float *states = reinterpret_cast<const float *>(job.states) + blockIdx.x * job.parts * WORDS;
    write_out<DIMS>(job, blockIdx.x, [&](uint32_t i, uint32_t word) { return states[i * WORDS + word]; });
}

#define KERNEL(name, dims)                                                                                             \
    extern "C" __global__ void __launch_bounds__(SOFTMAX_MAX_THREADS) softmax_##name##_##dims(const softmax_job job)   \
    {                                                                                                                  \
        name<dims>(job);                                                                                               \
    }
#define KERNELS(dims) KERNEL(pull, dims) KERNEL(push, dims) KERNEL(part, dims) KERNEL(merge_parts, dims)
KERNELS(64)
KERNELS(128)
