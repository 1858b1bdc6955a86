// SPDX-License-Identifier: MIT
// What the host hands to kernels/histogram.cu and what it gets back: plain C, the same bytes on both sides, and the
// arithmetic that both use: which bin a value counts in, which CTA has that bin, which CTA reads which element.
#ifndef TMAREF_HISTOGRAM_JOB_H
#define TMAREF_HISTOGRAM_JOB_H

#include <stdint.h>

#ifdef __CUDACC__
#define HISTOGRAM_DEVICE __host__ __device__
#else
#define HISTOGRAM_DEVICE
#endif

// Shared memory of a CTA by offset: the system's first 1 KiB, then the CTA's part of the bins.
enum {
    HISTOGRAM_SHARED_START = 1024,
    HISTOGRAM_MAX_THREADS = 1024,
    HISTOGRAM_MAX_CTA_BINS = 227 * 1024 / 4,
    HISTOGRAM_VECTOR = 4, // elements that a thread loads at once, and of which cta_bins is a multiple
};

// The kernels, with their names in cases; X(id, name, function). In `own` every CTA reads all values of its cluster and
// counts those of its own bins; in `missing` no barrier is between counting and what follows.
#define HISTOGRAM_VARIANTS(X)                                                                                          \
    X(GLOBAL, "global", "histogram_global")                                                                            \
    X(SYNC, "sync", "histogram_sync")                                                                                  \
    X(SPLIT, "split", "histogram_split")                                                                               \
    X(OWN, "own", "histogram_own")                                                                                     \
    X(MISSING, "missing", "histogram_missing")
#define HISTOGRAM_ENUMERATOR(id, name, function) HISTOGRAM_##id,
enum histogram_variant { HISTOGRAM_VARIANTS(HISTOGRAM_ENUMERATOR) HISTOGRAM_VARIANT_COUNT };
#undef HISTOGRAM_ENUMERATOR

// How long CTAs of `missing` stay where the race is decided, in clocks: the late one before it counts; the others after
// they have counted, so that what they count for each other is there; and, if they linger, after their bins are added.
enum { HISTOGRAM_LATE_CLOCKS = 150000, HISTOGRAM_SETTLE_CLOCKS = 50000, HISTOGRAM_LINGER_CLOCKS = 300000 };

// `count` values of 32 bits at `input` are counted in `nbins` bins of 32 bits at `bins`, which are added to.
// `cta_bins`, `magic` and `shift` are histogram_divide()'s; the global variant has no use for them. `shared` and `ctas`
// may be 0: there each CTA leaves its part of the bins (cta_bins words) before it adds them, and a struct
// histogram_cta.
struct histogram_job {
    uint64_t input, count, bins, shared, ctas;
    uint32_t nbins, cta_bins, magic, shift;
    uint32_t late, linger; // of `missing`: the rank that is late (none if there is no such rank)
};

// What a CTA finds: its rank, the CTAs of its cluster, its cluster, and its bins' address in the next CTA.
struct histogram_cta {
    uint32_t rank, ranks, cluster, next;
};

// The bins of each of `ctas` CTAs, and the division by them: bin / cta_bins is (bin * magic >> 32) >> shift for any bin
// below 2^31, as magic is 2^(32 + shift) / cta_bins, rounded up, and shift the largest for which that is below 2^32.
static inline void histogram_divide(struct histogram_job *job, uint32_t ctas)
{
    uint32_t bins = (job->nbins + ctas - 1) / ctas;
    job->cta_bins = (bins + HISTOGRAM_VECTOR - 1) / HISTOGRAM_VECTOR * HISTOGRAM_VECTOR;
    job->shift = 0;
    while (UINT32_C(2) << job->shift < job->cta_bins) job->shift++;
    job->magic = (uint32_t)(((UINT64_C(1) << (32 + job->shift)) + job->cta_bins - 1) / job->cta_bins);
}

// The bin of a value: values below 0 count in the first, values above nbins - 1 in the last.
HISTOGRAM_DEVICE static inline uint32_t histogram_bin(int32_t value, uint32_t nbins)
{
    if (value < 0) return 0;
    return (uint32_t)value < nbins ? (uint32_t)value : nbins - 1;
}

// The rank of the CTA that has `bin`.
HISTOGRAM_DEVICE static inline uint32_t histogram_rank(const struct histogram_job *job, uint32_t bin)
{
    return (uint32_t)((uint64_t)bin * job->magic >> 32) >> job->shift;
}

// The elements before the first that is aligned to a vector's 16 bytes, as if `input` began there: 0 to 3.
HISTOGRAM_DEVICE static inline uint32_t histogram_skew(const struct histogram_job *job)
{
    return (uint32_t)(job->input / 4 % HISTOGRAM_VECTOR);
}

#endif
