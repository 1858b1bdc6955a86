// SPDX-License-Identifier: MIT
// The simulated libcusolver: what it solves is put into the equations again. Prints what does not hold.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "library_calls.h"
#include "solver.h"

typedef struct complex_number number;

int cusolverDnCreate(void **handle);
int cusolverDnDestroy(void *handle);
int cusolverDnSetStream(void *handle, struct CUstream_st *stream);
int cusolverDnZgetrf(void *handle, int m, int n, void *a, int lda, void *work, int *pivots, int *info);
int cusolverDnDgetrf(void *handle, int m, int n, void *a, int lda, void *work, int *pivots, int *info);
int cusolverDnZgetrs(void *handle, int operation, int n, int count, const void *a, int lda, const int *pivots, void *b,
                     int ldb, int *info);
int cusolverDnZpotrf(void *handle, int fill, int n, void *a, int lda, void *work, int size, int *info);
int cusolverDnZpotrs(void *handle, int fill, int n, int count, const void *a, int lda, void *b, int ldb, int *info);
int cusolverDnDpotrf(void *handle, int fill, int n, void *a, int lda, void *work, int size, int *info);
int cusolverDnSpotrfBatched(void *handle, int fill, int n, void **a, int lda, int *info, int batches);
int cusolverDnZgeqrf(void *handle, int m, int n, void *a, int lda, void *tau, void *work, int size, int *info);
int cusolverDnZungqr(void *handle, int m, int n, int k, void *a, int lda, const void *tau, void *work, int size,
                     int *info);
int cusolverDnZunmqr(void *handle, int side, int operation, int m, int n, int k, const void *a, int lda,
                     const void *tau, void *c, int ldc, void *work, int size, int *info);
int cusolverDnZheevd(void *handle, int mode, int fill, int n, void *a, int lda, double *values, void *work, int size,
                     int *info);
int cusolverDnSsyevjBatched(void *handle, int mode, int fill, int n, void *a, int lda, float *values, void *work,
                            int size, int *info, void *parameters, int batches);
int cusolverDnZgesvd(void *handle, signed char left, signed char right, int m, int n, void *a, int lda, double *values,
                     void *u, int ldu, void *vt, int ldvt, void *work, int size, void *real_work, int *info);
int cusolverDnDgesvdj(void *handle, int mode, int is_economic, int m, int n, void *a, int lda, double *values, void *u,
                      int ldu, void *v, int ldv, void *work, int size, int *info, void *parameters);
int cusolverDnDgesvdaStridedBatched(void *handle, int mode, int rank, int m, int n, const void *a, int lda,
                                    long long a_stride, double *values, long long values_stride, void *u, int ldu,
                                    long long u_stride, void *v, int ldv, long long v_stride, void *work, int size,
                                    int *info, double *residuals, int batches);
int cusolverDnXgesvdr(void *handle, void *parameters, signed char left, signed char right, int64_t m, int64_t n,
                      int64_t rank, int64_t more, int64_t iterations, int type, void *a, int64_t lda,
                      int type_of_values, double *values, int type_of_u, void *u, int64_t ldu, int type_of_v, void *v,
                      int64_t ldv, int compute, void *device, size_t device_bytes, void *host, size_t host_bytes,
                      int *info);
int cusolverDnXgetrf(void *handle, void *parameters, int64_t m, int64_t n, int type, void *a, int64_t lda,
                     int64_t *pivots, int compute, void *device, size_t device_bytes, void *host, size_t host_bytes,
                     int *info);
int cusolverDnXgetrs(void *handle, void *parameters, int operation, int64_t n, int64_t count, int type, const void *a,
                     int64_t lda, const int64_t *pivots, int type_of_b, void *b, int64_t ldb, int *info);

enum { N = 13, M = 21, COUNT = 3, LEADING = M + 2 };

static void *handle;
static int *info;

// Columns lie LEADING elements apart.
static number *random_matrix(int64_t columns)
{
    number *at = device_memory((size_t)(LEADING * columns) * sizeof *at);
    for (int64_t i = 0; i < LEADING * columns; i++) at[i] = (number){next_number(), next_number()};
    return at;
}

