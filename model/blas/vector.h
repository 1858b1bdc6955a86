// SPDX-License-Identifier: MIT
// Vectors of the calls of levels 1 and 2.
#ifndef TMAREF_BLAS_VECTOR_H
#define TMAREF_BLAS_VECTOR_H

#include "blas.h"

// `count` elements, `step` apart; with a negative step the first one lies last.
struct vector {
    const void *at;
    int type;
    int64_t count, step;
};

// A matrix of one column, or of one row.
struct matrix vector_column(const struct vector *vector);
struct matrix vector_row(const struct vector *vector);

// The matrix whose one element is 1, and the factor 1, beside matrices of `type`.
struct matrix vector_unit(int type);
struct factor vector_factor_one(void);

// Where a call leaves a number: on the host once it returns, or on the device when the stream comes to it.
enum cublas_status vector_result(const char *call, const struct blas_handle *handle, enum cublas_status status);

#endif
