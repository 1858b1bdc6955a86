// SPDX-License-Identifier: MIT
// Sparse vectors, and entries that are put in order.
#include <stdlib.h>

#include "sparse.h"

#define CALL(name) SPARSE_VISIBLE enum cusparse_status name

// --- Vectors ---------------------------------------------------------------------------------------------------------

enum { GATHER, SCATTER, ADD, DOT, ROTATE };

struct vectors {
    const char *call;
    int what;
    bool is_adjoint;
    struct sparse_vector x;
    struct dense_vector y;
    struct sparse_factor alpha, beta;
    void *result; // of a dot product, of type alpha.type
};

static void add_product(double to[2], const double a[2], const double b[2])
{
    const double re = a[0] * b[0] - a[1] * b[1], im = a[0] * b[1] + a[1] * b[0];
    to[0] += re, to[1] += im;
}

// The place in Y of entry i; -1 outside of it, which is told.
static int64_t place_of(const struct vectors *job, int64_t i)
{
    const int64_t at = sparse_index(job->x.indices, job->x.index_type, i) - job->x.base;
    if (at >= 0 && at < job->y.size) return at;
    sparse_refuse(job->call, CUSPARSE_STATUS_EXECUTION_FAILED,
                  "entry %lld of the sparse vector has the index %lld, and the dense one %lld elements", (long long)i,
                  (long long)at, (long long)job->y.size);
    return -1;
}

static void scale(const struct vectors *job, const double beta[2])
{
    for (int64_t i = 0; i < job->y.size; i++) {
        double value[2] = {0}, old[2];
        sparse_read(job->y.values, job->y.type, i, old);
        if (beta[0] != 0 || beta[1] != 0) add_product(value, beta, old);
        sparse_write(job->y.values, job->y.type, i, value);
    }
}

// x = c x + s y, y = c y - s* x; the factors are alpha and beta.
static void rotate(const struct vectors *job, int64_t i, int64_t at, const double x[2], const double y[2])
{
    double c[2], s[2], turned[2] = {0}, other[2] = {0};
    sparse_factor_value(&job->alpha, c);
    sparse_factor_value(&job->beta, s);
    add_product(turned, c, x);
    add_product(turned, s, y);
    add_product(other, c, y);
    add_product(other, (const double[]){-s[0], s[1]}, x);
    sparse_write(job->x.values, job->x.type, i, turned);
    sparse_write(job->y.values, job->y.type, at, other);
}

static void take_entry(const struct vectors *job, int64_t i, int64_t at, const double alpha[2], double sum[2])
{
    double x[2], y[2];
    sparse_read(job->x.values, job->x.type, i, x);
    sparse_read(job->y.values, job->y.type, at, y);
    if (job->is_adjoint) x[1] = -x[1];
    if (job->what == GATHER) sparse_write(job->x.values, job->x.type, i, y);
    if (job->what == SCATTER) sparse_write(job->y.values, job->y.type, at, x);
    if (job->what == DOT) add_product(sum, x, y);
    if (job->what == ROTATE) rotate(job, i, at, x, y);
    if (job->what != ADD) return;
    add_product(y, alpha, x);
    sparse_write(job->y.values, job->y.type, at, y);
}

static void run(void *its_job)
{
    const struct vectors *job = its_job;
    double alpha[2] = {0}, beta[2] = {0}, sum[2] = {0};
    sparse_factor_value(&job->alpha, alpha);
    sparse_factor_value(&job->beta, beta);
    if (job->what == ADD) scale(job, beta);
    for (int64_t i = 0; i < job->x.count; i++) {
        const int64_t at = place_of(job, i);
        if (at < 0) return;
        take_entry(job, i, at, alpha, sum);
    }
    if (job->what == DOT) sparse_write(job->result, job->alpha.type, 0, sum);
}

static enum cusparse_status submit(const struct sparse_handle *handle, struct vectors *job)
{
    const struct sparse_vector *x = &job->x;
    enum cusparse_status error =
        sparse_require(x->size == job->y.size, job->call, "the size of one of the two vectors");
    if (error == CUSPARSE_STATUS_SUCCESS)
        error =
            sparse_check(handle, job->call, "the indices", x->indices, x->count * sparse_index_bytes(x->index_type));
    if (error == CUSPARSE_STATUS_SUCCESS)
        error = sparse_check(handle, job->call, "the values", x->values, x->count * (int64_t)numbers_bytes(x->type));
    if (error == CUSPARSE_STATUS_SUCCESS)
        error = sparse_check(handle, job->call, "the dense vector", job->y.values,
                             job->y.size * (int64_t)numbers_bytes(job->y.type));
    return error != CUSPARSE_STATUS_SUCCESS ? error : sparse_submit(handle, job->call, run, job, sizeof *job);
}

