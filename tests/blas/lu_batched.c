// SPDX-License-Identifier: MIT
// LU of many small matrices: what they give is put into the systems again.
#include "test.h"

#include <math.h>

typedef struct blas_handle *handle_type;

enum cublas_status cublasDgetrfBatched(handle_type handle, int n, double *const *a, int lda, int *pivots, int *info,
                                       int batches);
enum cublas_status cublasDgetrsBatched(handle_type handle, int operation, int n, int count, const double *const *a,
                                       int lda, const int *pivots, double *const *b, int ldb, int *info, int batches);
enum cublas_status cublasDgetriBatched(handle_type handle, int n, const double *const *a, int lda, const int *pivots,
                                       double *const *c, int ldc, int *info, int batches);
enum cublas_status cublasDmatinvBatched(handle_type handle, int n, const double *const *a, int lda, double *const *c,
                                        int ldc, int *info, int batches);
enum cublas_status cublasDtrsmBatched(handle_type handle, int side, int fill, int operation, int diagonal, int m, int n,
                                      const double *alpha, const double *const *a, int lda, double *const *b, int ldb,
                                      int batches);

enum cublas_status cublasDgeqrfBatched(handle_type handle, int m, int n, double *const *a, int lda, double *const *tau,
                                       int *info, int batches);
enum cublas_status cublasDgelsBatched(handle_type handle, int operation, int m, int n, int count, double *const *a,
                                      int lda, double *const *c, int ldc, int *info, int *each_info, int batches);

enum { N = 5, LEADING = 6, BATCHES = 3, ELEMENTS = LEADING * N };

// A matrix of each batch, and their addresses.
static double **matrices(double **first)
{
    double **array = test_memory(CUDA_R_64F, BATCHES);
    *first = test_memory(CUDA_R_64F, BATCHES * ELEMENTS);
    for (int i = 0; i < BATCHES; i++) array[i] = *first + i * ELEMENTS;
    for (int i = 0; i < BATCHES * ELEMENTS; i++) (*first)[i] = i * 7 % 11 - 5 + (i % 5 == 0);
    return array;
}

// Is op(A) X the matrix B, or without one the identity?
static bool solves(const double *a, bool is_turned, const double *x, const double *b)
{
    for (int column = 0; column < N; column++)
        for (int row = 0; row < N; row++) {
            double sum = b != NULL ? -b[row + column * LEADING] : -(row == column);
            for (int k = 0; k < N; k++)
                sum += (is_turned ? a[k + row * LEADING] : a[row + k * LEADING]) * x[k + column * LEADING];
            if (!(fabs(sum) < 1e-9)) return false;
        }
    return true;
}

