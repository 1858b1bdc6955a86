// SPDX-License-Identifier: MIT
// What lanes.c and its faster ways share. For the other files of this folder alone.
#ifndef TMAREF_NUMBER_LANES_WAY_H
#define TMAREF_NUMBER_LANES_WAY_H

#include <stdbool.h>

#include "tiles.h"

#if defined __x86_64__ && defined __GNUC__
#define NUMBER_HAS_AVX2 1
#endif

#pragma GCC visibility push(hidden)

// The greatest exponents of a sum that a float's powers of two align. A product below 2^-126, which a float may round,
// is below a unit of every such sum; none reaches 2^127.
enum { LANES_LEAST = -100, LANES_MOST = 125 };
// What is below this is the exponent of zeros alone, even of two of them.
enum { LANES_ZERO = -2000 };

// Steps that are done for all rows before the next ones: their part of B stays in the nearest cache.
enum { LANES_PART_STEPS = 8 };

// Some steps of all rows: the factors of the first row, and those of B.
struct lanes_part {
    const struct number_block *block;
    const struct number_factors *a, *b;
    size_t steps;
};

// One step of one lane of floats, without any limit.
uint32_t lanes_plain(const struct number_sum *sum, const struct number_factors *a, const struct number_factors *b,
                     const uint8_t *picks, int lane, uint32_t c);

// The ways of tiles.h that every processor has.
void tiles_read_rows_plain(const struct number_bytes *of, int rows, struct number_factors *factors);
void tiles_read_columns_plain(const struct number_bytes *of, struct number_factors *factors);
void tiles_multiply_pairs_plain(const struct number_block *block, uint32_t (*d)[NUMBER_LANES]);

// With a processor that has AVX2 and F16C: d[row] = the accumulators and the products of a part's steps.
bool lanes_have_avx2(void);
void lanes_add_floats_avx2(const struct lanes_part *part, uint32_t (*d)[NUMBER_LANES]);
void lanes_read_avx2(enum number_format format, const uint32_t (*bits)[NUMBER_LANES], size_t groups, int negate,
                     struct number_factors *factors);
void tiles_read_rows_avx2(const struct number_bytes *of, int rows, struct number_factors *factors);
void tiles_read_columns_avx2(const struct number_bytes *of, struct number_factors *factors);
void tiles_multiply_pairs_avx2(const struct number_block *block, uint32_t (*d)[NUMBER_LANES]);

extern const uint8_t lanes_in_order[NUMBER_MAX_TERMS];

#pragma GCC visibility pop

#endif