CALL(cusparseGather)(void *handle, const struct dense_vector *y, struct sparse_vector *x)
{
    const struct sparse_handle *known = sparse_handle_of(handle, __func__);
    if (known == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (x == NULL || y == NULL) return sparse_require(0, __func__, "a descriptor");
    return submit(known, &(struct vectors){.call = __func__, .what = GATHER, .x = *x, .y = *y});
}

CALL(cusparseScatter)(void *handle, const struct sparse_vector *x, struct dense_vector *y)
{
    const struct sparse_handle *known = sparse_handle_of(handle, __func__);
    if (known == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (x == NULL || y == NULL) return sparse_require(0, __func__, "a descriptor");
    return submit(known, &(struct vectors){.call = __func__, .what = SCATTER, .x = *x, .y = *y});
}

CALL(cusparseRot)(void *handle, const void *c, const void *s, struct sparse_vector *x, struct dense_vector *y)
{
    const struct sparse_handle *known = sparse_handle_of(handle, __func__);
    if (known == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (x == NULL || y == NULL || c == NULL || s == NULL) return sparse_require(0, __func__, "a pointer");
    return submit(known, &(struct vectors){.call = __func__,
                                           .what = ROTATE,
                                           .x = *x,
                                           .y = *y,
                                           .alpha = sparse_factor_of(known, x->type, c),
                                           .beta = sparse_factor_of(known, x->type, s)});
}

CALL(cusparseAxpby)
(void *handle, const void *alpha, const struct sparse_vector *x, const void *beta, struct dense_vector *y)
{
    const struct sparse_handle *known = sparse_handle_of(handle, __func__);
    if (known == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (x == NULL || y == NULL || alpha == NULL || beta == NULL)
        return sparse_require(0, __func__, "a descriptor or a factor");
    return submit(known, &(struct vectors){.call = __func__,
                                           .what = ADD,
                                           .x = *x,
                                           .y = *y,
                                           .alpha = sparse_factor_of(known, x->type, alpha),
                                           .beta = sparse_factor_of(known, y->type, beta)});
}

CALL(cusparseSpVV_bufferSize)
(void *handle, int operation, const void *x, const void *y, const void *result, int compute, size_t *bytes)
{
    (void)operation, (void)x, (void)y, (void)result, (void)compute;
    if (sparse_handle_of(handle, __func__) == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (bytes == NULL) return sparse_require(0, __func__, "the pointer to the size");
    *bytes = sizeof(double[2]);
    return CUSPARSE_STATUS_SUCCESS;
}

// A result of the host is there when the call returns.
CALL(cusparseSpVV)
(void *handle, int operation, const struct sparse_vector *x, const struct dense_vector *y, void *result, int compute,
 void *buffer)
{
    const struct sparse_handle *known = sparse_handle_of(handle, __func__);
    (void)buffer;
    if (known == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (x == NULL || y == NULL || result == NULL || numbers_bytes(compute) == 0)
        return sparse_require(0, __func__, "a descriptor, the result or its type");
    const enum cusparse_status error = submit(known, &(struct vectors){.call = __func__,
                                                                       .what = DOT,
                                                                       .is_adjoint = operation == OPERATION_ADJOINT,
                                                                       .x = *x,
                                                                       .y = *y,
                                                                       .alpha = {.type = compute},
                                                                       .result = result});
    if (error != CUSPARSE_STATUS_SUCCESS || known->pointer_mode == MODE_DEVICE) return error;
    return sparse_wait(known, __func__);
}

// --- Order -----------------------------------------------------------------------------------------------------------

// Entries in the order of `first`, then of `second`; `permutation` moves with them. With offsets, those of each row.
struct ordered {
    const char *call;
    int *first, *second, *permutation;
    const int *offsets;
    int rows, count;
};

struct entry {
    int first, second, permutation, was;
};

static int compare(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    if (x->second != y->second) return x->second < y->second ? -1 : 1;
    return (x->was > y->was) - (x->was < y->was);
}

static void set_rows(const struct ordered *job, struct entry *entries)
{
    for (int row = 0; job->offsets != NULL && row < job->rows; row++)
        for (int at = job->offsets[row] - job->offsets[0]; at < job->offsets[row + 1] - job->offsets[0]; at++)
            if (at >= 0 && at < job->count) entries[at].first = row;
}

static void put_in_order(void *its_job)
{
    const struct ordered *job = its_job;
    struct entry *entries = calloc((size_t)job->count + 1, sizeof *entries);
    if (entries == NULL) {
        sparse_refuse(job->call, CUSPARSE_STATUS_ALLOC_FAILED, "the host has no memory for the entries");
        return;
    }
    for (int i = 0; i < job->count; i++) {
        entries[i] = (struct entry){.second = job->second[i], .was = i};
        if (job->first != NULL) entries[i].first = job->first[i];
        if (job->permutation != NULL) entries[i].permutation = job->permutation[i];
    }
    set_rows(job, entries);
    qsort(entries, (size_t)job->count, sizeof *entries, compare);
    for (int i = 0; i < job->count; i++) {
        job->second[i] = entries[i].second;
        if (job->first != NULL) job->first[i] = entries[i].first;
        if (job->permutation != NULL) job->permutation[i] = entries[i].permutation;
    }
    free(entries);
}

static enum cusparse_status sort(void *its_handle, const struct ordered *job)
{
    const struct sparse_handle *handle = sparse_handle_of(its_handle, job->call);
    const int64_t bytes = (int64_t)job->count * (int64_t)sizeof(int), rows = job->offsets != NULL ? job->rows + 1 : 0;
    if (handle == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    enum cusparse_status error = sparse_require(job->count >= 0 && job->rows >= 0, job->call, "a size");
    if (error == CUSPARSE_STATUS_SUCCESS) error = sparse_check(handle, job->call, "the indices", job->second, bytes);
    if (error == CUSPARSE_STATUS_SUCCESS && job->first != NULL)
        error = sparse_check(handle, job->call, "the indices", job->first, bytes);
    if (error == CUSPARSE_STATUS_SUCCESS && job->permutation != NULL)
        error = sparse_check(handle, job->call, "the permutation", job->permutation, bytes);
    if (error == CUSPARSE_STATUS_SUCCESS && rows > 0)
        error = sparse_check(handle, job->call, "the offsets", job->offsets, rows * (int64_t)sizeof(int));
    return error != CUSPARSE_STATUS_SUCCESS ? error : sparse_submit(handle, job->call, put_in_order, job, sizeof *job);
}

static void identity(void *its_job)
{
    const struct ordered *job = its_job;
    for (int i = 0; i < job->count; i++) job->permutation[i] = i;
}

CALL(cusparseCreateIdentityPermutation)(void *handle, int count, int *permutation)
{
    const struct sparse_handle *known = sparse_handle_of(handle, __func__);
    const struct ordered job = {.call = __func__, .permutation = permutation, .count = count};
    if (known == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    const enum cusparse_status error = sparse_check(known, __func__, "the permutation", permutation,
                                                    count > 0 ? count * (int64_t)sizeof *permutation : 0);
    return error != CUSPARSE_STATUS_SUCCESS ? error : sparse_submit(known, __func__, identity, &job, sizeof job);
}

#define SORT_SIZE(name)                                                                                                \
    CALL(name)(void *handle, int rows, int columns, int count, const int *one, const int *other, size_t *bytes)        \
    {                                                                                                                  \
        (void)rows, (void)columns, (void)count, (void)one, (void)other;                                                \
        if (sparse_handle_of(handle, __func__) == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;                        \
        if (bytes == NULL) return sparse_require(0, __func__, "the pointer to the size");                              \
        *bytes = sizeof(double[2]);                                                                                    \
        return CUSPARSE_STATUS_SUCCESS;                                                                                \
    }
SORT_SIZE(cusparseXcoosort_bufferSizeExt)
SORT_SIZE(cusparseXcsrsort_bufferSizeExt)
SORT_SIZE(cusparseXcscsort_bufferSizeExt)

CALL(cusparseXcoosortByRow)
(void *handle, int rows, int columns, int count, int *its_rows, int *its_columns, int *permutation, void *buffer)
{
    (void)columns, (void)buffer;
    return sort(handle, &(struct ordered){__func__, its_rows, its_columns, permutation, NULL, rows, count});
}

CALL(cusparseXcoosortByColumn)
(void *handle, int rows, int columns, int count, int *its_rows, int *its_columns, int *permutation, void *buffer)
{
    (void)columns, (void)buffer;
    return sort(handle, &(struct ordered){__func__, its_columns, its_rows, permutation, NULL, rows, count});
}

CALL(cusparseXcsrsort)
(void *handle, int rows, int columns, int count, const void *description, const int *offsets, int *indices,
 int *permutation, void *buffer)
{
    (void)columns, (void)description, (void)buffer;
    return sort(handle, &(struct ordered){__func__, NULL, indices, permutation, offsets, rows, count});
}

CALL(cusparseXcscsort)
(void *handle, int rows, int columns, int count, const void *description, const int *offsets, int *indices,
 int *permutation, void *buffer)
{
    (void)rows, (void)description, (void)buffer;
    return sort(handle, &(struct ordered){__func__, NULL, indices, permutation, offsets, columns, count});
}
