// SPDX-License-Identifier: MIT
// Level 2 of whole matrices, and what goes element by element: gemv, alone and in batches, ger, geam, dgmm. All are
// products.
#include "vector.h"

// A matrix by columns, as the calls have it.
struct operand {
    const void *at;
    int64_t rows, columns, leading;
};

static struct matrix matrix_of(const struct operand *operand, int type, int operation)
{
    const bool is_turned = operation != CUBLAS_OP_N;
    return (struct matrix){.at = (void *)operand->at,
                           .type = type,
                           .is_conjugate = operation == CUBLAS_OP_C,
                           .row_step = is_turned ? operand->leading : 1,
                           .column_step = is_turned ? 1 : operand->leading};
}

static enum cublas_status check_operand(const char *call, const char *what, const struct operand *operand)
{
    if (operand->rows < 0 || operand->columns < 0)
        return blas_refuse(call, CUBLAS_STATUS_INVALID_VALUE, "%s is %lld x %lld", what, (long long)operand->rows,
                           (long long)operand->columns);
    if (operand->leading < (operand->rows > 1 ? operand->rows : 1))
        return blas_refuse(call, CUBLAS_STATUS_INVALID_VALUE,
                           "the leading dimension of %s is %lld, and it has %lld rows as it is stored", what,
                           (long long)operand->leading, (long long)operand->rows);
    return CUBLAS_STATUS_SUCCESS;
}

static bool is_operation(int operation)
{
    return operation >= CUBLAS_OP_N && operation <= CUBLAS_OP_C;
}

// Who calls, with which handle, and of which type the numbers are.
struct asked {
    const char *call;
    void *handle;
    int type;
};

