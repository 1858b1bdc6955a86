// SPDX-License-Identifier: MIT
// cublas<t>geqrfBatched and gelsBatched: QR of many small matrices, whose addresses lie in memory of the device, and
// the least squares of systems with more equations than unknowns.
#include <stdlib.h>

#include "blas.h"
#include "dense.h"

struct qr_batched {
    const char *call;
    int type;
    bool is_solved;
    int m, n, count, lda, ldc, batches;
    void *const *a, *const *tau, *const *c;
    int *each_info; // of gels: of the device
};

// The order, from 1 on, of the first 0 on the diagonal of R; without one 0.
static int first_zero(const struct dense *qr)
{
    for (int64_t i = 0; i < qr->columns; i++)
        if (complex_square(dense_column(qr, i)[i]) == 0) return (int)i + 1;
    return 0;
}

// X = R^-1 (Q^H C), in the first n rows of C.
static void solve(const struct qr_batched *job, int batch, const struct dense *qr, const struct dense *tau)
{
    struct dense c = dense_read(job->c[batch], job->type, job->m, job->count, job->ldc);
    const int zero = first_zero(qr);
    if (job->each_info != NULL) job->each_info[batch] = zero;
    if (c.at != NULL && zero == 0) {
        dense_reflect(qr, tau->at, job->n, DENSE_ADJOINT, &c);
        for (int64_t column = 0; column < c.columns; column++)
            for (int64_t row = job->n - 1; row >= 0; row--) {
                struct complex_number *at = dense_column(&c, column);
                for (int64_t k = row + 1; k < job->n; k++)
                    at[row] = complex_difference(at[row], complex_product(dense_column(qr, k)[row], at[k]));
                at[row] = complex_quotient(at[row], dense_column(qr, row)[row]);
            }
        dense_write(job->c[batch], job->type, job->ldc, &c);
    }
    free(c.at);
}

static void run_one(const struct qr_batched *job, int batch)
{
    const int64_t least = job->m < job->n ? job->m : job->n;
    struct dense a = dense_read(job->a[batch], job->type, job->m, job->n, job->lda), tau = dense_zeros(least, 1);
    if (a.at != NULL && tau.at != NULL) {
        dense_qr(&a, tau.at);
        dense_write(job->a[batch], job->type, job->lda, &a);
        if (job->tau != NULL) dense_write(job->tau[batch], job->type, least, &tau);
        if (job->is_solved) solve(job, batch, &a, &tau);
    } else {
        blas_refuse(job->call, CUBLAS_STATUS_ALLOC_FAILED, "the host has no memory for its matrices");
    }
    free(tau.at);
    free(a.at);
}

static void run(void *its_job)
{
    const struct qr_batched *job = its_job;
    for (int batch = 0; batch < job->batches; batch++) run_one(job, batch);
}

static enum cublas_status check(const struct qr_batched *job)
{
    const int least = job->m > 1 ? job->m : 1;
    const size_t bytes = (size_t)(job->batches > 0 ? job->batches : 0) * sizeof(void *);
    if (job->m < 0 || job->n < 0 || job->batches < 0 || job->lda < least ||
        (job->is_solved && (job->count < 0 || job->ldc < least)))
        return blas_refuse(job->call, CUBLAS_STATUS_INVALID_VALUE,
                           "m %d, n %d, nrhs %d, batchSize %d, lda %d, ldc %d: one is not allowed", job->m, job->n,
                           job->count, job->batches, job->lda, job->ldc);
    enum cublas_status error = blas_check_memory(job->call, "the addresses of A", (const void *)job->a, bytes);
    if (error == CUBLAS_STATUS_SUCCESS && job->tau != NULL)
        error = blas_check_memory(job->call, "the addresses of tau", (const void *)job->tau, bytes);
    if (error == CUBLAS_STATUS_SUCCESS && job->is_solved)
        error = blas_check_memory(job->call, "the addresses of C", (const void *)job->c, bytes);
    if (error == CUBLAS_STATUS_SUCCESS && job->each_info != NULL)
        error = blas_check_memory(job->call, "devInfoArray", job->each_info, (size_t)job->batches * sizeof(int));
    return error;
}

// info is the host's: what is wrong with the arguments.
static enum cublas_status submit(void *its_handle, int *info, const struct qr_batched *job)
{
    const struct blas_handle *handle = blas_handle_of(its_handle, job->call);
    if (handle == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (info == NULL) return blas_refuse(job->call, CUBLAS_STATUS_INVALID_VALUE, "info is a null pointer");
    const enum cublas_status error = check(job);
    *info = error == CUBLAS_STATUS_INVALID_VALUE ? -1 : 0;
    return error != CUBLAS_STATUS_SUCCESS ? error : blas_submit(job->call, handle->base.stream, run, job, sizeof *job);
}

#define BATCHED(x, type)                                                                                               \
    BLAS_VISIBLE enum cublas_status cublas##x##geqrfBatched(void *handle, int m, int n, void *const *a, int lda,       \
                                                            void *const *tau, int *info, int batches)                  \
    {                                                                                                                  \
        return submit(handle, info,                                                                                    \
                      &(struct qr_batched){__func__, type, 0, m, n, 0, lda, 0, batches, a, tau, NULL, NULL});          \
    }                                                                                                                  \
    BLAS_VISIBLE enum cublas_status cublas##x##gelsBatched(void *handle, int operation, int m, int n, int count,       \
                                                           void *const *a, int lda, void *const *c, int ldc,           \
                                                           int *info, int *each_info, int batches)                     \
    {                                                                                                                  \
        if (operation != CUBLAS_OP_N || m < n)                                                                         \
            return blas_refuse(__func__, CUBLAS_STATUS_NOT_SUPPORTED,                                                  \
                               "trans is %d, m %d and n %d; cuBLAS has it for trans 0 and m >= n", operation, m, n);   \
        return submit(handle, info,                                                                                    \
                      &(struct qr_batched){__func__, type, 1, m, n, count, lda, ldc, batches, a, NULL, c, each_info}); \
    }
EACH_TYPE(BATCHED)
