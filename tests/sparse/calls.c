// SPDX-License-Identifier: MIT
// The simulated libcusparse against the same dense matrices. Prints what does not hold.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "library_calls.h"
#include "sparse.h"

typedef void *pointer;

int cusparseCreate(pointer *handle);
int cusparseDestroy(pointer handle);
int cusparseCreateCsr(pointer *to, int64_t rows, int64_t columns, int64_t count, pointer offsets, pointer indices,
                      pointer values, int offset_type, int index_type, int base, int type);
int cusparseCreateCsc(pointer *to, int64_t rows, int64_t columns, int64_t count, pointer offsets, pointer indices,
                      pointer values, int offset_type, int index_type, int base, int type);
int cusparseCreateCoo(pointer *to, int64_t rows, int64_t columns, int64_t count, pointer its_rows, pointer its_columns,
                      pointer values, int index_type, int base, int type);
int cusparseCreateDnVec(pointer *to, int64_t size, pointer values, int type);
int cusparseCreateDnMat(pointer *to, int64_t rows, int64_t columns, int64_t leading, pointer values, int type,
                        int order);
int cusparseCreateSpVec(pointer *to, int64_t size, int64_t count, pointer indices, pointer values, int index_type,
                        int base, int type);
int cusparseDestroySpMat(pointer matrix);
int cusparseDestroyDnMat(pointer matrix);
int cusparseDestroyDnVec(pointer vector);
int cusparseDestroySpVec(pointer vector);
int cusparseDestroyMatDescr(pointer description);
int cusparseSpMatGetSize(pointer matrix, int64_t *rows, int64_t *columns, int64_t *count);
int cusparseSpMatSetAttribute(pointer matrix, int attribute, const int *value, size_t bytes);
int cusparseCsrSetPointers(pointer matrix, pointer offsets, pointer indices, pointer values);
int cusparseCscSetPointers(pointer matrix, pointer offsets, pointer indices, pointer values);
int cusparseCooSetPointers(pointer matrix, pointer offsets, pointer indices, pointer values);
int cusparseSpMV(pointer handle, int operation, const void *alpha, pointer a, pointer x, const void *beta, pointer y,
                 int compute, int algorithm, pointer buffer);
int cusparseSpMM(pointer handle, int operation, int x_operation, const void *alpha, pointer a, pointer x,
                 const void *beta, pointer y, int compute, int algorithm, pointer buffer);
int cusparseSDDMM(pointer handle, int operation, int y_operation, const void *alpha, pointer x, pointer y,
                  const void *beta, pointer c, int compute, int algorithm, pointer buffer);
int cusparseSpSV_solve(pointer handle, int operation, const void *alpha, pointer a, pointer x, pointer y, int compute,
                       int algorithm, pointer descriptor);
int cusparseSparseToDense(pointer handle, pointer sparse, pointer dense, int algorithm, pointer buffer);
int cusparseDenseToSparse_analysis(pointer handle, pointer dense, pointer sparse, int algorithm, pointer buffer);
int cusparseDenseToSparse_convert(pointer handle, pointer dense, pointer sparse, int algorithm, pointer buffer);
int cusparseSpGEMM_compute(pointer handle, int operation_a, int operation_b, const void *alpha, pointer a, pointer b,
                           const void *beta, pointer c, int compute, int algorithm, pointer descriptor, size_t *bytes,
                           pointer buffer);
int cusparseSpGEMM_copy(pointer handle, int operation_a, int operation_b, const void *alpha, pointer a, pointer b,
                        const void *beta, pointer c, int compute, int algorithm, pointer descriptor);
int cusparseCsr2cscEx2(pointer handle, int rows, int columns, int count, const void *values, const int *offsets,
                       const int *indices, pointer to, int *to_offsets, int *to_indices, int type, int has_values,
                       int base, int algorithm, pointer buffer);
int cusparseXcsr2coo(pointer handle, const int *offsets, int count, int majors, int *rows, int base);
int cusparseXcoo2csr(pointer handle, const int *rows, int count, int majors, int *offsets, int base);
int cusparseXcoosortByColumn(pointer handle, int rows, int columns, int count, int *its_rows, int *its_columns,
                             int *permutation, pointer buffer);
