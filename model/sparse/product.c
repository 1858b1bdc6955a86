// SPDX-License-Identifier: MIT
// Y = alpha op(A) X + beta Y for a sparse A, Y = alpha op(A)^-1 X for a sparse triangle, and samples of dense products.
#include <stdlib.h>

#include "sparse.h"

#define CALL(name) SPARSE_VISIBLE enum cusparse_status name

// `x` and `y` have a column for each vector.
struct product {
    const char *call;
    struct sparse_matrix a;
    struct dense_matrix x, y;
    int operation, x_operation;
    struct sparse_factor alpha, beta;
};

static void add_product(double to[2], const double a[2], const double b[2])
{
    const double re = a[0] * b[0] - a[1] * b[1], im = a[0] * b[1] + a[1] * b[0];
    to[0] += re, to[1] += im;
}

static bool is_zero(const double a[2])
{
    return a[0] == 0 && a[1] == 0;
}

static void read_op(const struct dense_matrix *matrix, int operation, int64_t row, int64_t column, double to[2])
{
    const bool is_plain = operation == OPERATION_PLAIN;
    sparse_read(matrix->values, matrix->type,
                is_plain ? dense_index(matrix, row, column) : dense_index(matrix, column, row), to);
    if (operation == OPERATION_ADJOINT) to[1] = -to[1];
}

// The column of Y that `sums` and the old one make.
static void finish(const struct product *job, int64_t column, const double (*sums)[2])
{
    double alpha[2], beta[2];
    sparse_factor_value(&job->alpha, alpha);
    sparse_factor_value(&job->beta, beta);
    for (int64_t row = 0; row < job->y.rows; row++) {
        const int64_t at = dense_index(&job->y, row, column);
        double value[2] = {0}, old[2];
        add_product(value, alpha, sums[row]);
        if (!is_zero(beta)) {
            sparse_read(job->y.values, job->y.type, at, old);
            add_product(value, beta, old);
        }
        sparse_write(job->y.values, job->y.type, at, value);
    }
}

static void multiply_column(const struct product *job, int64_t column, double (*sums)[2])
{
    struct sparse_walk walk = sparse_begin(&job->a);
    while (sparse_next(&walk, job->call)) {
        const int64_t row = job->operation == OPERATION_PLAIN ? walk.row : walk.column;
        const int64_t inner = job->operation == OPERATION_PLAIN ? walk.column : walk.row;
        double a[2], x[2];
        sparse_read(job->a.values, job->a.type, walk.entry, a);
        if (job->operation == OPERATION_ADJOINT) a[1] = -a[1];
        read_op(&job->x, job->x_operation, inner, column, x);
        add_product(sums[row], a, x);
    }
}

static void no_memory(const char *call)
{
    sparse_refuse(call, CUSPARSE_STATUS_ALLOC_FAILED, "the host has no memory for a column of the result");
}

static void multiply(void *its_job)
{
    const struct product *job = its_job;
    for (int64_t column = 0; column < job->y.columns; column++) {
        double(*sums)[2] = calloc((size_t)job->y.rows + 1, sizeof *sums);
        if (sums == NULL) {
            no_memory(job->call);
            return;
        }
        multiply_column(job, column, sums);
        finish(job, column, (const double(*)[2])sums);
        free(sums);
    }
}

// --- Checks ----------------------------------------------------------------------------------------------------------

static bool is_operation(int operation)
{
    return operation >= OPERATION_PLAIN && operation <= OPERATION_ADJOINT;
}

static enum cusparse_status check_sizes(const struct product *job)
{
    const bool is_plain = job->operation == OPERATION_PLAIN, x_is_plain = job->x_operation == OPERATION_PLAIN;
    const int64_t rows = is_plain ? job->a.rows : job->a.columns, inner = is_plain ? job->a.columns : job->a.rows;
    const int64_t x_rows = x_is_plain ? job->x.rows : job->x.columns;
    const int64_t x_columns = x_is_plain ? job->x.columns : job->x.rows;
    if (job->y.rows == rows && x_rows == inner && x_columns == job->y.columns) return CUSPARSE_STATUS_SUCCESS;
    return sparse_refuse(job->call, CUSPARSE_STATUS_INVALID_VALUE,
                         "op(A) is %lld x %lld, op(X) %lld x %lld and Y %lld x %lld: they do not fit", (long long)rows,
                         (long long)inner, (long long)x_rows, (long long)x_columns, (long long)job->y.rows,
                         (long long)job->y.columns);
}

