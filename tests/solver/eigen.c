// SPDX-License-Identifier: MIT
// Eigenvalues of pairs of matrices, of some of a matrix, and of matrices of any kind; inverses; systems in one call.
// What is found is put into the equations again. Prints what does not hold.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "library_calls.h"
#include "solver.h"

typedef struct complex_number number;

int cusolverDnCreate(void **handle);
int cusolverDnDestroy(void *handle);
int cusolverDnZhegvd(void *handle, int kind, int mode, int fill, int n, number *a, int lda, number *b, int ldb,
                     double *values, void *work, int size, int *info);
int cusolverDnZheevdx(void *handle, int mode, int range, int fill, int n, number *a, int lda, double low, double high,
                      int first, int last, int *found, double *values, void *work, int size, int *info);
int cusolverDnXgeev(void *handle, void *parameters, int left_mode, int mode, int64_t n, int type, void *a, int64_t lda,
                    int type_of_values, void *values, int type_of_left, void *left, int64_t ld_left, int type_of_right,
                    void *right, int64_t ld_right, int compute, void *device, size_t device_bytes, void *host,
                    size_t host_bytes, int *info);
int cusolverDnZpotrf(void *handle, int fill, int n, void *a, int lda, void *work, int size, int *info);
int cusolverDnZpotri(void *handle, int fill, int n, void *a, int lda, void *work, int size, int *info);
int cusolverDnXtrtri(void *handle, int fill, int diagonal, int64_t n, int type, void *a, int64_t lda, void *device,
                     size_t device_bytes, void *host, size_t host_bytes, int *info);
int cusolverDnZCgesv(void *handle, int n, int count, void *a, int lda, int *pivots, void *b, int ldb, void *x, int ldx,
                     void *work, size_t bytes, int *refinements, int *info);
int cusolverDnZCgels(void *handle, int m, int n, int count, void *a, int lda, void *b, int ldb, void *x, int ldx,
                     void *work, size_t bytes, int *refinements, int *info);

enum { N = 11, M = 17, LEADING = 19, ELEMENTS = LEADING * M };

static void *handle;
static int *info;

static number *memory(void)
{
    number *at = device_memory(ELEMENTS * sizeof *at);
    for (int i = 0; i < ELEMENTS; i++) at[i] = (number){next_number(), next_number()};
    return at;
}

static number element(const number *a, int row, int column)
{
    return a[row + column * LEADING];
}

// The Hermitian matrix of which a triangle is read.
static number hermitian(const number *a, bool is_lower, int row, int column)
{
    if (row == column) return (number){element(a, row, row).re, 0};
    return (row > column) == is_lower ? element(a, row, column) : complex_adjoint(element(a, column, row));
}

// Diagonals that make a matrix definite.
static void make_definite(number *a)
{
    for (int i = 0; i < N; i++) a[i * (LEADING + 1)] = (number){2 * N + i, 0};
}

static double size_of(number a)
{
    return sqrt(complex_square(a));
}

// The greatest number of A B x - value x, or what the kind has instead.
static double pair_residual(const number *a, const number *b, bool is_lower, int kind, const number *x, double value)
{
    number y[N], z[N];
    double worst = 0;
    for (int turn = 0; turn < 2; turn++) {
        const number *first = turn == 0 ? (kind == 2 ? b : a) : (kind == 2 ? a : b), *from = turn == 0 ? x : y;
        number *to = turn == 0 ? y : z;
        if (kind == 1 && turn == 1) from = x;
        for (int row = 0; row < N; row++) {
            to[row] = (number){0, 0};
            for (int k = 0; k < N; k++)
                to[row] = complex_sum(to[row], complex_product(hermitian(first, is_lower, row, k), from[k]));
        }
    }
    for (int row = 0; row < N; row++) {
        const number expected = complex_times(kind == 1 ? z[row] : x[row], value);
        worst = fmax(worst, size_of(complex_difference(kind == 1 ? y[row] : z[row], expected)));
    }
    return worst;
}