int cusparseXcsrgeam2Nnz(pointer handle, int rows, int columns, pointer a, int a_count, const int *a_offsets,
                         const int *a_indices, pointer b, int b_count, const int *b_offsets, const int *b_indices,
                         pointer c, int *offsets, int *total, pointer work);
int cusparseDcsrgeam2(pointer handle, int rows, int columns, const double *alpha, pointer a, int a_count,
                      const double *a_values, const int *a_offsets, const int *a_indices, const double *beta, pointer b,
                      int b_count, const double *b_values, const int *b_offsets, const int *b_indices, pointer c,
                      double *values, int *offsets, int *indices, pointer buffer);
int cusparseCreateMatDescr(pointer *description);
int cusparseSetMatIndexBase(pointer description, int base);
int cusparseSpVV(pointer handle, int operation, pointer x, pointer y, pointer result, int compute, pointer buffer);
int cusparseAxpby(pointer handle, const void *alpha, pointer x, const void *beta, pointer y);
int cusparseCreateCsrilu02Info(pointer *info);
int cusparseDestroyCsrilu02Info(pointer info);
int cusparseXcsrilu02_zeroPivot(pointer handle, pointer info, int *position);
int cusparseDcsrilu02(pointer handle, int rows, int count, pointer description, double *values, const int *offsets,
                      const int *indices, pointer info, int policy, pointer buffer);
int cusparseDcsric02(pointer handle, int rows, int count, pointer description, double *values, const int *offsets,
                     const int *indices, pointer info, int policy, pointer buffer);
int cusparseGather(pointer handle, pointer y, pointer x);

enum { M = 7, N = 5, K = 3, MOST = 64 };

static pointer handle;

// Element (row, column) of the dense matrix that all here have; about half are 0.
static double element(int row, int column)
{
    const int value = (row * 5 + column * 3 + row * column) % 7;
    return value % 2 ? value - 4 : 0;
}

// What the test has made: it is destroyed at the end.
enum { MOST_MADE = 1024 };
static struct {
    pointer thing;
    int (*destroy)(pointer thing);
} made[MOST_MADE];
static int things;

static void keep(pointer thing, int (*destroy)(pointer thing))
{
    HOLDS(things < MOST_MADE);
    made[things].thing = thing;
    made[things++].destroy = destroy;
}

// The same matrix, or its upper N x N part, in three formats.
struct given {
    pointer matrix;
    int *offsets, *indices, count;
    double *values;
};

static struct given make(int format, int base, int rows)
{
    struct given it = {NULL, device_memory(MOST * 4), device_memory(MOST * 4), 0, device_memory(MOST * 8)};
    const int majors = format == FORMAT_CSC ? N : rows, minors = format == FORMAT_CSC ? rows : N;
    for (int major = 0; major < majors; major++) {
        if (format != FORMAT_COO) it.offsets[major] = it.count + base;
        for (int minor = 0; minor < minors; minor++) {
            const double value = format == FORMAT_CSC ? element(minor, major) : element(major, minor);
            if (value == 0) continue;
            if (format == FORMAT_COO) it.offsets[it.count] = major + base;
            it.indices[it.count] = minor + base;
            it.values[it.count++] = value;
        }
    }
    if (format != FORMAT_COO) it.offsets[majors] = it.count + base;
    if (format == FORMAT_COO)
        HOLDS(cusparseCreateCoo(&it.matrix, rows, N, it.count, it.offsets, it.indices, it.values, INDEX_32I, base,
                                CUDA_R_64F) == 0);
    else
        HOLDS((format == FORMAT_CSR ? cusparseCreateCsr : cusparseCreateCsc)(&it.matrix, rows, N, it.count, it.offsets,
                                                                             it.indices, it.values, INDEX_32I,
                                                                             INDEX_32I, base, CUDA_R_64F) == 0);
    keep(it.matrix, cusparseDestroySpMat);
    return it;
}

