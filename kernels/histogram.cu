// SPDX-License-Identifier: MIT
// Histograms whose bins are spread over the shared memory of a cluster: every CTA counts any value, with a reduction on
// the shared memory of the CTA that has the bin; or every CTA reads what its cluster counts, and counts what is its
// own. The same with reductions in global memory, to compare. The size of the cluster is the launch's, the grid any
// multiple.
#include "device.cuh"
#include "histogram_job.h"

static constexpr uint32_t UNROLL = 4;       // vectors in flight for each thread
static constexpr uint32_t BULK_BINS = 4096; // bins that one cp.reduce.async.bulk adds

static __device__ __forceinline__ void add_global(uint32_t *bin, uint32_t by)
{
    asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(bin), "r"(by) : "memory");
}

// --- Reading ---------------------------------------------------------------------------------------------------------

// The vectors of a thread, which takes turns with all threads of `takers` CTAs: vector v is the elements VECTOR * v -
// skew and on, so that all are aligned but the elements of the first and the last that are not there.
struct reader {
    const int32_t *input;
    uint64_t count, vectors, first, step;
    uint32_t skew;

    __device__ reader(const histogram_job &job, uint32_t taker, uint32_t takers)
        : input(reinterpret_cast<const int32_t *>(job.input)), count(job.count),
          vectors((job.count + histogram_skew(&job) + HISTOGRAM_VECTOR - 1) / HISTOGRAM_VECTOR),
          first(taker * static_cast<uint64_t>(blockDim.x) + threadIdx.x),
          step(takers * static_cast<uint64_t>(blockDim.x)), skew(histogram_skew(&job))
    {
    }

    // Whether all elements of vector v are there.
    __device__ bool is_whole(uint64_t v) const
    {
        return (v > 0 || skew == 0) && HISTOGRAM_VECTOR * (v + 1) <= count + skew;
    }

    __device__ int4 load(uint64_t v) const
    {
        return __ldcs(reinterpret_cast<const int4 *>(input - skew) + v);
    }

    template <class Count>
    __device__ void count_part(uint64_t v, Count count_one) const
    {
        for (uint64_t i = HISTOGRAM_VECTOR * v; i < HISTOGRAM_VECTOR * (v + 1); i++)
            if (i >= skew && i < count + skew) count_one(input[i - skew]);
    }
};

template <class Count>
static __device__ __forceinline__ void count_vector(int4 values, Count count_one)
{
    count_one(values.x);
    count_one(values.y);
    count_one(values.z);
    count_one(values.w);
}

static __device__ __forceinline__ void load_all(const reader &from, uint64_t v, int4 (&values)[UNROLL])
{
#pragma unroll
    for (uint32_t i = 0; i < UNROLL; i++) values[i] = from.load(v + i * from.step);
}

// From vector v on. While UNROLL vectors are counted, the next ones are on their way.
template <class Count>
static __device__ __forceinline__ void count_all(const reader &from, uint64_t v, Count count_one)
{
    const uint64_t far = (UNROLL - 1) * from.step, stride = UNROLL * from.step;
    int4 values[UNROLL], next[UNROLL];
    bool is_full = from.is_whole(v) && from.is_whole(v + far);
    if (is_full) load_all(from, v, values);
    for (; is_full; v += stride) {
        is_full = from.is_whole(v + stride + far);
        if (is_full) load_all(from, v + stride, next);
#pragma unroll
        for (uint32_t i = 0; i < UNROLL; i++) count_vector(values[i], count_one), values[i] = next[i];
    }
    for (; v < from.vectors; v += from.step) {
        if (from.is_whole(v))
            count_vector(from.load(v), count_one);
        else
            from.count_part(v, count_one);
    }
}

// --- Global memory ---------------------------------------------------------------------------------------------------

extern "C" __global__ void __launch_bounds__(HISTOGRAM_MAX_THREADS) histogram_global(const histogram_job job)
{
    uint32_t *bins = reinterpret_cast<uint32_t *>(job.bins);
    const reader from(job, blockIdx.x, gridDim.x);
    count_all(from, from.first, [&](int32_t value) { add_global(bins + histogram_bin(value, job.nbins), 1); });
}

// --- A cluster -------------------------------------------------------------------------------------------------------

static __device__ void clear(const histogram_job &job, uint32_t *own)
{
    for (uint32_t i = threadIdx.x; i < job.cta_bins / 4; i += blockDim.x)
        reinterpret_cast<uint4 *>(own)[i] = make_uint4(0, 0, 0, 0);
}

// Counts values where their bins are: mapa makes an address for every one.
struct cluster_counter {
    const histogram_job &job;
    uint32_t own;

    __device__ __forceinline__ void operator()(int32_t value) const
    {
        uint32_t bin = histogram_bin(value, job.nbins), rank = histogram_rank(&job, bin);
        uint32_t address = map_to_rank(own + 4 * (bin - rank * job.cta_bins), rank);
        asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], 1;" ::"r"(address) : "memory");
    }
};