static void check_pairs(void)
{
    double *values = device_memory(N * sizeof *values);
    for (int way = 0; way < 6; way++) {
        const int kind = 1 + way / 2, fill = way % 2;
        number *a = memory(), *b = memory(), before[ELEMENTS], right[ELEMENTS];
        make_definite(b);
        memcpy(before, a, sizeof before), memcpy(right, b, sizeof right);
        HOLDS(cusolverDnZhegvd(handle, kind, 1, fill, N, a, LEADING, b, LEADING, values, NULL, 0, info) == 0);
        done();
        HOLDS(*info == 0);
        for (int i = 0; i < N; i++)
            HOLDS(pair_residual(before, right, fill == 0, kind, a + i * LEADING, values[i]) < 1e-9);
        for (int i = 1; i < N; i++) HOLDS(values[i - 1] <= values[i]);
    }
    number *a = memory(), *b = memory();
    make_definite(b);
    b[3 * (LEADING + 1)].re = -1;
    HOLDS(cusolverDnZhegvd(handle, 1, 0, 0, N, a, LEADING, b, LEADING, values, NULL, 0, info) == 0);
    done();
    HOLDS(*info == N + 4);
    HOLDS(cusolverDnZhegvd(handle, 4, 0, 0, N, a, LEADING, b, LEADING, values, NULL, 0, info) ==
          CUSOLVER_STATUS_INVALID_VALUE);
}

static void check_some(void)
{
    number *a = memory(), before[ELEMENTS];
    double *all = device_memory(N * sizeof *all), *some = device_memory(N * sizeof *some);
    int found = 0;
    memcpy(before, a, sizeof before);
    HOLDS(cusolverDnZheevdx(handle, 0, 1001, 0, N, a, LEADING, 0, 0, 0, 0, &found, all, NULL, 0, info) == 0);
    HOLDS(found == N);
    memcpy(a, before, sizeof before);
    HOLDS(cusolverDnZheevdx(handle, 1, RANGE_ORDER, 0, N, a, LEADING, 0, 0, 3, 5, &found, some, NULL, 0, info) == 0);
    HOLDS(found == 3 && *info == 0);
    for (int i = 0; i < 3; i++) {
        HOLDS(some[i] == all[2 + i]);
        for (int row = 0; row < N; row++) {
            number sum = {0, 0};
            for (int k = 0; k < N; k++)
                sum = complex_sum(sum, complex_product(hermitian(before, true, row, k), element(a, k, i)));
            HOLDS(size_of(complex_difference(sum, complex_times(element(a, row, i), some[i]))) < 1e-10);
        }
    }
    memcpy(a, before, sizeof before);
    HOLDS(cusolverDnZheevdx(handle, 0, RANGE_VALUES, 0, N, a, LEADING, all[1], all[4], 0, 0, &found, some, NULL, 0,
                            info) == 0);
    HOLDS(found == 3 && some[0] == all[2] && some[2] == all[4]);
    HOLDS(cusolverDnZheevdx(handle, 0, RANGE_ORDER, 0, N, a, LEADING, 0, 0, 3, N + 1, &found, some, NULL, 0, info) ==
          CUSOLVER_STATUS_INVALID_VALUE);
}

// The greatest number of A x - value x.
static double residual(const number *a, const number *x, number value)
{
    double worst = 0;
    for (int row = 0; row < N; row++) {
        number sum = {0, 0};
        for (int k = 0; k < N; k++) sum = complex_sum(sum, complex_product(element(a, row, k), x[k]));
        worst = fmax(worst, size_of(complex_difference(sum, complex_product(value, x[row]))));
    }
    return worst;
}

static void check_complex(void)
{
    number *a = memory(), *values = device_memory(N * sizeof *values), *x = memory(), before[ELEMENTS];
    memcpy(before, a, sizeof before);
    HOLDS(cusolverDnXgeev(handle, NULL, 0, 1, N, CUDA_C_64F, a, LEADING, CUDA_C_64F, values, CUDA_C_64F, NULL, 1,
                          CUDA_C_64F, x, LEADING, CUDA_C_64F, NULL, 0, NULL, 0, info) == 0);
    done();
    HOLDS(*info == 0);
    for (int i = 0; i < N; i++) {
        double squares = 0;
        HOLDS(residual(before, x + i * LEADING, values[i]) < 1e-10);
        for (int row = 0; row < N; row++) squares += complex_square(element(x, row, i));
        HOLDS(fabs(squares - 1) < 1e-12);
    }
    HOLDS(cusolverDnXgeev(handle, NULL, 1, 1, N, CUDA_C_64F, a, LEADING, CUDA_C_64F, values, CUDA_C_64F, NULL, 1,
                          CUDA_C_64F, x, LEADING, CUDA_C_64F, NULL, 0, NULL, 0, info) == CUSOLVER_STATUS_INVALID_VALUE);
}

