// SPDX-License-Identifier: MIT
// A matrix of which a part is stored is read as a whole, in double precision, when its job runs. Then it is a factor of
// a product, or a system; results are rounded once.
#include "shaped.h"

#include <stdlib.h>
#include <string.h>

#include "queue.h"

static void no_memory(const char *call)
{
    blas_refuse(call, CUBLAS_STATUS_ALLOC_FAILED, "the host has no memory for its matrices");
}

enum cublas_status shaped_check(const struct shaped_call *call, bool is_allowed, const char *what)
{
    return is_allowed ? CUBLAS_STATUS_SUCCESS
                      : blas_refuse(call->name, CUBLAS_STATUS_INVALID_VALUE, "one of these is not allowed: %s", what);
}

static enum cublas_status check_shape(const struct shaped_call *call, const char *what, const struct shape *shape,
                                      struct CUstream_st *stream)
{
    if (queue_is_captured(stream)) return CUBLAS_STATUS_SUCCESS;
    return blas_check_memory(call->name, what, shape->at, shape_bytes(shape));
}

// A dense matrix as a factor: its first parts alone where the product is real.
static struct matrix matrix_of(const struct dense *dense, bool is_complex, int operation)
{
    const int64_t step = is_complex ? 1 : 2, other = step * dense->rows;
    return (struct matrix){.at = dense->at,
                           .type = is_complex ? CUDA_C_64F : CUDA_R_64F,
                           .is_conjugate = operation == CUBLAS_OP_C,
                           .is_host = true,
                           .row_step = operation == CUBLAS_OP_N ? step : other,
                           .column_step = operation == CUBLAS_OP_N ? other : step};
}

// --- Products --------------------------------------------------------------------------------------------------------

struct multiplication {
    const char *call;
    struct shape shape;
    int operation;
    bool is_right;
    struct product product;
};

// What a factor holds now; the product may write over it.
static struct dense copy_of(const struct matrix *from, int64_t rows, int64_t columns)
{
    const int reals = 1 + numbers_is_complex(from->type);
    const struct dense to = dense_zeros(rows, columns);
    for (int64_t column = 0; to.at != NULL && column < columns; column++)
        for (int64_t row = 0; row < rows; row++) {
            double pair[2] = {0, 0};
            const int64_t at = row * from->row_step + column * from->column_step;
            numbers_widen(numbers_real(from->type), from->at, reals * at, 1, reals, pair);
            dense_column(&to, column)[row] = (struct complex_number){pair[0], pair[1]};
        }
    return to;
}

static void multiply(void *its_job)
{
    const struct multiplication *job = its_job;
    struct product product = job->product;
    struct matrix *mine = job->is_right ? &product.b : &product.a, *other = job->is_right ? &product.a : &product.b;
    const bool is_complex = numbers_is_complex(product.d.type), is_over = other->at == product.d.at;
    const struct dense whole = shape_read(&job->shape);
    struct dense copy = {NULL, 0, 0};
    if (is_over) copy = job->is_right ? copy_of(other, product.m, product.k) : copy_of(other, product.k, product.n);
    *mine = matrix_of(&whole, is_complex, job->operation);
    if (is_over) *other = matrix_of(&copy, is_complex, CUBLAS_OP_N);
    if (whole.at != NULL && (!is_over || copy.at != NULL))
        product_run(&product);
    else
        no_memory(job->call);
    free(whole.at);
    free(copy.at);
}