static number *copy_of(const number *from, int64_t columns)
{
    number *at = device_memory((size_t)(LEADING * columns) * sizeof *at);
    memcpy(at, from, (size_t)(LEADING * columns) * sizeof *at);
    return at;
}

// Element (row, column) of op(A).
static number element(const number *a, int operation, int row, int column)
{
    if (operation == DENSE_PLAIN) return a[column * LEADING + row];
    const number turned = a[row * LEADING + column];
    return operation == DENSE_ADJOINT ? complex_adjoint(turned) : turned;
}

// The greatest difference of op(A) X and B, or of op(A) X and 0.
static double difference(const number *a, int operation, int rows, int inner, const number *x, const number *b,
                         int columns)
{
    double greatest = 0;
    for (int column = 0; column < columns; column++)
        for (int row = 0; row < rows; row++) {
            number sum = {0, 0};
            for (int k = 0; k < inner; k++)
                sum = complex_sum(sum, complex_product(element(a, operation, row, k), x[column * LEADING + k]));
            if (b != NULL) sum = complex_difference(sum, b[column * LEADING + row]);
            greatest = fmax(greatest, sqrt(complex_square(sum)));
        }
    return greatest;
}

// Sum of conj(a[i]) * b[i].
static number product_of(const number *a, const number *b, int count)
{
    number sum = {0, 0};
    for (int i = 0; i < count; i++) sum = complex_sum(sum, complex_product(complex_adjoint(a[i]), b[i]));
    return sum;
}

// How far the columns are from orthonormal ones.
static double skew(const number *a, int rows, int columns)
{
    double greatest = 0;
    for (int i = 0; i < columns; i++)
        for (int k = 0; k < columns; k++) {
            const number dot = product_of(a + i * LEADING, a + k * LEADING, rows), one = {i == k, 0};
            greatest = fmax(greatest, sqrt(complex_square(complex_difference(dot, one))));
        }
    return greatest;
}

static const double small = 1e-12;

static void systems(void)
{
    number *const a = random_matrix(N), *const b = random_matrix(COUNT);
    int *pivots = device_memory(N * sizeof *pivots);
    int64_t *wide = device_memory(N * sizeof *wide);
    for (int operation = DENSE_PLAIN; operation <= DENSE_ADJOINT; operation++) {
        number *lu = copy_of(a, N), *x = copy_of(b, COUNT);
        HOLDS(cusolverDnZgetrf(handle, N, N, lu, LEADING, NULL, pivots, info) == 0);
        HOLDS(cusolverDnZgetrs(handle, operation, N, COUNT, lu, LEADING, pivots, x, LEADING, info) == 0);
        done();
        HOLDS(*info == 0 && difference(a, operation, N, N, x, b, COUNT) < small);
        lu = copy_of(a, N), x = copy_of(b, COUNT);
        HOLDS(cusolverDnXgetrf(handle, NULL, N, N, CUDA_C_64F, lu, LEADING, wide, CUDA_C_64F, NULL, 0, NULL, 0, info) ==
              0);
        HOLDS(cusolverDnXgetrs(handle, NULL, operation, N, COUNT, CUDA_C_64F, lu, LEADING, wide, CUDA_C_64F, x, LEADING,
                               info) == 0);
        done();
        HOLDS(*info == 0 && difference(a, operation, N, N, x, b, COUNT) < small);
        HOLDS(wide[0] == pivots[0] && wide[0] >= 1 && wide[N - 1] == N);
    }
}

// A^H A and N on the diagonal.
static number *positive_matrix(void)
{
    number *const a = random_matrix(N), *const to = device_memory((size_t)(LEADING * N) * sizeof *to);
    for (int column = 0; column < N; column++)
        for (int row = 0; row < N; row++) {
            to[column * LEADING + row] = product_of(a + row * LEADING, a + column * LEADING, N);
            if (row == column) to[column * LEADING + row].re += N;
        }
    return to;
}