static double op_element(int operation, int row, int column)
{
    return operation == OPERATION_PLAIN ? element(row, column) : element(column, row);
}

static void check_product(const struct given *it, int operation, int order, int x_operation)
{
    const int rows = operation == OPERATION_PLAIN ? M : N, inner = operation == OPERATION_PLAIN ? N : M;
    const int x_rows = x_operation == OPERATION_PLAIN ? inner : K,
              x_columns = x_operation == OPERATION_PLAIN ? K : inner;
    const bool is_row = order == ORDER_ROW;
    const int x_leading = is_row ? x_columns : x_rows, leading = is_row ? K : rows;
    double *x = device_memory(MOST * 8), *y = device_memory(MOST * 8), alpha = 2, beta = -1;
    pointer x_matrix = NULL, y_matrix = NULL;
    for (int i = 0; i < inner * K; i++) x[i] = i % 5 - 2;
    for (int i = 0; i < rows * K; i++) y[i] = i;
    HOLDS(cusparseCreateDnMat(&x_matrix, x_rows, x_columns, x_leading, x, CUDA_R_64F, order) == 0);
    keep(x_matrix, cusparseDestroyDnMat);
    HOLDS(cusparseCreateDnMat(&y_matrix, rows, K, leading, y, CUDA_R_64F, order) == 0);
    keep(y_matrix, cusparseDestroyDnMat);
    HOLDS(cusparseSpMM(handle, operation, x_operation, &alpha, it->matrix, x_matrix, &beta, y_matrix, CUDA_R_64F, 0,
                       NULL) == 0);
    done();
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < K; column++) {
            const int at = is_row ? row * leading + column : row + column * leading;
            double sum = 0;
            for (int k = 0; k < inner; k++) {
                const int i = x_operation == OPERATION_PLAIN ? k : column,
                          j = x_operation == OPERATION_PLAIN ? column : k;
                sum += op_element(operation, row, k) * x[is_row ? i * x_leading + j : i + j * x_leading];
            }
            HOLDS(y[at] == 2 * sum - at);
        }
}

static void products(void)
{
    for (int i = 0; i < 24; i++) {
        const struct given it = make(FORMAT_CSR + i % 3, i / 3 % 2, M);
        const int operation = i / 6 % 2;
        for (int k = 0; k < 4; k++) check_product(&it, operation, k % 2 ? ORDER_ROW : ORDER_COLUMN, k / 2);
        double *x = device_memory(MOST * 8), *y = device_memory(MOST * 8), one = 1, zero = 0;
        pointer x_vector = NULL, y_vector = NULL;
        for (int k = 0; k < M; k++) x[k] = k + 1, y[k] = NAN;
        HOLDS(cusparseCreateDnVec(&x_vector, operation ? M : N, x, CUDA_R_64F) == 0);
        keep(x_vector, cusparseDestroyDnVec);
        HOLDS(cusparseCreateDnVec(&y_vector, operation ? N : M, y, CUDA_R_64F) == 0);
        keep(y_vector, cusparseDestroyDnVec);
        HOLDS(cusparseSpMV(handle, operation, &one, it.matrix, x_vector, &zero, y_vector, CUDA_R_64F, 0, NULL) == 0);
        done();
        for (int row = 0; row < (operation ? N : M); row++) {
            double sum = 0;
            for (int k = 0; k < (operation ? M : N); k++) sum += op_element(operation, row, k) * x[k];
            HOLDS(y[row] == sum);
        }
    }
}

