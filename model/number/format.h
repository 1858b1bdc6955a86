// SPDX-License-Identifier: MIT
// The formats of numbers that the tensor cores multiply and add: their fields, and what bits mean. s4, u4 and f64 are
// formats of mma.sync alone.
#ifndef TMAREF_NUMBER_FORMAT_H
#define TMAREF_NUMBER_FORMAT_H

#include <stdint.h>

enum number_format {
    NUMBER_F16,
    NUMBER_BF16,
    NUMBER_TF32,
    NUMBER_E4M3,
    NUMBER_E5M2,
    NUMBER_S8,
    NUMBER_U8,
    NUMBER_B1,
    NUMBER_F32,
    NUMBER_S32,
    NUMBER_S4,
    NUMBER_U4,
    NUMBER_F64,
    NUMBER_FORMATS
};

// `size_bits` in memory; of floats the fields, from the top: sign, exponent, fraction, and `ignored_bits` at the bottom
// (tf32). `has_infinity`: the largest exponent is not for numbers; where it is (e4m3), only all ones is NaN.
// `is_signed`: an integer in two's complement.
struct number_format_row {
    const char *ptx;
    int size_bits, exponent_bits, fraction_bits, ignored_bits, has_infinity, is_signed;
};

// The row of a format (< NUMBER_FORMATS).
const struct number_format_row *number_format_row(enum number_format format);

// To which of its neighbours a sum that is no number of the format is rounded; of the nearest two to the even one.
enum number_rounding { NUMBER_NEAREST, NUMBER_TOWARD_ZERO, NUMBER_DOWN, NUMBER_UP };

// What a float's bits are.
enum number_class { NUMBER_FINITE, NUMBER_INFINITY, NUMBER_NAN };
enum number_class number_classify(enum number_format format, uint32_t bits);

// An f32 in the format that an epilogue stores: F32 as it is, F16 and BF16 to the nearest, ties to even, as cvt.rn;
// any NaN is then 0x7fff.
//   source   PTX ISA 9.1 "cvt" (#data-movement-and-conversion-instructions-cvt)
uint32_t number_round(enum number_format format, uint32_t f32);

// An element of a matrix; of A the column is k, in units.
struct number_place {
    int row, column;
};

#endif
