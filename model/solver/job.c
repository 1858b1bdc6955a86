// SPDX-License-Identifier: MIT
// Matrices of the device: checked when the call comes, read and written when the stream runs it.
#include <stdlib.h>

#include "queue.h"
#include "refusal.h"
#include "solver.h"

int solver_missing(const char *call, int *was_told)
{
    refusal_missing(call, "CUSOLVER_STATUS_NOT_SUPPORTED (9)", "", was_told);
    return CUSOLVER_STATUS_NOT_SUPPORTED;
}

enum cusolver_status solver_require(bool holds, const char *call, const char *what)
{
    return holds ? CUSOLVER_STATUS_SUCCESS
                 : solver_refuse(call, CUSOLVER_STATUS_INVALID_VALUE, "%s has a value that is not allowed", what);
}

enum cusolver_status solver_work(void *handle, const char *call, int *work)
{
    if (solver_handle_of(handle, call) == NULL) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (work == NULL) return solver_require(false, call, "the pointer to the size");
    *work = 1;
    return CUSOLVER_STATUS_SUCCESS;
}

// --- Checks ----------------------------------------------------------------------------------------------------------

static enum cusolver_status check_memory(const char *call, const char *what, const void *at, int64_t bytes)
{
    const char *fault = queue_memory_fault(at, (size_t)bytes);
    if (fault == NULL) return CUSOLVER_STATUS_SUCCESS;
    return solver_refuse(call, CUSOLVER_STATUS_EXECUTION_FAILED, "%s: the %lld bytes from %p on %s", what,
                         (long long)bytes, at, fault);
}

static enum cusolver_status check_sizes(const char *call, int number, const struct solver_matrix *it)
{
    const int64_t least = it->rows > 1 ? it->rows : 1;
    if (it->rows >= 0 && it->columns >= 0 && it->leading >= least && numbers_bytes(it->type) != 0)
        return CUSOLVER_STATUS_SUCCESS;
    return solver_refuse(
        call, CUSOLVER_STATUS_INVALID_VALUE,
        "matrix %d of the call: %lld rows, %lld columns, type %d, leading dimension %lld, which has to "
        "be %lld at least",
        number, (long long)it->rows, (long long)it->columns, it->type, (long long)it->leading, (long long)least);
}

static int64_t batches_of(const struct solver_job *job)
{
    return job->batches > 1 ? job->batches : 1;
}

static enum cusolver_status check_matrix(const struct solver_job *job, int index, bool is_captured)
{
    const struct solver_matrix *it = &job->matrix[index];
    void *const *array = index < 2 ? job->array[index] : NULL;
    const int64_t batches = batches_of(job);
    char what[32];
    if (it->leading == 0) return CUSOLVER_STATUS_SUCCESS;
    const enum cusolver_status error = check_sizes(job->call, index + 1, it);
    if (error != CUSOLVER_STATUS_SUCCESS || is_captured || it->rows == 0 || it->columns == 0) return error;
    snprintf(what, sizeof what, "matrix %d of the call", index + 1);
    if (array != NULL) return check_memory(job->call, what, (const void *)array, batches * (int64_t)sizeof *array);
    return check_memory(job->call, what, it->at,
                        ((it->columns * batches - 1) * it->leading + it->rows) * (int64_t)numbers_bytes(it->type));
}

static void run(void *its_job)
{
    struct solver_job job = *(const struct solver_job *)its_job;
    for (int64_t batch = 0; batch < batches_of(&job); batch++) {
        for (int i = 0; i < 2; i++)
            if (job.array[i] != NULL) job.matrix[i].at = job.array[i][batch];
        job.run(&job);
        for (int i = 0; i < SOLVER_MOST_MATRICES; i++) {
            struct solver_matrix *it = &job.matrix[i];
            if (it->at != NULL)
                it->at = (uint8_t *)it->at + it->columns * it->leading * (int64_t)numbers_bytes(it->type);
        }
        if (job.info != NULL && !job.has_one_info) job.info++;
    }
}

enum cusolver_status solver_submit(void *its_handle, const struct solver_job *job)
{
    const struct solver_handle *handle = solver_handle_of(its_handle, job->call);
    enum cusolver_status error = CUSOLVER_STATUS_SUCCESS;
    if (handle == NULL) return CUSOLVER_STATUS_NOT_INITIALIZED;
    const bool is_captured = queue_is_captured(handle->base.stream);
    for (int i = 0; i < SOLVER_MOST_MATRICES && error == CUSOLVER_STATUS_SUCCESS; i++)
        error = check_matrix(job, i, is_captured);
    if (error == CUSOLVER_STATUS_SUCCESS && !is_captured && job->integers != NULL)
        error = check_memory(job->call, "the pivots", job->integers, job->integer_count * job->integer_bytes);
    if (error == CUSOLVER_STATUS_SUCCESS && !is_captured && job->info != NULL)
        error = check_memory(job->call, "info", job->info, batches_of(job) * (int64_t)sizeof *job->info);
    if (error != CUSOLVER_STATUS_SUCCESS) return error;
    const enum cuda_result refused = queue_run(handle->base.stream, run, job, sizeof *job);
    if (refused == CUDA_SUCCESS) return CUSOLVER_STATUS_SUCCESS;
    return solver_refuse(job->call, CUSOLVER_STATUS_EXECUTION_FAILED, "the stream refuses work: CUDA error %d",
                         (int)refused);
}

// --- Matrices ---------------------------------------------------------------------------------------------------------

// A leading dimension of 0 stands for no matrix, so a call's own becomes one that is refused.
struct solver_matrix solver_matrix_of(int type, const void *at, int64_t rows, int64_t columns, int64_t leading)
{
    return (struct solver_matrix){(void *)at, type, rows, columns, leading == 0 ? -1 : leading};
}

struct solver_matrix solver_vector_of(int type, const void *at, int64_t count)
{
    return (struct solver_matrix){(void *)at, type, count, 1, count > 0 ? count : 1};
}

struct dense solver_adjoint(const struct dense *from)
{
    const struct dense to = dense_zeros(from->columns, from->rows);
    for (int64_t column = 0; to.at != NULL && column < to.columns; column++)
        for (int64_t row = 0; row < to.rows; row++)
            dense_column(&to, column)[row] = complex_adjoint(dense_column(from, row)[column]);
    return to;
}

// --- Elements --------------------------------------------------------------------------------------------------------

struct dense solver_read(const struct solver_matrix *from)
{
    return dense_read(from->at, from->type, from->rows, from->columns, from->leading);
}

// `from` may have more than there is place for: its first columns are written.
void solver_write(const struct solver_matrix *to, const struct dense *from)
{
    dense_write(to->at, to->type, to->leading, &(struct dense){from->at, from->rows, to->columns});
}

void solver_write_reals(const struct solver_matrix *to, const double *from)
{
    for (int64_t i = 0; i < to->rows; i++) numbers_put(numbers_real(to->type), to->at, i, from[i]);
}

void solver_set_info(const struct solver_job *job, int64_t info)
{
    if (job->info != NULL) *job->info = (int)info;
}

void solver_give_up(const struct solver_job *job)
{
    solver_refuse(job->call, CUSOLVER_STATUS_ALLOC_FAILED, "the host has no memory for its matrices; info is -1");
    solver_set_info(job, -1);
}
