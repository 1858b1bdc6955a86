// SPDX-License-Identifier: MIT
// The one rule by which a kernel, a tile, a cluster and a number of splits are chosen for a problem: the cheapest by
// gemm_clocks(). Plain C, for the host.
#ifndef TMAREF_GEMM_CHOOSE_H
#define TMAREF_GEMM_CHOOSE_H

#include <math.h>

#include "gemm_job.h"

enum { GEMM_GROUP = 8 }; // rows of cluster tiles in a group

// A CTA has as many stages as blocks to load, up to so many, as far as they fit. With more it begins and ends later
// (docs/performance.md, "Stages").
enum { GEMM_MOST_STAGES = 8 };

// What things cost in clocks of an SM, fitted to the times of all candidates for 240 random shapes, bf16 and e4m3, on
// an H200 (docs/kernels/gemm.md). A row is one of a block: 128 bytes. Rows are skewed where they start at no multiple
// of that. What they leave out of an instance is its pace, in its row of gemm_job.h, fitted to the same times.
static const double GEMM_FLOP_CLOCKS = 1.204;     // of the tensor cores for 32 elements of a tile and a block,
static const double GEMM_BLOCK_CLOCKS = 1.916;    // and for the block
static const double GEMM_LEAST_CLOCKS = 246;      // that a block takes a consumer at least
static const double GEMM_RECEIVE_CLOCKS = 0.6197; // for a row that comes to an SM,
static const double GEMM_RECEIVE_SKEWED = 1.734;  // times that where rows are skewed
static const double GEMM_L2_CLOCKS = 0.9458;      // of L2 for a row that is asked for, where all SMs load,
static const double GEMM_L2_SKEWED = 2.936;       // times that where rows are skewed
static const double GEMM_GATHER_CLOCKS = 4.381;   // cp.async: for a row of a tile
static const double GEMM_FIRST_CLOCKS = 115.7;   // until the first block of a tile is there and the last one multiplied
static const double GEMM_STORE_CLOCKS = 0.02037; // for an element of a tile that nothing hides,
static const double GEMM_TILE_CLOCKS = 97.42;    // and for the tile
static const double GEMM_BOX_CLOCKS = 7.155;     // and for each box of it that a warpgroup stores
static const double GEMM_HIDDEN_CLOCKS = 0.02649; // for one that ping-pong stores while it multiplies,
static const double GEMM_TURN_CLOCKS = 183.4;     // and for its tile
static const double GEMM_DRAM_BYTES = 1865;       // that the GPU reads from memory in a clock,
static const double GEMM_WRITE_BYTES = 2139;      // and writes
static const double GEMM_FULL_CLOCKS = 818.7;     // where the next launch finds no SM free
static const double GEMM_PARTS_CLOCKS = 1694;     // for the code of a kernel that cuts k
static const double GEMM_MEET_CLOCKS = 1100;      // that parts need to meet in memory,
static const double GEMM_SEND_CLOCKS = 0.1587;    // for an element that goes there,
static const double GEMM_ADD_CLOCKS = 0.1573;     // and one of another part that is added
static const double GEMM_CLUSTER_CLOCKS = 1375;   // that parts need to meet in a cluster,
static const double GEMM_PUSH_CLOCKS = 0.1761;    // and for an element that goes to another CTA
static const double GEMM_GROUP_CLOCKS = 4.469;    // for a launch in clusters
static const double GEMM_START_CLOCKS = 3797;     // for a launch
static const double GEMM_OVERLAP = 2.307;         // how well what goes on at the same time does: see gemm_together()
static const double GEMM_ADDERS_AREA = 1024;      // elements of a tile that one part adds, where there are enough parts

static inline double gemm_most(double a, double b)
{
    return a > b ? a : b;
}

static inline double gemm_least(double a, double b)
{
    return a < b ? a : b;
}

