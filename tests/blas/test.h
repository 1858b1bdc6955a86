// SPDX-License-Identifier: MIT
// What the tests of the simulated cuBLAS share: the calls as a program declares them, and what a call must return.
#ifndef TMAREF_TESTS_BLAS_H
#define TMAREF_TESTS_BLAS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "section.h"

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (condition) break;                                                                                          \
        printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                               \
        exit(1);                                                                                                       \
    } while (0)

// A call, and the status that it returns, without its CUBLAS_STATUS_.
#define WORKS(call)           REQUIRE((int)(call) == 0)
#define REFUSES(status, call) REQUIRE((call) == CUBLAS_STATUS_##status)

struct blas_handle *test_handle(void);

// What a test does not free stays reachable to its end. Returns `it`.
void *test_keep(void *it);

// Memory of the device, which the host reads and writes too; each element of `type` is a small number that fits it.
void *test_memory(int type, int64_t count);

// The real number at `index`, of a complex one a part.
double test_number(int type, const void *at, int64_t index);

enum cublas_status cublasCreate_v2(struct blas_handle **handle);
enum cublas_status cublasDestroy_v2(struct blas_handle *handle);
enum cublas_status cublasSetStream_v2(struct blas_handle *handle, struct CUstream_st *stream);
enum cublas_status cublasGetStream_v2(struct blas_handle *handle, struct CUstream_st **stream);
enum cublas_status cublasSetPointerMode_v2(struct blas_handle *handle, int mode);
enum cublas_status cublasSetMathMode(struct blas_handle *handle, int mode);
enum cublas_status cublasSetWorkspace_v2(struct blas_handle *handle, void *workspace, size_t bytes);
enum cublas_status cublasGetVersion_v2(struct blas_handle *handle, int *version);
const char *cublasGetStatusString(enum cublas_status status);
enum cublas_status cublasSgemm_v2(struct blas_handle *handle, int ta, int tb, int m, int n, int k, const float *alpha,
                                  const float *a, int lda, const float *b, int ldb, const float *beta, float *c,
                                  int ldc);
enum cublas_status cublasDgemm_v2_64(struct blas_handle *handle, int ta, int tb, int64_t m, int64_t n, int64_t k,
                                     const double *alpha, const double *a, int64_t lda, const double *b, int64_t ldb,
                                     const double *beta, double *c, int64_t ldc);
enum cublas_status cublasSgemmBatched(struct blas_handle *handle, int ta, int tb, int m, int n, int k,
                                      const float *alpha, const float *const *a, int lda, const float *const *b,
                                      int ldb, const float *beta, float *const *c, int ldc, int batches);
enum cublas_status cublasSgemmStridedBatched(struct blas_handle *handle, int ta, int tb, int m, int n, int k,
                                             const float *alpha, const float *a, int lda, long long stride_a,
                                             const float *b, int ldb, long long stride_b, const float *beta, float *c,
                                             int ldc, long long stride_c, int batches);
enum cublas_status cublasGemmEx(struct blas_handle *handle, int ta, int tb, int m, int n, int k, const void *alpha,
                                const void *a, int type_a, int lda, const void *b, int type_b, int ldb,
                                const void *beta, void *c, int type_c, int ldc, int compute, int algorithm);
int cublasUint8gemmBias(void);

#endif