static void positive(void)
{
    number *const a = positive_matrix(), *const b = random_matrix(COUNT);
    double *values = device_memory(N * sizeof *values);
    for (int fill = FILL_LOWER; fill <= FILL_UPPER; fill++) {
        number *factor = copy_of(a, N), *x = copy_of(b, COUNT), *v = copy_of(a, N), *scaled = copy_of(a, N);
        const int64_t other = fill == FILL_LOWER ? LEADING : 1; // of the triangle that is not the factor's
        HOLDS(cusolverDnZpotrf(handle, fill, N, factor, LEADING, NULL, 0, info) == 0);
        HOLDS(cusolverDnZpotrs(handle, fill, N, COUNT, factor, LEADING, x, LEADING, info) == 0);
        v[other] = (number){99, 99};
        HOLDS(cusolverDnZheevd(handle, VECTORS, fill, N, v, LEADING, values, NULL, 0, info) == 0);
        done();
        HOLDS(*info == 0 && difference(a, DENSE_PLAIN, N, N, x, b, COUNT) < small);
        HOLDS(factor[other].re == a[other].re && factor[other].im == a[other].im);
        for (int column = 0; column < N; column++)
            for (int row = 0; row < N; row++)
                scaled[column * LEADING + row] = complex_times(v[column * LEADING + row], values[column]);
        HOLDS(difference(a, DENSE_PLAIN, N, N, v, scaled, N) < 100 * small && skew(v, N, N) < small);
        for (int i = 1; i < N; i++) HOLDS(values[i] >= values[i - 1]);
    }
}

static void orthogonal(void)
{
    number *const a = random_matrix(N), *qr = copy_of(a, N), *r = device_memory((size_t)(LEADING * N) * sizeof *r);
    number *const c = copy_of(a, N), *const tau = device_memory(N * sizeof *tau), *q;
    HOLDS(cusolverDnZgeqrf(handle, M, N, qr, LEADING, tau, NULL, 0, info) == 0);
    done();
    for (int column = 0; column < N; column++)
        memcpy(r + column * LEADING, qr + column * LEADING, (size_t)(column + 1) * sizeof *r);
    q = copy_of(qr, N);
    HOLDS(cusolverDnZungqr(handle, M, N, N, q, LEADING, tau, NULL, 0, info) == 0);
    HOLDS(cusolverDnZunmqr(handle, SIDE_LEFT, DENSE_ADJOINT, M, N, N, qr, LEADING, tau, c, LEADING, NULL, 0, info) ==
          0);
    done();
    HOLDS(*info == 0 && difference(q, DENSE_PLAIN, M, N, r, a, N) < small && skew(q, M, N) < small);
    for (int column = 0; column < N; column++)
        for (int row = 0; row < N; row++)
            HOLDS(complex_square(complex_difference(c[column * LEADING + row], r[column * LEADING + row])) < small);
    number *const wide = random_matrix(M), *const old =
                                               copy_of(wide, M); // N x M, by Q of the right: its first N columns
    HOLDS(cusolverDnZunmqr(handle, SIDE_RIGHT, DENSE_PLAIN, N, M, N, qr, LEADING, tau, wide, LEADING, NULL, 0, info) ==
          0);
    done();
    HOLDS(difference(old, DENSE_PLAIN, N, M, q, wide, N) < small);
}

static void singular_values(void)
{
    const char jobs[] = "ASON";
    number *const a = random_matrix(N);
    double *values = device_memory(N * sizeof *values);
    for (int i = 0; i < 16; i++) {
        const char left = jobs[i / 4], right = jobs[i % 4];
        number *changed = copy_of(a, N), *u = random_matrix(M), *vt = random_matrix(N);
        const int status = cusolverDnZgesvd(handle, left, right, M, N, changed, LEADING, values, u, LEADING, vt,
                                            LEADING, NULL, 0, NULL, info);
        done();
        HOLDS(status == (left == 'O' && right == 'O' ? CUSOLVER_STATUS_INVALID_VALUE : CUSOLVER_STATUS_SUCCESS));
        if (status != 0 || left == 'N' || right == 'N') continue;
        const number *const its_u = left == 'O' ? changed : u, *const its_vt = right == 'O' ? changed : vt;
        number *const scaled = copy_of(its_vt, N);
        for (int column = 0; column < N; column++)
            for (int row = 0; row < N; row++)
                scaled[column * LEADING + row] = complex_times(its_vt[column * LEADING + row], values[row]);
        HOLDS(*info == 0 && difference(its_u, DENSE_PLAIN, M, N, scaled, a, N) < small);
        HOLDS(skew(its_u, M, left == 'A' ? M : N) < small && skew(its_vt, N, N) < small);
    }
}

