// SPDX-License-Identifier: MIT
// The kernels setmaxnreg.cu of the stand-in GPU: their jobs as programs of the model.
#include <string.h>

#include "setmaxnreg_case.h"
#include "standin.h"

static enum rule run_job(const struct setmaxnreg_job *job, uint32_t warpgroups, uint32_t *outputs)
{
    struct setmaxnreg_case c = {.warpgroups = warpgroups, .count = job->count};
    memcpy(c.step, job->step, sizeof c.step);
    const struct setmaxnreg_run run = setmaxnreg_run(&c);
    memcpy(outputs + job->output, run.log.slot, sizeof run.log.slot[0] * job->count);
    return run.rule;
}

enum rule setmaxnreg_jobs(void **parameters)
{
    unsigned long long jobs, outputs;
    int count;
    enum rule rule = RULE_OK;
    memcpy(&jobs, parameters[0], sizeof jobs);
    memcpy(&count, parameters[1], sizeof count);
    memcpy(&outputs, parameters[2], sizeof outputs);
    for (int i = 0; i < count && rule == RULE_OK; i++)
        rule = run_job((const struct setmaxnreg_job *)(uintptr_t)jobs + i, standin_config()->block_x / 128,
                       (uint32_t *)(uintptr_t)outputs);
    return rule;
}