static void conversions(void)
{
    double *dense = device_memory(MOST * 8);
    pointer matrix = NULL, empty;
    int64_t rows, columns, count;
    HOLDS(cusparseCreateDnMat(&matrix, M, N, N + 1, dense, CUDA_R_64F, ORDER_ROW) == 0);
    keep(matrix, cusparseDestroyDnMat);
    for (int i = 0; i < 6; i++) {
        const struct given it = make(FORMAT_CSR + i % 3, i / 3, M);
        struct given to = make(FORMAT_CSR + i % 3, i / 3, M);
        HOLDS(cusparseSparseToDense(handle, it.matrix, matrix, 0, NULL) == 0);
        done();
        for (int k = 0; k < M * N; k++) HOLDS(dense[k / N * (N + 1) + k % N] == element(k / N, k % N));
        memset(to.offsets, 0, MOST * 4), memset(to.indices, 0, MOST * 4), memset(to.values, 0, MOST * 8);
        empty = to.matrix;
        HOLDS(cusparseDenseToSparse_analysis(handle, matrix, empty, 0, NULL) == 0);
        HOLDS(cusparseSpMatGetSize(empty, &rows, &columns, &count) == 0 && count == it.count && rows == M);
        HOLDS(cusparseDenseToSparse_convert(handle, matrix, empty, 0, NULL) == 0);
        done();
        HOLDS(memcmp(to.offsets, it.offsets, MOST * 4) == 0 && memcmp(to.indices, it.indices, MOST * 4) == 0);
        HOLDS(memcmp(to.values, it.values, MOST * 8) == 0);
    }
}

// By columns and by rows; the rows of the entries, and the entries in the order of their columns.
static void orders(void)
{
    const struct given by_rows = make(FORMAT_CSR, 1, M), by_columns = make(FORMAT_CSC, 1, M);
    const struct given entries = make(FORMAT_COO, 1, M);
    int *offsets = device_memory(MOST * 4), *indices = device_memory(MOST * 4), *permutation = device_memory(MOST * 4);
    double *values = device_memory(MOST * 8);
    HOLDS(cusparseCsr2cscEx2(handle, M, N, by_rows.count, by_rows.values, by_rows.offsets, by_rows.indices, values,
                             offsets, indices, CUDA_R_64F, 1, 1, 0, NULL) == 0);
    done();
    HOLDS(memcmp(offsets, by_columns.offsets, (N + 1) * 4) == 0 && memcmp(indices, by_columns.indices, MOST * 4) == 0);
    HOLDS(memcmp(values, by_columns.values, MOST * 8) == 0);
    HOLDS(cusparseXcsr2coo(handle, by_rows.offsets, by_rows.count, M, indices, 1) == 0);
    HOLDS(cusparseXcoo2csr(handle, entries.offsets, by_rows.count, M, offsets, 1) == 0);
    done();
    HOLDS(memcmp(indices, entries.offsets, (size_t)by_rows.count * 4) == 0);
    HOLDS(memcmp(offsets, by_rows.offsets, (M + 1) * 4) == 0);
    for (int i = 0; i < by_rows.count; i++) permutation[i] = i;
    HOLDS(cusparseXcoosortByColumn(handle, M, N, by_rows.count, entries.offsets, entries.indices, permutation, NULL) ==
          0);
    done();
    HOLDS(memcmp(entries.offsets, by_columns.indices, (size_t)by_rows.count * 4) == 0);
    for (int i = 0; i < by_rows.count; i++) HOLDS(entries.values[permutation[i]] == by_columns.values[i]);
}

static void check_triangle(struct given *it, int fill, int diagonal, int operation)
{
    double *x = device_memory(MOST * 8), *y = device_memory(MOST * 8), alpha = 2;
    pointer x_vector = NULL, y_vector = NULL;
    for (int i = 0; i < N; i++) x[i] = i + 1;
    HOLDS(cusparseSpMatSetAttribute(it->matrix, 0, &fill, sizeof fill) == 0);
    HOLDS(cusparseSpMatSetAttribute(it->matrix, 1, &diagonal, sizeof diagonal) == 0);
    HOLDS(cusparseCreateDnVec(&x_vector, N, x, CUDA_R_64F) == 0);
    keep(x_vector, cusparseDestroyDnVec);
    HOLDS(cusparseCreateDnVec(&y_vector, N, y, CUDA_R_64F) == 0);
    keep(y_vector, cusparseDestroyDnVec);
    HOLDS(cusparseSpSV_solve(handle, operation, &alpha, it->matrix, x_vector, y_vector, CUDA_R_64F, 0, NULL) == 0);
    done();
    for (int row = 0; row < N; row++) {
        double sum = 0;
        for (int k = 0; k < N; k++) {
            const int i = operation ? k : row, j = operation ? row : k;
            if (fill == 0 ? i >= j : i <= j) sum += (i == j && diagonal ? 1 : element(i, j)) * y[k];
        }
        HOLDS(fabs(sum - 2 * x[row]) < 1e-9);
    }
}

