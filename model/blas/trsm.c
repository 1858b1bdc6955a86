// SPDX-License-Identifier: MIT
// cublas<t>trsm: op(A) X = alpha B, or X op(A) = alpha B, for a triangle A. X takes the place of B, and each of its
// elements is rounded once, before it is used for the next.
#include "blas.h"

// One system: T x = alpha b for each of the `count` columns of B. X op(A) is op(A)^T X^T. With arrays of addresses in
// memory of the device, one for each of the batches.
struct triangle {
    struct matrix t, b;
    const void *const *t_array;
    void *const *b_array;
    int64_t batches;
    int64_t edge, count;
    bool is_lower, is_unit;
    int reals;
    struct factor alpha;
};

static void element_read(const struct triangle *job, const struct matrix *matrix, int64_t row, int64_t column,
                         double to[2])
{
    const int64_t at = job->reals * (row * matrix->row_step + column * matrix->column_step);
    to[1] = 0;
    numbers_widen(numbers_real(matrix->type), matrix->at, at, 1, job->reals, to);
    if (matrix->is_conjugate) to[1] = -to[1];
}

static void subtract_product(double from[2], const double a[2], const double b[2])
{
    const double re = a[0] * b[0] - a[1] * b[1], im = a[0] * b[1] + a[1] * b[0];
    from[0] -= re, from[1] -= im;
}

static void divide(const struct triangle *job, double x[2], const double by[2])
{
    const double size = by[0] * by[0] + by[1] * by[1], re = x[0] * by[0] + x[1] * by[1];
    const double im = x[1] * by[0] - x[0] * by[1];
    if (job->reals == 1) {
        x[0] /= by[0];
        return;
    }
    x[0] = re / size, x[1] = im / size;
}

static void element_write(const struct triangle *job, int64_t row, int64_t column, const double x[2])
{
    const int64_t at = job->reals * (row * job->b.row_step + column * job->b.column_step);
    for (int i = 0; i < job->reals; i++) numbers_put(numbers_real(job->b.type), job->b.at, at + i, x[i]);
}

static void solve_element(const struct triangle *job, const double alpha[2], int64_t row, int64_t column)
{
    double b[2], x[2] = {0}, t[2], known[2];
    const double minus[2] = {-alpha[0], -alpha[1]};
    const int64_t first = job->is_lower ? 0 : row + 1, end = job->is_lower ? row : job->edge;
    element_read(job, &job->b, row, column, b);
    subtract_product(x, minus, b);
    for (int64_t k = first; k < end; k++) {
        element_read(job, &job->t, row, k, t);
        element_read(job, &job->b, k, column, known);
        subtract_product(x, t, known);
    }
    element_read(job, &job->t, row, row, t);
    if (!job->is_unit) divide(job, x, t);
    element_write(job, row, column, x);
}

static void solve(void *its_job)
{
    const struct triangle *job = its_job;
    double alpha[2] = {job->alpha.value[0], job->alpha.value[1]};
    if (job->alpha.device != NULL)
        numbers_widen(numbers_real(job->alpha.type), job->alpha.device, 0, 1, job->reals, alpha);
    for (int64_t column = 0; column < job->count; column++)
        for (int64_t i = 0; i < job->edge; i++)
            solve_element(job, alpha, job->is_lower ? i : job->edge - 1 - i, column);
}

static void solve_all(void *its_job)
{
    struct triangle job = *(const struct triangle *)its_job;
    for (int64_t batch = 0; batch < job.batches; batch++) {
        job.t.at = (void *)job.t_array[batch];
        job.b.at = job.b_array[batch];
        solve(&job);
    }
}

// What a call is given; the enums have the numbers of cublas_api.h.
struct trsm {
    int type, side, fill, operation, diagonal;
    int64_t m, n;
    const void *alpha, *a;
    int64_t lda;
    void *b;
    int64_t ldb;
};

enum { SIDE_RIGHT = 1, FILL_LOWER = 0 };

static enum cublas_status check(const char *call, const struct trsm *it, int64_t edge)
{
    const bool are_enums = (it->side | it->fill | it->diagonal) >> 1 == 0 && it->operation >= 0 && it->operation <= 2;
    if (!are_enums || it->alpha == NULL || it->m < 0 || it->n < 0)
        return blas_refuse(call, CUBLAS_STATUS_INVALID_VALUE,
                           "side %d, uplo %d, trans %d, diag %d, m %lld, n %lld: one is not allowed, or alpha is a "
                           "null pointer",
                           it->side, it->fill, it->operation, it->diagonal, (long long)it->m, (long long)it->n);
    if (it->lda < (edge > 1 ? edge : 1) || it->ldb < (it->m > 1 ? it->m : 1))
        return blas_refuse(call, CUBLAS_STATUS_INVALID_VALUE, "lda is %lld and ldb %lld; A has %lld rows and B %lld",
                           (long long)it->lda, (long long)it->ldb, (long long)edge, (long long)it->m);
    return CUBLAS_STATUS_SUCCESS;
}

