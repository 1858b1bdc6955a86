// SPDX-License-Identifier: MIT
// Dense matrices in memory; LU, Cholesky, and systems of triangles.
#include <math.h>
#include <stdlib.h>

#include "dense.h"
#include "numbers.h"

struct dense dense_zeros(int64_t rows, int64_t columns)
{
    return (struct dense){calloc((size_t)(rows * columns) + 1, sizeof(struct complex_number)), rows, columns};
}

struct dense dense_read(const void *at, int type, int64_t rows, int64_t columns, int64_t leading)
{
    const int reals = 1 + numbers_is_complex(type);
    const struct dense to = dense_zeros(rows, columns);
    for (int64_t column = 0; to.at != NULL && column < to.columns; column++)
        for (int64_t row = 0; row < to.rows; row++) {
            double pair[2] = {0, 0};
            numbers_widen(numbers_real(type), at, reals * (column * leading + row), 1, reals, pair);
            dense_column(&to, column)[row] = (struct complex_number){pair[0], pair[1]};
        }
    return to;
}

void dense_write(void *at, int type, int64_t leading, const struct dense *from)
{
    const int reals = 1 + numbers_is_complex(type);
    for (int64_t column = 0; column < from->columns; column++)
        for (int64_t row = 0; row < from->rows; row++) {
            const struct complex_number value = dense_column(from, column)[row];
            const int64_t index = reals * (column * leading + row);
            numbers_put(numbers_real(type), at, index, value.re);
            if (reals == 2) numbers_put(numbers_real(type), at, index + 1, value.im);
        }
}

struct complex_number dense_dot(const struct complex_number *a, const struct complex_number *b, int64_t count)
{
    struct complex_number sum = {0, 0};
    for (int64_t i = 0; i < count; i++) sum = complex_sum(sum, complex_product(complex_adjoint(a[i]), b[i]));
    return sum;
}

void dense_subtract(struct complex_number *a, struct complex_number factor, const struct complex_number *b,
                    int64_t count)
{
    if (factor.re == 0 && factor.im == 0) return;
    for (int64_t i = 0; i < count; i++) a[i] = complex_difference(a[i], complex_product(factor, b[i]));
}

// --- LU --------------------------------------------------------------------------------------------------------------

static void swap_rows(struct dense *a, int64_t one, int64_t other)
{
    for (int64_t column = 0; column < a->columns && one != other; column++) {
        struct complex_number *at = dense_column(a, column), kept = at[one];
        at[one] = at[other];
        at[other] = kept;
    }
}

static int64_t greatest_below(const struct dense *a, int64_t step)
{
    const struct complex_number *at = dense_column(a, step);
    int64_t best = step;
    for (int64_t row = step + 1; row < a->rows; row++)
        if (fabs(at[row].re) + fabs(at[row].im) > fabs(at[best].re) + fabs(at[best].im)) best = row;
    return best;
}

int64_t dense_lu(struct dense *a, int64_t *pivot)
{
    const int64_t steps = a->rows < a->columns ? a->rows : a->columns;
    int64_t singular = 0;
    for (int64_t step = 0; step < steps; step++) {
        struct complex_number *at = dense_column(a, step);
        if (pivot != NULL) swap_rows(a, step, pivot[step] = greatest_below(a, step));
        if (complex_square(at[step]) == 0 && singular == 0) singular = step + 1;
        if (complex_square(at[step]) == 0) continue;
        for (int64_t row = step + 1; row < a->rows; row++) at[row] = complex_quotient(at[row], at[step]);
        for (int64_t column = step + 1; column < a->columns; column++) {
            struct complex_number *to = dense_column(a, column) + step;
            dense_subtract(to + 1, to[0], at + step + 1, a->rows - step - 1);
        }
    }
    return singular;
}

// --- Triangles -------------------------------------------------------------------------------------------------------

