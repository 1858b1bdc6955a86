// SPDX-License-Identifier: MIT
// Matrices of which a part is stored, against plain loops over all of their elements. Numbers are small integers, so
// the sums are exact; solutions are multiplied back.
#include "test.h"

#include <complex.h>
#include <math.h>

typedef double _Complex number;
typedef struct blas_handle *handle_type;

#define CALL enum cublas_status
CALL cublasZhemm_v2(handle_type handle, int side, int fill, int m, int n, const number *alpha, const number *a, int lda,
                    const number *b, int ldb, const number *beta, number *c, int ldc);
CALL cublasZsymm_v2(handle_type handle, int side, int fill, int m, int n, const number *alpha, const number *a, int lda,
                    const number *b, int ldb, const number *beta, number *c, int ldc);
CALL cublasZtrmm_v2(handle_type handle, int side, int fill, int operation, int diagonal, int m, int n,
                    const number *alpha, const number *a, int lda, const number *b, int ldb, number *c, int ldc);
CALL cublasZherk_v2(handle_type handle, int fill, int operation, int n, int k, const double *alpha, const number *a,
                    int lda, const double *beta, number *c, int ldc);
CALL cublasSsyrk_v2(handle_type handle, int fill, int operation, int n, int k, const float *alpha, const float *a,
                    int lda, const float *beta, float *c, int ldc);
CALL cublasZher2k_v2(handle_type handle, int fill, int operation, int n, int k, const number *alpha, const number *a,
                     int lda, const number *b, int ldb, const double *beta, number *c, int ldc);
CALL cublasZsyrkx(handle_type handle, int fill, int operation, int n, int k, const number *alpha, const number *a,
                  int lda, const number *b, int ldb, const number *beta, number *c, int ldc);
CALL cublasZhemv_v2(handle_type handle, int fill, int n, const number *alpha, const number *a, int lda, const number *x,
                    int incx, const number *beta, number *y, int incy);
CALL cublasZhbmv_v2(handle_type handle, int fill, int n, int k, const number *alpha, const number *a, int lda,
                    const number *x, int incx, const number *beta, number *y, int incy);
CALL cublasZhpmv_v2(handle_type handle, int fill, int n, const number *alpha, const number *a, const number *x,
                    int incx, const number *beta, number *y, int incy);
CALL cublasZgbmv_v2(handle_type handle, int operation, int m, int n, int below, int above, const number *alpha,
                    const number *a, int lda, const number *x, int incx, const number *beta, number *y, int incy);
CALL cublasZtrmv_v2(handle_type handle, int fill, int operation, int diagonal, int n, const number *a, int lda,
                    number *x, int incx);
CALL cublasZtrsv_v2(handle_type handle, int fill, int operation, int diagonal, int n, const number *a, int lda,
                    number *x, int incx);
CALL cublasZtbsv_v2(handle_type handle, int fill, int operation, int diagonal, int n, int k, const number *a, int lda,
                    number *x, int incx);
CALL cublasZtpmv_v2(handle_type handle, int fill, int operation, int diagonal, int n, const number *a, number *x,
                    int incx);
CALL cublasZher_v2(handle_type handle, int fill, int n, const double *alpha, const number *x, int incx, number *a,
                   int lda);
CALL cublasZhpr2_v2(handle_type handle, int fill, int n, const number *alpha, const number *x, int incx,
                    const number *y, int incy, number *a);
CALL cublasDgemvStridedBatched(handle_type handle, int operation, int m, int n, const double *alpha, const double *a,
                               int lda, long long step_a, const double *x, int incx, long long step_x,
                               const double *beta, double *y, int incy, long long step_y, int batches);
CALL cublasDgemvBatched(handle_type handle, int operation, int m, int n, const double *alpha, const double *const *a,
                        int lda, const double *const *x, int incx, const double *beta, double *const *y, int incy,
                        int batches);

CALL cublasZtrttp(handle_type handle, int fill, int n, const number *a, int lda, number *packed);
CALL cublasZtpttr(handle_type handle, int fill, int n, const number *packed, number *a, int lda);
CALL cublasCsyrkEx(handle_type handle, int fill, int operation, int n, int k, const void *alpha, const void *a,
                   int a_type, int lda, const void *beta, void *c, int c_type, int ldc);

