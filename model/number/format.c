// SPDX-License-Identifier: MIT
// The table of formats, and what needs no more than its rows.
#include "format.h"

#include "fields.h"
#include "hopper.h"

static const struct number_format_row formats[NUMBER_FORMATS] = {
    [NUMBER_F16] = {"f16", 16, 5, 10, 0, 1, 0},    [NUMBER_BF16] = {"bf16", 16, 8, 7, 0, 1, 0},
    [NUMBER_TF32] = {"tf32", 32, 8, 10, 13, 1, 0}, [NUMBER_E4M3] = {"e4m3", 8, 4, 3, 0, 0, 0},
    [NUMBER_E5M2] = {"e5m2", 8, 5, 2, 0, 1, 0},    [NUMBER_S8] = {"s8", 8, 0, 0, 0, 0, 1},
    [NUMBER_U8] = {"u8", 8, 0, 0, 0, 0, 0},        [NUMBER_B1] = {"b1", 1, 0, 0, 0, 0, 0},
    [NUMBER_F32] = {"f32", 32, 8, 23, 0, 1, 0},    [NUMBER_S32] = {"s32", 32, 0, 0, 0, 0, 1},
    [NUMBER_S4] = {"s4", 4, 0, 0, 0, 0, 1},        [NUMBER_U4] = {"u4", 4, 0, 0, 0, 0, 0},
    [NUMBER_F64] = {"f64", 64, 11, 52, 0, 1, 0},
};

const struct number_format_row *number_format_row(enum number_format format)
{
    return &formats[format];
}

enum number_class number_classify(enum number_format format, uint32_t bits)
{
    uint32_t magnitude;
    int32_t exponent;
    read_float(&formats[format], bits, &magnitude, &exponent);
    return class_of(exponent);
}

// The upper 16 bits; what is cut off decides the rounding. A carry may reach infinity, as it should.
static uint32_t round_bf16(uint32_t bits)
{
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static uint32_t round_f16(uint32_t bits)
{
    uint32_t sign = bits >> 16 & 0x8000, body = bits & 0x7fffffff;
    if (body >= 0x47800000) return sign | 0x7c00; // 2^16 and more
    int exponent = (int)(body >> 23) - 127, cut = exponent < -14 ? -1 - exponent : 13;
    if (cut > 25) return sign; // less than half of the least subnormal
    uint32_t magnitude = (body & 0x7fffff) | 0x800000, half = (uint32_t)1 << (cut - 1);
    uint32_t kept = magnitude >> cut, rest = magnitude & ((half << 1) - 1);
    kept += rest > half || (rest == half && (kept & 1));
    if (exponent >= -14) kept += (uint32_t)(exponent + 14) << 10; // the hidden bit makes it one more
    return sign | kept;
}

uint32_t number_round(enum number_format format, uint32_t f32)
{
    if (format == NUMBER_F32) return f32;
    if ((f32 & 0x7fffffff) > 0x7f800000) return HOPPER_F16_NAN;
    return format == NUMBER_F16 ? round_f16(f32) : round_bf16(f32);
}
