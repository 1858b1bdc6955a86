// SPDX-License-Identifier: MIT
// Opponents of the benchmarks: the same work without what is praised there. A histogram in shared memory without
// clusters, attention whose states meet in global memory without a second kernel or with programmatic launch,
// transposition without TMA.
#include <cuda/ptx>

#include "histogram_job.h"
#include "opponent_job.h"
#include "softmax.cuh"

// --- A histogram: every part of the bins by CTAs of its own ----------------------------------------------------------

// CTAs i * parts to (i + 1) * parts - 1 read the same values, at about the same time and so once from memory, and each
// counts what falls in its part of the bins.
struct part_counter {
    uint32_t *own;
    uint32_t first, nbins, part_bins;

    __device__ __forceinline__ void count(int32_t value) const
    {
        const uint32_t bin = histogram_bin(value, nbins) - first;
        if (bin < part_bins) atomicAdd(own + bin, 1);
    }

    __device__ __forceinline__ void count(int4 values) const
    {
        count(values.x), count(values.y), count(values.z), count(values.w);
    }
};

extern "C" __global__ void __launch_bounds__(1024) histogram_parts(const opponent_histogram job)
{
    extern __shared__ __align__(128) uint32_t own[];
    const int4 *input = reinterpret_cast<const int4 *>(job.input);
    const uint64_t vectors = job.count / OPPONENT_VECTOR_VALUES;
    const uint64_t step = static_cast<uint64_t>(gridDim.x / job.parts) * blockDim.x;
    const uint32_t first = blockIdx.x % job.parts * job.part_bins;
    const part_counter counter = {own, first, job.nbins, job.part_bins};
    uint64_t v = static_cast<uint64_t>(blockIdx.x / job.parts) * blockDim.x + threadIdx.x;
    for (uint32_t i = threadIdx.x; i < job.part_bins; i += blockDim.x) own[i] = 0;
    __syncthreads();
    for (; v + (OPPONENT_UNROLL - 1) * step < vectors; v += OPPONENT_UNROLL * step) {
        int4 values[OPPONENT_UNROLL];
#pragma unroll
        for (uint32_t i = 0; i < OPPONENT_UNROLL; i++) values[i] = __ldcs(input + v + i * step);
#pragma unroll
        for (uint32_t i = 0; i < OPPONENT_UNROLL; i++) counter.count(values[i]);
    }
    for (; v < vectors; v += step) counter.count(__ldcs(input + v));
    __syncthreads();
    uint32_t *bins = reinterpret_cast<uint32_t *>(job.bins) + first;
    for (uint32_t i = threadIdx.x; i < job.part_bins && first + i < job.nbins; i += blockDim.x)
        if (own[i] != 0) atomicAdd(bins + i, own[i]);
}

// --- Attention -------------------------------------------------------------------------------------------------------

// One kernel: whoever comes last to a row merges its states. `slots` has a counter for each row, zero between launches.
template <int DIMS>
static __device__ void last_merges(const softmax_job &job)
{
    extern __shared__ __align__(128) float shared[];
    __shared__ uint32_t before;
    constexpr uint32_t WORDS = DIMS + SOFTMAX_STATE_HEAD;
    const uint32_t row = blockIdx.x / job.parts;
    uint32_t *counter = reinterpret_cast<uint32_t *>(job.slots) + row;
    make_state<DIMS>(job, row, blockIdx.x % job.parts, shared, shared + (1 + SOFTMAX_MAX_PARTS) * WORDS);
    __syncthreads();
    if (threadIdx.x == 0) { // behind the barrier: .release is of what all threads stored, .acquire for them all
        asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(counter) : "memory");
        if (before == job.parts - 1) *counter = 0;
    }
    __syncthreads();
    if (before != job.parts - 1) return;
    const float *states = reinterpret_cast<const float *>(job.states) + static_cast<uint64_t>(row) * job.parts * WORDS;
    write_out<DIMS>(job, row, [&](uint32_t i, uint32_t word) { return __ldcg(states + i * WORDS + word); });
}

// Two kernels, of which the second is launched while the first runs, and waits for it.
template <int DIMS>
static __device__ void early_part(const softmax_job &job)
{
    extern __shared__ __align__(128) float shared[];
    constexpr uint32_t WORDS = DIMS + SOFTMAX_STATE_HEAD;
    asm volatile("griddepcontrol.wait;\n"
                 "griddepcontrol.launch_dependents;" ::
                     : "memory");
    make_state<DIMS>(job, blockIdx.x / job.parts, blockIdx.x % job.parts, shared,
                     shared + (1 + SOFTMAX_MAX_PARTS) * WORDS);
}

