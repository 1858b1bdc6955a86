// SPDX-License-Identifier: MIT
// cublasLtMatmul: orders, epilogues, FP8 with its scales, and what it refuses.
#include "fp8_recorded.h"
#include "test.h"

#include <math.h>

struct algorithm_found {
    uint64_t algorithm[8];
    size_t workspace_bytes;
    int state;
    float waves;
    int reserved[4];
};

enum cublas_status cublasLtCreate(struct blas_handle **handle);
enum cublas_status cublasLtDestroy(struct blas_handle *handle);
enum cublas_status cublasLtMatmulDescCreate(void **to, int compute_type, int scale_type);
enum cublas_status cublasLtMatmulDescInit_internal(void *to, size_t room, int compute_type, int scale_type);
enum cublas_status cublasLtMatmulDescDestroy(void *descriptor);
enum cublas_status cublasLtMatmulDescSetAttribute(void *descriptor, int number, const void *value, size_t bytes);
enum cublas_status cublasLtMatmulDescGetAttribute(const void *descriptor, int number, void *value, size_t bytes,
                                                  size_t *written);
enum cublas_status cublasLtMatrixLayoutCreate(void **to, int type, uint64_t rows, uint64_t columns, int64_t leading);
enum cublas_status cublasLtMatrixLayoutDestroy(void *layout);
enum cublas_status cublasLtMatrixLayoutSetAttribute(void *layout, int number, const void *value, size_t bytes);
enum cublas_status cublasLtMatmulPreferenceCreate(void **to);
enum cublas_status cublasLtMatmulPreferenceSetAttribute(void *preference, int number, const void *value, size_t bytes);
enum cublas_status cublasLtMatmulPreferenceDestroy(void *preference);
enum cublas_status cublasLtMatmulAlgoGetHeuristic(struct blas_handle *handle, void *descriptor, void *a, void *b,
                                                  void *c, void *d, void *preference, int wanted,
                                                  struct algorithm_found *results, int *found);
enum cublas_status cublasLtMatmul(struct blas_handle *handle, void *descriptor, const void *alpha, const void *a,
                                  void *layout_a, const void *b, void *layout_b, const void *beta, const void *c,
                                  void *layout_c, void *d, void *layout_d, const void *algorithm, void *workspace,
                                  size_t workspace_bytes, struct CUstream_st *stream);

enum {
    TRANS_A = 3,
    TRANS_B,
    EPILOGUE = 7,
    BIAS = 8,
    AUX = 11,
    AUX_LEADING,
    SCALE_A = 17,
    SCALE_B,
    SCALE_D = 20,
    AMAX,
    FAST_ACCUM = 25,
    BIAS_TYPE
};
enum { ORDER = 1, BATCHES = 5, BATCH_STEP };
enum { M = 16, N = 32, K = 48 };

static void set(void *descriptor, int number, const void *value, size_t bytes)
{
    WORKS(cublasLtMatmulDescSetAttribute(descriptor, number, value, bytes));
}

static void set_int(void *descriptor, int number, int value)
{
    set(descriptor, number, &value, sizeof value);
}

static void set_pointer(void *descriptor, int number, const void *value)
{
    set(descriptor, number, &value, sizeof value);
}

static void *descriptor_new(void)
{
    void *descriptor;
    WORKS(cublasLtMatmulDescCreate(&descriptor, COMPUTE_32F, CUDA_R_32F));
    return test_keep(descriptor);
}

static void *layout_new(int type, int rows, int columns, int leading)
{
    void *layout;
    WORKS(cublasLtMatrixLayoutCreate(&layout, type, (uint64_t)rows, (uint64_t)columns, leading));
    return test_keep(layout);
}

// The sum at (row, column) of a matrix by rows, or one turned, and one by columns.
static double sum_of(int type, const void *a, const void *b, int row, int column)
{
    double sum = 0;
    for (int k = 0; k < K; k++) sum += test_number(type, a, row * K + k) * test_number(type, b, column * K + k);
    return sum;
}

static double rounded(int type, double value)
{
    double bits;
    numbers_put((enum number_type)type, &bits, 0, value);
    return test_number(type, &bits, 0);
}

static struct blas_handle *handle_new(void)
{
    struct blas_handle *handle;
    WORKS(cublasLtCreate(&handle));
    return test_keep(handle);
}

