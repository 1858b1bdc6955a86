// SPDX-License-Identifier: MIT
// Eigenvalues of two Hermitian matrices (sygvd, hegvd and these by rotations), and of matrices of any kind.
#include <math.h>
#include <stdlib.h>

#include "schur.h"
#include "solver.h"

// --- Two matrices ----------------------------------------------------------------------------------------------------

enum { FIRST, SECOND, VALUES };

// B becomes L^-1 B, or with is_adjoint (L^H)^-1 B.
static void solve_lower(const struct dense *l, bool is_adjoint, const struct dense *b)
{
    for (int64_t column = 0; column < b->columns; column++)
        for (int64_t i = 0; i < l->rows; i++) {
            const int64_t row = is_adjoint ? l->rows - 1 - i : i;
            struct complex_number *x = dense_column(b, column);
            for (int64_t k = is_adjoint ? row + 1 : 0; k < (is_adjoint ? l->rows : row); k++)
                x[row] = complex_difference(
                    x[row], complex_product(
                                is_adjoint ? complex_adjoint(dense_column(l, row)[k]) : dense_column(l, k)[row], x[k]));
            x[row] = complex_quotient(x[row], dense_column(l, row)[row]);
        }
}

// B becomes L B, or L^H B. L has its lower triangle alone.
static void multiply_lower(const struct dense *l, bool is_adjoint, const struct dense *b)
{
    for (int64_t column = 0; column < b->columns; column++)
        for (int64_t i = 0; i < l->rows; i++) {
            const int64_t row = is_adjoint ? i : l->rows - 1 - i;
            struct complex_number sum = {0, 0}, *x = dense_column(b, column);
            for (int64_t k = is_adjoint ? row : 0; k < (is_adjoint ? l->rows : row + 1); k++)
                sum = complex_sum(sum, complex_product(is_adjoint ? complex_adjoint(dense_column(l, row)[k])
                                                                  : dense_column(l, k)[row],
                                                       x[k]));
            x[row] = sum;
        }
}

static void turn(const struct dense *a)
{
    for (int64_t column = 0; column < a->columns; column++)
        for (int64_t row = 0; row <= column; row++) {
            const struct complex_number kept = complex_adjoint(dense_column(a, column)[row]);
            dense_column(a, column)[row] = complex_adjoint(dense_column(a, row)[column]);
            dense_column(a, row)[column] = kept;
        }
}

// A x = value B x with B = L L^H is C y = value y: for 1, C = L^-1 A L^-H and x = L^-H y; for 2 and 3 (A B x, B A x),
// C = L^H A L, and x = L^-H y or L y.
static void solve_pair(const struct solver_job *job, const struct dense *a, const struct dense *l, struct dense *v,
                       double *values)
{
    struct dense matrix = *a;
    solver_make_hermitian(a, job->is_lower);
    for (int i = 0; i < 2; i++) {
        if (job->operation == 1)
            solve_lower(l, false, a);
        else
            multiply_lower(l, true, a);
        turn(a);
    }
    solver_set_info(job, dense_eigen(&matrix, v, values));
    if (job->operation == 3)
        multiply_lower(l, false, v);
    else
        solve_lower(l, true, v);
}

static void run_pair(const struct solver_job *job)
{
    const int64_t n = job->matrix[FIRST].columns;
    struct dense a = solver_read(&job->matrix[FIRST]), b = solver_read(&job->matrix[SECOND]), v = dense_zeros(n, n);
    double *values = malloc(((size_t)n + 1) * sizeof *values);
    if (a.at != NULL && b.at != NULL && v.at != NULL && values != NULL) {
        const int64_t minor = dense_cholesky(&b, job->is_lower);
        solver_write(&job->matrix[SECOND], &b);
        if (!job->is_lower) turn(&b);
        if (minor == 0) {
            solve_pair(job, &a, &b, &v, values);
            solver_write_reals(&job->matrix[VALUES], values);
            if (job->mode == VECTORS) solver_write(&job->matrix[FIRST], &v);
        } else {
            solver_set_info(job, n + minor);
        }
    } else {
        solver_give_up(job);
    }
    free(values);
    free(v.at);
    free(b.at);
    free(a.at);
}

static enum cusolver_status submit_pair(void *handle, int kind, int mode, int fill, const struct solver_job *rest)
{
    const bool holds = kind >= 1 && kind <= 3 && (mode == NO_VECTORS || mode == VECTORS) && fill >> 1 == 0;
    const enum cusolver_status error = solver_require(holds, rest->call, "itype, jobz or uplo");
    struct solver_job job = *rest;
    job.run = run_pair;
    job.operation = kind;
    job.mode = mode;
    job.is_lower = fill == FILL_LOWER;
    return error != CUSOLVER_STATUS_SUCCESS ? error : solver_submit(handle, &job);
}

#define CALL(name) SOLVER_VISIBLE enum cusolver_status name
#define UNUSED     (void)
#define PAIR_SIZE                                                                                                      \
    void *handle, int kind, int mode, int fill, int n, const void *a, int lda, const void *b, int ldb,                 \
        const void *values, int *work
#define PAIR                                                                                                           \
    void *handle, int kind, int mode, int fill, int n, void *a, int lda, void *b, int ldb, void *values, void *work,   \
        int size, int *info
#define RETURN_PAIR(type)                                                                                              \
    UNUSED work, UNUSED size;                                                                                          \
    return submit_pair(                                                                                                \
        handle, kind, mode, fill,                                                                                      \
        &(struct solver_job){.call = __func__,                                                                         \
                             .matrix = {solver_matrix_of(type, a, n, n, lda), solver_matrix_of(type, b, n, n, ldb),    \
                                        solver_vector_of(numbers_real(type), values, n)},                              \
                             .info = info})
