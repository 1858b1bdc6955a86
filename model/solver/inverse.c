// SPDX-License-Identifier: MIT
// Inverses (potri, trtri), and systems that are solved in one call: gesv, and gels for least squares. cuSOLVER solves
// these in a lower precision first, and refines; here they are solved once in double precision.
#include <stdlib.h>

#include "cuda_api.h"
#include "solver.h"

// --- Inverses --------------------------------------------------------------------------------------------------------

static struct dense identity(int64_t n)
{
    const struct dense to = dense_zeros(n, n);
    for (int64_t i = 0; to.at != NULL && i < n; i++) dense_column(&to, i)[i].re = 1;
    return to;
}

// One triangle of `to` becomes that of `from`.
static void take_triangle(struct dense *to, const struct dense *from, bool is_lower)
{
    for (int64_t column = 0; column < to->columns; column++)
        for (int64_t row = is_lower ? column : 0; row < (is_lower ? to->rows : column + 1); row++)
            dense_column(to, column)[row] = dense_column(from, column)[row];
}

static int64_t zero_on_diagonal(const struct dense *a)
{
    for (int64_t i = 0; i < a->columns; i++)
        if (complex_square(dense_column(a, i)[i]) == 0) return i + 1;
    return 0;
}

// X becomes the inverse of the triangle, column by column.
static void invert_triangle(const struct dense *a, bool is_lower, bool is_unit, struct dense *x)
{
    for (int64_t column = 0; column < x->columns; column++)
        for (int64_t i = 0; i < a->rows; i++) {
            struct complex_number *at = dense_column(x, column);
            const int64_t row = is_lower ? i : a->rows - 1 - i;
            for (int64_t k = is_lower ? 0 : row + 1; k < (is_lower ? row : a->rows); k++)
                at[row] = complex_difference(at[row], complex_product(dense_column(a, k)[row], at[k]));
            if (!is_unit) at[row] = complex_quotient(at[row], dense_column(a, row)[row]);
        }
}

static void invert(const struct solver_job *job, bool is_factor)
{
    struct dense a = solver_read(&job->matrix[0]), x = identity(job->matrix[0].columns);
    if (a.at != NULL && x.at != NULL) {
        const bool is_unit = !is_factor && job->mode;
        const int64_t zero = is_unit ? 0 : zero_on_diagonal(&a);
        if (zero == 0 && is_factor) dense_cholesky_solve(&a, job->is_lower, &x);
        if (zero == 0 && !is_factor) invert_triangle(&a, job->is_lower, job->mode, &x);
        for (int64_t i = 0; is_unit && i < a.columns; i++) dense_column(&x, i)[i] = dense_column(&a, i)[i];
        if (zero == 0) take_triangle(&a, &x, job->is_lower);
        solver_write(&job->matrix[0], &a);
        solver_set_info(job, zero);
    } else {
        solver_give_up(job);
    }
    free(x.at);
    free(a.at);
}

void solver_run_triangle_inverse(const struct solver_job *job)
{
    invert(job, false);
}

static void run_factor_inverse(const struct solver_job *job)
{
    invert(job, true);
}

