// SPDX-License-Identifier: MIT
#include "number.h"

enum { MAGNITUDE = 0x7fffffff, INFINITY_BITS = 0x7f800000 };

static uint32_t f32_of_f16(uint32_t bits)
{
    uint32_t sign = (bits & 0x8000) << 16, exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
    if (exponent == 31) return sign | INFINITY_BITS | fraction << 13;
    if (exponent > 0) return sign | (exponent + 112) << 23 | fraction << 13;
    if (fraction == 0) return sign;
    for (exponent = 113; (fraction & 0x400) == 0; exponent--) fraction <<= 1;
    return sign | exponent << 23 | (fraction & 0x3ff) << 13;
}

static uint32_t f32_of(enum number_format format, uint32_t bits)
{
    return format == NUMBER_F16 ? f32_of_f16(bits) : format == NUMBER_BF16 ? bits << 16 : bits;
}

uint32_t number_convert(enum number_format from, enum number_format to, bool is_cut, uint32_t bits)
{
    const uint32_t f32 = f32_of(from, bits), nearest = number_round(to, f32);
    if (!is_cut) return nearest;
    if (to == NUMBER_BF16) return f32 >> 16;
    const bool is_outward = (f32_of(to, nearest) & MAGNITUDE) > (f32 & MAGNITUDE);
    return nearest - (uint32_t)(is_outward && number_classify(NUMBER_F32, f32) != NUMBER_NAN);
}
