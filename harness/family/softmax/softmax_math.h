// SPDX-License-Identifier: MIT
// The arithmetic of attention over a part of the keys, as kernels/softmax.cu does it, to the bit.
#ifndef TMAREF_SOFTMAX_MATH_H
#define TMAREF_SOFTMAX_MATH_H

#include "softmax_job.h"

// A state: the greatest score, the sum of weights, the weighted sum of values; the first dims of `sum` count.
struct softmax_state {
    float m, l, zero[2], sum[SOFTMAX_MAX_DIMS];
};

// A row: a query, `count` keys and values, bits of bf16, and who takes them: `parts` CTAs of `threads` threads.
struct softmax_row {
    uint32_t dims, count, parts, threads;
    float scale;
    const uint16_t *query, *keys, *values;
};

// 2^x for x <= 0; 0 below SOFTMAX_EXP2_LEAST and for NaN. Rounds to nearest even where its caller does.
float softmax_exp2(float x);

// What CTA `part` finds; {-infinity, 0, ..., 0} if it has no key.
struct softmax_state softmax_part(const struct softmax_row *row, uint32_t part);

// The result of a row whose parts have these states: dims numbers.
void softmax_out(const struct softmax_state *states, uint32_t parts, uint32_t dims, float *out);

#endif