#define CALL(name) SOLVER_VISIBLE enum cusolver_status name
#define UNUSED     (void)
#define POTRI(x, type)                                                                                                 \
    CALL(cusolverDn##x##potri_bufferSize)(void *handle, int fill, int n, const void *a, int lda, int *work)            \
    {                                                                                                                  \
        UNUSED fill, UNUSED n, UNUSED a, UNUSED lda;                                                                   \
        return solver_work(handle, __func__, work);                                                                    \
    }                                                                                                                  \
    CALL(cusolverDn##x##potri)(void *handle, int fill, int n, void *a, int lda, void *work, int size, int *info)       \
    {                                                                                                                  \
        UNUSED work, UNUSED size;                                                                                      \
        const enum cusolver_status error = solver_require(fill >> 1 == 0, __func__, "uplo");                           \
        const struct solver_job job = {.call = __func__,                                                               \
                                       .run = run_factor_inverse,                                                      \
                                       .matrix = {solver_matrix_of(type, a, n, n, lda)},                               \
                                       .is_lower = fill == FILL_LOWER,                                                 \
                                       .info = info};                                                                  \
        return error != CUSOLVER_STATUS_SUCCESS ? error : solver_submit(handle, &job);                                 \
    }
EACH_TYPE(POTRI)

// --- Systems in one call ---------------------------------------------------------------------------------------------

enum { EQUATIONS, RIGHT, SOLUTION };

static void run_system(const struct solver_job *job)
{
    const int64_t n = job->matrix[EQUATIONS].columns;
    struct dense a = solver_read(&job->matrix[EQUATIONS]), b = solver_read(&job->matrix[RIGHT]);
    int64_t *pivot = malloc(((size_t)n + 1) * sizeof *pivot);
    if (a.at != NULL && b.at != NULL && pivot != NULL) {
        const int64_t zero = dense_lu(&a, pivot);
        solver_set_info(job, zero);
        for (int64_t i = 0; job->integers != NULL && i < n; i++) ((int *)job->integers)[i] = (int)pivot[i] + 1;
        if (zero == 0) dense_lu_solve(&a, pivot, DENSE_PLAIN, &b);
        if (zero == 0) solver_write(&job->matrix[SOLUTION], &b);
    } else {
        solver_give_up(job);
    }
    free(pivot);
    free(b.at);
    free(a.at);
}

// X = R^-1 (Q^H B).
static void run_least_squares(const struct solver_job *job)
{
    const int64_t n = job->matrix[EQUATIONS].columns;
    struct dense a = solver_read(&job->matrix[EQUATIONS]), b = solver_read(&job->matrix[RIGHT]),
                 tau = dense_zeros(n, 1);
    struct dense x = dense_zeros(n, b.columns);
    if (a.at != NULL && b.at != NULL && tau.at != NULL && x.at != NULL) {
        dense_qr(&a, tau.at);
        dense_reflect(&a, tau.at, n, DENSE_ADJOINT, &b);
        const int64_t zero = zero_on_diagonal(&a);
        for (int64_t column = 0; zero == 0 && column < b.columns; column++)
            for (int64_t row = n - 1; row >= 0; row--) {
                struct complex_number sum = dense_column(&b, column)[row], *to = dense_column(&x, column);
                for (int64_t k = row + 1; k < n; k++)
                    sum = complex_difference(sum, complex_product(dense_column(&a, k)[row], to[k]));
                to[row] = complex_quotient(sum, dense_column(&a, row)[row]);
            }
        if (zero == 0) solver_write(&job->matrix[SOLUTION], &x);
        solver_set_info(job, zero);
    } else {
        solver_give_up(job);
    }
    free(x.at);
    free(tau.at);
    free(b.at);
    free(a.at);
}

// The number of refinements goes to the host.
static enum cusolver_status submit(void *handle, int *refinements, const struct solver_job *job)
{
    const enum cusolver_status error = solver_require(refinements != NULL, job->call, "niters");
    if (error == CUSOLVER_STATUS_SUCCESS) *refinements = 0;
    return error != CUSOLVER_STATUS_SUCCESS ? error : solver_submit(handle, job);
}

#define GESV(name, type)                                                                                               \
    CALL(name##gesv_bufferSize)                                                                                        \
    (void *handle, int n, int count, const void *a, int lda, const int *pivots, const void *b, int ldb, const void *x, \
     int ldx, const void *work, size_t *bytes)                                                                         \
    {                                                                                                                  \
        int one;                                                                                                       \
        UNUSED n, UNUSED count, UNUSED a, UNUSED lda, UNUSED pivots, UNUSED b, UNUSED ldb, UNUSED x, UNUSED ldx;       \
        UNUSED work;                                                                                                   \
        if (bytes != NULL) *bytes = 16;                                                                                \
        return solver_work(handle, __func__, bytes == NULL ? NULL : &one);                                             \
    }                                                                                                                  \
    CALL(name##gesv)                                                                                                   \
    (void *handle, int n, int count, void *a, int lda, int *pivots, void *b, int ldb, void *x, int ldx, void *work,    \
     size_t bytes, int *refinements, int *info)                                                                        \
    {                                                                                                                  \
        UNUSED work, UNUSED bytes;                                                                                     \
        return submit(handle, refinements,                                                                             \
                      &(struct solver_job){.call = __func__,                                                           \
                                           .run = run_system,                                                          \
                                           .matrix = {solver_matrix_of(type, a, n, n, lda),                            \
                                                      solver_matrix_of(type, b, n, count, ldb),                        \
                                                      solver_matrix_of(type, x, n, count, ldx)},                       \
                                           .integers = pivots,                                                         \
                                           .integer_count = n,                                                         \
                                           .integer_bytes = SOLVER_INTEGER,                                            \
                                           .info = info});                                                             \
    }                                                                                                                  \
    CALL(name##gels_bufferSize)                                                                                        \
    (void *handle, int m, int n, int count, const void *a, int lda, const void *b, int ldb, const void *x, int ldx,    \
     const void *work, size_t *bytes)                                                                                  \
    {                                                                                                                  \
        int one;                                                                                                       \
        UNUSED m, UNUSED n, UNUSED count, UNUSED a, UNUSED lda, UNUSED b, UNUSED ldb, UNUSED x, UNUSED ldx;            \
        UNUSED work;                                                                                                   \
        if (bytes != NULL) *bytes = 16;                                                                                \
        return solver_work(handle, __func__, bytes == NULL ? NULL : &one);                                             \
    }                                                                                                                  \
    CALL(name##gels)                                                                                                   \
    (void *handle, int m, int n, int count, void *a, int lda, void *b, int ldb, void *x, int ldx, void *work,          \
     size_t bytes, int *refinements, int *info)                                                                        \
    {                                                                                                                  \
        UNUSED work, UNUSED bytes;                                                                                     \
        if (m < n) return solver_require(0, __func__, "m, which is less than n,");                                     \
        return submit(handle, refinements,                                                                             \
                      &(struct solver_job){.call = __func__,                                                           \
                                           .run = run_least_squares,                                                   \
                                           .matrix = {solver_matrix_of(type, a, m, n, lda),                            \
                                                      solver_matrix_of(type, b, m, count, ldb),                        \
                                                      solver_matrix_of(type, x, n, count, ldx)},                       \
                                           .info = info});                                                             \
    }
GESV(cusolverDnZZ, CUDA_C_64F)
GESV(cusolverDnZC, CUDA_C_64F)
GESV(cusolverDnZK, CUDA_C_64F)
GESV(cusolverDnZE, CUDA_C_64F)
GESV(cusolverDnZY, CUDA_C_64F)
GESV(cusolverDnCC, CUDA_C_32F)
GESV(cusolverDnCK, CUDA_C_32F)
GESV(cusolverDnCE, CUDA_C_32F)
GESV(cusolverDnCY, CUDA_C_32F)
GESV(cusolverDnDD, CUDA_R_64F)
GESV(cusolverDnDS, CUDA_R_64F)
GESV(cusolverDnDH, CUDA_R_64F)
GESV(cusolverDnDB, CUDA_R_64F)
GESV(cusolverDnDX, CUDA_R_64F)
GESV(cusolverDnSS, CUDA_R_32F)
GESV(cusolverDnSH, CUDA_R_32F)
GESV(cusolverDnSB, CUDA_R_32F)
GESV(cusolverDnSX, CUDA_R_32F)