SECTION(lu_batched)
{
    handle_type handle = test_handle();
    const size_t bytes = BATCHES * ELEMENTS * sizeof(double);
    double *a, *b, *c, *const before = test_keep(malloc(bytes)), *const right = test_keep(malloc(bytes)), one = 1;
    double **const a_array = matrices(&a), **const b_array = matrices(&b), **const c_array = matrices(&c);
    int *pivots = test_memory(CUDA_R_32I, BATCHES * N), *info = test_memory(CUDA_R_32I, BATCHES), host_info = 9;
    memcpy(before, a, bytes), memcpy(right, b, bytes);
    WORKS(cublasDmatinvBatched(handle, N, (const double *const *)a_array, LEADING, c_array, LEADING, info, BATCHES));
    for (int i = 0; i < BATCHES; i++) REQUIRE(info[i] == 0 && solves(before + i * ELEMENTS, 0, c_array[i], NULL));
    REQUIRE(memcmp(a, before, bytes) == 0);
    WORKS(cublasDgetrfBatched(handle, N, a_array, LEADING, pivots, info, BATCHES));
    for (int turned = 0; turned < 2; turned++) {
        memcpy(b, right, bytes);
        WORKS(cublasDgetrsBatched(handle, turned, N, N, (const double *const *)a_array, LEADING, pivots, b_array,
                                  LEADING, &host_info, BATCHES));
        for (int i = 0; i < BATCHES; i++)
            REQUIRE(solves(before + i * ELEMENTS, turned, b_array[i], right + i * ELEMENTS) && host_info == 0);
    }
    memset(c, 0, bytes);
    WORKS(cublasDgetriBatched(handle, N, (const double *const *)a_array, LEADING, pivots, c_array, LEADING, info,
                              BATCHES));
    for (int i = 0; i < BATCHES; i++) REQUIRE(info[i] == 0 && solves(before + i * ELEMENTS, 0, c_array[i], NULL));
    memcpy(b, right, bytes); // the upper triangles of LU: U X = B, as solve them
    WORKS(cublasDtrsmBatched(handle, 0, 1, 0, 0, N, N, &one, (const double *const *)a_array, LEADING, b_array, LEADING,
                             BATCHES));
    for (int i = 0; i < BATCHES; i++) {
        double *upper = a_array[i];
        for (int column = 0; column < N; column++)
            for (int row = column + 1; row < N; row++) upper[row + column * LEADING] = 0;
        REQUIRE(solves(upper, 0, b_array[i], right + i * ELEMENTS));
    }
    memset(a, 0, bytes);
    WORKS(cublasDgetrfBatched(handle, N, a_array, LEADING, NULL, info, BATCHES));
    REQUIRE(info[0] == 1 && info[BATCHES - 1] == 1);
    REFUSES(INVALID_VALUE, cublasDgetrfBatched(handle, N, a_array, N - 1, pivots, info, BATCHES));
    REFUSES(EXECUTION_FAILED, cublasDgetrfBatched(handle, N, a_array, LEADING, pivots, &host_info, BATCHES));
}

// What is left over stands at right angles to each column of A.
SECTION(least_squares)
{
    enum { COLUMNS = 3 };
    handle_type handle = test_handle();
    const size_t bytes = BATCHES * ELEMENTS * sizeof(double);
    double *a, *b, *tau, before[BATCHES * ELEMENTS], right[BATCHES * ELEMENTS];
    double **a_array = matrices(&a), **b_array = matrices(&b), **tau_array = matrices(&tau);
    int info = 7, *each_info = test_memory(CUDA_R_32I, BATCHES);
    memcpy(before, a, bytes), memcpy(right, b, bytes);
    WORKS(cublasDgelsBatched(handle, 0, N, COLUMNS, 1, a_array, LEADING, b_array, LEADING, &info, each_info, BATCHES));
    REQUIRE(info == 0 && each_info[BATCHES - 1] == 0);
    for (int batch = 0; batch < BATCHES; batch++)
        for (int column = 0; column < COLUMNS; column++) {
            const double *its = before + batch * ELEMENTS;
            double product = 0;
            for (int row = 0; row < N; row++) {
                double left = right[batch * ELEMENTS + row];
                for (int k = 0; k < COLUMNS; k++) left -= its[row + k * LEADING] * b_array[batch][k];
                product += left * its[row + column * LEADING];
            }
            REQUIRE(fabs(product) < 1e-9);
        }
    memcpy(a, before, bytes);
    WORKS(cublasDgeqrfBatched(handle, N, COLUMNS, a_array, LEADING, tau_array, &info, BATCHES));
    for (int batch = 0; batch < BATCHES; batch++) { // R keeps the length of the first column
        double squares = 0;
        for (int row = 0; row < N; row++) squares += before[batch * ELEMENTS + row] * before[batch * ELEMENTS + row];
        REQUIRE(fabs(fabs(a_array[batch][0]) - sqrt(squares)) < 1e-12);
    }
    REFUSES(NOT_SUPPORTED, cublasDgelsBatched(handle, 1, N, COLUMNS, 1, a_array, LEADING, b_array, LEADING, &info,
                                              each_info, BATCHES));
    REFUSES(INVALID_VALUE, cublasDgeqrfBatched(handle, N, COLUMNS, a_array, N - 1, tau_array, &info, BATCHES));
}
