// SPDX-License-Identifier: MIT
// The histogram on the model: what each CTA counts in whose shared memory, and, where no barrier holds them together,
// who has exited by then.
#include <stdlib.h>
#include <string.h>

#include "cluster.h"
#include "histogram_case.h"
#include "rules/cluster.h"

// A cluster: its CTAs' bins, as words of shared memory from HISTOGRAM_SHARED_START on.
struct cluster {
    const struct histogram_case *c;
    struct histogram_job job;
    uint32_t index; // of the grid's clusters
    uint32_t *bins[CLUSTER_MAX];
    int has_exited[CLUSTER_MAX];
    enum rule rule;
};

// One more in a bin, which some CTA of the cluster owns: it faults if that one has exited.
static void count_one(struct cluster *cluster, uint32_t rank, uint32_t i)
{
    const struct histogram_job *job = &cluster->job;
    uint32_t bin = histogram_bin(histogram_value(cluster->c, i), job->nbins), owner = bin / job->cta_bins;
    if (owner != rank && cluster->has_exited[owner]) cluster->rule = RULE_CLUSTER_EXITED;
    cluster->bins[owner][bin % job->cta_bins]++;
}

// The CTAs of the grid take the vectors in turn, as many as they have threads; in `own` the clusters do, and it does
// not matter which of its CTAs counts.
static void count(struct cluster *cluster, uint32_t rank)
{
    const struct histogram_case *c = cluster->c;
    uint64_t run = (uint64_t)HISTOGRAM_VECTOR * c->threads, takers = histogram_grid(c), taker = rank;
    taker += (uint64_t)cluster->index * c->cluster;
    if (c->variant == HISTOGRAM_OWN) takers = c->clusters, taker = rank == 0 ? cluster->index : UINT32_MAX;
    for (uint64_t first = taker * run; first < c->count + c->skew; first += takers * run)
        for (uint64_t i = first; i < first + run && i < c->count + c->skew; i++)
            if (i >= c->skew) count_one(cluster, rank, (uint32_t)(i - c->skew));
}

// The words of the window "bins" behind the guard; a result begins where any number may.
static uint32_t *bins_of(const struct histogram_case *c, const struct result *result)
{
    return (uint32_t *)(void *)result->window[0].bytes + HISTOGRAM_GUARD_WORDS + c->bins_skew;
}

// What a CTA leaves when it has counted, and its bins added to global memory.
static void finish(const struct cluster *cluster, uint32_t rank, struct result *result)
{
    const struct histogram_job *job = &cluster->job;
    uint32_t cta = cluster->index * cluster->c->cluster + rank, next = (rank + 1) % cluster->c->cluster;
    struct histogram_cta left = {rank, cluster->c->cluster, cluster->index, cluster_mapa(HISTOGRAM_SHARED_START, next)};
    memcpy(result->window[1].bytes + (size_t)cta * job->cta_bins * 4, cluster->bins[rank], job->cta_bins * 4);
    memcpy(result->window[2].bytes + cta * sizeof left, &left, sizeof left);
    for (uint32_t i = 0; i < job->cta_bins && rank * job->cta_bins + i < job->nbins; i++)
        bins_of(cluster->c, result)[rank * job->cta_bins + i] += cluster->bins[rank][i];
}

// Between two barriers, all count; then all finish. Without the second, all but the late one have finished, and exited
// if they do not linger, before it counts.
static void run(struct cluster *cluster, struct result *result)
{
    const uint32_t ranks = cluster->c->cluster;
    const bool is_missing = cluster->c->variant == HISTOGRAM_MISSING;
    for (uint32_t rank = 0; rank < ranks; rank++)
        if (!is_missing || rank != cluster->c->late) count(cluster, rank);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        if (is_missing && rank == cluster->c->late) continue;
        finish(cluster, rank, result);
        cluster->has_exited[rank] = is_missing && !cluster->c->linger;
    }
    if (!is_missing || cluster->c->late >= ranks) return;
    count(cluster, cluster->c->late);
    finish(cluster, cluster->c->late, result);
}

static void model_global(const struct histogram_case *c, struct result *result)
{
    for (uint32_t i = 0; i < c->count; i++) bins_of(c, result)[histogram_bin(histogram_value(c, i), c->nbins)]++;
}

enum rule histogram_model(const void *test_case, struct result *result)
{
    const struct histogram_case *c = test_case;
    const struct histogram_job job = histogram_job_of(c);
    enum rule rule = RULE_OK;
    uint32_t *bins = malloc((size_t)c->cluster * job.cta_bins * 4 + 1);
    if (bins == NULL) abort();
    if (c->variant == HISTOGRAM_GLOBAL) model_global(c, result);
    for (uint32_t i = 0; i < c->clusters && c->cluster > 0 && rule == RULE_OK; i++) {
        struct cluster cluster = {.c = c, .job = job, .index = i};
        memset(bins, 0, (size_t)c->cluster * job.cta_bins * 4);
        for (uint32_t rank = 0; rank < c->cluster; rank++) cluster.bins[rank] = bins + rank * job.cta_bins;
        run(&cluster, result);
        rule = cluster.rule;
    }
    free(bins);
    return rule;
}
