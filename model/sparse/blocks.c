// SPDX-License-Identifier: MIT
// Descriptions of matrices that consist of blocks (BSR, blocked ELL) or whose rows are filled up (sliced ELL), and of
// batches.
#include "sparse.h"

#define CALL(name) SPARSE_VISIBLE enum cusparse_status name

#define GIVE(to, value)                                                                                                \
    if ((to) != NULL) *(to) = (value)

// --- Blocks ----------------------------------------------------------------------------------------------------------

#define BSR(name)                                                                                                      \
    CALL(name)                                                                                                         \
    (void **to, int64_t rows, int64_t columns, int64_t count, int64_t block_rows, int64_t block_columns,               \
     void *offsets, void *indices, void *values, int offset_type, int index_type, int base, int type, int order)       \
    {                                                                                                                  \
        const int holds = block_rows > 0 && block_columns > 0 && (order == ORDER_ROW || order == ORDER_COLUMN);        \
        const enum cusparse_status error = sparse_require(holds, __func__, "the size or the order of a block");        \
        if (error != CUSPARSE_STATUS_SUCCESS) return error;                                                            \
        return sparse_keep_matrix(__func__, to,                                                                        \
                                  &(struct sparse_matrix){.format = FORMAT_BSR,                                        \
                                                          .offset_type = offset_type,                                  \
                                                          .index_type = index_type,                                    \
                                                          .base = base,                                                \
                                                          .type = type,                                                \
                                                          .rows = rows * block_rows,                                   \
                                                          .columns = columns * block_columns,                          \
                                                          .count = count * block_rows * block_columns,                 \
                                                          .offsets = offsets,                                          \
                                                          .indices = indices,                                          \
                                                          .values = values,                                            \
                                                          .block_rows = block_rows,                                    \
                                                          .block_columns = block_columns,                              \
                                                          .block_order = order});                                      \
    }
BSR(cusparseCreateBsr)
BSR(cusparseCreateConstBsr)

#define ELL(name)                                                                                                      \
    CALL(name)                                                                                                         \
    (void **to, int64_t rows, int64_t columns, int64_t block, int64_t width, void *indices, void *values,              \
     int index_type, int base, int type)                                                                               \
    {                                                                                                                  \
        const int holds = block > 0 && width >= 0 && rows % block == 0 && width % block == 0;                          \
        const enum cusparse_status error =                                                                             \
            sparse_require(holds, __func__, "ellBlockSize, or rows or ellCols, which are no multiples of it,");        \
        if (error != CUSPARSE_STATUS_SUCCESS) return error;                                                            \
        return sparse_keep_matrix(__func__, to,                                                                        \
                                  &(struct sparse_matrix){.format = FORMAT_ELL,                                        \
                                                          .offset_type = index_type,                                   \
                                                          .index_type = index_type,                                    \
                                                          .base = base,                                                \
                                                          .type = type,                                                \
                                                          .rows = rows,                                                \
                                                          .columns = columns,                                          \
                                                          .count = rows * width,                                       \
                                                          .indices = indices,                                          \
                                                          .values = values,                                            \
                                                          .block_rows = block,                                         \
                                                          .block_columns = block,                                      \
                                                          .width = width});                                            \
    }
ELL(cusparseCreateBlockedEll)
ELL(cusparseCreateConstBlockedEll)

#define ELL_GET(name)                                                                                                  \
    CALL(name)                                                                                                         \
    (const struct sparse_matrix *it, int64_t *rows, int64_t *columns, int64_t *block, int64_t *width, void **indices,  \
     void **values, int *index_type, int *base, int *type)                                                             \
    {                                                                                                                  \
        if (it == NULL) return CUSPARSE_STATUS_INVALID_VALUE;                                                          \
        GIVE(rows, it->rows);                                                                                          \
        GIVE(columns, it->columns);                                                                                    \
        GIVE(block, it->block_rows);                                                                                   \
        GIVE(width, it->width);                                                                                        \
        GIVE(indices, it->indices);                                                                                    \
        GIVE(values, it->values);                                                                                      \
        GIVE(index_type, it->index_type);                                                                              \
        GIVE(base, it->base);                                                                                          \
        GIVE(type, it->type);                                                                                          \
        return CUSPARSE_STATUS_SUCCESS;                                                                                \
    }
ELL_GET(cusparseBlockedEllGet)
ELL_GET(cusparseConstBlockedEllGet)