#define RETURN_SIZE                                                                                                    \
    UNUSED kind, UNUSED mode, UNUSED fill, UNUSED n, UNUSED a, UNUSED lda, UNUSED b, UNUSED ldb, UNUSED values;        \
    return solver_work(handle, __func__, work)
#define PAIRS(x, type, d, j)                                                                                           \
    CALL(cusolverDn##x##d##_bufferSize)(PAIR_SIZE)                                                                     \
    {                                                                                                                  \
        RETURN_SIZE;                                                                                                   \
    }                                                                                                                  \
    CALL(cusolverDn##x##j##_bufferSize)(PAIR_SIZE, const void *parameters)                                             \
    {                                                                                                                  \
        UNUSED parameters;                                                                                             \
        RETURN_SIZE;                                                                                                   \
    }                                                                                                                  \
    CALL(cusolverDn##x##d)(PAIR)                                                                                       \
    {                                                                                                                  \
        RETURN_PAIR(type);                                                                                             \
    }                                                                                                                  \
    CALL(cusolverDn##x##j)(PAIR, const void *parameters)                                                               \
    {                                                                                                                  \
        UNUSED parameters;                                                                                             \
        RETURN_PAIR(type);                                                                                             \
    }
PAIRS(S, CUDA_R_32F, sygvd, sygvj)
PAIRS(D, CUDA_R_64F, sygvd, sygvj)
PAIRS(C, CUDA_C_32F, hegvd, hegvj)
PAIRS(Z, CUDA_C_64F, hegvd, hegvj)

// --- Any matrix ------------------------------------------------------------------------------------------------------

enum { MATRIX, EIGENVALUES, VECTORS_RIGHT };

static void put_value(const struct solver_matrix *to, int64_t n, int64_t i, struct complex_number value)
{
    const enum number_type real = numbers_real(to->type);
    const bool are_pairs = numbers_is_complex(to->type);
    numbers_put(real, to->at, are_pairs ? 2 * i : i, value.re);
    numbers_put(real, to->at, are_pairs ? 2 * i + 1 : n + i, value.im);
}

// One column of complex numbers; or of reals, one with their real parts, and with both a second one.
static void put_vector(const struct solver_job *job, int64_t i, const struct complex_number *x, bool both)
{
    const struct solver_matrix *to = &job->matrix[VECTORS_RIGHT];
    const enum number_type real = numbers_real(to->type);
    const int reals = 1 + numbers_is_complex(to->type);
    if (to->at == NULL) return;
    for (int64_t row = 0; row < to->rows; row++) {
        numbers_put(real, to->at, reals * (i * to->leading + row), x[row].re);
        if (reals == 2) numbers_put(real, to->at, reals * (i * to->leading + row) + 1, x[row].im);
        if (reals == 1 && both) numbers_put(real, to->at, (i + 1) * to->leading + row, x[row].im);
    }
}

static struct complex_number value_at(const struct dense *t, int64_t i)
{
    return dense_column(t, i)[i];
}

// The one that is nearest to the adjoint of number k, of those behind it that were not written.
static int64_t partner_of(const struct dense *t, int64_t k, const char *is_written)
{
    int64_t best = -1;
    double least = 0;
    for (int64_t i = k + 1; i < t->rows; i++) {
        const double away = complex_square(complex_difference(value_at(t, i), complex_adjoint(value_at(t, k))));
        if (!is_written[i] && (best < 0 || away < least)) best = i, least = away;
    }
    return best;
}

// The eigenvalues of a real matrix are real, or pairs: one with a positive imaginary part, then its adjoint.
static void write_real(const struct solver_job *job, const struct dense *t, const struct dense *v, char *is_written)
{
    const int64_t n = t->rows;
    const struct solver_matrix *values = &job->matrix[EIGENVALUES];
    double norm = 0;
    for (int64_t i = 0; i < n * n; i++) norm = fmax(norm, sqrt(complex_square(t->at[i])));
    for (int64_t k = 0, to = 0; k < n; k++) {
        struct complex_number value = value_at(t, k);
        const int64_t partner = fabs(value.im) <= 1e-13 * norm ? -1 : partner_of(t, k, is_written);
        if (is_written[k]) continue;
        is_written[k] = 1;
        if (partner < 0) {
            put_value(values, n, to, (struct complex_number){value.re, 0});
            put_vector(job, to++, dense_column(v, k), false);
            continue;
        }
        is_written[partner] = 1;
        const int64_t upper = value.im > 0 ? k : partner;
        value = value_at(t, upper);
        put_value(values, n, to, value);
        put_value(values, n, to + 1, complex_adjoint(value));
        put_vector(job, to, dense_column(v, upper), true);
        to += 2;
    }
}

void solver_run_general(const struct solver_job *job)
{
    const int64_t n = job->matrix[MATRIX].columns;
    struct dense a = solver_read(&job->matrix[MATRIX]), q = dense_zeros(n, n);
    char *is_written = calloc((size_t)n + 1, 1);
    bool has_memory = a.at != NULL && q.at != NULL && is_written != NULL;
    const int64_t missing = has_memory ? schur(&a, &q) : 0;
    if (has_memory && missing == 0) has_memory = schur_vectors(&a, &q);
    if (!has_memory) {
        solver_give_up(job);
    } else {
        solver_set_info(job, missing);
        if (missing == 0 && !numbers_is_complex(job->matrix[MATRIX].type)) write_real(job, &a, &q, is_written);
        for (int64_t i = 0; missing == 0 && numbers_is_complex(job->matrix[MATRIX].type) && i < n; i++) {
            put_value(&job->matrix[EIGENVALUES], n, i, value_at(&a, i));
            put_vector(job, i, dense_column(&q, i), false);
        }
    }
    free(is_written);
    free(q.at);
    free(a.at);
}
