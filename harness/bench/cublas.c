// SPDX-License-Identifier: MIT
#include "cublas.h"

#include "cuda.h"

static void *open_library(void)
{
    static const char *const names[] = {"libcublasLt.so.13", "/usr/local/cuda/lib64/libcublasLt.so.13",
                                        "libcublasLt.so.12", "/usr/local/cuda/lib64/libcublasLt.so.12"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library != NULL) return library;
    }
    return NULL;
}

int cublas_open(struct cublas *cublas, unsigned long long workspace, struct text *why)
{
    void *library = open_library();
    *cublas = (struct cublas){.workspace = workspace};
    if (library == NULL)
        return text_fail(why,
                         "there is no libcublasLt.so.13 or .12 to compare with (LD_LIBRARY_PATH can name its folder)");
#define X(name, parameters)                                                                                            \
    if (!symbol_find(library, #name, &cublas->name)) {                                                                 \
        text_set(why, "the cuBLASLt here has no " #name);                                                              \
        return 0;                                                                                                      \
    }
    CUBLAS_CALL_ROWS(X)
#undef X
    if (!symbol_find(library, "cublasLtGetVersion", &cublas->cublasLtGetVersion) ||
        cublas->cublasLtCreate(&cublas->handle))
        return text_fail(why, "cuBLASLt does not start on this device");
    return 1;
}

// Row-major D = A B^T is column-major D^T = B A^T: the first operand is our B, transposed, the second our A as it lies.
int cublas_plan(const struct cublas *cublas, int input, int output, uint64_t m, uint64_t n, uint64_t k,
                struct cublas_gemm *gemm)
{
    int transposed = CUBLAS_OP_T, found = 0, status;
    int8_t fast = input == CUDA_R_8F_E4M3 || input == CUDA_R_8F_E5M2;
    size_t workspace = CUBLAS_WORKSPACE_BYTES;
    void *preference = NULL;
    *gemm = (struct cublas_gemm){.algo = 0};
    if ((status = cublas->cublasLtMatmulDescCreate(&gemm->desc, CUBLAS_COMPUTE_32F, CUDA_R_32F)) != 0 ||
        (status = cublas->cublasLtMatmulDescSetAttribute(gemm->desc, CUBLASLT_MATMUL_DESC_TRANSA, &transposed,
                                                         sizeof transposed)) != 0 ||
        (status = cublas->cublasLtMatmulDescSetAttribute(gemm->desc, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast,
                                                         sizeof fast)) != 0 ||
        (status = cublas->cublasLtMatrixLayoutCreate(&gemm->b, input, k, n, (int64_t)k)) != 0 ||
        (status = cublas->cublasLtMatrixLayoutCreate(&gemm->a, input, k, m, (int64_t)k)) != 0 ||
        (status = cublas->cublasLtMatrixLayoutCreate(&gemm->d, output, n, m, (int64_t)n)) != 0 ||
        (status = cublas->cublasLtMatmulPreferenceCreate(&preference)) != 0 ||
        (status = cublas->cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                               &workspace, sizeof workspace)) != 0 ||
        (status = cublas->cublasLtMatmulAlgoGetHeuristic(cublas->handle, gemm->desc, gemm->b, gemm->a, gemm->d, gemm->d,
                                                         preference, CUBLAS_MAX_ALGOS, gemm->result, &found)) != 0)
        found = 0;
    if (preference != NULL) cublas->cublasLtMatmulPreferenceDestroy(preference);
    for (int i = 0; i < found; i++)
        if (gemm->result[i].state == 0) gemm->result[gemm->found++] = gemm->result[i];
    return status == 0 && gemm->found == 0 ? -1 : status;
}

void cublas_plan_free(const struct cublas *cublas, struct cublas_gemm *gemm)
{
    if (gemm->desc != NULL) cublas->cublasLtMatmulDescDestroy(gemm->desc);
    if (gemm->a != NULL) cublas->cublasLtMatrixLayoutDestroy(gemm->a);
    if (gemm->b != NULL) cublas->cublasLtMatrixLayoutDestroy(gemm->b);
    if (gemm->d != NULL) cublas->cublasLtMatrixLayoutDestroy(gemm->d);
    *gemm = (struct cublas_gemm){.algo = 0};
}

int cublas_start(const struct cublas *cublas, const struct cublas_gemm *gemm, unsigned long long a,
                 unsigned long long b, unsigned long long d, void *stream)
{
    static const float one = 1, zero = 0;
    void *out = (void *)(uintptr_t)d;
    return cublas->cublasLtMatmul(cublas->handle, gemm->desc, &one, (const void *)(uintptr_t)b, gemm->b,
                                  (const void *)(uintptr_t)a, gemm->a, &zero, out, gemm->d, out, gemm->d,
                                  &gemm->result[gemm->algo].algo, (void *)(uintptr_t)cublas->workspace,
                                  CUBLAS_WORKSPACE_BYTES, stream);
}