#define SLICED(name)                                                                                                   \
    CALL(name)                                                                                                         \
    (void **to, int64_t rows, int64_t columns, int64_t given, int64_t count, int64_t slice, void *offsets,             \
     void *indices, void *values, int offset_type, int index_type, int base, int type)                                 \
    {                                                                                                                  \
        const enum cusparse_status error = sparse_require(slice > 0, __func__, "the size of a slice");                 \
        if (error != CUSPARSE_STATUS_SUCCESS) return error;                                                            \
        return sparse_keep_matrix(__func__, to,                                                                        \
                                  &(struct sparse_matrix){.format = FORMAT_SLICED_ELL,                                 \
                                                          .offset_type = offset_type,                                  \
                                                          .index_type = index_type,                                    \
                                                          .base = base,                                                \
                                                          .type = type,                                                \
                                                          .rows = rows,                                                \
                                                          .columns = columns,                                          \
                                                          .count = count,                                              \
                                                          .offsets = offsets,                                          \
                                                          .indices = indices,                                          \
                                                          .values = values,                                            \
                                                          .block_rows = slice,                                         \
                                                          .given = given});                                            \
    }
SLICED(cusparseCreateSlicedEll)
SLICED(cusparseCreateConstSlicedEll)

// --- Batches ---------------------------------------------------------------------------------------------------------

static enum cusparse_status set_batches(const char *call, struct sparse_matrix *matrix, int format,
                                        struct sparse_batches batches)
{
    const int holds = matrix != NULL && matrix->format == format && batches.count > 0 && batches.offsets >= 0 &&
                      batches.indices >= 0 && batches.values >= 0;
    if (holds) matrix->batches = batches;
    return sparse_require(holds, call, "the descriptor, the number of matrices or a distance");
}

CALL(cusparseCooSetStridedBatch)(struct sparse_matrix *matrix, int count, int64_t stride)
{
    return set_batches(__func__, matrix, FORMAT_COO, (struct sparse_batches){count, stride, stride, stride});
}

CALL(cusparseCsrSetStridedBatch)(struct sparse_matrix *matrix, int count, int64_t offsets, int64_t entries)
{
    return set_batches(__func__, matrix, FORMAT_CSR, (struct sparse_batches){count, offsets, entries, entries});
}

CALL(cusparseBsrSetStridedBatch)
(struct sparse_matrix *matrix, int count, int64_t offsets, int64_t indices, int64_t values)
{
    return set_batches(__func__, matrix, FORMAT_BSR, (struct sparse_batches){count, offsets, indices, values});
}

CALL(cusparseSpMatGetStridedBatch)(const struct sparse_matrix *matrix, int *count)
{
    if (matrix == NULL || count == NULL) return CUSPARSE_STATUS_INVALID_VALUE;
    *count = matrix->batches.count;
    return CUSPARSE_STATUS_SUCCESS;
}

CALL(cusparseDnMatSetStridedBatch)(struct dense_matrix *matrix, int count, int64_t stride)
{
    const int holds = matrix != NULL && count > 0 && stride >= 0;
    if (holds) matrix->batches = count, matrix->stride = stride;
    return sparse_require(holds, __func__, "the descriptor, the number of matrices or the distance");
}

CALL(cusparseDnMatGetStridedBatch)(const struct dense_matrix *matrix, int *count, int64_t *stride)
{
    if (matrix == NULL) return CUSPARSE_STATUS_INVALID_VALUE;
    GIVE(count, matrix->batches);
    GIVE(stride, matrix->stride);
    return CUSPARSE_STATUS_SUCCESS;
}

static void *behind(void *at, int64_t elements, int64_t bytes)
{
    return at == NULL ? NULL : (char *)at + elements * bytes;
}

struct sparse_matrix sparse_of_batch(const struct sparse_matrix *matrix, int64_t batch)
{
    const struct sparse_batches *all = &matrix->batches;
    struct sparse_matrix one = *matrix;
    if (all->count <= 1) return one; // for each of the others
    one.offsets = behind(one.offsets, batch * all->offsets, sparse_index_bytes(one.offset_type));
    one.indices = behind(one.indices, batch * all->indices, sparse_index_bytes(one.index_type));
    one.values = behind(one.values, batch * all->values, (int64_t)numbers_bytes(one.type));
    return one;
}

struct dense_matrix dense_of_batch(const struct dense_matrix *matrix, int64_t batch)
{
    struct dense_matrix one = *matrix;
    if (matrix->batches > 1) one.values = behind(one.values, batch * matrix->stride, (int64_t)numbers_bytes(one.type));
    return one;
}
