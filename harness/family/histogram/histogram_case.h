// SPDX-License-Identifier: MIT
// A histogram as data: how it is launched, what it counts, and what it means to the model and to a GPU.
#ifndef TMAREF_HISTOGRAM_CASE_H
#define TMAREF_HISTOGRAM_CASE_H

#include "cluster.h"
#include "family.h"
#include "gpu.h"
#include "histogram_job.h"

// What the values of a case are: in the bins' range; also a little below and above it; any 32 bits; all the same, in
// the range.
#define HISTOGRAM_VALUES(X)            X(INSIDE, "inside") X(AROUND, "around") X(ANY, "any") X(SAME, "same")
#define HISTOGRAM_ENUMERATOR(id, name) HISTOGRAM_##id,
enum histogram_values { HISTOGRAM_VALUES(HISTOGRAM_ENUMERATOR) HISTOGRAM_VALUES_COUNT };
#undef HISTOGRAM_ENUMERATOR

enum { HISTOGRAM_MAX_COUNT = 1 << 20, HISTOGRAM_MAX_GRID = 512, HISTOGRAM_GUARD_WORDS = 8 };
enum { HISTOGRAM_MAX_BINS = CLUSTER_MAX * HISTOGRAM_MAX_CTA_BINS };

// `cluster` CTAs of `threads` threads form a cluster (0: no cluster, for the global variant), `clusters` of them the
// grid. `count` values begin `skew` elements behind a multiple of 16 bytes, the bins `bins_skew`. `late` and `linger`
// as in struct histogram_job; 0 but for the variant `missing`.
struct histogram_case {
    uint32_t variant, cluster, clusters, threads, nbins, count, values, skew, bins_skew, late, linger, seed;
};

static inline uint32_t histogram_grid(const struct histogram_case *c)
{
    return c->clusters * (c->cluster > 0 ? c->cluster : 1);
}

// The job of a case, its addresses 0 but for the skews.
struct histogram_job histogram_job_of(const struct histogram_case *c);

// Value `i` < count, and what bin `i` < nbins (or, from -HISTOGRAM_GUARD_WORDS on, the words around) holds before.
int32_t histogram_value(const struct histogram_case *c, uint32_t i);
uint32_t histogram_before(const struct histogram_case *c, int64_t i);

enum rule histogram_model(const void *test_case, struct result *result);
// A launch of `variant` with the device addresses and counts that `job` has; its division is filled in. `cluster` as
// above. `arguments` (1 pointer) and `job` live as long as the launch. Bins are added to, so the caller clears them.
struct gpu_launch histogram_launch(enum histogram_variant variant, uint32_t cluster, uint32_t clusters,
                                   uint32_t threads, struct histogram_job *job, void **arguments);

#endif