// A by rows, without a transpose; D = gelu(A B + bias), with what goes into gelu.
SECTION(lt_epilogues)
{
    const float one = 1, zero = 0;
    const int by_rows = 1;
    const int64_t leading = M + 3;
    struct blas_handle *handle = handle_new();
    void *descriptor = descriptor_new();
    void *layout_a = layout_new(CUDA_R_16BF, M, K, K), *layout_b = layout_new(CUDA_R_16BF, K, N, K);
    void *layout_d = layout_new(CUDA_R_16BF, M, N, M);
    void *a = test_memory(CUDA_R_16BF, M * K), *b = test_memory(CUDA_R_16BF, K * N);
    void *d = test_memory(CUDA_R_16BF, M * N), *bias = test_memory(CUDA_R_16BF, M);
    void *aux = test_memory(CUDA_R_16BF, leading * N);
    WORKS(cublasLtMatrixLayoutSetAttribute(layout_a, ORDER, &by_rows, sizeof by_rows));
    set_int(descriptor, EPILOGUE, 32 | 4 | 128);
    set_pointer(descriptor, BIAS, bias);
    set_pointer(descriptor, AUX, aux);
    set(descriptor, AUX_LEADING, &leading, sizeof leading);
    WORKS(cublasLtMatmul(handle, descriptor, &one, a, layout_a, b, layout_b, &zero, NULL, layout_d, d, layout_d, NULL,
                         NULL, 0, NULL));
    for (int i = 0; i < M * N; i++) {
        const int row = i % M, column = i / M;
        const double x = sum_of(CUDA_R_16BF, a, b, row, column) + test_number(CUDA_R_16BF, bias, row);
        const double gelu = 0.5 * x * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)));
        REQUIRE(test_number(CUDA_R_16BF, aux, row + column * leading) == rounded(CUDA_R_16BF, x));
        REQUIRE(fabs(test_number(CUDA_R_16BF, d, i) - gelu) <= fabs(gelu) / 128);
    }
    set_pointer(descriptor, BIAS, NULL);
    REFUSES(INVALID_VALUE, cublasLtMatmul(handle, descriptor, &one, a, layout_a, b, layout_b, &zero, NULL, layout_d, d,
                                          layout_d, NULL, NULL, 0, NULL));
    set_pointer(descriptor, BIAS, &one);
    REFUSES(EXECUTION_FAILED, cublasLtMatmul(handle, descriptor, &one, a, layout_a, b, layout_b, &zero, NULL, layout_d,
                                             d, layout_d, NULL, NULL, 0, NULL));
    set_int(descriptor, EPILOGUE, 2);
    WORKS(cublasLtMatmul(handle, descriptor, &one, a, layout_a, b, layout_b, &zero, d, layout_d, d, layout_d, NULL,
                         NULL, 0, NULL));
    for (int i = 0; i < M * N; i++)
        REQUIRE(test_number(CUDA_R_16BF, d, i) ==
                rounded(CUDA_R_16BF, fmax(0, sum_of(CUDA_R_16BF, a, b, i % M, i / M))));
    WORKS(cublasLtMatmulDescDestroy(descriptor));
    WORKS(cublasLtMatrixLayoutDestroy(layout_a));
    WORKS(cublasLtDestroy(handle));
}

