// SPDX-License-Identifier: MIT
// The approximate functions as one machine instruction computes each, bit for bit as an H200: the leading bits of the
// argument's mantissa or fraction pick a segment with three coefficients of a parabola, x is the bits below them, and
// all is integer arithmetic that drops bits. A subnormal argument counts as zero, a subnormal result becomes zero; what
// is invalid gives 7FFFFFFF. What the instructions of PTX make of these is in approximate.c.
#ifndef TMAREF_ALU_APPROXIMATE_H
#define TMAREF_ALU_APPROXIMATE_H

#include "approximate_table.h"
#include "environment.h"

#define F32_INF 0x7f800000u

// x * x / 2^19 of 17 bits, without the products of bits i and j where i + j < 18.
LANE_INLINE int64_t squared(uint32_t x)
{
    uint32_t high = x >> 9, low = x & 511, sum = high * high >> 1;
    for (int bit = 1; bit <= 7; bit++) sum += (high >> bit & 1) * (low >> (9 - bit));
    return sum;
}

// The leading 24 bits of t, the rest dropped, as a float: t is in units of 2^-unit.
LANE_INLINE uint32_t leading(uint64_t t, int unit)
{
    if (t == 0) return 0;
    int top = 63 - __builtin_clzll(t);
    uint64_t significand = top >= 23 ? t >> (top - 23) : t << (23 - top);
    return (uint32_t)(127 + top - unit) << 23 | (uint32_t)(significand & 0x7fffff);
}

// A significand of 24 bits, perhaps 2^24, with the exponent's field.
LANE_INLINE uint32_t assembled(int64_t field, int64_t significand)
{
    int64_t bits = field * (1 << 23) + (significand - (1 << 23));
    return bits < 1 << 23 ? 0 : (uint32_t)bits;
}

// The same of 32 bits, for loops that become vectors: `field` from -2 on.
LANE_INLINE uint32_t assembled_32(int32_t field, int32_t significand)
{
    uint32_t bits = ((uint32_t)field << 23) + (uint32_t)(significand - (1 << 23));
    return (int32_t)bits < 1 << 23 ? 0 : bits;
}

// Sums of less than 2^53 in doubles are exact, and become vectors where those of 64-bit integers do not.
LANE_INLINE int32_t rcp_significand(uint32_t mantissa)
{
    const uint32_t *c = approximate_rcp[0];
    int32_t at = (int32_t)mantissa / (1 << 16) * 3;
    int32_t x = mantissa & 0xffff, bent = (int32_t)c[at + 2] * (int32_t)squared(2 * (uint32_t)x) + 0x47e7;
    double sum = (double)(int32_t)c[at] * (1 << 13) - (double)(int32_t)c[at + 1] * (double)x + (double)bent;
    return (int32_t)(sum * 0x1p-15);
}

LANE_INLINE uint32_t mufu_rcp(uint32_t a)
{
    uint32_t sign = a & 0x80000000, magnitude = a ^ sign, field = magnitude >> 23;
    uint32_t value = assembled_32(253 - (int32_t)field, rcp_significand(magnitude & 0x7fffff));
    value = field == 0 ? F32_INF : field == 255 ? 0 : value;
    return magnitude > F32_INF ? F32_NAN : sign | value;
}

// `power` is the exponent, odd or even.
LANE_INLINE int64_t rsq_significand(uint32_t mantissa, int power)
{
    uint32_t m = (uint32_t)(power & 1) << 23 | mantissa, x = m & 0x1ffff;
    const uint32_t *c = approximate_rsq[m >> 17];
    if (m == 0) return 1 << 24;
    return (((int64_t)c[0] << 14) - (int64_t)c[1] * x + 4 * c[2] * squared(x) + 0x7fff) >> 16;
}

LANE_INLINE uint32_t mufu_rsq(uint32_t a)
{
    uint32_t sign = a & 0x80000000, magnitude = a ^ sign, field = magnitude >> 23;
    int power = (int)field - 127;
    if (magnitude > F32_INF) return F32_NAN;
    if (field == 0) return sign | F32_INF;
    if (sign != 0) return F32_NAN;
    if (field == 255) return 0;
    return assembled(126 - (power >> 1), rsq_significand(magnitude & 0x7fffff, power));
}

LANE_INLINE uint32_t mufu_sqrt(uint32_t a)
{
    uint32_t sign = a & 0x80000000, magnitude = a ^ sign, field = magnitude >> 23;
    int power = (int)field - 127, odd = power & 1;
    if (magnitude > F32_INF) return F32_NAN;
    if (field == 0) return sign;
    if (sign != 0) return F32_NAN;
    if (field == 255) return a;
    uint32_t m = (uint32_t)odd << 23 | (magnitude & 0x7fffff), x = m & 0x1ffff;
    const uint32_t *c = approximate_sqrt[m >> 17];
    int64_t r = (((int64_t)c[0] << 15) + ((int64_t)c[1] * x << odd) - 2 * c[2] * squared(x) + 0x7fff) >> 17;
    return assembled(127 + (power >> 1), r);
}

// |a| in fixed point with so many bits of fraction, lower ones dropped, and so many bits of all kept.
LANE_INLINE uint64_t fixed_point(uint32_t a, int fraction_bits, int kept_bits)
{
    int shift = (int)(a >> 23 & 255) - 127 - 23 + fraction_bits;
    uint64_t significand = (a >> 23 & 255) == 0 ? 0 : (a & 0x7fffff) | 0x800000;
    uint64_t value = shift >= kept_bits ? 0
                     : shift >= 0       ? significand << shift
                     : shift < -31      ? 0
                                        : significand >> -shift;
    return value & (((uint64_t)1 << kept_bits) - 1);
}

