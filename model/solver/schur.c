// SPDX-License-Identifier: MIT
#include "schur.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

typedef struct complex_number number;

static double size_of(number a)
{
    return hypot(a.re, a.im);
}

static number *at(const struct dense *a, int64_t row, int64_t column)
{
    return dense_column(a, column) + row;
}

// Rows and columns i and j are turned by {c, s}: {x, y} becomes {c x + s y, c y - s* x}.
struct turn {
    int64_t i, j;
    double c;
    number s;
};

static void turn_pair(const struct turn *turn, number *x, number *y, bool is_adjoint)
{
    const number s = is_adjoint ? complex_adjoint(turn->s) : turn->s, old = *x;
    *x = complex_sum(complex_times(*x, turn->c), complex_product(s, *y));
    *y = complex_difference(complex_times(*y, turn->c), complex_product(complex_adjoint(s), old));
}

// What makes y of {x, y} 0.
static struct turn turn_of(int64_t i, int64_t j, number x, number y)
{
    const double size = size_of(x), length = hypot(size, size_of(y));
    if (length == 0) return (struct turn){i, j, 1, {0, 0}};
    if (size == 0) return (struct turn){i, j, 0, complex_times(complex_adjoint(y), 1 / length)};
    const number phase = complex_times(x, 1 / size);
    return (struct turn){i, j, size / length, complex_times(complex_product(phase, complex_adjoint(y)), 1 / length)};
}

static void turn_rows(const struct dense *a, const struct turn *turn, int64_t from)
{
    for (int64_t k = from; k < a->columns; k++) turn_pair(turn, at(a, turn->i, k), at(a, turn->j, k), false);
}

static void turn_columns(const struct dense *a, const struct turn *turn, int64_t rows)
{
    for (int64_t k = 0; k < rows; k++) turn_pair(turn, at(a, k, turn->i), at(a, k, turn->j), true);
}

// Zeros below the first diagonal beside the main one.
static void make_hessenberg(const struct dense *a, const struct dense *q)
{
    for (int64_t column = 0; column + 2 < a->columns; column++)
        for (int64_t row = a->rows - 1; row > column + 1; row--) {
            const struct turn turn = turn_of(row - 1, row, *at(a, row - 1, column), *at(a, row, column));
            turn_rows(a, &turn, column);
            *at(a, row, column) = (number){0, 0};
            turn_columns(a, &turn, a->rows);
            turn_columns(q, &turn, q->rows);
        }
}

static number square_root(number a)
{
    const double size = size_of(a), re = sqrt((size + fabs(a.re)) / 2);
    if (size == 0) return a;
    if (a.re >= 0) return (number){re, a.im / (2 * re)};
    return (number){fabs(a.im) / (2 * re), copysign(re, a.im)};
}

// Of the eigenvalues of the last two rows, the one that is nearer to their last number.
static number shift_of(const struct dense *a, int64_t last)
{
    const number p = *at(a, last - 1, last - 1), s = *at(a, last, last);
    const number half = complex_times(complex_difference(p, s), 0.5);
    const number root = square_root(
        complex_sum(complex_product(half, half), complex_product(*at(a, last - 1, last), *at(a, last, last - 1))));
    const number one = complex_sum(half, root), other = complex_difference(half, root);
    return complex_sum(s, size_of(one) < size_of(other) ? one : other);
}

static void add_to_diagonal(const struct dense *a, int64_t first, int64_t last, number value)
{
    for (int64_t i = first; i <= last; i++) *at(a, i, i) = complex_sum(*at(a, i, i), value);
}

static void step(const struct dense *a, const struct dense *q, int64_t first, int64_t last, number shift)
{
    struct turn before = {0, 0, 1, {0, 0}};
    add_to_diagonal(a, first, last, complex_times(shift, -1));
    for (int64_t k = first; k <= last; k++) {
        struct turn turn = before;
        if (k < last) {
            turn = turn_of(k, k + 1, *at(a, k, k), *at(a, k + 1, k));
            turn_rows(a, &turn, k);
            *at(a, k + 1, k) = (number){0, 0};
        }
        if (k > first) {
            turn_columns(a, &before, k + 1);
            turn_columns(q, &before, q->rows);
        }
        before = turn;
    }
    add_to_diagonal(a, first, last, shift);
}

// The first row of the block that ends with `last` and has nothing but numbers beside its diagonal.
static int64_t block_of(const struct dense *a, int64_t last)
{
    int64_t first = last;
    for (; first > 0; first--) {
        const double beside = size_of(*at(a, first - 1, first - 1)) + size_of(*at(a, first, first));
        if (size_of(*at(a, first, first - 1)) <= DBL_EPSILON * (beside == 0 ? 1 : beside)) break;
    }
    if (first > 0) *at(a, first, first - 1) = (number){0, 0};
    return first;
}

int64_t schur(struct dense *a, struct dense *q)
{
    enum { MOST_STEPS = 60, UNUSUAL = 10 };
    int64_t last = a->rows - 1;
    for (int64_t i = 0; i < q->rows; i++) at(q, i, i)->re = 1;
    make_hessenberg(a, q);
    for (int steps = 0; last > 0 && steps < MOST_STEPS; steps++) {
        const int64_t first = block_of(a, last);
        if (first == last) {
            last--, steps = -1;
            continue;
        }
        number shift = shift_of(a, last);
        if (steps % UNUSUAL == UNUSUAL - 1) shift.re += size_of(*at(a, last, last - 1)); // it may go round in circles
        step(a, q, first, last, shift);
    }
    return last > 0 ? last + 1 : 0;
}

// The eigenvector of a triangle for its number `k`.
static void solve_vector(const struct dense *t, int64_t k, double least, number *x)
{
    for (int64_t i = 0; i < t->rows; i++) x[i] = (number){i == k, 0};
    for (int64_t i = k - 1; i >= 0; i--) {
        number sum = {0, 0}, by = complex_difference(*at(t, k, k), *at(t, i, i));
        for (int64_t j = i + 1; j <= k; j++) sum = complex_sum(sum, complex_product(*at(t, i, j), x[j]));
        if (size_of(by) < least) by = (number){least, 0};
        x[i] = complex_quotient(sum, by);
    }
}

static void normalise(number *x, int64_t count)
{
    double squares = 0, most = 0;
    number phase = {1, 0};
    for (int64_t i = 0; i < count; i++) {
        const double size = size_of(x[i]);
        squares += size * size;
        if (size > most * (1 + 1e-12)) most = size, phase = complex_times(complex_adjoint(x[i]), 1 / size);
    }
    for (int64_t i = 0; i < count && squares > 0; i++)
        x[i] = complex_times(complex_product(phase, x[i]), 1 / sqrt(squares));
}

bool schur_vectors(const struct dense *t, struct dense *q)
{
    const int64_t n = t->rows;
    double norm = 0;
    struct dense all = dense_zeros(n, n);
    number *x = malloc(((size_t)n + 1) * sizeof *x);
    const bool has_memory = all.at != NULL && x != NULL;
    for (int64_t i = 0; i < n * n; i++) norm = fmax(norm, size_of(t->at[i]));
    for (int64_t k = 0; has_memory && k < n; k++) {
        solve_vector(t, k, fmax(norm, DBL_MIN) * DBL_EPSILON, x);
        for (int64_t j = 0; j <= k; j++)
            dense_subtract(dense_column(&all, k), complex_times(x[j], -1), dense_column(q, j), n);
        normalise(dense_column(&all, k), n);
    }
    for (int64_t i = 0; has_memory && i < n * n; i++) q->at[i] = all.at[i];
    free(x);
    free(all.at);
    return has_memory;
}
