// SPDX-License-Identifier: MIT
// The kernels of histogram.cu of the stand-in GPU: from the bytes of struct histogram_job and the launch alone. Each
// CTA counts the vectors that its threads would load, in words of its cluster's shared memory.
#include <stdlib.h>
#include <string.h>

#include "cluster.h"
#include "histogram_job.h"
#include "standin.h"

struct grid {
    const struct histogram_job *job;
    uint32_t ctas, ranks, threads;
    uint32_t *shared; // job->cta_bins words of each CTA
};

static const int32_t *values_of(const struct histogram_job *job)
{
    return (const int32_t *)(uintptr_t)job->input;
}

static uint32_t *bins_of(const struct histogram_job *job)
{
    return (uint32_t *)(uintptr_t)job->bins;
}

// The bins that taker `taker` of `takers` counts, one after the other: a call gives the next, or UINT32_MAX at the end.
static uint32_t next_bin(const struct grid *grid, uint64_t taker, uint64_t takers, uint64_t *position)
{
    const struct histogram_job *job = grid->job;
    for (; *position < job->count + histogram_skew(job); ++*position) {
        uint64_t block = *position / HISTOGRAM_VECTOR / grid->threads;
        if (*position < histogram_skew(job) || block % takers != taker) continue;
        return histogram_bin(values_of(job)[(*position)++ - histogram_skew(job)], job->nbins);
    }
    return UINT32_MAX;
}

// Counts all that a taker has in the cluster that begins at CTA `first`. Returns whether it reached beyond `rank`.
static int count(const struct grid *grid, uint64_t taker, uint64_t takers, uint32_t first, uint32_t rank)
{
    uint64_t position = 0;
    int is_remote = 0;
    for (uint32_t bin; (bin = next_bin(grid, taker, takers, &position)) != UINT32_MAX;) {
        uint32_t owner = histogram_rank(grid->job, bin), offset = bin - owner * grid->job->cta_bins;
        grid->shared[(size_t)(first + owner) * grid->job->cta_bins + offset]++;
        is_remote |= owner != rank;
    }
    return is_remote;
}

static void finish(const struct grid *grid, uint32_t cta)
{
    const struct histogram_job *job = grid->job;
    const uint32_t *own = grid->shared + (size_t)cta * job->cta_bins, rank = cta % grid->ranks;
    struct histogram_cta *left = (struct histogram_cta *)(uintptr_t)job->ctas + cta;
    uint32_t *shared = (uint32_t *)(uintptr_t)job->shared + (size_t)cta * job->cta_bins;
    memcpy(shared, own, job->cta_bins * 4);
    left->rank = rank, left->ranks = grid->ranks, left->cluster = cta / grid->ranks;
    left->next = cluster_mapa(HISTOGRAM_SHARED_START, (rank + 1) % grid->ranks);
    for (uint32_t i = 0; i < job->cta_bins && rank * job->cta_bins + i < job->nbins; i++)
        bins_of(job)[rank * job->cta_bins + i] += own[i];
}

static enum rule run(void **parameters, enum rule (*kernel)(const struct grid *grid))
{
    struct histogram_job job;
    const struct cuda_launch_config *config = standin_config();
    memcpy(&job, parameters[0], sizeof job);
    struct grid grid = {&job, config->grid_x, 1, config->block_x, NULL};
    if (config->attribute_count > 0) grid.ranks = config->attributes[0].value.cluster.x;
    grid.shared = calloc((size_t)grid.ctas * job.cta_bins, 4);
    enum rule rule = kernel(&grid);
    free(grid.shared);
    return rule;
}

static enum rule global(const struct grid *grid)
{
    uint64_t position = 0;
    for (uint32_t bin; (bin = next_bin(grid, 0, 1, &position)) != UINT32_MAX;) bins_of(grid->job)[bin]++;
    return RULE_OK;
}

static enum rule sync(const struct grid *grid)
{
    for (uint32_t cta = 0; cta < grid->ctas; cta++)
        count(grid, cta, grid->ctas, cta / grid->ranks * grid->ranks, cta % grid->ranks);
    for (uint32_t cta = 0; cta < grid->ctas; cta++) finish(grid, cta);
    return RULE_OK;
}

static enum rule own(const struct grid *grid)
{
    for (uint32_t cta = 0; cta < grid->ctas; cta += grid->ranks)
        count(grid, cta / grid->ranks, grid->ctas / grid->ranks, cta, 0);
    for (uint32_t cta = 0; cta < grid->ctas; cta++) finish(grid, cta);
    return RULE_OK;
}

static enum rule missing(const struct grid *grid)
{
    for (int is_late = 0; is_late < 2; is_late++) {
        for (uint32_t cta = 0; cta < grid->ctas; cta++) {
            uint32_t rank = cta % grid->ranks;
            if ((rank == grid->job->late) != is_late) continue;
            int is_remote = count(grid, cta, grid->ctas, cta - rank, rank);
            if (is_late && is_remote && !grid->job->linger) return RULE_CLUSTER_EXITED;
        }
        for (uint32_t cta = 0; cta < grid->ctas; cta++)
            if ((cta % grid->ranks == grid->job->late) == is_late) finish(grid, cta);
    }
    return RULE_OK;
}

enum rule histogram_global(void **parameters)
{
    return run(parameters, global);
}

enum rule histogram_sync(void **parameters)
{
    return run(parameters, sync);
}

enum rule histogram_own(void **parameters)
{
    return run(parameters, own);
}

enum rule histogram_missing(void **parameters)
{
    return run(parameters, missing);
}
