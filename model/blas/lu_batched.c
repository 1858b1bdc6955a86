// SPDX-License-Identifier: MIT
// cublas<t>getrfBatched, getrsBatched, getriBatched and matinvBatched: LU of many small matrices, whose addresses lie
// in memory of the device. Each is computed in double precision, and rounded once.
#include <stdlib.h>

#include "blas.h"
#include "dense.h"

enum { FACTOR, SOLVE, INVERT, FACTOR_AND_INVERT };

struct lu_batched {
    const char *call;
    int type, what, operation, n, count, lda, ldb, batches;
    const void *const *a;
    void *const *b;
    int *pivots, *info;
};

// The pivots of one matrix, from 0 on; 0 if one of them names no row.
static bool read_pivots(const struct lu_batched *job, int batch, int64_t *to)
{
    for (int i = 0; i < job->n; i++) {
        const int pivot = job->pivots[(int64_t)batch * job->n + i];
        if (pivot < 1 || pivot > job->n) {
            blas_refuse(job->call, CUBLAS_STATUS_EXECUTION_FAILED,
                        "pivot %d of matrix %d is %d, and the matrix has %d rows: call getrfBatched first", i + 1,
                        batch + 1, pivot, job->n);
            return false;
        }
        to[i] = pivot - 1;
    }
    return true;
}

static void factor(const struct lu_batched *job, int batch, struct dense *a, int64_t *pivot)
{
    const bool has_pivots = job->pivots != NULL || job->what == FACTOR_AND_INVERT;
    job->info[batch] = (int)dense_lu(a, has_pivots ? pivot : NULL);
    for (int i = 0; job->pivots != NULL && i < job->n; i++)
        job->pivots[(int64_t)batch * job->n + i] = (int)pivot[i] + 1;
    if (job->what == FACTOR) dense_write((void *)job->a[batch], job->type, job->lda, a);
}

static int64_t zero_pivot(const struct dense *lu)
{
    for (int64_t i = 0; i < lu->columns; i++)
        if (complex_square(dense_column(lu, i)[i]) == 0) return i + 1;
    return 0;
}

// B, or the identity, becomes what solves the system; of a singular matrix no inverse is written.
static void solve(const struct lu_batched *job, int batch, const struct dense *a, const int64_t *pivot)
{
    const bool is_inverse = job->what != SOLVE;
    struct dense b =
        is_inverse ? dense_zeros(job->n, job->n) : dense_read(job->b[batch], job->type, job->n, job->count, job->ldb);
    if (b.at == NULL) return;
    for (int i = 0; is_inverse && i < job->n; i++) dense_column(&b, i)[i].re = 1;
    if (is_inverse) job->info[batch] = (int)zero_pivot(a);
    if (!is_inverse || job->info[batch] == 0) {
        dense_lu_solve(a, pivot, (enum dense_operation)job->operation, &b);
        dense_write(job->b[batch], job->type, job->ldb, &b);
    }
    free(b.at);
}

static void run_one(const struct lu_batched *job, int batch, int64_t *pivot)
{
    const bool is_factored = job->what == SOLVE || job->what == INVERT;
    struct dense a = dense_read(job->a[batch], job->type, job->n, job->n, job->lda);
    bool has_pivots = a.at != NULL;
    if (a.at != NULL && !is_factored) factor(job, batch, &a, pivot);
    if (a.at != NULL && is_factored && job->pivots != NULL) has_pivots = read_pivots(job, batch, pivot);
    if (has_pivots && job->what != FACTOR) solve(job, batch, &a, is_factored && job->pivots == NULL ? NULL : pivot);
    free(a.at);
}

static void run(void *its_job)
{
    const struct lu_batched *job = its_job;
    int64_t *pivot = malloc(((size_t)job->n + 1) * sizeof *pivot);
    for (int batch = 0; pivot != NULL && batch < job->batches; batch++) run_one(job, batch, pivot);
    if (pivot == NULL) blas_refuse(job->call, CUBLAS_STATUS_ALLOC_FAILED, "the host has no memory for its matrices");
    free(pivot);
}

static enum cublas_status check(const struct lu_batched *job)
{
    const int least = job->n > 1 ? job->n : 1;
    const bool holds = job->n >= 0 && job->count >= 0 && job->batches >= 0 && job->lda >= least &&
                       (job->what == FACTOR || job->ldb >= least) && job->operation >= 0 && job->operation <= 2;
    if (holds) return CUBLAS_STATUS_SUCCESS;
    return blas_refuse(job->call, CUBLAS_STATUS_INVALID_VALUE,
                       "n %d, nrhs %d, batchSize %d, lda %d, ldb %d, trans %d: one is not allowed", job->n, job->count,
                       job->batches, job->lda, job->ldb, job->operation);
}

