// SPDX-License-Identifier: MIT
// What im2col loads and stores check alike, beside transfer_check.h: where the walk starts. Private to model/tma.
#ifndef TMAREF_IM2COL_CHECK_H
#define TMAREF_IM2COL_CHECK_H

#include "im2col.h"
#include "transfer_check.h"

// The 715 fault of the start coordinates: rule IM2COL_START.
static inline void im2col_check_start(struct transfer_report *report, const struct im2col *column)
{
    int k;
    if (im2col_start_in_box(column, &k)) return;
    int64_t start = column->start[k], nearest = start < column->lower[k] ? column->lower[k] : column->upper[k];
    transfer_broken(report, (struct finding){RULE_IM2COL_START, "tensorCoords", column->spatial + k, 1, (uint64_t)start,
                                             (uint64_t)nearest, (uint64_t)nearest});
}

#endif