enum { N = 7, M = 5, LEADING = 9, BAND = 2, ELEMENTS = LEADING * LEADING };

static const number alpha = 2 - 1 * I, beta = 3 + 2 * I;

static number *memory(void)
{
    return test_memory(CUDA_C_64F, ELEMENTS);
}

static number element(const number *a, int row, int column)
{
    return a[row + column * LEADING];
}

enum rest { ZERO, MIRROR, ADJOINT };

// Element (row, column) of the square matrix of which `a` has one triangle.
static number whole(const number *a, bool is_lower, enum rest rest, int row, int column)
{
    const bool is_stored = is_lower ? row >= column : row <= column;
    if (rest == ADJOINT && row == column) return creal(element(a, row, row));
    if (is_stored) return element(a, row, column);
    if (rest == ZERO) return 0;
    return rest == MIRROR ? element(a, column, row) : conj(element(a, column, row));
}

static number turned(const number *a, bool is_lower, int operation, bool is_unit, int row, int column)
{
    if (is_unit && row == column) return 1;
    const number value = operation ? whole(a, is_lower, ZERO, column, row) : whole(a, is_lower, ZERO, row, column);
    return operation == CUBLAS_OP_C ? conj(value) : value;
}

static number *copy(const number *from, number *to)
{
    return memcpy(to, from, ELEMENTS * sizeof *from);
}

SECTION(symmetric_products)
{
    handle_type handle = test_handle();
    number *a = memory(), *b = memory(), *c = memory(), before[ELEMENTS];
    for (int way = 0; way < 8; way++) {
        const int side = way & 1, fill = way >> 1 & 1;
        const bool is_hermitian = way >> 2;
        const int edge = side ? N : M;
        const enum rest rest = is_hermitian ? ADJOINT : MIRROR;
        copy(c, before);
        WORKS((is_hermitian ? cublasZhemm_v2 : cublasZsymm_v2)(handle, side, fill, M, N, &alpha, a, LEADING, b, LEADING,
                                                               &beta, c, LEADING));
        for (int i = 0; i < M * N; i++) {
            const int row = i % M, column = i / M;
            number sum = 0;
            for (int k = 0; k < edge; k++)
                sum += side ? element(b, row, k) * whole(a, !fill, rest, k, column)
                            : whole(a, !fill, rest, row, k) * element(b, k, column);
            REQUIRE(element(c, row, column) == alpha * sum + beta * element(before, row, column));
        }
        memset(c, 0, ELEMENTS * sizeof *c);
    }
    REFUSES(INVALID_VALUE, cublasZsymm_v2(handle, 0, 0, M, N, &alpha, a, M - 1, b, LEADING, &beta, c, LEADING));
    REFUSES(INVALID_VALUE, cublasZsymm_v2(handle, 0, 2, M, N, &alpha, a, LEADING, b, LEADING, &beta, c, LEADING));
    REFUSES(EXECUTION_FAILED,
            cublasZsymm_v2(handle, 0, 0, M, N, &alpha, before, LEADING, b, LEADING, &beta, c, LEADING));
}

// In place, too.
SECTION(triangular_products)
{
    handle_type handle = test_handle();
    number *a = memory(), *b = memory(), before[ELEMENTS];
    for (int way = 0; way < 24; way++) {
        const int side = way & 1, fill = way >> 1 & 1;
        const bool is_unit = way >> 2 & 1;
        const int operation = way / 8;
        const int edge = side ? N : M;
        copy(b, before);
        WORKS(cublasZtrmm_v2(handle, side, fill, operation, is_unit, M, N, &alpha, a, LEADING, b, LEADING, b, LEADING));
        for (int i = 0; i < M * N; i++) {
            const int row = i % M, column = i / M;
            number sum = 0;
            for (int k = 0; k < edge; k++)
                sum += side ? element(before, row, k) * turned(a, !fill, operation, is_unit, k, column)
                            : turned(a, !fill, operation, is_unit, row, k) * element(before, k, column);
            REQUIRE(element(b, row, column) == alpha * sum);
        }
        for (int i = 0; i < ELEMENTS; i++) b[i] = (double)(i % 7 - 3) + (double)(i % 5) * I;
    }
}