// D of FP8 is scaled last; its greatest number is that before. What is too large becomes 448.
SECTION(lt_fp8)
{
    const float alpha = 2, zero = 0;
    struct blas_handle *handle = handle_new();
    void *descriptor = descriptor_new(), *layout_a = layout_new(CUDA_R_8F_E4M3, K, M, K);
    void *layout_b = layout_new(CUDA_R_8F_E4M3, K, N, K), *layout_c = layout_new(CUDA_R_16BF, M, N, M);
    void *layout_d = layout_new(CUDA_R_8F_E4M3, M, N, M);
    void *a = test_memory(CUDA_R_8F_E4M3, K * M), *b = test_memory(CUDA_R_8F_E4M3, K * N);
    void *d = test_memory(CUDA_R_8F_E4M3, M * N);
    float *scales = test_memory(CUDA_R_32F, 4);
    double most = 0;
    scales[0] = 0.5f, scales[1] = 0.25f, scales[2] = 8, scales[3] = -1;
    set_int(descriptor, TRANS_A, CUBLAS_OP_T);
    set_pointer(descriptor, SCALE_A, scales);
    set_pointer(descriptor, SCALE_B, scales + 1);
    set_pointer(descriptor, SCALE_D, scales + 2);
    set_pointer(descriptor, AMAX, scales + 3);
    WORKS(cublasLtMatmul(handle, descriptor, &alpha, a, layout_a, b, layout_b, &zero, NULL, layout_c, d, layout_d, NULL,
                         NULL, 0, NULL));
    for (int i = 0; i < M * N; i++) {
        const double x = sum_of(CUDA_R_8F_E4M3, a, b, i % M, i / M) / 4;
        REQUIRE(test_number(CUDA_R_8F_E4M3, d, i) == rounded(CUDA_R_8F_E4M3, 8 * x));
        REQUIRE(fabs(test_number(CUDA_R_8F_E4M3, d, i)) <= 448);
        most = fmax(most, fabs(x));
    }
    REQUIRE(most * 8 > 448 && scales[3] == (float)most);
    set_int(descriptor, TRANS_A, CUBLAS_OP_N);
    REFUSES(INVALID_VALUE, cublasLtMatmul(handle, descriptor, &alpha, a, layout_a, b, layout_b, &zero, NULL, layout_c,
                                          d, layout_d, NULL, NULL, 0, NULL));
}

// Of the device, with these bytes.
static void *memory_of(const void *bytes, size_t count)
{
    return memcpy(test_memory(CUDA_R_8I, (int64_t)count), bytes, count);
}

// D of f32, n x n: alpha * A * B + beta * C, with the bias of bf16 if there is one. C is in d before.
static void multiply_fp8(struct blas_handle *handle, void *descriptor, int n, int k, const void *a, const void *b,
                         const float *factors, float *d)
{
    void *in = layout_new(CUDA_R_8F_E4M3, k, n, k), *out = layout_new(CUDA_R_32F, n, n, n);
    set_int(descriptor, TRANS_A, CUBLAS_OP_T);
    WORKS(cublasLtMatmul(handle, descriptor, &factors[0], memory_of(a, (size_t)(n * k)), in,
                         memory_of(b, (size_t)(n * k)), in, &factors[1], d, out, d, out, NULL, NULL, 0, NULL));
}

// The sums of an H200, bit for bit: with fast sums one chain of wgmma, else of each 128 elements one.
SECTION(lt_fp8_recorded)
{
    struct blas_handle *handle = handle_new();
    const uint32_t *const recorded[] = {recorded_slow, recorded_fast};
    const float factors[] = {1, 0}, others[] = {0.37f, 0.71f};
    for (int8_t fast = 0; fast < 2; fast++) {
        void *descriptor = descriptor_new();
        float *d = test_memory(CUDA_R_32F, RECORDED * RECORDED);
        set(descriptor, FAST_ACCUM, &fast, sizeof fast);
        multiply_fp8(handle, descriptor, RECORDED, RECORDED_K, recorded_a, recorded_b, factors, d);
        REQUIRE(memcmp(d, recorded[fast], sizeof recorded_slow) == 0);
    }
    void *descriptor = descriptor_new();
    const int8_t fast = 1;
    float *d = memory_of(finished_c, sizeof finished_c);
    set(descriptor, FAST_ACCUM, &fast, sizeof fast);
    set_int(descriptor, EPILOGUE, 4);
    set_pointer(descriptor, BIAS, memory_of(finished_bias, sizeof finished_bias));
    multiply_fp8(handle, descriptor, FINISHED, FINISHED_K, finished_a, finished_b, others, d);
    REQUIRE(memcmp(d, finished_d, sizeof finished_d) == 0);
    WORKS(cublasLtDestroy(handle));
}

