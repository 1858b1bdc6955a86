// SPDX-License-Identifier: MIT
// Matrices and vectors as the program describes them.
#include <stdlib.h>
#include <string.h>

#include "sparse.h"

#define CALL(name) SPARSE_VISIBLE enum cusparse_status name

static enum cusparse_status keep(void **to, const void *from, size_t bytes)
{
    if (to == NULL) return CUSPARSE_STATUS_INVALID_VALUE;
    *to = malloc(bytes);
    if (*to == NULL) return CUSPARSE_STATUS_ALLOC_FAILED;
    memcpy(*to, from, bytes);
    return CUSPARSE_STATUS_SUCCESS;
}

// What a program asks for, unless it passes NULL.
#define GIVE(to, value)                                                                                                \
    if ((to) != NULL) *(to) = (value)

// --- Sparse matrices -------------------------------------------------------------------------------------------------

enum cusparse_status sparse_keep_matrix(const char *call, void **to, const struct sparse_matrix *matrix)
{
    const int holds = matrix->rows >= 0 && matrix->columns >= 0 && matrix->count >= 0 &&
                      sparse_index_bytes(matrix->offset_type) != 0 && sparse_index_bytes(matrix->index_type) != 0 &&
                      (matrix->base == 0 || matrix->base == 1) && numbers_bytes(matrix->type) != 0;
    const enum cusparse_status error = sparse_require(holds, call, "a size, an index type, a base or a value type");
    return error != CUSPARSE_STATUS_SUCCESS ? error : keep(to, matrix, sizeof *matrix);
}

#define COMPRESSED(name, its_format)                                                                                   \
    CALL(name)                                                                                                         \
    (void **to, int64_t rows, int64_t columns, int64_t count, void *offsets, void *indices, void *values,              \
     int offset_type, int index_type, int base, int type)                                                              \
    {                                                                                                                  \
        return sparse_keep_matrix(__func__, to,                                                                        \
                                  &(struct sparse_matrix){.format = its_format,                                        \
                                                          .offset_type = offset_type,                                  \
                                                          .index_type = index_type,                                    \
                                                          .base = base,                                                \
                                                          .type = type,                                                \
                                                          .rows = rows,                                                \
                                                          .columns = columns,                                          \
                                                          .count = count,                                              \
                                                          .offsets = offsets,                                          \
                                                          .indices = indices,                                          \
                                                          .values = values});                                          \
    }
COMPRESSED(cusparseCreateCsr, FORMAT_CSR)
COMPRESSED(cusparseCreateConstCsr, FORMAT_CSR)
COMPRESSED(cusparseCreateCsc, FORMAT_CSC)
COMPRESSED(cusparseCreateConstCsc, FORMAT_CSC)

#define COORDINATES(name)                                                                                              \
    CALL(name)                                                                                                         \
    (void **to, int64_t rows, int64_t columns, int64_t count, void *its_rows, void *its_columns, void *values,         \
     int index_type, int base, int type)                                                                               \
    {                                                                                                                  \
        return sparse_keep_matrix(__func__, to,                                                                        \
                                  &(struct sparse_matrix){.format = FORMAT_COO,                                        \
                                                          .offset_type = index_type,                                   \
                                                          .index_type = index_type,                                    \
                                                          .base = base,                                                \
                                                          .type = type,                                                \
                                                          .rows = rows,                                                \
                                                          .columns = columns,                                          \
                                                          .count = count,                                              \
                                                          .offsets = its_rows,                                         \
                                                          .indices = its_columns,                                      \
                                                          .values = values});                                          \
    }
COORDINATES(cusparseCreateCoo)
COORDINATES(cusparseCreateConstCoo)

#define DESTROY(name)                                                                                                  \
    CALL(name)(void *descriptor)                                                                                       \
    {                                                                                                                  \
        free(descriptor);                                                                                              \
        return CUSPARSE_STATUS_SUCCESS;                                                                                \
    }
DESTROY(cusparseDestroySpMat)
DESTROY(cusparseDestroySpVec)
DESTROY(cusparseDestroyDnVec)
DESTROY(cusparseDestroyDnMat)
DESTROY(cusparseDestroyMatDescr)

CALL(cusparseSpMatGetSize)(const struct sparse_matrix *matrix, int64_t *rows, int64_t *columns, int64_t *count)
{
    if (matrix == NULL) return CUSPARSE_STATUS_INVALID_VALUE;
    GIVE(rows, matrix->rows);
    GIVE(columns, matrix->columns);
    GIVE(count, matrix->format == FORMAT_SLICED_ELL ? matrix->given : matrix->count);
    return CUSPARSE_STATUS_SUCCESS;
}

