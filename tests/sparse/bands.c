// SPDX-License-Identifier: MIT
// Systems of three and five diagonals, whose solutions are put into the equations again; rotations of a sparse vector.
// Prints what does not hold.
#include <math.h>
#include <stdlib.h>

#include "library_calls.h"
#include "sparse.h"

int cusparseCreate(void **handle);
int cusparseDestroy(void *handle);
int cusparseDgtsv2(void *handle, int m, int n, const double *dl, const double *d, const double *du, double *b, int ldb,
                   void *work);
int cusparseDgtsv2_nopivot_bufferSizeExt(void *handle, int m, int n, const double *dl, const double *d,
                                         const double *du, const double *b, int ldb, size_t *bytes);
int cusparseDgtsv2StridedBatch(void *handle, int m, const double *dl, const double *d, const double *du, double *x,
                               int batches, int step, void *work);
int cusparseDgpsvInterleavedBatch(void *handle, int algorithm, int m, double *ds, double *dl, double *d, double *du,
                                  double *dw, double *x, int batches, void *work);
int cusparseCreateSpVec(void **to, int64_t size, int64_t count, void *indices, void *values, int index_type, int base,
                        int type);
int cusparseCreateDnVec(void **to, int64_t size, void *values, int type);
int cusparseDestroySpVec(void *vector);
int cusparseDestroyDnVec(void *vector);
int cusparseRot(void *handle, const void *c, const void *s, void *x, void *y);

enum { M = 23, STEP = 25, COLUMNS = 3, ELEMENTS = STEP * COLUMNS };

static void *handle;

static double *memory(void)
{
    double *at = device_memory(ELEMENTS * sizeof *at);
    for (int i = 0; i < ELEMENTS; i++) at[i] = next_number();
    return at;
}

// The greatest difference of A x and b: element i of each diagonal at first + i * step.
static double residual(double *const *diagonal, int reach, int first, int step, const double *x, const double *b)
{
    double worst = 0;
    for (int row = 0; row < M; row++) {
        double sum = -b[first + row * step];
        for (int offset = -reach; offset <= reach; offset++)
            if (row + offset >= 0 && row + offset < M)
                sum += diagonal[offset + reach][first + row * step] * x[first + (row + offset) * step];
        worst = fmax(worst, fabs(sum));
    }
    return worst;
}

// Diagonals with small numbers in the middle, so that rows must be exchanged.
static void check_systems(void)
{
    double *diagonal[] = {memory(), memory(), memory(), memory(), memory()}, *x = memory(), b[ELEMENTS];
    double *three[] = {diagonal[1], diagonal[2], diagonal[3]};
    size_t bytes = 0;
    for (int i = 0; i < ELEMENTS; i += 3) diagonal[2][i] = 0;
    memcpy(b, x, sizeof b);
    HOLDS(cusparseDgtsv2_nopivot_bufferSizeExt(handle, M, COLUMNS, three[0], three[1], three[2], x, STEP, &bytes) == 0);
    HOLDS(bytes > 0);
    HOLDS(cusparseDgtsv2(handle, M, COLUMNS, three[0], three[1], three[2], x, STEP, NULL) == 0);
    done();
    for (int i = 0; i < COLUMNS; i++) HOLDS(residual(three, 1, 0, 1, x + i * STEP, b + i * STEP) < 1e-9);
    memcpy(x, b, sizeof b);
    HOLDS(cusparseDgtsv2StridedBatch(handle, M, three[0], three[1], three[2], x, COLUMNS, STEP, NULL) == 0);
    done();
    for (int i = 0; i < COLUMNS; i++) HOLDS(residual(three, 1, i * STEP, 1, x, b) < 1e-9);
    memcpy(x, b, sizeof b);
    HOLDS(cusparseDgpsvInterleavedBatch(handle, 0, M, diagonal[0], diagonal[1], diagonal[2], diagonal[3], diagonal[4],
                                        x, COLUMNS, NULL) == 0);
    done();
    for (int i = 0; i < COLUMNS; i++) HOLDS(residual(diagonal, 2, i, COLUMNS, x, b) < 1e-9);
    HOLDS(cusparseDgtsv2(handle, M, COLUMNS, three[0], three[1], three[2], x, M - 1, NULL) ==
          CUSPARSE_STATUS_INVALID_VALUE);
    HOLDS(cusparseDgtsv2(handle, M, 1, three[0], three[1], three[2], b, STEP, NULL) ==
          CUSPARSE_STATUS_EXECUTION_FAILED);
}

static void check_rotation(void)
{
    double *values = memory(), *dense = memory(), before[2][ELEMENTS];
    const double c = 0.6, s = 0.8;
    int *indices = device_memory(2 * sizeof *indices);
    void *x, *y;
    indices[0] = 3, indices[1] = 7;
    memcpy(before[0], values, sizeof before[0]), memcpy(before[1], dense, sizeof before[1]);
    HOLDS(cusparseCreateSpVec(&x, M, 2, indices, values, INDEX_32I, 0, CUDA_R_64F) == 0);
    HOLDS(cusparseCreateDnVec(&y, M, dense, CUDA_R_64F) == 0);
    HOLDS(cusparseRot(handle, &c, &s, x, y) == 0);
    done();
    for (int i = 0; i < 2; i++) {
        HOLDS(values[i] == c * before[0][i] + s * before[1][indices[i]]);
        HOLDS(dense[indices[i]] == c * before[1][indices[i]] - s * before[0][i]);
    }
    HOLDS(dense[0] == before[1][0] && values[2] == before[0][2]);
    HOLDS(cusparseRot(handle, NULL, &s, x, y) == CUSPARSE_STATUS_INVALID_VALUE);
    HOLDS(cusparseDestroySpVec(x) == 0 && cusparseDestroyDnVec(y) == 0);
}

int main(void)
{
    HOLDS(cusparseCreate(&handle) == 0);
    check_systems();
    check_rotation();
    HOLDS(cusparseDestroy(handle) == 0);
    return failed;
}
