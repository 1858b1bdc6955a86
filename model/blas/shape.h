// SPDX-License-Identifier: MIT
// Matrices of which a part is stored: a triangle, a packed triangle, or a band. The names of the layouts are BLAS's.
#ifndef TMAREF_BLAS_SHAPE_H
#define TMAREF_BLAS_SHAPE_H

#include "dense.h"
#include "numbers.h"

enum shape_kind { SHAPE_TRIANGLE, SHAPE_PACKED, SHAPE_BAND };

// What stands where nothing is stored: 0, or what the other triangle has there.
enum shape_rest { REST_ZERO, REST_MIRROR, REST_ADJOINT };

struct shape {
    void *at;
    int type;
    enum shape_kind kind;
    enum shape_rest rest;
    bool is_lower, is_unit;
    int64_t rows, columns, leading;
    int64_t below, above; // diagonals of a band
};

// The index of a stored element; -1 of the others.
int64_t shape_place(const struct shape *shape, int64_t row, int64_t column);

// All of it, and NULL at `at` if there is no memory.
struct dense shape_read(const struct shape *shape);

// From its first stored element to its last.
size_t shape_bytes(const struct shape *shape);

#endif
