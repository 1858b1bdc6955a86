// SPDX-License-Identifier: MIT
// The calls of matrices of which a part is stored: their jobs, and what is checked before.
#ifndef TMAREF_BLAS_SHAPED_H
#define TMAREF_BLAS_SHAPED_H

#include "blas.h"
#include "shape.h"
#include "vector.h"

// Who calls, with which handle, and of which type the numbers are.
struct shaped_call {
    const char *name;
    void *handle;
    int type;
};

// One of the two factors of `product` is op(shape): the first, or with is_right the second. It becomes this when the
// job runs; the other factor may be what the product writes.
enum cublas_status shaped_multiply(const struct shaped_call *call, const struct shape *shape, int operation,
                                   bool is_right, const struct product *product);

// x becomes op(shape)^-1 x.
enum cublas_status shaped_solve(const struct shaped_call *call, const struct shape *shape, int operation,
                                const struct vector *x);

// The stored part of C becomes alpha A B + beta C. With is_second, plus the same with A and B exchanged, and alpha
// conjugate where C is Hermitian. A is op(a), and B op(b) turned, adjoint where C is Hermitian.
struct rank_update {
    struct shape c;
    int operation;
    bool is_second;
    int64_t depth; // columns of op(a)
    struct matrix a, b;
    const void *alpha, *beta; // as the call has them; beta NULL: 1
    int alpha_type, beta_type;
};

enum cublas_status shaped_update(const struct shaped_call *call, const struct rank_update *update);

// Sizes, steps and pointers that a call may not have. `names` says what they are; INVALID_VALUE if not is_allowed.
enum cublas_status shaped_check(const struct shaped_call *call, bool is_allowed, const char *what);

#endif
