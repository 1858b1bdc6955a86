// SPDX-License-Identifier: MIT
// Dense matrices from sparse ones and back, CSR by columns, and rows of entries.
#include <stdlib.h>
#include <string.h>

#include "sparse.h"

#define CALL(name) SPARSE_VISIBLE enum cusparse_status name

struct conversion {
    const char *call;
    struct sparse_matrix sparse;
    struct dense_matrix dense;
    bool has_values;
    void *offsets, *indices, *values; // of the result of csr2csc
};

static enum cusparse_status give_size(void *handle, const char *call, size_t *bytes)
{
    enum { BYTES = 16 };
    if (sparse_handle_of(handle, call) == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (bytes == NULL) return sparse_require(0, call, "the pointer to the size");
    *bytes = BYTES;
    return CUSPARSE_STATUS_SUCCESS;
}

// --- To dense ones ---------------------------------------------------------------------------------------------------

static void to_dense(void *its_job)
{
    const struct conversion *job = its_job;
    const double zero[2] = {0};
    struct sparse_walk walk = sparse_begin(&job->sparse);
    double value[2];
    for (int64_t row = 0; row < job->dense.rows; row++)
        for (int64_t column = 0; column < job->dense.columns; column++)
            sparse_write(job->dense.values, job->dense.type, dense_index(&job->dense, row, column), zero);
    while (sparse_next(&walk, job->call)) {
        sparse_read(job->sparse.values, job->sparse.type, walk.entry, value);
        sparse_write(job->dense.values, job->dense.type, dense_index(&job->dense, walk.row, walk.column), value);
    }
}

static enum cusparse_status check(const struct sparse_handle *handle, const char *call,
                                  const struct sparse_matrix *sparse, const struct dense_matrix *dense)
{
    if (handle == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    const int holds =
        sparse != NULL && dense != NULL && sparse->rows == dense->rows && sparse->columns == dense->columns;
    const enum cusparse_status error = sparse_require(holds, call, "a descriptor, or the size of one of the two,");
    return error != CUSPARSE_STATUS_SUCCESS ? error : sparse_check_dense(handle, call, "the dense matrix", dense);
}

CALL(cusparseSparseToDense_bufferSize)
(void *handle, const void *sparse, const void *dense, int algorithm, size_t *bytes)
{
    (void)sparse, (void)dense, (void)algorithm;
    return give_size(handle, __func__, bytes);
}

CALL(cusparseSparseToDense)
(void *handle, const struct sparse_matrix *sparse, struct dense_matrix *dense, int algorithm, void *buffer)
{
    const struct sparse_handle *known = sparse_handle_of(handle, __func__);
    enum cusparse_status error = check(known, __func__, sparse, dense);
    (void)algorithm, (void)buffer;
    if (error == CUSPARSE_STATUS_SUCCESS) error = sparse_check_matrix(known, __func__, sparse);
    if (error != CUSPARSE_STATUS_SUCCESS) return error;
    const struct conversion job = {.call = __func__, .sparse = *sparse, .dense = *dense};
    return sparse_submit(known, __func__, to_dense, &job, sizeof job);
}

// --- From dense ones -------------------------------------------------------------------------------------------------

// The entries that are not 0, in the order of the format; `to` NULL only counts them.
static int64_t from_dense(const struct dense_matrix *dense, const struct sparse_matrix *to, int format)
{
    const bool by_columns = format == FORMAT_CSC;
    const int64_t majors = by_columns ? dense->columns : dense->rows,
                  minors = by_columns ? dense->rows : dense->columns;
    int64_t count = 0;
    for (int64_t major = 0; major < majors; major++) {
        if (to != NULL && format != FORMAT_COO) sparse_set_index(to->offsets, to->offset_type, major, count + to->base);
        for (int64_t minor = 0; minor < minors; minor++) {
            double value[2];
            sparse_read(dense->values, dense->type,
                        by_columns ? dense_index(dense, minor, major) : dense_index(dense, major, minor), value);
            if (value[0] == 0 && value[1] == 0) continue;
            if (to != NULL && count < to->count) {
                if (format == FORMAT_COO) sparse_set_index(to->offsets, to->offset_type, count, major + to->base);
                sparse_set_index(to->indices, to->index_type, count, minor + to->base);
                sparse_write(to->values, to->type, count, value);
            }
            count++;
        }
    }
    if (to != NULL && format != FORMAT_COO) sparse_set_index(to->offsets, to->offset_type, majors, count + to->base);
    return count;
}

// The program has said which blocks there are.
static void fill_blocks(const struct conversion *job)
{
    struct sparse_walk walk = sparse_begin(&job->sparse);
    double value[2];
    while (sparse_next(&walk, job->call)) {
        sparse_read(job->dense.values, job->dense.type, dense_index(&job->dense, walk.row, walk.column), value);
        sparse_write(job->sparse.values, job->sparse.type, walk.entry, value);
    }
}

static bool has_blocks(const struct sparse_matrix *matrix)
{
    return matrix->format == FORMAT_ELL || matrix->format == FORMAT_BSR;
}

static void to_sparse(void *its_job)
{
    const struct conversion *job = its_job;
    if (has_blocks(&job->sparse)) {
        fill_blocks(job);
        return;
    }
    const int64_t count = from_dense(&job->dense, &job->sparse, job->sparse.format);
    if (count > job->sparse.count)
        sparse_refuse(job->call, CUSPARSE_STATUS_EXECUTION_FAILED,
                      "the dense matrix has %lld numbers that are not 0, and there is place for %lld: call "
                      "cusparseDenseToSparse_analysis first",
                      (long long)count, (long long)job->sparse.count);
}

CALL(cusparseDenseToSparse_bufferSize)
(void *handle, const void *dense, const void *sparse, int algorithm, size_t *bytes)
{
    (void)sparse, (void)dense, (void)algorithm;
    return give_size(handle, __func__, bytes);
}

// The number of entries is asked for next (cusparseSpMatGetSize), so this waits for the stream.
CALL(cusparseDenseToSparse_analysis)
(void *handle, const struct dense_matrix *dense, struct sparse_matrix *sparse, int algorithm, void *buffer)
{
    const struct sparse_handle *known = sparse_handle_of(handle, __func__);
    enum cusparse_status error = check(known, __func__, sparse, dense);
    (void)algorithm, (void)buffer;
    if (error == CUSPARSE_STATUS_SUCCESS) error = sparse_wait(known, __func__);
    if (error == CUSPARSE_STATUS_SUCCESS && !has_blocks(sparse))
        sparse->count = from_dense(dense, NULL, sparse->format);
    return error;
}

CALL(cusparseDenseToSparse_convert)
(void *handle, const struct dense_matrix *dense, struct sparse_matrix *sparse, int algorithm, void *buffer)
{
    const struct sparse_handle *known = sparse_handle_of(handle, __func__);
    enum cusparse_status error = check(known, __func__, sparse, dense);
    (void)algorithm, (void)buffer;
    if (error == CUSPARSE_STATUS_SUCCESS) error = sparse_check_matrix(known, __func__, sparse);
    if (error != CUSPARSE_STATUS_SUCCESS) return error;
    const struct conversion job = {.call = __func__, .sparse = *sparse, .dense = *dense};
    return sparse_submit(known, __func__, to_sparse, &job, sizeof job);
}

// --- CSR by columns, and rows of entries -----------------------------------------------------------------------------

// The entries of each column are counted, and then put behind those of the columns before.
static void by_columns(void *its_job)
{
    const struct conversion *job = its_job;
    const struct sparse_matrix *from = &job->sparse;
    int32_t *offsets = job->offsets;
    struct sparse_walk walk = sparse_begin(from);
    int64_t *place = calloc((size_t)from->columns + 1, sizeof *place), sum = 0;
    if (place == NULL) {
        sparse_refuse(job->call, CUSPARSE_STATUS_ALLOC_FAILED, "the host has no memory for the columns");
        return;
    }
    while (sparse_next(&walk, job->call)) place[walk.column]++;
    for (int64_t column = 0; column <= from->columns; column++) {
        const int64_t here = column < from->columns ? place[column] : 0;
        offsets[column] = (int32_t)(sum + from->base);
        if (column < from->columns) place[column] = sum;
        sum += here;
    }
    for (walk = sparse_begin(from); sparse_next(&walk, job->call);) {
        const int64_t at = place[walk.column]++;
        const int64_t bytes = (int64_t)numbers_bytes(from->type);
        ((int32_t *)job->indices)[at] = (int32_t)(walk.row + from->base);
        if (job->has_values)
            memcpy((uint8_t *)job->values + at * bytes, (const uint8_t *)from->values + walk.entry * bytes,
                   (size_t)bytes);
    }
    free(place);
}

CALL(cusparseCsr2cscEx2_bufferSize)
(void *handle, int rows, int columns, int count, const void *values, const int *offsets, const int *indices, void *to,
 int *to_offsets, int *to_indices, int type, int has_values, int base, int algorithm, size_t *bytes)
{
    (void)rows, (void)columns, (void)count, (void)values, (void)offsets, (void)indices, (void)to, (void)to_offsets;
    (void)to_indices, (void)type, (void)has_values, (void)base, (void)algorithm;
    return give_size(handle, __func__, bytes);
}

CALL(cusparseCsr2cscEx2)
(void *handle, int rows, int columns, int count, const void *values, const int *offsets, const int *indices, void *to,
 int *to_offsets, int *to_indices, int type, int has_values, int base, int algorithm, void *buffer)
{
    const struct sparse_handle *known = sparse_handle_of(handle, __func__);
    const struct conversion job = {.call = __func__,
                                   .sparse = {.format = FORMAT_CSR,
                                              .offset_type = INDEX_32I,
                                              .index_type = INDEX_32I,
                                              .base = base,
                                              .type = type,
                                              .rows = rows,
                                              .columns = columns,
                                              .count = count,
                                              .offsets = (void *)offsets,
                                              .indices = (void *)indices,
                                              .values = (void *)values},
                                   .has_values = has_values,
                                   .offsets = to_offsets,
                                   .indices = to_indices,
                                   .values = to};
    const int64_t bytes = has_values ? (int64_t)numbers_bytes(type) : 0, words = (int64_t)sizeof(int32_t);
    (void)algorithm, (void)buffer;
    if (known == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    enum cusparse_status error = sparse_require(rows >= 0 && columns >= 0 && count >= 0 && numbers_bytes(type) != 0,
                                                __func__, "a size or the type");
    if (error == CUSPARSE_STATUS_SUCCESS) error = sparse_check_matrix(known, __func__, &job.sparse);
    if (error == CUSPARSE_STATUS_SUCCESS)
        error = sparse_check(known, __func__, "the offsets of the columns", to_offsets, ((int64_t)columns + 1) * words);
    if (error == CUSPARSE_STATUS_SUCCESS)
        error = sparse_check(known, __func__, "the indices of the rows", to_indices, count * words);
    if (error == CUSPARSE_STATUS_SUCCESS) error = sparse_check(known, __func__, "the new values", to, count * bytes);
    return error != CUSPARSE_STATUS_SUCCESS ? error : sparse_submit(known, __func__, by_columns, &job, sizeof job);
}

struct rows {
    const int *from;
    int *to;
    int count, rows, base;
};

static void to_offsets(void *its_job)
{
    const struct rows *job = its_job;
    int at = 0;
    for (int row = 0; row <= job->rows; row++) {
        while (at < job->count && job->from[at] - job->base < row) at++;
        job->to[row] = at + job->base;
    }
}

static void to_rows(void *its_job)
{
    const struct rows *job = its_job;
    for (int row = 0; row < job->rows; row++)
        for (int at = job->from[row] - job->base; at < job->from[row + 1] - job->base; at++)
            if (at >= 0 && at < job->count) job->to[at] = row + job->base;
}

static enum cusparse_status convert_rows(void *its_handle, const char *call, const struct rows *job, bool is_offsets)
{
    const struct sparse_handle *handle = sparse_handle_of(its_handle, call);
    const int64_t words = (int64_t)sizeof(int), offsets = ((int64_t)job->rows + 1) * words, rows = job->count * words;
    if (handle == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    enum cusparse_status error = sparse_require(job->count >= 0 && job->rows >= 0, call, "a size");
    if (error == CUSPARSE_STATUS_SUCCESS)
        error = sparse_check(handle, call, "the input", job->from, is_offsets ? rows : offsets);
    if (error == CUSPARSE_STATUS_SUCCESS)
        error = sparse_check(handle, call, "the output", job->to, is_offsets ? offsets : rows);
    if (error != CUSPARSE_STATUS_SUCCESS) return error;
    return sparse_submit(handle, call, is_offsets ? to_offsets : to_rows, job, sizeof *job);
}

CALL(cusparseXcoo2csr)(void *handle, const int *rows, int count, int majors, int *offsets, int base)
{
    return convert_rows(handle, __func__, &(struct rows){rows, offsets, count, majors, base}, true);
}

CALL(cusparseXcsr2coo)(void *handle, const int *offsets, int count, int majors, int *rows, int base)
{
    return convert_rows(handle, __func__, &(struct rows){offsets, rows, count, majors, base}, false);
}
