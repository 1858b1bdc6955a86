// SPDX-License-Identifier: MIT
// The kernel diagnose.cu of the stand-in GPU: its jobs as a loop over the model. A dump that is taken early has seen
// the first half of the window's new bytes.
#include <string.h>

#include "copy.h"
#include "diagnose_job.h"
#include "im2col_load.h"
#include "mbarrier.h"
#include "standin.h"

static enum rule run_load(const struct diagnose_job_load *load, const struct memory *cta, uint64_t *word)
{
    struct tensormap_image image;
    struct tensormap map;
    uint32_t bytes = 0;
    memcpy(image.word, load->map, sizeof image.word);
    tensormap_decode(&image, &map, NULL);
    enum rule rule =
        load->mode == LOAD_IM2COL
            ? im2col_load(&map, load->dims, load->coord, load->offset, standin_mapped(), cta, load->shared, &bytes)
            : tile_load(&map, load->dims, load->coord, standin_mapped(), cta, load->shared, &bytes);
    if (rule == RULE_OK) mbarrier_transact_remote(word, &(struct mbarrier_transaction){.complete_bytes = bytes});
    return rule;
}

static enum rule run_job(const struct diagnose_job *job, uint8_t *output)
{
    static _Alignas(16) uint8_t shared[LOAD_SHARED_BYTES];
    const struct memory cta = {shared, LOAD_SHARED_START, sizeof shared};
    uint8_t *window = memory_at(&cta, job->window, 0), *dump = output + job->output;
    uint32_t window_bytes = job->window_end - job->window;
    uint64_t unused = mbarrier_init(1), word = mbarrier_init(1);
    enum rule rule = RULE_OK;
    for (uint32_t at = job->window; at < job->window_end; at += 4) {
        uint32_t canary = load_canary(at);
        memcpy(memory_at(&cta, at, 4), &canary, 4);
    }
    meet_trouble(job->expect_bytes);
    for (uint32_t i = 0; i < job->earlier && rule == RULE_OK; i++) rule = run_load(&job->load[i], &cta, &unused);
    memcpy(dump, window, window_bytes);
    struct mbarrier_transaction arrive = {.arrivals = 1, .expect_bytes = job->expect_bytes};
    if (rule == RULE_OK && job->announce) rule = mbarrier_transact(&word, &arrive);
    for (uint32_t i = job->earlier; i < job->loads && rule == RULE_OK; i++) rule = run_load(&job->load[i], &cta, &word);
    memcpy(dump, window, job->clocks < 0 ? window_bytes : window_bytes / 2);
    memcpy(dump - sizeof word, &word, sizeof word);
    return rule;
}

enum rule diagnose_jobs(void **parameters)
{
    unsigned long long jobs, output;
    enum rule rule = RULE_OK;
    int count;
    memcpy(&jobs, parameters[0], sizeof jobs);
    memcpy(&count, parameters[1], sizeof count);
    memcpy(&output, parameters[2], sizeof output);
    for (int i = 0; i < count && rule == RULE_OK; i++)
        rule = run_job((const struct diagnose_job *)(uintptr_t)jobs + i, (uint8_t *)(uintptr_t)output);
    return rule;
}