// What things take together that go on at the same time: a bit more than the longest of them.
static inline double gemm_together(double a, double b, double c)
{
    double most = gemm_most(a, gemm_most(b, c)), sum = 0;
    for (int i = 0; i < 3; i++) sum += pow((i == 0 ? a : i == 1 ? b : c) / most, GEMM_OVERLAP);
    return most * pow(sum, 1 / GEMM_OVERLAP);
}

// The clocks of a block of k in one CTA: those of the tensor cores, of what it takes to load it, or of who waits for
// it.
static inline double gemm_block_clocks(const struct gemm_instance *i, const struct gemm_job *job, double busy)
{
    double rows_a = gemm_least(i->tile_m, job->m), rows_b = gemm_least(i->tile_n, job->n);
    int is_skewed = (uint64_t)job->k * gemm_bytes(i->in) % GEMM_BLOCK_BYTES != 0;
    double receive = (rows_a + rows_b) * GEMM_RECEIVE_CLOCKS * (is_skewed ? GEMM_RECEIVE_SKEWED : 1);
    double l2 = (rows_a / job->cluster_n + rows_b / job->cluster_m) * GEMM_L2_CLOCKS * busy;
    double tensor = (double)i->tile_m * i->tile_n / 32 * GEMM_FLOP_CLOCKS + GEMM_BLOCK_CLOCKS;
    double gather = i->kernel == GEMM_GATHER ? ((double)i->tile_m + i->tile_n) * GEMM_GATHER_CLOCKS : 0;
    return gemm_together(tensor, gemm_together(receive, l2 * (is_skewed ? GEMM_L2_SKEWED : 1), 0),
                         gemm_most(gather, GEMM_LEAST_CLOCKS));
}

// What the parts of a tile need to become one.
static inline double gemm_meet_clocks(const struct gemm_instance *i, const struct gemm_job *job)
{
    double area = (double)i->tile_m * i->tile_n, splits = job->splits, sent = area * (splits - 1) / splits;
    if (job->splits == 1) return 0;
    if (!job->workspace) return GEMM_CLUSTER_CLOCKS + GEMM_PUSH_CLOCKS * sent;
    double adders = gemm_most(1, gemm_least(splits, area / GEMM_ADDERS_AREA));
    return GEMM_MEET_CLOCKS + GEMM_SEND_CLOCKS * sent + GEMM_ADD_CLOCKS * area * splits / adders;
}

// How many tiles, or parts of them, a CTA computes at most, and the blocks of k in each.
static inline uint32_t gemm_rounds(const struct gemm_instance *i, const struct gemm_job *job, uint32_t sms)
{
    return (gemm_cluster_tiles(i, job) - 1) / gemm_room(gemm_cluster_size(job), sms) + 1;
}

static inline uint32_t gemm_part_blocks(const struct gemm_instance *i, const struct gemm_job *job)
{
    return ((job->k - 1) / gemm_block_k(i->in) + job->splits) / job->splits;
}

// About how many clocks the job takes. Each CTA computes a tile in each round; cooperative kernels store after each
// tile, ping-pong while it multiplies the next one; at the same time A and B are read once, and D is written.
static inline double gemm_clocks(const struct gemm_instance *i, const struct gemm_job *job, uint32_t sms)
{
    double area = (double)i->tile_m * i->tile_n;
    uint32_t size = gemm_cluster_size(job);
    double rounds = gemm_rounds(i, job, sms), ctas = gemm_grid(i, job, sms);
    double multiply = gemm_part_blocks(i, job) * gemm_block_clocks(i, job, ctas / sms) + GEMM_FIRST_CLOCKS;
    double boxes = gemm_part_boxes(i) * GEMM_BOX_CLOCKS;
    double hidden = GEMM_TURN_CLOCKS + GEMM_HIDDEN_CLOCKS * area + boxes;
    double store = GEMM_TILE_CLOCKS + GEMM_STORE_CLOCKS * area + boxes;
    double work = rounds * (multiply + store), written = 2.0 * job->m * job->n;
    if (gemm_is_pingpong(i->kernel)) work = rounds * gemm_most(multiply, hidden) + hidden;
    double read = ((double)job->m + job->n) * job->k * gemm_bytes(i->in) + written;
    double all = gemm_together(work, read / GEMM_DRAM_BYTES, written / GEMM_WRITE_BYTES);
    all += rounds * gemm_meet_clocks(i, job) + (size > 1 ? GEMM_GROUP_CLOCKS : 0);
    if (2 * ctas > sms) all += GEMM_FULL_CLOCKS * (2 * ctas / sms - 1);
    if (i->kernel == GEMM_SPLIT_K || i->kernel == GEMM_TURNED) all += GEMM_PARTS_CLOCKS;
    return (all + GEMM_START_CLOCKS) * (i->pace / 100.0);
}

