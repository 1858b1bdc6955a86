// SPDX-License-Identifier: MIT
// cublasLtMatmul, and what is asked before it.
#include <string.h>

#include "lt.h"

enum { EPILOGUE_DEFAULT = 1, EPILOGUE_RELU = 2, EPILOGUE_BIAS = 4, EPILOGUE_GELU = 32, EPILOGUE_AUX = 128 };

BLAS_VISIBLE enum cublas_status cublasLtCreate(struct blas_handle **handle)
{
    return blas_create(handle);
}

BLAS_VISIBLE enum cublas_status cublasLtDestroy(struct blas_handle *handle)
{
    return blas_destroy(handle, __func__);
}

// --- Types -----------------------------------------------------------------------------------------------------------

static bool is_short(int type)
{
    return type == CUDA_R_16F || type == CUDA_R_16BF;
}

// FP8: of two E5M2 there is no product; D of FP8 goes with a short C.
static bool are_fp8(int a, int b, int c, int d)
{
    if (!numbers_is_fp8(a) || !numbers_is_fp8(b) || (a == CUDA_R_8F_E5M2 && b == CUDA_R_8F_E5M2)) return false;
    return numbers_is_fp8(d) ? is_short(c) : c == d && (is_short(c) || c == CUDA_R_32F);
}

static bool are_types(const struct blas_descriptor *it, int a, int b, int c, int d)
{
    const int compute = blas_compute_of(it->compute_type);
    if (compute == COMPUTE_32F && it->scale_type == CUDA_R_32F && are_fp8(a, b, c, d)) return true;
    if (compute == COMPUTE_32I && it->scale_type == CUDA_R_32F)
        return a == CUDA_R_8I && b == CUDA_R_8I && c == CUDA_R_8I && d == CUDA_R_8I;
    return c == d && blas_scale_type(compute, a, b, c) == it->scale_type;
}

// --- A product of its descriptors ------------------------------------------------------------------------------------

struct layouts {
    const struct blas_layout *a, *b, *c, *d;
};

static struct matrix matrix_of(const struct blas_layout *layout, int operation)
{
    const bool is_turned = (layout->order == 1) != (operation != CUBLAS_OP_N);
    return (struct matrix){.type = layout->type,
                           .is_conjugate = operation == CUBLAS_OP_C,
                           .row_step = is_turned ? layout->leading : 1,
                           .column_step = is_turned ? 1 : layout->leading,
                           .batch_step = layout->batch_step};
}

// Its first and second dimension.
static int64_t rows_of(const struct blas_layout *layout, int operation)
{
    return (int64_t)(operation == CUBLAS_OP_N ? layout->rows : layout->columns);
}

static int64_t columns_of(const struct blas_layout *layout, int operation)
{
    return (int64_t)(operation == CUBLAS_OP_N ? layout->columns : layout->rows);
}

static enum cublas_status check_layout(const char *call, const char *what, const struct blas_layout *layout,
                                       int batches)
{
    const int64_t side = (int64_t)(layout->order == 1 ? layout->columns : layout->rows);
    if (layout->order != 0 && layout->order != 1)
        return blas_refuse(call, CUBLAS_STATUS_NOT_SUPPORTED,
                           "%s has the order %d; tmaref exec has COL (0) and ROW (1)", what, layout->order);
    if (layout->leading < side)
        return blas_refuse(call, CUBLAS_STATUS_INVALID_VALUE, "the leading dimension of %s is %lld, less than %lld",
                           what, (long long)layout->leading, (long long)side);
    if (layout->batches != batches)
        return blas_refuse(call, CUBLAS_STATUS_INVALID_VALUE, "%s is a batch of %d, and D one of %d", what,
                           layout->batches, batches);
    return CUBLAS_STATUS_SUCCESS;
}

static enum cublas_status check_layouts(const char *call, const struct layouts *layouts)
{
    const struct {
        const char *name;
        const struct blas_layout *at;
    } all[] = {{"A", layouts->a}, {"B", layouts->b}, {"C", layouts->c}, {"D", layouts->d}};
    for (int i = 0; i < 4; i++) {
        const enum cublas_status error = check_layout(call, all[i].name, all[i].at, layouts->d->batches);
        if (error != CUBLAS_STATUS_SUCCESS) return error;
    }
    return CUBLAS_STATUS_SUCCESS;
}

