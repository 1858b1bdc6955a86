// SPDX-License-Identifier: MIT
// C = alpha A + beta B of matrices by rows, whose columns rise in each row (cusparse<t>csrgeam2).
#include "sparse.h"

#define CALL(name) SPARSE_VISIBLE enum cusparse_status name

struct addend {
    const struct sparse_description *description;
    int count;
    const void *values;
    const int *offsets, *indices;
};

// `values` NULL: only the offsets of C are made.
struct sum {
    const char *call;
    int rows, columns, type, base[3]; // of A, B and C
    struct addend a, b;
    struct sparse_factor alpha, beta;
    void *values;
    int *offsets, *indices, *total; // the number of entries, for the host or the device
};

// The column of entry `at` of a row that ends at `end`; behind all columns if there is no more.
static int column_of(const struct addend *it, int base, int at, int end, int columns)
{
    return at < end ? it->indices[at] - base : columns;
}

static void add(const struct sparse_factor *factor, const struct addend *from, int type, int at, double to[2])
{
    double value[2], by[2];
    sparse_factor_value(factor, by);
    sparse_read(from->values, type, at, value);
    to[0] += by[0] * value[0] - by[1] * value[1];
    to[1] += by[0] * value[1] + by[1] * value[0];
}

// The entries of one row, which begin at `count`; returns where they end.
static int add_row(const struct sum *job, int row, int count)
{
    const int columns = job->columns;
    int i = job->a.offsets[row] - job->base[0], k = job->b.offsets[row] - job->base[1];
    const int i_end = job->a.offsets[row + 1] - job->base[0], k_end = job->b.offsets[row + 1] - job->base[1];
    for (; i < i_end || k < k_end; count++) {
        const int of_a = column_of(&job->a, job->base[0], i, i_end, columns);
        const int of_b = column_of(&job->b, job->base[1], k, k_end, columns);
        double value[2] = {0};
        if (of_a <= of_b && i < i_end) {
            if (job->values != NULL) add(&job->alpha, &job->a, job->type, i, value);
            i++;
        }
        if (of_b <= of_a && k < k_end) {
            if (job->values != NULL) add(&job->beta, &job->b, job->type, k, value);
            k++;
        }
        if (job->values == NULL) continue;
        job->indices[count] = (of_a < of_b ? of_a : of_b) + job->base[2];
        sparse_write(job->values, job->type, count, value);
    }
    return count;
}

static bool are_rows(const struct sum *job, const struct addend *it, int base)
{
    for (int row = 0; row < job->rows; row++) {
        const int first = it->offsets[row] - base, end = it->offsets[row + 1] - base;
        if (first >= 0 && first <= end && end <= it->count) continue;
        sparse_refuse(job->call, CUSPARSE_STATUS_EXECUTION_FAILED,
                      "row %d has the entries %d to %d of %d: its offsets are wrong", row, first, end, it->count);
        return false;
    }
    return true;
}

static void run(void *its_job)
{
    const struct sum *job = its_job;
    int count = 0;
    if (!are_rows(job, &job->a, job->base[0]) || !are_rows(job, &job->b, job->base[1])) return;
    for (int row = 0; row < job->rows; row++) {
        const int first = count;
        count = add_row(job, row, count);
        if (job->values == NULL) job->offsets[row] = first + job->base[2];
    }
    if (job->values != NULL) return;
    job->offsets[job->rows] = count + job->base[2];
    if (job->total != NULL) *job->total = count;
}

static enum cusparse_status check_addend(const struct sparse_handle *handle, const struct sum *job,
                                         const struct addend *it)
{
    const int64_t words = (int64_t)sizeof(int), bytes = job->values == NULL ? 0 : (int64_t)numbers_bytes(job->type);
    enum cusparse_status error =
        sparse_check(handle, job->call, "the offsets of the rows", it->offsets, (job->rows + 1) * words);
    if (error == CUSPARSE_STATUS_SUCCESS)
        error = sparse_check(handle, job->call, "the indices of the columns", it->indices, it->count * words);
    return error != CUSPARSE_STATUS_SUCCESS
               ? error
               : sparse_check(handle, job->call, "the values", it->values, it->count * bytes);
}

