// SPDX-License-Identifier: MIT
// The short formats, f16, bf16, FP8, by way of doubles, which hold each of them and each product of two exactly: how
// one is widened, and how a double is rounded to one in a mode that PTX names. Sums that a double cannot hold are
// rounded to odd, so that nothing is rounded twice.
#ifndef TMAREF_ALU_NARROW_H
#define TMAREF_ALU_NARROW_H

#include "environment.h"

struct narrow {
    int precision, least; // bits of the significand; exponent of the least normal number
    uint32_t infinity,
        finite; // bits of infinity (of e4m3: what would follow the greatest number), of the greatest number
    uint32_t nan, sign;
};

#define NARROW_F16  ((struct narrow){11, -14, 0x7c00, 0x7bff, 0x7fff, 0x8000})
#define NARROW_BF16 ((struct narrow){8, -126, 0x7f80, 0x7f7f, 0x7fff, 0x8000})
#define NARROW_E4M3 ((struct narrow){4, -6, 0x7f, 0x7e, 0x7f, 0x80})
#define NARROW_E5M2 ((struct narrow){3, -14, 0x7c, 0x7b, 0x7f, 0x80})

LANE_INLINE bool narrow_is_nan(struct narrow format, uint32_t bits)
{
    return (bits & (format.sign - 1)) > format.infinity;
}

// Subnormals lose their value.
LANE_INLINE uint32_t narrow_flushed(struct narrow format, uint32_t bits)
{
    return (bits & (format.sign - 1)) >> (format.precision - 1) == 0 ? bits & format.sign : bits;
}

// Exact; a NaN stays one, with its payload and as quiet as it was. The caller's environment keeps subnormals.
LANE_INLINE float f16_to_f32(uint32_t bits)
{
    uint32_t body = (bits & 0x7fff) << 13, sign = (bits & 0x8000) << 16;
    uint32_t special = body | 0x7f800000, finite = bits_of_f32(f32_of(body) * 0x1p112f);
    return f32_of(((bits & 0x7c00) == 0x7c00 ? special : finite) | sign);
}

LANE_INLINE float bf16_to_f32(uint32_t bits)
{
    return f32_of(bits << 16);
}

// What is added before the low bits are cut off: `half` a unit, or just not a whole one. Of the nearest two the even
// one.
LANE_INLINE uint64_t rounding_term(enum ptx_word round, uint64_t is_negative, uint64_t is_odd, uint64_t half)
{
    uint64_t almost = 2 * half - 1;
    return round == PTX_RZ    ? 0
           : round == PTX_RM  ? almost & (0 - is_negative)
           : round == PTX_RP  ? almost & (is_negative - 1)
           : round == PTX_RNA ? half
                              : half - 1 + is_odd;
}

LANE_INLINE uint32_t overflow(struct narrow format, enum ptx_word round, bool is_negative)
{
    bool stays = round == PTX_RZ || (round == PTX_RM && !is_negative) || (round == PTX_RP && is_negative);
    return stays ? format.finite : format.infinity;
}

// The bits of a double that is no NaN, rounded; without its sign. `flush`: what is below the least
// normal number, rounded as if exponents had no limit, is 0.
LANE_INLINE uint32_t narrow_magnitude(struct narrow format, uint64_t bits, enum ptx_word round, int flush)
{
    uint64_t is_negative = bits >> 63;
    int64_t field = (int64_t)(bits >> 52 & 0x7ff), power = field - 1023;
    uint64_t significand = (bits & 0x000fffffffffffff) | (uint64_t)(field != 0) << 52;
    int64_t below = power < format.least ? format.least - power : 0, drop = 53 - format.precision + below;
    drop = drop > 62 ? 62 : drop;
    uint64_t term = rounding_term(round, is_negative, significand >> drop & 1, (uint64_t)1 << (drop - 1));
    uint64_t value = (significand + term) >> drop;
    value += (uint64_t)(power > format.least ? power - format.least : 0) << (format.precision - 1);
    int64_t whole = 53 - format.precision; // bits dropped if exponents had no limit
    uint64_t whole_term = rounding_term(round, is_negative, significand >> whole & 1, (uint64_t)1 << (whole - 1));
    bool becomes_normal = power == format.least - 1 && (significand + whole_term) >> 53 != 0;
    value = flush && power < format.least && !becomes_normal ? 0 : value;
    value = value >= format.infinity ? overflow(format, round, (int)is_negative) : value;
    return power == 1024 ? format.infinity : (uint32_t)value;
}

// The same to the nearest, of two the even one, in steps that make vectors. Below the least normal number a sum does
// it, with 2^52 times the least subnormal one. In the environment to nearest.
LANE_INLINE uint32_t narrow_nearest(struct narrow format, uint64_t bits, int flush)
{
    const int drop = 53 - format.precision;
    const int64_t hidden = (int64_t)1 << 52, half = (int64_t)1 << (drop - 1);
    const int64_t least = (1023 + format.least) * hidden, unit = (1023 + format.least + drop) * hidden;
    const int64_t magnitude = (int64_t)(bits & ~F64_SIGN);
    const int64_t subnormal = (int64_t)bits_of_f64(f64_of((uint64_t)magnitude) + f64_of((uint64_t)unit)) - unit;
    const int64_t normal = (magnitude - least + hidden + half - 1 + (magnitude >> drop & 1)) >> drop;
    int64_t value = magnitude < least ? subnormal : normal;
    value = flush && magnitude < least - half ? 0 : value;
    return (uint32_t)(value > (int64_t)format.infinity ? (int64_t)format.infinity : value);
}

LANE_INLINE uint32_t narrow_round(struct narrow format, double f, enum ptx_word round, int flush)
{
    uint64_t bits = bits_of_f64(f);
    uint32_t sign = bits >> 63 ? format.sign : 0;
    return f64_is_nan(bits) ? format.nan
                            : (round == PTX_RN ? narrow_nearest(format, bits, flush)
                                               : narrow_magnitude(format, bits, round, flush)) |
                                  sign;
}

// 0 to 1; NaN and -0: 0.
LANE_INLINE uint32_t narrow_saturated(struct narrow format, uint32_t bits)
{
    uint32_t one = (uint32_t)(1 - format.least) << (format.precision - 1);
    return bits >= format.sign || narrow_is_nan(format, bits) ? 0 : bits > one ? one : bits;
}

LANE_INLINE uint32_t narrow_relu(struct narrow format, uint32_t bits)
{
    return bits >= format.sign && !narrow_is_nan(format, bits) ? 0 : bits;
}

// x + y, to the nearest double, or where that is not it to the one next to the sum whose last bit is 1. In the
// environment to nearest.
LANE_INLINE double sum_to_odd(double x, double y)
{
    double sum = x + y, of_x = sum - y, of_y = sum - of_x, error = (x - of_x) + (y - of_y);
    uint64_t bits = bits_of_f64(sum);
    bool is_inexact = error != 0 && (bits & 1) == 0 && sum - sum == 0;
    bool is_outward = (error > 0) == (sum > 0);
    return is_inexact ? f64_of(is_outward ? bits + 1 : bits - 1) : sum;
}

#endif
