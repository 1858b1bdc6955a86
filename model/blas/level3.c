// SPDX-License-Identifier: MIT
// Level 3 with a matrix of which one triangle is stored: symm, hemm, trmm, and the updates of a triangle syrk, herk,
// syr2k, her2k, syrkx, herkx. The numbers of the enums are those of cublas_api.h.
#include "shaped.h"

// A matrix by columns, and op of it.
struct argument {
    const void *at;
    int64_t leading;
    int type;
};

static struct matrix whole(struct argument argument, int operation)
{
    const bool is_turned = operation != CUBLAS_OP_N;
    return (struct matrix){.at = (void *)argument.at,
                           .type = argument.type,
                           .is_conjugate = operation == CUBLAS_OP_C,
                           .row_step = is_turned ? argument.leading : 1,
                           .column_step = is_turned ? 1 : argument.leading};
}

static int64_t at_least_one(int64_t size)
{
    return size > 1 ? size : 1;
}

// One factor with a triangle: its side, its triangle, and the sizes of the result.
struct factor_call {
    int side, fill, operation, diagonal;
    int64_t m, n;
    const void *alpha, *beta; // beta: NULL without a C
};

static enum cublas_status multiply(const struct shaped_call *call, const struct factor_call *it, enum shape_rest rest,
                                   struct argument a, struct argument b, struct argument c)
{
    const struct blas_handle *handle = blas_handle_of(call->handle, call->name);
    if (handle == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
    const int64_t edge = it->side ? it->n : it->m, rows = at_least_one(it->m);
    const enum cublas_status error = shaped_check(
        call,
        (it->side | it->fill | it->diagonal) >> 1 == 0 && it->operation >= 0 && it->operation <= CUBLAS_OP_C &&
            it->m >= 0 && it->n >= 0 && a.leading >= at_least_one(edge) && b.leading >= rows && c.leading >= rows &&
            it->alpha != NULL && (rest == REST_ZERO || it->beta != NULL),
        "side, uplo, trans, diag, m, n, a leading dimension, or a factor that is a null pointer");
    if (error != CUBLAS_STATUS_SUCCESS) return error;
    const struct shape shape = {.at = (void *)a.at,
                                .type = call->type,
                                .rest = rest,
                                .is_lower = it->fill == 0,
                                .is_unit = it->diagonal,
                                .rows = edge,
                                .columns = edge,
                                .leading = a.leading};
    const struct matrix other = whole(b, CUBLAS_OP_N), to = whole(c, CUBLAS_OP_N);
    struct product product = {
        .m = it->m, .n = it->n, .k = edge, .batches = 1, .a = other, .b = other, .c = to, .d = to};
    product.alpha = blas_factor(handle->pointer_mode, call->type, it->alpha);
    if (rest != REST_ZERO) product.beta = blas_factor(handle->pointer_mode, call->type, it->beta);
    return shaped_multiply(call, &shape, it->operation, it->side, &product);
}

// A triangle that is updated: which, how its factors are turned, and the sizes.
struct update_call {
    int fill, operation;
    int64_t n, k;
    bool is_hermitian, is_second;
    int alpha_type, beta_type;
    const void *alpha, *beta;
};

// Of real numbers the adjoint is the transpose.
static enum cublas_status update(const struct shaped_call *call, const struct update_call *it, struct argument a,
                                 struct argument b, struct argument c)
{
    const bool is_turned = it->operation != CUBLAS_OP_N;
    const int turned = it->is_hermitian ? CUBLAS_OP_C : CUBLAS_OP_T;
    const int64_t stored = at_least_one(is_turned ? it->k : it->n);
    const bool is_operation = !is_turned || it->operation == turned || !numbers_is_complex(call->type);
    const enum cublas_status error =
        shaped_check(call,
                     it->fill >> 1 == 0 && it->operation >= 0 && it->operation <= CUBLAS_OP_C && is_operation &&
                         it->n >= 0 && it->k >= 0 && a.leading >= stored && b.leading >= stored &&
                         c.leading >= at_least_one(it->n) && it->beta != NULL,
                     "uplo, trans, n, k, a leading dimension, or beta, which is a null pointer");
    if (error != CUBLAS_STATUS_SUCCESS) return error;
    const int operation = is_turned ? turned : CUBLAS_OP_N;
    const struct rank_update its = {.c = {.at = (void *)c.at,
                                          .type = call->type,
                                          .rest = it->is_hermitian ? REST_ADJOINT : REST_MIRROR,
                                          .is_lower = it->fill == 0,
                                          .rows = it->n,
                                          .columns = it->n,
                                          .leading = c.leading},
                                    .is_second = it->is_second,
                                    .depth = it->k,
                                    .a = whole(a, operation),
                                    .b = whole(b, operation),
                                    .alpha = it->alpha,
                                    .beta = it->beta,
                                    .alpha_type = it->alpha_type,
                                    .beta_type = it->beta_type};
    return shaped_update(call, &its);
}

#define SIDED(name, size, type, rest)                                                                                  \
    BLAS_VISIBLE enum cublas_status name(void *handle, int side, int fill, size m, size n, const void *alpha,          \
                                         const void *a, size lda, const void *b, size ldb, const void *beta, void *c,  \
                                         size ldc)                                                                     \
    {                                                                                                                  \
        return multiply(&(struct shaped_call){__func__, handle, type},                                                 \
                        &(struct factor_call){side, fill, CUBLAS_OP_N, 0, m, n, alpha, beta}, rest,                    \
                        (struct argument){a, lda, type}, (struct argument){b, ldb, type},                              \
                        (struct argument){c, ldc, type});                                                              \
    }
#define TRMM(name, size, type)                                                                                         \
    BLAS_VISIBLE enum cublas_status name(void *handle, int side, int fill, int operation, int diagonal, size m,        \
                                         size n, const void *alpha, const void *a, size lda, const void *b, size ldb,  \
                                         void *c, size ldc)                                                            \
    {                                                                                                                  \
        return multiply(&(struct shaped_call){__func__, handle, type},                                                 \
                        &(struct factor_call){side, fill, operation, diagonal, m, n, alpha, NULL}, REST_ZERO,          \
                        (struct argument){a, lda, type}, (struct argument){b, ldb, type},                              \
                        (struct argument){c, ldc, type});                                                              \
    }
#define SELF(name, size, type, is_hermitian, factor_type)                                                              \
    BLAS_VISIBLE enum cublas_status name(void *handle, int fill, int operation, size n, size k, const void *alpha,     \
                                         const void *a, size lda, const void *beta, void *c, size ldc)                 \
    {                                                                                                                  \
        return update(                                                                                                 \
            &(struct shaped_call){__func__, handle, type},                                                             \
            &(struct update_call){fill, operation, n, k, is_hermitian, 0, factor_type, factor_type, alpha, beta},      \
            (struct argument){a, lda, type}, (struct argument){a, lda, type}, (struct argument){c, ldc, type});        \
    }
#define SELF_EX(name, size, type, is_hermitian, factor_type)                                                           \
    BLAS_VISIBLE enum cublas_status name(void *handle, int fill, int operation, size n, size k, const void *alpha,     \
                                         const void *a, int a_type, size lda, const void *beta, void *c, int c_type,   \
                                         size ldc)                                                                     \
    {                                                                                                                  \
        if (c_type != type || (a_type != type && a_type != CUDA_C_8I))                                                 \
            return blas_refuse(__func__, CUBLAS_STATUS_NOT_SUPPORTED, "A has the type %d and C %d (cudaDataType)",     \
                               a_type, c_type);                                                                        \
        return update(                                                                                                 \
            &(struct shaped_call){__func__, handle, type},                                                             \
            &(struct update_call){fill, operation, n, k, is_hermitian, 0, factor_type, factor_type, alpha, beta},      \
            (struct argument){a, lda, a_type}, (struct argument){a, lda, a_type}, (struct argument){c, ldc, type});    \
    }
#define PAIR(name, size, type, is_hermitian, is_second, beta_type)                                                     \
    BLAS_VISIBLE enum cublas_status name(void *handle, int fill, int operation, size n, size k, const void *alpha,     \
                                         const void *a, size lda, const void *b, size ldb, const void *beta, void *c,  \
                                         size ldc)                                                                     \
    {                                                                                                                  \
        return update(                                                                                                 \
            &(struct shaped_call){__func__, handle, type},                                                             \
            &(struct update_call){fill, operation, n, k, is_hermitian, is_second, type, beta_type, alpha, beta},       \
            (struct argument){a, lda, type}, (struct argument){b, ldb, type}, (struct argument){c, ldc, type});        \
    }

#define EACH(x, type)                                                                                                  \
    BOTH(SIDED, cublas##x##symm_v2, type, REST_MIRROR)                                                                 \
    BOTH(TRMM, cublas##x##trmm_v2, type)                                                                               \
    BOTH(SELF, cublas##x##syrk_v2, type, 0, type)                                                                      \
    BOTH(PAIR, cublas##x##syr2k_v2, type, 0, 1, type)                                                                  \
    BOTH(PAIR, cublas##x##syrkx, type, 0, 0, type)
#define EACH_COMPLEX(x, type, real)                                                                                    \
    BOTH(SIDED, cublas##x##hemm_v2, type, REST_ADJOINT)                                                                \
    BOTH(SELF, cublas##x##herk_v2, type, 1, real)                                                                      \
    BOTH(PAIR, cublas##x##her2k_v2, type, 1, 1, real)                                                                  \
    BOTH(PAIR, cublas##x##herkx, type, 1, 0, real)

EACH_TYPE(EACH)
EACH_COMPLEX(C, CUDA_C_32F, CUDA_R_32F)
EACH_COMPLEX(Z, CUDA_C_64F, CUDA_R_64F)
BOTH(SELF_EX, cublasCsyrkEx, CUDA_C_32F, 0, CUDA_C_32F)
BOTH(SELF_EX, cublasCsyrk3mEx, CUDA_C_32F, 0, CUDA_C_32F)
BOTH(SELF_EX, cublasCherkEx, CUDA_C_32F, 1, CUDA_R_32F)
BOTH(SELF_EX, cublasCherk3mEx, CUDA_C_32F, 1, CUDA_R_32F)