// The other triangle is left alone.
static void check_update(const number *c, const number *before, bool is_lower, number (*added)(int row, int column))
{
    for (int column = 0; column < N; column++)
        for (int row = 0; row < N; row++) {
            const bool is_stored = is_lower ? row >= column : row <= column;
            number expected = element(before, row, column);
            if (is_stored) expected = added(row, column) + 3 * expected;
            if (is_stored && row == column) expected = creal(expected);
            REQUIRE(element(c, row, column) == expected);
        }
}

static const number *update_a, *update_b;
static int update_operation, update_both;

static number update_product(const number *a, const number *b, int row, int column)
{
    number sum = 0;
    for (int k = 0; k < M; k++)
        sum += update_operation ? conj(element(a, k, row)) * element(b, k, column)
                                : element(a, row, k) * conj(element(b, column, k));
    return sum;
}

static number update_of(int row, int column)
{
    if (!update_both) return 2 * update_product(update_a, update_a, row, column);
    return alpha * update_product(update_a, update_b, row, column) +
           conj(alpha) * update_product(update_b, update_a, row, column);
}

SECTION(triangle_updates)
{
    handle_type handle = test_handle();
    number *a = memory(), *b = memory(), *c = memory(), before[ELEMENTS];
    const double two = 2, three = 3;
    const float one = 1, zero = 0;
    update_a = a, update_b = b;
    for (int way = 0; way < 8; way++) {
        const int fill = way & 1;
        update_operation = way >> 1 & 1 ? CUBLAS_OP_C : CUBLAS_OP_N, update_both = way >> 2;
        copy(c, before);
        WORKS(update_both ? cublasZher2k_v2(handle, fill, update_operation, N, M, &alpha, a, LEADING, b, LEADING,
                                            &three, c, LEADING)
                          : cublasZherk_v2(handle, fill, update_operation, N, M, &two, a, LEADING, &three, c, LEADING));
        check_update(c, before, !fill, update_of);
        for (int i = 0; i < ELEMENTS; i++) c[i] = (double)(i % 7 - 3) + (double)(i % 5) * I;
    }
    WORKS(cublasZsyrkx(handle, 0, 0, N, M, &alpha, a, LEADING, b, LEADING, &beta, c, LEADING));
    REFUSES(INVALID_VALUE, cublasZherk_v2(handle, 0, CUBLAS_OP_T, N, M, &two, a, LEADING, &three, c, LEADING));
    float *s = test_memory(CUDA_R_32F, N * M), *t = test_memory(CUDA_R_32F, N * N);
    WORKS(cublasSsyrk_v2(handle, 1, CUBLAS_OP_T, N, M, &one, s, M, &zero, t, N)); // beta 0: what was there is not read
    for (int i = 0; i < N; i++) {
        float sum = 0;
        for (int k = 0; k < M; k++) sum += s[k + i * M] * s[k + (N - 1) * M];
        REQUIRE(t[i + (N - 1) * N] == sum);
    }
}

// Writes the stored part of a triangle as a band of BAND diagonals, and packed; what the band leaves out becomes 0.
static void store(number *a, bool is_lower, number *band, number *packed)
{
    int at = 0;
    for (int column = 0; column < N; column++)
        for (int row = 0; row < N; row++) {
            const bool is_stored = is_lower ? row >= column : row <= column;
            if (!is_stored) continue;
            if (band != NULL && abs(row - column) > BAND) a[row + column * LEADING] = 0;
            if (band != NULL && abs(row - column) <= BAND)
                band[(is_lower ? 0 : BAND) + row - column + column * LEADING] = element(a, row, column);
            packed[at++] = element(a, row, column);
        }
}

