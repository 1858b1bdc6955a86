// SPDX-License-Identifier: MIT
// Systems of sparse equations, by elimination row after row. Each row takes its pivot on the diagonal unless that is
// less than a tenth of the greatest number of the row.
#ifndef TMAREF_SOLVER_SPARSE_ROWS_H
#define TMAREF_SOLVER_SPARSE_ROWS_H

#include "dense.h"

// A square matrix by rows. Offsets and columns count from `base` on; ends: where each row ends, offsets + 1 as a rule.
struct sparse_rows {
    int64_t n;
    int base, type;
    const int *offsets, *ends, *columns;
    const void *values;
};

enum { SPARSE_SOLVED = -1, SPARSE_NO_MEMORY = -2 };

// x, which is b before, becomes the solution. Returns the row, from 0 on, whose pivots are all of `tolerance` or less;
// of a definite matrix, whose pivot is not on the diagonal and greater.
int64_t sparse_rows_solve(const struct sparse_rows *a, double tolerance, bool is_definite, struct complex_number *x);

// The order of Cuthill and McKee, from its end: neighbours come near each other. 0: there is no memory.
bool sparse_rows_order(const struct sparse_rows *a, int64_t *order);

// The first row whose offsets or columns leave the matrix; -1 if none does.
int64_t sparse_rows_fault(const struct sparse_rows *a);

#endif
