// SPDX-License-Identifier: MIT
// One matrix of 4 x 6 in each format of blocks and of rows that are filled up, made dense; batches; products whose
// structure is used again. Prints what does not hold.
#include <stdlib.h>

#include "library_calls.h"
#include "sparse.h"

int cusparseCreate(void **handle);
int cusparseDestroy(void *handle);
int cusparseCreateCsr(void **to, int64_t rows, int64_t columns, int64_t count, void *offsets, void *indices,
                      void *values, int offset_type, int index_type, int base, int type);
int cusparseCreateBsr(void **to, int64_t rows, int64_t columns, int64_t count, int64_t block_rows,
                      int64_t block_columns, void *offsets, void *indices, void *values, int offset_type,
                      int index_type, int base, int type, int order);
int cusparseCreateBlockedEll(void **to, int64_t rows, int64_t columns, int64_t block, int64_t width, void *indices,
                             void *values, int index_type, int base, int type);
int cusparseCreateSlicedEll(void **to, int64_t rows, int64_t columns, int64_t given, int64_t count, int64_t slice,
                            void *offsets, void *indices, void *values, int offset_type, int index_type, int base,
                            int type);
int cusparseCsrSetStridedBatch(void *matrix, int count, int64_t offsets, int64_t entries);
int cusparseCooSetStridedBatch(void *matrix, int count, int64_t stride);
int cusparseCsrSetPointers(void *matrix, void *offsets, void *indices, void *values);
int cusparseSpMatGetSize(void *matrix, int64_t *rows, int64_t *columns, int64_t *count);
int cusparseCreateDnMat(void **to, int64_t rows, int64_t columns, int64_t leading, void *values, int type, int order);
int cusparseDnMatSetStridedBatch(void *matrix, int count, int64_t stride);
int cusparseDestroySpMat(void *matrix);
int cusparseDestroyDnMat(void *matrix);
int cusparseSparseToDense(void *handle, void *sparse, void *dense, int algorithm, void *buffer);
int cusparseDenseToSparse_analysis(void *handle, void *dense, void *sparse, int algorithm, void *buffer);
int cusparseDenseToSparse_convert(void *handle, void *dense, void *sparse, int algorithm, void *buffer);
int cusparseSpMM(void *handle, int operation, int x_operation, const void *alpha, void *a, void *x, const void *beta,
                 void *y, int compute, int algorithm, void *buffer);
int cusparseSDDMM(void *handle, int operation, int y_operation, const void *alpha, void *x, void *y, const void *beta,
                  void *c, int compute, int algorithm, void *buffer);
int cusparseSpGEMMreuse_nnz(void *handle, int operation_a, int operation_b, void *a, void *b, void *c, int algorithm,
                            void *descriptor, size_t *bytes_2, void *buffer_2, size_t *bytes_3, void *buffer_3,
                            size_t *bytes_4, void *buffer_4);
int cusparseSpGEMMreuse_copy(void *handle, int operation_a, int operation_b, void *a, void *b, void *c, int algorithm,
                             void *descriptor, size_t *bytes, void *buffer);
int cusparseSpGEMMreuse_compute(void *handle, int operation_a, int operation_b, const void *alpha, void *a, void *b,
                                const void *beta, void *c, int compute, int algorithm, void *descriptor);
int cusparseSpGEMM_createDescr(void **descriptor);
int cusparseSpGEMM_destroyDescr(void *descriptor);
int cusparseSpGEMM_workEstimation(void *handle, int operation_a, int operation_b, const void *alpha, void *a, void *b,
                                  const void *beta, void *c, int compute, int algorithm, void *descriptor,
                                  size_t *bytes, void *buffer);
int cusparseSpGEMM_getNumProducts(void *descriptor, int64_t *products);
int cusparseSpGEMM_estimateMemory(void *handle, int operation_a, int operation_b, const void *alpha, void *a, void *b,
                                  const void *beta, void *c, int compute, int algorithm, void *descriptor, float part,
                                  size_t *bytes_3, void *buffer_3, size_t *bytes_2);

enum { ROWS = 4, COLUMNS = 6, ELEMENTS = ROWS * COLUMNS };

static void *handle;
static const double one = 1, zero = 0;