SECTION(symmetric_vectors)
{
    handle_type handle = test_handle();
    number *a = memory(), *band = memory(), *packed = memory(), *x = memory(), *y[3], before[N];
    for (int fill = 0; fill < 2; fill++) {
        store(a, !fill, band, packed);
        for (int i = 0; i < 3; i++) y[i] = memory(), memcpy(y[i], x + N, sizeof before);
        memcpy(before, y[0], sizeof before);
        WORKS(cublasZhemv_v2(handle, fill, N, &alpha, a, LEADING, x, 2, &beta, y[0], 1));
        WORKS(cublasZhbmv_v2(handle, fill, N, BAND, &alpha, band, LEADING, x, 2, &beta, y[1], 1));
        WORKS(cublasZhpmv_v2(handle, fill, N, &alpha, packed, x, 2, &beta, y[2], 1));
        for (int row = 0; row < N; row++) {
            number sum = 0;
            for (int k = 0; k < N; k++) sum += whole(a, !fill, ADJOINT, row, k) * x[2 * k];
            for (int i = 0; i < 3; i++) REQUIRE(y[i][row] == alpha * sum + beta * before[row]);
        }
    }
    for (int operation = 0; operation < 3; operation++) {
        const int rows = operation ? N : M, columns = operation ? M : N;
        memcpy(before, y[0], sizeof before);
        WORKS(cublasZgbmv_v2(handle, operation, M, N, 1, 2, &alpha, a, LEADING, x, -1, &beta, y[0], 1));
        for (int row = 0; row < rows; row++) {
            number sum = 0;
            for (int k = 0; k < columns; k++) {
                const int i = operation ? k : row, j = operation ? row : k;
                const number value = i - j > 1 || j - i > 2 ? 0 : a[2 + i - j + j * LEADING];
                sum += (operation == CUBLAS_OP_C ? conj(value) : value) * x[columns - 1 - k];
            }
            REQUIRE(y[0][row] == alpha * sum + beta * before[row]);
        }
    }
    REFUSES(INVALID_VALUE, cublasZhbmv_v2(handle, 0, N, BAND, &alpha, band, BAND, x, 2, &beta, y[1], 1));
}

SECTION(triangular_vectors)
{
    handle_type handle = test_handle();
    number *a = memory(), *band = memory(), *packed = memory(), *x = memory(), *y = memory(), before[N];
    for (int i = 0; i < N; i++) a[i * (LEADING + 1)] = 16;
    for (int way = 0; way < 12; way++) {
        const int fill = way & 1;
        const bool is_unit = way >> 1 & 1;
        const int operation = way / 4;
        store(a, !fill, band, packed);
        for (int i = 0; i < N; i++) x[i] = before[i] = (double)(i % 4 - 1) + 1.0 * I;
        memcpy(y, x, sizeof before);
        WORKS(cublasZtrmv_v2(handle, fill, operation, is_unit, N, a, LEADING, x, 1));
        WORKS(cublasZtpmv_v2(handle, fill, operation, is_unit, N, packed, y, 1));
        for (int row = 0; row < N; row++) {
            number sum = 0;
            for (int k = 0; k < N; k++) sum += turned(a, !fill, operation, is_unit, row, k) * before[k];
            REQUIRE(x[row] == sum && y[row] == sum);
        }
        WORKS(cublasZtrsv_v2(handle, fill, operation, is_unit, N, a, LEADING, x, 1));
        WORKS(cublasZtbsv_v2(handle, fill, operation, is_unit, N, BAND, band, LEADING, y, 1));
        for (int row = 0; row < N; row++) REQUIRE(cabs(x[row] - before[row]) < 1e-9 && cabs(y[row] - x[row]) < 1e-9);
    }
    REFUSES(INVALID_VALUE, cublasZtrsv_v2(handle, 0, 3, 0, N, a, LEADING, x, 1));
}

SECTION(vector_updates)
{
    handle_type handle = test_handle();
    number *a = memory(), *packed = memory(), *x = memory(), *y = memory(), before[ELEMENTS];
    const double two = 2;
    for (int fill = 0; fill < 2; fill++) {
        copy(a, before);
        store(before, !fill, NULL, packed);
        WORKS(cublasZher_v2(handle, fill, N, &two, x, 1, a, LEADING));
        WORKS(cublasZhpr2_v2(handle, fill, N, &alpha, x, 1, y, 2, packed));
        int at = 0;
        for (int column = 0; column < N; column++)
            for (int row = 0; row < N; row++) {
                const bool is_stored = fill ? row <= column : row >= column;
                number one = element(before, row, column) + 2 * x[row] * conj(x[column]);
                number both = element(before, row, column) + alpha * x[row] * conj(y[2 * column]) +
                              conj(alpha) * y[2 * row] * conj(x[column]);
                if (row == column) one = creal(one), both = creal(both);
                REQUIRE(element(a, row, column) == (is_stored ? one : element(before, row, column)));
                if (is_stored) REQUIRE(packed[at++] == both);
            }
    }
}

