// SPDX-License-Identifier: MIT
// Sums of products as the tensor cores of an H200 make them, bit for bit: one element of D from a row of A, a column of
// B and the accumulator. PTX promises neither the order of a sum nor its rounding; docs/wgmma.md says what is done.
#ifndef TMAREF_NUMBER_SUM_H
#define TMAREF_NUMBER_SUM_H

#include "hopper.h"
#include "terms.h"

// One sum of floats: the formats of the accumulator (and result), of A and of B, `terms` products, and how many
// fraction bits below its greatest exponent each term keeps. An f32 result keeps no more of them than the sum.
// Integers: `satfinite` clamps to 32 bits.
struct number_sum {
    enum number_format d, a, b;
    int terms, sum_bits, satfinite;
};
// How many bits an H200 keeps is in hopper.h.

// The products and the accumulator `c` (its bits; NULL: none), summed and rounded: the bits of the element.
uint32_t number_sum_float(const struct number_sum *sum, const struct number_terms *a, const struct number_terms *b,
                          const uint32_t *c);

// The exact sum of `units` products of integers; of b1 the number of bits that both have in `units` words.
int64_t number_sum_integer(enum number_format format, int units, const struct number_terms *a,
                           const struct number_terms *b);

// Such a sum with its accumulator as 32 bits: wrapped, or clamped.
uint32_t number_result_integer(int64_t sum, int satfinite);

#endif