template <int DIMS>
static __device__ void early_merge(const softmax_job &job)
{
    constexpr uint32_t WORDS = DIMS + SOFTMAX_STATE_HEAD;
    asm volatile("griddepcontrol.wait;\n"
                 "griddepcontrol.launch_dependents;" ::
                     : "memory");
    const float *states = reinterpret_cast<const float *>(job.states) + blockIdx.x * job.parts * WORDS;
    write_out<DIMS>(job, blockIdx.x, [&](uint32_t i, uint32_t word) { return states[i * WORDS + word]; });
}

#define ATTENTION(name)                                                                                                \
    extern "C" __global__ void __launch_bounds__(SOFTMAX_MAX_THREADS) attention_##name(const softmax_job job)          \
    {                                                                                                                  \
        name<SOFTMAX_MAX_DIMS>(job);                                                                                   \
    }
ATTENTION(last_merges)
ATTENTION(early_part)
ATTENTION(early_merge)

// --- Transposition ---------------------------------------------------------------------------------------------------

template <int BYTES>
struct element;
template <>
struct element<1> {
    using type = uint8_t;
};
template <>
struct element<2> {
    using type = uint16_t;
};
template <>
struct element<4> {
    using type = uint32_t;
};
template <>
struct element<8> {
    using type = uint2;
};
template <>
struct element<16> {
    using type = uint4;
};

// Vectors of 16 bytes come in by rows and lie in shared memory by rows, the chunks of a row moved so that the rows of
// which a vector of the result has one element each are in other banks; the result goes out in vectors too.
template <int BYTES, int SIDE>
static __device__ void transpose_tile(const opponent_transposition &job)
{
    using word = typename element<BYTES>::type;
    constexpr uint32_t PER_VECTOR = 16 / BYTES, ACROSS = SIDE / PER_VECTOR, VECTORS = SIDE * ACROSS;
    constexpr uint32_t EACH = VECTORS / OPPONENT_THREADS, AT_ONCE = EACH < 8 ? EACH : 8;
    extern __shared__ __align__(128) uint4 tile[]; // SIDE rows of ACROSS chunks
    const uint64_t row = static_cast<uint64_t>(blockIdx.y) * SIDE, column = static_cast<uint64_t>(blockIdx.x) * SIDE;
    const auto chunk = [](uint32_t r, uint32_t c) { return r * ACROSS + (c ^ (r / PER_VECTOR & (ACROSS - 1) & 7)); };
    for (uint32_t first = threadIdx.x; first < VECTORS; first += AT_ONCE * OPPONENT_THREADS) {
        uint4 v[AT_ONCE];
#pragma unroll
        for (uint32_t i = 0; i < AT_ONCE; i++) {
            const uint32_t at = first + i * OPPONENT_THREADS, r = at / ACROSS, c = at % ACROSS;
            v[i] = __ldcs(reinterpret_cast<const uint4 *>(job.from + ((row + r) * job.columns + column) * BYTES) + c);
        }
#pragma unroll
        for (uint32_t i = 0; i < AT_ONCE; i++) {
            const uint32_t at = first + i * OPPONENT_THREADS;
            tile[chunk(at / ACROSS, at % ACROSS)] = v[i];
        }
    }
    __syncthreads();
    for (uint32_t at = threadIdx.x; at < VECTORS; at += OPPONENT_THREADS) {
        const uint32_t c = at / ACROSS, r = at % ACROSS * PER_VECTOR; // column c of the tile, rows r and on
        alignas(16) word out[PER_VECTOR];
#pragma unroll
        for (uint32_t i = 0; i < PER_VECTOR; i++)
            out[i] = reinterpret_cast<const word *>(&tile[chunk(r + i, c / PER_VECTOR)])[c % PER_VECTOR];
        __stcs(reinterpret_cast<uint4 *>(job.to + ((column + c) * job.rows + row + r) * BYTES),
               *reinterpret_cast<const uint4 *>(out));
    }
}

#define TRANSPOSITION(bytes, side)                                                                                     \
    extern "C" __global__ void __launch_bounds__(OPPONENT_THREADS)                                                     \
        transpose_shared_##bytes##_##side(const opponent_transposition job)                                            \
    {                                                                                                                  \
        transpose_tile<bytes, side>(job);                                                                              \
    }
OPPONENT_TILES(TRANSPOSITION)
