// SPDX-License-Identifier: MIT
// Products against three plain loops. All numbers are small integers, so sums are exact in every format.
#include "cuda_api.h"
#include "test.h"

// A product as cublasGemmEx takes it; the matrices are by columns.
struct product_case {
    int compute, scale, type_ab, type_c;
    int ta, tb, m, n, k, lda, ldb, ldc;
    double alpha[2], beta[2];
};

typedef double complex_number[2];

// Element (row, column) of op(matrix).
static void element(complex_number to, int type, const void *at, int operation, int leading, int row, int column)
{
    const bool is_complex = numbers_is_complex(type);
    const int64_t index = operation == CUBLAS_OP_N ? row + (int64_t)column * leading : column + (int64_t)row * leading;
    to[0] = test_number(type, at, is_complex ? 2 * index : index);
    to[1] = is_complex ? test_number(type, at, 2 * index + 1) : 0;
    if (operation == CUBLAS_OP_C) to[1] = -to[1];
}

static void add(complex_number to, const complex_number a, const complex_number b)
{
    to[0] += a[0] * b[0] - a[1] * b[1];
    to[1] += a[0] * b[1] + a[1] * b[0];
}

// What the types hold of it: f16 and bf16 round to the nearest.
static void require_element(const struct product_case *it, const void *c, int row, int column,
                            const complex_number expected)
{
    complex_number got, rounded;
    double bits[2];
    const int reals = 1 + numbers_is_complex(it->type_c);
    element(got, it->type_c, c, CUBLAS_OP_N, it->ldc, row, column);
    for (int i = 0; i < reals; i++) {
        numbers_put(numbers_real(it->type_c), bits, i, expected[i]);
        rounded[i] = test_number(it->type_c, bits, i);
        if (got[i] != rounded[i])
            printf("(%d, %d): %g, not %g; types %d and %d, op %d %d\n", row, column, got[i], rounded[i], it->type_ab,
                   it->type_c, it->ta, it->tb);
        REQUIRE(got[i] == rounded[i]);
    }
}

static void require_product(const struct product_case *it, const void *a, const void *b, const void *before,
                            const void *c)
{
    for (int column = 0; column < it->n; column++)
        for (int row = 0; row < it->m; row++) {
            complex_number sum = {0}, result = {0}, x, y;
            for (int k = 0; k < it->k; k++) {
                element(x, it->type_ab, a, it->ta, it->lda, row, k);
                element(y, it->type_ab, b, it->tb, it->ldb, k, column);
                add(sum, x, y);
            }
            element(x, it->type_c, before, CUBLAS_OP_N, it->ldc, row, column);
            add(result, it->alpha, sum);
            add(result, it->beta, x);
            require_element(it, c, row, column, result);
        }
}

// Rows between m and ldc are nobody's.
static void require_padding(const struct product_case *it, const void *before, const void *c)
{
    const size_t bytes = numbers_bytes(it->type_c);
    for (int column = 0; column < it->n; column++) {
        const size_t from = (size_t)(column * it->ldc + it->m) * bytes, count = (size_t)(it->ldc - it->m) * bytes;
        REQUIRE(memcmp((const char *)before + from, (const char *)c + from, count) == 0);
    }
}

static void run(struct blas_handle *handle, const struct product_case *it)
{
    double alpha[2], beta[2];
    const int64_t count_c = (int64_t)it->ldc * it->n;
    const size_t bytes_c = (size_t)count_c * numbers_bytes(it->type_c);
    void *a = test_memory(it->type_ab, (int64_t)it->lda * (it->ta == CUBLAS_OP_N ? it->k : it->m));
    void *b = test_memory(it->type_ab, (int64_t)it->ldb * (it->tb == CUBLAS_OP_N ? it->n : it->k));
    void *c = test_memory(it->type_c, count_c), *before = malloc(bytes_c);
    memcpy(before, c, bytes_c);
    for (int i = 0; i < 1 + numbers_is_complex(it->scale); i++) {
        numbers_put(numbers_real(it->scale), alpha, i, it->alpha[i]);
        numbers_put(numbers_real(it->scale), beta, i, it->beta[i]);
    }
    WORKS(cublasGemmEx(handle, it->ta, it->tb, it->m, it->n, it->k, alpha, a, it->type_ab, it->lda, b, it->type_ab,
                       it->ldb, beta, c, it->type_c, it->ldc, it->compute, -1));
    require_product(it, a, b, before, c);
    require_padding(it, before, c);
    free(before);
    cuMemFree_v2((uintptr_t)a), cuMemFree_v2((uintptr_t)b), cuMemFree_v2((uintptr_t)c);
}

SECTION(types)
{
    static const int types[][4] = {
        {64, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F},  {68, CUDA_R_32F, CUDA_R_16F, CUDA_R_16F},
        {68, CUDA_R_32F, CUDA_R_16F, CUDA_R_32F},  {68, CUDA_R_32F, CUDA_R_16BF, CUDA_R_16BF},
        {68, CUDA_R_32F, CUDA_R_16BF, CUDA_R_32F}, {77, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
        {68, CUDA_R_32F, CUDA_R_8I, CUDA_R_32F},   {72, CUDA_R_32I, CUDA_R_8I, CUDA_R_32I},
        {68, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F},  {68, CUDA_C_32F, CUDA_C_8I, CUDA_C_32F},
        {70, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},  {70, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F},
    };
    struct blas_handle *handle = test_handle();
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        run(handle, &(struct product_case){types[i][0],
                                           types[i][1],
                                           types[i][2],
                                           types[i][3],
                                           0,
                                           1,
                                           21,
                                           13,
                                           17,
                                           24,
                                           16,
                                           23,
                                           {2, numbers_is_complex(types[i][3])},
                                           {-1, 0}});
}

// All operations, and sizes below, at and beyond those of blocks.
SECTION(operations)
{
    static const int sizes[][3] = {{1, 1, 1}, {8, 6, 256}, {9, 7, 257}, {193, 193, 3}, {3, 200, 300}, {5, 4, 0}};
    struct blas_handle *handle = test_handle();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int operations = 0; operations < 9; operations++)
            for (int is_complex = 0; is_complex < 2; is_complex++) {
                const int m = sizes[i][0], n = sizes[i][1], k = sizes[i][2], ta = operations / 3, tb = operations % 3;
                const int type = is_complex ? CUDA_C_32F : CUDA_R_32F;
                run(handle, &(struct product_case){68,
                                                   type,
                                                   type,
                                                   type,
                                                   ta,
                                                   tb,
                                                   m,
                                                   n,
                                                   k,
                                                   (ta == 0 ? m : k) + 1,
                                                   (tb == 0 ? k : n) + 1,
                                                   m + 2,
                                                   {1, 0},
                                                   {3, 0}});
            }
}

