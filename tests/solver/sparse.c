// SPDX-License-Identifier: MIT
// The simulated cusolverSp: solutions are put into the equations again. Prints what does not hold.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "library_calls.h"
#include "solver.h"
#include "sparse.h"

typedef struct sparse_description description;

int cusolverSpCreate(void **handle);
int cusolverSpDestroy(void *handle);
int cusolverSpDcsrlsvqr(void *handle, int n, int count, const description *description, const double *values,
                        const int *offsets, const int *columns, const double *b, double tolerance, int reorder,
                        double *x, int *singularity);
int cusolverSpDcsrlsvcholHost(void *handle, int n, int count, const description *description, const double *values,
                              const int *offsets, const int *columns, const double *b, double tolerance, int reorder,
                              double *x, int *singularity);
int cusolverSpZcsrlsvluHost(void *handle, int n, int count, const description *description, const double *values,
                            const int *offsets, const int *columns, const double *b, double tolerance, int reorder,
                            double *x, int *singularity);
int cusolverSpCreateCsrqrInfo(void **info);
int cusolverSpDestroyCsrqrInfo(void *info);
int cusolverSpXcsrqrAnalysisBatched(void *handle, int m, int n, int count, const description *description,
                                    const int *offsets, const int *columns, void *info);
int cusolverSpDcsrqrsvBatched(void *handle, int m, int n, int count, const description *description,
                              const double *values, const int *offsets, const int *columns, const double *b, double *x,
                              int batches, void *info, void *work);
int cusolverSpXcsrsymrcmHost(void *handle, int n, int count, const description *description, const int *offsets,
                             const int *columns, int *p);
int cusolverSpXcsrissymHost(void *handle, int n, int count, const description *description, const int *offsets,
                            const int *ends, const int *columns, int *is_symmetric);
int cusolverSpXcsrpermHost(void *handle, int m, int n, int count, const description *description, int *offsets,
                           int *columns, const int *p, const int *q, int *map, void *work);

enum { EDGE = 24, N = EDGE * EDGE, MOST = 5 * N, BASE = 1, BATCHES = 3 };

static void *handle;
static const description counted_from_1 = {.base = BASE};

// A matrix of N rows, by rows; all memory is the device's, which the host may use too.
struct matrix {
    int count, *offsets, *columns;
    double *values, *b, *x;
};

static struct matrix empty(int reals)
{
    return (struct matrix){.offsets = device_memory((N + 1) * sizeof(int)),
                           .columns = device_memory(MOST * sizeof(int)),
                           .values = device_memory((size_t)(MOST * BATCHES * reals) * sizeof(double)),
                           .b = device_memory((size_t)(N * BATCHES * reals) * sizeof(double)),
                           .x = device_memory((size_t)(N * BATCHES * reals) * sizeof(double))};
}

static void add(struct matrix *to, int column)
{
    to->columns[to->count++] = column + BASE;
}

// The neighbours of the points of a grid, whose numbers are mixed, so that the rows are in no good order.
static int number_of(int x, int y)
{
    return (x * 7 + y * EDGE * 5) % N;
}

static struct matrix grid(int reals)
{
    static int at[N][2];
    struct matrix to = empty(reals);
    for (int y = 0; y < EDGE; y++)
        for (int x = 0; x < EDGE; x++) at[number_of(x, y)][0] = x, at[number_of(x, y)][1] = y;
    for (int row = 0; row < N; row++) {
        const int x = at[row][0], y = at[row][1];
        to.offsets[row] = to.count + BASE;
        add(&to, row);
        if (x > 0) add(&to, number_of(x - 1, y));
        if (x + 1 < EDGE) add(&to, number_of(x + 1, y));
        if (y > 0) add(&to, number_of(x, y - 1));
        if (y + 1 < EDGE) add(&to, number_of(x, y + 1));
    }
    to.offsets[N] = to.count + BASE;
    return to;
}

