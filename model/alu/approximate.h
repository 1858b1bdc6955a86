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

// `a` if it holds, else `b`, by masks: compilers make jumps of many choices in a row, and then no vectors of the loop.
LANE_INLINE uint32_t either(int holds, uint32_t a, uint32_t b)
{
    const uint32_t mask = 0 - (uint32_t)holds;
    return (a & mask) | (b & ~mask);
}

// x * x / 2^19 of 17 bits, without the products of bits i and j where i + j < 18.
LANE_INLINE int64_t squared(uint32_t x)
{
    uint32_t high = x >> 9, low = x & 511, sum = high * high >> 1;
    for (int bit = 1; bit <= 7; bit++) sum += (high >> bit & 1) * (low >> (9 - bit));
    return sum;
}

// The leading 24 bits of t, the rest dropped, as a float: t is a whole number below 2^53 in units of 2^-unit.
LANE_INLINE uint32_t leading(double t, int unit)
{
    const uint64_t bits = bits_of_f64(t);
    const uint32_t value = (uint32_t)(bits >> 29) - ((1023 - 127 + (uint32_t)unit) << 23);
    return t == 0 ? 0 : value;
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
LANE_INLINE int32_t rsq_significand(uint32_t mantissa, int power)
{
    const uint32_t m = (uint32_t)(power & 1) << 23 | mantissa, *c = approximate_rsq[0];
    int32_t at = (int32_t)(m >> 17) * 3;
    int32_t x = m & 0x1ffff, bent = 4 * (int32_t)c[at + 2] * (int32_t)squared((uint32_t)x) + 0x7fff;
    double sum = (double)(int32_t)c[at] * (1 << 14) - (double)(int32_t)c[at + 1] * (double)x + (double)bent;
    return (int32_t)either(m == 0, 1 << 24, (uint32_t)(int32_t)(sum * 0x1p-16));
}

LANE_INLINE uint32_t mufu_rsq(uint32_t a)
{
    uint32_t sign = a & 0x80000000, magnitude = a ^ sign, field = magnitude >> 23;
    int32_t power = (int32_t)field - 127;
    uint32_t value = assembled_32(126 - (power >> 1), rsq_significand(magnitude & 0x7fffff, power));
    value = either(field == 255, 0, value);
    value = either(field == 0, sign | F32_INF, either(sign != 0, F32_NAN, value));
    return either(magnitude > F32_INF, F32_NAN, value);
}

LANE_INLINE uint32_t mufu_sqrt(uint32_t a)
{
    uint32_t sign = a & 0x80000000, magnitude = a ^ sign, field = magnitude >> 23;
    int32_t power = (int32_t)field - 127, odd = power & 1;
    const uint32_t m = (uint32_t)odd << 23 | (magnitude & 0x7fffff), *c = approximate_sqrt[0];
    int32_t at = (int32_t)(m >> 17) * 3;
    int32_t x = m & 0x1ffff, bent = 0x7fff - 2 * (int32_t)c[at + 2] * (int32_t)squared((uint32_t)x);
    double slope = (double)(int32_t)c[at + 1] * (double)(x << odd);
    double sum = (double)(int32_t)c[at] * (1 << 15) + slope + (double)bent;
    uint32_t value = assembled_32(127 + (power >> 1), (int32_t)(sum * 0x1p-17));
    value = either(field == 255, a, value);
    value = either(field == 0, sign, either(sign != 0, F32_NAN, value));
    return either(magnitude > F32_INF, F32_NAN, value);
}

// |a| in fixed point with 25 bits of fraction, lower ones dropped, and of all bits the 25 lowest.
LANE_INLINE uint32_t fraction_of(uint32_t a)
{
    int32_t field = (int32_t)(a >> 23 & 255), shift = field - 127 - 23 + 25;
    uint32_t significand = field == 0 ? 0 : (a & 0x7fffff) | 0x800000;
    uint32_t up = shift < 0 ? 0 : shift > 25 ? 25 : (uint32_t)shift;
    uint32_t down = shift > 0 ? 0 : shift < -31 ? 31 : (uint32_t)-shift;
    return significand << up >> down & 0x1ffffff;
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

// A whole number below 2^51 / 4, rounded down: to nearest, of what lies 3/8 lower.
LANE_INLINE double fourth(double a)
{
    const double whole = 0x1.8p52;
    return a * 0.25 - 0.375 + whole - whole;
}

LANE_INLINE uint32_t mufu_lg2(uint32_t a)
{
    uint32_t magnitude = a & 0x7fffffff, field = magnitude >> 23, mantissa = a & 0x7fffff;
    const uint32_t *c = approximate_lg2[0];
    int32_t at = (int32_t)(mantissa >> 17) * 3;
    int32_t x = mantissa & 0x1ffff, bent = 0x3345 - 2 * (int32_t)c[at + 2] * (int32_t)squared((uint32_t)x);
    double t = fourth((double)(int32_t)c[at] * (1 << 12) + (double)(int32_t)c[at + 1] * (double)x + (double)bent);
    t = a == F32_ONE ? 0 : t;
    t += (double)((int32_t)field - 127) * 0x1p36;
    uint32_t value = leading(t < 0 ? -t - 1 : t, 36) | (t < 0 ? 0x80000000 : 0);
    value = either(field == 255, a, value);
    value = either(field == 0, 0x80000000 | F32_INF, either(a >> 31 != 0, F32_NAN, value));
    return either(magnitude > F32_INF, F32_NAN, value);
}

// Of turns; `quarter` is 0 for the sine, 1 for the cosine.
LANE_INLINE uint32_t mufu_sin(uint32_t a, uint32_t quarter)
{
    uint32_t fixed = fraction_of(a), quadrant = (fixed >> 23) + quarter, fraction = fixed & 0x7fffff;
    uint32_t sign = (quarter ? 0 : a & 0x80000000) ^ (quadrant << 30 & 0x80000000);
    fraction = quadrant & 1 ? ~fraction & 0x7fffff : fraction;
    const uint32_t *c = approximate_sin[0];
    int32_t at = (int32_t)(fraction >> 17) * 3;
    int32_t x = fraction & 0x1ffff, bent = -(int32_t)c[at + 2] * (int32_t)squared((uint32_t)x);
    double sum = (double)(int32_t)c[at] * (1 << 11) + (double)(int32_t)c[at + 1] * (double)x + (double)bent;
    uint32_t value = sign | leading(sum, 37);
    return (a & 0x7fffffff) >= F32_INF ? F32_NAN : value;
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
    return sign | leading((double)t, 39 - (power < -1 ? power : -1));
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
