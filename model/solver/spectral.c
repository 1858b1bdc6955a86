// SPDX-License-Identifier: MIT
// The calls for eigenvalues and singular values. No workspace is needed: each size is 1.
#include <math.h>
#include <stdlib.h>

#include "cuda_api.h"
#include "solver.h"

enum { MATRIX = 0, VALUES = 1, LEFT = 2, RIGHT = 3 };

// --- Eigenvalues -----------------------------------------------------------------------------------------------------

void solver_make_hermitian(const struct dense *a, bool is_lower)
{
    for (int64_t column = 0; column < a->columns; column++) {
        dense_column(a, column)[column].im = 0;
        for (int64_t row = column + 1; row < a->rows; row++) {
            struct complex_number *below = dense_column(a, column) + row, *above = dense_column(a, row) + column;
            *(is_lower ? above : below) = complex_adjoint(*(is_lower ? below : above));
        }
    }
}

// The first of `count` values in the range, and how many there are.
static int64_t begin_of(const struct solver_range *range, const double *values, int64_t count, int64_t *found)
{
    int64_t first = 0, end = count;
    if (range->kind == RANGE_ORDER) first = range->first - 1, end = range->last;
    if (range->kind == RANGE_VALUES) {
        while (first < count && !(values[first] > range->low)) first++;
        for (end = first; end < count && values[end] <= range->high;) end++;
    }
    *found = end - first;
    if (range->found_bytes == sizeof(int64_t)) *(int64_t *)range->found = *found;
    if (range->found_bytes == sizeof(int)) *(int *)range->found = (int)*found;
    return first;
}

static void write_eigen(const struct solver_job *job, const struct dense *v, const double *values)
{
    struct solver_matrix matrix = job->matrix[MATRIX], of_values = job->matrix[VALUES];
    int64_t found;
    const int64_t first = begin_of(&job->range, values, v->columns, &found);
    const struct dense some = {dense_column(v, first), v->rows, found};
    of_values.rows = matrix.columns = found;
    solver_write_reals(&of_values, values + first);
    if (job->mode == VECTORS) solver_write(&matrix, &some);
}

static void run_eigen(const struct solver_job *job)
{
    const int64_t n = job->matrix[MATRIX].columns;
    struct dense a = solver_read(&job->matrix[MATRIX]), v = dense_zeros(n, n);
    double *values = malloc(((size_t)n + 1) * sizeof *values);
    if (a.at != NULL && v.at != NULL && values != NULL) {
        solver_make_hermitian(&a, job->is_lower);
        solver_set_info(job, dense_eigen(&a, &v, values));
        write_eigen(job, &v, values);
    } else {
        solver_give_up(job);
    }
    free(values);
    free(v.at);
    free(a.at);
}

enum cusolver_status solver_eigen(const char *call, void *handle, int mode, int fill, const struct solver_job *rest)
{
    const bool holds = (mode == NO_VECTORS || mode == VECTORS) && (fill == FILL_LOWER || fill == FILL_UPPER);
    const enum cusolver_status error = solver_require(holds, call, "jobz or uplo");
    struct solver_job job = *rest;
    job.call = call;
    job.run = run_eigen;
    job.mode = mode;
    job.is_lower = fill == FILL_LOWER;
    return error != CUSOLVER_STATUS_SUCCESS ? error : solver_submit(handle, &job);
}

enum cusolver_status solver_eigen_of(const char *call, void *handle, int mode, int fill, const struct solver_job *rest)
{
    const struct solver_range *range = &rest->range;
    const int64_t n = rest->matrix[MATRIX].columns;
    const bool is_order = range->kind == RANGE_ORDER;
    enum cusolver_status error = solver_require(
        range->found != NULL && range->kind >= RANGE_ORDER - 1 && range->kind <= RANGE_VALUES &&
            (!is_order || n == 0 || (range->first >= 1 && range->first <= range->last && range->last <= n)) &&
            (range->kind != RANGE_VALUES || range->low < range->high),
        call, "range, il, iu, vl, vu or meig");
    if (error == CUSOLVER_STATUS_SUCCESS) error = solver_eigen(call, handle, mode, fill, rest);
    if (error != CUSOLVER_STATUS_SUCCESS) return error;
    if (cuStreamSynchronize(solver_handle_of(handle, call)->base.stream) == CUDA_SUCCESS) return error;
    return solver_refuse(call, CUSOLVER_STATUS_EXECUTION_FAILED,
                         "the stream cannot be waited for, and meig is the host's");
}

