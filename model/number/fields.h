// SPDX-License-Identifier: MIT
// How the bits of a float fall into fields. For the other files of this folder alone.
#ifndef TMAREF_NUMBER_FIELDS_H
#define TMAREF_NUMBER_FIELDS_H

#include <stdbool.h>

#include "terms.h"

static inline uint32_t low_bits(int count)
{
    return ((uint32_t)1 << count) - 1;
}

// A float's bits as magnitude and exponent; subnormals keep the least exponent and have no hidden bit. No branch, so
// that compilers do many side by side.
static inline void read_float(const struct number_format_row *row, uint32_t bits, uint32_t *magnitude,
                              int32_t *exponent)
{
    uint32_t all = low_bits(row->exponent_bits + row->fraction_bits), body = bits >> row->ignored_bits & all;
    uint32_t fraction = body & low_bits(row->fraction_bits), top = low_bits(row->exponent_bits);
    int32_t field = (int32_t)(body >> row->fraction_bits), is_subnormal = field == 0;
    bool is_special = row->has_infinity ? field == (int32_t)top : body == all;
    int32_t special = row->has_infinity && fraction == 0 ? NUMBER_INFINITE_EXPONENT : NUMBER_NAN_EXPONENT;
    int32_t finite =
        body == 0 ? NUMBER_ZERO_EXPONENT : field + is_subnormal - (int32_t)low_bits(row->exponent_bits - 1);
    *magnitude = fraction | (uint32_t)(1 - is_subnormal) << row->fraction_bits;
    *exponent = is_special ? special : finite;
}

static inline enum number_class class_of(int32_t exponent)
{
    return exponent < NUMBER_INFINITE_EXPONENT ? NUMBER_FINITE
           : exponent == NUMBER_NAN_EXPONENT   ? NUMBER_NAN
                                               : NUMBER_INFINITY;
}

// The integer in the lowest bits of a unit, two's complement: what is above its size is not read. A unit of b1 is 32
// bits.
static inline uint32_t read_integer(const struct number_format_row *row, uint32_t bits)
{
    const int above = row->size_bits == 1 ? 0 : 32 - row->size_bits;
    return row->is_signed ? (uint32_t)((int32_t)(bits << above) >> above) : bits << above >> above;
}

static inline int32_t sign_of(const struct number_format_row *row, uint32_t bits)
{
    return -(int32_t)(bits >> (row->size_bits - 1) & 1);
}

#endif
