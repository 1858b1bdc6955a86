// SPDX-License-Identifier: MIT
// One element of D, of one instruction and of a chain of them along K: what a GEMM leaves. It depends on its row of A
// and its column of B alone, whatever the tiles, the warpgroup or the N of the instructions.
#ifndef TMAREF_CHAIN_H
#define TMAREF_CHAIN_H

#include <stddef.h>

#include "lanes.h"
#include "types.h"

// One element of D of a wgmma.
//   c          the accumulator's bits, in D's format; NULL: none (scale-d is 0)
//   satfinite  integers: clamp the sum to 32 bits instead of wrapping it
//   returns    the bits of the element, 16 or 32 of them
uint32_t wgmma_dot(enum wgmma_types types, const struct number_terms *a, const struct number_terms *b,
                   const uint32_t *c, int satfinite);

// Fraction bits of a wgmma's sum below its greatest exponent: 25, or 13 for fp8 inputs.
int wgmma_sum_bits(enum wgmma_types types);

// The sum that one instruction makes of each element.
struct number_sum wgmma_sum(enum wgmma_types types, int satfinite);

// Instructions of a chain over `k` elements; the last one's missing elements are zeros, as a load out of bounds gives.
size_t wgmma_chain_steps(enum wgmma_types types, uint64_t k);

// Takes one row of A (operand 0) or column of B (1) apart: `k` elements of 8 bits or more at `bytes`, one behind the
// other, into wgmma_chain_steps() vectors.
void wgmma_chain_read(enum wgmma_types types, int operand, uint64_t k, const uint8_t *bytes,
                      struct number_terms *vectors);

// One element of D after `steps` instructions in ascending K, the first without an accumulator unless `c` is one. `a`
// and `b` have a vector for each instruction.
uint32_t wgmma_chain_dot(enum wgmma_types types, size_t steps, const struct number_terms *a,
                         const struct number_terms *b, const uint32_t *c);

// --- Eight columns at a time -----------------------------------------------------------------------------------------
// The same chains by number_multiply(), for operands anywhere in memory: what a matrix product in plain arrays calls.
// Of `k` elements, `k_bytes` apart in memory, a row of A is wgmma_chain_row() factors, and eight columns of B are
// wgmma_chain_columns().
size_t wgmma_chain_row(enum wgmma_types types, uint64_t k);
size_t wgmma_chain_columns(enum wgmma_types types, uint64_t k);

// `row` has room for wgmma_chain_row() factors.
void wgmma_chain_read_row(enum wgmma_types types, uint64_t k, const uint8_t *bytes, size_t k_bytes,
                          struct number_factors *row);

// `count` columns, `column_bytes` apart; those that are missing to eight are zeros. `columns` has room for
// wgmma_chain_columns() factors.
void wgmma_chain_read_columns(enum wgmma_types types, uint64_t k, int count, const uint8_t *bytes, size_t column_bytes,
                              size_t k_bytes, struct number_factors *columns);

// Instructions `first` .. `first` + `steps` - 1 of the chain, for `rows` rows that were read one behind the other.
struct number_block wgmma_chain_block(enum wgmma_types types, uint64_t k, int rows, const struct number_factors *a,
                                      const struct number_factors *b, size_t first, size_t steps);

#endif
