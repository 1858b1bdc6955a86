// SPDX-License-Identifier: MIT
// Family "matrix": one ldmatrix or stmatrix of a warp. The result is the registers of all lanes, and all shared memory.
#include "matrix_case.h"

#include <stdlib.h>
#include <string.h>

#include "family.h"
#include "field.h"
#include "gpu.h"

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

static size_t matrix_result_bytes(const void *test_case)
{
    (void)test_case;
    return MATRIX_OUTPUT_BYTES;
}

// The windows of a case, one behind the other as the kernel writes them: registers, then shared memory.
static void open_windows(struct result *result, uint8_t **registers, uint8_t **shared)
{
    *registers = result_window(result, "registers", 0, MATRIX_OUTPUT_BYTES - MATRIX_SHARED_BYTES);
    *shared = result_window(result, "shared", MATRIX_SHARED_START, MATRIX_SHARED_BYTES);
}

static void matrix_run_model(const void *test_case, struct result *result)
{
    const struct matrix_case *c = test_case;
    const struct matrix_form_row *row = &rows[c->form];
    uint32_t registers[MATRIX_REGISTERS][MATRIX_LANES];
    uint8_t bytes[MATRIX_SHARED_BYTES], *to_registers, *to_shared;
    const struct memory shared = {bytes, MATRIX_SHARED_START, sizeof bytes};
    for (uint32_t at = 0; at < sizeof bytes; at += 4) {
        uint32_t word = matrix_word(c->seed, MATRIX_SHARED_START + at);
        memcpy(bytes + at, &word, sizeof word);
    }
    for (uint32_t i = 0; i < MATRIX_REGISTERS * MATRIX_LANES; i++)
        registers[i / MATRIX_LANES][i % MATRIX_LANES] = matrix_register(c->seed, i % MATRIX_LANES, i / MATRIX_LANES);
    result->rule = row->is_store ? matrix_store(&shared, c->address, row->count, row->is_trans, registers)
                                 : matrix_load(&shared, c->address, row->count, row->is_trans, registers);
    result->status = rule_cuda_error(result->rule);
    if (result->rule != RULE_OK) return;
    open_windows(result, &to_registers, &to_shared);
    memcpy(to_registers, registers, sizeof registers);
    memcpy(to_shared, bytes, sizeof bytes);
}

// --- The GPU ---------------------------------------------------------------------------------------------------------

static int run_jobs(struct gpu *gpu, const struct matrix_case *cases, int count, const struct result *results,
                    struct matrix_job *jobs)
{
    size_t jobs_bytes = (size_t)count * sizeof *jobs, output_bytes = (size_t)count * MATRIX_OUTPUT_BYTES;
    unsigned long long device_jobs = gpu_buffer(gpu, 0, jobs_bytes);
    unsigned long long device_output = gpu_buffer(gpu, 1, output_bytes);
    if (device_jobs == 0 || device_output == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    for (int i = 0; i < count; i++) {
        jobs[i] = (struct matrix_job){
            .output = (uint64_t)i * MATRIX_OUTPUT_BYTES, .form = (uint32_t)cases[i].form, .seed = cases[i].seed};
        memcpy(jobs[i].address, cases[i].address, sizeof jobs[i].address);
    }
    unsigned most = 32 * (unsigned)gpu->processors; // as many fit side by side
    void *arguments[] = {&device_jobs, &count, &device_output};
    struct gpu_launch launch = {.module = "matrix",
                                .kernel = "matrix_jobs",
                                .grid = (unsigned)count < most ? (unsigned)count : most,
                                .block = MATRIX_THREADS,
                                .shared_bytes = MATRIX_SHARED_BYTES,
                                .jobs = &count,
                                .arguments = arguments};
    int error = (int)gpu->driver.cuMemcpyHtoD_v2(device_jobs, jobs, jobs_bytes);
    if (error == CUDA_SUCCESS) error = gpu_launch(gpu, &launch);
    if (error == CUDA_SUCCESS)
        error = (int)gpu->driver.cuMemcpyDtoH_v2(results[0].first_bytes, device_output, output_bytes);
    return error;
}

static int matrix_run_gpu(struct gpu *gpu, const void *cases, int count, struct result *results)
{
    struct matrix_job *jobs = calloc((size_t)count, sizeof *jobs);
    uint8_t *registers, *shared;
    if (jobs == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    for (int i = 0; i < count; i++) open_windows(&results[i], &registers, &shared);
    int error = run_jobs(gpu, cases, count, results, jobs);
    free(jobs);
    return error;
}

#define CASE struct matrix_case
static const struct field field[] = {
    FIELD_ONE_OF("form", form, form_names, "the instruction"),
    FIELD_SEED,
    FIELD_NUMBERS("address", address, MATRIX_LANES, 0, UINT32_MAX, "each lane's address in shared memory"),
    FIELD_END,
};
#undef CASE

static const struct fields fields = {.name = "matrix case", .field = field, .bytes = sizeof(struct matrix_case)};

const struct family family_matrix = {
    .name = "matrix",
    .summary = "ldmatrix and stmatrix: the registers of all lanes, and shared memory",
    .case_bytes = sizeof(struct matrix_case),
    .generate = matrix_generate,
    .fields = &fields,
    .result_bytes = matrix_result_bytes,
    .run_model = matrix_run_model,
    .run_gpu = matrix_run_gpu,
    .kernels = "matrix",
    .explain = matrix_explain,
    .rule = RULE_MATRIX_LANES,
};
