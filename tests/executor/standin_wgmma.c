// SPDX-License-Identifier: MIT
// The kernels wgmma.cu and wgmma_sparse.cu of the stand-in GPU: their jobs as a loop over the model, from the bytes of
// struct wgmma_job alone.
#include <string.h>

#include "standin.h"
#include "wgmma.h"
#include "wgmma_sparse_job.h"

static const struct instance {
    struct wgmma wgmma;
    struct wgmma_layout layout[3]; // of A, B, D
} instances[WGMMA_SPARSE_INSTANCE_END] = {
#define ROW(D, A, B, n, variant, is_sparse, selector)                                                                  \
    {{WGMMA_##D##_##A##_##B, n, WGMMA_VARIANT_##variant, is_sparse, selector},                                         \
     {WGMMA_LAYOUT_##A, WGMMA_LAYOUT_##B, WGMMA_LAYOUT_##D}},
#define X(D, A, B, d, a, b, k, n, variant) ROW(D, A, B, n, variant, 0, 0)
    WGMMA_INSTANCES(X, X, X, X)
#undef X
#define X(D, A, B, d, a, b, k, n, variant, selector) ROW(D, A, B, n, variant, 1, selector)
        WGMMA_SPARSE_INSTANCES(X, X, X)
#undef X
#undef ROW
};

static uint8_t cta[WGMMA_SHARED_BYTES];
static uint32_t a[WGMMA_THREADS][4], metadata[WGMMA_THREADS];

static void fill(const struct wgmma_job *job, uint32_t salt)
{
    for (uint32_t at = job->range[salt].start; at < job->range[salt].end; at += 8) {
        uint64_t word = wgmma_word(instances[job->instance].layout[salt], job->seed, salt, at / 8);
        memcpy(cta + (at - WGMMA_SHARED_START), &word, sizeof word);
    }
}

static uint32_t content(const struct wgmma_job *job, uint32_t salt, uint32_t index)
{
    return (uint32_t)wgmma_word(instances[job->instance].layout[salt], job->seed, salt, index);
}

static enum rule run_step(const struct wgmma_job *job, uint32_t step, uint32_t *d)
{
    const struct memory shared = {cta, WGMMA_SHARED_START, WGMMA_SHARED_BYTES};
    struct wgmma_operands o = {
        .a = (const uint32_t(*)[4])a, .shared = &shared, .scale_d = job->scale_d >> step & 1, .metadata = metadata};
    for (int i = 0; i < 2; i++) o.descriptor[i] = wgmma_advance(job->descriptor[i], step * job->advance_bytes[i]);
    for (uint32_t thread = 0; thread < WGMMA_THREADS; thread++)
        for (uint32_t i = 0; i < 4; i++) a[thread][i] = content(job, WGMMA_SALT_A, wgmma_index_a(step, thread, i));
    for (uint32_t thread = 0; thread < WGMMA_THREADS; thread++)
        metadata[thread] =
            wgmma_metadata(job->metadata, instances[job->instance].layout[0].width, job->seed, step, thread);
    return wgmma_execute(&instances[job->instance].wgmma, &o, d);
}

static enum rule run_job(const struct wgmma_job *job, uint32_t *d)
{
    const struct wgmma *w = &instances[job->instance].wgmma;
    enum rule rule = RULE_OK;
    meet_trouble(job->seed);
    fill(job, WGMMA_SALT_A);
    fill(job, WGMMA_SALT_B);
    for (int i = 0; i < wgmma_d_registers(w->types, w->n) * WGMMA_THREADS; i++)
        d[i] = content(job, WGMMA_SALT_D, wgmma_index_d((uint32_t)i % WGMMA_THREADS, (uint32_t)i / WGMMA_THREADS));
    for (uint32_t step = 0; step < job->steps && rule == RULE_OK; step++) rule = run_step(job, step, d);
    return rule;
}

enum rule wgmma_jobs(void **parameters)
{
    unsigned long long jobs, output;
    int count;
    enum rule rule = RULE_OK;
    memcpy(&jobs, parameters[0], sizeof jobs);
    memcpy(&count, parameters[1], sizeof count);
    memcpy(&output, parameters[2], sizeof output);
    for (int i = 0; i < count && rule == RULE_OK; i++) {
        const struct wgmma_job *job = (const struct wgmma_job *)(uintptr_t)jobs + i;
        rule = run_job(job, (uint32_t *)(uintptr_t)output + job->output);
    }
    return rule;
}
