// SPDX-License-Identifier: MIT
// Rotations, and vectors that change places.
#include "test.h"

#include <math.h>

#define CALL enum cublas_status
CALL cublasDrot_v2(struct blas_handle *handle, int n, double *x, int incx, double *y, int incy, const double *c,
                   const double *s);
CALL cublasZrot_v2(struct blas_handle *handle, int n, double *x, int incx, double *y, int incy, const double *c,
                   const double *s);
CALL cublasDrotg_v2(struct blas_handle *handle, double *a, double *b, double *c, double *s);
CALL cublasZrotg_v2(struct blas_handle *handle, double *a, double *b, double *c, double *s);
CALL cublasDrotm_v2(struct blas_handle *handle, int n, double *x, int incx, double *y, int incy, const double *h);
CALL cublasDrotmg_v2(struct blas_handle *handle, double *d1, double *d2, double *x1, const double *y1, double *h);
CALL cublasSswap_v2(struct blas_handle *handle, int n, float *x, int incx, float *y, int incy);
CALL cublasSwapEx(struct blas_handle *handle, int n, void *x, int x_type, int incx, void *y, int y_type, int incy);
CALL cublasCopyEx(struct blas_handle *handle, int n, const void *x, int x_type, int incx, void *y, int y_type,
                  int incy);

enum { N = 9 };

SECTION(rotations)
{
    struct blas_handle *handle = test_handle();
    double a = 3, b = 4, c = 0, s = 0, *x = test_memory(CUDA_R_64F, 2 * N), *y = test_memory(CUDA_R_64F, 2 * N);
    double before[2][2 * N];
    WORKS(cublasDrotg_v2(handle, &a, &b, &c, &s));
    REQUIRE(a == 5 && c == 0.6 && s == 0.8 && fabs(b - 1 / 0.6) < 1e-15);
    c = 2, s = 3;
    memcpy(before[0], x, sizeof before[0]), memcpy(before[1], y, sizeof before[1]);
    WORKS(cublasDrot_v2(handle, N, x, 2, y, -1, &c, &s));
    for (int i = 0; i < N; i++) {
        const double from = before[0][2 * i], to = before[1][N - 1 - i];
        REQUIRE(x[2 * i] == 2 * from + 3 * to && y[N - 1 - i] == 2 * to - 3 * from);
    }
    double za[2] = {3, 4}, zb[2] = {0, 12}, zs[2];
    WORKS(cublasZrotg_v2(handle, za, zb, &c, zs)); // |a| 5, |b| 12
    REQUIRE(fabs(c - 5.0 / 13) < 1e-15 && fabs(za[0] - 7.8) < 1e-14 && fabs(za[1] - 10.4) < 1e-14);
    memcpy(x, (double[]){3, 4}, 2 * sizeof *x), memcpy(y, (double[]){0, 12}, 2 * sizeof *y);
    WORKS(cublasZrot_v2(handle, 1, x, 1, y, 1, &c, zs)); // b becomes 0
    REQUIRE(fabs(x[0] - 7.8) < 1e-14 && fabs(x[1] - 10.4) < 1e-14 && fabs(y[0]) < 1e-14 && fabs(y[1]) < 1e-14);
    REFUSES(INVALID_VALUE, cublasDrot_v2(handle, N, x, 1, y, 1, NULL, &s));
    REFUSES(EXECUTION_FAILED, cublasDrot_v2(handle, N, before[0], 1, y, 1, &c, &s));
}

// The second number becomes 0, and what the weights keep is the same.
SECTION(modified_rotations)
{
    static const double tries[][4] = {{2, 3, 4, 5}, {5, 1, 4, 0.5}, {1e-9, 1, 1, 1e-6}, {1, 1, 1, 0}};
    struct blas_handle *handle = test_handle();
    double *x = test_memory(CUDA_R_64F, 1), *y = test_memory(CUDA_R_64F, 1);
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        double d1 = tries[i][0], d2 = tries[i][1], x1 = tries[i][2], h[5] = {7, 7, 7, 7, 7};
        const double y1 = tries[i][3], kept = d1 * x1 * x1 + d2 * y1 * y1;
        *x = x1, *y = y1;
        WORKS(cublasDrotmg_v2(handle, &d1, &d2, &x1, &y1, h));
        WORKS(cublasDrotm_v2(handle, 1, x, 1, y, 1, h));
        REQUIRE(fabs(*y) < 1e-12 && fabs(*x - x1) < 1e-12 * fabs(x1));
        REQUIRE(fabs(d1 * *x * *x - kept) < 1e-12 * kept);
    }
}

SECTION(swaps)
{
    struct blas_handle *handle = test_handle();
    float *x = test_memory(CUDA_R_32F, 2 * N), *y = test_memory(CUDA_R_32F, N), before[2][2 * N];
    memcpy(before[0], x, sizeof before[0]), memcpy(before[1], y, N * sizeof *y);
    WORKS(cublasSswap_v2(handle, N, x, 2, y, 1));
    for (int i = 0; i < N; i++) REQUIRE(x[2 * i] == before[1][i] && y[i] == before[0][2 * i]);
    WORKS(cublasSwapEx(handle, N, x, CUDA_R_32F, 2, y, CUDA_R_32F, 1));
    REQUIRE(memcmp(x, before[0], sizeof before[0]) == 0 && memcmp(y, before[1], N * sizeof *y) == 0);
    WORKS(cublasCopyEx(handle, N, x, CUDA_R_32F, 2, y, CUDA_R_32F, 1));
    for (int i = 0; i < N; i++) REQUIRE(y[i] == x[2 * i]);
    REFUSES(NOT_SUPPORTED, cublasSwapEx(handle, N, x, CUDA_R_32F, 2, y, CUDA_R_64F, 1));
}
