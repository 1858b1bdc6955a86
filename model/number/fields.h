// SPDX-License-Identifier: MIT
// How the bits of a float fall into fields. For the other files of this folder alone.
#ifndef TMAREF_NUMBER_FIELDS_H
#define TMAREF_NUMBER_FIELDS_H

#include "terms.h"

static inline uint32_t low_bits(int count)
{
    return ((uint32_t)1 << count) - 1;
}

// A float's bits as magnitude and exponent; subnormals keep the least exponent and have no hidden bit.
static inline void read_float(const struct number_format_row *row, uint32_t bits, uint32_t *magnitude,
                              int32_t *exponent)
{
    uint32_t body = bits >> row->ignored_bits & low_bits(row->exponent_bits + row->fraction_bits);
    int32_t bias = (int32_t)low_bits(row->exponent_bits - 1), field = (int32_t)(body >> row->fraction_bits);
    *magnitude = body & low_bits(row->fraction_bits);
    if (field != 0) *magnitude |= (uint32_t)1 << row->fraction_bits;
    *exponent = (field == 0 ? 1 : field) - bias;
    if (*magnitude == 0) *exponent = NUMBER_ZERO_EXPONENT;
}

static inline int32_t sign_of(const struct number_format_row *row, uint32_t bits)
{
    return -(int32_t)(bits >> (row->size_bits - 1) & 1);
}

#endif
