// SPDX-License-Identifier: MIT
// The opponent of our GEMM: cublasLtMatmul of the cuBLASLt on this machine, opened at run time. The types are written
// by hand and checked against cublasLt.h where that exists (tests/meta/cublas_abi_check.c). Source: cuBLAS 13.0.
#ifndef TMAREF_CUBLAS_H
#define TMAREF_CUBLAS_H

#include <stddef.h>
#include <stdint.h>

#include "cuda.h"

// Values of cudaDataType, cublasComputeType_t and the attributes that are used, as the headers have them.
#define CUBLAS_VALUE_ROWS(X)                                                                                           \
    X(CUDA_R_32F, 0)                                                                                                   \
    X(CUDA_R_16F, 2)                                                                                                   \
    X(CUDA_R_16BF, 14)                                                                                                 \
    X(CUDA_R_8F_E4M3, 28)                                                                                              \
    X(CUDA_R_8F_E5M2, 29)                                                                                              \
    X(CUBLAS_COMPUTE_32F, 68)                                                                                          \
    X(CUBLAS_OP_T, 1)                                                                                                  \
    X(CUBLASLT_MATMUL_DESC_TRANSA, 3)                                                                                  \
    X(CUBLASLT_MATMUL_DESC_FAST_ACCUM, 25)                                                                             \
    X(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 1)

#ifndef TMAREF_CUBLAS_ABI_CHECK
enum cublas_value {
#define X(name, value) name = value,
    CUBLAS_VALUE_ROWS(X)
#undef X
};
#endif

// cublasLtMatmulAlgo_t and cublasLtMatmulHeuristicResult_t.
struct cublas_algo {
    uint64_t data[8];
};

struct cublas_heuristic {
    struct cublas_algo algo;
    size_t workspace_bytes;
    int state;
    float waves;
    int reserved[4];
};

// The calls, as driver_calls.def has the driver's: the handles and descriptors are pointers that are never looked into.
#define CUBLAS_CALL_ROWS(X)                                                                                            \
    X(cublasLtCreate, (void **handle))                                                                                 \
    X(cublasLtMatmulDescCreate, (void **desc, int compute_type, int scale_type))                                       \
    X(cublasLtMatmulDescSetAttribute, (void *desc, int attribute, const void *value, size_t bytes))                    \
    X(cublasLtMatmulDescDestroy, (void *desc))                                                                         \
    X(cublasLtMatrixLayoutDestroy, (void *layout))                                                                     \
    X(cublasLtMatmulPreferenceDestroy, (void *preference))                                                             \
    X(cublasLtMatrixLayoutCreate, (void **layout, int type, uint64_t rows, uint64_t columns, int64_t leading))         \
    X(cublasLtMatmulPreferenceCreate, (void **preference))                                                             \
    X(cublasLtMatmulPreferenceSetAttribute, (void *preference, int attribute, const void *value, size_t bytes))        \
    X(cublasLtMatmulAlgoGetHeuristic, (void *handle, void *desc, void *a, void *b, void *c, void *d, void *preference, \
                                       int wanted, struct cublas_heuristic *results, int *found))                      \
    X(cublasLtMatmul, (void *handle, void *desc, const void *alpha, const void *a, void *a_layout, const void *b,      \
                       void *b_layout, const void *beta, const void *c, void *c_layout, void *d, void *d_layout,       \
                       const struct cublas_algo *algo, void *workspace, size_t workspace_bytes, void *stream))

struct cublas {
#define X(name, parameters) int(*name) parameters;
    CUBLAS_CALL_ROWS(X)
#undef X
    size_t (*cublasLtGetVersion)(void);
    void *handle;
    unsigned long long workspace; // device memory
};

enum {
    CUBLAS_WORKSPACE_BYTES = 32 << 20, // what cuBLAS recommends for Hopper
    CUBLAS_MAX_ALGOS = 128,            // more than its heuristic has been seen to return
};

// One product, ready to run: D[m, n] = A[m, k] * B[n, k]^T, all row-major, by any of the algorithms that cuBLASLt's
// heuristic returns, best first as it thinks. `algo` is the one that runs.
struct cublas_gemm {
    void *desc, *a, *b, *d; // cuBLAS sees columns: its A is our B
    struct cublas_heuristic result[CUBLAS_MAX_ALGOS];
    int found, algo;
};

// Opens libcublasLt.so.13 or .12. Returns 0 with a sentence in `why` if there is none that works.
int cublas_open(struct cublas *cublas, unsigned long long workspace, struct text *why);

// Makes a plan: fast accumulation for fp8, CUBLAS_WORKSPACE_BYTES of workspace. `input`, `output`: CUDA_R_ values.
// Returns 0 or the cublasStatus_t, -1 if there is no algorithm.
int cublas_plan(const struct cublas *cublas, int input, int output, uint64_t m, uint64_t n, uint64_t k,
                struct cublas_gemm *gemm);
void cublas_plan_free(const struct cublas *cublas, struct cublas_gemm *gemm);

// Starts it on a stream; a, b, d: device addresses. Returns 0 or the cublasStatus_t.
int cublas_start(const struct cublas *cublas, const struct cublas_gemm *gemm, unsigned long long a,
                 unsigned long long b, unsigned long long d, void *stream);

#endif
