// SPDX-License-Identifier: MIT
// Dense matrices in double precision, by columns without gaps, and their factorizations. Reals are complex numbers
// without an imaginary part. The names of what is computed are LAPACK's. factor.c has LU and Cholesky, orthogonal.c
// the rest.
#ifndef TMAREF_BLAS_DENSE_H
#define TMAREF_BLAS_DENSE_H

#include <stdbool.h>
#include <stdint.h>

struct complex_number {
    double re, im;
};

struct dense {
    struct complex_number *at;
    int64_t rows, columns;
};

enum dense_operation { DENSE_PLAIN, DENSE_TRANSPOSED, DENSE_ADJOINT };

static inline struct complex_number *dense_column(const struct dense *matrix, int64_t column)
{
    return matrix->at + column * matrix->rows;
}

static inline struct complex_number complex_adjoint(struct complex_number a)
{
    return (struct complex_number){a.re, -a.im};
}

static inline struct complex_number complex_product(struct complex_number a, struct complex_number b)
{
    return (struct complex_number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static inline struct complex_number complex_difference(struct complex_number a, struct complex_number b)
{
    return (struct complex_number){a.re - b.re, a.im - b.im};
}

static inline struct complex_number complex_sum(struct complex_number a, struct complex_number b)
{
    return (struct complex_number){a.re + b.re, a.im + b.im};
}

static inline struct complex_number complex_times(struct complex_number a, double factor)
{
    return (struct complex_number){a.re * factor, a.im * factor};
}

static inline double complex_square(struct complex_number a)
{
    return a.re * a.re + a.im * a.im;
}

static inline struct complex_number complex_quotient(struct complex_number a, struct complex_number by)
{
    if (a.im == 0 && by.im == 0) return (struct complex_number){a.re / by.re, 0};
    return complex_times(complex_product(a, complex_adjoint(by)), 1 / complex_square(by));
}

struct dense dense_zeros(int64_t rows, int64_t columns); // NULL at `at` if there is no memory

// A copy of a matrix whose columns lie `leading` elements of a type (numbers.h) apart; and back, rounded once.
struct dense dense_read(const void *at, int type, int64_t rows, int64_t columns, int64_t leading);
void dense_write(void *at, int type, int64_t leading, const struct dense *from);

// Sum of conj(a[i]) * b[i].
struct complex_number dense_dot(const struct complex_number *a, const struct complex_number *b, int64_t count);

// a[i] -= factor * b[i].
void dense_subtract(struct complex_number *a, struct complex_number factor, const struct complex_number *b,
                    int64_t count);

// LU with partial pivoting: row i was swapped with row pivot[i], from 0 on. NULL: without pivoting. Returns 0, or the
// number, from 1 on, of the first pivot that is 0.
int64_t dense_lu(struct dense *a, int64_t *pivot);

// B becomes op(A)^-1 B for the LU of A.
void dense_lu_solve(const struct dense *lu, const int64_t *pivot, enum dense_operation operation, struct dense *b);

// One triangle of a Hermitian A becomes that of its Cholesky factor; the other is left alone. Returns 0, or the order
// of the first leading minor that is not positive.
int64_t dense_cholesky(struct dense *a, bool is_lower);
void dense_cholesky_solve(const struct dense *factor, bool is_lower, struct dense *b);

// QR by reflections, as LAPACK keeps them: below the diagonal of A, and their factors in tau[min(rows, columns)].
void dense_qr(struct dense *a, struct complex_number *tau);

// C becomes op(Q) C, for Q of the first `count` reflections.
void dense_reflect(const struct dense *qr, const struct complex_number *tau, int64_t count,
                   enum dense_operation operation, struct dense *c);

// The eigenvalues of a Hermitian matrix, in rising order, and its eigenvectors in the columns of V; A is lost. Returns
// 0, or how many rotations the last round still made.
int64_t dense_eigen(struct dense *a, struct dense *v, double *values);

// A = U diag(values) V^H of a matrix with rows >= columns: U takes the place of A; the values fall. Returns as above.
int64_t dense_svd(struct dense *a, double *values, struct dense *v);

// Columns of a matrix from `known` on become orthonormal, and orthogonal to those before, which are orthonormal.
void dense_complete(struct dense *u, int64_t known);

#endif
