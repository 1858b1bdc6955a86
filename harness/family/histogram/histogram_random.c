// SPDX-License-Identifier: MIT
// Random histograms: every size of cluster, bins that the cluster does not divide, fewer bins than CTAs, values outside
// the range, arrays that begin and end anywhere, from none to some thousand values; now and then as many bins as fit.
#include "cluster.h"

#include "draw.h"
#include "histogram_case.h"

static uint32_t pick_nbins(struct random *random, uint32_t cluster)
{
    uint64_t kind = random_below(random, 100);
    uint32_t ctas = cluster > 0 ? cluster : 1;
    if (kind < 10) return (uint32_t)random_range(random, 1, 20);
    if (kind < 30) return ctas * 4 * (uint32_t)random_range(random, 1, 100);
    if (kind < 98) return (uint32_t)random_range(random, 1, 3000);
    uint32_t most = HISTOGRAM_MAX_CTA_BINS * (ctas < 4 ? ctas : 4);
    return most - (uint32_t)random_below(random, most / 2);
}

static uint32_t pick_count(struct random *random)
{
    return (uint32_t)DRAW(random, {5, BETWEEN(0, 7)}, {40, BETWEEN(0, 999)}, {52, BETWEEN(0, 7999)},
                          {3, BETWEEN(0, 59999)});
}

static uint32_t pick_threads(struct random *random)
{
    static const uint32_t threads[] = {32, 64, 128, 256, 512, 1024};
    if (random_chance(random, 70)) return random_pick(random, threads);
    return (uint32_t)random_range(random, 1, HISTOGRAM_MAX_THREADS);
}

// The race of a missing barrier, small enough for the time that the kernel leaves to each part of it.
static void pick_race(struct random *random, struct histogram_case *c)
{
    c->variant = HISTOGRAM_MISSING;
    c->late = (uint32_t)random_below(random, c->cluster + 1);
    c->linger = (uint32_t)random_chance(random, 50);
    c->nbins = (uint32_t)random_range(random, 1, 3000);
    c->count = (uint32_t)random_below(random, 4000);
}

void histogram_generate(struct random *random, void *test_case)
{
    static const uint32_t variants[] = {HISTOGRAM_GLOBAL, HISTOGRAM_SYNC, HISTOGRAM_SYNC, HISTOGRAM_SPLIT,
                                        HISTOGRAM_OWN};
    struct histogram_case *c = test_case;
    *c = (struct histogram_case){.variant = random_pick(random, variants)};
    if (c->variant != HISTOGRAM_GLOBAL) c->cluster = (uint32_t)random_range(random, 1, CLUSTER_MAX);
    c->clusters = (uint32_t)random_range(random, 1, 4);
    c->threads = pick_threads(random);
    c->nbins = pick_nbins(random, c->cluster);
    c->count = pick_count(random);
    c->values = (uint32_t)random_below(random, HISTOGRAM_VALUES_COUNT);
    c->skew = (uint32_t)random_below(random, HISTOGRAM_VECTOR);
    if (random_chance(random, 25)) c->bins_skew = (uint32_t)random_below(random, HISTOGRAM_VECTOR);
    if (c->cluster > 0 && random_chance(random, 8)) pick_race(random, c);
    c->seed = (uint32_t)random_u64(random);
}