static void triangles(void)
{
    struct given it = make(FORMAT_CSR, 0, N);
    for (int i = 0; i < 4; i++) check_triangle(&it, i % 2, 1, i / 2);
}

// A B for B the N x N part of A, and 2 A - A.
static void products_of_both(void)
{
    const struct given a = make(FORMAT_CSR, 0, M), b = make(FORMAT_CSR, 1, N);
    struct given c = make(FORMAT_CSR, 0, M);
    double one = 1, zero = 0, two = 2, minus = -1;
    size_t bytes = 0;
    int64_t rows, columns, count;
    int total = 0;
    pointer from_zero = NULL, from_one = NULL;
    HOLDS(cusparseSpGEMM_compute(handle, 0, 0, &two, a.matrix, b.matrix, &zero, c.matrix, CUDA_R_64F, 0, NULL, &bytes,
                                 c.values) == 0);
    HOLDS(cusparseSpMatGetSize(c.matrix, &rows, &columns, &count) == 0 && count <= MOST);
    HOLDS(cusparseSpGEMM_copy(handle, 0, 0, &two, a.matrix, b.matrix, &zero, c.matrix, CUDA_R_64F, 0, NULL) == 0);
    done();
    for (int row = 0; row < M; row++) {
        double got[N] = {0};
        for (int i = c.offsets[row]; i < c.offsets[row + 1]; i++) got[c.indices[i]] += c.values[i];
        for (int i = c.offsets[row] + 1; i < c.offsets[row + 1]; i++) HOLDS(c.indices[i] > c.indices[i - 1]);
        for (int column = 0; column < N; column++) {
            double sum = 0;
            for (int k = 0; k < N; k++) sum += element(row, k) * element(k, column);
            HOLDS(got[column] == 2 * sum);
        }
    }
    HOLDS(count == c.offsets[M]);
    HOLDS(cusparseSpGEMM_copy(handle, 0, 0, &two, a.matrix, b.matrix, &one, c.matrix, CUDA_R_64F, 0, NULL) ==
          CUSPARSE_STATUS_NOT_SUPPORTED);
    HOLDS(cusparseCreateMatDescr(&from_zero) == 0 && cusparseCreateMatDescr(&from_one) == 0);
    keep(from_zero, cusparseDestroyMatDescr);
    keep(from_one, cusparseDestroyMatDescr);
    HOLDS(cusparseSetMatIndexBase(from_one, 1) == 0);
    HOLDS(cusparseXcsrgeam2Nnz(handle, M, N, from_zero, a.count, a.offsets, a.indices, from_zero, a.count, a.offsets,
                               a.indices, from_one, c.offsets, &total, NULL) == 0);
    HOLDS(total == a.count && c.offsets[0] == 1);
    HOLDS(cusparseDcsrgeam2(handle, M, N, &two, from_zero, a.count, a.values, a.offsets, a.indices, &minus, from_zero,
                            a.count, a.values, a.offsets, a.indices, from_one, c.values, c.offsets, c.indices,
                            NULL) == 0);
    done();
    for (int i = 0; i < a.count; i++) HOLDS(c.values[i] == a.values[i] && c.indices[i] == a.indices[i] + 1);
}

