// SPDX-License-Identifier: MIT
// The kernel replace.cu of the stand-in device, as a loop over the model; and where variables of kernels lie.
#include <string.h>

#include "copy.h"
#include "cuda_calls.h"
#include "location.h"
#include "mbarrier.h"
#include "replace.h"
#include "replace_job.h"
#include "standin.h"

enum cuda_result cuModuleGetGlobal_v2(unsigned long long *address, size_t *bytes, struct CUmod_st *module,
                                      const char *name);

static struct replace_maps constants;

enum cuda_result cuModuleGetGlobal_v2(unsigned long long *address, size_t *bytes, struct CUmod_st *module,
                                      const char *name)
{
    static const struct {
        const char *name;
        void *at;
        size_t bytes;
    } variables[] = {{"replace_constants", &constants, sizeof constants},
                     {"maps_constants", &standin_maps_constants, sizeof standin_maps_constants},
                     {LATE_SYMBOL, &standin_late, sizeof standin_late}};
    (void)module;
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        if (strcmp(name, variables[i].name) != 0) continue;
        *address = (uintptr_t)variables[i].at;
        *bytes = variables[i].bytes;
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_NOT_FOUND;
}

static enum rule run_load(const struct replace_job *job, const struct tensormap_image *image, const struct memory *cta,
                          uint64_t *word)
{
    struct tensormap map;
    uint32_t bytes = 0;
    struct mbarrier_transaction arrive = {.arrivals = 1, .expect_bytes = job->expect_bytes};
    *word = mbarrier_init(1);
    tensormap_decode(image, &map, NULL);
    enum rule rule = mbarrier_transact(word, &arrive);
    if (rule == RULE_OK) rule = map_location_check((enum map_location)job->location, job->misalign, NULL);
    if (rule == RULE_OK) rule = tile_load(&map, job->dims, job->coord, standin_mapped(), cta, job->shared, &bytes);
    mbarrier_transact_remote(word, &(struct mbarrier_transaction){.complete_bytes = bytes});
    return rule;
}

static enum rule run_job(const struct replace_job *job, const struct replace_maps *parameters, uint8_t *output)
{
    static _Alignas(16) uint8_t shared[LOAD_SHARED_BYTES];
    const struct memory cta = {shared, LOAD_SHARED_START, sizeof shared};
    const void *map = (const uint8_t *)job->map + job->misalign;
    struct tensormap_image image;
    uint64_t word = 0;
    enum rule rule = RULE_OK;
    if (job->location == MAP_IN_PARAM) map = parameters->map[job->slot];
    if (job->location == MAP_IN_CONSTANT) map = constants.map[job->slot];
    memcpy(image.word, map, sizeof image.word);
    for (uint32_t i = 0; i < job->ops; i++) tensormap_replace(&image, &job->op[i], NULL);
    for (uint32_t at = job->window; at < job->window_end; at += 4) {
        uint32_t canary = load_canary(at);
        memcpy(memory_at(&cta, at, 4), &canary, 4);
    }
    if (job->dims > 0) {
        meet_trouble(job->expect_bytes);
        rule = run_load(job, &image, &cta, &word);
    }
    memcpy(output + job->output - REPLACE_OUTPUT_LEAD, image.word, sizeof image.word);
    memcpy(output + job->output - 8, &word, 8);
    memcpy(output + job->output, memory_at(&cta, job->window, 0), job->window_end - job->window);
    return rule;
}

enum rule replace_jobs(void **parameters)
{
    unsigned long long jobs, output;
    enum rule rule = RULE_OK;
    int count;
    memcpy(&jobs, parameters[0], sizeof jobs);
    memcpy(&count, parameters[1], sizeof count);
    memcpy(&output, parameters[2], sizeof output);
    for (int i = 0; i < count && rule == RULE_OK; i++)
        rule = run_job((const struct replace_job *)(uintptr_t)jobs + i, parameters[3], (uint8_t *)(uintptr_t)output);
    return rule;
}
