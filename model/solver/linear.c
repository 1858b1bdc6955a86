// SPDX-License-Identifier: MIT
// The calls for systems: LU, Cholesky and QR. No workspace is needed: each size is 1.
#include <stdlib.h>

#include "solver.h"

// --- What the stream runs --------------------------------------------------------------------------------------------

static int64_t *read_pivots(const struct solver_job *job)
{
    int64_t *to = malloc(((size_t)job->integer_count + 1) * sizeof *to);
    for (int64_t i = 0; to != NULL && i < job->integer_count; i++)
        to[i] = (job->integer_bytes == SOLVER_WIDE_INTEGER ? ((const int64_t *)job->integers)[i]
                                                           : ((const int32_t *)job->integers)[i]) -
                1;
    return to;
}

static void write_pivots(const struct solver_job *job, const int64_t *from)
{
    for (int64_t i = 0; i < job->integer_count; i++)
        if (job->integer_bytes == SOLVER_WIDE_INTEGER)
            ((int64_t *)job->integers)[i] = from[i] + 1;
        else
            ((int32_t *)job->integers)[i] = (int32_t)(from[i] + 1);
}

static void run_lu(const struct solver_job *job)
{
    struct dense a = solver_read(&job->matrix[0]);
    int64_t *pivot = malloc(((size_t)job->integer_count + 1) * sizeof *pivot);
    if (a.at != NULL && pivot != NULL) {
        solver_set_info(job, dense_lu(&a, job->integers == NULL ? NULL : pivot));
        solver_write(&job->matrix[0], &a);
        if (job->integers != NULL) write_pivots(job, pivot);
    } else {
        solver_give_up(job);
    }
    free(pivot);
    free(a.at);
}

// A pivot that names no row would read elsewhere.
static bool are_rows(const struct solver_job *job, const int64_t *pivot)
{
    for (int64_t i = 0; i < job->integer_count; i++) {
        if (pivot[i] >= 0 && pivot[i] < job->matrix[0].rows) continue;
        solver_refuse(job->call, CUSOLVER_STATUS_EXECUTION_FAILED,
                      "pivot %lld is %lld, and the matrix has %lld rows: call getrf first", (long long)i + 1,
                      (long long)pivot[i] + 1, (long long)job->matrix[0].rows);
        return false;
    }
    return true;
}

static void run_lu_solve(const struct solver_job *job)
{
    const struct dense a = solver_read(&job->matrix[0]);
    struct dense b = solver_read(&job->matrix[1]);
    int64_t *pivot = job->integers == NULL ? NULL : read_pivots(job);
    const bool has_memory = a.at != NULL && b.at != NULL && (pivot != NULL) == (job->integers != NULL);
    if (!has_memory) {
        solver_give_up(job);
    } else if (pivot == NULL || are_rows(job, pivot)) {
        dense_lu_solve(&a, pivot, (enum dense_operation)job->operation, &b);
        solver_write(&job->matrix[1], &b);
        solver_set_info(job, 0);
    }
    free(pivot);
    free(b.at);
    free(a.at);
}

static void run_cholesky(const struct solver_job *job)
{
    struct dense a = solver_read(&job->matrix[0]);
    if (a.at != NULL) {
        solver_set_info(job, dense_cholesky(&a, job->is_lower));
        solver_write(&job->matrix[0], &a);
    } else {
        solver_give_up(job);
    }
    free(a.at);
}

static void run_cholesky_solve(const struct solver_job *job)
{
    const struct dense a = solver_read(&job->matrix[0]);
    struct dense b = solver_read(&job->matrix[1]);
    if (a.at != NULL && b.at != NULL) {
        dense_cholesky_solve(&a, job->is_lower, &b);
        solver_write(&job->matrix[1], &b);
        solver_set_info(job, 0);
    } else {
        solver_give_up(job);
    }
    free(b.at);
    free(a.at);
}

static void run_qr(const struct solver_job *job)
{
    struct dense a = solver_read(&job->matrix[0]), tau = solver_read(&job->matrix[1]);
    if (a.at != NULL && tau.at != NULL) {
        dense_qr(&a, tau.at);
        solver_write(&job->matrix[0], &a);
        solver_write(&job->matrix[1], &tau);
        solver_set_info(job, 0);
    } else {
        solver_give_up(job);
    }
    free(tau.at);
    free(a.at);
}