// Of reals: values as two rows, and pairs of columns.
static void check_real(void)
{
    double *a = device_memory(ELEMENTS * sizeof *a), *values = device_memory(2 * N * sizeof *values);
    double *x = device_memory(ELEMENTS * sizeof *x);
    number whole[ELEMENTS] = {{0, 0}};
    int pairs = 0;
    for (int i = 0; i < ELEMENTS; i++) a[i] = next_number(), whole[i].re = a[i];
    HOLDS(cusolverDnXgeev(handle, NULL, 0, 1, N, CUDA_R_64F, a, LEADING, CUDA_R_64F, values, CUDA_R_64F, NULL, 1,
                          CUDA_R_64F, x, LEADING, CUDA_R_64F, NULL, 0, NULL, 0, info) == 0);
    done();
    HOLDS(*info == 0);
    for (int i = 0; i < N; i++) {
        number vector[N];
        const bool is_pair = values[N + i] != 0;
        if (is_pair) HOLDS(values[N + i] > 0 && values[N + i + 1] == -values[N + i] && values[i + 1] == values[i]);
        for (int row = 0; row < N; row++)
            vector[row] = (number){x[row + i * LEADING], is_pair ? x[row + (i + 1) * LEADING] : 0};
        HOLDS(residual(whole, vector, (number){values[i], values[N + i]}) < 1e-10);
        pairs += is_pair, i += is_pair;
    }
    HOLDS(pairs > 0);
}

static void check_inverses(void)
{
    for (int fill = 0; fill < 2; fill++) {
        number *a = memory(), before[ELEMENTS];
        make_definite(a);
        memcpy(before, a, sizeof before);
        HOLDS(cusolverDnZpotrf(handle, fill, N, a, LEADING, NULL, 0, info) == 0);
        HOLDS(cusolverDnZpotri(handle, fill, N, a, LEADING, NULL, 0, info) == 0);
        done();
        for (int i = 0; i < N * N; i++) {
            const int row = i % N, column = i / N;
            number sum = {-(row == column), 0};
            for (int k = 0; k < N; k++)
                sum = complex_sum(
                    sum, complex_product(hermitian(before, fill == 0, row, k), hermitian(a, fill == 0, k, column)));
            HOLDS(size_of(sum) < 1e-12);
        }
        memcpy(a, before, sizeof before);
        HOLDS(cusolverDnXtrtri(handle, fill, fill, N, CUDA_C_64F, a, LEADING, NULL, 0, NULL, 0, info) == 0);
        done();
        for (int row = 0; row < N; row++) { // of the first or the last column, which is one of a triangle
            const int column = fill == 0 ? 0 : N - 1;
            number sum = {-(row == column), 0};
            for (int k = 0; k < N; k++) {
                const bool is_there = fill == 0 ? k <= row : k >= row;
                const number one = {1, 0}, left = fill && k == row ? one : element(before, row, k);
                const number right = fill && k == column ? one : element(a, k, column);
                if (is_there) sum = complex_sum(sum, complex_product(left, right));
            }
            HOLDS(size_of(sum) < 1e-9);
        }
    }
}

static void check_systems(void)
{
    number *a = memory(), *b = memory(), *x = memory(), before[ELEMENTS];
    int refinements = 7, *pivots = device_memory(N * sizeof *pivots);
    memcpy(before, a, sizeof before);
    HOLDS(cusolverDnZCgesv(handle, N, 1, a, LEADING, pivots, b, LEADING, x, LEADING, NULL, 0, &refinements, info) == 0);
    done();
    HOLDS(*info == 0 && refinements == 0 && memcmp(a, before, sizeof before) == 0);
    for (int row = 0; row < N; row++) {
        number sum = complex_times(b[row], -1);
        for (int k = 0; k < N; k++) sum = complex_sum(sum, complex_product(element(a, row, k), x[k]));
        HOLDS(size_of(sum) < 1e-10);
    }
    HOLDS(cusolverDnZCgels(handle, M, N, 1, a, LEADING, b, LEADING, x, LEADING, NULL, 0, &refinements, info) == 0);
    done();
    for (int column = 0; column < N; column++) { // what is left stands at right angles to each column
        number product = {0, 0};
        for (int row = 0; row < M; row++) {
            number left = b[row];
            for (int k = 0; k < N; k++) left = complex_difference(left, complex_product(element(a, row, k), x[k]));
            product = complex_sum(product, complex_product(complex_adjoint(element(a, row, column)), left));
        }
        HOLDS(size_of(product) < 1e-10);
    }
    HOLDS(cusolverDnZCgels(handle, N, M, 1, a, LEADING, b, LEADING, x, LEADING, NULL, 0, &refinements, info) ==
          CUSOLVER_STATUS_INVALID_VALUE);
}

int main(void)
{
    HOLDS(cusolverDnCreate(&handle) == 0);
    info = device_memory(sizeof *info);
    check_pairs();
    check_some();
    check_complex();
    check_real();
    check_inverses();
    check_systems();
    HOLDS(cusolverDnDestroy(handle) == 0);
    return failed;
}
