// SPDX-License-Identifier: MIT
// Level 2 with a matrix of which a part is stored: symv, hemv, sbmv, hbmv, spmv, hpmv, gbmv; trmv, tbmv, tpmv and trsv,
// tbsv, tpsv; syr, her, spr, hpr and these with 2. The numbers of the enums are those of cublas_api.h.
#include "shaped.h"

static const char allowed[] = "uplo, trans, diag, n, k, lda, incx, incy, or a factor that is a null pointer";

static int64_t at_least_one(int64_t size)
{
    return size > 1 ? size : 1;
}

// A triangle, a packed one, or a band of k diagonals, of n columns.
static struct shape square(const struct shaped_call *call, int fill, int64_t n, const void *a, enum shape_rest rest)
{
    return (struct shape){
        .at = (void *)a, .type = call->type, .rest = rest, .is_lower = fill == 0, .rows = n, .columns = n};
}

static struct shape triangle(struct shape shape, int64_t leading)
{
    shape.leading = leading;
    return shape;
}

static struct shape packed(struct shape shape)
{
    shape.kind = SHAPE_PACKED;
    shape.leading = at_least_one(shape.rows);
    return shape;
}

static struct shape band(struct shape shape, int64_t k, int64_t leading)
{
    shape.kind = SHAPE_BAND;
    shape.below = shape.is_lower ? k : 0;
    shape.above = shape.is_lower ? 0 : k;
    shape.leading = leading;
    return shape;
}

static bool is_shape(const struct shape *shape)
{
    const int64_t height = shape->kind == SHAPE_BAND ? shape->below + shape->above + 1 : shape->rows;
    return shape->rows >= 0 && shape->columns >= 0 && shape->below >= 0 && shape->above >= 0 &&
           shape->leading >= at_least_one(height);
}

