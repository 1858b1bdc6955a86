// SPDX-License-Identifier: MIT
// From a checked call to the stream: the job is copied, and freed when it has run. A graph that captures it keeps it,
// as an object of the user's.
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "note.h"

struct queued {
    void (*run)(void *job);
    int is_kept; // by a graph
    _Alignas(max_align_t) uint8_t job[];
};

static void run_queued(void *user)
{
    static atomic_int ran;
    struct queued *queued = user;
    queued->run(queued->job);
    if (!ran++) note_add(note_path(), NOTE_RAN);
    if (!queued->is_kept) free(queued);
}

static enum cuda_result keep(struct CUgraph_st *graph, struct queued *queued)
{
    enum { NO_DESTRUCTOR_SYNC = 1, MOVE = 1 };
    struct CUuserObject_st *object;
    queued->is_kept = 1;
    const enum cuda_result error = cuUserObjectCreate(&object, queued, free, 1, NO_DESTRUCTOR_SYNC);
    return error != CUDA_SUCCESS ? error : cuGraphRetainUserObject(graph, object, 1, MOVE);
}

// The graph that the stream's work goes into; NULL if none.
static enum cuda_result capture_of(struct CUstream_st *stream, struct CUgraph_st **graph)
{
    uint32_t status;
    uint64_t id;
    size_t count;
    struct CUgraphNode_st *const *after;
    *graph = NULL;
    return cuStreamGetCaptureInfo_v2(stream, &status, &id, graph, &after, &count);
}

enum cublas_status blas_submit(const char *call, struct CUstream_st *stream, void (*run)(void *job), const void *job,
                               size_t bytes)
{
    struct CUgraph_st *graph;
    struct queued *queued = malloc(sizeof *queued + bytes);
    if (queued == NULL) return CUBLAS_STATUS_ALLOC_FAILED;
    queued->run = run;
    queued->is_kept = 0;
    memcpy(queued->job, job, bytes);
    enum cuda_result error = capture_of(stream, &graph);
    if (error == CUDA_SUCCESS && graph != NULL) error = keep(graph, queued);
    if (error == CUDA_SUCCESS) error = cuLaunchHostFunc(stream, run_queued, queued);
    if (error == CUDA_SUCCESS) return CUBLAS_STATUS_SUCCESS;
    if (!queued->is_kept) free(queued);
    return blas_refuse(call, CUBLAS_STATUS_EXECUTION_FAILED, "the stream refuses work: CUDA error %d", (int)error);
}

// --- Where the matrices lie ------------------------------------------------------------------------------------------

static int is_device_memory(const void *at)
{
    return cuMemGetAddressRange_v2(NULL, NULL, (unsigned long long)(uintptr_t)at) == CUDA_SUCCESS;
}

enum cublas_status blas_check_memory(const char *call, const char *what, const void *at, size_t bytes)
{
    const uint8_t *last = (const uint8_t *)at + bytes - 1;
    if (bytes == 0) return CUBLAS_STATUS_SUCCESS;
    if (!is_device_memory(at))
        return blas_refuse(call, CUBLAS_STATUS_EXECUTION_FAILED,
                           "%s is at %p, which is no memory of the device. On a GPU a later call returns error 700",
                           what, at);
    if (!is_device_memory(last))
        return blas_refuse(call, CUBLAS_STATUS_EXECUTION_FAILED,
                           "%s takes %zu bytes from %p on, and the allocation ends before. On a GPU this may return "
                           "error 700 or use other data",
                           what, bytes, at);
    return CUBLAS_STATUS_SUCCESS;
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

static int is_zero(const struct factor *factor)
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

static enum cublas_status check_matrices(const char *call, const struct product *job)
{
    const int has_product = !is_zero(&job->alpha), has_c = !is_zero(&job->beta);
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
    struct CUgraph_st *graph = NULL;
    if (job->m == 0 || job->n == 0 || job->batches == 0) return CUBLAS_STATUS_SUCCESS;
    capture_of(stream, &graph);
    const enum cublas_status error = graph != NULL ? CUBLAS_STATUS_SUCCESS : check_matrices(call, job);
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
