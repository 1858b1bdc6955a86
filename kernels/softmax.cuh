// SPDX-License-Identifier: MIT
// What the attention kernels share: the arithmetic, the keys of a CTA, merging. See softmax.cu.
#ifndef TMAREF_SOFTMAX_CUH
#define TMAREF_SOFTMAX_CUH

#include "device.cuh"
#include "softmax_job.h"

static constexpr uint32_t FULL = 0xffffffff;
static constexpr long long WAIT_CLOCKS = 500000000; // some 250 ms

// --- Arithmetic ------------------------------------------------------------------------------------------------------

// 2^x for x <= 0; 0 for NaN, which is what two empty states differ by.
static __device__ __forceinline__ float exp2_of(float x)
{
    if (!(x >= SOFTMAX_EXP2_LEAST)) return 0.0f;
    float shifted = __fadd_rn(x, SOFTMAX_EXP2_ROUND), power = __fadd_rn(shifted, -SOFTMAX_EXP2_ROUND);
    float f = __fadd_rn(x, -power), sum = 0.0f;
#define STEP(coefficient) sum = __fmaf_rn(sum, f, coefficient);
    SOFTMAX_EXP2_COEFFICIENTS(STEP)
#undef STEP
    return __uint_as_float(__float_as_uint(sum) + (__float_as_uint(shifted) << 23));
}

// fmaxf() may give either zero of two.
static __device__ __forceinline__ float greater(float a, float b)
{
    return a > b ? a : b;
}

// The two bf16 of a word.
static __device__ __forceinline__ float low(uint32_t word)
{
    return __uint_as_float(word << 16);
}

static __device__ __forceinline__ float high(uint32_t word)
{
    return __uint_as_float(word & 0xffff0000);
}

static __device__ __forceinline__ void unpack(uint4 packed, float (&to)[SOFTMAX_LANE_DIMS])
{
    const uint32_t words[4] = {packed.x, packed.y, packed.z, packed.w};
#pragma unroll
    for (int i = 0; i < 4; i++) to[2 * i] = low(words[i]), to[2 * i + 1] = high(words[i]);
}

// The dot product of a group of lanes, each with its dimensions; all of its lanes get it.
template <int LANES>
static __device__ __forceinline__ float dot(const float (&a)[SOFTMAX_LANE_DIMS], const float (&b)[SOFTMAX_LANE_DIMS])
{
    float sum = __fmul_rn(a[0], b[0]);
#pragma unroll
    for (int i = 1; i < SOFTMAX_LANE_DIMS; i++) sum = __fmaf_rn(a[i], b[i], sum);
#pragma unroll
    for (int distance = LANES / 2; distance > 0; distance /= 2)
        sum = __fadd_rn(sum, __shfl_xor_sync(FULL, sum, distance));
    return sum;
}

// --- The keys of a CTA -----------------------------------------------------------------------------------------------

struct lane_state {
    float m, l, sum[SOFTMAX_LANE_DIMS];
};

// SOFTMAX_BATCH keys more, whose scores are -infinity where there is no key.
static __device__ __forceinline__ void add_keys(lane_state &state, const float (&score)[SOFTMAX_BATCH],
                                                const uint4 (&values)[SOFTMAX_BATCH])
{
    float m = state.m, weight[SOFTMAX_BATCH], value[SOFTMAX_LANE_DIMS];
#pragma unroll
    for (int i = 0; i < SOFTMAX_BATCH; i++) m = greater(score[i], m);
    const float before = exp2_of(__fadd_rn(state.m, -m));
#pragma unroll
    for (int i = 0; i < SOFTMAX_BATCH; i++) weight[i] = exp2_of(__fadd_rn(score[i], -m));
    state.m = m;
    state.l = __fmul_rn(state.l, before);
#pragma unroll
    for (int j = 0; j < SOFTMAX_LANE_DIMS; j++) state.sum[j] = __fmul_rn(state.sum[j], before);
#pragma unroll
    for (int i = 0; i < SOFTMAX_BATCH; i++) {
        state.l = __fadd_rn(state.l, weight[i]);
        unpack(values[i], value);
#pragma unroll
        for (int j = 0; j < SOFTMAX_LANE_DIMS; j++) state.sum[j] = __fmaf_rn(weight[i], value[j], state.sum[j]);
    }
}

// SOFTMAX_BATCH keys and values of a lane, as they are loaded; zeros where there is none.
struct lane_batch {
    uint4 keys[SOFTMAX_BATCH], values[SOFTMAX_BATCH];
};

// Where a lane finds its dimensions of key k: at pointer + k * LANES.
struct lane_input {
    const uint4 *keys, *values;
    uint32_t end;
};

template <uint32_t LANES>
static __device__ __forceinline__ lane_batch load_batch(const lane_input &from, uint32_t key, uint32_t groups)
{
    lane_batch batch = {};
#pragma unroll
    for (uint32_t i = 0; i < SOFTMAX_BATCH; i++) {
        const uint32_t k = key + i * groups;
        if (k < from.end) batch.keys[i] = __ldcs(from.keys + static_cast<uint64_t>(k) * LANES);
        if (k < from.end) batch.values[i] = __ldcs(from.values + static_cast<uint64_t>(k) * LANES);
    }
    return batch;
}

