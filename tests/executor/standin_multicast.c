// SPDX-License-Identifier: MIT
// The kernel multicast.cu of the stand-in GPU: its jobs as a loop over the model, from the bytes of struct
// multicast_job.
#include <string.h>

#include "mbarrier.h"
#include "multicast.h"
#include "multicast_job.h"
#include "standin.h"

// The shared memories of a cluster.
static _Alignas(16) uint8_t bytes[MULTICAST_CTAS][MULTICAST_SHARED_BYTES];

static enum rule issue(const struct multicast_job *job, const struct tensormap *map, const struct multicast_issue *from,
                       const struct cluster_load *load, uint32_t *transaction_bytes)
{
    const struct memory *global = standin_mapped();
    meet_trouble(from->size_bytes);
    if (job->mode == MULTICAST_BULK)
        return multicast_bulk_load(from->from, from->size_bytes, global, load, transaction_bytes, NULL);
    if (job->mode == LOAD_IM2COL)
        return multicast_im2col_load(map, (int)job->dims, from->coord, from->offset, global, load, transaction_bytes,
                                     NULL);
    return multicast_tile_load(map, (int)job->dims, from->coord, global, load, transaction_bytes, NULL);
}

static enum rule run_issues(const struct multicast_job *job, const struct memory *ctas, uint32_t ranks, int is_cluster,
                            uint64_t *words)
{
    struct tensormap_image image;
    struct tensormap map;
    memcpy(image.word, job->map, sizeof image.word);
    tensormap_decode(&image, &map, NULL);
    for (uint32_t i = 0; i < job->issues; i++) {
        const struct multicast_issue *from = &job->issue[i];
        struct cluster_load load = {.cluster.cta = ctas,
                                    .cluster.ctas = ranks,
                                    .cluster.is_cluster = is_cluster,
                                    .issuer = from->issuer,
                                    .is_multicast = (int)from->is_multicast,
                                    .mask = from->mask,
                                    .to_rank = from->to_rank,
                                    .shared = from->shared,
                                    .barrier_rank = from->barrier_rank};
        uint32_t complete, targets = multicast_targets(&load);
        enum rule rule = issue(job, &map, from, &load, &complete);
        if (rule != RULE_OK) return rule;
        for (uint32_t rank = 0; rank < ranks && complete > 0; rank++)
            if (targets >> rank & 1)
                mbarrier_transact_remote(&words[rank], &(struct mbarrier_transaction){.complete_bytes = complete});
    }
    return RULE_OK;
}

static enum rule run_job(const struct multicast_job *job, uint32_t ranks, int is_cluster, uint8_t *output)
{
    struct memory ctas[MULTICAST_CTAS];
    uint64_t words[MULTICAST_CTAS];
    uint32_t window_bytes = job->window_end - job->window;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        struct mbarrier_transaction arrive = {.arrivals = 1, .expect_bytes = job->expect[rank]};
        ctas[rank] = (struct memory){bytes[rank], LOAD_SHARED_START, MULTICAST_SHARED_BYTES};
        for (uint32_t at = job->window; at < job->window_end; at += 4) {
            uint32_t canary = load_canary(rank << 24 | at);
            memcpy(memory_at(&ctas[rank], at, 4), &canary, 4);
        }
        words[rank] = mbarrier_init(1);
        enum rule rule = mbarrier_transact(&words[rank], &arrive);
        if (rule != RULE_OK) return rule;
    }
    enum rule rule = run_issues(job, ctas, ranks, is_cluster, words);
    if (rule != RULE_OK) return rule;
    uint8_t *window = output + job->output + (ranks + 1) / 2 * 16;
    memcpy(output + job->output, words, ranks * sizeof words[0]);
    for (uint32_t rank = 0; rank < ranks; rank++)
        memcpy(window + (size_t)rank * window_bytes, bytes[rank] + (job->window - LOAD_SHARED_START), window_bytes);
    return RULE_OK;
}

enum rule multicast_jobs(void **parameters)
{
    unsigned long long jobs, output;
    uint32_t cluster;
    int count;
    enum rule rule = RULE_OK;
    memcpy(&jobs, parameters[0], sizeof jobs);
    memcpy(&count, parameters[1], sizeof count);
    memcpy(&output, parameters[2], sizeof output);
    memcpy(&cluster, parameters[3], sizeof cluster);
    for (int i = 0; i < count && rule == RULE_OK; i++)
        rule = run_job((const struct multicast_job *)(uintptr_t)jobs + i, cluster > 0 ? cluster : 1, cluster > 0,
                       (uint8_t *)(uintptr_t)output);
    return rule;
}