// y = alpha op(A) x + beta y.
static enum cublas_status times(const struct shaped_call *call, const struct shape *a, int operation,
                                const void *const factors[2], const struct vector *x, const struct vector *y)
{
    const struct blas_handle *handle = blas_handle_of(call->handle, call->name);
    if (handle == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
    const enum cublas_status error =
        shaped_check(call,
                     is_shape(a) && operation >= 0 && operation <= CUBLAS_OP_C && x->step != 0 && y->step != 0 &&
                         factors[0] != NULL && factors[1] != NULL,
                     allowed);
    if (error != CUBLAS_STATUS_SUCCESS) return error;
    const bool is_turned = operation != CUBLAS_OP_N;
    struct vector from = *x, to = *y;
    from.count = is_turned ? a->rows : a->columns;
    to.count = is_turned ? a->columns : a->rows;
    const struct product product = {.m = to.count,
                                    .n = 1,
                                    .k = from.count,
                                    .batches = 1,
                                    .b = vector_column(&from),
                                    .c = vector_column(&to),
                                    .d = vector_column(&to),
                                    .alpha = blas_factor(handle->pointer_mode, call->type, factors[0]),
                                    .beta = blas_factor(handle->pointer_mode, call->type, factors[1])};
    return shaped_multiply(call, a, operation, false, &product);
}

// x = op(A) x, or the solution of op(A) x = x.
struct own {
    int fill, operation, diagonal;
    bool is_solved;
};

static enum cublas_status in_place(const struct shaped_call *call, const struct own *own, struct shape a,
                                   const struct vector *its_x)
{
    struct vector x = *its_x;
    const enum cublas_status error =
        shaped_check(call,
                     is_shape(&a) && (own->fill | own->diagonal) >> 1 == 0 && own->operation >= 0 &&
                         own->operation <= CUBLAS_OP_C && x.step != 0,
                     allowed);
    if (error != CUBLAS_STATUS_SUCCESS) return error;
    a.is_unit = own->diagonal;
    x.count = a.rows;
    if (own->is_solved) return shaped_solve(call, &a, own->operation, &x);
    const struct matrix column = vector_column(&x);
    const struct product product = {.m = a.rows,
                                    .n = 1,
                                    .k = a.rows,
                                    .batches = 1,
                                    .b = column,
                                    .c = column,
                                    .d = column,
                                    .alpha = vector_factor_one()};
    return shaped_multiply(call, &a, own->operation, false, &product);
}

// A plus alpha x y^T, of two vectors also alpha y x^T.
static enum cublas_status add(const struct shaped_call *call, const struct shape *a, const void *alpha, int alpha_type,
                              const struct vector *x, const struct vector *y)
{
    const enum cublas_status error = shaped_check(call, is_shape(a) && x->step != 0 && y->step != 0, allowed);
    if (error != CUBLAS_STATUS_SUCCESS) return error;
    const struct rank_update its = {.c = *a,
                                    .is_second = x != y,
                                    .depth = 1,
                                    .a = vector_column(x),
                                    .b = vector_column(y),
                                    .alpha = alpha,
                                    .alpha_type = alpha_type};
    return shaped_update(call, &its);
}

#define CALL(type)                                                                                                     \
    &(const struct shaped_call)                                                                                        \
    {                                                                                                                  \
        __func__, handle, type                                                                                         \
    }
#define X(type)                                                                                                        \
    &(const struct vector)                                                                                             \
    {                                                                                                                  \
        x, type, n, incx                                                                                               \
    }
#define Y(type)                                                                                                        \
    &(const struct vector)                                                                                             \
    {                                                                                                                  \
        y, type, n, incy                                                                                               \
    }
#define SQUARE(type, at, rest) square(CALL(type), fill, n, at, rest)
#define FACTORS                                                                                                        \
    (const void *const[])                                                                                              \
    {                                                                                                                  \
        alpha, beta                                                                                                    \
    }
#define RETURN_TIMES(type, stored)                                                                                     \
    const struct shape of = stored;                                                                                    \
    return fill >> 1 != 0 ? shaped_check(CALL(type), 0, allowed)                                                       \
                          : times(CALL(type), &of, CUBLAS_OP_N, FACTORS, X(type), Y(type))

#define SYMV(name, size, type, rest)                                                                                   \
    BLAS_VISIBLE enum cublas_status name(void *handle, int fill, size n, const void *alpha, const void *a, size lda,   \
                                         const void *x, size incx, const void *beta, void *y, size incy)               \
    {                                                                                                                  \
        RETURN_TIMES(type, triangle(SQUARE(type, a, rest), lda));                                                      \
    }
#define SBMV(name, size, type, rest)                                                                                   \
    BLAS_VISIBLE enum cublas_status name(void *handle, int fill, size n, size k, const void *alpha, const void *a,     \
                                         size lda, const void *x, size incx, const void *beta, void *y, size incy)     \
    {                                                                                                                  \
        RETURN_TIMES(type, band(SQUARE(type, a, rest), k, lda));                                                       \
    }
#define SPMV(name, size, type, rest)                                                                                   \
    BLAS_VISIBLE enum cublas_status name(void *handle, int fill, size n, const void *alpha, const void *a,             \
                                         const void *x, size incx, const void *beta, void *y, size incy)               \
    {                                                                                                                  \
        RETURN_TIMES(type, packed(SQUARE(type, a, rest)));                                                             \
    }
#define GBMV(name, size, type)                                                                                         \
    BLAS_VISIBLE enum cublas_status name(void *handle, int operation, size m, size n, size below, size above,          \
                                         const void *alpha, const void *a, size lda, const void *x, size incx,         \
                                         const void *beta, void *y, size incy)                                         \
    {                                                                                                                  \
        const struct shape of = {(void *)a, type, SHAPE_BAND, REST_ZERO, 0, 0, m, n, lda, below, above};               \
        return times(CALL(type), &of, operation, FACTORS, X(type), Y(type));                                           \
    }
#define TRIANGULAR(name, size, type, is_solved)                                                                        \
    BLAS_VISIBLE enum cublas_status name(void *handle, int fill, int operation, int diagonal, size n, const void *a,   \
                                         size lda, void *x, size incx)                                                 \
    {                                                                                                                  \
        return in_place(CALL(type), &(struct own){fill, operation, diagonal, is_solved},                               \
                        triangle(SQUARE(type, a, REST_ZERO), lda), X(type));                                           \
    }
#define BANDED(name, size, type, is_solved)                                                                            \
    BLAS_VISIBLE enum cublas_status name(void *handle, int fill, int operation, int diagonal, size n, size k,          \
                                         const void *a, size lda, void *x, size incx)                                  \
    {                                                                                                                  \
        return in_place(CALL(type), &(struct own){fill, operation, diagonal, is_solved},                               \
                        band(SQUARE(type, a, REST_ZERO), k, lda), X(type));                                            \
    }
#define PACKED(name, size, type, is_solved)                                                                            \
    BLAS_VISIBLE enum cublas_status name(void *handle, int fill, int operation, int diagonal, size n, const void *a,   \
                                         void *x, size incx)                                                           \
    {                                                                                                                  \
        return in_place(CALL(type), &(struct own){fill, operation, diagonal, is_solved},                               \
                        packed(SQUARE(type, a, REST_ZERO)), X(type));                                                  \
    }
#define RETURN_ADD(type, stored, factor_type, from, other)                                                             \
    const struct shape of = stored;                                                                                    \
    const struct vector first = {from, type, n, incx}, *const second = other;                                          \
    return fill >> 1 != 0 ? shaped_check(CALL(type), 0, allowed)                                                       \
                          : add(CALL(type), &of, alpha, factor_type, &first, second)

#define SYR(name, size, type, rest, factor_type)                                                                       \
    BLAS_VISIBLE enum cublas_status name(void *handle, int fill, size n, const void *alpha, const void *x, size incx,  \
                                         void *a, size lda)                                                            \
    {                                                                                                                  \
        RETURN_ADD(type, triangle(SQUARE(type, a, rest), lda), factor_type, x, &first);                                \
    }
#define SPR(name, size, type, rest, factor_type)                                                                       \
    BLAS_VISIBLE enum cublas_status name(void *handle, int fill, size n, const void *alpha, const void *x, size incx,  \
                                         void *a)                                                                      \
    {                                                                                                                  \
        RETURN_ADD(type, packed(SQUARE(type, a, rest)), factor_type, x, &first);                                       \
    }
#define SYR2(name, size, type, rest)                                                                                   \
    BLAS_VISIBLE enum cublas_status name(void *handle, int fill, size n, const void *alpha, const void *x, size incx,  \
                                         const void *y, size incy, void *a, size lda)                                  \
    {                                                                                                                  \
        RETURN_ADD(type, triangle(SQUARE(type, a, rest), lda), type, x, Y(type));                                      \
    }
#define SPR2(name, size, type, rest)                                                                                   \
    BLAS_VISIBLE enum cublas_status name(void *handle, int fill, size n, const void *alpha, const void *x, size incx,  \
                                         const void *y, size incy, void *a)                                            \
    {                                                                                                                  \
        RETURN_ADD(type, packed(SQUARE(type, a, rest)), type, x, Y(type));                                             \
    }

#define EACH(x, type)                                                                                                  \
    BOTH(GBMV, cublas##x##gbmv_v2, type)                                                                               \
    BOTH(SYMV, cublas##x##symv_v2, type, REST_MIRROR)                                                                  \
    BOTH(TRIANGULAR, cublas##x##trmv_v2, type, 0)                                                                      \
    BOTH(TRIANGULAR, cublas##x##trsv_v2, type, 1)                                                                      \
    BOTH(BANDED, cublas##x##tbmv_v2, type, 0)                                                                          \
    BOTH(BANDED, cublas##x##tbsv_v2, type, 1)                                                                          \
    BOTH(PACKED, cublas##x##tpmv_v2, type, 0)                                                                          \
    BOTH(PACKED, cublas##x##tpsv_v2, type, 1)                                                                          \
    BOTH(SYR, cublas##x##syr_v2, type, REST_MIRROR, type)                                                              \
    BOTH(SYR2, cublas##x##syr2_v2, type, REST_MIRROR)
#define EACH_REAL(x, type)                                                                                             \
    BOTH(SBMV, cublas##x##sbmv_v2, type, REST_MIRROR)                                                                  \
    BOTH(SPMV, cublas##x##spmv_v2, type, REST_MIRROR)                                                                  \
    BOTH(SPR, cublas##x##spr_v2, type, REST_MIRROR, type)                                                              \
    BOTH(SPR2, cublas##x##spr2_v2, type, REST_MIRROR)
#define EACH_COMPLEX(x, type, real)                                                                                    \
    BOTH(SYMV, cublas##x##hemv_v2, type, REST_ADJOINT)                                                                 \
    BOTH(SBMV, cublas##x##hbmv_v2, type, REST_ADJOINT)                                                                 \
    BOTH(SPMV, cublas##x##hpmv_v2, type, REST_ADJOINT)                                                                 \
    BOTH(SYR, cublas##x##her_v2, type, REST_ADJOINT, real)                                                             \
    BOTH(SPR, cublas##x##hpr_v2, type, REST_ADJOINT, real)                                                             \
    BOTH(SYR2, cublas##x##her2_v2, type, REST_ADJOINT)                                                                 \
    BOTH(SPR2, cublas##x##hpr2_v2, type, REST_ADJOINT)

EACH_TYPE(EACH)
EACH_REAL(S, CUDA_R_32F)
EACH_REAL(D, CUDA_R_64F)
EACH_COMPLEX(C, CUDA_C_32F, CUDA_R_32F)
EACH_COMPLEX(Z, CUDA_C_64F, CUDA_R_64F)
