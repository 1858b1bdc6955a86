// SPDX-License-Identifier: MIT
// The kernel mma.cu of the stand-in GPU: its jobs as a loop over the model, from the bytes of struct mma_job alone.
#include <string.h>

#include "mma.h"
#include "mma_job.h"
#include "standin.h"

static const struct layouts {
    struct wgmma_layout of[3]; // A, B, D
} layouts[MMA_FORMS] = {
#define ROW(X, m, n, k, D, A, B, d, a, b, tail, nd, na, nb) {{MMA_LAYOUT_##A, MMA_LAYOUT_##B, MMA_LAYOUT_##D}},
    MMA_ROWS(ROW, ) MMA_ROWS_SPARSE(ROW, )
#undef ROW
};

static void fill(const struct mma_job *job, uint32_t salt, uint32_t step, uint32_t *words)
{
    struct wgmma_layout layout = layouts[job->form].of[salt];
    const struct mma_row *row = mma_row((enum mma_form)job->form);
    uint32_t registers = (uint32_t)row->registers[salt == WGMMA_SALT_D ? MMA_OF_D : salt];
    for (uint32_t i = 0; i < registers * MMA_LANES; i++) {
        uint64_t bits = mma_content(layout, job->seed, salt, step, i % MMA_LANES, i / MMA_LANES);
        if (layouts[job->form].of[WGMMA_SALT_D].width == 64)
            memcpy(words + 2 * i, &bits, 8);
        else
            words[i] = (uint32_t)bits;
    }
}

static void run_job(const struct mma_job *job, uint32_t *d)
{
    uint32_t a[2 * MMA_MAX_REGISTERS * MMA_LANES], b[2 * MMA_MAX_REGISTERS * MMA_LANES], metadata[MMA_LANES];
    enum mma_form form = (enum mma_form)job->form;
    const struct mma_row *row = mma_row(form);
    meet_trouble(job->seed);
    fill(job, WGMMA_SALT_D, 0, d);
    for (uint32_t step = 0; step < job->steps; step++) {
        fill(job, WGMMA_SALT_A, step, a);
        fill(job, WGMMA_SALT_B, step, b);
        for (uint32_t lane = 0; lane < MMA_LANES; lane++)
            metadata[lane] = mma_metadata(job->seed, step, lane, row->a == NUMBER_TF32);
        if (row->is_sparse)
            mma_execute_sparse(form, (int)job->selector, metadata, a, b, d);
        else
            mma_execute(form, a, b, d);
    }
}

enum rule mma_jobs(void **parameters)
{
    unsigned long long jobs, output;
    int count;
    memcpy(&jobs, parameters[0], sizeof jobs);
    memcpy(&count, parameters[1], sizeof count);
    memcpy(&output, parameters[2], sizeof output);
    for (int i = 0; i < count; i++) {
        const struct mma_job *job = (const struct mma_job *)(uintptr_t)jobs + i;
        run_job(job, (uint32_t *)(uintptr_t)output + job->output);
    }
    return RULE_OK;
}
