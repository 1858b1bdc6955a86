// SPDX-License-Identifier: MIT
// The slow second model of mma.sync's numbers: one element of D, written from docs/mma.md alone (of a sparse form, of
// the elements that meet). Sums of 16-bit and tf32 inputs are those of the slow wgmma, padded with zeros; f64 is done
// on long integers; fp8 and its additions go through doubles. It shares the names of forms with model/mma, and no code;
// it can be told to misread a rule.
#ifndef TMAREF_SLOW_MMA_H
#define TMAREF_SLOW_MMA_H

#include <stdint.h>

#include "mma_op.h"
#include "types.h"

// MUTANT(id, what the misreading says): the only list of them. The vectors must notice each.
#define SLOW_MMA_MUTANTS(MUTANT)                                                                                       \
    MUTANT(HALVES, "m16n8k16 of 16 bits is two sums of 8 products, one after the other")                               \
    MUTANT(FP8_AS_WGMMA, "fp8 is one sum of 13 bits, as in wgmma")                                                     \
    MUTANT(FP8_K_HALVES, "the two sums of fp8 are those of the lower and the upper half of K")                         \
    MUTANT(FP8_SWAPPED, "the last two of each four elements are summed first")                                         \
    MUTANT(FP8_C_FIRST, "C is the accumulator of the first sum of fp8")                                                \
    MUTANT(FP8_C_CUT, "C is added to the sums of fp8 with a cut toward zero")                                          \
    MUTANT(FP8_APART, "the two sums of fp8 are rounded apart and then added")                                          \
    MUTANT(FP8_FLUSH, "subnormal fp8 are zero")                                                                        \
    MUTANT(FP8_E4M3_INFINITY, "the largest exponent of e4m3 is infinity")                                              \
    MUTANT(SATFINITE_HALF, "satfinite clamps after each half of K")                                                    \
    MUTANT(SATFINITE_FIRST, "satfinite clamps the products before C is added")                                         \
    MUTANT(INTEGER_UNSIGNED, "s8 and s4 are read as u8 and u4")                                                        \
    MUTANT(BITS_AND, "b1 counts the bits that both have, whatever the operation")                                      \
    MUTANT(BITS_XOR, "b1 counts the bits that differ, whatever the operation")                                         \
    MUTANT(F64_DESCENDING, "f64 goes through k from the end")                                                          \
    MUTANT(F64_UNFUSED, "products of f64 are rounded before they are added")                                           \
    MUTANT(F64_ONE_SUM, "f64 is one exact sum, rounded once")                                                          \
    MUTANT(F64_NAN_A_FIRST, "of several f64 NaNs that of A wins")                                                      \
    MUTANT(F64_NAN_C_FIRST, "of several f64 NaNs that of the sum so far wins")                                         \
    MUTANT(F64_NAN_SIGNALS, "an f64 NaN is passed on as it is")                                                        \
    MUTANT(F64_NAN_MADE, "an f64 NaN that is made is 0x7fff...")

enum slow_mma_mutant {
    SLOW_MMA_RIGHT,
#define MUTANT(id, sentence) SLOW_MMA_##id,
    SLOW_MMA_MUTANTS(MUTANT)
#undef MUTANT
        SLOW_MMA_COUNT
};

// One element: units of A and B as bits (32 bits of b1 at a time), and that of C.
struct slow_mma {
    enum mma_form form;
    uint64_t a[64], b[64], c;
};

uint64_t slow_mma(const struct slow_mma *element, enum slow_mma_mutant mutant);

// a * b + c to nearest even, by long integers; none of them NaN or infinite.
uint64_t slow_fma(uint64_t a, uint64_t b, uint64_t c);

// "HALVES: m16n8k16 ..."
const char *slow_mma_mutant_text(enum slow_mma_mutant mutant);

#endif
