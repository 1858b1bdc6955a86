// SPDX-License-Identifier: MIT
// All terms are aligned to the greatest exponent, cut to a fixed number of bits, added exactly, and rounded once. The
// sum is an integer in units of 2^(greatest exponent - sum bits); 33 terms below 2^27 leave room in 64 bits.
#include "sum.h"

#include <stddef.h>

#include "fields.h"

enum { F32_FRACTION_BITS = 23, F32_LEAST_EXPONENT = -126, F32_MOST_EXPONENT = 127 };
enum { F16_FRACTION_BITS = 10, F16_LEAST_EXPONENT = -14, F16_INFINITY = 0x7c00 };
static const uint32_t F32_INFINITY = 0x7f800000;

// --- NaN and infinity ------------------------------------------------------------------------------------------------

enum { SAW_POSITIVE = 1, SAW_NEGATIVE = 2, SAW_NAN = 4 };

static int see(enum number_class class, int32_t sign)
{
    if (class == NUMBER_FINITE) return 0;
    if (class == NUMBER_NAN) return SAW_NAN;
    return sign != 0 ? SAW_NEGATIVE : SAW_POSITIVE;
}

// What NaNs and infinities are among the terms; infinity times zero is NaN.
static int look_for_special(const struct number_sum *of, const struct number_terms *a, const struct number_terms *b,
                            const uint32_t *c)
{
    int seen = c == NULL ? 0 : see(number_classify(of->d, *c), sign_of(number_format_row(of->d), *c));
    if (!a->is_special && !b->is_special) return seen;
    for (int i = 0; i < of->terms; i++) {
        enum number_class of_a = class_of(a->exponent[i]), of_b = class_of(b->exponent[i]);
        bool has_zero = a->magnitude[i] == 0 || b->magnitude[i] == 0;
        if (of_a == NUMBER_FINITE && of_b == NUMBER_FINITE) continue;
        enum number_class class = of_a > of_b ? of_a : of_b;
        if (class == NUMBER_INFINITY && has_zero) class = NUMBER_NAN;
        seen |= see(class, a->sign[i] ^ b->sign[i]);
    }
    return seen;
}

static uint32_t special_result(enum number_format d, int seen)
{
    bool is_nan = seen != SAW_POSITIVE && seen != SAW_NEGATIVE;
    if (d == NUMBER_F16) return is_nan ? HOPPER_F16_NAN : F16_INFINITY | (seen == SAW_NEGATIVE ? 0x8000u : 0);
    return is_nan ? HOPPER_F32_NAN : F32_INFINITY | (seen == SAW_NEGATIVE ? 0x80000000u : 0);
}

// --- The sum ---------------------------------------------------------------------------------------------------------

// magnitude * 2^left, cut toward zero; `left` may be negative.
static int64_t align(uint32_t magnitude, int left, int32_t sign)
{
    uint64_t cut = left >= 0 ? (uint64_t)magnitude << left : left > -64 ? (uint64_t)magnitude >> -left : 0;
    return ((int64_t)cut ^ sign) - sign;
}

// The sum of all terms in units of 2^(*exponent - sum bits).
static int64_t sum_terms(const struct number_sum *of, const struct number_terms *a, const struct number_terms *b,
                         const uint32_t *c, int *exponent)
{
    const struct number_format_row *of_d = number_format_row(of->d);
    int fraction_bits = number_format_row(of->a)->fraction_bits + number_format_row(of->b)->fraction_bits;
    int left = of->sum_bits - fraction_bits; // never negative: a product has at most 20 fraction bits, of fp8 6
    uint32_t c_magnitude = 0;
    int32_t most = NUMBER_SUM_FLOOR, c_exponent = NUMBER_ZERO_EXPONENT;
    int64_t sum = 0;
    if (c != NULL) read_float(of_d, *c, &c_magnitude, &c_exponent);
    if (c_exponent > most) most = c_exponent;
    for (int i = 0; i < of->terms; i++) {
        int32_t here = a->exponent[i] + b->exponent[i];
        if (here > most) most = here;
    }
    for (int i = 0; i < of->terms; i++) {
        uint32_t right = (uint32_t)(most - a->exponent[i] - b->exponent[i]);
        uint32_t magnitude = (a->magnitude[i] * b->magnitude[i]) << left >> (right > 31 ? 31 : right);
        int32_t sign = a->sign[i] ^ b->sign[i];
        sum += ((int32_t)magnitude ^ sign) - sign;
    }
    if (c_magnitude != 0)
        sum += align(c_magnitude, of->sum_bits - of_d->fraction_bits - (most - c_exponent), sign_of(of_d, *c));
    *exponent = most;
    return sum;
}

