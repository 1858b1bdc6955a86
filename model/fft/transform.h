// SPDX-License-Identifier: MIT
// The discrete Fourier transform of one row of any length, in double precision: by its prime factors, or where one of
// them is large by a convolution (Bluestein) whose length is a power of two.
#ifndef TMAREF_FFT_TRANSFORM_H
#define TMAREF_FFT_TRANSFORM_H

#include <stddef.h>
#include <stdint.h>

struct complex_number {
    double re, im;
};

struct transform;

// NULL if there is no memory. `length` is at least 1.
struct transform *transform_new(size_t length);
void transform_free(struct transform *transform);

// to[k] = sum of from[j] exp(sign 2 pi i j k / length), where `sign` is -1 (forward) or 1. The rows do not
// overlap; `from` is lost.
void transform_run(const struct transform *transform, struct complex_number *from, struct complex_number *to, int sign);

#endif
