// SPDX-License-Identifier: MIT
// A whole execution of a plan: every batch, along every dimension.
#ifndef TMAREF_FFT_GRID_H
#define TMAREF_FFT_GRID_H

#include "fft.h"

struct grid_job {
    struct fft_plan plan;
    const void *from;
    void *to;
    int sign; // of the exponent: -1 is forward
};

// How many elements there are along a dimension of one side: of the last one of a complex side of real data, half.
int64_t grid_count(const struct fft_plan *plan, const struct fft_side *side, int dimension);

// The plan of rows without a layout of the program's, for data that is transformed in its place or not.
void grid_pack(struct fft_plan *plan, bool is_in_place);

// The bytes of one side from its first element on.
size_t grid_bytes(const struct fft_plan *plan, const struct fft_side *side);

// Runs a struct grid_job.
void grid_run(void *job);

#endif