SECTION(vector_batches)
{
    enum { BATCHES = 3, STEP_A = M * N, STEP = 8 };
    const double two = 2, three = 3;
    handle_type handle = test_handle();
    double *a = test_memory(CUDA_R_64F, BATCHES * STEP_A), *x = test_memory(CUDA_R_64F, BATCHES * STEP);
    double *y = test_memory(CUDA_R_64F, BATCHES * STEP), before[BATCHES * STEP];
    const double **as = test_memory(CUDA_R_64F, BATCHES), **xs = test_memory(CUDA_R_64F, BATCHES);
    double **ys = test_memory(CUDA_R_64F, BATCHES);
    for (int i = 0; i < BATCHES; i++) as[i] = a + i * STEP_A, xs[i] = x + i * STEP, ys[i] = y + i * STEP;
    for (int is_array = 0; is_array < 2; is_array++) {
        memcpy(before, y, sizeof before);
        WORKS(is_array ? cublasDgemvBatched(handle, 1, M, N, &two, as, M, xs, 1, &three, ys, 1, BATCHES)
                       : cublasDgemvStridedBatched(handle, 1, M, N, &two, a, M, STEP_A, x, 1, STEP, &three, y, 1, STEP,
                                                   BATCHES));
        for (int i = 0; i < BATCHES * N; i++) {
            const int batch = i / N, row = i % N;
            double sum = 0;
            for (int k = 0; k < M; k++) sum += as[batch][k + row * M] * xs[batch][k];
            REQUIRE(ys[batch][row] == 2 * sum + 3 * before[batch * STEP + row]);
        }
    }
    REFUSES(INVALID_VALUE, cublasDgemvBatched(handle, 1, M, N, &two, as, M, xs, 1, &three, ys, 1, -1));
}

SECTION(packed_triangles)
{
    handle_type handle = test_handle();
    number *a = memory(), *packed = memory(), *b = memory(), before[ELEMENTS], expected[ELEMENTS];
    for (int fill = 0; fill < 2; fill++) {
        memset(packed, 0, sizeof before), memset(expected, 0, sizeof expected);
        store(a, !fill, NULL, expected);
        WORKS(cublasZtrttp(handle, fill, N, a, LEADING, packed));
        REQUIRE(memcmp(packed, expected, N * (N + 1) / 2 * sizeof *packed) == 0);
        copy(b, before);
        WORKS(cublasZtpttr(handle, fill, N, packed, b, LEADING));
        for (int i = 0; i < N * N; i++) {
            const int row = i % N, column = i / N;
            const bool is_stored = fill ? row <= column : row >= column;
            REQUIRE(element(b, row, column) == (is_stored ? element(a, row, column) : element(before, row, column)));
        }
    }
    REFUSES(INVALID_VALUE, cublasZtrttp(handle, 2, N, a, LEADING, packed));
    REFUSES(EXECUTION_FAILED, cublasZtrttp(handle, 0, N, before, LEADING, packed));
}

SECTION(updates_of_bytes)
{
    const float one[2] = {1, 0}, none[2] = {0, 0};
    handle_type handle = test_handle();
    int8_t *a = test_memory(CUDA_C_8I, N * M);
    float _Complex *c = test_memory(CUDA_C_32F, N * N);
    WORKS(cublasCsyrkEx(handle, 1, 0, N, M, one, a, CUDA_C_8I, N, none, c, CUDA_C_32F, N));
    for (int column = 0; column < N; column++)
        for (int row = 0; row <= column; row++) {
            number sum = 0;
            for (int k = 0; k < M; k++)
                sum += (a[2 * (row + k * N)] + a[2 * (row + k * N) + 1] * 1.0 * I) *
                       (a[2 * (column + k * N)] + a[2 * (column + k * N) + 1] * 1.0 * I);
            REQUIRE((number)c[row + column * N] == sum);
        }
    REFUSES(NOT_SUPPORTED, cublasCsyrkEx(handle, 1, 0, N, M, one, a, CUDA_R_8I, N, none, c, CUDA_C_32F, N));
}