// C op(Q) is the adjoint of op(Q)^H C^H.
static void reflect(const struct solver_job *job, const struct dense *a, const struct dense *tau, struct dense *c)
{
    const enum dense_operation plain = DENSE_PLAIN, adjoint = DENSE_ADJOINT;
    const bool is_plain = job->operation == DENSE_PLAIN;
    struct dense turned = *c;
    if (!job->is_right) {
        dense_reflect(a, tau->at, job->count, is_plain ? plain : adjoint, c);
        return;
    }
    turned = solver_adjoint(c);
    if (turned.at == NULL) {
        solver_give_up(job);
        return;
    }
    dense_reflect(a, tau->at, job->count, is_plain ? adjoint : plain, &turned);
    free(c->at);
    *c = solver_adjoint(&turned);
    free(turned.at);
}

// Of orgqr the result is Q times the identity, in the place of A; of ormqr C is the third matrix.
static void run_reflect(const struct solver_job *job)
{
    const bool is_form = job->matrix[2].leading == 0;
    const struct solver_matrix *to = &job->matrix[is_form ? 0 : 2];
    const struct dense a = solver_read(&job->matrix[0]), tau = solver_read(&job->matrix[1]);
    struct dense c = solver_read(to);
    for (int64_t i = 0; c.at != NULL && is_form && i < c.rows * c.columns; i++)
        c.at[i] = (struct complex_number){i % (c.rows + 1) == 0 && i / c.rows < c.rows, 0};
    solver_set_info(job, 0);
    if (a.at != NULL && tau.at != NULL && c.at != NULL) reflect(job, &a, &tau, &c);
    if (a.at != NULL && tau.at != NULL && c.at != NULL)
        solver_write(to, &c);
    else
        solver_give_up(job);
    free(c.at);
    free(tau.at);
    free(a.at);
}

// --- Jobs ------------------------------------------------------------------------------------------------------------

struct solver_job solver_lu_job(const char *call, struct solver_matrix a, void *pivots, int bytes, int *info)
{
    return (struct solver_job){.call = call,
                               .run = run_lu,
                               .matrix = {a},
                               .integers = pivots,
                               .integer_count = solver_lesser(a.rows, a.columns),
                               .integer_bytes = bytes,
                               .info = info};
}

enum cusolver_status solver_solve_lu(const char *call, void *handle, int operation, const struct solver_job *rest)
{
    struct solver_job job = *rest;
    job.call = call;
    job.run = run_lu_solve;
    job.operation = operation;
    job.integer_count = job.matrix[0].rows;
    const enum cusolver_status error = solver_require(operation >= 0 && operation <= 2, call, "trans");
    return error != CUSOLVER_STATUS_SUCCESS ? error : solver_submit(handle, &job);
}

enum cusolver_status solver_cholesky(const char *call, void *handle, int fill, const struct solver_job *rest)
{
    const enum cusolver_status error = solver_require(fill == FILL_LOWER || fill == FILL_UPPER, call, "uplo");
    struct solver_job job = *rest;
    job.call = call;
    job.run = job.matrix[1].leading == 0 ? run_cholesky : run_cholesky_solve;
    job.is_lower = fill == FILL_LOWER;
    return error != CUSOLVER_STATUS_SUCCESS ? error : solver_submit(handle, &job);
}

struct solver_job solver_qr_job(const char *call, struct solver_matrix a, int type_of_tau, void *tau, int *info)
{
    return (struct solver_job){.call = call,
                               .run = run_qr,
                               .matrix = {a, solver_vector_of(type_of_tau, tau, solver_lesser(a.rows, a.columns))},
                               .info = info};
}

static enum cusolver_status apply(void *handle, int side, struct solver_job job)
{
    const bool holds = (side == SIDE_LEFT || side == SIDE_RIGHT) && job.operation >= 0 && job.operation <= 2;
    const enum cusolver_status error = solver_require(holds, job.call, "side or trans");
    job.is_right = side == SIDE_RIGHT;
    return error != CUSOLVER_STATUS_SUCCESS ? error : solver_submit(handle, &job);
}

