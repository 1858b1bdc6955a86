// SPDX-License-Identifier: MIT
// Operands of a tile as bytes, with K along the rows of A and along the columns of B, taken apart for
// number_multiply(): as wgmma and mma.sync have them. For model/ alone.
#ifndef TMAREF_NUMBER_TILES_H
#define TMAREF_NUMBER_TILES_H

#include "lanes.h"

#pragma GCC visibility push(hidden)

// In what order units become factors, and as what.
enum number_reading {
    NUMBER_IN_ORDER,
    NUMBER_AS_F16, // fp8 as the f16 of the same value
    NUMBER_SPLIT,  // the same, and of each four units the first two are in a first step, the others in a second one
    NUMBER_PAIRS   // integers of 4 and 8 bits, two in each word of 32 bits: for number_multiply_pairs()
};

// `units` of each row of A or column of B (of b1 32 bits count as one), `pitch` bytes apart. They fill 16 bytes, or a
// multiple. A row of A has 32 bytes at least, zeros behind its units. `negate`: flip the signs of floats.
struct number_bytes {
    enum number_format format;
    enum number_reading reading;
    int units, negate;
    const uint8_t *bytes;
    size_t pitch;
};

// Groups of factors that a row of A becomes, those of a first step before those of a second one.
int number_row_groups(const struct number_bytes *of);

// `rows` rows of A; eight columns of B, which become a factor for each unit, or for each two in pairs. The caller has
// set the floating-point environment (float_environment.h): to read a subnormal factor is an exception.
void number_read_rows(const struct number_bytes *of, int rows, struct number_factors *factors);
void number_read_columns(const struct number_bytes *of, struct number_factors *factors);

// The same number in f16, exactly.
uint32_t number_fp8_as_f16(enum number_format format, uint32_t bits);

// number_multiply() of pairs: block->sum.terms of them in each step. There are no picks.
void number_multiply_pairs(const struct number_block *block, uint32_t (*d)[NUMBER_LANES]);

#pragma GCC visibility pop

#endif