// The stages of a job that has all else.
static inline uint32_t gemm_choose_stages(const struct gemm_instance *i, const struct gemm_job *job, uint32_t sms)
{
    uint32_t blocks = gemm_rounds(i, job, sms) * gemm_part_blocks(i, job), least = gemm_min_stages(i, job);
    uint32_t wanted = blocks < GEMM_MOST_STAGES ? blocks : GEMM_MOST_STAGES, most = gemm_max_stages(i);
    return wanted < least ? least : wanted < most ? wanted : most;
}

// Whether a job can run as it is cut up, with `workspace_bytes` of workspace where it goes through one.
static inline int gemm_can_run(const struct gemm_instance *i, const struct gemm_job *job, uint64_t workspace_bytes)
{
    uint32_t blocks = (job->k - 1) / gemm_block_k(i->in) + 1;
    uint32_t share_a = i->tile_m / job->cluster_n, share_b = i->tile_n / job->cluster_m;
    if (gemm_min_stages(i, job) > gemm_max_stages(i)) return 0;
    if (i->kernel == GEMM_GATHER && (gemm_cluster_size(job) > 1)) return 0;
    if (share_a % 8 != 0 || share_b % 8 != 0 || job->splits > blocks) return 0;
    return !job->workspace || (gemm_fits_counters(i, job) && gemm_workspace_bytes(i, job) <= workspace_bytes);
}

// What is done with each candidate.
typedef void gemm_visit(const struct gemm_instance *instance, const struct gemm_job *job, void *context);