static enum cublas_status gemv(struct asked asked, int operation, const struct operand *a, const void *alpha,
                               struct vector x, const void *beta, struct vector y)
{
    const struct blas_handle *handle = blas_handle_of(asked.handle, asked.call);
    if (handle == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
    const enum cublas_status error = check_operand(asked.call, "A", a);
    if (error != CUBLAS_STATUS_SUCCESS) return error;
    if (!is_operation(operation) || x.step == 0 || y.step == 0 || alpha == NULL || beta == NULL)
        return blas_refuse(asked.call, CUBLAS_STATUS_INVALID_VALUE,
                           "trans is %d (0 to 2), incx %lld, incy %lld (not 0), or a factor is a null pointer",
                           operation, (long long)x.step, (long long)y.step);
    x.count = operation == CUBLAS_OP_N ? a->columns : a->rows;
    y.count = operation == CUBLAS_OP_N ? a->rows : a->columns;
    const struct matrix to = vector_column(&y);
    const struct product job = {.m = y.count,
                                .n = 1,
                                .k = x.count,
                                .batches = 1,
                                .a = matrix_of(a, asked.type, operation),
                                .b = vector_column(&x),
                                .c = to,
                                .d = to,
                                .alpha = blas_factor(handle->pointer_mode, asked.type, alpha),
                                .beta = blas_factor(handle->pointer_mode, asked.type, beta)};
    return blas_submit_product(asked.call, handle->base.stream, &job);
}

// The same for a batch: each matrix and vector `steps` elements behind the one before, or by an array of addresses.
struct batch {
    int64_t count, steps[3];
    bool is_array;
    int types[2]; // of A and x, and of y
};

static struct matrix of_batch(struct matrix matrix, const struct batch *batch, int which)
{
    matrix.is_array = batch->is_array;
    matrix.batch_step = batch->steps[which];
    return matrix;
}

static enum cublas_status gemv_batch(struct asked asked, int operation, const struct operand *a,
                                     const void *const factors[2], const struct vector vectors[2],
                                     const struct batch *batch)
{
    const struct blas_handle *handle = blas_handle_of(asked.handle, asked.call);
    if (handle == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
    struct vector x = vectors[0], y = vectors[1];
    const enum cublas_status error = check_operand(asked.call, "A", a);
    if (error != CUBLAS_STATUS_SUCCESS) return error;
    if (!is_operation(operation) || x.step == 0 || y.step == 0 || factors[0] == NULL || factors[1] == NULL ||
        batch->count < 0)
        return blas_refuse(asked.call, CUBLAS_STATUS_INVALID_VALUE,
                           "trans is %d (0 to 2), incx %lld, incy %lld (not 0), batchCount %lld (not negative), or a "
                           "factor is a null pointer",
                           operation, (long long)x.step, (long long)y.step, (long long)batch->count);
    if (batch->is_array && (x.step < 0 || y.step < 0))
        return blas_refuse(asked.call, CUBLAS_STATUS_NOT_SUPPORTED,
                           "incx is %lld and incy %lld; with arrays of addresses tmaref has no negative steps",
                           (long long)x.step, (long long)y.step);
    x.count = operation == CUBLAS_OP_N ? a->columns : a->rows;
    y.count = operation == CUBLAS_OP_N ? a->rows : a->columns;
    const struct matrix to = of_batch(vector_column(&y), batch, 2);
    const struct product job = {.m = y.count,
                                .n = 1,
                                .k = x.count,
                                .batches = batch->count,
                                .a = of_batch(matrix_of(a, batch->types[0], operation), batch, 0),
                                .b = of_batch(vector_column(&x), batch, 1),
                                .c = to,
                                .d = to,
                                .alpha = blas_factor(handle->pointer_mode, asked.type, factors[0]),
                                .beta = blas_factor(handle->pointer_mode, asked.type, factors[1])};
    return blas_submit_product(asked.call, handle->base.stream, &job);
}

static enum cublas_status ger(struct asked asked, const void *alpha, const struct vector *x, const struct vector *y,
                              bool is_conjugate, const struct operand *a)
{
    const struct blas_handle *handle = blas_handle_of(asked.handle, asked.call);
    if (handle == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
    const enum cublas_status error = check_operand(asked.call, "A", a);
    if (error != CUBLAS_STATUS_SUCCESS) return error;
    if (x->step == 0 || y->step == 0 || alpha == NULL)
        return blas_refuse(asked.call, CUBLAS_STATUS_INVALID_VALUE,
                           "incx is %lld and incy %lld (not 0), or alpha is a null pointer", (long long)x->step,
                           (long long)y->step);
    const struct matrix to = matrix_of(a, asked.type, CUBLAS_OP_N);
    struct product job = {.m = x->count,
                          .n = y->count,
                          .k = 1,
                          .batches = 1,
                          .a = vector_column(x),
                          .b = vector_row(y),
                          .c = to,
                          .d = to,
                          .alpha = blas_factor(handle->pointer_mode, asked.type, alpha),
                          .beta = vector_factor_one()};
    job.b.is_conjugate = is_conjugate;
    return blas_submit_product(asked.call, handle->base.stream, &job);
}

// A batch of its columns, or of its rows.
static struct matrix by_columns(struct matrix matrix)
{
    matrix.batch_step = matrix.column_step;
    return matrix;
}

static struct matrix by_rows(struct matrix matrix)
{
    matrix.batch_step = matrix.row_step;
    return matrix;
}

static enum cublas_status geam(struct asked asked, const int operation[2], const void *alpha, struct operand a,
                               const void *beta, struct operand b, const struct operand *c)
{
    const struct blas_handle *handle = blas_handle_of(asked.handle, asked.call);
    if (handle == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!is_operation(operation[0]) || !is_operation(operation[1]) || alpha == NULL || beta == NULL)
        return blas_refuse(asked.call, CUBLAS_STATUS_INVALID_VALUE,
                           "transa is %d and transb %d (0 to 2), or a factor is a null pointer", operation[0],
                           operation[1]);
    a.rows = operation[0] == CUBLAS_OP_N ? c->rows : c->columns, a.columns = c->rows + c->columns - a.rows;
    b.rows = operation[1] == CUBLAS_OP_N ? c->rows : c->columns, b.columns = c->rows + c->columns - b.rows;
    enum cublas_status error = check_operand(asked.call, "A", &a);
    if (error == CUBLAS_STATUS_SUCCESS) error = check_operand(asked.call, "B", &b);
    if (error == CUBLAS_STATUS_SUCCESS) error = check_operand(asked.call, "C", c);
    if (error != CUBLAS_STATUS_SUCCESS) return error;
    const struct product job = {.m = c->rows,
                                .n = 1,
                                .k = 1,
                                .batches = c->columns,
                                .a = by_columns(matrix_of(&a, asked.type, operation[0])),
                                .b = vector_unit(asked.type),
                                .c = by_columns(matrix_of(&b, asked.type, operation[1])),
                                .d = by_columns(matrix_of(c, asked.type, CUBLAS_OP_N)),
                                .alpha = blas_factor(handle->pointer_mode, asked.type, alpha),
                                .beta = blas_factor(handle->pointer_mode, asked.type, beta)};
    return blas_submit_product(asked.call, handle->base.stream, &job);
}

// C = A diag(x), or diag(x) A.
static enum cublas_status dgmm(struct asked asked, int side, const struct operand *a, struct vector x,
                               const struct operand *c)
{
    enum { LEFT, RIGHT };
    const struct blas_handle *handle = blas_handle_of(asked.handle, asked.call);
    if (handle == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (side != LEFT && side != RIGHT) return blas_refuse(asked.call, CUBLAS_STATUS_INVALID_VALUE, "mode is %d", side);
    enum cublas_status error = check_operand(asked.call, "A", a);
    if (error == CUBLAS_STATUS_SUCCESS) error = check_operand(asked.call, "C", c);
    if (error != CUBLAS_STATUS_SUCCESS) return error;
    x.count = side == LEFT ? a->rows : a->columns;
    struct product job = {.k = 1, .alpha = vector_factor_one()};
    const struct matrix from = matrix_of(a, asked.type, CUBLAS_OP_N), to = matrix_of(c, asked.type, CUBLAS_OP_N);
    if (side == LEFT) {
        job.m = 1, job.n = a->columns, job.batches = a->rows;
        job.a = by_rows(vector_column(&x)), job.b = by_rows(from), job.d = by_rows(to);
    } else {
        job.m = a->rows, job.n = 1, job.batches = a->columns;
        job.a = by_columns(from), job.b = by_columns(vector_row(&x)), job.d = by_columns(to);
    }
    return blas_submit_product(asked.call, handle->base.stream, &job);
}

// --- The calls: of 32 bits, and of 64 (_64) --------------------------------------------------------------------------

#define GEMV(name, size, type)                                                                                         \
    BLAS_VISIBLE enum cublas_status name(void *handle, int operation, size m, size n, const void *alpha,               \
                                         const void *a, size lda, const void *x, size incx, const void *beta, void *y, \
                                         size incy)                                                                    \
    {                                                                                                                  \
        return gemv((struct asked){__func__, handle, type}, operation, &(struct operand){a, m, n, lda}, alpha,         \
                    (struct vector){x, type, 0, incx}, beta, (struct vector){y, type, 0, incy});                       \
    }
#define GEMV_BATCH(name, size, scale, from, to)                                                                        \
    BLAS_VISIBLE enum cublas_status name(void *handle, int operation, size m, size n, const void *alpha,               \
                                         const void *a, size lda, const void *x, size incx, const void *beta, void *y, \
                                         size incy, size batches)                                                      \
    {                                                                                                                  \
        return gemv_batch((struct asked){__func__, handle, scale}, operation, &(struct operand){a, m, n, lda},         \
                          (const void *const[]){alpha, beta},                                                          \
                          (const struct vector[]){{x, from, 0, incx}, {y, to, 0, incy}},                               \
                          &(struct batch){batches, {0, 0, 0}, 1, {from, to}});                                         \
    }
#define GEMV_STRIDED(name, size, scale, from, to)                                                                      \
    BLAS_VISIBLE enum cublas_status name(void *handle, int operation, size m, size n, const void *alpha,               \
                                         const void *a, size lda, long long step_a, const void *x, size incx,          \
                                         long long step_x, const void *beta, void *y, size incy, long long step_y,     \
                                         size batches)                                                                 \
    {                                                                                                                  \
        return gemv_batch((struct asked){__func__, handle, scale}, operation, &(struct operand){a, m, n, lda},         \
                          (const void *const[]){alpha, beta},                                                          \
                          (const struct vector[]){{x, from, 0, incx}, {y, to, 0, incy}},                               \
                          &(struct batch){batches, {step_a, step_x, step_y}, 0, {from, to}});                          \
    }
#define GER(name, size, type, is_conjugate)                                                                            \
    BLAS_VISIBLE enum cublas_status name(void *handle, size m, size n, const void *alpha, const void *x, size incx,    \
                                         const void *y, size incy, void *a, size lda)                                  \
    {                                                                                                                  \
        return ger((struct asked){__func__, handle, type}, alpha, &(struct vector){x, type, m, incx},                  \
                   &(struct vector){y, type, n, incy}, is_conjugate, &(struct operand){a, m, n, lda});                 \
    }
#define GEAM(name, size, type)                                                                                         \
    BLAS_VISIBLE enum cublas_status name(void *handle, int transa, int transb, size m, size n, const void *alpha,      \
                                         const void *a, size lda, const void *beta, const void *b, size ldb, void *c,  \
                                         size ldc)                                                                     \
    {                                                                                                                  \
        return geam((struct asked){__func__, handle, type}, (const int[]){transa, transb}, alpha,                      \
                    (struct operand){a, 0, 0, lda}, beta, (struct operand){b, 0, 0, ldb},                              \
                    &(struct operand){c, m, n, ldc});                                                                  \
    }
#define DGMM(name, size, type)                                                                                         \
    BLAS_VISIBLE enum cublas_status name(void *handle, int side, size m, size n, const void *a, size lda,              \
                                         const void *x, size incx, void *c, size ldc)                                  \
    {                                                                                                                  \
        return dgmm((struct asked){__func__, handle, type}, side, &(struct operand){a, m, n, lda},                     \
                    (struct vector){x, type, 0, incx}, &(struct operand){c, m, n, ldc});                               \
    }

#define BATCHES(x, scale, from, to)                                                                                    \
    BOTH(GEMV_BATCH, cublas##x##gemvBatched, scale, from, to)                                                          \
    BOTH(GEMV_STRIDED, cublas##x##gemvStridedBatched, scale, from, to)
#define EACH(x, type)                                                                                                  \
    BOTH(GEMV, cublas##x##gemv_v2, type)                                                                               \
    BATCHES(x, type, type, type)                                                                                       \
    BOTH(GEAM, cublas##x##geam, type)                                                                                  \
    BOTH(DGMM, cublas##x##dgmm, type)

EACH_TYPE(EACH)
BATCHES(HSH, CUDA_R_32F, CUDA_R_16F, CUDA_R_16F)
BATCHES(HSS, CUDA_R_32F, CUDA_R_16F, CUDA_R_32F)
BATCHES(TST, CUDA_R_32F, CUDA_R_16BF, CUDA_R_16BF)
BATCHES(TSS, CUDA_R_32F, CUDA_R_16BF, CUDA_R_32F)
BOTH(GER, cublasSger_v2, CUDA_R_32F, 0)
BOTH(GER, cublasDger_v2, CUDA_R_64F, 0)
BOTH(GER, cublasCgeru_v2, CUDA_C_32F, 0)
BOTH(GER, cublasCgerc_v2, CUDA_C_32F, 1)
BOTH(GER, cublasZgeru_v2, CUDA_C_64F, 0)
BOTH(GER, cublasZgerc_v2, CUDA_C_64F, 1)
