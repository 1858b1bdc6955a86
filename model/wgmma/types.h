// SPDX-License-Identifier: MIT
// Which formats a dense wgmma multiplies: the rows of wgmma_op.h, with what the arithmetic needs to know of each
// format. s4, u4 and f64 are formats of mma.sync alone (model/mma).
#ifndef TMAREF_WGMMA_TYPES_H
#define TMAREF_WGMMA_TYPES_H

#include <stdint.h>

#include "wgmma_op.h"

enum wgmma_format {
    WGMMA_F16,
    WGMMA_BF16,
    WGMMA_TF32,
    WGMMA_E4M3,
    WGMMA_E5M2,
    WGMMA_S8,
    WGMMA_U8,
    WGMMA_B1,
    WGMMA_F32,
    WGMMA_S32,
    WGMMA_S4,
    WGMMA_U4,
    WGMMA_F64,
    WGMMA_FORMATS
};

// `size_bits` in memory; of floats the fields, from the top: sign, exponent, fraction, and `ignored_bits` at the bottom
// (tf32). `has_infinity`: the largest exponent is not for numbers; where it is (e4m3), only all ones is NaN.
// `is_signed`: an integer in two's complement.
struct wgmma_format_row {
    const char *ptx;
    int size_bits, exponent_bits, fraction_bits, ignored_bits, has_infinity, is_signed;
};

// `name` as in PTX: "f32.e4m3.e5m2" (D, A, B). `k` elements of A and B make one element of D.
struct wgmma_types_row {
    const char *name;
    enum wgmma_format d, a, b;
    int k;
};

// The row of a format (< WGMMA_FORMATS), and of types (< WGMMA_TYPES_COUNT).
const struct wgmma_format_row *wgmma_format_row(enum wgmma_format format);
const struct wgmma_types_row *wgmma_types_row(enum wgmma_types types);

// s8, u8 and b1 are summed as integers, all others as floats.
int wgmma_is_integer(enum wgmma_types types);

// Only A and B of 16 bits may be MN-major.
int wgmma_may_transpose(enum wgmma_types types);

// Whether PTX has this N: 8 to 256 in steps of 8; for integers and bits above 32 in steps of 16, and 24 but not 40.
int wgmma_n_is_legal(enum wgmma_types types, int n);

// 32-bit registers of D that each thread has: N/2, or N/4 where two f16 share one.
int wgmma_d_registers(enum wgmma_types types, int n);

// The units in which A and B are handed over: elements, or 32 bits at a time of b1.
int wgmma_units(enum wgmma_types types);
int wgmma_unit_bytes(enum wgmma_types types);

#endif
