// SPDX-License-Identifier: MIT
// Triangles, by their product: of X with every side, half, operation and diagonal. The half that is not asked for is
// NaN.
#include "test.h"

#include <math.h>

enum cublas_status cublasZtrsm_v2(struct blas_handle *handle, int side, int fill, int operation, int diagonal, int m,
                                  int n, const double *alpha, const double *a, int lda, double *b, int ldb);

enum { M = 5, N = 4, LEADING = 7 };

struct way {
    int side, fill, operation, diagonal;
};

// Element (row, column) of op(A), whose diagonal and other half may not be read.
static void element(const struct way *way, const double *a, int row, int column, double to[2])
{
    const int i = way->operation == CUBLAS_OP_N ? row : column, j = way->operation == CUBLAS_OP_N ? column : row;
    const bool is_zero = way->fill == 0 ? i < j : i > j, is_one = i == j && way->diagonal;
    to[0] = is_zero ? 0 : is_one ? 1 : a[2 * (i + j * LEADING)];
    to[1] = is_zero || is_one ? 0 : a[2 * (i + j * LEADING) + 1];
    if (way->operation == CUBLAS_OP_C) to[1] = -to[1];
}

// Element (row, column) of op(A) X or X op(A).
static void product(const struct way *way, const double *a, const double *x, int row, int column, double to[2])
{
    const int edge = way->side == 0 ? M : N;
    double t[2];
    to[0] = to[1] = 0;
    for (int k = 0; k < edge; k++) {
        const double *known = way->side == 0 ? x + 2 * (k + column * LEADING) : x + 2 * (row + k * LEADING);
        if (way->side == 0)
            element(way, a, row, k, t);
        else
            element(way, a, k, column, t);
        to[0] += t[0] * known[0] - t[1] * known[1];
        to[1] += t[0] * known[1] + t[1] * known[0];
    }
}

static void fill_triangle(const struct way *way, double *a)
{
    for (int j = 0; j < LEADING; j++)
        for (int i = 0; i < LEADING; i++) {
            const bool is_other = way->fill == 0 ? i < j : i > j;
            a[2 * (i + j * LEADING)] = is_other || (i == j && way->diagonal) ? NAN : i == j ? 4 : 0.25 * (i - j);
            a[2 * (i + j * LEADING) + 1] = i == j ? 1 : 0.5;
        }
}

SECTION(triangles)
{
    const double alpha[2] = {2, 1};
    double before[2 * LEADING * LEADING], got[2];
    struct blas_handle *handle = test_handle();
    double *a = test_memory(CUDA_C_64F, LEADING * LEADING), *b = test_memory(CUDA_C_64F, LEADING * LEADING);
    for (int i = 0; i < 24; i++) {
        const struct way way = {i & 1, i >> 1 & 1, i >> 3, i >> 2 & 1};
        for (int j = 0; j < 2 * LEADING * LEADING; j++) b[j] = j % 13 - 6;
        fill_triangle(&way, a);
        memcpy(before, b, sizeof before);
        WORKS(cublasZtrsm_v2(handle, way.side, way.fill, way.operation, way.diagonal, M, N, alpha, a, LEADING, b,
                             LEADING));
        for (int column = 0; column < N; column++)
            for (int row = 0; row < M; row++) {
                const double *was = before + 2 * (row + column * LEADING);
                product(&way, a, b, row, column, got);
                REQUIRE(fabs(got[0] - (2 * was[0] - was[1])) < 1e-9 && fabs(got[1] - (2 * was[1] + was[0])) < 1e-9);
            }
        REQUIRE(b[2 * M] == before[2 * M]);
    }
    REFUSES(INVALID_VALUE, cublasZtrsm_v2(handle, 2, 0, 0, 0, M, N, alpha, a, LEADING, b, LEADING));
    REFUSES(INVALID_VALUE, cublasZtrsm_v2(handle, 0, 0, 0, 0, M, N, alpha, a, M - 1, b, LEADING));
    REFUSES(EXECUTION_FAILED, cublasZtrsm_v2(handle, 0, 0, 0, 0, M, N, alpha, a, LEADING, before, LEADING));
}
