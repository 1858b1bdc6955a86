// SPDX-License-Identifier: MIT
// cublasXt: a product of matrices of the host, there when the call returns.
#include "test.h"

enum cublas_status cublasXtCreate(struct blas_handle **handle);
enum cublas_status cublasXtDestroy(struct blas_handle *handle);
enum cublas_status cublasXtDeviceSelect(struct blas_handle *handle, int count, const int *devices);
enum cublas_status cublasXtSetBlockDim(struct blas_handle *handle, int value);
enum cublas_status cublasXtDgemm(struct blas_handle *handle, int ta, int tb, size_t m, size_t n, size_t k,
                                 const double *alpha, const double *a, size_t lda, const double *b, size_t ldb,
                                 const double *beta, double *c, size_t ldc);

SECTION(xt)
{
    const double a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, alpha = 2, beta = -1;
    double c[4] = {1, 1, 1, 1}, *on_device;
    const int devices[2] = {0, 1};
    struct blas_handle *handle;
    WORKS(cublasXtCreate(&handle));
    on_device = test_memory(CUDA_R_64F, 4);
    WORKS(cublasXtDeviceSelect(handle, 1, devices));
    REFUSES(INVALID_VALUE, cublasXtDeviceSelect(handle, 2, devices));
    WORKS(cublasXtSetBlockDim(handle, 64));
    WORKS(cublasXtDgemm(handle, 0, 1, 2, 2, 2, &alpha, a, 2, b, 2, &beta, c, 2));
    REQUIRE(c[0] == 2 * (5 + 21) - 1 && c[1] == 2 * (10 + 28) - 1 && c[2] == 2 * (6 + 24) - 1 && c[3] == 2 * 44 - 1);
    memcpy(on_device, a, sizeof a);
    WORKS(cublasXtDgemm(handle, 0, 0, 2, 2, 2, &alpha, on_device, 2, b, 2, &beta, c, 2));
    REQUIRE(c[0] == 2 * (5 + 18) - 51);
    REFUSES(INVALID_VALUE, cublasXtDgemm(handle, 0, 0, 2, 2, 2, &alpha, a, 1, b, 2, &beta, c, 2));
    WORKS(cublasXtDestroy(handle));
}
