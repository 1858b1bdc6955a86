// SPDX-License-Identifier: MIT
// Family "matrix": one ldmatrix or stmatrix of a warp. The result is the registers of all lanes, and all shared memory.
#include "matrix_case.h"

#include <string.h>

#include "family.h"
#include "field.h"
#include "gpu_jobs.h"

static const struct matrix_form_row rows[MATRIX_FORM_COUNT + 1] = {
#define ROW(id, name, is_store, count, is_trans) {name, is_store, count, is_trans},
    MATRIX_FORMS(ROW)
#undef ROW
        {NULL, 0, 0, 0}};

const struct matrix_form_row *matrix_form_row(enum matrix_form form)
{
    return &rows[form];
}

// --- JSON ------------------------------------------------------------------------------------------------------------

static const char *const form_names[] = {
#define NAME(id, name, is_store, count, is_trans) name,
    MATRIX_FORMS(NAME)
#undef NAME
        NULL};

// --- The model -------------------------------------------------------------------------------------------------------

static void matrix_windows(const void *test_case, struct result *result)
{
    (void)test_case;
    result_window(result, "registers", 0, MATRIX_OUTPUT_BYTES - MATRIX_SHARED_BYTES);
    result_window(result, "shared", MATRIX_SHARED_START, MATRIX_SHARED_BYTES);
}

static enum rule matrix_run_model(const void *test_case, struct result *result)
{
    const struct matrix_case *c = test_case;
    const struct matrix_form_row *row = &rows[c->form];
    uint32_t registers[MATRIX_REGISTERS][MATRIX_LANES];
    uint8_t *bytes = result->window[1].bytes;
    const struct memory shared = {bytes, MATRIX_SHARED_START, MATRIX_SHARED_BYTES};
    for (uint32_t at = 0; at < MATRIX_SHARED_BYTES; at += 4) {
        uint32_t word = matrix_word(c->seed, MATRIX_SHARED_START + at);
        memcpy(bytes + at, &word, sizeof word);
    }
    for (uint32_t i = 0; i < MATRIX_REGISTERS * MATRIX_LANES; i++)
        registers[i / MATRIX_LANES][i % MATRIX_LANES] = matrix_register(c->seed, i % MATRIX_LANES, i / MATRIX_LANES);
    enum rule rule = row->is_store ? matrix_store(&shared, c->address, row->count, row->is_trans, registers, NULL)
                                   : matrix_load(&shared, c->address, row->count, row->is_trans, registers, NULL);
    memcpy(result->window[0].bytes, registers, sizeof registers);
    return rule;
}

// --- The GPU ---------------------------------------------------------------------------------------------------------

static int make_job(const struct gpu_place *place, void *to)
{
    const struct matrix_case *c = place->test_case;
    struct matrix_job *job = to;
    *job = (struct matrix_job){.output = place->offset, .form = (uint32_t)c->form, .seed = c->seed};
    memcpy(job->address, c->address, sizeof job->address);
    return CUDA_SUCCESS;
}

static const struct gpu_jobs jobs = {GPU_JOBS_OF("matrix", struct matrix_case, struct matrix_job),
                                     .block = MATRIX_THREADS, .shared_bytes = MATRIX_SHARED_BYTES, .per_processor = 32,
                                     .make = make_job};

#define CASE struct matrix_case
static const struct field field[] = {
    FIELD_ONE_OF("form", form, form_names, "the instruction"),
    FIELD_SEED,
    FIELD_NUMBERS("address", address, MATRIX_LANES, 0, UINT32_MAX, "each lane's address in shared memory"),
    FIELD_END,
};
#undef CASE

const struct family family_matrix = {
    FAMILY_CASES("matrix", struct matrix_case, field),
    .summary = "ldmatrix and stmatrix: the registers of all lanes, and shared memory",
    .generate = matrix_generate,
    .windows = matrix_windows,
    .run_model = matrix_run_model,
    .jobs = &jobs,
    .kernels = "matrix",
    .explain = matrix_explain,
};
