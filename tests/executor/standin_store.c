// SPDX-License-Identifier: MIT
// The store kernel of the stand-in device, as a loop over the model.
#include <string.h>

#include "im2col_store.h"
#include "standin.h"
#include "store.h"
#include "store_job.h"

static enum rule run_store(const struct store_job *job, uint8_t *windows)
{
    static _Alignas(16) uint8_t bytes[STORE_SHARED_BYTES];
    uint8_t *window = windows + job->window;
    const struct memory shared = {bytes, STORE_SHARED_START, sizeof bytes};
    const struct memory global = {window, (uint64_t)(uintptr_t)window, job->window_bytes};
    struct tensormap_image image;
    struct tensormap map;
    for (uint32_t at = job->filled; at < job->filled_end; at += 8) {
        uint64_t word = store_pattern(job->shared_seed, job->data_type, at / 8);
        memcpy(memory_at(&shared, at, 8), &word, sizeof word);
    }
    for (uint32_t at = 0; at < job->window_bytes; at += 8) {
        uint64_t word = store_pattern(job->window_seed, job->data_type, job->window_first + at / 8);
        memcpy(window + at, &word, sizeof word);
    }
    memcpy(image.word, job->map, sizeof image.word);
    tensormap_decode(&image, &map, NULL);
    enum reduce_op op = (enum reduce_op)(job->operation - 1);
    if (job->mode == STORE_IM2COL)
        return job->operation == 0 ? im2col_store(&map, job->dims, job->coord, &global, &shared, job->shared)
                                   : im2col_reduce(op, &map, job->dims, job->coord, &global, &shared, job->shared);
    return job->operation == 0 ? tile_store(&map, job->dims, job->coord, &global, &shared, job->shared)
                               : tile_reduce(op, &map, job->dims, job->coord, &global, &shared, job->shared);
}

enum rule store_jobs(void **parameters)
{
    unsigned long long jobs, windows;
    enum rule rule = RULE_OK;
    int count;
    memcpy(&jobs, parameters[0], sizeof jobs);
    memcpy(&count, parameters[1], sizeof count);
    memcpy(&windows, parameters[2], sizeof windows);
    for (int i = 0; i < count && rule == RULE_OK; i++)
        rule = run_store((const struct store_job *)(uintptr_t)jobs + i, (uint8_t *)(uintptr_t)windows);
    return rule;
}
