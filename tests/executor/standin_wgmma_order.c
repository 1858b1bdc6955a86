// SPDX-License-Identifier: MIT
// The kernels of wgmma_order.cu of the stand-in GPU, whose wgmma are done when they are issued.
#include <string.h>

#include "standin.h"
#include "wgmma_order_job.h"
#include "wgmma_order_model.h"

enum rule wgmma_order_jobs(void **parameters)
{
    unsigned long long jobs, output;
    int count;
    memcpy(&jobs, parameters[0], sizeof jobs);
    memcpy(&count, parameters[1], sizeof count);
    memcpy(&output, parameters[2], sizeof output);
    for (int i = 0; i < count; i++) {
        const struct wgmma_order_job *job = (const struct wgmma_order_job *)(uintptr_t)jobs + i;
        meet_trouble(job->seed);
        wgmma_order_compute(job->kind, job->seed, (uint32_t *)(uintptr_t)output + job->output);
    }
    return RULE_OK;
}