// The last of a CTA: its bins are added to those in global memory, by the bulk engine where they are aligned.
static __device__ void add_bins(const histogram_job &job, const uint32_t *own)
{
    uint32_t first = ptx::get_sreg_cluster_ctarank() * job.cta_bins, count = 0, bulk = 0;
    uint32_t *to = reinterpret_cast<uint32_t *>(job.bins) + first;
    if (first < job.nbins) count = min(job.cta_bins, job.nbins - first);
    if (job.bins % 16 == 0) bulk = count / 4 * 4;
    ptx::fence_proxy_async(ptx::space_shared); // the bulk engine reads what was counted
    __syncthreads();
    if (threadIdx.x == 0 && bulk > 0) {
        for (uint32_t i = 0; i < bulk; i += BULK_BINS)
            ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, to + i, own + i,
                                      4 * min(BULK_BINS, bulk - i));
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>()); // before the CTA and its shared memory go
    }
    for (uint32_t i = bulk + threadIdx.x; i < count; i += blockDim.x) add_global(to + i, own[i]);
}

// What the host asked to see of a CTA whose bins are complete.
static __device__ void leave(const histogram_job &job, const uint32_t *own)
{
    const uint32_t rank = ptx::get_sreg_cluster_ctarank(), ranks = ptx::get_sreg_cluster_nctarank();
    if (job.shared != 0)
        for (uint32_t i = threadIdx.x; i < job.cta_bins; i += blockDim.x)
            reinterpret_cast<uint32_t *>(job.shared)[static_cast<uint64_t>(blockIdx.x) * job.cta_bins + i] = own[i];
    if (job.ctas != 0 && threadIdx.x == 0)
        reinterpret_cast<histogram_cta *>(job.ctas)[blockIdx.x] = {
            rank, ranks, ptx::get_sreg_clusterid_x(), map_to_rank(shared_address(own), (rank + 1) % ranks)};
}

// The paradigm: set up, meet, count in each other's memory, meet, use the own memory and exit.
extern "C" __global__ void __launch_bounds__(HISTOGRAM_MAX_THREADS) histogram_sync(const histogram_job job)
{
    extern __shared__ __align__(128) uint32_t own[];
    const reader from(job, blockIdx.x, gridDim.x);
    clear(job, own);
    meet_cluster();
    count_all(from, from.first, cluster_counter{job, shared_address(own)});
    meet_cluster();
    leave(job, own);
    add_bins(job, own);
}

// The first meeting in two parts: between them the first vector is loaded, which touches nobody's shared memory.
extern "C" __global__ void __launch_bounds__(HISTOGRAM_MAX_THREADS) histogram_split(const histogram_job job)
{
    extern __shared__ __align__(128) uint32_t own[];
    const reader from(job, blockIdx.x, gridDim.x);
    const cluster_counter count_one = {job, shared_address(own)};
    int4 values = {};
    clear(job, own);
    ptx::barrier_cluster_arrive(ptx::sem_release);
    const bool is_loaded = from.is_whole(from.first);
    if (is_loaded) values = from.load(from.first);
    ptx::barrier_cluster_wait(ptx::sem_acquire);
    if (is_loaded) count_vector(values, count_one);
    count_all(from, is_loaded ? from.first + from.step : from.first, count_one);
    meet_cluster();
    leave(job, own);
    add_bins(job, own);
}

// Without remote accesses: what a cluster counts is read by all its CTAs, at about the same time and so once from
// global memory, and each counts what falls in its own bins.
extern "C" __global__ void __launch_bounds__(HISTOGRAM_MAX_THREADS) histogram_own(const histogram_job job)
{
    extern __shared__ __align__(128) uint32_t own[];
    const reader from(job, ptx::get_sreg_clusterid_x(), ptx::get_sreg_nclusterid_x());
    const uint32_t first = ptx::get_sreg_cluster_ctarank() * job.cta_bins, address = shared_address(own);
    clear(job, own);
    __syncthreads(); // all bins are clear
    count_all(from, from.first, [&](int32_t value) {
        uint32_t bin = histogram_bin(value, job.nbins) - first;
        if (bin < job.cta_bins)
            asm volatile("red.relaxed.cta.shared::cta.add.u32 [%0], 1;" ::"r"(address + 4 * bin) : "memory");
    });
    __syncthreads(); // all have counted
    leave(job, own);
    add_bins(job, own);
}

// Wrong on purpose: no CTA waits for those that still count in its memory. One is late, and the others have added their
// bins by then; they exit, or linger until it has counted.
extern "C" __global__ void __launch_bounds__(HISTOGRAM_MAX_THREADS) histogram_missing(const histogram_job job)
{
    extern __shared__ __align__(128) uint32_t own[];
    const reader from(job, blockIdx.x, gridDim.x);
    const bool is_late = ptx::get_sreg_cluster_ctarank() == job.late;
    clear(job, own);
    meet_cluster();
    if (is_late) stay(HISTOGRAM_LATE_CLOCKS);
    count_all(from, from.first, cluster_counter{job, shared_address(own)});
    if (!is_late) stay(HISTOGRAM_SETTLE_CLOCKS);
    __syncthreads();
    leave(job, own);
    add_bins(job, own);
    if (!is_late && job.linger) stay(HISTOGRAM_LINGER_CLOCKS);
}