// All ways of cutting up the job for one instance.
static inline void gemm_each_cut(const struct gemm_instance *i, const struct gemm_job *problem, uint32_t sms,
                                 uint64_t workspace_bytes, gemm_visit *visit, void *context)
{
    static const uint8_t clusters[][2] = {{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {1, 4}, {4, 2}, {2, 4}};
    static const uint8_t splits[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32};
    uint32_t rows = (problem->m - 1) / i->tile_m + 1, columns = (problem->n - 1) / i->tile_n + 1;
    int has_twin = i->kernel == GEMM_SPLIT_K || i->kernel == GEMM_TURNED; // that does not cut k, and is faster then
    struct gemm_job trial = *problem;
    trial.reduce = 0;
    trial.group = GEMM_GROUP;
    for (uint32_t c = 0; c < sizeof clusters / sizeof clusters[0]; c++) {
        trial.cluster_m = clusters[c][0];
        trial.cluster_n = clusters[c][1];
        if (rows < trial.cluster_m || columns < trial.cluster_n) continue; // a CTA would have nothing
        for (uint32_t s = (uint32_t)has_twin; s < (gemm_cuts_k(i->kernel) ? sizeof splits : 1); s++) {
            trial.splits = splits[s];
            if (trial.splits > 1 && rows * columns * trial.splits > 2 * sms) break;
            for (uint32_t memory = 0; memory < (trial.splits > 1 && problem->workspace ? 2 : 1); memory++) {
                trial.workspace = memory ? problem->workspace : 0;
                if (gemm_cluster_size(&trial) > GEMM_MAX_CLUSTER) continue;
                trial.stages = gemm_choose_stages(i, &trial, sms);
                if (gemm_can_run(i, &trial, workspace_bytes)) visit(i, &trial, context);
            }
        }
    }
}

// Visits all candidates among `count` instances for m, n and k of `problem`, whose `workspace` says whether there may
// be one. The jobs have all but dump and timeline.
static inline void gemm_each_candidate(const struct gemm_instance *instances, uint32_t count, enum gemm_type in,
                                       enum gemm_type out, uint32_t sms, uint64_t workspace_bytes,
                                       const struct gemm_job *problem, gemm_visit *visit, void *context)
{
    for (const struct gemm_instance *i = instances; i < instances + count; i++)
        if (i->in == in && i->out == out && i->kernel <= GEMM_GATHER)
            gemm_each_cut(i, problem, sms, workspace_bytes, visit, context);
}

// A way to do a job.
struct gemm_choice {
    const struct gemm_instance *instance;
    struct gemm_job job;
    double clocks;
};

// The cheapest ones so far, ascending; of equals the first comes first. Of one instance there are at most two cuts, as
// what is wrong about one is about all, and their parts do not meet in the same way.
enum { GEMM_RANKED = 8, GEMM_RANKED_CUTS = 2 };
struct gemm_ranking {
    struct gemm_choice choice[GEMM_RANKED];
    uint32_t count, sms;
};

// Whether the parts of both meet in memory, or in clusters.
static inline int gemm_meet_alike(const struct gemm_job *a, const struct gemm_job *b)
{
    return a->splits > 1 && b->splits > 1 && (a->workspace != 0) == (b->workspace != 0);
}

// Which one a new one must be cheaper than to take its place; behind the last one if there may be both.
static inline uint32_t gemm_rival(const struct gemm_ranking *of, const struct gemm_instance *instance,
                                  const struct gemm_job *job)
{
    uint32_t at, same = 0;
    for (at = 0; at < of->count; at++) {
        if (of->choice[at].instance != instance) continue;
        if (gemm_meet_alike(&of->choice[at].job, job) || ++same == GEMM_RANKED_CUTS) break;
    }
    return at < GEMM_RANKED ? at : GEMM_RANKED - 1;
}

static inline void gemm_rank_one(const struct gemm_instance *instance, const struct gemm_job *job, void *context)
{
    struct gemm_ranking *to = (struct gemm_ranking *)context;
    const struct gemm_choice new_one = {instance, *job, gemm_clocks(instance, job, to->sms)};
    uint32_t at = gemm_rival(to, instance, job);
    if (at < to->count && new_one.clocks >= to->choice[at].clocks) return;
    if (at == to->count) to->count++;
    for (; at > 0 && to->choice[at - 1].clocks > new_one.clocks; at--) to->choice[at] = to->choice[at - 1];
    to->choice[at] = new_one;
}

// Ranks the candidates for m, n and k of `job` among `count` instances. `workspace` of the job says whether there may
// be one, of `workspace_bytes`, and in a choice whether it wants it.
static inline struct gemm_ranking gemm_rank(const struct gemm_instance *instances, uint32_t count, enum gemm_type in,
                                            enum gemm_type out, uint32_t sms, uint64_t workspace_bytes,
                                            const struct gemm_job *job)
{
    struct gemm_ranking ranking;
    ranking.count = 0;
    ranking.sms = sms;
    gemm_each_candidate(instances, count, in, out, sms, workspace_bytes, job, gemm_rank_one, &ranking);
    return ranking;
}

// The first of them: fills in what else is in the job, except dump and timeline, and returns the instance, NULL if none
// has these types.
static inline const struct gemm_instance *gemm_choose(const struct gemm_instance *instances, uint32_t count,
                                                      enum gemm_type in, enum gemm_type out, uint32_t sms,
                                                      uint64_t workspace_bytes, struct gemm_job *job)
{
    const struct gemm_ranking ranking = gemm_rank(instances, count, in, out, sms, workspace_bytes, job);
    if (ranking.count == 0) return 0;
    *job = ranking.choice[0].job;
    return ranking.choice[0].instance;
}

#endif