// The groups of lanes take the keys of a part in turn, SOFTMAX_BATCH rounds at once; the next ones are on their way.
template <int DIMS>
static __device__ lane_state take_keys(const softmax_job &job, uint32_t row, uint32_t part)
{
    constexpr uint32_t LANES = DIMS / SOFTMAX_LANE_DIMS;
    const uint32_t groups = blockDim.x / LANES, lane = threadIdx.x % LANES;
    const uint64_t start = static_cast<uint64_t>(row) * job.count * LANES + lane;
    lane_input from = {reinterpret_cast<const uint4 *>(job.keys) + start,
                       reinterpret_cast<const uint4 *>(job.values) + start, 0};
    lane_state state = {-INFINITY, 0.0f, {}};
    float query[SOFTMAX_LANE_DIMS], key[SOFTMAX_LANE_DIMS], score[SOFTMAX_BATCH];
    uint32_t first;
    unpack(reinterpret_cast<const uint4 *>(job.query)[row * LANES + lane], query);
#pragma unroll
    for (int i = 0; i < SOFTMAX_LANE_DIMS; i++) query[i] = __fmul_rn(query[i], job.scale);
    softmax_keys(&job, part, &first, &from.end);
    uint32_t own = first + threadIdx.x / LANES;
    lane_batch next = load_batch<LANES>(from, own, groups);
    for (; first < from.end; first += SOFTMAX_BATCH * groups, own += SOFTMAX_BATCH * groups) {
        const lane_batch batch = next;
        next = load_batch<LANES>(from, own + SOFTMAX_BATCH * groups, groups);
#pragma unroll
        for (uint32_t i = 0; i < SOFTMAX_BATCH; i++) {
            unpack(batch.keys[i], key);
            score[i] = dot<LANES>(query, key);
            if (own + i * groups >= from.end) score[i] = -INFINITY;
        }
        add_keys(state, score, batch.values);
    }
    return state;
}

// --- Merging ---------------------------------------------------------------------------------------------------------

// `count` states in their order, of which this thread has dimension `d`: load(i, word) is a word of state i.
template <class Load>
static __device__ __forceinline__ float3 merge(uint32_t count, uint32_t d, Load load)
{
    float m = -INFINITY, l = 0.0f, sum = 0.0f;
#pragma unroll 4
    for (uint32_t i = 0; i < count; i++) m = greater(load(i, 0), m);
#pragma unroll 4
    for (uint32_t i = 0; i < count; i++) {
        const float weight = exp2_of(__fadd_rn(load(i, 0), -m));
        l = __fmaf_rn(load(i, 1), weight, l);
        sum = __fmaf_rn(load(i, SOFTMAX_STATE_HEAD + d), weight, sum);
    }
    return {m, l, sum};
}

// The state of part `part` of row `row`, in `own` in shared memory and where the host wants it.
template <int DIMS>
static __device__ void make_state(const softmax_job &job, uint32_t row, uint32_t part, float *own, float *of_groups)
{
    constexpr uint32_t LANES = DIMS / SOFTMAX_LANE_DIMS, WORDS = DIMS + SOFTMAX_STATE_HEAD;
    const lane_state state = take_keys<DIMS>(job, row, part);
    float *mine = of_groups + threadIdx.x / LANES * WORDS;
    mine[0] = state.m;
    mine[1] = state.l;
#pragma unroll
    for (uint32_t j = 0; j < SOFTMAX_LANE_DIMS; j++)
        mine[SOFTMAX_STATE_HEAD + threadIdx.x % LANES * SOFTMAX_LANE_DIMS + j] = state.sum[j];
    __syncthreads();
    for (uint32_t d = threadIdx.x; d < DIMS; d += blockDim.x) {
        const float3 all =
            merge(blockDim.x / LANES, d, [&](uint32_t i, uint32_t word) { return of_groups[i * WORDS + word]; });
        if (d == 0) own[0] = all.x, own[1] = all.y, own[2] = own[3] = 0.0f;
        own[SOFTMAX_STATE_HEAD + d] = all.z;
    }
    __syncthreads();
    float *to = reinterpret_cast<float *>(job.states) + (static_cast<uint64_t>(row) * job.parts + part) * WORDS;
    for (uint32_t i = threadIdx.x; job.states != 0 && i < WORDS; i += blockDim.x) to[i] = own[i];
}

template <int DIMS, class Load>
static __device__ void write_out(const softmax_job &job, uint32_t row, Load load)
{
    for (uint32_t d = threadIdx.x; d < DIMS; d += blockDim.x) {
        const float3 all = merge(job.parts, d, load);
        reinterpret_cast<float *>(job.out)[row * DIMS + d] = __fdiv_rn(all.z, all.y);
    }
}

#endif