// --- Singular values -------------------------------------------------------------------------------------------------

// The first columns of a matrix, or those and more that are orthonormal; columns of `of` are.
static struct dense columns_of(const struct dense *of, int64_t columns)
{
    struct dense to = dense_zeros(of->rows, columns);
    const int64_t known = columns < of->columns ? columns : of->columns;
    for (int64_t i = 0; to.at != NULL && i < known * of->rows; i++) to.at[i] = of->at[i];
    if (to.at != NULL) dense_complete(&to, known);
    return to;
}

// Puts singular vectors, the columns of `of`, into a matrix: as they are, or as the rows of their adjoint.
static bool put_vectors(const struct solver_matrix *to, const struct dense *of, bool as_rows)
{
    const struct dense all = columns_of(of, as_rows ? to->rows : to->columns);
    struct dense turned = {NULL, 0, 0};
    if (as_rows && all.at != NULL) turned = solver_adjoint(&all);
    const bool has_memory = all.at != NULL && (!as_rows || turned.at != NULL);
    if (has_memory) solver_write(to, as_rows ? &turned : &all);
    free(turned.at);
    free(all.at);
    return has_memory;
}

// The norm of what a matrix has besides the first of its singular values.
static double norm_behind(const double *values, int64_t first, int64_t count)
{
    double sum = 0;
    for (int64_t i = first; i < count; i++) sum += values[i] * values[i];
    return sqrt(sum);
}

// Of a wide matrix the adjoint is taken: its left vectors are the right ones.
void solver_run_svd(const struct solver_job *job)
{
    const struct solver_matrix *matrix = job->matrix;
    const bool is_wide = matrix[MATRIX].rows < matrix[MATRIX].columns;
    struct dense read = solver_read(&matrix[MATRIX]), a = read;
    if (is_wide && read.at != NULL) a = solver_adjoint(&read);
    struct dense v = dense_zeros(a.columns, a.columns);
    double *values = malloc(((size_t)a.columns + 1) * sizeof *values);
    bool has_memory = read.at != NULL && a.at != NULL && v.at != NULL && values != NULL;
    if (has_memory) {
        solver_set_info(job, dense_svd(&a, values, &v));
        solver_write_reals(&matrix[VALUES], values);
        if (job->residual != NULL) *job->residual = norm_behind(values, matrix[VALUES].rows, a.columns);
        if (matrix[LEFT].at != NULL) has_memory = put_vectors(&matrix[LEFT], is_wide ? &v : &a, false);
        if (matrix[RIGHT].at != NULL)
            has_memory = put_vectors(&matrix[RIGHT], is_wide ? &a : &v, job->has_right_rows) && has_memory;
    }
    if (!has_memory) solver_give_up(job);
    free(values);
    free(v.at);
    if (is_wide) free(a.at);
    free(read.at);
}

// Where the vectors of a side go: jobu and jobvt are 'A' for all, 'S' for those of the values, 'O' for these in A, 'N'.
static struct solver_matrix side_of(const struct solver_svd *it, int job, const struct solver_matrix *given,
                                    bool is_left)
{
    const int64_t edge = is_left ? it->a.rows : it->a.columns,
                  count = job == 'A' ? edge : solver_lesser(it->a.rows, it->a.columns);
    struct solver_matrix side = job == 'O' ? it->a : *given;
    if (job == 'N') return (struct solver_matrix){0};
    side.rows = is_left ? edge : count;
    side.columns = is_left ? count : edge;
    return side;
}

static bool is_job(int job)
{
    return job == 'A' || job == 'S' || job == 'O' || job == 'N';
}

enum cusolver_status solver_svd(const char *call, void *handle, const struct solver_svd *it)
{
    const enum cusolver_status error =
        solver_require(is_job(it->left_job) && is_job(it->right_job) && (it->left_job != 'O' || it->right_job != 'O'),
                       call, "jobu or jobvt");
    if (error != CUSOLVER_STATUS_SUCCESS) return error;
    if (it->a.rows < it->a.columns)
        return solver_refuse(call, CUSOLVER_STATUS_INVALID_VALUE,
                             "m is %lld and n is %lld: gesvd is for m >= n alone; transpose the matrix",
                             (long long)it->a.rows, (long long)it->a.columns);
    const struct solver_job job = {.call = call,
                                   .run = solver_run_svd,
                                   .matrix = {it->a, it->values, side_of(it, it->left_job, &it->left, true),
                                              side_of(it, it->right_job, &it->right, false)},
                                   .has_right_rows = true,
                                   .info = it->info};
    return solver_submit(handle, &job);
}

