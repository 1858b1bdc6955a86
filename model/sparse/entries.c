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

static bool has_offsets(const struct sparse_matrix *matrix)
{
    return matrix->format != FORMAT_COO && matrix->format != FORMAT_ELL;
}

static int64_t majors(const struct sparse_matrix *matrix)
{
    if (matrix->format == FORMAT_CSC) return matrix->columns;
    if (matrix->format == FORMAT_BSR) return matrix->rows / matrix->block_rows;
    if (matrix->format == FORMAT_SLICED_ELL) return (matrix->rows + matrix->block_rows - 1) / matrix->block_rows;
    return matrix->rows;
}

// The elements of what an offset counts.
static int64_t unit(const struct sparse_matrix *matrix)
{
    return matrix->format == FORMAT_BSR ? matrix->block_rows * matrix->block_columns : 1;
}

int64_t sparse_offsets(const struct sparse_matrix *matrix)
{
    if (matrix->format == FORMAT_ELL) return 0;
    return matrix->format == FORMAT_COO ? matrix->count : majors(matrix) + 1;
}

int64_t sparse_indices(const struct sparse_matrix *matrix)
{
    if (matrix->format != FORMAT_ELL) return matrix->count / unit(matrix);
    return (matrix->rows / matrix->block_rows) * (matrix->width / matrix->block_columns);
}

static int64_t offset(const struct sparse_matrix *matrix, int64_t at)
{
    return unit(matrix) * (sparse_index(matrix->offsets, matrix->offset_type, at) - matrix->base);
}

struct sparse_walk sparse_begin(const struct sparse_matrix *matrix)
{
    struct sparse_walk walk = {.matrix = matrix, .end = matrix->count};
    if (has_offsets(matrix) && majors(matrix) > 0) {
        walk.at = offset(matrix, 0);
        walk.end = offset(matrix, majors(matrix));
    }
    return walk;
}

static bool is_inside(const struct sparse_walk *walk)
{
    const struct sparse_matrix *matrix = walk->matrix;
    return walk->entry >= 0 && walk->entry < matrix->count && walk->row >= 0 && walk->row < matrix->rows &&
           walk->column >= 0 && walk->column < matrix->columns;
}

static int64_t index_at(const struct sparse_matrix *matrix, int64_t at)
{
    return sparse_index(matrix->indices, matrix->index_type, at) - matrix->base;
}

// Blocks lie one behind the other, each by rows or by columns.
static int64_t place_in_block(struct sparse_walk *walk)
{
    const struct sparse_matrix *matrix = walk->matrix;
    const int64_t block = walk->entry / unit(matrix), in = walk->entry % unit(matrix);
    const bool by_rows = matrix->block_order == ORDER_ROW;
    const int64_t column = index_at(matrix, block);
    walk->row = walk->major * matrix->block_rows + (by_rows ? in / matrix->block_columns : in % matrix->block_rows);
    walk->column = column * matrix->block_columns + (by_rows ? in % matrix->block_columns : in / matrix->block_rows);
    return column;
}

// The stored columns of each row lie one behind the other.
static int64_t place_in_ell(struct sparse_walk *walk)
{
    const struct sparse_matrix *matrix = walk->matrix;
    const int64_t in = walk->entry % matrix->width, blocks = matrix->width / matrix->block_columns;
    walk->row = walk->entry / matrix->width;
    const int64_t column = index_at(matrix, walk->row / matrix->block_rows * blocks + in / matrix->block_columns);
    walk->column = column * matrix->block_columns + in % matrix->block_columns;
    return column;
}

static int64_t place_in_slice(struct sparse_walk *walk)
{
    const struct sparse_matrix *matrix = walk->matrix;
    const int64_t in = walk->entry - offset(matrix, walk->major);
    walk->row = walk->major * matrix->block_rows + in % matrix->block_rows;
    walk->column = index_at(matrix, walk->entry);
    return walk->column;
}

// Returns the index, which is -1 if the entry only fills up.
static int64_t set_place(struct sparse_walk *walk)
{
    const struct sparse_matrix *matrix = walk->matrix;
    if (matrix->format == FORMAT_BSR) return place_in_block(walk);
    if (matrix->format == FORMAT_ELL) return place_in_ell(walk);
    if (matrix->format == FORMAT_SLICED_ELL) return place_in_slice(walk);
    const int64_t minor = index_at(matrix, walk->entry);
    int64_t major = walk->major;
    if (matrix->format == FORMAT_COO) major = offset(matrix, walk->entry);
    walk->row = matrix->format == FORMAT_CSC ? minor : major;
    walk->column = matrix->format == FORMAT_CSC ? major : minor;
    return minor;
}

static bool may_be_filled(const struct sparse_matrix *matrix)
{
    return matrix->format == FORMAT_ELL || matrix->format == FORMAT_SLICED_ELL;
}

bool sparse_next(struct sparse_walk *walk, const char *call)
{
    const struct sparse_matrix *matrix = walk->matrix;
    int64_t index;
    do {
        if (walk->at >= walk->end) return false;
        walk->entry = walk->at++;
        index = 0;
        while (has_offsets(matrix) && walk->major < majors(matrix) && walk->entry >= offset(matrix, walk->major + 1))
            walk->major++;
        if (walk->entry >= 0 && walk->entry < matrix->count) index = set_place(walk);
    } while (index == -1 && may_be_filled(matrix));
    if (is_inside(walk)) return true;
    sparse_refuse(
        call, CUSPARSE_STATUS_EXECUTION_FAILED,
        "entry %lld of %lld lies in row %lld, column %lld of a matrix of %lld x %lld; the rest is left out. On a "
        "GPU this may return error 700 or use other data",
        (long long)walk->entry, (long long)matrix->count, (long long)walk->row, (long long)walk->column,
        (long long)matrix->rows, (long long)matrix->columns);
    walk->at = walk->end;
    return false;
}