LANE_INLINE uint32_t mufu_ex2(uint32_t a)
{
    uint32_t magnitude = a & 0x7fffffff, is_negative = a >> 31, field = magnitude >> 23;
    uint32_t significand = field == 0 ? 0 : (a & 0x7fffff) | 0x800000;
    uint32_t up = field > 134 ? 7 : field > 127 ? field - 127 : 0; // below 256, which is 2^134 here
    uint32_t down = field < 96 ? 31 : field < 127 ? 127 - field : 0;
    uint32_t fixed = significand << up >> down, below = (fixed & 0x7fffff) != 0 ? ~fixed : 0 - fixed;
    uint32_t flipped = is_negative ? below : fixed, fraction = flipped & 0x7fffff;
    int32_t whole = (int32_t)flipped >> 23;
    const uint32_t *c = approximate_ex2[0];
    int32_t at = (int32_t)(fraction >> 17) * 3;
    int32_t x = fraction & 0x1ffff, bent = (int32_t)c[at + 2] * (int32_t)squared((uint32_t)x) + 0x77e2;
    double sum = (double)(int32_t)c[at] * (1 << 13) + (double)(int32_t)c[at + 1] * (double)x + (double)bent;
    uint32_t value = assembled_32(whole + 127, (int32_t)(sum * 0x1p-15));
    value = whole >= 128 ? F32_INF : whole < -126 ? 0 : value;
    value = magnitude >= 0x43800000 ? is_negative ? 0 : F32_INF : value; // from 256 on
    return magnitude > F32_INF ? F32_NAN : value;
}

LANE_INLINE uint32_t mufu_lg2(uint32_t a)
{
    uint32_t field = a >> 23 & 255, mantissa = a & 0x7fffff, x = mantissa & 0x1ffff;
    if ((a & 0x7fffffff) > F32_INF) return F32_NAN;
    if (field == 0) return 0x80000000 | F32_INF;
    if (a >> 31) return F32_NAN;
    if (field == 255) return a;
    const uint32_t *c = approximate_lg2[mantissa >> 17];
    int64_t t = (((int64_t)c[0] << 12) + (int64_t)c[1] * x - 2 * c[2] * squared(x) + 0x3345) >> 2;
    if (a == F32_ONE) t = 0;
    t += ((int64_t)field - 127) * ((int64_t)1 << 36);
    return t < 0 ? 0x80000000 | leading((uint64_t)~t, 36) : leading((uint64_t)t, 36);
}

// Of turns; `quarter` is 0 for the sine, 1 for the cosine.
LANE_INLINE uint32_t mufu_sin(uint32_t a, uint32_t quarter)
{
    if ((a & 0x7fffffff) >= F32_INF) return F32_NAN;
    uint32_t fixed = (uint32_t)fixed_point(a, 25, 25), quadrant = (fixed >> 23) + quarter, fraction = fixed & 0x7fffff;
    uint32_t sign = (quarter ? 0 : a & 0x80000000) ^ (quadrant & 2 ? 0x80000000 : 0);
    if (quadrant & 1) fraction = ~fraction & 0x7fffff;
    const uint32_t *c = approximate_sin[fraction >> 17];
    uint32_t x = fraction & 0x1ffff;
    return sign | leading(((uint64_t)c[0] << 11) + (uint64_t)c[1] * x - c[2] * (uint64_t)squared(x), 37);
}

LANE_INLINE uint32_t mufu_tanh(uint32_t a)
{
    // Of each binade from 2^-8 on: bits of the mantissa left out, and where its segments begin.
    static const uint8_t dropped[] = {6, 6, 6, 5, 5, 4, 4, 4, 3, 2, 3},
                         first[] = {0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43};
    uint32_t sign = a & 0x80000000, magnitude = a ^ sign;
    int power = (int)(magnitude >> 23) - 127;
    if (magnitude > F32_INF) return F32_NAN;
    if (power < -8) return a;
    if (power >= 3) return sign | F32_ONE;
    uint32_t bits = (magnitude & 0x7fffff) >> dropped[power + 8], x = bits & 0x1ffff;
    const uint32_t *c = approximate_tanh[first[power + 8] + (bits >> 17)];
    uint64_t t = ((uint64_t)c[0] << 16) + (uint64_t)c[1] * x - c[2] * (uint64_t)squared(x);
    return sign | leading(t, 39 - (power < -1 ? power : -1));
}

// The high words of f64 alone; the low word of the result is 0.
LANE_INLINE uint64_t assembled_64(uint64_t sign, int64_t field, int64_t significand)
{
    int64_t high = field * (1 << 20) + ((significand - (1 << 23)) >> 3);
    return sign | (high < 1 << 20 ? 0 : (uint64_t)high << 32);
}

#define F64_NAN_HIGH 0x7fffffff00000000u

LANE_INLINE uint64_t mufu_rcp64h(uint64_t a)
{
    uint64_t sign = a & F64_SIGN, high = (a ^ sign) >> 32, field = high >> 20;
    if (high > 0x7ff00000) return F64_NAN_HIGH;
    if (field == 0) return sign | F64_INF;
    if (field == 2047) return sign;
    return assembled_64(sign, 2045 - (int64_t)field, rcp_significand((uint32_t)(high & 0xfffff) << 3));
}

LANE_INLINE uint64_t mufu_rsq64h(uint64_t a)
{
    uint64_t sign = a & F64_SIGN, high = (a ^ sign) >> 32, field = high >> 20;
    int power = (int)field - 1023;
    if (high > 0x7ff00000) return F64_NAN_HIGH;
    if (field == 0) return sign | F64_INF;
    if (sign != 0) return F64_NAN_HIGH;
    if (field == 2047) return 0;
    return assembled_64(0, 1022 - (power >> 1), rsq_significand((uint32_t)(high & 0xfffff) << 3, power));
}

#endif