// gesvdj: V is no adjoint, and m may be less than n.
static enum cusolver_status svd_by_rotations(const char *call, void *handle, int mode, bool is_economic,
                                             const struct solver_svd *it, int64_t batches)
{
    const int64_t least = solver_lesser(it->a.rows, it->a.columns);
    const enum cusolver_status error = solver_require(mode == NO_VECTORS || mode == VECTORS, call, "jobz");
    struct solver_job job = {
        .call = call, .run = solver_run_svd, .matrix = {it->a, it->values}, .info = it->info, .batches = batches};
    if (mode == VECTORS) {
        job.matrix[LEFT] = it->left;
        job.matrix[RIGHT] = it->right;
        job.matrix[LEFT].columns = is_economic ? least : it->a.rows;
        job.matrix[RIGHT].columns = is_economic ? least : it->a.columns;
    }
    return error != CUSOLVER_STATUS_SUCCESS ? error : solver_submit(handle, &job);
}

// --- Calls -----------------------------------------------------------------------------------------------------------

#define CALL(name) SOLVER_VISIBLE enum cusolver_status name
#define UNUSED     (void)
#define SOLVE(type, count)                                                                                             \
    UNUSED work, UNUSED size;                                                                                          \
    return solver_eigen(__func__, handle, mode, fill,                                                                  \
                        &(struct solver_job){.matrix = {solver_matrix_of(type, a, n, n, lda),                          \
                                                        solver_vector_of(numbers_real(type), values, n)},              \
                                             .batches = count,                                                         \
                                             .info = info})