// 2 x 3 of rank 1: the rest is made up.
static void wide_and_flat(void)
{
    double *a = device_memory(6 * sizeof *a), *values = device_memory(2 * sizeof *values);
    double *u = device_memory(4 * sizeof *u), *v = device_memory(9 * sizeof *v);
    const double is[6] = {1, 2, 2, 4, 3, 6};
    memcpy(a, is, sizeof is);
    HOLDS(cusolverDnDgesvdj(handle, VECTORS, 0, 2, 3, a, 2, values, u, 2, v, 3, NULL, 0, info, NULL) == 0);
    done();
    HOLDS(fabs(values[0] - sqrt(70)) < small && fabs(values[1]) < small && *info == 0);
    for (int i = 0; i < 6; i++) HOLDS(fabs(u[i % 2] * values[0] * v[i / 2] - is[i]) < small);
    for (int i = 0; i < 3; i++) {
        const double *x = v + 3 * i, *y = v + 3 * ((i + 1) % 3);
        HOLDS(fabs(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - 1) < small);
        HOLDS(fabs(x[0] * y[0] + x[1] * y[1] + x[2] * y[2]) < small);
    }
}

// 3 x 2 of singular values sqrt(70) and 0, and of 3 and 2: the greatest alone, with a gap behind each result.
static void the_greatest(void)
{
    double *a = device_memory(14 * sizeof *a), *values = device_memory(4 * sizeof *values), residuals[2] = {-1, -1};
    double *u = device_memory(8 * sizeof *u), *v = device_memory(6 * sizeof *v);
    int *infos = device_memory(2 * sizeof *infos);
    const double is[14] = {1, 2, 3, 2, 4, 6, 0, 3, 0, 0, 0, 2, 0, 0};
    memcpy(a, is, sizeof is);
    values[1] = u[3] = v[2] = 7;
    HOLDS(cusolverDnDgesvdaStridedBatched(handle, VECTORS, 1, 3, 2, a, 3, 7, values, 2, u, 3, 4, v, 2, 3, NULL, 0,
                                          infos, residuals, 2) == 0);
    HOLDS(fabs(values[0] - sqrt(70)) < small && fabs(values[2] - 3) < small && infos[0] == 0 && infos[1] == 0);
    HOLDS(fabs(residuals[0]) < 1e-7 && fabs(residuals[1] - 2) < small);
    for (int i = 0; i < 6; i++) HOLDS(fabs(u[i % 3] * values[0] * v[i / 3] - is[i]) < small);
    HOLDS(fabs(u[4] * v[3] - 1) < small && values[1] == 7 && u[3] == 7 && v[2] == 7);
    HOLDS(cusolverDnDgesvdaStridedBatched(handle, VECTORS, 3, 3, 2, a, 3, 7, values, 2, u, 3, 4, v, 2, 3, NULL, 0,
                                          infos, NULL, 2) == CUSOLVER_STATUS_INVALID_VALUE);
    HOLDS(cusolverDnXgesvdr(handle, NULL, 'S', 'N', 3, 2, 1, 1, 2, CUDA_R_64F, a + 7, 3, CUDA_R_64F, values, CUDA_R_64F,
                            u, 3, CUDA_R_64F, v, 2, CUDA_R_64F, NULL, 0, NULL, 0, infos) == 0);
    done();
    HOLDS(fabs(values[0] - 3) < small && fabs(fabs(u[0]) - 1) < small && values[1] == 7 && infos[0] == 0);
    HOLDS(cusolverDnXgesvdr(handle, NULL, 'S', 'N', 3, 2, 1, 2, 2, CUDA_R_64F, a + 7, 3, CUDA_R_64F, values, CUDA_R_64F,
                            u, 3, CUDA_R_64F, v, 2, CUDA_R_64F, NULL, 0, NULL, 0,
                            infos) == CUSOLVER_STATUS_INVALID_VALUE);
}

