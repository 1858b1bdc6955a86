// SPDX-License-Identifier: MIT
// The sums of sum.h, eight columns of B side by side: what number_sum_float() and number_sum_integer() give, bit for
// bit, many times as fast. One instruction is one step; several are a chain along K on the same accumulator.
#ifndef TMAREF_NUMBER_LANES_H
#define TMAREF_NUMBER_LANES_H

#include <stddef.h>

#include "sum.h"

enum { NUMBER_LANES = 8 };

// Eight values taken apart. Floats: value[i], exactly (an infinity or NaN: 1 with its sign), with the exponents of
// struct number_terms. Integers: value i is whole[i]; 32 bits of b1 as they are.
struct number_factors {
    float value[NUMBER_LANES];
    union {
        int32_t exponent[NUMBER_LANES], whole[NUMBER_LANES];
    };
};

// Takes eight values of `format` apart; `negate` flips all signs of floats. _groups: `groups` times eight values.
void number_factors_read(enum number_format format, const uint32_t bits[NUMBER_LANES], int negate,
                         struct number_factors *factors);
void number_factors_read_groups(enum number_format format, const uint32_t (*bits)[NUMBER_LANES], size_t groups,
                                int negate, struct number_factors *factors);

// The same of `count` values in memory, `stride_bytes` apart; the others are zeros. Units of b1 have 4 bytes.
void number_factors_load(enum number_format format, int count, const uint8_t *bytes, size_t stride_bytes, int negate,
                         struct number_factors *factors);

// Rows of A times eight columns of B. Memory at multiples of 32 bytes is faster.
//   sum     as for number_sum_float(); also of integers, with terms in units. At most 16 terms of 25 bits each
//   a       of each row and step number_groups(terms) groups of eight terms, the last one filled up with zeros; rows
//           are `a_row` groups apart
//   b       of each step `b_step` terms, each of them of eight columns
//   picks   NULL: term i of A meets term i of B. Else picks[NUMBER_MAX_TERMS * row + i] < b_step says which
struct number_block {
    struct number_sum sum;
    int rows;
    size_t steps, a_row, b_step;
    const struct number_factors *a, *b;
    const uint8_t *picks;
};

// Groups of eight that hold this many terms.
int number_groups(int terms);

// d[row][column] = the accumulator in it and the products of all steps; `d` has block->rows rows. An accumulator of
// zero counts as none.
void number_multiply(const struct number_block *block, uint32_t (*d)[NUMBER_LANES]);

// The same by the instructions that every processor of this kind has; number_multiply() uses AVX2 where it is there.
void number_multiply_portable(const struct number_block *block, uint32_t (*d)[NUMBER_LANES]);

#endif
