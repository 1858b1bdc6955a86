// SPDX-License-Identifier: MIT
// One ldmatrix or stmatrix as data, and what it means to the model.
#ifndef TMAREF_MATRIX_CASE_H
#define TMAREF_MATRIX_CASE_H

#include "family.h"
#include "matrix.h"
#include "matrix_job.h"

// `address`: the operand of each lane. `seed` decides what shared memory and registers hold before.
struct matrix_case {
    enum matrix_form form;
    uint32_t seed, address[MATRIX_LANES];
};

struct matrix_form_row {
    const char *name;
    bool is_store;
    int count;
    bool is_trans;
};

// Row `form` < MATRIX_FORM_COUNT.
const struct matrix_form_row *matrix_form_row(enum matrix_form form);

#endif