SECTION(batches)
{
    enum { M = 5, N = 4, K = 3, BATCHES = 3 };
    const float one = 1, zero = 0;
    struct blas_handle *handle = test_handle();
    float *a = test_memory(CUDA_R_32F, M * K * BATCHES), *b = test_memory(CUDA_R_32F, K * N);
    float *c = test_memory(CUDA_R_32F, M * N * BATCHES), *d = test_memory(CUDA_R_32F, M * N * BATCHES);
    float **at = test_memory(CUDA_R_64F, 3 * BATCHES);
    for (int i = 0; i < M * N * BATCHES; i++) c[i] = d[i] = 0.0f / zero; // not read where beta is 0
    for (int i = 0; i < BATCHES; i++) at[i] = a + i * M * K, at[BATCHES + i] = b, at[2 * BATCHES + i] = d + i * M * N;
    WORKS(cublasSgemmStridedBatched(handle, 0, 0, M, N, K, &one, a, M, M * K, b, K, 0, &zero, c, M, M * N, BATCHES));
    WORKS(cublasSgemmBatched(handle, 0, 0, M, N, K, &one, (const float *const *)at, M,
                             (const float *const *)at + BATCHES, K, &zero, at + 2 * BATCHES, M, BATCHES));
    for (int i = 0; i < BATCHES; i++)
        require_product(
            &(struct product_case){68, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, 0, 0, M, N, K, M, K, M, {1}, {0}},
            a + i * M * K, b, b, c + i * M * N);
    REQUIRE(memcmp(c, d, M * N * BATCHES * sizeof *c) == 0);
}

// alpha and beta may be changed when a call has returned, unless they lie on the device.
SECTION(modes)
{
    struct blas_handle *handle = test_handle();
    double *factors = test_memory(CUDA_R_64F, 2), *a = test_memory(CUDA_R_64F, 4), *c = test_memory(CUDA_R_64F, 4);
    const double before = c[0], sum = a[0] * a[0] + a[2] * a[1];
    WORKS(cublasSetPointerMode_v2(handle, CUBLAS_POINTER_MODE_DEVICE));
    factors[0] = 2, factors[1] = 5;
    WORKS(cublasDgemm_v2_64(handle, 0, 0, 2, 2, 2, factors, a, 2, a, 2, factors + 1, c, 2));
    REQUIRE(c[0] == 2 * sum + 5 * before);
    WORKS(cublasSetMathMode(handle, 3));
    REFUSES(INVALID_VALUE, cublasSetPointerMode_v2(handle, 2));
}

enum cublas_status cublasDgemmGroupedBatched(struct blas_handle *handle, const int *transa, const int *transb,
                                             const int *m, const int *n, const int *k, const double *alpha,
                                             const double *const *a, const int *lda, const double *const *b,
                                             const int *ldb, const double *beta, double *const *c, const int *ldc,
                                             int count, const int *sizes);

// Two groups, of one product and of two, with sizes and factors of their own.
SECTION(groups)
{
    enum { PRODUCTS = 3 };
    static const int plain[] = {0, 0}, turned[] = {0, 1}, m[] = {3, 2}, n[] = {2, 4}, k[] = {5, 3}, lda[] = {3, 2};
    static const int ldb[] = {5, 4}, ldc[] = {3, 2}, sizes[] = {1, 2};
    static const double alpha[] = {2, 3}, beta[] = {0, 1};
    struct blas_handle *handle = test_handle();
    const double **a = test_memory(CUDA_R_64F, PRODUCTS), **b = test_memory(CUDA_R_64F, PRODUCTS);
    double **c = test_memory(CUDA_R_64F, PRODUCTS), before[PRODUCTS][16];
    for (int i = 0; i < PRODUCTS; i++) {
        a[i] = test_memory(CUDA_R_64F, 16), b[i] = test_memory(CUDA_R_64F, 16), c[i] = test_memory(CUDA_R_64F, 16);
        memcpy(before[i], c[i], sizeof before[i]);
    }
    WORKS(cublasDgemmGroupedBatched(handle, plain, turned, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, 2, sizes));
    for (int i = 0; i < PRODUCTS; i++) {
        const int g = i > 0;
        for (int at = 0; at < m[g] * n[g]; at++) {
            const int row = at % m[g], column = at / m[g];
            double sum = 0;
            for (int j = 0; j < k[g]; j++)
                sum += a[i][row + j * lda[g]] * b[i][turned[g] ? column + j * ldb[g] : j + column * ldb[g]];
            REQUIRE(c[i][row + column * ldc[g]] == alpha[g] * sum + beta[g] * before[i][row + column * ldc[g]]);
        }
    }
}
