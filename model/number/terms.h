// SPDX-License-Identifier: MIT
// The factors of a sum taken apart: a row of A or a column of B as exact vectors of sign, magnitude and exponent.
#ifndef TMAREF_NUMBER_TERMS_H
#define TMAREF_NUMBER_TERMS_H

#include <stdint.h>

#include "format.h"

// Units of A or B that one element of D takes, at most.
enum { NUMBER_MAX_TERMS = 32 };

// A row of A or a column of B, taken apart once for the many products it is in. Floats: the value of unit i is
// (-1)^(sign[i] != 0) * magnitude[i] * 2^(exponent[i] - fraction bits of the format); `sign` is 0 or -1. A zero, an
// infinity and a NaN have exponents of their own; `is_special`: there is one of the latter two. Integers: the value in
// magnitude[i], two's complement; 32 bits of b1 as they are.
struct number_terms {
    uint32_t magnitude[NUMBER_MAX_TERMS];
    int32_t exponent[NUMBER_MAX_TERMS], sign[NUMBER_MAX_TERMS];
    int is_special;
};

// The exponent of a zero is below, those of infinities and NaNs are above any sum of exponents of numbers, and stay so
// when another exponent is added.
enum { NUMBER_ZERO_EXPONENT = -4096, NUMBER_INFINITE_EXPONENT = 1 << 14, NUMBER_NAN_EXPONENT };

// Takes `count` units of `format`, at most NUMBER_MAX_TERMS, apart; `negate` flips all signs (imm-scale -1).
void number_terms_read(enum number_format format, int count, const uint32_t *bits, int negate,
                       struct number_terms *vector);

#endif
