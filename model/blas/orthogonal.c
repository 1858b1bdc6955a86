// SPDX-License-Identifier: MIT
// QR by reflections; eigenvalues and singular values by Jacobi's rotations, which take every pair of columns in turn
// until none is left to turn.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "dense.h"

enum { MOST_SWEEPS = 60 };

// --- QR --------------------------------------------------------------------------------------------------------------

static double norm_of(const struct complex_number *at, int64_t count)
{
    double greatest = 0, sum = 0;
    for (int64_t i = 0; i < count; i++) greatest = fmax(greatest, fmax(fabs(at[i].re), fabs(at[i].im)));
    if (greatest == 0 || !isfinite(greatest)) return greatest;
    for (int64_t i = 0; i < count; i++) sum += complex_square(complex_times(at[i], 1 / greatest));
    return greatest * sqrt(sum);
}

// at[0] becomes a real number beta, the others the vector of the reflection that makes them 0. Returns tau.
static struct complex_number make_reflection(struct complex_number *at, int64_t count)
{
    const struct complex_number zero = {0, 0}, first = at[0];
    if (norm_of(at + 1, count - 1) == 0 && first.im == 0) return zero;
    const double beta = -copysign(norm_of(at, count), first.re);
    const struct complex_number by = complex_difference(first, (struct complex_number){beta, 0});
    for (int64_t i = 1; i < count; i++) at[i] = complex_quotient(at[i], by);
    at[0] = (struct complex_number){beta, 0};
    return (struct complex_number){(beta - first.re) / beta, -first.im / beta};
}

// x becomes x - factor v (v^H x), for v with a 1 before `rest`.
static void reflect_one(struct complex_number *x, struct complex_number factor, const struct complex_number *rest,
                        int64_t count)
{
    const struct complex_number along = complex_sum(x[0], dense_dot(rest, x + 1, count - 1));
    const struct complex_number less = complex_product(factor, along);
    x[0] = complex_difference(x[0], less);
    dense_subtract(x + 1, less, rest, count - 1);
}

void dense_qr(struct dense *a, struct complex_number *tau)
{
    const int64_t steps = a->rows < a->columns ? a->rows : a->columns;
    for (int64_t step = 0; step < steps; step++) {
        struct complex_number *at = dense_column(a, step) + step;
        const int64_t count = a->rows - step;
        tau[step] = make_reflection(at, count);
        for (int64_t column = step + 1; column < a->columns; column++)
            reflect_one(dense_column(a, column) + step, complex_adjoint(tau[step]), at + 1, count);
    }
}

void dense_reflect(const struct dense *qr, const struct complex_number *tau, int64_t count,
                   enum dense_operation operation, struct dense *c)
{
    for (int64_t i = 0; i < count; i++) {
        const int64_t step = operation == DENSE_PLAIN ? count - 1 - i : i;
        const struct complex_number *rest = dense_column(qr, step) + step + 1;
        const struct complex_number factor = operation == DENSE_PLAIN ? tau[step] : complex_adjoint(tau[step]);
        for (int64_t column = 0; column < c->columns; column++)
            reflect_one(dense_column(c, column) + step, factor, rest, c->rows - step);
    }
}

// --- Rotations -------------------------------------------------------------------------------------------------------

// What makes the Hermitian matrix [p, of; conj(of), q] diagonal: columns x, y become c x - s conj(u) y and s u x + c y,
// for u = of / |of|.
struct rotation {
    double c, s;
    struct complex_number u;
};

static struct rotation rotation_of(double p, double q, struct complex_number of)
{
    const double size = hypot(of.re, of.im), theta = (q - p) / (2 * size);
    const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1);
    return (struct rotation){c, t * c, complex_times(of, 1 / size)};
}

static void rotate(const struct rotation *by, struct complex_number *x, struct complex_number *y, int64_t count)
{
    const struct complex_number su = complex_times(by->u, by->s), minus = complex_adjoint(su);
    for (int64_t i = 0; i < count; i++) {
        const struct complex_number old = x[i];
        x[i] = complex_difference(complex_times(old, by->c), complex_product(minus, y[i]));
        y[i] = complex_sum(complex_product(su, old), complex_times(y[i], by->c));
    }
}

// The columns of `of`, and values, in the order that `falls` says.
static void sort_columns(double *values, int64_t count, bool falls, struct dense *one, struct dense *other)
{
    struct dense *const all[] = {one, other};
    for (int64_t i = 0; i < count; i++) {
        int64_t best = i;
        for (int64_t k = i + 1; k < count; k++)
            if (falls ? values[k] > values[best] : values[k] < values[best]) best = k;
        const double kept = values[i];
        values[i] = values[best];
        values[best] = kept;
        for (int which = 0; which < 2 && best != i; which++)
            for (int64_t row = 0; all[which] != NULL && row < all[which]->rows; row++) {
                struct complex_number *a = dense_column(all[which], i) + row, *b = dense_column(all[which], best) + row;
                const struct complex_number moved = *a;
                *a = *b;
                *b = moved;
            }
    }
}