static enum cublas_status check_arrays(const struct lu_batched *job)
{
    const size_t batches = (size_t)job->batches;
    enum cublas_status error =
        blas_check_memory(job->call, "the addresses of A", (const void *)job->a, batches * sizeof *job->a);
    if (error == CUBLAS_STATUS_SUCCESS && job->what != FACTOR)
        error = blas_check_memory(job->call, "the addresses of B", (const void *)job->b, batches * sizeof *job->b);
    if (error == CUBLAS_STATUS_SUCCESS && job->pivots != NULL)
        error = blas_check_memory(job->call, "the pivots", job->pivots, batches * (size_t)job->n * sizeof *job->pivots);
    if (error == CUBLAS_STATUS_SUCCESS && job->what != SOLVE)
        error = blas_check_memory(job->call, "info", job->info, batches * sizeof *job->info);
    return error;
}

static enum cublas_status submit(void *its_handle, const struct lu_batched *job)
{
    const struct blas_handle *handle = blas_handle_of(its_handle, job->call);
    if (handle == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
    enum cublas_status error = check(job);
    if (error == CUBLAS_STATUS_SUCCESS && job->what == SOLVE && job->info != NULL) *job->info = 0; // of the host
    if (error != CUBLAS_STATUS_SUCCESS || job->n == 0 || job->batches == 0) return error;
    error = check_arrays(job);
    return error != CUBLAS_STATUS_SUCCESS ? error : blas_submit(job->call, handle->base.stream, run, job, sizeof *job);
}

#define CALL(name) BLAS_VISIBLE enum cublas_status name
#define BATCHED(x, its_type)                                                                                           \
    CALL(cublas##x##getrfBatched)(void *handle, int n, void *const *a, int lda, int *pivots, int *info, int batches)   \
    {                                                                                                                  \
        return submit(handle, &(struct lu_batched){.call = __func__,                                                   \
                                                   .type = its_type,                                                   \
                                                   .what = FACTOR,                                                     \
                                                   .n = n,                                                             \
                                                   .lda = lda,                                                         \
                                                   .batches = batches,                                                 \
                                                   .a = (const void *const *)a,                                        \
                                                   .pivots = pivots,                                                   \
                                                   .info = info});                                                     \
    }                                                                                                                  \
    CALL(cublas##x##getrsBatched)                                                                                      \
    (void *handle, int operation, int n, int count, const void *const *a, int lda, const int *pivots, void *const *b,  \
     int ldb, int *info, int batches)                                                                                  \
    {                                                                                                                  \
        return submit(handle, &(struct lu_batched){.call = __func__,                                                   \
                                                   .type = its_type,                                                   \
                                                   .what = SOLVE,                                                      \
                                                   .operation = operation,                                             \
                                                   .n = n,                                                             \
                                                   .count = count,                                                     \
                                                   .lda = lda,                                                         \
                                                   .ldb = ldb,                                                         \
                                                   .batches = batches,                                                 \
                                                   .a = a,                                                             \
                                                   .b = b,                                                             \
                                                   .pivots = (int *)pivots,                                            \
                                                   .info = info});                                                     \
    }                                                                                                                  \
    CALL(cublas##x##getriBatched)                                                                                      \
    (void *handle, int n, const void *const *a, int lda, const int *pivots, void *const *c, int ldc, int *info,        \
     int batches)                                                                                                      \
    {                                                                                                                  \
        return submit(handle, &(struct lu_batched){.call = __func__,                                                   \
                                                   .type = its_type,                                                   \
                                                   .what = INVERT,                                                     \
                                                   .n = n,                                                             \
                                                   .lda = lda,                                                         \
                                                   .ldb = ldc,                                                         \
                                                   .batches = batches,                                                 \
                                                   .a = a,                                                             \
                                                   .b = c,                                                             \
                                                   .pivots = (int *)pivots,                                            \
                                                   .info = info});                                                     \
    }                                                                                                                  \
    CALL(cublas##x##matinvBatched)                                                                                     \
    (void *handle, int n, const void *const *a, int lda, void *const *c, int ldc, int *info, int batches)              \
    {                                                                                                                  \
        return submit(handle, &(struct lu_batched){.call = __func__,                                                   \
                                                   .type = its_type,                                                   \
                                                   .what = FACTOR_AND_INVERT,                                          \
                                                   .n = n,                                                             \
                                                   .lda = lda,                                                         \
                                                   .ldb = ldc,                                                         \
                                                   .batches = batches,                                                 \
                                                   .a = a,                                                             \
                                                   .b = c,                                                             \
                                                   .info = info});                                                     \
    }

EACH_TYPE(BATCHED)