// 2 X Y^T - C in the places of C.
static void samples(void)
{
    const struct given c = make(FORMAT_CSC, 0, M);
    double *x = device_memory(MOST * 8), *y = device_memory(MOST * 8), two = 2, minus = -1;
    pointer x_matrix = NULL, y_matrix = NULL;
    for (int i = 0; i < MOST; i++) x[i] = i % 5, y[i] = i % 7;
    HOLDS(cusparseCreateDnMat(&x_matrix, M, K, M, x, CUDA_R_64F, ORDER_COLUMN) == 0);
    keep(x_matrix, cusparseDestroyDnMat);
    HOLDS(cusparseCreateDnMat(&y_matrix, N, K, K, y, CUDA_R_64F, ORDER_ROW) == 0);
    keep(y_matrix, cusparseDestroyDnMat);
    HOLDS(cusparseSDDMM(handle, 0, 1, &two, x_matrix, y_matrix, &minus, c.matrix, CUDA_R_64F, 0, NULL) == 0);
    done();
    for (int column = 0; column < N; column++)
        for (int at = c.offsets[column]; at < c.offsets[column + 1]; at++) {
            double sum = 0;
            for (int k = 0; k < K; k++) sum += x[c.indices[at] + k * M] * y[column * K + k];
            HOLDS(c.values[at] == 2 * sum - element(c.indices[at], column));
        }
    HOLDS(cusparseSDDMM(handle, 0, 0, &two, x_matrix, y_matrix, &minus, c.matrix, CUDA_R_64F, 0, NULL) ==
          CUSPARSE_STATUS_INVALID_VALUE);
}

// Of a tridiagonal matrix the incomplete factors are whole: 2 on the diagonal, -1 beside it.
static void incomplete(void)
{
    int *offsets = device_memory((N + 1) * sizeof *offsets), *indices = device_memory(MOST * 4), count = 0,
        position = 9;
    double *lu = device_memory(MOST * 8), *lower = device_memory(MOST * 8), diagonal = 2, pivot = sqrt(2);
    pointer info = NULL, description = NULL;
    for (int row = 0; row < N; row++) {
        offsets[row] = count + 1;
        for (int column = row - 1; column <= row + 1; column++)
            if (column >= 0 && column < N) {
                indices[count] = column + 1;
                lu[count] = lower[count] = column == row ? 2 : -1;
                count++;
            }
    }
    offsets[N] = count + 1;
    HOLDS(cusparseCreateMatDescr(&description) == 0 && cusparseSetMatIndexBase(description, 1) == 0);
    keep(description, cusparseDestroyMatDescr);
    HOLDS(cusparseCreateCsrilu02Info(&info) == 0);
    HOLDS(cusparseDcsrilu02(handle, N, count, description, lu, offsets, indices, info, 0, NULL) == 0);
    HOLDS(cusparseXcsrilu02_zeroPivot(handle, info, &position) == 0 && position == -1);
    HOLDS(cusparseDcsric02(handle, N, count, description, lower, offsets, indices, info, 0, NULL) == 0);
    done();
    for (int row = 1, at = 2; row < N; row++) { // the entry left of the diagonal, and it
        HOLDS(fabs(lu[at] + 1 / diagonal) < 1e-12 && fabs(lower[at] + 1 / pivot) < 1e-12);
        diagonal = 2 - 1 / diagonal, pivot = sqrt(2 - 1 / (pivot * pivot));
        HOLDS(fabs(lu[at + 1] - diagonal) < 1e-12 && fabs(lower[at + 1] - pivot) < 1e-12);
        at += 3;
    }
    HOLDS(lower[1] == -1); // the upper triangle is left alone
    memset(lu, 0, MOST * 8);
    HOLDS(cusparseDcsrilu02(handle, N, count, description, lu, offsets, indices, info, 0, NULL) == 0);
    HOLDS(cusparseXcsrilu02_zeroPivot(handle, info, &position) == 9 && position == 1);
    HOLDS(cusparseDestroyCsrilu02Info(info) == 0);
}

