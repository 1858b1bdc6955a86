// SPDX-License-Identifier: MIT
#include "number.h"

enum { F32_INFINITY = 0x7f800000, F16_INFINITY = 0x7c00 };

// `bits` without its lowest `drop` ones, to nearest even.
static uint32_t round_off(uint32_t bits, int drop)
{
    uint32_t half = 1u << (drop - 1), kept = bits >> drop;
    return kept + ((bits & (2 * half - 1)) > half || ((bits & (2 * half - 1)) == half && (kept & 1)));
}

static uint32_t cut_off(uint32_t bits, int drop)
{
    return bits >> drop;
}

static int is_nan(uint32_t bits)
{
    return (bits & 0x7fffffff) > F32_INFINITY;
}

uint32_t number_bf16_cut_of_f32(uint32_t bits)
{
    return bits >> 16;
}

uint32_t number_bf16_of_f32(uint32_t bits)
{
    return is_nan(bits) ? 0x7fff : round_off(bits, 16);
}

// float16 has 5 bits of exponent and 10 of fraction: below 2^-14 the fraction is shorter.
static uint32_t f16_of_f32(uint32_t bits, uint32_t (*shorten)(uint32_t bits, int drop))
{
    uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    int exponent = (int)(magnitude >> 23) - 127;
    if (is_nan(bits)) return 0x7fff;
    if (exponent > 15) return sign | F16_INFINITY;
    if (exponent >= -14) return sign + shorten(magnitude - (112u << 23), 13);
    if (exponent < -25) return sign;
    return sign + shorten((magnitude & 0x7fffff) | 0x800000, -exponent - 1);
}

uint32_t number_f16_of_f32(uint32_t bits)
{
    return f16_of_f32(bits, round_off);
}

uint32_t number_f16_cut_of_f32(uint32_t bits)
{
    return f16_of_f32(bits, cut_off);
}

uint32_t number_f32_of_bf16(uint32_t bits)
{
    return bits << 16;
}

uint32_t number_f32_of_f16(uint32_t bits)
{
    uint32_t sign = (bits & 0x8000) << 16, exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
    if (exponent == 31) return sign | F32_INFINITY | fraction << 13;
    if (exponent > 0) return sign | (exponent + 112) << 23 | fraction << 13;
    if (fraction == 0) return sign;
    for (exponent = 113; (fraction & 0x400) == 0; exponent--) fraction <<= 1;
    return sign | exponent << 23 | (fraction & 0x3ff) << 13;
}

uint32_t number_bf16_of_f16(uint32_t bits)
{
    return number_bf16_of_f32(number_f32_of_f16(bits));
}

uint32_t number_f16_of_bf16(uint32_t bits)
{
    return number_f16_of_f32(number_f32_of_bf16(bits));
}