// Definite: 4.5 on the diagonal and -1 beside it.
static void fill_definite(struct matrix *to)
{
    for (int row = 0; row < N; row++) {
        to->b[row] = row % 7 - 3;
        for (int i = to->offsets[row] - BASE; i < to->offsets[row + 1] - BASE; i++)
            to->values[i] = to->columns[i] - BASE == row ? 4.5 : -1;
    }
}

// Numbers of both signs, small ones on the diagonal, so that pivots are chosen beside it.
static void fill_random(struct matrix *to, int reals)
{
    for (int i = 0; i < to->count * BATCHES * reals; i++) to->values[i] = next_number();
    for (int i = 0; i < N * BATCHES * reals; i++) to->b[i] = next_number();
    for (int row = 0; row < N; row++) to->values[reals * (to->offsets[row] - BASE)] *= 1e-3;
}

static double residual(const struct matrix *of, int reals, int batch)
{
    const double *values = of->values + batch * of->count * reals, *x = of->x + batch * N * reals;
    double worst = 0;
    for (int row = 0; row < N; row++) {
        struct complex_number sum = {-of->b[(batch * N + row) * reals],
                                     reals == 2 ? -of->b[(batch * N + row) * reals + 1] : 0};
        for (int i = of->offsets[row] - BASE; i < of->offsets[row + 1] - BASE; i++) {
            const int column = of->columns[i] - BASE;
            const struct complex_number a = {values[i * reals], reals == 2 ? values[i * reals + 1] : 0};
            const struct complex_number to = {x[column * reals], reals == 2 ? x[column * reals + 1] : 0};
            sum = complex_sum(sum, complex_product(a, to));
        }
        worst = fmax(worst, sqrt(complex_square(sum)));
    }
    return worst;
}

static void check_systems(void)
{
    int singularity = 7;
    struct matrix a = grid(1), z = grid(2);
    fill_definite(&a);
    HOLDS(cusolverSpDcsrlsvcholHost(handle, N, a.count, &counted_from_1, a.values, a.offsets, a.columns, a.b, 1e-12, 1,
                                    a.x, &singularity) == 0);
    HOLDS(singularity == -1 && residual(&a, 1, 0) < 1e-10);
    fill_random(&a, 1);
    HOLDS(cusolverSpDcsrlsvqr(handle, N, a.count, &counted_from_1, a.values, a.offsets, a.columns, a.b, 1e-12, 0, a.x,
                              &singularity) == 0);
    HOLDS(singularity == -1 && residual(&a, 1, 0) < 1e-8);
    HOLDS(cusolverSpDcsrlsvcholHost(handle, N, a.count, &counted_from_1, a.values, a.offsets, a.columns, a.b, 1e-12, 1,
                                    a.x, &singularity) == 0);
    HOLDS(singularity >= 0);
    fill_random(&z, 2);
    HOLDS(cusolverSpZcsrlsvluHost(handle, N, z.count, &counted_from_1, z.values, z.offsets, z.columns, z.b, 1e-12, 0,
                                  z.x, &singularity) == 0);
    HOLDS(singularity == -1 && residual(&z, 2, 0) < 1e-8);
    for (int i = a.offsets[9] - BASE; i < a.offsets[10] - BASE; i++) a.values[i] = 0;
    HOLDS(cusolverSpDcsrlsvqr(handle, N, a.count, &counted_from_1, a.values, a.offsets, a.columns, a.b, 0, 0, a.x,
                              &singularity) == 0);
    HOLDS(singularity == 9);
    a.columns[3] = N + BASE;
    HOLDS(cusolverSpDcsrlsvqr(handle, N, a.count, &counted_from_1, a.values, a.offsets, a.columns, a.b, 0, 0, a.x,
                              &singularity) == CUSOLVER_STATUS_INVALID_VALUE);
    HOLDS(cusolverSpDcsrlsvqr(handle, N, z.count, &counted_from_1, z.values, z.offsets, z.columns, (double[]){1, 2}, 0,
                              0, a.x, &singularity) == CUSOLVER_STATUS_EXECUTION_FAILED);
}