static void vectors(void)
{
    int *indices = device_memory(3 * sizeof *indices);
    double *values = device_memory(3 * sizeof *values), *y = device_memory(N * sizeof *y), result = 0;
    const double two = 2, half = 0.5;
    pointer x_vector = NULL, y_vector = NULL;
    for (int i = 0; i < 3; i++) indices[i] = 2 * i, values[i] = i + 1;
    for (int i = 0; i < N; i++) y[i] = 10 * i;
    HOLDS(cusparseCreateSpVec(&x_vector, N, 3, indices, values, INDEX_32I, 0, CUDA_R_64F) == 0);
    keep(x_vector, cusparseDestroySpVec);
    HOLDS(cusparseCreateDnVec(&y_vector, N, y, CUDA_R_64F) == 0);
    keep(y_vector, cusparseDestroyDnVec);
    HOLDS(cusparseSpVV(handle, 0, x_vector, y_vector, &result, CUDA_R_64F, NULL) == 0 && result == 160);
    HOLDS(cusparseAxpby(handle, &two, x_vector, &half, y_vector) == 0);
    HOLDS(cusparseGather(handle, y_vector, x_vector) == 0);
    done();
    HOLDS(y[0] == 2 && y[1] == 5 && y[2] == 14 && y[3] == 15 && y[4] == 26 && values[1] == 14);
    indices[2] = N;
    values[0] = 99;
    HOLDS(cusparseAxpby(handle, &two, x_vector, &half, y_vector) == 0); // told, and left out
    done();
    HOLDS(y[0] == 199);
}

static void mistakes(void)
{
    struct given it = make(FORMAT_CSR, 0, M);
    double *x = device_memory(N * 8), *y = device_memory(M * 8), one = 1, host[N] = {0};
    pointer x_vector = NULL, y_vector = NULL, short_vector = NULL, host_vector = NULL;
    HOLDS(cusparseCreateDnVec(&x_vector, N, x, CUDA_R_64F) == 0 &&
          cusparseCreateDnVec(&y_vector, M, y, CUDA_R_64F) == 0);
    keep(x_vector, cusparseDestroyDnVec);
    keep(y_vector, cusparseDestroyDnVec);
    HOLDS(cusparseCreateDnVec(&short_vector, N - 1, x, CUDA_R_64F) == 0);
    keep(short_vector, cusparseDestroyDnVec);
    HOLDS(cusparseCreateDnVec(&host_vector, N, host, CUDA_R_64F) == 0);
    keep(host_vector, cusparseDestroyDnVec);
    HOLDS(cusparseSpMV(NULL, 0, &one, it.matrix, x_vector, &one, y_vector, CUDA_R_64F, 0, NULL) ==
          CUSPARSE_STATUS_NOT_INITIALIZED);
    HOLDS(cusparseSpMV(handle, 0, &one, it.matrix, short_vector, &one, y_vector, CUDA_R_64F, 0, NULL) ==
          CUSPARSE_STATUS_INVALID_VALUE);
    HOLDS(cusparseSpMV(handle, 3, &one, it.matrix, x_vector, &one, y_vector, CUDA_R_64F, 0, NULL) ==
          CUSPARSE_STATUS_INVALID_VALUE);
    HOLDS(cusparseSpMV(handle, 0, &one, it.matrix, host_vector, &one, y_vector, CUDA_R_64F, 0, NULL) ==
          CUSPARSE_STATUS_EXECUTION_FAILED);
    HOLDS(cusparseCreateCsr(&it.matrix, M, -1, 0, NULL, NULL, NULL, INDEX_32I, INDEX_32I, 0, CUDA_R_64F) ==
          CUSPARSE_STATUS_INVALID_VALUE);
    it.indices[0] = N; // outside: told, and the rest is left out
    HOLDS(cusparseSpMV(handle, 0, &one, it.matrix, x_vector, &one, y_vector, CUDA_R_64F, 0, NULL) == 0);
    done();
}

int main(void)
{
    struct CUctx_st *context = NULL;
    HOLDS(cuInit(0) == CUDA_SUCCESS && cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS);
    HOLDS(cuCtxSetCurrent(context) == CUDA_SUCCESS && cusparseCreate(&handle) == 0);
    products();
    conversions();
    orders();
    triangles();
    products_of_both();
    samples();
    incomplete();
    vectors();
    mistakes();
    while (things > 0) {
        things--;
        HOLDS(made[things].destroy(made[things].thing) == 0);
    }
    HOLDS(cusparseDestroy(handle) == 0);
    return failed;
}