#define EIGEN(x, type, d, j)                                                                                           \
    CALL(cusolverDn##x##d##_bufferSize)                                                                                \
    (void *handle, int mode, int fill, int n, const void *a, int lda, const void *values, int *work)                   \
    {                                                                                                                  \
        UNUSED mode, UNUSED fill, UNUSED n, UNUSED a, UNUSED lda, UNUSED values;                                       \
        return solver_work(handle, __func__, work);                                                                    \
    }                                                                                                                  \
    CALL(cusolverDn##x##j##_bufferSize)                                                                                \
    (void *handle, int mode, int fill, int n, const void *a, int lda, const void *values, int *work,                   \
     const void *parameters)                                                                                           \
    {                                                                                                                  \
        UNUSED mode, UNUSED fill, UNUSED n, UNUSED a, UNUSED lda, UNUSED values, UNUSED parameters;                    \
        return solver_work(handle, __func__, work);                                                                    \
    }                                                                                                                  \
    CALL(cusolverDn##x##j##Batched_bufferSize)                                                                         \
    (void *handle, int mode, int fill, int n, const void *a, int lda, const void *values, int *work,                   \
     const void *parameters, int batches)                                                                              \
    {                                                                                                                  \
        UNUSED mode, UNUSED fill, UNUSED n, UNUSED a, UNUSED lda, UNUSED values, UNUSED parameters, UNUSED batches;    \
        return solver_work(handle, __func__, work);                                                                    \
    }                                                                                                                  \
    CALL(cusolverDn##x##d)                                                                                             \
    (void *handle, int mode, int fill, int n, void *a, int lda, void *values, void *work, int size, int *info)         \
    {                                                                                                                  \
        SOLVE(type, 0);                                                                                                \
    }                                                                                                                  \
    CALL(cusolverDn##x##j)                                                                                             \
    (void *handle, int mode, int fill, int n, void *a, int lda, void *values, void *work, int size, int *info,         \
     const void *parameters)                                                                                           \
    {                                                                                                                  \
        UNUSED parameters;                                                                                             \
        SOLVE(type, 0);                                                                                                \
    }                                                                                                                  \
    CALL(cusolverDn##x##j##Batched)                                                                                    \
    (void *handle, int mode, int fill, int n, void *a, int lda, void *values, void *work, int size, int *info,         \
     const void *parameters, int batches)                                                                              \
    {                                                                                                                  \
        UNUSED parameters;                                                                                             \
        SOLVE(type, batches);                                                                                          \
    }

#define EIGEN_OF(x, type, real, name)                                                                                  \
    CALL(cusolverDn##x##name##_bufferSize)                                                                             \
    (void *handle, int mode, int kind, int fill, int n, const void *a, int lda, real low, real high, int first,        \
     int last, const int *found, const void *values, int *work)                                                        \
    {                                                                                                                  \
        UNUSED mode, UNUSED kind, UNUSED fill, UNUSED n, UNUSED a, UNUSED lda, UNUSED low, UNUSED high, UNUSED first;  \
        UNUSED last, UNUSED found, UNUSED values;                                                                      \
        return solver_work(handle, __func__, work);                                                                    \
    }                                                                                                                  \
    CALL(cusolverDn##x##name)                                                                                          \
    (void *handle, int mode, int kind, int fill, int n, void *a, int lda, real low, real high, int first, int last,    \
     int *found, void *values, void *work, int size, int *info)                                                        \
    {                                                                                                                  \
        UNUSED work, UNUSED size;                                                                                      \
        return solver_eigen_of(                                                                                        \
            __func__, handle, mode, fill,                                                                              \
            &(struct solver_job){                                                                                      \
                .matrix = {solver_matrix_of(type, a, n, n, lda), solver_vector_of(numbers_real(type), values, n)},     \
                .info = info,                                                                                          \
                .range = {kind, sizeof *found, (double)low, (double)high, first, last, found}});                       \
    }

EIGEN_OF(S, CUDA_R_32F, float, syevdx)
EIGEN_OF(D, CUDA_R_64F, double, syevdx)
EIGEN_OF(C, CUDA_C_32F, float, heevdx)
EIGEN_OF(Z, CUDA_C_64F, double, heevdx)
EIGEN(S, CUDA_R_32F, syevd, syevj)
EIGEN(D, CUDA_R_64F, syevd, syevj)
EIGEN(C, CUDA_C_32F, heevd, heevj)
EIGEN(Z, CUDA_C_64F, heevd, heevj)

#define SVD(x, type)                                                                                                   \
    CALL(cusolverDn##x##gesvd_bufferSize)(void *handle, int m, int n, int *work)                                       \
    {                                                                                                                  \
        UNUSED m, UNUSED n;                                                                                            \
        return solver_work(handle, __func__, work);                                                                    \
    }                                                                                                                  \
    CALL(cusolverDn##x##gesvd)                                                                                         \
    (void *handle, signed char left_job, signed char right_job, int m, int n, void *a, int lda, void *values, void *u, \
     int ldu, void *vt, int ldvt, void *work, int size, void *real_work, int *info)                                    \
    {                                                                                                                  \
        UNUSED work, UNUSED size, UNUSED real_work;                                                                    \
        return solver_svd(                                                                                             \
            __func__, handle,                                                                                          \
            &(struct solver_svd){.left_job = left_job,                                                                 \
                                 .right_job = right_job,                                                               \
                                 .a = solver_matrix_of(type, a, m, n, lda),                                            \
                                 .values = solver_vector_of(numbers_real(type), values, solver_lesser(m, n)),          \
                                 .left = solver_matrix_of(type, u, m, m, ldu),                                         \
                                 .right = solver_matrix_of(type, vt, n, n, ldvt),                                      \
                                 .info = info});                                                                       \
    }                                                                                                                  \
    CALL(cusolverDn##x##gesvdj_bufferSize)                                                                             \
    (void *handle, int mode, int is_economic, int m, int n, const void *a, int lda, const void *values, const void *u, \
     int ldu, const void *v, int ldv, int *work, const void *parameters)                                               \
    {                                                                                                                  \
        UNUSED mode, UNUSED is_economic, UNUSED m, UNUSED n, UNUSED a, UNUSED lda, UNUSED values, UNUSED u;            \
        UNUSED ldu, UNUSED v, UNUSED ldv, UNUSED parameters;                                                           \
        return solver_work(handle, __func__, work);                                                                    \
    }                                                                                                                  \
    CALL(cusolverDn##x##gesvdj)                                                                                        \
    (void *handle, int mode, int is_economic, int m, int n, void *a, int lda, void *values, void *u, int ldu, void *v, \
     int ldv, void *work, int size, int *info, const void *parameters)                                                 \
    {                                                                                                                  \
        UNUSED work, UNUSED size, UNUSED parameters;                                                                   \
        return svd_by_rotations(                                                                                       \
            __func__, handle, mode, is_economic,                                                                       \
            &(struct solver_svd){.a = solver_matrix_of(type, a, m, n, lda),                                            \
                                 .values = solver_vector_of(numbers_real(type), values, solver_lesser(m, n)),          \
                                 .left = solver_matrix_of(type, u, m, m, ldu),                                         \
                                 .right = solver_matrix_of(type, v, n, n, ldv),                                        \
                                 .info = info},                                                                        \
            0);                                                                                                        \
    }                                                                                                                  \
    CALL(cusolverDn##x##gesvdjBatched_bufferSize)                                                                      \
    (void *handle, int mode, int m, int n, const void *a, int lda, const void *values, const void *u, int ldu,         \
     const void *v, int ldv, int *work, const void *parameters, int batches)                                           \
    {                                                                                                                  \
        UNUSED mode, UNUSED m, UNUSED n, UNUSED a, UNUSED lda, UNUSED values, UNUSED u, UNUSED ldu, UNUSED v;          \
        UNUSED ldv, UNUSED parameters, UNUSED batches;                                                                 \
        return solver_work(handle, __func__, work);                                                                    \
    }                                                                                                                  \
    CALL(cusolverDn##x##gesvdjBatched)                                                                                 \
    (void *handle, int mode, int m, int n, void *a, int lda, void *values, void *u, int ldu, void *v, int ldv,         \
     void *work, int size, int *info, const void *parameters, int batches)                                             \
    {                                                                                                                  \
        UNUSED work, UNUSED size, UNUSED parameters;                                                                   \
        return svd_by_rotations(                                                                                       \
            __func__, handle, mode, 0,                                                                                 \
            &(struct solver_svd){.a = solver_matrix_of(type, a, m, n, lda),                                            \
                                 .values = solver_vector_of(numbers_real(type), values, solver_lesser(m, n)),          \
                                 .left = solver_matrix_of(type, u, m, m, ldu),                                         \
                                 .right = solver_matrix_of(type, v, n, n, ldv),                                        \
                                 .info = info},                                                                        \
            batches);                                                                                                  \
    }

EACH_TYPE(SVD)

// The same by polar decomposition; h_err_sigma is the host's.
CALL(cusolverDnXgesvdp_bufferSize)
(void *handle, const void *parameters, int mode, int is_economic, int64_t m, int64_t n, int type, const void *a,
 int64_t lda, int type_of_values, const void *values, int type_of_u, const void *u, int64_t ldu, int type_of_v,
 const void *v, int64_t ldv, int compute, size_t *device, size_t *host)
{
    int one;
    UNUSED parameters, UNUSED mode, UNUSED is_economic, UNUSED m, UNUSED n, UNUSED type, UNUSED a, UNUSED lda;
    UNUSED type_of_values, UNUSED values, UNUSED type_of_u, UNUSED u, UNUSED ldu, UNUSED type_of_v, UNUSED v;
    UNUSED ldv, UNUSED compute;
    if (device == NULL || host == NULL) return solver_require(false, __func__, "a pointer to a size");
    *device = 16, *host = 0;
    return solver_work(handle, __func__, &one);
}

CALL(cusolverDnXgesvdp)
(void *handle, const void *parameters, int mode, int is_economic, int64_t m, int64_t n, int type, void *a, int64_t lda,
 int type_of_values, void *values, int type_of_u, void *u, int64_t ldu, int type_of_v, void *v, int64_t ldv,
 int compute, void *device, size_t device_bytes, void *host, size_t host_bytes, int *info, double *error_of_values)
{
    UNUSED parameters, UNUSED compute, UNUSED device, UNUSED device_bytes, UNUSED host, UNUSED host_bytes;
    if (error_of_values != NULL) *error_of_values = 0;
    return svd_by_rotations(
        __func__, handle, mode, is_economic,
        &(struct solver_svd){.a = solver_matrix_of(type, a, m, n, lda),
                             .values = solver_vector_of(type_of_values, values, solver_lesser(m, n)),
                             .left = solver_matrix_of(type_of_u, u, m, m, ldu),
                             .right = solver_matrix_of(type_of_v, v, n, n, ldv),
                             .info = info},
        0);
}
