// SPDX-License-Identifier: MIT
// The kernel prefetch.cu of the stand-in GPU: the model from the bytes of struct prefetch_job.
#include <string.h>

#include "prefetch_model.h"
#include "standin.h"

enum rule prefetch_kernel(void **parameters)
{
    struct prefetch_job job;
    memcpy(&job, parameters[0], sizeof job);
    meet_trouble(job.count_bytes);
    const struct memory source = {(uint8_t *)(uintptr_t)job.source, job.source, job.count_bytes};
    const struct memory destination = {(uint8_t *)(uintptr_t)job.destination, job.destination, job.count_bytes};
    return prefetch_model(standin_config()->grid_x, &job, &source, &destination);
}
