// SPDX-License-Identifier: MIT
// The rows of reduce_vectors.tsv: one reduction of one element each, as bits.
#ifndef TMAREF_TESTS_REDUCE_ROWS_H
#define TMAREF_TESTS_REDUCE_ROWS_H

#include <check.h>

#include "reduce.h"
#include "rows.h"

#define REDUCE_ROWS "reduce_vectors.tsv"

struct reduce_row {
    enum reduce_op op;
    enum dtype dtype;
    uint64_t memory, source, result;
    const struct row *row;
};

static inline struct reduce_row reduce_row_at(int i)
{
    const struct row *row = rows_at(REDUCE_ROWS, NULL, i);
    const struct reduce_row of = {reduce_op_find(row->field[0]),
                                  dtype_find(row->field[1]),
                                  row_number(row, 2),
                                  row_number(row, 3),
                                  row_number(row, 4),
                                  row};
    ck_assert_msg(of.op != REDUCE_OPS && of.dtype != DTYPE_COUNT, "%s: no operation %s of %s", row->where,
                  row->field[0], row->field[1]);
    return of;
}

#endif