// Blocks of 2 x 2: the second of the first two rows, the first and the third of the others.
static const double dense_is[ELEMENTS] = {0, 0, 1, 2, 0, 0, 0, 0, 3, 4, 0, 0, 5, 6, 0, 0, 7, 8, 9, 10, 0, 0, 11, 12};

static int *integers(int count, const int *from)
{
    int *at = device_memory((size_t)count * sizeof *at);
    memcpy(at, from, (size_t)count * sizeof *at);
    return at;
}

static double *numbers(int count, const double *from)
{
    double *at = device_memory((size_t)count * sizeof *at);
    memcpy(at, from, (size_t)count * sizeof *at);
    return at;
}

static void *by_rows(int64_t rows, int64_t columns, double *values)
{
    void *matrix;
    HOLDS(cusparseCreateDnMat(&matrix, rows, columns, columns, values, CUDA_R_64F, ORDER_ROW) == 0);
    return matrix;
}

#define INTEGERS(...) integers(sizeof((int[])__VA_ARGS__) / sizeof(int), (int[])__VA_ARGS__)
#define NUMBERS(...)  numbers(sizeof((double[])__VA_ARGS__) / sizeof(double), (double[])__VA_ARGS__)
#define TYPES(base)   INDEX_32I, INDEX_32I, base, CUDA_R_64F

static void make_formats(void *matrix[4])
{
    HOLDS(cusparseCreateBsr(&matrix[0], 2, 3, 3, 2, 2, INTEGERS({1, 2, 4}), INTEGERS({2, 1, 3}),
                            NUMBERS({1, 2, 3, 4, 5, 6, 9, 10, 7, 8, 11, 12}), TYPES(1), ORDER_ROW) == 0);
    HOLDS(cusparseCreateBsr(&matrix[1], 2, 3, 3, 2, 2, INTEGERS({0, 1, 3}), INTEGERS({1, 0, 2}),
                            NUMBERS({1, 3, 2, 4, 5, 9, 6, 10, 7, 11, 8, 12}), TYPES(0), ORDER_COLUMN) == 0);
    HOLDS(cusparseCreateBlockedEll(&matrix[2], ROWS, COLUMNS, 2, 4, INTEGERS({1, -1, 0, 2}),
                                   NUMBERS({1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 7, 8, 9, 10, 11, 12}), INDEX_32I, 0,
                                   CUDA_R_64F) == 0);
    // Slices of three rows: the second has one.
    HOLDS(cusparseCreateSlicedEll(
              &matrix[3], ROWS, COLUMNS, 12, 24, 3, INTEGERS({0, 12, 24}),
              INTEGERS({2, 2, 0, 3, 3, 1, -1, -1, 4, -1, -1, 5, 0, -1, -1, 1, -1, -1, 4, -1, -1, 5, -1, -1}),
              NUMBERS({1, 3, 5, 2, 4, 6, 0, 0, 7, 0, 0, 8, 9, 0, 0, 10, 0, 0, 11, 0, 0, 12, 0, 0}), TYPES(0)) == 0);
}

static void check_formats(void)
{
    void *matrix[4], *dense;
    double *values = device_memory(ELEMENTS * sizeof *values);
    int64_t rows, columns, count;
    make_formats(matrix);
    dense = by_rows(ROWS, COLUMNS, values);
    for (int i = 0; i < 4; i++) {
        memset(values, 1, ELEMENTS * sizeof *values);
        HOLDS(cusparseSparseToDense(handle, matrix[i], dense, 0, NULL) == 0);
        done();
        for (int at = 0; at < ELEMENTS; at++) HOLDS(values[at] == dense_is[at]);
        HOLDS(cusparseSpMatGetSize(matrix[i], &rows, &columns, &count) == 0);
        HOLDS(rows == ROWS && columns == COLUMNS && count == (i == 2 ? 16 : 12));
        cusparseDestroySpMat(matrix[i]);
    }
    cusparseDestroyDnMat(dense);
}