static void batches(void)
{
    float *a = device_memory(8 * sizeof *a), **array = device_memory(2 * sizeof *array);
    float *values = device_memory(4 * sizeof *values);
    int *infos = device_memory(2 * sizeof *infos);
    const float is[8] = {4, 2, 2, 5, 1, 2, 2, 1};
    memcpy(a, is, sizeof is);
    HOLDS(cusolverDnSsyevjBatched(handle, NO_VECTORS, FILL_LOWER, 2, a, 2, values, NULL, 0, infos, NULL, 2) == 0);
    done();
    HOLDS(fabsf(values[2] + 1) < 1e-6f && fabsf(values[3] - 3) < 1e-6f && fabsf(values[0] + values[1] - 9) < 1e-5f);
    array[0] = a, array[1] = a + 4;
    HOLDS(cusolverDnSpotrfBatched(handle, FILL_LOWER, 2, (void **)array, 2, infos, 2) == 0);
    done();
    HOLDS(infos[0] == 0 && a[0] == 2 && a[1] == 1 && a[3] == 2 && a[2] == 2);
    HOLDS(infos[1] == 2); // 1 and then -3
}

static void mistakes(void)
{
    double *a = device_memory(4 * sizeof *a);
    double host[4] = {0};
    int *pivots = device_memory(2 * sizeof *pivots), host_info = 0;
    a[0] = -1;
    HOLDS(cusolverDnDgetrf(NULL, 2, 2, a, 2, NULL, pivots, info) == CUSOLVER_STATUS_NOT_INITIALIZED);
    HOLDS(cusolverDnDgetrf(handle, 2, 2, a, 1, NULL, pivots, info) == CUSOLVER_STATUS_INVALID_VALUE);
    HOLDS(cusolverDnDgetrf(handle, -1, 2, a, 2, NULL, pivots, info) == CUSOLVER_STATUS_INVALID_VALUE);
    HOLDS(cusolverDnDgetrf(handle, 2, 2, host, 2, NULL, pivots, info) == CUSOLVER_STATUS_EXECUTION_FAILED);
    HOLDS(cusolverDnDgetrf(handle, 2, 3, a, 2, NULL, pivots, info) == CUSOLVER_STATUS_EXECUTION_FAILED);
    HOLDS(cusolverDnDgetrf(handle, 2, 2, a, 2, NULL, pivots, &host_info) == CUSOLVER_STATUS_EXECUTION_FAILED);
    HOLDS(cusolverDnDpotrf(handle, 2, 2, a, 2, NULL, 0, info) == CUSOLVER_STATUS_INVALID_VALUE);
    HOLDS(cusolverDnDpotrf(handle, FILL_UPPER, 2, a, 2, NULL, 0, info) == 0);
    done();
    HOLDS(*info == 1);
    HOLDS(cusolverDnDgetrf(handle, 2, 2, a, 2, NULL, pivots, info) == 0);
    done();
    HOLDS(*info == 2 && pivots[0] == 1);
    HOLDS(cusolverDnZgesvd(handle, 'A', 'A', 1, 2, a, 1, a, a, 1, a, 2, NULL, 0, NULL, info) ==
          CUSOLVER_STATUS_INVALID_VALUE);
}

int main(void)
{
    struct CUctx_st *context = NULL;
    HOLDS(cuInit(0) == CUDA_SUCCESS && cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS);
    HOLDS(cuCtxSetCurrent(context) == CUDA_SUCCESS);
    HOLDS(cusolverDnCreate(&handle) == 0);
    info = device_memory(sizeof *info);
    systems();
    positive();
    orthogonal();
    singular_values();
    wide_and_flat();
    the_greatest();
    batches();
    mistakes();
    HOLDS(cusolverDnDestroy(handle) == 0);
    return failed;
}