// --- Results ---------------------------------------------------------------------------------------------------------

static int top_bit(uint64_t value)
{
    return 63 - __builtin_clzll(value);
}

// value * 2^unit as f32, cut toward zero to `kept` fraction bits. Zero has no sign.
static uint32_t to_f32(uint64_t value, bool is_negative, int unit, int kept)
{
    if (value == 0) return 0;
    int top = top_bit(value), exponent = top + unit;
    if (exponent > F32_MOST_EXPONENT) return F32_INFINITY | (is_negative ? 0x80000000u : 0);
    int least = exponent < F32_LEAST_EXPONENT ? F32_LEAST_EXPONENT : exponent;
    int left = unit - (least - kept); // to units of the last fraction bit that is kept
    uint64_t cut = left >= 0 ? value << left : left > -64 ? value >> -left : 0;
    if (cut == 0) return 0;
    uint32_t bits = (uint32_t)cut << (F32_FRACTION_BITS - kept);
    if (exponent >= F32_LEAST_EXPONENT)
        bits += (uint32_t)(exponent - F32_LEAST_EXPONENT) << F32_FRACTION_BITS; // the hidden bit makes it one more
    return bits | (is_negative ? 0x80000000u : 0);
}

// value * 2^unit as f16, to the nearest, ties to even. Zero has no sign.
static uint32_t to_f16(uint64_t value, bool is_negative, int unit)
{
    if (value == 0) return 0;
    int exponent = top_bit(value) + unit;
    uint32_t sign = is_negative ? 0x8000 : 0;
    if (exponent > 15) return F16_INFINITY | sign;
    int least = exponent < F16_LEAST_EXPONENT ? F16_LEAST_EXPONENT : exponent;
    int right = least - F16_FRACTION_BITS - unit; // at most 29: products of f16 and fp8 have exponents from -28 on
    uint64_t cut = right > 0 ? value >> right : value << -right;
    if (right > 0) {
        uint64_t rest = value & (((uint64_t)1 << right) - 1), half = (uint64_t)1 << (right - 1);
        cut += rest > half || (rest == half && (cut & 1));
    }
    uint32_t bits = (uint32_t)cut; // a carry out of the fraction moves on into the exponent, up to infinity
    if (exponent >= F16_LEAST_EXPONENT) bits += (uint32_t)(exponent - F16_LEAST_EXPONENT) << F16_FRACTION_BITS;
    return bits == 0 ? 0 : bits | sign;
}

uint32_t number_sum_float(const struct number_sum *of, const struct number_terms *a, const struct number_terms *b,
                          const uint32_t *c)
{
    int seen = look_for_special(of, a, b, c), exponent;
    if (seen != 0) return special_result(of->d, seen);
    int64_t sum = sum_terms(of, a, b, c, &exponent);
    uint64_t value = (uint64_t)(sum < 0 ? -sum : sum);
    if (of->d == NUMBER_F16) return to_f16(value, sum < 0, exponent - of->sum_bits);
    int kept = of->sum_bits < F32_FRACTION_BITS ? of->sum_bits : F32_FRACTION_BITS;
    return to_f32(value, sum < 0, exponent - of->sum_bits, kept);
}

// --- Integers --------------------------------------------------------------------------------------------------------

int64_t number_sum_integer(enum number_format format, int units, const struct number_terms *a,
                           const struct number_terms *b)
{
    int64_t sum = 0;
    for (int i = 0; i < units; i++)
        sum += format == NUMBER_B1 ? __builtin_popcount(a->magnitude[i] & b->magnitude[i])
                                   : (int32_t)a->magnitude[i] * (int32_t)b->magnitude[i];
    return sum;
}

uint32_t number_result_integer(int64_t sum, int satfinite)
{
    if (satfinite && sum > INT32_MAX) sum = INT32_MAX;
    if (satfinite && sum < INT32_MIN) sum = INT32_MIN;
    return (uint32_t)sum;
}
