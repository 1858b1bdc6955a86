// SPDX-License-Identifier: MIT
// The kernel misuse.cu of the stand-in GPU: its jobs on the model, from the bytes of struct misuse_job alone. A
// prefetch of a map that is not there kills the next launch, as on an H200.
#include <string.h>

#include "misuse_model.h"
#include "standin.h"

static _Alignas(16) uint8_t cta[MISUSE_SHARED_BYTES];
static enum rule late;

static enum rule run_job(const struct misuse_job *job, char *outputs)
{
    struct misuse_output *output = (struct misuse_output *)(void *)(outputs + job->output);
    uint8_t *global = (uint8_t *)output->global;
    struct misuse_memory memory = {.shared = {cta, MISUSE_SHARED_START, sizeof cta},
                                   .own = {global, (uint64_t)(uintptr_t)global, MISUSE_GLOBAL_BYTES},
                                   .arena = standin_mapped(),
                                   .maps = (uint64_t)(uintptr_t)job->map};
    struct misuse_output seen;
    meet_trouble(job->seed);
    misuse_prepare(job, &memory);
    enum rule rule = misuse_run(job, &memory, &seen.value);
    if (rule == RULE_PREFETCH_MAP_UNMAPPED) late = rule;
    misuse_dump(job, &memory, &seen);
    memcpy(output, &seen, sizeof seen);
    return rule == late ? RULE_OK : rule;
}

enum rule misuse_jobs(void **parameters)
{
    unsigned long long jobs, outputs;
    int count;
    enum rule rule = late;
    memcpy(&jobs, parameters[0], sizeof jobs);
    memcpy(&count, parameters[1], sizeof count);
    memcpy(&outputs, parameters[2], sizeof outputs);
    for (int i = 0; i < count && rule == RULE_OK; i++)
        rule = run_job((const struct misuse_job *)(uintptr_t)jobs + i, (char *)(uintptr_t)outputs);
    return rule;
}
