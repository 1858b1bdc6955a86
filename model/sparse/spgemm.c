// SPDX-License-Identifier: MIT
// C = alpha A B of sparse matrices by rows, in the three steps of cusparseSpGEMM: the second counts, the third writes.
#include <stdlib.h>
#include <string.h>

#include "sparse.h"

#define CALL(name) SPARSE_VISIBLE enum cusparse_status name

struct gemm {
    const char *call;
    struct sparse_matrix a, b, c;
    struct sparse_factor alpha;
};

// The row that is made: a sum for each column, whether it has been used, and which have.
struct row {
    double (*sum)[2];
    uint8_t *is_used;
    int64_t *used, count;
};

static void add_entry(const struct gemm *job, const double a[2], int64_t entry, struct row *row)
{
    const int64_t column = sparse_index(job->b.indices, job->b.index_type, entry) - job->b.base;
    double b[2];
    sparse_read(job->b.values, job->b.type, entry, b);
    if (!row->is_used[column]) {
        row->is_used[column] = 1;
        row->used[row->count++] = column;
    }
    row->sum[column][0] += a[0] * b[0] - a[1] * b[1];
    row->sum[column][1] += a[0] * b[1] + a[1] * b[0];
}

static int64_t offset(const struct sparse_matrix *matrix, int64_t row)
{
    return sparse_index(matrix->offsets, matrix->offset_type, row) - matrix->base;
}

