// SPDX-License-Identifier: MIT
// What descriptors of cuBLASLt hold. A program may keep one itself, in the bytes that cublasLt.h gives it: they must
// fit.
#ifndef TMAREF_BLAS_LT_H
#define TMAREF_BLAS_LT_H

#include "blas.h"

// cublasLtMatrixLayout_t; order 0 is by columns, 1 by rows.
struct blas_layout {
    int type, order;
    uint64_t rows, columns;
    int64_t leading;
    int batches, unused;
    int64_t batch_step, plane_offset;
};

enum lt_scale { LT_SCALE_A, LT_SCALE_B, LT_SCALE_C, LT_SCALE_D, LT_SCALES };

// cublasLtMatmulDesc_t. Types are -1 where none was set.
struct blas_descriptor {
    int compute_type, scale_type, pointer_mode, operation[3], fill_mode, epilogue;
    const void *bias;
    int64_t bias_batch_step;
    void *aux;
    int64_t aux_leading, aux_batch_step, alpha_batch_step;
    const float *scale[LT_SCALES];
    float *amax, *aux_scale, *aux_amax;
    int aux_type, bias_type, multiprocessors, scale_mode[LT_SCALES + 1];
    int8_t has_fast_sums;
};

// cublasLtMatmulPreference_t, which chooses nothing here.
enum { LT_PREFERENCES = 16 };
struct blas_preference {
    uint64_t value[LT_PREFERENCES];
};

_Static_assert(sizeof(struct blas_layout) <= 8 * sizeof(uint64_t), "cublasLtMatrixLayoutOpaque_t");
_Static_assert(sizeof(struct blas_descriptor) <= 32 * sizeof(uint64_t), "cublasLtMatmulDescOpaque_t");

#endif
