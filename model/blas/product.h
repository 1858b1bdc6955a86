// SPDX-License-Identifier: MIT
// D = finish(alpha * A * B + beta * C) for matrices of any two steps. Products are summed in double precision, in an
// order that depends on k alone, and the result is rounded once. Those of FP8 are summed as the tensor cores do
// (fp8.h), and finished in f32: the sum times alpha plus beta * C is rounded once, then the bias is added.
#ifndef TMAREF_BLAS_PRODUCT_H
#define TMAREF_BLAS_PRODUCT_H

#include "numbers.h"

// Element (row, column) lies `row * row_step + column * column_step` elements after `at`. The matrices of a batch lie
// `batch_step` elements apart, or `at` is an array of their addresses.
struct matrix {
    void *at;
    int type;
    bool is_conjugate, is_array, is_host; // is_host: of the library or the program, not of the device
    int64_t row_step, column_step, batch_step;
};

// A factor: its value, or where it lies when the product runs.
struct factor {
    const void *device; // NULL: it is `value`
    int type;
    double value[2];
};

enum product_activation { ACTIVATION_NONE, ACTIVATION_RELU, ACTIVATION_GELU };

// What is done to each result: times `scale`, plus `bias` of its row, through the activation, times `d_scale`. What
// goes into the activation is also written to `aux`; `amax` is the greatest absolute result before `d_scale`.
struct epilogue {
    enum product_activation activation;
    const void *bias;
    int bias_type;
    int64_t bias_step; // between those of a batch
    const float *scales[2], *c_scale, *d_scale;
    float *amax;
    struct matrix aux; // aux.at NULL: not written
};

struct product {
    int64_t m, n, k, batches;
    struct matrix a, b, c, d;
    struct factor alpha, beta;
    bool has_fast_sums; // of FP8: CUBLASLT_MATMUL_DESC_FAST_ACCUM
    struct epilogue epilogue;
};

// The number one, real and complex.
extern const double product_one[2];

void product_run(const struct product *job);

#endif