// What the call's product does not know yet, an element of the host stands for while it is checked.
enum cublas_status shaped_multiply(const struct shaped_call *call, const struct shape *shape, int operation,
                                   bool is_right, const struct product *product)
{
    const struct blas_handle *handle = blas_handle_of(call->handle, call->name);
    if (handle == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (product->m == 0 || product->n == 0) return CUBLAS_STATUS_SUCCESS;
    const struct multiplication job = {call->name, *shape, operation, is_right, *product};
    const struct matrix *other = is_right ? &product->a : &product->b;
    const struct product touched = {.m = product->m,
                                    .n = product->n,
                                    .k = product->k,
                                    .batches = 1,
                                    .a = is_right ? *other : vector_unit(call->type),
                                    .b = is_right ? vector_unit(call->type) : *other,
                                    .c = product->c,
                                    .d = product->d,
                                    .alpha = product->alpha,
                                    .beta = product->beta};
    enum cublas_status error = check_shape(call, "A", shape, handle->base.stream);
    if (error == CUBLAS_STATUS_SUCCESS && !queue_is_captured(handle->base.stream))
        error = blas_check_product(call->name, &touched);
    return error != CUBLAS_STATUS_SUCCESS ? error
                                          : blas_submit(call->name, handle->base.stream, multiply, &job, sizeof job);
}

// --- Systems ---------------------------------------------------------------------------------------------------------

struct system {
    const char *call;
    struct shape shape;
    int operation;
    struct matrix x;
};

// Element (row, column) of op(A).
static struct complex_number turned(const struct dense *a, int operation, int64_t row, int64_t column)
{
    const struct complex_number value =
        operation == CUBLAS_OP_N ? dense_column(a, column)[row] : dense_column(a, row)[column];
    return operation == CUBLAS_OP_C ? complex_adjoint(value) : value;
}

static void put(const struct matrix *to, int64_t row, struct complex_number value)
{
    const int reals = 1 + numbers_is_complex(to->type);
    numbers_put(numbers_real(to->type), to->at, reals * row * to->row_step, value.re);
    if (reals == 2) numbers_put(numbers_real(to->type), to->at, reals * row * to->row_step + 1, value.im);
}

static void solve_with(const struct system *job, const struct dense *a, struct complex_number *x)
{
    const int64_t n = a->rows;
    const bool is_lower = job->shape.is_lower == (job->operation == CUBLAS_OP_N);
    for (int64_t i = 0; i < n; i++) {
        const int64_t row = is_lower ? i : n - 1 - i, first = is_lower ? 0 : row + 1, end = is_lower ? row : n;
        for (int64_t k = first; k < end; k++)
            x[row] = complex_difference(x[row], complex_product(turned(a, job->operation, row, k), x[k]));
        if (!job->shape.is_unit) x[row] = complex_quotient(x[row], turned(a, job->operation, row, row));
    }
}

static void solve(void *its_job)
{
    const struct system *job = its_job;
    const struct dense a = shape_read(&job->shape), x = copy_of(&job->x, job->shape.rows, 1);
    if (a.at != NULL && x.at != NULL) {
        solve_with(job, &a, x.at);
        for (int64_t row = 0; row < x.rows; row++) put(&job->x, row, x.at[row]);
    } else
        no_memory(job->call);
    free(a.at);
    free(x.at);
}

enum cublas_status shaped_solve(const struct shaped_call *call, const struct shape *shape, int operation,
                                const struct vector *x)
{
    const struct blas_handle *handle = blas_handle_of(call->handle, call->name);
    if (handle == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (shape->rows == 0) return CUBLAS_STATUS_SUCCESS;
    const struct system job = {call->name, *shape, operation, vector_column(x)};
    const struct product touched = {
        .m = shape->rows, .n = 1, .batches = 1, .d = job.x, .beta = {.value = {0}}, .alpha = {.value = {0}}};
    enum cublas_status error = check_shape(call, "A", shape, handle->base.stream);
    if (error == CUBLAS_STATUS_SUCCESS && !queue_is_captured(handle->base.stream))
        error = blas_check_product(call->name, &touched);
    return error != CUBLAS_STATUS_SUCCESS ? error
                                          : blas_submit(call->name, handle->base.stream, solve, &job, sizeof job);
}

// --- Updates of a triangle -------------------------------------------------------------------------------------------

struct update {
    const char *call;
    struct rank_update its;
    struct factor alpha, beta;
};

static struct complex_number value_of(const struct factor *factor)
{
    double pair[2] = {factor->value[0], factor->value[1]};
    if (factor->device != NULL) {
        pair[1] = 0;
        numbers_widen(numbers_real(factor->type), factor->device, 0, 1, 1 + numbers_is_complex(factor->type), pair);
    }
    return (struct complex_number){pair[0], pair[1]};
}

static struct matrix turned_matrix(struct matrix matrix, bool is_adjoint)
{
    const int64_t step = matrix.row_step;
    matrix.row_step = matrix.column_step;
    matrix.column_step = step;
    if (is_adjoint) matrix.is_conjugate = !matrix.is_conjugate;
    return matrix;
}

static void write_triangle(const struct update *job, const struct dense *product)
{
    const struct shape *c = &job->its.c;
    const struct complex_number beta = value_of(&job->beta);
    const int reals = 1 + numbers_is_complex(c->type);
    const bool has_c = beta.re != 0 || beta.im != 0;
    for (int64_t column = 0; column < c->columns; column++)
        for (int64_t row = 0; row < c->rows; row++) {
            const int64_t place = shape_place(c, row, column);
            double pair[2] = {0, 0};
            if (place < 0) continue;
            if (has_c) numbers_widen(numbers_real(c->type), c->at, reals * place, 1, reals, pair);
            struct complex_number value = complex_sum(dense_column(product, column)[row],
                                                      complex_product(beta, (struct complex_number){pair[0], pair[1]}));
            if (c->rest == REST_ADJOINT && row == column) value.im = 0;
            numbers_put(numbers_real(c->type), c->at, reals * place, value.re);
            if (reals == 2) numbers_put(numbers_real(c->type), c->at, reals * place + 1, value.im);
        }
}

static void update(void *its_job)
{
    const struct update *job = its_job;
    const struct rank_update *its = &job->its;
    const bool is_hermitian = its->c.rest == REST_ADJOINT, is_complex = numbers_is_complex(its->c.type);
    const struct dense to = dense_zeros(its->c.rows, its->c.columns);
    struct complex_number alpha = value_of(&job->alpha);
    if (to.at == NULL) {
        no_memory(job->call);
        return;
    }
    struct product product = {.m = to.rows,
                              .n = to.columns,
                              .k = its->depth,
                              .batches = 1,
                              .a = its->a,
                              .b = turned_matrix(its->b, is_hermitian),
                              .c = matrix_of(&to, is_complex, CUBLAS_OP_N),
                              .d = matrix_of(&to, is_complex, CUBLAS_OP_N),
                              .alpha = {.value = {alpha.re, alpha.im}}};
    product_run(&product);
    if (its->is_second) {
        if (is_hermitian) alpha = complex_adjoint(alpha);
        product.alpha = (struct factor){.value = {alpha.re, alpha.im}};
        product.beta = vector_factor_one();
        product.a = its->b;
        product.b = turned_matrix(its->a, is_hermitian);
        product_run(&product);
    }
    write_triangle(job, &to);
    free(to.at);
}

enum cublas_status shaped_update(const struct shaped_call *call, const struct rank_update *its)
{
    const struct blas_handle *handle = blas_handle_of(call->handle, call->name);
    if (handle == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (its->alpha == NULL) return shaped_check(call, false, "a factor that is a null pointer");
    if (its->c.rows == 0) return CUBLAS_STATUS_SUCCESS;
    struct update job = {call->name, *its, blas_factor(handle->pointer_mode, its->alpha_type, its->alpha),
                         vector_factor_one()};
    if (its->beta != NULL) job.beta = blas_factor(handle->pointer_mode, its->beta_type, its->beta);
    const struct product touched = {.m = its->c.rows,
                                    .n = its->c.rows,
                                    .k = its->depth,
                                    .batches = 1,
                                    .a = its->a,
                                    .b = turned_matrix(its->b, false),
                                    .d = {.at = its->c.at, .type = its->c.type, .is_host = true},
                                    .alpha = job.alpha};
    enum cublas_status error = check_shape(call, "C", &its->c, handle->base.stream);
    if (error == CUBLAS_STATUS_SUCCESS && !queue_is_captured(handle->base.stream))
        error = blas_check_product(call->name, &touched);
    return error != CUBLAS_STATUS_SUCCESS ? error
                                          : blas_submit(call->name, handle->base.stream, update, &job, sizeof job);
}
