// SPDX-License-Identifier: MIT
// When a product runs: in its stream's order, and in a graph as often as that is launched. What calls refuse.
#include "cuda_api.h"
#include "test.h"

enum { EDGE = 4, COUNT = EDGE * EDGE };

static enum cublas_status square(struct blas_handle *handle, const float *a, float *c)
{
    const float one = 1, zero = 0;
    return cublasSgemm_v2(handle, 0, 0, EDGE, EDGE, EDGE, &one, a, EDGE, a, EDGE, &zero, c, EDGE);
}

static void fill_identity(float *a, float value)
{
    for (int i = 0; i < COUNT; i++) a[i] = i % (EDGE + 1) == 0 ? value : 0;
}

// A product behind a wait runs when the wait ends, with what is in memory then.
SECTION(order)
{
    struct blas_handle *handle = test_handle();
    struct CUstream_st *stream, *got;
    float *a = test_memory(CUDA_R_32F, COUNT), *c = test_memory(CUDA_R_32F, COUNT);
    uint32_t *word = test_memory(CUDA_R_32I, 1);
    WORKS(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    WORKS(cublasSetStream_v2(handle, stream));
    WORKS(cublasGetStream_v2(handle, &got));
    REQUIRE(got == stream);
    *word = 0, c[0] = 0;
    fill_identity(a, 2);
    WORKS(cuStreamWaitValue32_v2(stream, (uintptr_t)word, 1, 0));
    WORKS(square(handle, a, c));
    REQUIRE(c[0] == 0);
    fill_identity(a, 3);
    *(volatile uint32_t *)word = 1;
    WORKS(cuStreamSynchronize(stream));
    REQUIRE(c[0] == 9 && c[1] == 0 && c[COUNT - 1] == 9);
}

SECTION(capture)
{
    struct blas_handle *handle = test_handle();
    struct CUstream_st *stream;
    struct CUgraph_st *graph;
    struct CUgraphExec_st *exec;
    float *a = test_memory(CUDA_R_32F, COUNT), *c = test_memory(CUDA_R_32F, COUNT);
    WORKS(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    WORKS(cublasSetStream_v2(handle, stream));
    c[0] = 0;
    WORKS(cuStreamBeginCapture_v2(stream, 0));
    WORKS(square(handle, a, c));
    WORKS(cuStreamEndCapture(stream, &graph));
    REQUIRE(c[0] == 0);
    WORKS(cuGraphInstantiateWithFlags(&exec, graph, 0));
    WORKS(cuGraphDestroy(graph));
    for (int i = 1; i < 4; i++) {
        fill_identity(a, (float)i);
        WORKS(cuGraphLaunch(exec, stream));
        WORKS(cuStreamSynchronize(stream));
        REQUIRE(c[0] == (float)(i * i));
    }
    WORKS(cuGraphExecDestroy(exec));
}

SECTION(refusals)
{
    const float one = 1;
    float host[COUNT] = {0};
    struct blas_handle *handle = test_handle();
    float *a = test_memory(CUDA_R_32F, 1024), *c = test_memory(CUDA_R_32F, COUNT);
#define GEMM(ta, m, n, k, alpha, a, lda, ldb, c, ldc)                                                                  \
    cublasSgemm_v2(handle, ta, 0, m, n, k, alpha, a, lda, a, ldb, &one, c, ldc)
    REFUSES(INVALID_VALUE, GEMM(3, 4, 4, 4, &one, a, 4, 4, c, 4));
    REFUSES(INVALID_VALUE, GEMM(0, -1, 4, 4, &one, a, 4, 4, c, 4));
    REFUSES(INVALID_VALUE, GEMM(0, 4, 4, 4, &one, a, 3, 4, c, 4));
    REFUSES(INVALID_VALUE, GEMM(0, 4, 4, 4, &one, a, 4, 3, c, 4));
    REFUSES(INVALID_VALUE, GEMM(1, 4, 4, 5, &one, a, 4, 5, c, 4));
    REFUSES(INVALID_VALUE, GEMM(0, 4, 4, 4, &one, a, 4, 4, c, 3));
    REFUSES(INVALID_VALUE, GEMM(0, 4, 4, 4, NULL, a, 4, 4, c, 4));
    REFUSES(EXECUTION_FAILED, GEMM(0, 4, 4, 4, &one, host, 4, 4, c, 4));
    REFUSES(EXECUTION_FAILED, GEMM(0, 64, 64, 64, &one, a, 64, 64, c, 64));
    REFUSES(SUCCESS, GEMM(0, 0, 4, 4, &one, a, 4, 4, c, 4));
    REFUSES(SUCCESS, GEMM(0, 4, 0, 4, &one, a, 4, 4, c, 4));
    REFUSES(NOT_SUPPORTED, cublasGemmEx(handle, 0, 0, 4, 4, 4, &one, a, CUDA_R_16F, 4, a, CUDA_R_16BF, 4, &one, c,
                                        CUDA_R_32F, 4, 68, -1));
    REFUSES(NOT_SUPPORTED, cublasUint8gemmBias());
}

SECTION(handles)
{
    int version = 0;
    struct blas_handle *handle = test_handle();
    REFUSES(NOT_INITIALIZED, square(NULL, NULL, NULL));
    REFUSES(INVALID_VALUE, cublasCreate_v2(NULL));
    WORKS(cublasGetVersion_v2(handle, &version));
    REQUIRE(version >= 130000);
    REFUSES(INVALID_VALUE, cublasSetWorkspace_v2(handle, (void *)1, 0));
    WORKS(cublasSetWorkspace_v2(handle, NULL, 0));
    REQUIRE(strcmp(cublasGetStatusString(CUBLAS_STATUS_NOT_SUPPORTED), "CUBLAS_STATUS_NOT_SUPPORTED") == 0);
    WORKS(cublasDestroy_v2(handle));
    REFUSES(NOT_INITIALIZED, cublasDestroy_v2(NULL));
}
