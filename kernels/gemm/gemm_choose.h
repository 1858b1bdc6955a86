// SPDX-License-Identifier: MIT
// The one rule by which a kernel, a tile, a cluster and a number of splits are chosen for a problem: the cheapest by
// gemm_clocks(). Plain C, for the host.
#ifndef TMAREF_GEMM_CHOOSE_H
#define TMAREF_GEMM_CHOOSE_H

#include "gemm_job.h"

enum {
    GEMM_GROUP = 8,           // rows of cluster tiles in a group
    GEMM_MULTICAST_ROWS = 16, // from so many rows of tiles on, pairs of CTAs share B
    GEMM_MAX_CHOSEN_SPLITS = 5,
    GEMM_FLOPS_LOG = 5,          // a block of tile_m x tile_n takes tile_m * tile_n >> 5 clocks of the tensor cores
    GEMM_L2_BYTES = 78,          // that an SM gets from L2 in a clock
    GEMM_MULTICAST_CLOCKS = 480, // that a block takes at least where CTAs share it
    GEMM_DRAM_BYTES = 3000,      // that the GPU gets from memory in a clock
    GEMM_STORE_LOG = 4,          // storing a tile takes tile_m * tile_n >> 4 clocks
    GEMM_MEET_CLOCKS = 2500,     // that parts need to meet in memory, and a tile of each other part on top of that
    GEMM_EXCHANGE_AREA = 5,      // of which so many elements pass in a clock; in a cluster all this takes 3/4
};

// About how many clocks the job takes. Each CTA computes a tile in each round; a round takes its blocks of k at the
// speed of the tensor cores, or of L2 where that is slower; all rounds together at least what it takes to read A and B
// once. Cooperative kernels store after each tile, ping-pong only after the last; splits are exchanged and added too.
static inline uint64_t gemm_clocks(const struct gemm_instance *i, const struct gemm_job *job, uint32_t sms)
{
    uint32_t area = i->tile_m * i->tile_n;
    uint32_t rounds = (gemm_cluster_tiles(i, job) - 1) / gemm_room(gemm_cluster_size(job), sms) + 1;
    uint32_t blocks = ((job->k - 1) / gemm_block_k(i->in) / job->splits) + 1;
    uint32_t block = area >> GEMM_FLOPS_LOG;
    uint32_t load = gemm_stage_bytes(i->tile_m / job->cluster_n, i->tile_n / job->cluster_m) / GEMM_L2_BYTES;
    uint32_t meet = GEMM_MEET_CLOCKS + (job->splits - 1) * area / GEMM_EXCHANGE_AREA;
    uint32_t store = area >> GEMM_STORE_LOG;
    if (gemm_splits_in_cluster(job) > 1) meet -= meet / 4;
    if (job->cluster_m * job->cluster_n > 1 && load < GEMM_MULTICAST_CLOCKS) load = GEMM_MULTICAST_CLOCKS;
    uint64_t multiply = (uint64_t)rounds * blocks * (block > load ? block : load);
    uint64_t read = ((uint64_t)job->m + job->n) * job->k * gemm_bytes(i->in) / GEMM_DRAM_BYTES;
    if (multiply < read) multiply = read;
    if (i->kernel == GEMM_PINGPONG) return multiply + store;
    return multiply + (uint64_t)rounds * (job->splits > 1 ? store + meet : store);
}

// Takes `trial` over into `best` if it is possible and costs less than `least` clocks.
static inline void gemm_try(const struct gemm_instance *i, const struct gemm_job *trial, uint32_t sms,
                            const struct gemm_instance **best, struct gemm_job *job, uint64_t *least)
{
    if (gemm_cluster_size(trial) > GEMM_MAX_CLUSTER || gemm_min_stages(i, trial) > trial->stages) return;
    if (trial->workspace && !gemm_fits_counters(i, trial)) return;
    uint64_t clocks = gemm_clocks(i, trial, sms);
    if (clocks >= *least) return;
    *least = clocks;
    *best = i;
    *job = *trial;
}

// Chooses among `count` instances for m, n and k of `job`; fills in what else is in the job, except dump and timeline,
// and returns the instance, NULL if none has these types. Of equals the first wins. `workspace` of the job says whether
// there may be one, and then whether the choice wants one.
static inline const struct gemm_instance *gemm_choose(const struct gemm_instance *instances, uint32_t count,
                                                      enum gemm_type in, enum gemm_type out, uint32_t sms,
                                                      struct gemm_job *job)
{
    const struct gemm_instance *best = 0;
    uint64_t least = UINT64_MAX;
    uint64_t workspace = job->workspace;
    struct gemm_job trial = *job;
    trial.reduce = 0;
    trial.cluster_n = 1;
    trial.group = GEMM_GROUP;
    for (const struct gemm_instance *i = instances; i < instances + count; i++) {
        if (i->in != in || i->out != out || i->kernel > GEMM_SPLIT_K) continue;
        uint32_t many_rows = (job->m - 1) / i->tile_m + 1 >= GEMM_MULTICAST_ROWS;
        uint32_t most = i->kernel == GEMM_SPLIT_K ? GEMM_MAX_CHOSEN_SPLITS : 1;
        trial.stages = gemm_max_stages(i);
        for (trial.splits = most > 1 ? 2 : 1; trial.splits <= most; trial.splits++) {
            for (uint32_t way = 0; way < 4; way++) { // in pairs or not, without a workspace or with one
                trial.cluster_m = 1 + (way % 2 ^ many_rows);
                trial.workspace = way < 2 || trial.splits == 1 ? 0 : workspace;
                gemm_try(i, &trial, sms, &best, job, &least);
            }
        }
    }
    return best;
}

#endif