static enum cusparse_status submit(const struct sparse_handle *handle, struct sum *job,
                                   const struct sparse_description *c)
{
    const int holds = job->rows >= 0 && job->columns >= 0 && job->a.count >= 0 && job->b.count >= 0 &&
                      job->a.description != NULL && job->b.description != NULL && c != NULL;
    enum cusparse_status error = sparse_require(holds, job->call, "a size or a descriptor");
    if (error != CUSPARSE_STATUS_SUCCESS) return error;
    job->base[0] = job->a.description->base, job->base[1] = job->b.description->base, job->base[2] = c->base;
    error = check_addend(handle, job, &job->a);
    if (error == CUSPARSE_STATUS_SUCCESS) error = check_addend(handle, job, &job->b);
    if (error == CUSPARSE_STATUS_SUCCESS)
        error = sparse_check(handle, job->call, "the offsets of C", job->offsets,
                             ((int64_t)job->rows + 1) * (int64_t)sizeof(int));
    return error != CUSPARSE_STATUS_SUCCESS ? error : sparse_submit(handle, job->call, run, job, sizeof *job);
}

// A number of entries for the host is there when the call returns.
CALL(cusparseXcsrgeam2Nnz)
(void *handle, int rows, int columns, const struct sparse_description *a, int a_count, const int *a_offsets,
 const int *a_indices, const struct sparse_description *b, int b_count, const int *b_offsets, const int *b_indices,
 const struct sparse_description *c, int *offsets, int *total, void *work)
{
    const struct sparse_handle *known = sparse_handle_of(handle, __func__);
    (void)work;
    if (known == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    struct sum job = {.call = __func__,
                      .rows = rows,
                      .columns = columns,
                      .a = {a, a_count, NULL, a_offsets, a_indices},
                      .b = {b, b_count, NULL, b_offsets, b_indices},
                      .offsets = offsets,
                      .total = total};
    const enum cusparse_status error = submit(known, &job, c);
    if (error != CUSPARSE_STATUS_SUCCESS || known->pointer_mode == MODE_DEVICE) return error;
    return sparse_wait(known, __func__);
}

#define GEAM(x, its_type)                                                                                              \
    CALL(cusparse##x##csrgeam2_bufferSizeExt)                                                                          \
    (void *handle, int rows, int columns, const void *alpha, const struct sparse_description *a, int a_count,          \
     const void *a_values, const int *a_offsets, const int *a_indices, const void *beta,                               \
     const struct sparse_description *b, int b_count, const void *b_values, const int *b_offsets,                      \
     const int *b_indices, const struct sparse_description *c, const void *values, const int *offsets,                 \
     const int *indices, size_t *bytes)                                                                                \
    {                                                                                                                  \
        (void)rows, (void)columns, (void)alpha, (void)a, (void)a_count, (void)a_values, (void)a_offsets;               \
        (void)a_indices, (void)beta, (void)b, (void)b_count, (void)b_values, (void)b_offsets, (void)b_indices;         \
        (void)c, (void)values, (void)offsets, (void)indices;                                                           \
        if (sparse_handle_of(handle, __func__) == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;                        \
        if (bytes == NULL) return sparse_require(0, __func__, "the pointer to the size");                              \
        *bytes = sizeof(double[2]);                                                                                    \
        return CUSPARSE_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    CALL(cusparse##x##csrgeam2)                                                                                        \
    (void *handle, int rows, int columns, const void *alpha, const struct sparse_description *a, int a_count,          \
     const void *a_values, const int *a_offsets, const int *a_indices, const void *beta,                               \
     const struct sparse_description *b, int b_count, const void *b_values, const int *b_offsets,                      \
     const int *b_indices, const struct sparse_description *c, void *values, int *offsets, int *indices, void *buffer) \
    {                                                                                                                  \
        const struct sparse_handle *known = sparse_handle_of(handle, __func__);                                        \
        (void)buffer;                                                                                                  \
        if (known == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;                                                     \
        if (alpha == NULL || beta == NULL || values == NULL || indices == NULL)                                        \
            return sparse_require(0, __func__, "a factor, or a pointer of C");                                         \
        return submit(known,                                                                                           \
                      &(struct sum){.call = __func__,                                                                  \
                                    .rows = rows,                                                                      \
                                    .columns = columns,                                                                \
                                    .type = its_type,                                                                  \
                                    .a = {a, a_count, a_values, a_offsets, a_indices},                                 \
                                    .b = {b, b_count, b_values, b_offsets, b_indices},                                 \
                                    .alpha = sparse_factor_of(known, its_type, alpha),                                 \
                                    .beta = sparse_factor_of(known, its_type, beta),                                   \
                                    .values = values,                                                                  \
                                    .offsets = offsets,                                                                \
                                    .indices = indices},                                                               \
                      c);                                                                                              \
    }

EACH_TYPE(GEAM)
