// SPDX-License-Identifier: MIT
// The kernel bank.cu of the stand-in GPU: clocks as the model counts them, with a little noise.
#include <string.h>

#include "bank.h"
#include "bank_job.h"
#include "standin.h"

enum rule bank_jobs(void **parameters)
{
    unsigned long long jobs;
    int count;
    memcpy(&jobs, parameters[0], sizeof jobs);
    memcpy(&count, parameters[1], sizeof count);
    for (int i = 0; i < count; i++) {
        struct bank_job *job = (struct bank_job *)(uintptr_t)jobs + i;
        struct bank_report report;
        bank_count((enum bank_access)job->is_store, job->address, job->active, job->bytes, &report);
        job->clocks = (uint32_t)(report.clocks * BANK_ACCESSES + i % 800 - 400);
    }
    return RULE_OK;
}
