// SPDX-License-Identifier: MIT
// From a checked call to the stream, and whether the matrices lie in memory of the device.
#include "blas.h"
#include "queue.h"

enum cublas_status blas_submit(const char *call, struct CUstream_st *stream, void (*run)(void *job), const void *job,
                               size_t bytes)
{
    const enum cuda_result error = queue_run(stream, run, job, bytes);
    if (error == CUDA_SUCCESS) return CUBLAS_STATUS_SUCCESS;
    if (error == CUDA_ERROR_OUT_OF_MEMORY) return CUBLAS_STATUS_ALLOC_FAILED;
    return blas_refuse(call, CUBLAS_STATUS_EXECUTION_FAILED, "the stream refuses work: CUDA error %d", (int)error);
}

enum cublas_status blas_check_memory(const char *call, const char *what, const void *at, size_t bytes)
{
    const char *fault = queue_memory_fault(at, bytes);
    if (fault == NULL) return CUBLAS_STATUS_SUCCESS;
    return blas_refuse(call, CUBLAS_STATUS_EXECUTION_FAILED, "%s: the %zu bytes from %p on %s", what, bytes, at, fault);
}

// How many elements lie before and behind the first along one step.
static void reach(int64_t step, int64_t count, int64_t *before, int64_t *behind)
{
    *(step < 0 ? before : behind) += step * (count - 1);
}

static enum cublas_status check_matrix(const char *call, const char *what, const struct matrix *matrix, int64_t rows,
                                       int64_t columns, int64_t batches)
{
    int64_t before = 0, behind = 0;
    const int64_t bytes = (int64_t)numbers_bytes(matrix->type);
    if (rows == 0 || columns == 0 || batches == 0 || matrix->is_host) return CUBLAS_STATUS_SUCCESS;
    if (matrix->is_array) return blas_check_memory(call, what, matrix->at, (size_t)batches * sizeof(void *));
    reach(matrix->row_step, rows, &before, &behind);
    reach(matrix->column_step, columns, &before, &behind);
    reach(matrix->batch_step, batches, &before, &behind);
    return blas_check_memory(call, what, (const uint8_t *)matrix->at + before * bytes,
                             (size_t)((behind - before + 1) * bytes));
}

static bool is_zero(const struct factor *factor)
{
    return factor->device == NULL && factor->value[0] == 0 && factor->value[1] == 0;
}

static enum cublas_status check_epilogue(const char *call, const struct product *job)
{
    const struct epilogue *epilogue = &job->epilogue;
    enum cublas_status error = CUBLAS_STATUS_SUCCESS;
    if (epilogue->bias != NULL)
        error =
            blas_check_memory(call, "the bias", epilogue->bias, (size_t)job->m * numbers_bytes(epilogue->bias_type));
    if (error == CUBLAS_STATUS_SUCCESS && epilogue->aux.at != NULL)
        error = check_matrix(call, "the auxiliary matrix", &epilogue->aux, job->m, job->n, job->batches);
    return error;
}

enum cublas_status blas_check_product(const char *call, const struct product *job)
{
    const bool has_product = !is_zero(&job->alpha), has_c = !is_zero(&job->beta);
    enum cublas_status error = CUBLAS_STATUS_SUCCESS;
    if (has_product) error = check_matrix(call, "A", &job->a, job->m, job->k, job->batches);
    if (has_product && error == CUBLAS_STATUS_SUCCESS)
        error = check_matrix(call, "B", &job->b, job->k, job->n, job->batches);
    if (has_c && error == CUBLAS_STATUS_SUCCESS) error = check_matrix(call, "C", &job->c, job->m, job->n, job->batches);
    if (error == CUBLAS_STATUS_SUCCESS) error = check_matrix(call, "the result", &job->d, job->m, job->n, job->batches);
    return error != CUBLAS_STATUS_SUCCESS ? error : check_epilogue(call, job);
}

static void run_product(void *job)
{
    product_run(job);
}

// What a capture allocates has no memory yet.
enum cublas_status blas_submit_product(const char *call, struct CUstream_st *stream, const struct product *job)
{
    if (job->m == 0 || job->n == 0 || job->batches == 0) return CUBLAS_STATUS_SUCCESS;
    const enum cublas_status error = queue_is_captured(stream) ? CUBLAS_STATUS_SUCCESS : blas_check_product(call, job);
    return error != CUBLAS_STATUS_SUCCESS ? error : blas_submit(call, stream, run_product, job, sizeof *job);
}

struct factor blas_factor(int pointer_mode, int type, const void *at)
{
    struct factor factor = {.type = type};
    if (pointer_mode == CUBLAS_POINTER_MODE_HOST)
        numbers_widen(numbers_real(type), at, 0, 1, 1 + numbers_is_complex(type), factor.value);
    else
        factor.device = at;
    return factor;
}