static void check_batches(void)
{
    void *info;
    struct matrix a = grid(1);
    fill_random(&a, 1);
    HOLDS(cusolverSpCreateCsrqrInfo(&info) == 0);
    HOLDS(cusolverSpXcsrqrAnalysisBatched(handle, N, N, a.count, &counted_from_1, a.offsets, a.columns, info) == 0);
    HOLDS(cusolverSpDcsrqrsvBatched(handle, N, N, a.count, &counted_from_1, a.values, a.offsets, a.columns, a.b, a.x,
                                    BATCHES, info, NULL) == 0);
    for (int batch = 0; batch < BATCHES; batch++) HOLDS(residual(&a, 1, batch) < 1e-8);
    HOLDS(cusolverSpDestroyCsrqrInfo(info) == 0);
}

static int bandwidth(const int *offsets, const int *columns)
{
    int most = 0;
    for (int row = 0; row < N; row++)
        for (int i = offsets[row] - BASE; i < offsets[row + 1] - BASE; i++)
            most = abs(columns[i] - BASE - row) > most ? abs(columns[i] - BASE - row) : most;
    return most;
}

static void check_orders(void)
{
    static int p[N], offsets[N + 1], columns[MOST], map[MOST], is_there[N];
    int is_symmetric = 0;
    struct matrix a = grid(1);
    HOLDS(cusolverSpXcsrissymHost(handle, N, a.count, &counted_from_1, a.offsets, a.offsets + 1, a.columns,
                                  &is_symmetric) == 0);
    HOLDS(is_symmetric);
    HOLDS(cusolverSpXcsrsymrcmHost(handle, N, a.count, &counted_from_1, a.offsets, a.columns, p) == 0);
    for (int i = 0; i < N; i++) is_there[p[i]]++;
    for (int i = 0; i < N; i++) HOLDS(is_there[i] == 1);
    memcpy(offsets, a.offsets, sizeof offsets);
    memcpy(columns, a.columns, (size_t)a.count * sizeof *columns);
    for (int i = 0; i < a.count; i++) map[i] = i;
    HOLDS(cusolverSpXcsrpermHost(handle, N, N, a.count, &counted_from_1, offsets, columns, p, p, map, NULL) == 0);
    for (int row = 0; row < N; row++)
        for (int i = offsets[row] - BASE; i < offsets[row + 1] - BASE; i++) {
            HOLDS(a.columns[map[i]] - BASE == p[columns[i] - BASE]);
            HOLDS(map[i] >= a.offsets[p[row]] - BASE && map[i] < a.offsets[p[row] + 1] - BASE);
        }
    HOLDS(bandwidth(offsets, columns) <= 2 * EDGE && bandwidth(a.offsets, a.columns) > 4 * EDGE);
    a.columns[1] = a.columns[2]; // a neighbour twice, the other one not
    HOLDS(cusolverSpXcsrissymHost(handle, N, a.count, &counted_from_1, a.offsets, a.offsets + 1, a.columns,
                                  &is_symmetric) == 0);
    HOLDS(!is_symmetric);
    p[0] = p[1];
    HOLDS(cusolverSpXcsrpermHost(handle, N, N, a.count, &counted_from_1, offsets, columns, p, p, map, NULL) ==
          CUSOLVER_STATUS_INVALID_VALUE);
}

int main(void)
{
    HOLDS(cusolverSpCreate(&handle) == 0);
    check_systems();
    check_batches();
    check_orders();
    HOLDS(cusolverSpDestroy(handle) == 0);
    HOLDS(cusolverSpXcsrsymrcmHost(NULL, 1, 0, NULL, NULL, NULL, NULL) == CUSOLVER_STATUS_NOT_INITIALIZED);
    return failed;
}
