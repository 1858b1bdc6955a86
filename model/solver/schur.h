// SPDX-License-Identifier: MIT
// A = Q T Q^H with a triangle T, whose diagonal has the eigenvalues of A.
#ifndef TMAREF_SOLVER_SCHUR_H
#define TMAREF_SOLVER_SCHUR_H

#include "dense.h"

// A becomes T; Q is a matrix of the same size. Returns 0, or how many eigenvalues were not found.
int64_t schur(struct dense *a, struct dense *q);

// The columns of Q become the eigenvectors of Q T Q^H, of length 1, the greatest number of each real.
// Returns 0 if there is no memory.
bool schur_vectors(const struct dense *t, struct dense *q);

#endif