// The program says where the blocks are.
static void check_filling(void)
{
    double *values = device_memory(16 * sizeof *values);
    const double is[16] = {1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 7, 8, 9, 10, 11, 12};
    void *dense = by_rows(ROWS, COLUMNS, numbers(ELEMENTS, dense_is)), *sparse;
    memset(values, 0, 16 * sizeof *values);
    HOLDS(cusparseCreateBlockedEll(&sparse, ROWS, COLUMNS, 2, 4, INTEGERS({1, -1, 0, 2}), values, INDEX_32I, 0,
                                   CUDA_R_64F) == 0);
    HOLDS(cusparseDenseToSparse_analysis(handle, dense, sparse, 0, NULL) == 0);
    HOLDS(cusparseDenseToSparse_convert(handle, dense, sparse, 0, NULL) == 0);
    done();
    for (int i = 0; i < 16; i++) HOLDS(values[i] == is[i]);
    cusparseDestroySpMat(sparse);
    HOLDS(cusparseCreateBlockedEll(&sparse, 3, COLUMNS, 2, 4, NULL, values, INDEX_32I, 0, CUDA_R_64F) ==
          CUSPARSE_STATUS_INVALID_VALUE);
    cusparseDestroyDnMat(dense);
}

// Diagonals, one for both and then two, times two columns, which lie 5 apart.
static void check_batches(void)
{
    double *values = NUMBERS({2, 3, 10, 20}), *x = NUMBERS({1, 1, 7, 7, 7, 4, 5}), *y = NUMBERS({9, 9, 9, 9});
    void *a, *of_x = by_rows(2, 1, x), *of_y = by_rows(2, 1, y), *turned = by_rows(1, 2, x);
    HOLDS(cusparseCreateCsr(&a, 2, 2, 2, INTEGERS({0, 1, 2}), INTEGERS({0, 1}), values, TYPES(0)) == 0);
    HOLDS(cusparseCooSetStridedBatch(a, 2, 2) == CUSPARSE_STATUS_INVALID_VALUE); // it is none
    HOLDS(cusparseDnMatSetStridedBatch(of_x, 2, 5) == 0 && cusparseDnMatSetStridedBatch(of_y, 2, 2) == 0);
    HOLDS(cusparseSpMM(handle, 0, 0, &one, a, of_x, &zero, of_y, CUDA_R_64F, 0, NULL) == 0);
    done();
    HOLDS(y[0] == 2 && y[1] == 3 && y[2] == 8 && y[3] == 15);
    cusparseDestroySpMat(a);
    HOLDS(cusparseCreateCsr(&a, 2, 2, 2, INTEGERS({0, 1, 2}), INTEGERS({0, 1, 0, 1}), values, TYPES(0)) == 0);
    HOLDS(cusparseCsrSetStridedBatch(a, 2, 0, 2) == 0 && cusparseDnMatSetStridedBatch(turned, 2, 5) == 0);
    HOLDS(cusparseSpMM(handle, 0, 0, &one, a, of_x, &zero, of_y, CUDA_R_64F, 0, NULL) == 0);
    done();
    HOLDS(y[0] == 2 && y[1] == 3 && y[2] == 40 && y[3] == 100);
    HOLDS(cusparseSDDMM(handle, 0, 0, &one, of_x, turned, &zero, a, CUDA_R_64F, 0, NULL) == 0);
    done();
    HOLDS(values[0] == 1 && values[1] == 1 && values[2] == 16 && values[3] == 25);
    cusparseDestroySpMat(a);
    cusparseDestroyDnMat(of_x);
    cusparseDestroyDnMat(of_y);
    cusparseDestroyDnMat(turned);
}

