// SPDX-License-Identifier: MIT
// Levels 1 and 2 against plain loops, with steps in both directions.
#include "test.h"

#include <math.h>

#define VECTOR_CALL(name) enum cublas_status name(struct blas_handle *handle, int n, const void *x, int incx, void *to)
VECTOR_CALL(cublasSnrm2_v2);
VECTOR_CALL(cublasSasum_v2);
VECTOR_CALL(cublasScasum_v2);
VECTOR_CALL(cublasIsamax_v2);
VECTOR_CALL(cublasIdamin_v2);
enum cublas_status cublasSaxpy_v2(struct blas_handle *handle, int n, const float *alpha, const float *x, int incx,
                                  float *y, int incy);
enum cublas_status cublasSscal_v2(struct blas_handle *handle, int n, const float *alpha, float *x, int incx);
enum cublas_status cublasScopy_v2(struct blas_handle *handle, int n, const float *x, int incx, float *y, int incy);
enum cublas_status cublasSdot_v2(struct blas_handle *handle, int n, const float *x, int incx, const float *y, int incy,
                                 float *result);
enum cublas_status cublasCdotc_v2(struct blas_handle *handle, int n, const float *x, int incx, const float *y, int incy,
                                  float *result);
enum cublas_status cublasDgemv_v2(struct blas_handle *handle, int operation, int m, int n, const double *alpha,
                                  const double *a, int lda, const double *x, int incx, const double *beta, double *y,
                                  int incy);
enum cublas_status cublasSger_v2(struct blas_handle *handle, int m, int n, const float *alpha, const float *x, int incx,
                                 const float *y, int incy, float *a, int lda);
enum cublas_status cublasSgeam(struct blas_handle *handle, int ta, int tb, int m, int n, const float *alpha,
                               const float *a, int lda, const float *beta, const float *b, int ldb, float *c, int ldc);
enum cublas_status cublasSdgmm(struct blas_handle *handle, int side, int m, int n, const float *a, int lda,
                               const float *x, int incx, float *c, int ldc);
enum cublas_status cublasSetVector(int n, int bytes, const void *x, int incx, void *y, int incy);
enum cublas_status cublasGetMatrix(int rows, int columns, int bytes, const void *a, int lda, void *b, int ldb);

enum { N = 37, M = 11 };

SECTION(vectors)
{
    const float two = 2;
    struct blas_handle *handle = test_handle();
    float *x = test_memory(CUDA_R_32F, 2 * N), *y = test_memory(CUDA_R_32F, N), before[N];
    memcpy(before, y, sizeof before);
    WORKS(cublasSaxpy_v2(handle, N, &two, x, 2, y, -1));
    for (int i = 0; i < N; i++) REQUIRE(y[N - 1 - i] == before[N - 1 - i] + 2 * x[2 * i]);
    memcpy(before, y, sizeof before);
    WORKS(cublasSscal_v2(handle, N, &two, y, 1));
    for (int i = 0; i < N; i++) REQUIRE(y[i] == 2 * before[i]);
    WORKS(cublasScopy_v2(handle, N, x, 1, y, 1));
    REQUIRE(memcmp(x, y, N * sizeof *x) == 0);
    WORKS(cublasSscal_v2(handle, 0, &two, NULL, 1));
    REFUSES(INVALID_VALUE, cublasSscal_v2(handle, 1, NULL, x, 1));
    REFUSES(EXECUTION_FAILED, cublasSscal_v2(handle, N, &two, before, 1));
}

SECTION(reductions)
{
    struct blas_handle *handle = test_handle();
    float *x = test_memory(CUDA_R_32F, N), result = -1, sum = 0, squares = 0, *on_device = test_memory(CUDA_R_32F, 1);
    double *y = test_memory(CUDA_R_64F, N);
    float pair[2], *c = test_memory(CUDA_C_32F, 2);
    int index = -1;
    for (int i = 0; i < N; i++) sum += fabsf(x[i]), squares += x[i] * x[i];
    WORKS(cublasSasum_v2(handle, N, x, 1, &result));
    REQUIRE(result == sum);
    WORKS(cublasSnrm2_v2(handle, N, x, 1, &result));
    REQUIRE(result == sqrtf(squares));
    WORKS(cublasSdot_v2(handle, N, x, 1, x, 1, &result));
    REQUIRE(result == squares);
    WORKS(cublasSdot_v2(handle, 0, x, 1, x, 1, &result));
    REQUIRE(result == 0);
    x[4] = -100, x[9] = 100;
    for (int i = 0; i < N; i++) y[i] = i == 7 || i == 8 ? 0.5 : 1;
    WORKS(cublasIsamax_v2(handle, N, x, 1, &index));
    REQUIRE(index == 5);
    WORKS(cublasIdamin_v2(handle, N, y, 1, &index));
    REQUIRE(index == 8);
    WORKS(cublasIsamax_v2(handle, 0, x, 1, &index));
    REQUIRE(index == 0);
    WORKS(cublasScasum_v2(handle, 2, c, 1, &result));
    REQUIRE(result == fabsf(c[0]) + fabsf(c[1]) + fabsf(c[2]) + fabsf(c[3]));
    WORKS(cublasCdotc_v2(handle, 1, c, 1, c + 2, 1, pair));
    REQUIRE(pair[0] == c[0] * c[2] + c[1] * c[3] && pair[1] == c[0] * c[3] - c[1] * c[2]);
    WORKS(cublasSetPointerMode_v2(handle, CUBLAS_POINTER_MODE_DEVICE));
    WORKS(cublasSasum_v2(handle, 2, x, 1, on_device));
    REQUIRE(*on_device == fabsf(x[0]) + fabsf(x[1]));
}