SECTION(lt_choice)
{
    enum { ATTRIBUTE_WORKSPACE = 1, OPAQUE_BYTES = 256 };
    const uint64_t workspace = 1 << 20;
    uint64_t own[OPAQUE_BYTES / 8];
    struct algorithm_found found;
    int count = -1, operation = -1;
    size_t written = 0;
    struct blas_handle *handle = handle_new();
    void *descriptor = descriptor_new(), *preference, *layout_a = layout_new(CUDA_R_16F, M, K, M);
    void *layout_b = layout_new(CUDA_R_16F, K, N, K), *layout_d = layout_new(CUDA_R_16F, M, N, M);
    void *other = layout_new(CUDA_R_16BF, K, N, K), *narrow = layout_new(CUDA_R_16F, K + 1, N, K + 1);
    WORKS(cublasLtMatmulPreferenceCreate(&preference));
    WORKS(cublasLtMatmulPreferenceSetAttribute(preference, ATTRIBUTE_WORKSPACE, &workspace, sizeof workspace));
#define CHOOSE(b)                                                                                                      \
    cublasLtMatmulAlgoGetHeuristic(handle, descriptor, layout_a, b, layout_d, layout_d, preference, 1, &found, &count)
    WORKS(CHOOSE(layout_b));
    REQUIRE(count == 1 && found.state == 0 && found.workspace_bytes == 0);
    REFUSES(NOT_SUPPORTED, CHOOSE(other));
    REQUIRE(count == 0);
    REFUSES(INVALID_VALUE, CHOOSE(narrow));
    set_int(descriptor, EPILOGUE, 512);
    REFUSES(NOT_SUPPORTED, CHOOSE(layout_b));
    REFUSES(INVALID_VALUE, cublasLtMatmulDescSetAttribute(descriptor, TRANS_A, &operation, 1));
    REFUSES(INVALID_VALUE, cublasLtMatmulDescSetAttribute(descriptor, 99, &operation, 4));
    set_int(descriptor, TRANS_B, CUBLAS_OP_T);
    WORKS(cublasLtMatmulDescGetAttribute(descriptor, TRANS_B, &operation, sizeof operation, &written));
    REQUIRE(operation == CUBLAS_OP_T && written == sizeof operation);
    WORKS(cublasLtMatmulDescInit_internal(own, sizeof own, COMPUTE_32F, CUDA_R_32F));
    REFUSES(INVALID_VALUE, cublasLtMatmulDescInit_internal(own, 8, COMPUTE_32F, CUDA_R_32F));
    WORKS(cublasLtMatmulPreferenceDestroy(preference));
}

// B is the same for all of a batch.
SECTION(lt_batches)
{
    enum { COUNT = 3 };
    const float one = 1, zero = 0;
    const int count = COUNT;
    const int64_t step_a = M * K, step_d = M * N;
    struct blas_handle *handle = handle_new();
    void *descriptor = descriptor_new(), *layout_a = layout_new(CUDA_R_32F, K, M, K);
    void *layout_b = layout_new(CUDA_R_32F, K, N, K), *layout_d = layout_new(CUDA_R_32F, M, N, M);
    float *a = test_memory(CUDA_R_32F, step_a * COUNT), *b = test_memory(CUDA_R_32F, K * N);
    float *d = test_memory(CUDA_R_32F, step_d * COUNT);
    void *const all[] = {layout_a, layout_b, layout_d};
    set_int(descriptor, TRANS_A, CUBLAS_OP_T);
    REFUSES(SUCCESS, cublasLtMatrixLayoutSetAttribute(layout_a, BATCHES, &count, sizeof count));
    REFUSES(INVALID_VALUE, cublasLtMatmul(handle, descriptor, &one, a, layout_a, b, layout_b, &zero, d, layout_d, d,
                                          layout_d, NULL, NULL, 0, NULL));
    for (int i = 0; i < 3; i++) WORKS(cublasLtMatrixLayoutSetAttribute(all[i], BATCHES, &count, sizeof count));
    WORKS(cublasLtMatrixLayoutSetAttribute(layout_a, BATCH_STEP, &step_a, sizeof step_a));
    WORKS(cublasLtMatrixLayoutSetAttribute(layout_d, BATCH_STEP, &step_d, sizeof step_d));
    WORKS(cublasLtMatmul(handle, descriptor, &one, a, layout_a, b, layout_b, &zero, d, layout_d, d, layout_d, NULL,
                         NULL, 0, NULL));
    for (int batch = 0; batch < COUNT; batch++)
        for (int i = 0; i < M * N; i++)
            REQUIRE(d[batch * step_d + i] == sum_of(CUDA_R_32F, a + batch * step_a, b, i % M, i / M));
}