// [0 2; 3 0] squared is 6 on the diagonal.
static void check_reuse(void)
{
    double *values = NUMBERS({2, 3}), *made = NUMBERS({0, 0}), *buffer = NUMBERS({0, 0});
    int *offsets = INTEGERS({7, 7, 7}), *indices = INTEGERS({7, 7});
    size_t bytes[4] = {0};
    int64_t rows, columns, count = 0;
    void *a, *c;
    HOLDS(cusparseCreateCsr(&a, 2, 2, 2, INTEGERS({0, 1, 2}), INTEGERS({1, 0}), values, TYPES(0)) == 0);
    HOLDS(cusparseCreateCsr(&c, 2, 2, 0, offsets, NULL, NULL, TYPES(0)) == 0);
    for (int i = 0; i < 2; i++) {
        void *given = i == 0 ? NULL : buffer;
        HOLDS(cusparseSpGEMMreuse_nnz(handle, 0, 0, a, a, c, 0, NULL, bytes, given, bytes + 1, given, bytes + 2,
                                      given) == 0);
    }
    HOLDS(cusparseSpMatGetSize(c, &rows, &columns, &count) == 0 && count == 2 && bytes[0] > 0 && bytes[2] > 0);
    HOLDS(cusparseCsrSetPointers(c, offsets, indices, made) == 0);
    HOLDS(cusparseSpGEMMreuse_copy(handle, 0, 0, a, a, c, 0, NULL, bytes + 3, buffer) == 0);
    done();
    HOLDS(offsets[0] == 0 && offsets[1] == 1 && offsets[2] == 2 && indices[0] == 0 && indices[1] == 1);
    values[0] = 4;
    HOLDS(cusparseSpGEMMreuse_compute(handle, 0, 0, &one, a, a, &zero, c, CUDA_R_64F, 0, NULL) == 0);
    done();
    HOLDS(made[0] == 12 && made[1] == 12);
    HOLDS(cusparseSpGEMMreuse_compute(handle, 0, 0, &one, a, a, &one, c, CUDA_R_64F, 0, NULL) ==
          CUSPARSE_STATUS_NOT_SUPPORTED);
    cusparseDestroySpMat(a);
    cusparseDestroySpMat(c);
}

// [1 1 0; 0 0 1] counted from 1, times [1 0; 1 1; 1 1]: rows of 1, 2 and 2 entries, so 5 products for 4 entries of C.
static void check_products(void)
{
    double *ones = NUMBERS({1, 1, 1, 1, 1});
    size_t bytes = 0, bytes_3 = 0, bytes_2 = 0;
    int64_t products = 7;
    void *a, *b, *c, *descriptor;
    HOLDS(cusparseSpGEMM_createDescr(&descriptor) == 0);
    HOLDS(cusparseCreateCsr(&a, 2, 3, 3, INTEGERS({1, 3, 4}), INTEGERS({1, 2, 3}), ones, TYPES(1)) == 0);
    HOLDS(cusparseCreateCsr(&b, 3, 2, 5, INTEGERS({0, 1, 3, 5}), INTEGERS({0, 0, 1, 0, 1}), ones, TYPES(0)) == 0);
    HOLDS(cusparseCreateCsr(&c, 2, 2, 0, INTEGERS({0, 0, 0}), NULL, NULL, TYPES(0)) == 0);
    for (int i = 0; i < 2; i++) {
        HOLDS(cusparseSpGEMM_workEstimation(handle, 0, 0, &one, a, b, &zero, c, CUDA_R_64F, 1, descriptor, &bytes,
                                            i == 0 ? NULL : ones) == 0);
        HOLDS(cusparseSpGEMM_getNumProducts(descriptor, &products) == 0 && products == (i == 0 ? 0 : 5));
    }
    HOLDS(cusparseSpGEMM_estimateMemory(handle, 0, 0, &one, a, b, &zero, c, CUDA_R_64F, 1, descriptor, 0.5f, &bytes_3,
                                        NULL, NULL) == 0 &&
          bytes_3 > 0);
    HOLDS(cusparseSpGEMM_estimateMemory(handle, 0, 0, &one, a, b, &zero, c, CUDA_R_64F, 1, descriptor, 0.5f, &bytes_3,
                                        ones, &bytes_2) == 0 &&
          bytes_2 > 0);
    HOLDS(cusparseSpGEMM_estimateMemory(handle, 0, 0, &one, a, b, &zero, c, CUDA_R_64F, 1, descriptor, 1.5f, &bytes_3,
                                        ones, &bytes_2) == CUSPARSE_STATUS_INVALID_VALUE);
    HOLDS(cusparseSpGEMM_getNumProducts(NULL, &products) == CUSPARSE_STATUS_INVALID_VALUE);
    cusparseDestroySpMat(a);
    cusparseDestroySpMat(b);
    cusparseDestroySpMat(c);
    HOLDS(cusparseSpGEMM_destroyDescr(descriptor) == 0);
}

int main(void)
{
    HOLDS(cusparseCreate(&handle) == 0);
    check_formats();
    check_filling();
    check_batches();
    check_reuse();
    check_products();
    HOLDS(cusparseDestroy(handle) == 0);
    return failed;
}