static struct triangle triangle_of(const struct trsm *it, int64_t edge, const struct blas_handle *handle)
{
    const bool is_right = it->side == SIDE_RIGHT, is_turned = (it->operation != CUBLAS_OP_N) != is_right;
    return (struct triangle){
        .t = {.at = (void *)it->a,
              .type = it->type,
              .is_conjugate = it->operation == CUBLAS_OP_C,
              .row_step = is_turned ? it->lda : 1,
              .column_step = is_turned ? 1 : it->lda},
        .b = {.at = it->b, .type = it->type, .row_step = is_right ? it->ldb : 1, .column_step = is_right ? 1 : it->ldb},
        .edge = edge,
        .count = is_right ? it->m : it->n,
        .is_lower = (it->fill == FILL_LOWER) != is_turned,
        .is_unit = it->diagonal,
        .reals = 1 + numbers_is_complex(it->type),
        .alpha = blas_factor(handle->pointer_mode, it->type, it->alpha)};
}

static enum cublas_status submit(const char *call, void *its_handle, const struct trsm *it)
{
    const struct blas_handle *handle = blas_handle_of(its_handle, call);
    if (handle == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
    const int64_t edge = it->side == SIDE_RIGHT ? it->n : it->m;
    const size_t bytes = numbers_bytes(it->type);
    enum cublas_status error = check(call, it, edge);
    if (error != CUBLAS_STATUS_SUCCESS || it->m == 0 || it->n == 0) return error;
    const struct triangle job = triangle_of(it, edge, handle);
    error = blas_check_memory(call, "A", it->a, (size_t)((edge - 1) * it->lda + edge) * bytes);
    if (error == CUBLAS_STATUS_SUCCESS)
        error = blas_check_memory(call, "B", it->b, (size_t)((it->n - 1) * it->ldb + it->m) * bytes);
    return error != CUBLAS_STATUS_SUCCESS ? error : blas_submit(call, handle->base.stream, solve, &job, sizeof job);
}

static enum cublas_status submit_all(const char *call, void *its_handle, const struct trsm *it, const void *const *a,
                                     void *const *b, int64_t batches)
{
    const struct blas_handle *handle = blas_handle_of(its_handle, call);
    if (handle == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
    const int64_t edge = it->side == SIDE_RIGHT ? it->n : it->m;
    enum cublas_status error = check(call, it, edge);
    if (error == CUBLAS_STATUS_SUCCESS && batches < 0)
        error = blas_refuse(call, CUBLAS_STATUS_INVALID_VALUE, "batchCount is %lld", (long long)batches);
    if (error != CUBLAS_STATUS_SUCCESS || it->m == 0 || it->n == 0 || batches == 0) return error;
    struct triangle job = triangle_of(it, edge, handle);
    job.t_array = a, job.b_array = b, job.batches = batches;
    error = blas_check_memory(call, "the addresses of A", (const void *)a, (size_t)batches * sizeof *a);
    if (error == CUBLAS_STATUS_SUCCESS)
        error = blas_check_memory(call, "the addresses of B", (const void *)b, (size_t)batches * sizeof *b);
    return error != CUBLAS_STATUS_SUCCESS ? error : blas_submit(call, handle->base.stream, solve_all, &job, sizeof job);
}

#define TRSM_BATCHED(name, size, type)                                                                                 \
    BLAS_VISIBLE enum cublas_status name(void *handle, int side, int fill, int operation, int diagonal, size m,        \
                                         size n, const void *alpha, const void *const *a, size lda, void *const *b,    \
                                         size ldb, size batches)                                                       \
    {                                                                                                                  \
        return submit_all(__func__, handle,                                                                            \
                          &(struct trsm){type, side, fill, operation, diagonal, m, n, alpha, NULL, lda, NULL, ldb}, a, \
                          b, batches);                                                                                 \
    }
#define TRSM(name, size, type)                                                                                         \
    BLAS_VISIBLE enum cublas_status name(void *handle, int side, int fill, int operation, int diagonal, size m,        \
                                         size n, const void *alpha, const void *a, size lda, void *b, size ldb)        \
    {                                                                                                                  \
        return submit(__func__, handle,                                                                                \
                      &(struct trsm){type, side, fill, operation, diagonal, m, n, alpha, a, lda, b, ldb});             \
    }
#define EACH(x, type)                                                                                                  \
    BOTH(TRSM, cublas##x##trsm_v2, type)                                                                               \
    BOTH(TRSM_BATCHED, cublas##x##trsmBatched, type)
EACH_TYPE(EACH)