// x becomes T^-1 x: column by column of T.
static void solve_plain(const struct dense *t, bool is_lower, bool is_unit, struct complex_number *x)
{
    const int64_t n = t->columns;
    for (int64_t i = 0; i < n; i++) {
        const int64_t step = is_lower ? i : n - 1 - i;
        const struct complex_number *at = dense_column(t, step);
        if (!is_unit) x[step] = complex_quotient(x[step], at[step]);
        if (is_lower)
            dense_subtract(x + step + 1, x[step], at + step + 1, n - step - 1);
        else
            dense_subtract(x, x[step], at, step);
    }
}

// x becomes T^-H x, or T^-T x: each element takes the product of one column with those that are known.
static void solve_turned(const struct dense *t, bool is_lower, bool is_unit, bool is_adjoint, struct complex_number *x)
{
    const int64_t n = t->columns;
    for (int64_t i = 0; i < n; i++) {
        const int64_t step = is_lower ? n - 1 - i : i, first = is_lower ? step + 1 : 0, end = is_lower ? n : step;
        const struct complex_number *at = dense_column(t, step);
        for (int64_t k = first; k < end; k++)
            x[step] = complex_difference(x[step], complex_product(is_adjoint ? complex_adjoint(at[k]) : at[k], x[k]));
        if (!is_unit) x[step] = complex_quotient(x[step], is_adjoint ? complex_adjoint(at[step]) : at[step]);
    }
}

void dense_lu_solve(const struct dense *lu, const int64_t *pivot, enum dense_operation operation, struct dense *b)
{
    const bool is_adjoint = operation == DENSE_ADJOINT;
    for (int64_t i = 0; pivot != NULL && operation == DENSE_PLAIN && i < lu->columns; i++) swap_rows(b, i, pivot[i]);
    for (int64_t column = 0; column < b->columns; column++) {
        struct complex_number *x = dense_column(b, column);
        if (operation == DENSE_PLAIN) {
            solve_plain(lu, true, true, x);
            solve_plain(lu, false, false, x);
        } else {
            solve_turned(lu, false, false, is_adjoint, x);
            solve_turned(lu, true, true, is_adjoint, x);
        }
    }
    for (int64_t i = lu->columns; pivot != NULL && operation != DENSE_PLAIN && i-- > 0;) swap_rows(b, i, pivot[i]);
}

// --- Cholesky --------------------------------------------------------------------------------------------------------

// The lower factor: each column is scaled, and subtracted from those behind.
static int64_t cholesky_lower(struct dense *a)
{
    for (int64_t step = 0; step < a->columns; step++) {
        struct complex_number *at = dense_column(a, step);
        if (!(at[step].re > 0)) return step + 1;
        at[step] = (struct complex_number){sqrt(at[step].re), 0};
        for (int64_t row = step + 1; row < a->rows; row++) at[row] = complex_times(at[row], 1 / at[step].re);
        for (int64_t column = step + 1; column < a->columns; column++)
            dense_subtract(dense_column(a, column) + column, complex_adjoint(at[column]), at + column,
                           a->rows - column);
    }
    return 0;
}

// The upper one: each element takes the product of its column and its row's, as far as they are known.
static int64_t cholesky_upper(struct dense *a)
{
    for (int64_t column = 0; column < a->columns; column++) {
        struct complex_number *at = dense_column(a, column);
        for (int64_t row = 0; row < column; row++) {
            const struct complex_number *of = dense_column(a, row);
            at[row] = complex_times(complex_difference(at[row], dense_dot(of, at, row)), 1 / of[row].re);
        }
        const double rest = at[column].re - dense_dot(at, at, column).re;
        at[column] = (struct complex_number){rest > 0 ? sqrt(rest) : rest, 0};
        if (!(rest > 0)) return column + 1;
    }
    return 0;
}

int64_t dense_cholesky(struct dense *a, bool is_lower)
{
    return is_lower ? cholesky_lower(a) : cholesky_upper(a);
}

void dense_cholesky_solve(const struct dense *factor, bool is_lower, struct dense *b)
{
    for (int64_t column = 0; column < b->columns; column++) {
        struct complex_number *x = dense_column(b, column);
        if (is_lower)
            solve_plain(factor, true, false, x);
        else
            solve_turned(factor, false, false, true, x);
        if (is_lower)
            solve_turned(factor, true, false, true, x);
        else
            solve_plain(factor, false, false, x);
    }
}
