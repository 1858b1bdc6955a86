// SPDX-License-Identifier: MIT
// Family "bank": one access to shared memory by a warp. The result is the clocks that it keeps the data path busy:
// counted by the model, measured on the GPU and rounded.
#include <inttypes.h>
#include <string.h>

#include "bank_case.h"
#include "bank_job.h"
#include "family.h"
#include "field.h"
#include "gpu_jobs.h"

static const char *const access_names[] = {"load", "store", NULL};

static void bank_windows(const void *test_case, struct result *result)
{
    (void)test_case;
    result_window(result, "clocks", 0, sizeof(uint32_t));
}

static void answer(const struct result *result, uint32_t clocks)
{
    memcpy(result->window[0].bytes, &clocks, sizeof clocks);
}

static enum rule bank_run_model(const void *test_case, struct result *result)
{
    const struct bank_case *c = test_case;
    struct bank_report report;
    bank_count((enum bank_access)c->is_store, c->address, c->active, c->bytes, &report);
    answer(result, (uint32_t)report.clocks);
    return RULE_OK;
}

static int make_job(const struct gpu_place *place, void *to)
{
    const struct bank_case *c = place->test_case;
    struct bank_job *job = to;
    *job = (struct bank_job){.is_store = c->is_store, .bytes = c->bytes, .active = c->active};
    memcpy(job->address, c->address, sizeof job->address);
    return CUDA_SUCCESS;
}

static const struct gpu_jobs jobs = {GPU_JOBS_OF("bank", struct bank_case, struct bank_job), .block = BANK_THREADS,
                                     .shared_bytes = BANK_SHARED_BYTES, .make = make_job};

// The clocks come back in the jobs.
static int bank_run_gpu(struct gpu *gpu, const void *cases, int count, struct result *results)
{
    int error = gpu_run_jobs(gpu, &jobs, cases, count, results);
    for (int i = 0; i < count && error == CUDA_SUCCESS; i++) {
        struct bank_job job;
        error = (int)gpu->driver.cuMemcpyDtoH_v2(&job, gpu->buffer[GPU_JOBS_BUFFER].address + (size_t)i * sizeof job,
                                                 sizeof job);
        answer(&results[i], (job.clocks + BANK_ACCESSES / 2) / BANK_ACCESSES);
    }
    return error;
}

enum rule bank_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct bank_case *c = test_case;
    struct bank_report report;
    struct difference_units clocks = difference_units(difference, 4);
    bank_count((enum bank_access)c->is_store, c->address, c->active, c->bytes, &report);
    fprintf(out, "    %s of %u bytes by lanes 0x%08" PRIx32 ": %u clocks expected, %u found; wavefronts",
            access_names[c->is_store], c->bytes, c->active, (unsigned)clocks.expected, (unsigned)clocks.found);
    for (int i = 0; i < report.phases; i++)
        fprintf(out, "%s %d (lanes %d to %d)", i > 0 ? "," : "", report.phase[i].wavefronts, report.phase[i].first_lane,
                report.phase[i].end_lane - 1);
    fprintf(out, "\n");
    return RULE_OK; // of clocks no rule speaks
}

static const char *illegal(const void *test_case)
{
    const struct bank_case *c = test_case;
    if ((c->bytes & (c->bytes - 1)) != 0) return "\"bytes\" is 1, 2, 4, 8 or 16";
    for (int lane = 0; lane < WARP_LANES; lane++)
        if (c->address[lane] % c->bytes != 0) return "\"address\" of a lane is no multiple of \"bytes\"";
    return NULL;
}

#define CASE struct bank_case
static const struct field field[] = {
    FIELD_ONE_OF("access", is_store, access_names, "what each lane does"),
    FIELD_NUMBER("bytes", bytes, 1, 16, "how wide the access of a lane is: 1, 2, 4, 8 or 16"),
    FIELD_NUMBER("lanes", active, 0, UINT32_MAX, "a bit for each lane that takes part"),
    FIELD_NUMBERS("address", address, WARP_LANES, 0, BANK_SHARED_BYTES - 1, "each lane's address in shared memory"),
    FIELD_END,
};
#undef CASE

static enum family_ground bank_ground(const void *test_case)
{
    (void)test_case;
    return GROUND_TIME;
}

const struct family family_bank = {
    FAMILY_CASES("bank", struct bank_case, field, .illegal = illegal),
    .summary = "one load or store of a warp in shared memory: the clocks that its wavefronts take",
    .generate = bank_generate,
    .windows = bank_windows,
    .run_model = bank_run_model,
    .run_gpu = bank_run_gpu,
    .kernels = "bank",
    .ground = bank_ground,
    .explain = bank_explain,
};
