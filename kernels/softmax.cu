// SPDX-License-Identifier: MIT
// Attention of one query to many keys, the keys of a row split over the CTAs of a cluster (flash decoding): each CTA
// keeps the state of an online softmax, and the states are merged through distributed shared memory, or through global
// memory by a second kernel. The order of all operations is fixed, so the result is the same to the bit in every way.
#include "softmax.cuh"

// --- Through the cluster ---------------------------------------------------------------------------------------------

template <int DIMS>
static __device__ void pull(const softmax_job &job)
{
    extern __shared__ __align__(128) float shared[];
    constexpr uint32_t WORDS = DIMS + SOFTMAX_STATE_HEAD;
    const uint32_t row = ptx::get_sreg_clusterid_x(), rank = ptx::get_sreg_cluster_ctarank();
    make_state<DIMS>(job, row, rank, shared, shared + (1 + SOFTMAX_MAX_PARTS) * WORDS);
    meet_cluster(); // every state is there
    if (rank == 0) write_out<DIMS>(job, row, [&](uint32_t i, uint32_t word) { return map_to_rank(shared, i)[word]; });
    meet_cluster(); // nobody's state goes before it was read
}

// 16 bytes of this CTA's state to its slot in the first CTA, by each thread that has some.
static __device__ void send(const float *own, float *slot, uint64_t *barrier, uint32_t count)
{
    if (threadIdx.x >= count / 4) return;
    const float4 piece = reinterpret_cast<const float4 *>(own)[threadIdx.x];
    const float words[4] = {piece.x, piece.y, piece.z, piece.w};
    ptx::st_async(map_to_rank(slot + 4 * threadIdx.x, 0), words, map_to_rank(barrier, 0));
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
        start_barrier(&barrier, 1); // the others' st.async signal it
        expect(&barrier, (job.parts - 1) * WORDS * 4);
    }
    ptx::barrier_cluster_arrive(ptx::sem_release); // the first CTA runs and its barrier is ready: known long before it is needed
    make_state<DIMS>(job, row, rank, shared, shared + (1 + SOFTMAX_MAX_PARTS) * WORDS);
    ptx::barrier_cluster_wait(ptx::sem_acquire);
    if (rank != 0) return send(shared, slots + rank * WORDS, &barrier, WORDS);
    const auto try_once = [&] {
        return ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &barrier, 0);
    };
    if (!wait_until(WAIT_CLOCKS, try_once)) __trap();
    write_out<DIMS>(job, row,
                    [&](uint32_t i, uint32_t word) { return i == 0 ? shared[word] : slots[i * WORDS + word]; });
    __syncthreads(); // nobody waits any more
    if (job.barriers != 0 && threadIdx.x == 0) reinterpret_cast<uint64_t *>(job.barriers)[row] = final_word(&barrier);
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
