// SPDX-License-Identifier: MIT
#include "gpu_core.h"

enum { SMS = 1024, NO_JOB = -1, SEVERAL = -2 };

// The job that each SM had: an exception without a place may be of any warp on its SM.
struct reading {
    const struct gpu *gpu;
    int count, job_of_sm[SMS];
    struct result *results;
};

// The job of a CTA, or NO_JOB.
static int job_of(const struct gpu *gpu, uint32_t block)
{
    uint32_t job = block / gpu->launched.ctas;
    return job < (uint32_t)gpu->launched.jobs ? gpu->launched.first_job + (int)job : NO_JOB;
}

static void note_sm(void *to, const struct gpu_core_warp *warp)
{
    struct reading *reading = to;
    if (warp->sm >= SMS) return;
    int *known = &reading->job_of_sm[warp->sm], job = job_of(reading->gpu, warp->block);
    *known = *known == NO_JOB || *known == job ? job : SEVERAL;
}

// Two kinds of exception in the CTAs of one case: which of them the driver would have reported is not known.
static void blame(struct result *result, uint32_t exception)
{
    int other, error = gpu_core_error(exception, &other);
    if (result->status == 0) {
        result->status = error;
        result->or_status = other;
    }
    if (result->status != error || error == 0) result->status = -1;
}

static void note_exception(void *to, const struct gpu_core_warp *warp)
{
    struct reading *reading = to;
    int job = job_of(reading->gpu, warp->block);
    int is_sure = warp->has_place || (warp->sm < SMS && reading->job_of_sm[warp->sm] == job);
    if (warp->exception == 0 || job == NO_JOB || job >= GPU_MOST_JOBS || !is_sure) return;
    int i = reading->gpu->case_of_job[job];
    if (i < reading->count) blame(&reading->results[i], warp->exception);
}

int gpu_told(const struct gpu *gpu, int count, struct result *results)
{
    static struct reading reading;
    int told = 0;
    reading = (struct reading){.gpu = gpu, .count = count, .results = results};
    for (int i = 0; i < SMS; i++) reading.job_of_sm[i] = NO_JOB;
    for (int i = 0; i < count; i++) results[i] = result_at(results[i].first_bytes);
    if (gpu->launched.jobs > 0 && gpu_core_read(gpu->core, note_sm, &reading))
        gpu_core_read(gpu->core, note_exception, &reading);
    for (int i = 0; i < count; i++) {
        if (results[i].status < 0) results[i].status = results[i].or_status = 0;
        told += results[i].status != 0;
    }
    return told;
}
