// SPDX-License-Identifier: MIT
// The products of two matrices: cublas*gemm, *gemmBatched, *gemmStridedBatched, and those of any types (Ex).
#include "blas.h"

#include "cuda_api.h"

int blas_compute_of(int compute_type)
{
    switch (compute_type) {
    case 64: // CUBLAS_COMPUTE_16F, _PEDANTIC
    case 65:
        return COMPUTE_16F;
    case 68: // CUBLAS_COMPUTE_32F, _PEDANTIC, _FAST_16F, _FAST_16BF, _FAST_TF32, _EMULATED_16BFX9
    case 69:
    case 74:
    case 75:
    case 77:
    case 78:
        return COMPUTE_32F;
    case 70: // CUBLAS_COMPUTE_64F, _PEDANTIC, _EMULATED_FIXEDPOINT
    case 71:
    case 79:
        return COMPUTE_64F;
    case 72: // CUBLAS_COMPUTE_32I, _PEDANTIC
    case 73:
        return COMPUTE_32I;
    default:
        return -1;
    }
}

// The types that cublasGemmEx documents, one row each.
int blas_scale_type(int compute, int a, int b, int c)
{
    static const struct {
        int compute, scale, ab, c;
    } rows[] = {
        {COMPUTE_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F},   {COMPUTE_32I, CUDA_R_32I, CUDA_R_8I, CUDA_R_32I},
        {COMPUTE_32F, CUDA_R_32F, CUDA_R_16BF, CUDA_R_16BF}, {COMPUTE_32F, CUDA_R_32F, CUDA_R_16BF, CUDA_R_32F},
        {COMPUTE_32F, CUDA_R_32F, CUDA_R_16F, CUDA_R_16F},   {COMPUTE_32F, CUDA_R_32F, CUDA_R_16F, CUDA_R_32F},
        {COMPUTE_32F, CUDA_R_32F, CUDA_R_8I, CUDA_R_32F},    {COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
        {COMPUTE_32F, CUDA_C_32F, CUDA_C_8I, CUDA_C_32F},    {COMPUTE_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F},
        {COMPUTE_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},   {COMPUTE_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].compute == compute && rows[i].ab == a && rows[i].ab == b && rows[i].c == c) return rows[i].scale;
    return -1;
}

// A matrix as the calls have it: by columns, `leading` elements apart.
struct operand {
    const void *at;
    int type;
    int64_t leading, stride;
};

struct gemm {
    int operation_a, operation_b;
    int64_t m, n, k;
    const void *alpha, *beta;
    struct operand a, b, c;
    int64_t batches;
    bool is_array;
    int compute_type;
    bool is_anywhere; // of cublasXt: in memory of the host too, and done when the call returns
};

static struct matrix matrix_of(const struct gemm *gemm, const struct operand *operand, int operation)
{
    const bool is_turned = operation != CUBLAS_OP_N;
    return (struct matrix){.at = (void *)operand->at,
                           .type = operand->type,
                           .is_conjugate = operation == CUBLAS_OP_C,
                           .is_array = gemm->is_array,
                           .is_host = gemm->is_anywhere,
                           .row_step = is_turned ? operand->leading : 1,
                           .column_step = is_turned ? 1 : operand->leading,
                           .batch_step = operand->stride};
}

static enum cublas_status check_leading(const char *call, const char *what, int64_t leading, int64_t rows)
{
    if (leading >= (rows > 1 ? rows : 1)) return CUBLAS_STATUS_SUCCESS;
    return blas_refuse(call, CUBLAS_STATUS_INVALID_VALUE,
                       "%s is %lld, and the matrix, as it is stored by columns, has %lld rows", what,
                       (long long)leading, (long long)rows);
}

static bool is_operation(int operation)
{
    return operation >= CUBLAS_OP_N && operation <= CUBLAS_OP_C;
}

static enum cublas_status check_sizes(const char *call, const struct gemm *gemm)
{
    enum cublas_status error;
    if (!is_operation(gemm->operation_a) || !is_operation(gemm->operation_b))
        return blas_refuse(call, CUBLAS_STATUS_INVALID_VALUE,
                           "transa is %d and transb %d: they are 0 (N), 1 (T) or 2 (C)", gemm->operation_a,
                           gemm->operation_b);
    if (gemm->m < 0 || gemm->n < 0 || gemm->k < 0 || gemm->batches < 0)
        return blas_refuse(call, CUBLAS_STATUS_INVALID_VALUE, "m %lld, n %lld, k %lld, batches %lld: one is negative",
                           (long long)gemm->m, (long long)gemm->n, (long long)gemm->k, (long long)gemm->batches);
    if (gemm->alpha == NULL || gemm->beta == NULL)
        return blas_refuse(call, CUBLAS_STATUS_INVALID_VALUE, "alpha or beta is a null pointer");
    error = check_leading(call, "lda", gemm->a.leading, gemm->operation_a == CUBLAS_OP_N ? gemm->m : gemm->k);
    if (error == CUBLAS_STATUS_SUCCESS)
        error = check_leading(call, "ldb", gemm->b.leading, gemm->operation_b == CUBLAS_OP_N ? gemm->k : gemm->n);
    return error != CUBLAS_STATUS_SUCCESS ? error : check_leading(call, "ldc", gemm->c.leading, gemm->m);
}

static enum cublas_status gemm_submit(const char *call, void *its_handle, const struct gemm *gemm)
{
    const struct blas_handle *handle = blas_handle_of(its_handle, call);
    if (handle == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
    const enum cublas_status error = check_sizes(call, gemm);
    const int compute = blas_compute_of(gemm->compute_type);
    const int scale = blas_scale_type(compute, gemm->a.type, gemm->b.type, gemm->c.type);
    if (error != CUBLAS_STATUS_SUCCESS) return error;
    if (scale < 0)
        return blas_refuse(call, CUBLAS_STATUS_NOT_SUPPORTED,
                           "there is no product of the types A %d, B %d, C %d (cudaDataType) with the compute type %d",
                           gemm->a.type, gemm->b.type, gemm->c.type, gemm->compute_type);
    const struct matrix c = matrix_of(gemm, &gemm->c, CUBLAS_OP_N);
    const struct product job = {.m = gemm->m,
                                .n = gemm->n,
                                .k = gemm->k,
                                .batches = gemm->batches,
                                .a = matrix_of(gemm, &gemm->a, gemm->operation_a),
                                .b = matrix_of(gemm, &gemm->b, gemm->operation_b),
                                .c = c,
                                .d = c,
                                .alpha = blas_factor(handle->pointer_mode, scale, gemm->alpha),
                                .beta = blas_factor(handle->pointer_mode, scale, gemm->beta)};
    return blas_submit_product(call, handle->base.stream, &job);
}

// --- The calls: of 32 bits, and of 64 (_64) --------------------------------------------------------------------------

#define HEAD(size) void *handle, int transa, int transb, size m, size n, size k
#define GEMM       .operation_a = transa, .operation_b = transb, .m = m, .n = n, .k = k, .alpha = alpha, .beta = beta

#define PLAIN(name, size, type, compute)                                                                               \
    BLAS_VISIBLE enum cublas_status name(HEAD(size), const void *alpha, const void *a, size lda, const void *b,        \
                                         size ldb, const void *beta, void *c, size ldc)                                \
    {                                                                                                                  \
        return gemm_submit(                                                                                            \
            __func__, handle,                                                                                          \
            &(struct gemm){GEMM, {a, type, lda, 0}, {b, type, ldb, 0}, {c, type, ldc, 0}, 1, 0, compute});             \
    }

#define STRIDED(name, size, type, compute)                                                                             \
    BLAS_VISIBLE enum cublas_status name(HEAD(size), const void *alpha, const void *a, size lda, long long stride_a,   \
                                         const void *b, size ldb, long long stride_b, const void *beta, void *c,       \
                                         size ldc, long long stride_c, size batches)                                   \
    {                                                                                                                  \
        return gemm_submit(__func__, handle,                                                                           \
                           &(struct gemm){GEMM,                                                                        \
                                          {a, type, lda, stride_a},                                                    \
                                          {b, type, ldb, stride_b},                                                    \
                                          {c, type, ldc, stride_c},                                                    \
                                          batches,                                                                     \
                                          0,                                                                           \
                                          compute});                                                                   \
    }

#define BATCHED(name, size, type, compute)                                                                             \
    BLAS_VISIBLE enum cublas_status name(HEAD(size), const void *alpha, const void *const *a, size lda,                \
                                         const void *const *b, size ldb, const void *beta, void *const *c, size ldc,   \
                                         size batches)                                                                 \
    {                                                                                                                  \
        return gemm_submit(                                                                                            \
            __func__, handle,                                                                                          \
            &(struct gemm){GEMM, {a, type, lda, 0}, {b, type, ldb, 0}, {c, type, ldc, 0}, batches, 1, compute});       \
    }

// What cublas*Ex of one precision have: the types of A, B and C are arguments, and the compute type is not.
#define EX(name, size, compute)                                                                                        \
    BLAS_VISIBLE enum cublas_status name(HEAD(size), const void *alpha, const void *a, int type_a, size lda,           \
                                         const void *b, int type_b, size ldb, const void *beta, void *c, int type_c,   \
                                         size ldc)                                                                     \
    {                                                                                                                  \
        return gemm_submit(                                                                                            \
            __func__, handle,                                                                                          \
            &(struct gemm){GEMM, {a, type_a, lda, 0}, {b, type_b, ldb, 0}, {c, type_c, ldc, 0}, 1, 0, compute});       \
    }

#define ANY(name, size)                                                                                                \
    BLAS_VISIBLE enum cublas_status name(HEAD(size), const void *alpha, const void *a, int type_a, size lda,           \
                                         const void *b, int type_b, size ldb, const void *beta, void *c, int type_c,   \
                                         size ldc, int compute, int algorithm)                                         \
    {                                                                                                                  \
        (void)algorithm;                                                                                               \
        return gemm_submit(                                                                                            \
            __func__, handle,                                                                                          \
            &(struct gemm){GEMM, {a, type_a, lda, 0}, {b, type_b, ldb, 0}, {c, type_c, ldc, 0}, 1, 0, compute});       \
    }

#define ANY_STRIDED(name, size)                                                                                        \
    BLAS_VISIBLE enum cublas_status name(HEAD(size), const void *alpha, const void *a, int type_a, size lda,           \
                                         long long stride_a, const void *b, int type_b, size ldb, long long stride_b,  \
                                         const void *beta, void *c, int type_c, size ldc, long long stride_c,          \
                                         size batches, int compute, int algorithm)                                     \
    {                                                                                                                  \
        (void)algorithm;                                                                                               \
        return gemm_submit(__func__, handle,                                                                           \
                           &(struct gemm){GEMM,                                                                        \
                                          {a, type_a, lda, stride_a},                                                  \
                                          {b, type_b, ldb, stride_b},                                                  \
                                          {c, type_c, ldc, stride_c},                                                  \
                                          batches,                                                                     \
                                          0,                                                                           \
                                          compute});                                                                   \
    }

#define ANY_BATCHED(name, size)                                                                                        \
    BLAS_VISIBLE enum cublas_status name(HEAD(size), const void *alpha, const void *const *a, int type_a, size lda,    \
                                         const void *const *b, int type_b, size ldb, const void *beta, void *const *c, \
                                         int type_c, size ldc, size batches, int compute, int algorithm)               \
    {                                                                                                                  \
        (void)algorithm;                                                                                               \
        return gemm_submit(                                                                                            \
            __func__, handle,                                                                                          \
            &(struct gemm){GEMM, {a, type_a, lda, 0}, {b, type_b, ldb, 0}, {c, type_c, ldc, 0}, batches, 1, compute}); \
    }

#define COMPUTE(type) ((type) == CUDA_R_64F || (type) == CUDA_C_64F ? COMPUTE_64F : COMPUTE_32F)
#define EACH(x, type)                                                                                                  \
    BOTH(PLAIN, cublas##x##gemm_v2, type, COMPUTE(type))                                                               \
    BOTH(STRIDED, cublas##x##gemmStridedBatched, type, COMPUTE(type))                                                  \
    BOTH(BATCHED, cublas##x##gemmBatched, type, COMPUTE(type))

EACH_TYPE(EACH)
BOTH(PLAIN, cublasHgemm, CUDA_R_16F, COMPUTE_16F)
BOTH(PLAIN, cublasCgemm3m, CUDA_C_32F, COMPUTE_32F)
BOTH(PLAIN, cublasZgemm3m, CUDA_C_64F, COMPUTE_64F)
BOTH(STRIDED, cublasHgemmStridedBatched, CUDA_R_16F, COMPUTE_16F)
BOTH(BATCHED, cublasHgemmBatched, CUDA_R_16F, COMPUTE_16F)
BOTH(EX, cublasSgemmEx, COMPUTE_32F)
BOTH(EX, cublasCgemmEx, COMPUTE_32F)
BOTH_ANY(ANY, cublasGemmEx)
BOTH_ANY(ANY_STRIDED, cublasGemmStridedBatchedEx)
BOTH_ANY(ANY_BATCHED, cublasGemmBatchedEx)

// --- Groups: one after the other, each a batch whose addresses lie behind those of the one before --------------------

struct groups {
    const int *transa, *transb;
    const void *m, *n, *k, *lda, *ldb, *ldc, *sizes;
    const void *alpha, *beta;
    const void *const *a, *const *b, *const *c;
    int types[3], compute_type;
    int64_t count;
    size_t bytes; // of a size
};

static int64_t size_at(const struct groups *groups, const void *array, int64_t i)
{
    return groups->bytes == sizeof(int) ? ((const int *)array)[i] : ((const int64_t *)array)[i];
}

// The arrays of sizes and factors are the host's.
static enum cublas_status submit_groups(const char *call, void *handle, const struct groups *it)
{
    const int scale = blas_scale_type(blas_compute_of(it->compute_type), it->types[0], it->types[1], it->types[2]);
    const size_t factor = scale < 0 ? 0 : numbers_bytes(scale);
    int64_t first = 0;
    for (int64_t i = 0; i < it->count; i++) {
        const struct gemm gemm = {.operation_a = it->transa[i],
                                  .operation_b = it->transb[i],
                                  .m = size_at(it, it->m, i),
                                  .n = size_at(it, it->n, i),
                                  .k = size_at(it, it->k, i),
                                  .alpha = (const uint8_t *)it->alpha + (size_t)i * factor,
                                  .beta = (const uint8_t *)it->beta + (size_t)i * factor,
                                  .a = {(const void *)(it->a + first), it->types[0], size_at(it, it->lda, i), 0},
                                  .b = {(const void *)(it->b + first), it->types[1], size_at(it, it->ldb, i), 0},
                                  .c = {(const void *)(it->c + first), it->types[2], size_at(it, it->ldc, i), 0},
                                  .batches = size_at(it, it->sizes, i),
                                  .is_array = true,
                                  .compute_type = it->compute_type};
        const enum cublas_status error = gemm_submit(call, handle, &gemm);
        if (error != CUBLAS_STATUS_SUCCESS) return error;
        first += gemm.batches;
    }
    return CUBLAS_STATUS_SUCCESS;
}

// All but the types have the same names in both kinds of calls.
#define SUBMIT_GROUPS(size, type_a, type_b, type_c, compute)                                                           \
    submit_groups(__func__, handle,                                                                                    \
                  &(struct groups){transa,                                                                             \
                                   transb,                                                                             \
                                   m,                                                                                  \
                                   n,                                                                                  \
                                   k,                                                                                  \
                                   lda,                                                                                \
                                   ldb,                                                                                \
                                   ldc,                                                                                \
                                   sizes,                                                                              \
                                   alpha,                                                                              \
                                   beta,                                                                               \
                                   a,                                                                                  \
                                   b,                                                                                  \
                                   (const void *const *)c,                                                             \
                                   {type_a, type_b, type_c},                                                           \
                                   compute,                                                                            \
                                   count,                                                                              \
                                   sizeof(size)})
#define GROUPED(name, size, type, compute)                                                                             \
    BLAS_VISIBLE enum cublas_status name(void *handle, const int *transa, const int *transb, const size *m,            \
                                         const size *n, const size *k, const void *alpha, const void *const *a,        \
                                         const size *lda, const void *const *b, const size *ldb, const void *beta,     \
                                         void *const *c, const size *ldc, size count, const size *sizes)               \
    {                                                                                                                  \
        return SUBMIT_GROUPS(size, type, type, type, compute);                                                         \
    }
#define GROUPED_ANY(name, size)                                                                                        \
    BLAS_VISIBLE enum cublas_status name(void *handle, const int *transa, const int *transb, const size *m,            \
                                         const size *n, const size *k, const void *alpha, const void *const *a,        \
                                         int type_a, const size *lda, const void *const *b, int type_b,                \
                                         const size *ldb, const void *beta, void *const *c, int type_c,                \
                                         const size *ldc, size count, const size *sizes, int compute)                  \
    {                                                                                                                  \
        return SUBMIT_GROUPS(size, type_a, type_b, type_c, compute);                                                   \
    }
BOTH(GROUPED, cublasSgemmGroupedBatched, CUDA_R_32F, COMPUTE_32F)
BOTH(GROUPED, cublasDgemmGroupedBatched, CUDA_R_64F, COMPUTE_64F)
BOTH_ANY(GROUPED_ANY, cublasGemmGroupedBatchedEx)

// --- cublasXt: there is one device, and no division into blocks is needed ---------------------------------------------

BLAS_VISIBLE enum cublas_status cublasXtCreate(struct blas_handle **handle)
{
    return blas_create(handle);
}

BLAS_VISIBLE enum cublas_status cublasXtDestroy(struct blas_handle *handle)
{
    return blas_destroy(handle, __func__);
}

BLAS_VISIBLE enum cublas_status cublasXtDeviceSelect(void *handle, int count, const int *devices)
{
    if (blas_handle_of(handle, __func__) == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (count == 1 && devices != NULL && devices[0] == 0) return CUBLAS_STATUS_SUCCESS;
    return blas_refuse(__func__, CUBLAS_STATUS_INVALID_VALUE, "%d devices: there is one, with the number 0", count);
}

#define XT_SETTING(name)                                                                                               \
    BLAS_VISIBLE enum cublas_status name(void *handle, int value)                                                      \
    {                                                                                                                  \
        if (blas_handle_of(handle, __func__) == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;                            \
        return value >= 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;                                       \
    }
XT_SETTING(cublasXtSetBlockDim)
XT_SETTING(cublasXtSetPinningMemMode)

static enum cublas_status xt_submit(const char *call, void *handle, const struct gemm *gemm)
{
    const enum cublas_status error = gemm_submit(call, handle, gemm);
    if (error != CUBLAS_STATUS_SUCCESS) return error;
    const enum cuda_result failed = cuStreamSynchronize(NULL);
    if (failed == CUDA_SUCCESS) return CUBLAS_STATUS_SUCCESS;
    return blas_refuse(call, CUBLAS_STATUS_EXECUTION_FAILED, "the stream failed: CUDA error %d", (int)failed);
}

#define XT(name, its_type, compute)                                                                                    \
    BLAS_VISIBLE enum cublas_status name(HEAD(size_t), const void *alpha, const void *a, size_t lda, const void *b,    \
                                         size_t ldb, const void *beta, void *c, size_t ldc)                            \
    {                                                                                                                  \
        return xt_submit(__func__, handle,                                                                             \
                         &(struct gemm){.operation_a = transa,                                                         \
                                        .operation_b = transb,                                                         \
                                        .m = (int64_t)m,                                                               \
                                        .n = (int64_t)n,                                                               \
                                        .k = (int64_t)k,                                                               \
                                        .alpha = alpha,                                                                \
                                        .beta = beta,                                                                  \
                                        .a = {a, its_type, (int64_t)lda, 0},                                           \
                                        .b = {b, its_type, (int64_t)ldb, 0},                                           \
                                        .c = {c, its_type, (int64_t)ldc, 0},                                           \
                                        .batches = 1,                                                                  \
                                        .compute_type = compute,                                                       \
                                        .is_anywhere = 1});                                                            \
    }
XT(cublasXtSgemm, CUDA_R_32F, COMPUTE_32F)
XT(cublasXtDgemm, CUDA_R_64F, COMPUTE_64F)
XT(cublasXtCgemm, CUDA_C_32F, COMPUTE_32F)
XT(cublasXtZgemm, CUDA_C_64F, COMPUTE_64F)