static enum cublas_status check_sizes(const char *call, const struct product *job, const struct layouts *layouts,
                                      int64_t k)
{
    const bool are_results = (int64_t)layouts->c->rows == job->m && (int64_t)layouts->d->rows == job->m &&
                             (int64_t)layouts->c->columns == job->n && (int64_t)layouts->d->columns == job->n;
    if (k == job->k && are_results) return CUBLAS_STATUS_SUCCESS;
    return blas_refuse(call, CUBLAS_STATUS_INVALID_VALUE,
                       "op(A) is %lld x %lld, op(B) %lld x %lld, C %lld x %lld, D %lld x %lld", (long long)job->m,
                       (long long)job->k, (long long)k, (long long)job->n, (long long)layouts->c->rows,
                       (long long)layouts->c->columns, (long long)layouts->d->rows, (long long)layouts->d->columns);
}

static bool is_known_epilogue(int epilogue)
{
    const int activation = epilogue & ~(EPILOGUE_BIAS | EPILOGUE_DEFAULT);
    return activation == 0 || activation == EPILOGUE_RELU || activation == EPILOGUE_GELU ||
           activation == (EPILOGUE_GELU | EPILOGUE_AUX);
}

// What Hopper has no product for, or tmaref.
static enum cublas_status check_support(const char *call, const struct blas_descriptor *it,
                                        const struct layouts *layouts)
{
    const int a = layouts->a->type, b = layouts->b->type, c = layouts->c->type, d = layouts->d->type;
    if (!are_types(it, a, b, c, d))
        return blas_refuse(call, CUBLAS_STATUS_NOT_SUPPORTED,
                           "there is no product of the types A %d, B %d, C %d, D %d (cudaDataType) with the compute "
                           "type %d and the scale type %d",
                           a, b, c, d, it->compute_type, it->scale_type);
    if (numbers_is_fp8(a) && (it->operation[0] != CUBLAS_OP_T || it->operation[1] != CUBLAS_OP_N))
        return blas_refuse(call, CUBLAS_STATUS_NOT_SUPPORTED,
                           "products of FP8 need TRANSA = T and TRANSB = N on Hopper");
    if (!is_known_epilogue(it->epilogue))
        return blas_refuse(call, CUBLAS_STATUS_NOT_SUPPORTED,
                           "the epilogue %d: tmaref exec has RELU, GELU, BIAS, their sums, and GELU_AUX", it->epilogue);
    if (it->pointer_mode != CUBLAS_POINTER_MODE_HOST && it->pointer_mode != CUBLAS_POINTER_MODE_DEVICE)
        return blas_refuse(call, CUBLAS_STATUS_NOT_SUPPORTED, "the pointer mode %d: tmaref exec has HOST and DEVICE",
                           it->pointer_mode);
    for (int i = 0; i <= LT_SCALES; i++)
        if (it->scale_mode[i] != 0)
            return blas_refuse(call, CUBLAS_STATUS_NOT_SUPPORTED, "the scale mode %d: tmaref exec has one number (0)",
                               it->scale_mode[i]);
    return CUBLAS_STATUS_SUCCESS;
}

// A bias of FP8 products has a short type, of D where that is short.
static int bias_type_of(const struct blas_descriptor *it, int a, int d)
{
    if (it->bias_type >= 0) return it->bias_type;
    if (numbers_is_fp8(a)) return is_short(d) ? d : CUDA_R_16BF;
    return d == CUDA_R_8I ? CUDA_R_32F : d;
}

static struct epilogue epilogue_of(const struct blas_descriptor *it, int a, const struct blas_layout *d)
{
    struct epilogue epilogue = {.scales = {it->scale[LT_SCALE_A], it->scale[LT_SCALE_B]},
                                .c_scale = it->scale[LT_SCALE_C],
                                .d_scale = it->scale[LT_SCALE_D],
                                .amax = it->amax};
    if (it->epilogue & EPILOGUE_BIAS) {
        epilogue.bias = it->bias;
        epilogue.bias_type = bias_type_of(it, a, d->type);
        epilogue.bias_step = it->bias_batch_step;
    }
    if (it->epilogue & EPILOGUE_RELU) epilogue.activation = ACTIVATION_RELU;
    if (it->epilogue & EPILOGUE_GELU) epilogue.activation = ACTIVATION_GELU;
    if (it->epilogue & EPILOGUE_AUX)
        epilogue.aux = (struct matrix){.at = it->aux,
                                       .type = it->aux_type >= 0 ? it->aux_type : d->type,
                                       .row_step = 1,
                                       .column_step = it->aux_leading,
                                       .batch_step = it->aux_batch_step};
    return epilogue;
}