#define MEMBER(set, get, descriptor, type, member)                                                                     \
    CALL(set)(descriptor * it, type value)                                                                             \
    {                                                                                                                  \
        if (it == NULL) return CUSPARSE_STATUS_INVALID_VALUE;                                                          \
        it->member = value;                                                                                            \
        return CUSPARSE_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    CALL(get)(const descriptor *it, type *value)                                                                       \
    {                                                                                                                  \
        if (it == NULL || value == NULL) return CUSPARSE_STATUS_INVALID_VALUE;                                         \
        *value = it->member;                                                                                           \
        return CUSPARSE_STATUS_SUCCESS;                                                                                \
    }
MEMBER(cusparseSpMatSetValues, cusparseSpMatGetValues, struct sparse_matrix, void *, values)
MEMBER(cusparseDnVecSetValues, cusparseDnVecGetValues, struct dense_vector, void *, values)
MEMBER(cusparseDnMatSetValues, cusparseDnMatGetValues, struct dense_matrix, void *, values)
MEMBER(cusparseSpVecSetValues, cusparseSpVecGetValues, struct sparse_vector, void *, values)

CALL(cusparseSpMatGetFormat)(const struct sparse_matrix *matrix, int *format)
{
    if (matrix == NULL || format == NULL) return CUSPARSE_STATUS_INVALID_VALUE;
    *format = matrix->format;
    return CUSPARSE_STATUS_SUCCESS;
}

CALL(cusparseSpMatGetIndexBase)(const struct sparse_matrix *matrix, int *base)
{
    if (matrix == NULL || base == NULL) return CUSPARSE_STATUS_INVALID_VALUE;
    *base = matrix->base;
    return CUSPARSE_STATUS_SUCCESS;
}

#define POINTERS(name)                                                                                                 \
    CALL(name)(struct sparse_matrix * matrix, void *offsets, void *indices, void *values)                              \
    {                                                                                                                  \
        if (matrix == NULL) return CUSPARSE_STATUS_INVALID_VALUE;                                                      \
        matrix->offsets = offsets, matrix->indices = indices, matrix->values = values;                                 \
        return CUSPARSE_STATUS_SUCCESS;                                                                                \
    }
POINTERS(cusparseCsrSetPointers)
POINTERS(cusparseCscSetPointers)
POINTERS(cusparseCooSetPointers)

#define COMPRESSED_GET(name)                                                                                           \
    CALL(name)                                                                                                         \
    (const struct sparse_matrix *it, int64_t *rows, int64_t *columns, int64_t *count, void **offsets, void **indices,  \
     void **values, int *offset_type, int *index_type, int *base, int *type)                                           \
    {                                                                                                                  \
        if (it == NULL) return CUSPARSE_STATUS_INVALID_VALUE;                                                          \
        GIVE(rows, it->rows);                                                                                          \
        GIVE(columns, it->columns);                                                                                    \
        GIVE(count, it->count);                                                                                        \
        GIVE(offsets, it->offsets);                                                                                    \
        GIVE(indices, it->indices);                                                                                    \
        GIVE(values, it->values);                                                                                      \
        GIVE(offset_type, it->offset_type);                                                                            \
        GIVE(index_type, it->index_type);                                                                              \
        GIVE(base, it->base);                                                                                          \
        GIVE(type, it->type);                                                                                          \
        return CUSPARSE_STATUS_SUCCESS;                                                                                \
    }
COMPRESSED_GET(cusparseCsrGet)
COMPRESSED_GET(cusparseConstCsrGet)
COMPRESSED_GET(cusparseCscGet)
COMPRESSED_GET(cusparseConstCscGet)

// cusparseSpMatAttribute_t: which triangle, and whether its diagonal is 1.
CALL(cusparseSpMatSetAttribute)(struct sparse_matrix *matrix, int attribute, const int *value, size_t bytes)
{
    if (matrix == NULL || value == NULL || attribute < 0 || attribute > 1 || bytes != sizeof *value)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *(attribute == 0 ? &matrix->fill : &matrix->diagonal) = *value;
    return CUSPARSE_STATUS_SUCCESS;
}

CALL(cusparseSpMatGetAttribute)(const struct sparse_matrix *matrix, int attribute, int *value, size_t bytes)
{
    if (matrix == NULL || value == NULL || attribute < 0 || attribute > 1 || bytes != sizeof *value)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *value = attribute == 0 ? matrix->fill : matrix->diagonal;
    return CUSPARSE_STATUS_SUCCESS;
}

// --- Vectors and dense matrices --------------------------------------------------------------------------------------

#define SPARSE_VECTOR(name)                                                                                            \
    CALL(name)                                                                                                         \
    (void **to, int64_t size, int64_t count, void *indices, void *values, int index_type, int base, int type)          \
    {                                                                                                                  \
        const struct sparse_vector vector = {size, count, indices, values, index_type, base, type};                    \
        const int holds = size >= 0 && count >= 0 && count <= size && sparse_index_bytes(index_type) != 0 &&           \
                          numbers_bytes(type) != 0;                                                                    \
        const enum cusparse_status error = sparse_require(holds, __func__, "a size or a type");                        \
        return error != CUSPARSE_STATUS_SUCCESS ? error : keep(to, &vector, sizeof vector);                            \
    }
SPARSE_VECTOR(cusparseCreateSpVec)
SPARSE_VECTOR(cusparseCreateConstSpVec)

#define DENSE_VECTOR(name)                                                                                             \
    CALL(name)(void **to, int64_t size, void *values, int type)                                                        \
    {                                                                                                                  \
        const struct dense_vector vector = {size, values, type};                                                       \
        const enum cusparse_status error =                                                                             \
            sparse_require(size >= 0 && numbers_bytes(type) != 0, __func__, "the size or the type");                   \
        return error != CUSPARSE_STATUS_SUCCESS ? error : keep(to, &vector, sizeof vector);                            \
    }
DENSE_VECTOR(cusparseCreateDnVec)
DENSE_VECTOR(cusparseCreateConstDnVec)

CALL(cusparseDnVecGet)(const struct dense_vector *vector, int64_t *size, void **values, int *type)
{
    if (vector == NULL) return CUSPARSE_STATUS_INVALID_VALUE;
    GIVE(size, vector->size);
    GIVE(values, vector->values);
    GIVE(type, vector->type);
    return CUSPARSE_STATUS_SUCCESS;
}

static enum cusparse_status make_dense(const char *call, void **to, const struct dense_matrix *matrix)
{
    const int64_t least = matrix->order == ORDER_ROW ? matrix->columns : matrix->rows;
    const int holds = matrix->rows >= 0 && matrix->columns >= 0 && matrix->leading >= least &&
                      (matrix->order == ORDER_ROW || matrix->order == ORDER_COLUMN) && numbers_bytes(matrix->type) != 0;
    const enum cusparse_status error =
        sparse_require(holds, call, "a size, the leading dimension, the type or the order");
    return error != CUSPARSE_STATUS_SUCCESS ? error : keep(to, matrix, sizeof *matrix);
}

#define DENSE_MATRIX(name)                                                                                             \
    CALL(name)(void **to, int64_t rows, int64_t columns, int64_t leading, void *values, int type, int order)           \
    {                                                                                                                  \
        return make_dense(__func__, to,                                                                                \
                          &(struct dense_matrix){.rows = rows,                                                         \
                                                 .columns = columns,                                                   \
                                                 .leading = leading,                                                   \
                                                 .values = values,                                                     \
                                                 .type = type,                                                         \
                                                 .order = order});                                                     \
    }
DENSE_MATRIX(cusparseCreateDnMat)
DENSE_MATRIX(cusparseCreateConstDnMat)

CALL(cusparseDnMatGet)
(const struct dense_matrix *matrix, int64_t *rows, int64_t *columns, int64_t *leading, void **values, int *type,
 int *order)
{
    if (matrix == NULL) return CUSPARSE_STATUS_INVALID_VALUE;
    GIVE(rows, matrix->rows);
    GIVE(columns, matrix->columns);
    GIVE(leading, matrix->leading);
    GIVE(values, matrix->values);
    GIVE(type, matrix->type);
    GIVE(order, matrix->order);
    return CUSPARSE_STATUS_SUCCESS;
}

// --- Descriptors of the older calls ----------------------------------------------------------------------------------

CALL(cusparseCreateMatDescr)(void **to)
{
    const struct sparse_description zero = {0};
    return keep(to, &zero, sizeof zero);
}

#define DESCRIBED(set, get, member)                                                                                    \
    CALL(set)(struct sparse_description * it, int value)                                                               \
    {                                                                                                                  \
        if (it == NULL) return CUSPARSE_STATUS_INVALID_VALUE;                                                          \
        it->member = value;                                                                                            \
        return CUSPARSE_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    SPARSE_VISIBLE int get(const struct sparse_description *it)                                                        \
    {                                                                                                                  \
        return it->member;                                                                                             \
    }
DESCRIBED(cusparseSetMatType, cusparseGetMatType, type)
DESCRIBED(cusparseSetMatFillMode, cusparseGetMatFillMode, fill)
DESCRIBED(cusparseSetMatDiagType, cusparseGetMatDiagType, diagonal)
DESCRIBED(cusparseSetMatIndexBase, cusparseGetMatIndexBase, base)
