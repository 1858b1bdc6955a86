// SPDX-License-Identifier: MIT
// What the host hands to kernels/softmax.cu and what it gets back: plain C, the same bytes on both sides, and the
// numbers that fix every bit of the result.
//
// A row is one query against `count` keys: out = sum of e^(score - greatest) * value / sum of e^(score - greatest). A
// part, the keys of one CTA, has a state: the greatest score m, the sum l, and the weighted sum of values. All scores
// are in units of log2, so that a weight is 2^(score - m), by SOFTMAX_EXP2's polynomial and not ex2.approx, which has
// no specified result.
#ifndef TMAREF_SOFTMAX_JOB_H
#define TMAREF_SOFTMAX_JOB_H

#include <stdint.h>

enum {
    SOFTMAX_LANE_DIMS = 8,  // of a query that a lane holds: 16 bytes of bf16
    SOFTMAX_BATCH = 4,      // keys that a group of lanes takes at once
    SOFTMAX_STATE_HEAD = 4, // words of a state before its values: m, l, 0, 0
    SOFTMAX_MAX_PARTS = 16, // of a row: the CTAs of a cluster
    SOFTMAX_MAX_DIMS = 128, // of a key and of a value: this or 64
    SOFTMAX_MAX_THREADS = 512,
    SOFTMAX_MIN_THREADS = 64, // at least SOFTMAX_MAX_PARTS + 1 and a multiple of 32
    SOFTMAX_MAX_GROUPS = SOFTMAX_MAX_THREADS * SOFTMAX_LANE_DIMS / 64,
};

// 2^f for f in -1/2 .. 1/2: 1 + f * (C1 + f * (C2 + ...)), each step a fused multiply-add; off by less than 2^-26
// before rounding. The coefficients interpolate (2^f - 1) / f at the 6 Chebyshev points. X(coefficient), from the last
// on.
#define SOFTMAX_EXP2_COEFFICIENTS(X)                                                                                   \
    X(0.00015453163359779865f)                                                                                         \
    X(0.0013390863314270973f)                                                                                          \
    X(0.009618083015084267f)                                                                                           \
    X(0.055503569543361664f)                                                                                           \
    X(0.24022650718688965f)                                                                                            \
    X(0.6931471824645996f)                                                                                             \
    X(1.0f)
// Weights below 2^SOFTMAX_EXP2_LEAST are 0. Adding and subtracting SOFTMAX_EXP2_ROUND (1.5 * 2^23) rounds to an
// integer.
#define SOFTMAX_EXP2_LEAST (-125.0f)
#define SOFTMAX_EXP2_ROUND 12582912.0f

// How the states of a row meet; X(id, name). `pull`: the first CTA of the cluster reads the others' shared memory,
// between two meetings. `push`: every CTA sends its own to the first one's shared memory by st.async, whose bytes a
// barrier counts, and exits. `global`: they are written to global memory, and a second kernel merges them.
#define SOFTMAX_VARIANTS(X)          X(PULL, "pull") X(PUSH, "push") X(GLOBAL, "global")
#define SOFTMAX_ENUMERATOR(id, name) SOFTMAX_##id,
enum softmax_variant { SOFTMAX_VARIANTS(SOFTMAX_ENUMERATOR) SOFTMAX_VARIANT_COUNT };
#undef SOFTMAX_ENUMERATOR

// Addresses in global memory. `query` is a row of bf16 for each row, `keys` and `values` `count` rows of bf16 for each,
// one row after the other; 16-byte aligned. `out` is f32. `states`, `slots` and `barriers` may be 0 but for `states` of
// `global`: the state of each part of each row; what `push` brought to the first CTA, in the same layout (the first
// one's own state stays where it is); that CTA's barrier at its end. `scale` is log2(e) times the usual factor.
struct softmax_job {
    uint64_t query, keys, values, out, states, slots, barriers;
    uint32_t count, parts;
    float scale;
    uint32_t zero;
};

#ifdef __CUDACC__
#define SOFTMAX_DEVICE __host__ __device__
#else
#define SOFTMAX_DEVICE
#endif

SOFTMAX_DEVICE static inline uint32_t softmax_state_words(uint32_t dims)
{
    return dims + SOFTMAX_STATE_HEAD;
}

// The keys of part `part`: *first to *end - 1. The last parts may have fewer than the others, or none.
SOFTMAX_DEVICE static inline void softmax_keys(const struct softmax_job *job, uint32_t part, uint32_t *first,
                                               uint32_t *end)
{
    uint32_t share = (job->count + job->parts - 1) / job->parts;
    *first = part * share < job->count ? part * share : job->count;
    *end = *first + share < job->count ? *first + share : job->count;
}

// Words of shared memory of a CTA: its state, the states that others send it, those of its groups of lanes.
static inline uint32_t softmax_shared_bytes(uint32_t dims, uint32_t threads)
{
    uint32_t groups = threads * SOFTMAX_LANE_DIMS / dims;
    return (1 + SOFTMAX_MAX_PARTS + groups) * softmax_state_words(dims) * 4;
}

#endif
