// SPDX-License-Identifier: MIT
// The slow second model of wgmma's numbers: one element of D by exact arithmetic on long integers, written from
// docs/wgmma.md alone. It shares the names of types with model/wgmma, and no code; it can be told to misread a rule.
#ifndef TMAREF_SLOW_WGMMA_H
#define TMAREF_SLOW_WGMMA_H

#include <stdint.h>

#include "types.h"

// MUTANT(id, what the misreading says): the only list of them. The vectors must notice each.
#define SLOW_WGMMA_MUTANTS(MUTANT)                                                                                     \
    MUTANT(BITS_24, "terms of 16-bit and tf32 inputs keep 24 bits")                                                    \
    MUTANT(BITS_26, "terms of 16-bit and tf32 inputs keep 26 bits")                                                    \
    MUTANT(FP8_BITS_12, "terms of fp8 inputs keep 12 bits")                                                            \
    MUTANT(FP8_BITS_14, "terms of fp8 inputs keep 14 bits")                                                            \
    MUTANT(FP8_BITS_25, "terms of fp8 inputs keep 25 bits, as those of f16")                                           \
    MUTANT(FP8_RESULT_23, "f32 results of fp8 inputs keep 23 fraction bits")                                           \
    MUTANT(C_EXACT, "the accumulator is not cut before the sum")                                                       \
    MUTANT(C_LAST, "the accumulator is added to the rounded sum of the products")                                      \
    MUTANT(TERMS_ROUND, "terms are rounded to the nearest, not cut")                                                   \
    MUTANT(TERMS_FLOOR, "terms are cut toward minus infinity")                                                         \
    MUTANT(F32_ROUND, "f32 results are rounded to the nearest")                                                        \
    MUTANT(F16_CUT, "f16 results are cut toward zero")                                                                 \
    MUTANT(F16_TIES_AWAY, "f16 ties are rounded away from zero")                                                       \
    MUTANT(F16_BY_F32, "f16 results are cut to f32 before they are rounded")                                           \
    MUTANT(ZERO_PRODUCTS, "products that are zero count for the greatest exponent")                                    \
    MUTANT(NORMALISED, "products are normalised before the greatest exponent is taken")                                \
    MUTANT(FLOOR_132, "no sum has an exponent below -132")                                                             \
    MUTANT(FLOOR_134, "no sum has an exponent below -134")                                                             \
    MUTANT(FLUSH_INPUTS, "subnormal inputs are zero")                                                                  \
    MUTANT(FLUSH_RESULTS, "subnormal results are zero")                                                                \
    MUTANT(TF32_KEEPS_LOW, "tf32 inputs keep their low 13 bits")                                                       \
    MUTANT(TF32_CLASS_LOW, "the low 13 bits of tf32 decide between infinity and NaN")                                  \
    MUTANT(NAN_PAYLOAD, "the accumulator's NaN is returned as it is")                                                  \
    MUTANT(NAN_QUIET, "NaN results are 0x7fc00000 and 0x7e00")                                                         \
    MUTANT(INF_TIMES_ZERO, "infinity times zero is zero")                                                              \
    MUTANT(INF_CANCELS, "infinities of both signs give the first one")                                                 \
    MUTANT(NEGATIVE_ZERO, "a sum of negative terms that underflows is -0")                                             \
    MUTANT(OVERFLOW_MOST, "what overflows is the greatest finite number")                                              \
    MUTANT(E4M3_INFINITY, "the largest exponent of e4m3 is not for numbers")                                           \
    MUTANT(SATFINITE_HALF, "satfinite clamps after each 16 products")                                                  \
    MUTANT(SATFINITE_FIRST, "satfinite clamps the products' sum before the accumulator is added")                      \
    MUTANT(SATFINITE_ALWAYS, "integer sums are clamped without satfinite")                                             \
    MUTANT(INTEGER_SIGNED, "u8 is read as s8")                                                                         \
    MUTANT(BITS_XOR, "b1 counts the bits that differ")

enum slow_wgmma_mutant {
    SLOW_WGMMA_RIGHT,
#define MUTANT(id, sentence) SLOW_WGMMA_##id,
    SLOW_WGMMA_MUTANTS(MUTANT)
#undef MUTANT
        SLOW_WGMMA_COUNT
};

// One element: units of A and B as bits (32 bits of b1 at a time), the accumulator (`has_c` 0: none).
struct slow_wgmma {
    enum wgmma_types types;
    uint32_t a[32], b[32], c;
    int has_c, negate, satfinite;
};

uint32_t slow_wgmma(const struct slow_wgmma *element, enum slow_wgmma_mutant mutant);

// "BITS_24: terms ..."
const char *slow_wgmma_mutant_text(enum slow_wgmma_mutant mutant);

#endif