// --- Singular values -------------------------------------------------------------------------------------------------

static int rotate_pair(struct dense *a, struct dense *v, int64_t p, int64_t q)
{
    const double small = 0x1p-52;
    struct complex_number *x = dense_column(a, p), *y = dense_column(a, q);
    const double xx = dense_dot(x, x, a->rows).re, yy = dense_dot(y, y, a->rows).re;
    const struct complex_number xy = dense_dot(x, y, a->rows);
    if (!(complex_square(xy) > small * small * xx * yy) || complex_square(xy) == 0) return 0;
    const struct rotation rotation = rotation_of(xx, yy, xy);
    rotate(&rotation, x, y, a->rows);
    rotate(&rotation, dense_column(v, p), dense_column(v, q), v->rows);
    return 1;
}

static void set_identity(struct dense *v)
{
    memset(v->at, 0, (size_t)(v->rows * v->columns) * sizeof *v->at);
    for (int64_t i = 0; i < v->columns && i < v->rows; i++) dense_column(v, i)[i].re = 1;
}

int64_t dense_svd(struct dense *a, double *values, struct dense *v)
{
    int64_t turned = 1, known = 0;
    set_identity(v);
    for (int sweep = 0; sweep < MOST_SWEEPS && turned != 0; sweep++) {
        turned = 0;
        for (int64_t p = 0; p < a->columns; p++)
            for (int64_t q = p + 1; q < a->columns; q++) turned += rotate_pair(a, v, p, q);
    }
    for (int64_t i = 0; i < a->columns; i++) values[i] = norm_of(dense_column(a, i), a->rows);
    sort_columns(values, a->columns, true, a, v);
    const double least = a->columns > 0 ? values[0] * 0x1p-50 : 0;
    for (; known < a->columns && values[known] > least; known++)
        for (int64_t row = 0; row < a->rows; row++)
            dense_column(a, known)[row] = complex_times(dense_column(a, known)[row], 1 / values[known]);
    dense_complete(a, known);
    return turned;
}

// Of the unit vectors the one that is farthest from those before, twice made orthogonal to them.
void dense_complete(struct dense *u, int64_t known)
{
    for (int64_t column = known; column < u->columns; column++) {
        struct complex_number *at = dense_column(u, column);
        int64_t best = 0;
        double least = INFINITY;
        for (int64_t row = 0; row < u->rows; row++) {
            double sum = 0;
            for (int64_t i = 0; i < column; i++) sum += complex_square(dense_column(u, i)[row]);
            if (sum < least) least = sum, best = row;
        }
        memset(at, 0, (size_t)u->rows * sizeof *at);
        at[best].re = 1;
        for (int i = 0; i < 2; i++)
            for (int64_t other = 0; other < column; other++)
                dense_subtract(at, dense_dot(dense_column(u, other), at, u->rows), dense_column(u, other), u->rows);
        const double norm = norm_of(at, u->rows);
        for (int64_t row = 0; row < u->rows; row++) at[row] = complex_times(at[row], 1 / norm);
    }
}

// --- Eigenvalues -----------------------------------------------------------------------------------------------------

// The rows of the same rotation, which takes its adjoint.
static void rotate_rows(const struct rotation *by, struct dense *a, int64_t p, int64_t q)
{
    const struct complex_number su = complex_times(by->u, by->s), minus = complex_adjoint(su);
    for (int64_t column = 0; column < a->columns; column++) {
        struct complex_number *x = dense_column(a, column) + p, *y = dense_column(a, column) + q;
        const struct complex_number old = *x;
        *x = complex_difference(complex_times(old, by->c), complex_product(su, *y));
        *y = complex_sum(complex_product(minus, old), complex_times(*y, by->c));
    }
}

static int turn(struct dense *a, struct dense *v, int64_t p, int64_t q, double small)
{
    const struct complex_number of = dense_column(a, q)[p];
    if (!(complex_square(of) > small * small)) return 0;
    const struct rotation rotation = rotation_of(dense_column(a, p)[p].re, dense_column(a, q)[q].re, of);
    rotate(&rotation, dense_column(a, p), dense_column(a, q), a->rows);
    rotate_rows(&rotation, a, p, q);
    rotate(&rotation, dense_column(v, p), dense_column(v, q), v->rows);
    return 1;
}

int64_t dense_eigen(struct dense *a, struct dense *v, double *values)
{
    const double small = norm_of(a->at, a->rows * a->columns) * 0x1p-56;
    int64_t turned = 1;
    set_identity(v);
    for (int sweep = 0; sweep < MOST_SWEEPS && turned != 0; sweep++) {
        turned = 0;
        for (int64_t p = 0; p < a->columns; p++)
            for (int64_t q = p + 1; q < a->columns; q++) turned += turn(a, v, p, q, small);
    }
    for (int64_t i = 0; i < a->columns; i++) values[i] = dense_column(a, i)[i].re;
    sort_columns(values, a->columns, false, v, NULL);
    return turned;
}