static void make_row(const struct gemm *job, int64_t at, struct row *row)
{
    for (int64_t i = offset(&job->a, at); i < offset(&job->a, at + 1); i++) {
        const int64_t inner = sparse_index(job->a.indices, job->a.index_type, i) - job->a.base;
        double a[2];
        sparse_read(job->a.values, job->a.type, i, a);
        for (int64_t k = offset(&job->b, inner); k < offset(&job->b, inner + 1); k++) add_entry(job, a, k, row);
    }
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void write_row(const struct gemm *job, const double alpha[2], int64_t at, struct row *row, int64_t count)
{
    qsort(row->used, (size_t)row->count, sizeof *row->used, compare);
    sparse_set_index(job->c.offsets, job->c.offset_type, at, count + job->c.base);
    for (int64_t i = 0; i < row->count && count + i < job->c.count; i++) {
        const double *sum = row->sum[row->used[i]];
        const double value[2] = {alpha[0] * sum[0] - alpha[1] * sum[1], alpha[0] * sum[1] + alpha[1] * sum[0]};
        sparse_set_index(job->c.indices, job->c.index_type, count + i, row->used[i] + job->c.base);
        sparse_write(job->c.values, job->c.type, count + i, value);
    }
}

static bool is_whole(const struct sparse_matrix *matrix, const char *call)
{
    int64_t entries = 0;
    for (struct sparse_walk walk = sparse_begin(matrix); sparse_next(&walk, call);) entries++;
    return entries == (matrix->rows == 0 ? 0 : offset(matrix, matrix->rows) - offset(matrix, 0));
}

// The number of entries of C, which are written with `writes`; -1 if there is no memory, or an entry is nowhere.
static int64_t multiply(const struct gemm *job, bool writes)
{
    const size_t columns = (size_t)job->b.columns + 1;
    struct row row = {calloc(columns, sizeof(double[2])), calloc(columns, 1), malloc(columns * sizeof(int64_t)), 0};
    int64_t count = 0;
    double alpha[2];
    sparse_factor_value(&job->alpha, alpha);
    if (!row.sum || !row.is_used || !row.used || !is_whole(&job->a, job->call) || !is_whole(&job->b, job->call))
        count = -1;
    for (int64_t at = 0; count >= 0 && at < job->a.rows; at++) {
        row.count = 0;
        make_row(job, at, &row);
        if (writes) write_row(job, alpha, at, &row, count);
        for (int64_t i = 0; i < row.count; i++) {
            memset(row.sum[row.used[i]], 0, sizeof *row.sum);
            row.is_used[row.used[i]] = 0;
        }
        count += row.count;
    }
    if (writes && count >= 0) sparse_set_index(job->c.offsets, job->c.offset_type, job->a.rows, count + job->c.base);
    free(row.used);
    free(row.is_used);
    free(row.sum);
    return count;
}

// How many values of A and B are multiplied; -1 if an entry is nowhere.
static int64_t count_products(const struct gemm *job)
{
    int64_t count = 0;
    if (!is_whole(&job->a, job->call) || !is_whole(&job->b, job->call)) return -1;
    for (int64_t i = 0; job->a.rows > 0 && i < offset(&job->a, job->a.rows); i++) {
        const int64_t inner = sparse_index(job->a.indices, job->a.index_type, i) - job->a.base;
        count += offset(&job->b, inner + 1) - offset(&job->b, inner);
    }
    return count;
}

static void run(void *its_job)
{
    const struct gemm *job = its_job;
    if (multiply(job, true) < 0) sparse_refuse(job->call, CUSPARSE_STATUS_EXECUTION_FAILED, "the product was not made");
}

// --- Calls -----------------------------------------------------------------------------------------------------------

// What cusparseSpGEMM_workEstimation() found out.
struct estimate {
    int64_t products;
};

CALL(cusparseSpGEMM_createDescr)(struct estimate **descriptor)
{
    if (descriptor == NULL) return CUSPARSE_STATUS_INVALID_VALUE;
    *descriptor = calloc(1, sizeof **descriptor);
    return *descriptor != NULL ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

CALL(cusparseSpGEMM_destroyDescr)(struct estimate *descriptor)
{
    free(descriptor);
    return CUSPARSE_STATUS_SUCCESS;
}

#define ARGUMENTS                                                                                                      \
    void *handle, int operation_a, int operation_b, const void *alpha, const struct sparse_matrix *a,                  \
        const struct sparse_matrix *b, const void *beta, struct sparse_matrix *c, int compute, int algorithm,          \
        struct estimate *descriptor

// What a call is given, checked; `known` NULL: there is no such handle.
static enum cusparse_status check(const struct sparse_handle *known, const struct gemm *job, int operation_a,
                                  int operation_b)
{
    const bool are_plain = operation_a == OPERATION_PLAIN && operation_b == OPERATION_PLAIN;
    const bool are_rows = job->a.format == FORMAT_CSR && job->b.format == FORMAT_CSR && job->c.format == FORMAT_CSR;
    const bool fit = job->a.columns == job->b.rows && job->a.rows == job->c.rows && job->b.columns == job->c.columns;
    enum cusparse_status error = sparse_require(are_plain && are_rows && fit, job->call,
                                                "an operation (only NON_TRANSPOSE), a format (only CSR) or a size");
    if (error == CUSPARSE_STATUS_SUCCESS) error = sparse_check_matrix(known, job->call, &job->a);
    return error != CUSPARSE_STATUS_SUCCESS ? error : sparse_check_matrix(known, job->call, &job->b);
}

// The program asks for the number of entries next, so this waits.
static enum cusparse_status count_entries(const struct sparse_handle *known, const struct gemm *job, int operation_a,
                                          int operation_b, struct sparse_matrix *c)
{
    enum cusparse_status error = check(known, job, operation_a, operation_b);
    if (error == CUSPARSE_STATUS_SUCCESS) error = sparse_wait(known, job->call);
    if (error != CUSPARSE_STATUS_SUCCESS) return error;
    const int64_t count = multiply(job, false);
    if (count < 0) return sparse_refuse(job->call, CUSPARSE_STATUS_EXECUTION_FAILED, "the entries were not counted");
    c->count = count;
    return CUSPARSE_STATUS_SUCCESS;
}

// The program may ask for the number next, so this waits.
static enum cusparse_status estimate(const struct sparse_handle *known, const struct gemm *job, int operation_a,
                                     int operation_b, struct estimate *estimate)
{
    enum cusparse_status error = check(known, job, operation_a, operation_b);
    if (error == CUSPARSE_STATUS_SUCCESS) error = sparse_wait(known, job->call);
    if (error != CUSPARSE_STATUS_SUCCESS) return error;
    const int64_t count = count_products(job);
    if (count < 0) return sparse_refuse(job->call, CUSPARSE_STATUS_EXECUTION_FAILED, "the products were not counted");
    estimate->products = count;
    return CUSPARSE_STATUS_SUCCESS;
}

// Without a buffer it only says how large one has to be.
CALL(cusparseSpGEMM_workEstimation)(ARGUMENTS, size_t *bytes, void *buffer)
{
    const struct sparse_handle *known = sparse_handle_of(handle, __func__);
    (void)alpha, (void)beta, (void)compute, (void)algorithm;
    if (known == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (bytes == NULL) return sparse_require(0, __func__, "the pointer to the size");
    *bytes = sizeof(double[2]);
    if (buffer == NULL || descriptor == NULL) return CUSPARSE_STATUS_SUCCESS;
    if (a == NULL || b == NULL || c == NULL) return sparse_require(0, __func__, "a descriptor");
    const struct gemm job = {.call = __func__, .a = *a, .b = *b, .c = *c};
    return estimate(known, &job, operation_a, operation_b, descriptor);
}

CALL(cusparseSpGEMM_getNumProducts)(const struct estimate *descriptor, int64_t *products)
{
    if (descriptor == NULL || products == NULL) return sparse_require(0, __func__, "a pointer");
    *products = descriptor->products;
    return CUSPARSE_STATUS_SUCCESS;
}

// No buffer is needed, whatever part of the products it may hold.
CALL(cusparseSpGEMM_estimateMemory)(ARGUMENTS, float part, size_t *bytes_3, void *buffer_3, size_t *bytes_2)
{
    (void)operation_a, (void)operation_b, (void)alpha, (void)a, (void)b, (void)beta, (void)c, (void)compute;
    (void)algorithm, (void)descriptor, (void)buffer_3;
    if (sparse_handle_of(handle, __func__) == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (!(part > 0 && part <= 1) || bytes_3 == NULL)
        return sparse_require(0, __func__, "the part of the products (up to 1) or the pointer to the size");
    *bytes_3 = sizeof(double[2]);
    if (bytes_2 != NULL) *bytes_2 = sizeof(double[2]);
    return CUSPARSE_STATUS_SUCCESS;
}

// Without a buffer it only says how large one has to be.
CALL(cusparseSpGEMM_compute)(ARGUMENTS, size_t *bytes, void *buffer)
{
    const struct sparse_handle *known = sparse_handle_of(handle, __func__);
    (void)beta, (void)algorithm, (void)descriptor;
    if (known == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (a == NULL || b == NULL || c == NULL || alpha == NULL || bytes == NULL)
        return sparse_require(0, __func__, "a descriptor, the factor or the pointer to the size");
    *bytes = sizeof(double[2]);
    if (buffer == NULL) return CUSPARSE_STATUS_SUCCESS;
    const struct gemm job = {__func__, *a, *b, *c, sparse_factor_of(known, compute, alpha)};
    return count_entries(known, &job, operation_a, operation_b, c);
}

static enum cusparse_status give_product(const struct sparse_handle *known, const struct gemm *job, int operation_a,
                                         int operation_b)
{
    enum cusparse_status error = check(known, job, operation_a, operation_b);
    if (error == CUSPARSE_STATUS_SUCCESS) error = sparse_check_matrix(known, job->call, &job->c);
    return error != CUSPARSE_STATUS_SUCCESS ? error : sparse_submit(known, job->call, run, job, sizeof *job);
}

static enum cusparse_status give_values(const struct sparse_handle *known, const struct gemm *job, int operation_a,
                                        int operation_b, const double beta[2])
{
    if (beta[0] != 0 || beta[1] != 0)
        return sparse_refuse(job->call, CUSPARSE_STATUS_NOT_SUPPORTED,
                             "beta is not 0, which tmaref exec does not have");
    return give_product(known, job, operation_a, operation_b);
}

// The last step of both ways: the values, and where they are.
#define LAST_STEP(name)                                                                                                \
    CALL(name)(ARGUMENTS)                                                                                              \
    {                                                                                                                  \
        const struct sparse_handle *known = sparse_handle_of(handle, __func__);                                        \
        double old[2] = {0};                                                                                           \
        (void)algorithm, (void)descriptor;                                                                             \
        if (known == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;                                                     \
        if (a == NULL || b == NULL || c == NULL || alpha == NULL || beta == NULL)                                      \
            return sparse_require(0, __func__, "a descriptor or a factor");                                            \
        if (known->pointer_mode == MODE_HOST) sparse_read(beta, compute, 0, old);                                      \
        const struct gemm job = {__func__, *a, *b, *c, sparse_factor_of(known, compute, alpha)};                       \
        return give_values(known, &job, operation_a, operation_b, old);                                                \
    }
LAST_STEP(cusparseSpGEMM_copy)

// --- The same structure for several values ---------------------------------------------------------------------------

#define REUSE_ARGUMENTS                                                                                                \
    void *handle, int operation_a, int operation_b, const struct sparse_matrix *a, const struct sparse_matrix *b,      \
        struct sparse_matrix *c, int algorithm, void *descriptor

CALL(cusparseSpGEMMreuse_workEstimation)(REUSE_ARGUMENTS, size_t *bytes, void *buffer)
{
    (void)operation_a, (void)operation_b, (void)a, (void)b, (void)c, (void)algorithm, (void)descriptor, (void)buffer;
    if (sparse_handle_of(handle, __func__) == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (bytes == NULL) return sparse_require(0, __func__, "the pointer to the size");
    *bytes = sizeof(double[2]);
    return CUSPARSE_STATUS_SUCCESS;
}

// Without buffers it only says how large they have to be.
CALL(cusparseSpGEMMreuse_nnz)
(REUSE_ARGUMENTS, size_t *bytes_2, void *buffer_2, size_t *bytes_3, void *buffer_3, size_t *bytes_4, void *buffer_4)
{
    const struct sparse_handle *known = sparse_handle_of(handle, __func__);
    (void)algorithm, (void)descriptor;
    if (known == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (a == NULL || b == NULL || c == NULL || bytes_2 == NULL || bytes_3 == NULL || bytes_4 == NULL)
        return sparse_require(0, __func__, "a descriptor or the pointer to a size");
    *bytes_2 = *bytes_3 = *bytes_4 = sizeof(double[2]);
    if (buffer_2 == NULL && buffer_3 == NULL && buffer_4 == NULL) return CUSPARSE_STATUS_SUCCESS;
    const struct gemm job = {.call = __func__, .a = *a, .b = *b, .c = *c};
    return count_entries(known, &job, operation_a, operation_b, c);
}

// Where the entries are. Their values are written too, with a factor of 1.
CALL(cusparseSpGEMMreuse_copy)(REUSE_ARGUMENTS, size_t *bytes, void *buffer)
{
    const struct sparse_handle *known = sparse_handle_of(handle, __func__);
    (void)algorithm, (void)descriptor;
    if (known == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (a == NULL || b == NULL || c == NULL || bytes == NULL)
        return sparse_require(0, __func__, "a descriptor or the pointer to the size");
    *bytes = sizeof(double[2]);
    if (buffer == NULL) return CUSPARSE_STATUS_SUCCESS;
    const struct gemm job = {.call = __func__, .a = *a, .b = *b, .c = *c, .alpha = {.value = {1, 0}}};
    return give_product(known, &job, operation_a, operation_b);
}

LAST_STEP(cusparseSpGEMMreuse_compute)