// --- Calls -----------------------------------------------------------------------------------------------------------

#define CALL(name) SOLVER_VISIBLE enum cusolver_status name
#define UNUSED     (void)
#define LU_CHOLESKY(x, type)                                                                                           \
    CALL(cusolverDn##x##getrf_bufferSize)(void *handle, int m, int n, void *a, int lda, int *work)                     \
    {                                                                                                                  \
        UNUSED m, UNUSED n, UNUSED a, UNUSED lda;                                                                      \
        return solver_work(handle, __func__, work);                                                                    \
    }                                                                                                                  \
    CALL(cusolverDn##x##getrf)(void *handle, int m, int n, void *a, int lda, void *work, int *pivots, int *info)       \
    {                                                                                                                  \
        const struct solver_job job =                                                                                  \
            solver_lu_job(__func__, solver_matrix_of(type, a, m, n, lda), pivots, SOLVER_INTEGER, info);               \
        UNUSED work;                                                                                                   \
        return solver_submit(handle, &job);                                                                            \
    }                                                                                                                  \
    CALL(cusolverDn##x##getrs)                                                                                         \
    (void *handle, int operation, int n, int count, const void *a, int lda, const int *pivots, void *b, int ldb,       \
     int *info)                                                                                                        \
    {                                                                                                                  \
        return solver_solve_lu(__func__, handle, operation,                                                            \
                               &(struct solver_job){.matrix = {solver_matrix_of(type, a, n, n, lda),                   \
                                                               solver_matrix_of(type, b, n, count, ldb)},              \
                                                    .integers = (void *)pivots,                                        \
                                                    .integer_bytes = SOLVER_INTEGER,                                   \
                                                    .info = info});                                                    \
    }                                                                                                                  \
    CALL(cusolverDn##x##potrf_bufferSize)(void *handle, int fill, int n, void *a, int lda, int *work)                  \
    {                                                                                                                  \
        UNUSED fill, UNUSED n, UNUSED a, UNUSED lda;                                                                   \
        return solver_work(handle, __func__, work);                                                                    \
    }                                                                                                                  \
    CALL(cusolverDn##x##potrf)(void *handle, int fill, int n, void *a, int lda, void *work, int size, int *info)       \
    {                                                                                                                  \
        UNUSED work, UNUSED size;                                                                                      \
        return solver_cholesky(__func__, handle, fill,                                                                 \
                               &(struct solver_job){.matrix = {solver_matrix_of(type, a, n, n, lda)}, .info = info});  \
    }                                                                                                                  \
    CALL(cusolverDn##x##potrs)                                                                                         \
    (void *handle, int fill, int n, int count, const void *a, int lda, void *b, int ldb, int *info)                    \
    {                                                                                                                  \
        return solver_cholesky(__func__, handle, fill,                                                                 \
                               &(struct solver_job){.matrix = {solver_matrix_of(type, a, n, n, lda),                   \
                                                               solver_matrix_of(type, b, n, count, ldb)},              \
                                                    .info = info});                                                    \
    }                                                                                                                  \
    CALL(cusolverDn##x##potrfBatched)(void *handle, int fill, int n, void *const *a, int lda, int *info, int batches)  \
    {                                                                                                                  \
        return solver_cholesky(                                                                                        \
            __func__, handle, fill,                                                                                    \
            &(struct solver_job){                                                                                      \
                .matrix = {solver_matrix_of(type, NULL, n, n, lda)}, .array = {a}, .batches = batches, .info = info}); \
    }                                                                                                                  \
    CALL(cusolverDn##x##potrsBatched)                                                                                  \
    (void *handle, int fill, int n, int count, void *const *a, int lda, void *const *b, int ldb, int *info,            \
     int batches)                                                                                                      \
    {                                                                                                                  \
        return solver_cholesky(__func__, handle, fill,                                                                 \
                               &(struct solver_job){.matrix = {solver_matrix_of(type, NULL, n, n, lda),                \
                                                               solver_matrix_of(type, NULL, n, count, ldb)},           \
                                                    .array = {a, b},                                                   \
                                                    .has_one_info = 1,                                                 \
                                                    .batches = batches,                                                \
                                                    .info = info});                                                    \
    }

EACH_TYPE(LU_CHOLESKY)

#define QR(x, type, form, apply_name)                                                                                  \
    CALL(cusolverDn##x##geqrf_bufferSize)(void *handle, int m, int n, void *a, int lda, int *work)                     \
    {                                                                                                                  \
        UNUSED m, UNUSED n, UNUSED a, UNUSED lda;                                                                      \
        return solver_work(handle, __func__, work);                                                                    \
    }                                                                                                                  \
    CALL(cusolverDn##x##geqrf)                                                                                         \
    (void *handle, int m, int n, void *a, int lda, void *tau, void *work, int size, int *info)                         \
    {                                                                                                                  \
        const struct solver_job job = solver_qr_job(__func__, solver_matrix_of(type, a, m, n, lda), type, tau, info);  \
        UNUSED work, UNUSED size;                                                                                      \
        return solver_submit(handle, &job);                                                                            \
    }                                                                                                                  \
    CALL(cusolverDn##form##_bufferSize)                                                                                \
    (void *handle, int m, int n, int k, const void *a, int lda, const void *tau, int *work)                            \
    {                                                                                                                  \
        UNUSED m, UNUSED n, UNUSED k, UNUSED a, UNUSED lda, UNUSED tau;                                                \
        return solver_work(handle, __func__, work);                                                                    \
    }                                                                                                                  \
    CALL(cusolverDn##form)                                                                                             \
    (void *handle, int m, int n, int k, void *a, int lda, const void *tau, void *work, int size, int *info)            \
    {                                                                                                                  \
        const enum cusolver_status error = solver_require(k >= 0 && k <= n && n <= m, __func__, "m, n or k");          \
        UNUSED work, UNUSED size;                                                                                      \
        if (error != CUSOLVER_STATUS_SUCCESS) return error;                                                            \
        return solver_submit(handle, &(struct solver_job){.call = __func__,                                            \
                                                          .run = run_reflect,                                          \
                                                          .matrix = {solver_matrix_of(type, a, m, n, lda),             \
                                                                     solver_vector_of(type, tau, k)},                  \
                                                          .count = k,                                                  \
                                                          .info = info});                                              \
    }                                                                                                                  \
    CALL(cusolverDn##apply_name##_bufferSize)                                                                          \
    (void *handle, int side, int operation, int m, int n, int k, const void *a, int lda, const void *tau,              \
     const void *c, int ldc, int *work)                                                                                \
    {                                                                                                                  \
        UNUSED side, UNUSED operation, UNUSED m, UNUSED n, UNUSED k, UNUSED a, UNUSED lda, UNUSED tau, UNUSED c;       \
        UNUSED ldc;                                                                                                    \
        return solver_work(handle, __func__, work);                                                                    \
    }                                                                                                                  \
    CALL(cusolverDn##apply_name)                                                                                       \
    (void *handle, int side, int operation, int m, int n, int k, const void *a, int lda, const void *tau, void *c,     \
     int ldc, void *work, int size, int *info)                                                                         \
    {                                                                                                                  \
        const int edge = side == SIDE_RIGHT ? n : m;                                                                   \
        const enum cusolver_status error = solver_require(k >= 0 && k <= edge, __func__, "k");                         \
        UNUSED work, UNUSED size;                                                                                      \
        if (error != CUSOLVER_STATUS_SUCCESS) return error;                                                            \
        return apply(                                                                                                  \
            handle, side,                                                                                              \
            (struct solver_job){.call = __func__,                                                                      \
                                .run = run_reflect,                                                                    \
                                .matrix = {solver_matrix_of(type, a, edge, k, lda), solver_vector_of(type, tau, k),    \
                                           solver_matrix_of(type, c, m, n, ldc)},                                      \
                                .operation = operation,                                                                \
                                .count = k,                                                                            \
                                .info = info});                                                                        \
    }

QR(S, CUDA_R_32F, Sorgqr, Sormqr)
QR(D, CUDA_R_64F, Dorgqr, Dormqr)
QR(C, CUDA_C_32F, Cungqr, Cunmqr)
QR(Z, CUDA_C_64F, Zungqr, Zunmqr)
