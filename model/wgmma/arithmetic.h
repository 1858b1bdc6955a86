// SPDX-License-Identifier: MIT
// The numbers of wgmma: one element of D from the products of a row of A and a column of B and the accumulator, bit for
// bit as an H200 gives it. PTX promises neither the order of the sum nor its rounding; docs/wgmma.md says what is done.
#ifndef TMAREF_WGMMA_ARITHMETIC_H
#define TMAREF_WGMMA_ARITHMETIC_H

#include <stdint.h>

#include "types.h"

// Units of A or B that one element of D takes, at most.
enum { WGMMA_MAX_UNITS = 32 };

// A row of A or a column of B, taken apart once for the many products it is in. Floats: the value of unit i is
// (-1)^(sign[i] != 0) * magnitude[i] * 2^(exponent[i] - fraction bits of the format); `sign` is 0 or -1, and a zero has
// the exponent WGMMA_ZERO_EXPONENT. `is_special`: there is a NaN or an infinity, which then `bits` tells. Integers:
// the value in magnitude[i], two's complement; 32 bits of b1 as they are.
struct wgmma_vector {
    uint32_t magnitude[WGMMA_MAX_UNITS];
    int32_t exponent[WGMMA_MAX_UNITS], sign[WGMMA_MAX_UNITS];
    uint32_t bits[WGMMA_MAX_UNITS];
    int is_special;
};

enum { WGMMA_ZERO_EXPONENT = -4096 };

// What an element's bits are.
enum wgmma_class { WGMMA_NUMBER, WGMMA_INFINITY, WGMMA_NAN };
enum wgmma_class wgmma_classify(enum wgmma_format format, uint32_t bits);

// Takes `count` units of `format` apart; `negate` flips all signs (imm-scale -1).
void wgmma_vector_read(enum wgmma_format format, int count, const uint32_t *bits, int negate,
                       struct wgmma_vector *vector);

// The units picks[0] .. picks[count - 1] of vectors that follow each other, WGMMA_MAX_UNITS units each. `is_special`
// may then be set without cause.
void wgmma_vector_pick(const struct wgmma_vector *from, const uint8_t *picks, int count, struct wgmma_vector *vector);

// One sum of floats: the formats of the accumulator (and result), of A and of B, `terms` products, and how many
// fraction bits below its greatest exponent each term keeps. An f32 result keeps no more of them than the sum.
struct wgmma_sum {
    enum wgmma_format d, a, b;
    int terms, sum_bits;
};
enum { WGMMA_SUM_BITS = 25, WGMMA_SUM_BITS_FP8 = 13 };

// No sum has a smaller exponent than this one, whatever its terms.
enum { WGMMA_SUM_FLOOR = -133 };

// The products and the accumulator `c` (its bits; NULL: none), summed and rounded: the bits of the element.
uint32_t wgmma_sum_float(const struct wgmma_sum *sum, const struct wgmma_vector *a, const struct wgmma_vector *b,
                         const uint32_t *c);

// The exact sum of `units` products of integers; of b1 the number of bits that both have in `units` words.
int64_t wgmma_sum_integer(enum wgmma_format format, int units, const struct wgmma_vector *a,
                          const struct wgmma_vector *b);

// Such a sum with its accumulator as 32 bits: wrapped, or clamped.
uint32_t wgmma_result_integer(int64_t sum, int satfinite);

// One element of D of a wgmma.
//   c          the accumulator's bits, in D's format; NULL: none (scale-d is 0)
//   satfinite  integers: clamp the sum to 32 bits instead of wrapping it
//   returns    the bits of the element, 16 or 32 of them
uint32_t wgmma_dot(enum wgmma_types types, const struct wgmma_vector *a, const struct wgmma_vector *b,
                   const uint32_t *c, int satfinite);

// Fraction bits of a wgmma's sum below its greatest exponent: 25, or 13 for fp8 inputs.
int wgmma_sum_bits(enum wgmma_types types);

#endif
