// SPDX-License-Identifier: MIT
// The entries of a sparse matrix, and the elements of arrays.
#include "sparse.h"

int64_t sparse_index_bytes(int type)
{
    return type == INDEX_16U ? 2 : type == INDEX_32I ? 4 : type == INDEX_64I ? 8 : 0;
}

int64_t sparse_index(const void *indices, int type, int64_t at)
{
    if (type == INDEX_16U) return ((const uint16_t *)indices)[at];
    return type == INDEX_64I ? ((const int64_t *)indices)[at] : ((const int32_t *)indices)[at];
}

void sparse_set_index(void *indices, int type, int64_t at, int64_t value)
{
    if (type == INDEX_16U)
        ((uint16_t *)indices)[at] = (uint16_t)value;
    else if (type == INDEX_64I)
        ((int64_t *)indices)[at] = value;
    else
        ((int32_t *)indices)[at] = (int32_t)value;
}

void sparse_read(const void *at, int type, int64_t index, double to[2])
{
    const int reals = 1 + numbers_is_complex(type);
    to[1] = 0;
    numbers_widen(numbers_real(type), at, index * reals, 1, reals, to);
}

void sparse_write(void *at, int type, int64_t index, const double from[2])
{
    const int reals = 1 + numbers_is_complex(type);
    for (int i = 0; i < reals; i++) numbers_put(numbers_real(type), at, index * reals + i, from[i]);
}

// --- Walks -----------------------------------------------------------------------------------------------------------

static int64_t majors(const struct sparse_matrix *matrix)
{
    return matrix->format == FORMAT_CSC ? matrix->columns : matrix->rows;
}

static int64_t offset(const struct sparse_matrix *matrix, int64_t at)
{
    return sparse_index(matrix->offsets, matrix->offset_type, at) - matrix->base;
}

struct sparse_walk sparse_begin(const struct sparse_matrix *matrix)
{
    struct sparse_walk walk = {.matrix = matrix, .end = matrix->count};
    if (matrix->format != FORMAT_COO && majors(matrix) > 0) {
        walk.at = offset(matrix, 0);
        walk.end = offset(matrix, majors(matrix));
    }
    return walk;
}

static int is_inside(const struct sparse_walk *walk)
{
    const struct sparse_matrix *matrix = walk->matrix;
    return walk->entry >= 0 && walk->entry < matrix->count && walk->row >= 0 && walk->row < matrix->rows &&
           walk->column >= 0 && walk->column < matrix->columns;
}

static void set_place(struct sparse_walk *walk)
{
    const struct sparse_matrix *matrix = walk->matrix;
    const int64_t minor = sparse_index(matrix->indices, matrix->index_type, walk->entry) - matrix->base;
    int64_t major = walk->major;
    if (matrix->format == FORMAT_COO) major = offset(matrix, walk->entry);
    walk->row = matrix->format == FORMAT_CSC ? minor : major;
    walk->column = matrix->format == FORMAT_CSC ? major : minor;
}

int sparse_next(struct sparse_walk *walk, const char *call)
{
    const struct sparse_matrix *matrix = walk->matrix;
    if (walk->at >= walk->end) return 0;
    walk->entry = walk->at++;
    while (matrix->format != FORMAT_COO && walk->major < majors(matrix) &&
           walk->entry >= offset(matrix, walk->major + 1))
        walk->major++;
    if (walk->entry >= 0 && walk->entry < matrix->count) set_place(walk);
    if (is_inside(walk)) return 1;
    sparse_refuse(
        call, CUSPARSE_STATUS_EXECUTION_FAILED,
        "entry %lld of %lld lies in row %lld, column %lld of a matrix of %lld x %lld; the rest is left out. On a "
        "GPU this may return error 700 or use other data",
        (long long)walk->entry, (long long)matrix->count, (long long)walk->row, (long long)walk->column,
        (long long)matrix->rows, (long long)matrix->columns);
    walk->at = walk->end;
    return 0;
}
