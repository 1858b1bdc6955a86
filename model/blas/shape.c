// SPDX-License-Identifier: MIT
#include "shape.h"

int64_t shape_place(const struct shape *shape, int64_t row, int64_t column)
{
    if (shape->kind == SHAPE_BAND) {
        if (row - column > shape->below || column - row > shape->above) return -1;
        return shape->above + row - column + column * shape->leading;
    }
    if (shape->is_lower ? row < column : row > column) return -1;
    if (shape->kind == SHAPE_TRIANGLE) return row + column * shape->leading;
    return row + (shape->is_lower ? column * (2 * shape->rows - column - 1) : column * (column + 1)) / 2;
}

static struct complex_number stored(const struct shape *shape, int64_t place)
{
    const int reals = 1 + numbers_is_complex(shape->type);
    double pair[2] = {0, 0};
    numbers_widen(numbers_real(shape->type), shape->at, reals * place, 1, reals, pair);
    return (struct complex_number){pair[0], pair[1]};
}

static struct complex_number element(const struct shape *shape, int64_t row, int64_t column)
{
    const struct complex_number none = {0, 0};
    if (shape->is_unit && row == column) return (struct complex_number){1, 0};
    int64_t place = shape_place(shape, row, column);
    if (place >= 0 && shape->rest == REST_ADJOINT && row == column)
        return (struct complex_number){stored(shape, place).re, 0};
    if (place >= 0) return stored(shape, place);
    if (shape->rest == REST_ZERO) return none;
    place = shape_place(shape, column, row);
    if (place < 0) return none;
    return shape->rest == REST_ADJOINT ? complex_adjoint(stored(shape, place)) : stored(shape, place);
}

struct dense shape_read(const struct shape *shape)
{
    const struct dense to = dense_zeros(shape->rows, shape->columns);
    for (int64_t column = 0; to.at != NULL && column < to.columns; column++)
        for (int64_t row = 0; row < to.rows; row++) dense_column(&to, column)[row] = element(shape, row, column);
    return to;
}

size_t shape_bytes(const struct shape *shape)
{
    const size_t bytes = numbers_bytes(shape->type);
    if (shape->rows == 0 || shape->columns == 0) return 0;
    if (shape->kind == SHAPE_PACKED) return (size_t)(shape->rows * (shape->rows + 1) / 2) * bytes;
    const int64_t last = shape->kind == SHAPE_BAND ? shape->below + shape->above + 1 : shape->rows;
    return (size_t)((shape->columns - 1) * shape->leading + last) * bytes;
}