// All of the product but its factors and addresses.
static enum cublas_status describe(const char *call, const struct blas_descriptor *it, const struct layouts *layouts,
                                   struct product *job)
{
    if (it == NULL || layouts->a == NULL || layouts->b == NULL || layouts->c == NULL || layouts->d == NULL)
        return blas_refuse(call, CUBLAS_STATUS_INVALID_VALUE, "a descriptor is a null pointer");
    *job = (struct product){.m = rows_of(layouts->a, it->operation[0]),
                            .n = columns_of(layouts->b, it->operation[1]),
                            .k = columns_of(layouts->a, it->operation[0]),
                            .batches = layouts->d->batches,
                            .has_fast_sums = it->has_fast_sums != 0,
                            .a = matrix_of(layouts->a, it->operation[0]),
                            .b = matrix_of(layouts->b, it->operation[1]),
                            .c = matrix_of(layouts->c, CUBLAS_OP_N),
                            .d = matrix_of(layouts->d, CUBLAS_OP_N),
                            .epilogue = epilogue_of(it, layouts->a->type, layouts->d)};
    enum cublas_status error = check_sizes(call, job, layouts, rows_of(layouts->b, it->operation[1]));
    if (error == CUBLAS_STATUS_SUCCESS) error = check_layouts(call, layouts);
    return error != CUBLAS_STATUS_SUCCESS ? error : check_support(call, it, layouts);
}

// --- The calls -------------------------------------------------------------------------------------------------------

// cublasLtMatmulHeuristicResult_t
struct heuristic {
    uint64_t algorithm[8];
    size_t workspace_bytes;
    int state;
    float waves;
    int reserved[4];
};

// There is one algorithm, which needs no workspace.
BLAS_VISIBLE enum cublas_status cublasLtMatmulAlgoGetHeuristic(struct blas_handle *handle,
                                                               const struct blas_descriptor *descriptor,
                                                               const struct blas_layout *a, const struct blas_layout *b,
                                                               const struct blas_layout *c, const struct blas_layout *d,
                                                               const void *preference, int wanted,
                                                               struct heuristic *results, int *found)
{
    struct product job;
    if (blas_handle_of(handle, __func__) == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (preference == NULL || wanted < 1 || results == NULL || found == NULL) return CUBLAS_STATUS_INVALID_VALUE;
    *found = 0;
    const enum cublas_status error = describe(__func__, descriptor, &(struct layouts){a, b, c, d}, &job);
    if (error != CUBLAS_STATUS_SUCCESS) return error;
    results[0] = (struct heuristic){.waves = 1};
    *found = 1;
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_VISIBLE enum cublas_status cublasLtMatmul(struct blas_handle *handle, const struct blas_descriptor *descriptor,
                                               const void *alpha, const void *a, const struct blas_layout *layout_a,
                                               const void *b, const struct blas_layout *layout_b, const void *beta,
                                               const void *c, const struct blas_layout *layout_c, void *d,
                                               const struct blas_layout *layout_d, const void *algorithm,
                                               void *workspace, size_t workspace_bytes, struct CUstream_st *stream)
{
    struct product job;
    (void)algorithm, (void)workspace, (void)workspace_bytes;
    if (blas_handle_of(handle, __func__) == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
    const enum cublas_status error =
        describe(__func__, descriptor, &(struct layouts){layout_a, layout_b, layout_c, layout_d}, &job);
    if (error != CUBLAS_STATUS_SUCCESS) return error;
    if (alpha == NULL || beta == NULL)
        return blas_refuse(__func__, CUBLAS_STATUS_INVALID_VALUE, "alpha or beta is a null pointer");
    job.a.at = (void *)a, job.b.at = (void *)b, job.c.at = (void *)c, job.d.at = d;
    job.alpha = blas_factor(descriptor->pointer_mode, descriptor->scale_type, alpha);
    job.beta = blas_factor(descriptor->pointer_mode, descriptor->scale_type, beta);
    if (descriptor->epilogue & EPILOGUE_BIAS && descriptor->bias == NULL)
        return blas_refuse(__func__, CUBLAS_STATUS_INVALID_VALUE,
                           "the epilogue adds a bias, and BIAS_POINTER is not set");
    if (descriptor->epilogue & EPILOGUE_AUX && descriptor->aux == NULL)
        return blas_refuse(__func__, CUBLAS_STATUS_INVALID_VALUE,
                           "the epilogue writes its input, and EPILOGUE_AUX_POINTER is not set");
    return blas_submit_product(__func__, stream, &job);
}