SECTION(matrix_vector)
{
    const double two = 2, three = 3;
    const float one = 1;
    struct blas_handle *handle = test_handle();
    double *a = test_memory(CUDA_R_64F, (M + 1) * N), *x = test_memory(CUDA_R_64F, 2 * N);
    double *y = test_memory(CUDA_R_64F, N), before[N];
    float *u = test_memory(CUDA_R_32F, M), *v = test_memory(CUDA_R_32F, N), *b = test_memory(CUDA_R_32F, M * N);
    float *was = malloc(M * N * sizeof *was);
    for (int is_turned = 0; is_turned < 2; is_turned++) {
        const int rows = is_turned ? N : M, columns = is_turned ? M : N;
        memcpy(before, y, sizeof before);
        WORKS(cublasDgemv_v2(handle, is_turned, M, N, &two, a, M + 1, x, 2, &three, y, 1));
        for (int i = 0; i < rows; i++) {
            double sum = 0;
            for (int k = 0; k < columns; k++) sum += a[is_turned ? k + i * (M + 1) : i + k * (M + 1)] * x[2 * k];
            REQUIRE(y[i] == 2 * sum + 3 * before[i]);
        }
    }
    REFUSES(INVALID_VALUE, cublasDgemv_v2(handle, 0, M, N, &two, a, M - 1, x, 1, &three, y, 1));
    REFUSES(INVALID_VALUE, cublasDgemv_v2(handle, 0, M, N, &two, a, M, x, 0, &three, y, 1));
    memcpy(was, b, M * N * sizeof *was);
    WORKS(cublasSger_v2(handle, M, N, &one, u, 1, v, 1, b, M));
    for (int i = 0; i < M * N; i++) REQUIRE(b[i] == was[i] + u[i % M] * v[i / M]);
    free(was);
}

SECTION(elementwise)
{
    const float two = 2, three = 3;
    struct blas_handle *handle = test_handle();
    float *a = test_memory(CUDA_R_32F, M * N), *b = test_memory(CUDA_R_32F, M * N), *c = test_memory(CUDA_R_32F, M * N);
    float *x = test_memory(CUDA_R_32F, N);
    WORKS(cublasSgeam(handle, 0, 1, M, N, &two, a, M, &three, b, N, c, M));
    for (int i = 0; i < M * N; i++) REQUIRE(c[i] == 2 * a[i] + 3 * b[i / M + i % M * N]);
    for (int side = 0; side < 2; side++) {
        WORKS(cublasSdgmm(handle, side, M, N, a, M, x, 1, c, M));
        for (int i = 0; i < M * N; i++) REQUIRE(c[i] == a[i] * x[side ? i / M : i % M]);
    }
    REFUSES(INVALID_VALUE, cublasSgeam(handle, 0, 1, M, N, &two, a, M, &three, b, M, c, M));
}

SECTION(copies)
{
    float host[2 * N], got[M * 2] = {0};
    struct blas_handle *handle = test_handle();
    float *x = test_memory(CUDA_R_32F, N);
    for (int i = 0; i < 2 * N; i++) host[i] = (float)i;
    WORKS(cublasSetVector(N, sizeof *x, host, 2, x, 1));
    for (int i = 0; i < N; i++) REQUIRE(x[i] == (float)(2 * i));
    WORKS(cublasGetMatrix(3, 2, sizeof *x, x, 5, got, M));
    for (int i = 0; i < 6; i++) REQUIRE(got[i % 3 + i / 3 * M] == x[i % 3 + i / 3 * 5]);
    REFUSES(INVALID_VALUE, cublasGetMatrix(3, 2, sizeof *x, x, 2, got, M));
    WORKS(cublasDestroy_v2(handle));
}