static enum cusparse_status submit(void *its_handle, const struct product *job, void (*run)(void *job))
{
    const struct sparse_handle *handle = sparse_handle_of(its_handle, job->call);
    if (handle == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    enum cusparse_status error =
        sparse_require(is_operation(job->operation) && is_operation(job->x_operation), job->call, "an operation");
    if (error == CUSPARSE_STATUS_SUCCESS) error = check_sizes(job);
    if (error == CUSPARSE_STATUS_SUCCESS) error = sparse_check_matrix(handle, job->call, &job->a);
    if (error == CUSPARSE_STATUS_SUCCESS) error = sparse_check_dense(handle, job->call, "X", &job->x);
    if (error == CUSPARSE_STATUS_SUCCESS) error = sparse_check_dense(handle, job->call, "Y", &job->y);
    return error != CUSPARSE_STATUS_SUCCESS ? error : sparse_submit(handle, job->call, run, job, sizeof *job);
}

static struct dense_matrix column_of(const struct dense_vector *vector)
{
    return (struct dense_matrix){.rows = vector->size,
                                 .columns = 1,
                                 .leading = vector->size,
                                 .values = vector->values,
                                 .type = vector->type,
                                 .order = ORDER_COLUMN};
}

static struct product of_batch(const struct product *job, int64_t batch)
{
    struct product one = *job;
    one.a = sparse_of_batch(&job->a, batch);
    one.x = dense_of_batch(&job->x, batch);
    one.y = dense_of_batch(&job->y, batch);
    return one;
}

// Of the matrix that is written, there is one for each product.
static enum cusparse_status submit_all(void *handle, const struct product *job, int batches)
{
    enum cusparse_status error = CUSPARSE_STATUS_SUCCESS;
    for (int64_t i = 0; i < (batches > 1 ? batches : 1) && error == CUSPARSE_STATUS_SUCCESS; i++) {
        const struct product one = of_batch(job, i);
        error = submit(handle, &one, multiply);
    }
    return error;
}

static enum cusparse_status give_size(void *handle, const char *call, size_t *bytes)
{
    enum { BYTES = 16 }; // none is needed
    if (sparse_handle_of(handle, call) == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (bytes == NULL) return sparse_require(0, call, "the pointer to the size");
    *bytes = BYTES;
    return CUSPARSE_STATUS_SUCCESS;
}

// The calls in front of a product, which have nothing to prepare: the size of a buffer that nobody uses, and what would
// look at the operands. clang-tidy is asked at each use not to name the arguments.
#define UNPREPARED(size_call, other_call, ...)                                                                         \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-parameter\"")                            \
        CALL(size_call)(__VA_ARGS__, size_t * bytes)                                                                   \
    {                                                                                                                  \
        return give_size(handle, __func__, bytes);                                                                     \
    }                                                                                                                  \
    CALL(other_call)(__VA_ARGS__, void *buffer)                                                                        \
    {                                                                                                                  \
        size_t bytes;                                                                                                  \
        return give_size(handle, __func__, &bytes);                                                                    \
    }                                                                                                                  \
    _Pragma("GCC diagnostic pop")

// --- Products --------------------------------------------------------------------------------------------------------

#define VECTOR_ARGUMENTS                                                                                               \
    void *handle, int operation, const void *alpha, const struct sparse_matrix *a, const struct dense_vector *x,       \
        const void *beta, struct dense_vector *y, int compute, int algorithm

UNPREPARED(cusparseSpMV_bufferSize, cusparseSpMV_preprocess, VECTOR_ARGUMENTS) // NOLINT(misc-unused-parameters)

CALL(cusparseSpMV)(VECTOR_ARGUMENTS, void *buffer)
{
    const struct sparse_handle *known = sparse_handle_of(handle, __func__);
    (void)buffer, (void)algorithm;
    if (known == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (a == NULL || x == NULL || y == NULL || alpha == NULL || beta == NULL)
        return sparse_require(0, __func__, "a descriptor or a factor");
    const struct product job = {.call = __func__,
                                .a = *a,
                                .x = column_of(x),
                                .y = column_of(y),
                                .operation = operation,
                                .alpha = sparse_factor_of(known, compute, alpha),
                                .beta = sparse_factor_of(known, compute, beta)};
    return submit(handle, &job, multiply);
}

#define MATRIX_ARGUMENTS                                                                                               \
    void *handle, int operation, int x_operation, const void *alpha, const struct sparse_matrix *a,                    \
        const struct dense_matrix *x, const void *beta, struct dense_matrix *y, int compute, int algorithm

UNPREPARED(cusparseSpMM_bufferSize, cusparseSpMM_preprocess, MATRIX_ARGUMENTS) // NOLINT(misc-unused-parameters)

CALL(cusparseSpMM)(MATRIX_ARGUMENTS, void *buffer)
{
    const struct sparse_handle *known = sparse_handle_of(handle, __func__);
    (void)buffer, (void)algorithm;
    if (known == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (a == NULL || x == NULL || y == NULL || alpha == NULL || beta == NULL)
        return sparse_require(0, __func__, "a descriptor or a factor");
    const struct product job = {.call = __func__,
                                .a = *a,
                                .x = *x,
                                .y = *y,
                                .operation = operation,
                                .x_operation = x_operation,
                                .alpha = sparse_factor_of(known, compute, alpha),
                                .beta = sparse_factor_of(known, compute, beta)};
    return submit_all(handle, &job, y->batches);
}

// --- Triangles -------------------------------------------------------------------------------------------------------

// The entries of op(A) in the triangle, each in the list of its row.
struct rows {
    int64_t *first, *next; // of rows, of entries; -1: none
    int64_t *column;
    double (*value)[2];
};

static int make_rows(const struct product *job, bool is_lower, struct rows *rows)
{
    struct sparse_walk walk = sparse_begin(&job->a);
    for (int64_t i = 0; i < job->y.rows; i++) rows->first[i] = -1;
    while (sparse_next(&walk, job->call)) {
        const bool is_plain = job->operation == OPERATION_PLAIN;
        const int64_t row = is_plain ? walk.row : walk.column, column = is_plain ? walk.column : walk.row;
        if (is_lower ? column > row : column < row) continue;
        rows->column[walk.entry] = column;
        sparse_read(job->a.values, job->a.type, walk.entry, rows->value[walk.entry]);
        if (job->operation == OPERATION_ADJOINT) rows->value[walk.entry][1] = -rows->value[walk.entry][1];
        rows->next[walk.entry] = rows->first[row];
        rows->first[row] = walk.entry;
    }
    return 1;
}

static void divide(double x[2], const double by[2])
{
    const double size = by[0] * by[0] + by[1] * by[1], re = x[0] * by[0] + x[1] * by[1];
    const double im = x[1] * by[0] - x[0] * by[1];
    x[0] = by[1] == 0 ? x[0] / by[0] : re / size;
    x[1] = by[1] == 0 ? x[1] / by[0] : im / size;
}

static void solve_row(const struct product *job, const struct rows *rows, int64_t row, double (*x)[2])
{
    double diagonal[2] = {job->a.diagonal ? 1 : 0, 0};
    for (int64_t i = rows->first[row]; i >= 0; i = rows->next[i]) {
        const double minus[2] = {-rows->value[i][0], -rows->value[i][1]};
        if (rows->column[i] != row) {
            add_product(x[row], minus, x[rows->column[i]]);
            continue;
        }
        if (!job->a.diagonal) diagonal[0] += rows->value[i][0], diagonal[1] += rows->value[i][1];
    }
    divide(x[row], diagonal);
}

static void solve_column(const struct product *job, const struct rows *rows, bool is_lower, int64_t column,
                         double (*x)[2])
{
    double alpha[2], given[2];
    sparse_factor_value(&job->alpha, alpha);
    for (int64_t i = 0; i < job->y.rows; i++) {
        read_op(&job->x, job->x_operation, i, column, given);
        x[i][0] = x[i][1] = 0;
        add_product(x[i], alpha, given);
    }
    for (int64_t i = 0; i < job->y.rows; i++) solve_row(job, rows, is_lower ? i : job->y.rows - 1 - i, x);
    for (int64_t i = 0; i < job->y.rows; i++)
        sparse_write(job->y.values, job->y.type, dense_index(&job->y, i, column), x[i]);
}

static void solve(void *its_job)
{
    const struct product *job = its_job;
    const bool is_lower = (job->a.fill == 0) == (job->operation == OPERATION_PLAIN);
    const size_t edge = (size_t)job->y.rows + 1, count = (size_t)job->a.count + 1;
    struct rows rows = {malloc(edge * sizeof(int64_t)), malloc(count * sizeof(int64_t)),
                        malloc(count * sizeof(int64_t)), malloc(count * sizeof(double[2]))};
    double(*x)[2] = malloc(edge * sizeof *x);
    const bool has_memory = rows.first && rows.next && rows.column && rows.value && x;
    if (!has_memory) no_memory(job->call);
    if (has_memory && make_rows(job, is_lower, &rows))
        for (int64_t column = 0; column < job->y.columns; column++) solve_column(job, &rows, is_lower, column, x);
    free(x);
    free(rows.value);
    free(rows.column);
    free(rows.next);
    free(rows.first);
}

// Nothing is kept from the analysis for the solution.
#define DESCRIPTOR(create, destroy)                                                                                    \
    CALL(create)(void **descriptor)                                                                                    \
    {                                                                                                                  \
        if (descriptor == NULL) return CUSPARSE_STATUS_INVALID_VALUE;                                                  \
        *descriptor = malloc(1);                                                                                       \
        return *descriptor != NULL ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;                           \
    }                                                                                                                  \
    CALL(destroy)(void *descriptor)                                                                                    \
    {                                                                                                                  \
        free(descriptor);                                                                                              \
        return CUSPARSE_STATUS_SUCCESS;                                                                                \
    }
DESCRIPTOR(cusparseSpSV_createDescr, cusparseSpSV_destroyDescr)
DESCRIPTOR(cusparseSpSM_createDescr, cusparseSpSM_destroyDescr)

#define SOLVE_ARGUMENTS                                                                                                \
    void *handle, int operation, const void *alpha, const struct sparse_matrix *a, const struct dense_vector *x,       \
        struct dense_vector *y, int compute, int algorithm, void *descriptor

UNPREPARED(cusparseSpSV_bufferSize, cusparseSpSV_analysis, SOLVE_ARGUMENTS) // NOLINT(misc-unused-parameters)

CALL(cusparseSpSV_solve)(SOLVE_ARGUMENTS)
{
    const struct sparse_handle *known = sparse_handle_of(handle, __func__);
    (void)algorithm, (void)descriptor;
    if (known == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (a == NULL || x == NULL || y == NULL || alpha == NULL)
        return sparse_require(0, __func__, "a descriptor or the factor");
    const struct product job = {.call = __func__,
                                .a = *a,
                                .x = column_of(x),
                                .y = column_of(y),
                                .operation = operation,
                                .alpha = sparse_factor_of(known, compute, alpha)};
    return submit(handle, &job, solve);
}

#define SOLVE_ALL_ARGUMENTS                                                                                            \
    void *handle, int operation, int x_operation, const void *alpha, const struct sparse_matrix *a,                    \
        const struct dense_matrix *x, struct dense_matrix *y, int compute, int algorithm, void *descriptor

UNPREPARED(cusparseSpSM_bufferSize, cusparseSpSM_analysis, SOLVE_ALL_ARGUMENTS) // NOLINT(misc-unused-parameters)

CALL(cusparseSpSM_solve)(SOLVE_ALL_ARGUMENTS)
{
    const struct sparse_handle *known = sparse_handle_of(handle, __func__);
    (void)algorithm, (void)descriptor;
    if (known == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (a == NULL || x == NULL || y == NULL || alpha == NULL)
        return sparse_require(0, __func__, "a descriptor or the factor");
    const struct product job = {.call = __func__,
                                .a = *a,
                                .x = *x,
                                .y = *y,
                                .operation = operation,
                                .x_operation = x_operation,
                                .alpha = sparse_factor_of(known, compute, alpha)};
    return submit(handle, &job, solve);
}

// --- Samples of a dense product --------------------------------------------------------------------------------------

// Each entry of C becomes alpha times that of op(X) op(Y), and beta times itself.
static void sample(void *its_job)
{
    const struct product *job = its_job;
    const int64_t inner = job->operation == OPERATION_PLAIN ? job->x.columns : job->x.rows;
    struct sparse_walk walk = sparse_begin(&job->a);
    double alpha[2], beta[2];
    sparse_factor_value(&job->alpha, alpha);
    sparse_factor_value(&job->beta, beta);
    while (sparse_next(&walk, job->call)) {
        double sum[2] = {0}, value[2] = {0}, x[2], y[2];
        for (int64_t k = 0; k < inner; k++) {
            read_op(&job->x, job->operation, walk.row, k, x);
            read_op(&job->y, job->x_operation, k, walk.column, y);
            add_product(sum, x, y);
        }
        add_product(value, alpha, sum);
        sparse_read(job->a.values, job->a.type, walk.entry, x);
        if (!is_zero(beta)) add_product(value, beta, x);
        sparse_write(job->a.values, job->a.type, walk.entry, value);
    }
}

static enum cusparse_status submit_sample(const struct sparse_handle *handle, const struct product *job)
{
    const bool x_is_plain = job->operation == OPERATION_PLAIN, y_is_plain = job->x_operation == OPERATION_PLAIN;
    const bool fit = (x_is_plain ? job->x.rows : job->x.columns) == job->a.rows &&
                     (y_is_plain ? job->y.columns : job->y.rows) == job->a.columns &&
                     (x_is_plain ? job->x.columns : job->x.rows) == (y_is_plain ? job->y.rows : job->y.columns);
    enum cusparse_status error = sparse_require(fit && is_operation(job->operation) && is_operation(job->x_operation),
                                                job->call, "a size or an operation");
    if (error == CUSPARSE_STATUS_SUCCESS) error = sparse_check_matrix(handle, job->call, &job->a);
    if (error == CUSPARSE_STATUS_SUCCESS) error = sparse_check_dense(handle, job->call, "A", &job->x);
    if (error == CUSPARSE_STATUS_SUCCESS) error = sparse_check_dense(handle, job->call, "B", &job->y);
    return error != CUSPARSE_STATUS_SUCCESS ? error : sparse_submit(handle, job->call, sample, job, sizeof *job);
}

#define SAMPLE_ARGUMENTS                                                                                               \
    void *handle, int operation, int y_operation, const void *alpha, const struct dense_matrix *x,                     \
        const struct dense_matrix *y, const void *beta, struct sparse_matrix *c, int compute, int algorithm

UNPREPARED(cusparseSDDMM_bufferSize, cusparseSDDMM_preprocess, SAMPLE_ARGUMENTS) // NOLINT(misc-unused-parameters)

CALL(cusparseSDDMM)(SAMPLE_ARGUMENTS, void *buffer)
{
    const struct sparse_handle *known = sparse_handle_of(handle, __func__);
    (void)buffer, (void)algorithm;
    if (known == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (c == NULL || x == NULL || y == NULL || alpha == NULL || beta == NULL)
        return sparse_require(0, __func__, "a descriptor or a factor");
    const struct product job = {.call = __func__,
                                .a = *c,
                                .x = *x,
                                .y = *y,
                                .operation = operation,
                                .x_operation = y_operation,
                                .alpha = sparse_factor_of(known, compute, alpha),
                                .beta = sparse_factor_of(known, compute, beta)};
    enum cusparse_status error = CUSPARSE_STATUS_SUCCESS;
    for (int64_t i = 0; i < (c->batches.count > 1 ? c->batches.count : 1) && error == CUSPARSE_STATUS_SUCCESS; i++) {
        const struct product one = of_batch(&job, i);
        error = submit_sample(known, &one);
    }
    return error;
}
