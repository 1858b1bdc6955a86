// SPDX-License-Identifier: MIT
// One element of D, kind by kind.
#include "slow_mma.h"

#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "mma.h"
#include "slow_wgmma.h"

// How many products one element of D is made of.
static int products(const struct mma_row *row)
{
    return row->is_sparse ? row->k / 2 : row->k;
}

// --- Sums of 16 bits and of tf32: those of wgmma, whose products are zero where this form has none -------------------

static uint32_t sum_of(enum wgmma_types types, const uint64_t *a, const uint64_t *b, int count, const uint32_t *c)
{
    struct slow_wgmma e = {.types = types, .c = c == NULL ? 0 : *c, .has_c = c != NULL};
    for (int i = 0; i < count; i++) {
        e.a[i] = (uint32_t)a[i];
        e.b[i] = (uint32_t)b[i];
    }
    return slow_wgmma(&e, SLOW_WGMMA_RIGHT);
}

static enum wgmma_types wgmma_of(const struct mma_row *row)
{
    if (row->a == NUMBER_TF32) return WGMMA_F32_TF32_TF32;
    if (row->a == NUMBER_BF16) return WGMMA_F32_BF16_BF16;
    return row->d == NUMBER_F16 ? WGMMA_F16_F16_F16 : WGMMA_F32_F16_F16;
}

static uint64_t plain(const struct slow_mma *e, enum slow_mma_mutant mutant)
{
    const struct mma_row *row = mma_row(e->form);
    uint32_t c = (uint32_t)e->c;
    int step = mutant == SLOW_MMA_HALVES && products(row) == 16 ? 8 : products(row);
    for (int k = 0; k < products(row); k += step) c = sum_of(wgmma_of(row), e->a + k, e->b + k, step, &c);
    return c;
}

// --- fp8 -------------------------------------------------------------------------------------------------------------

// The value of a float of so many exponent and fraction bits, not NaN and not infinite.
static double value_of(uint64_t bits, int exponent_bits, int fraction_bits)
{
    int bias = (1 << (exponent_bits - 1)) - 1, field = (int)(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
    int fraction = (int)bits & ((1 << fraction_bits) - 1);
    double value = field == 0 ? ldexp(fraction, 1 - bias - fraction_bits)
                              : ldexp(fraction + (1 << fraction_bits), field - bias - fraction_bits);
    return bits >> (exponent_bits + fraction_bits) & 1 ? -value : value;
}

// The nearest f16, ties to even.
static uint32_t f16_of(double x)
{
    int exponent;
    double magnitude = fabs(x);
    uint32_t sign = signbit(x) ? 0x8000 : 0;
    frexp(magnitude, &exponent); // magnitude < 2^exponent
    int distance = exponent - 11 < -24 ? -24 : exponent - 11;
    double whole = nearbyint(ldexp(magnitude, -distance));
    if (ldexp(whole, distance) >= 65536) return sign | 0x7c00;
    if (whole == 2048) {
        whole = 1024;
        distance++;
    }
    if (whole < 1024) return sign | (uint32_t)whole;
    return sign | ((uint32_t)(distance + 25) << 10 | ((uint32_t)whole - 1024));
}

static uint32_t f16_of_fp8(enum number_format format, uint64_t bits, enum slow_mma_mutant mutant)
{
    bool is_e4m3 = format == NUMBER_E4M3;
    uint32_t sign = (uint32_t)(bits & 0x80) << 8, body = (uint32_t)bits & 0x7f;
    if (is_e4m3 && mutant == SLOW_MMA_FP8_E4M3_INFINITY && body >= 0x78) return body == 0x78 ? sign | 0x7c00 : 0x7fff;
    if (is_e4m3 ? body == 0x7f : body > 0x7c) return 0x7fff;
    if (!is_e4m3 && body == 0x7c) return sign | 0x7c00;
    if (mutant == SLOW_MMA_FP8_FLUSH && body < (is_e4m3 ? 8u : 4u)) return sign;
    return f16_of(value_of(bits, is_e4m3 ? 4 : 5, is_e4m3 ? 3 : 2));
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// x + y as f32; a double holds enough for its second rounding to be right.
static uint32_t add_f32(uint32_t x, uint32_t y, bool is_cut)
{
    double sum = (double)float_of(x) + (double)float_of(y);
    float near = (float)sum;
    if (isnan(sum)) return 0x7fffffff;
    if (is_cut && isfinite(sum) && fabs((double)near) > fabs(sum)) near = nextafterf(near, 0);
    return bits_of(near);
}

static bool is_special_f16(uint32_t bits)
{
    return (bits & 0x7c00) == 0x7c00;
}

static uint32_t add_f16(uint32_t x, uint32_t y)
{
    bool x_nan = is_special_f16(x) && (x & 0x3ff), y_nan = is_special_f16(y) && (y & 0x3ff);
    if (x_nan || y_nan || (is_special_f16(x) && is_special_f16(y) && x != y)) return 0x7fff;
    if (is_special_f16(x)) return x;
    if (is_special_f16(y)) return y;
    return f16_of(value_of(x, 5, 10) + value_of(y, 5, 10));
}

// Whether element i of K is in the second of the two sums.
static bool is_second(int i, int k, enum slow_mma_mutant mutant)
{
    if (mutant == SLOW_MMA_FP8_K_HALVES) return i >= k / 2;
    return i % 4 >= 2 ? mutant != SLOW_MMA_FP8_SWAPPED : mutant == SLOW_MMA_FP8_SWAPPED;
}

static uint64_t fp8(const struct slow_mma *e, enum slow_mma_mutant mutant)
{
    const struct mma_row *row = mma_row(e->form);
    bool is_f16 = row->d == NUMBER_F16;
    int count[2] = {0, 0};
    enum wgmma_types types = is_f16 ? WGMMA_F16_F16_F16 : WGMMA_F32_F16_F16;
    uint64_t a[2][16], b[2][16];
    uint32_t c = (uint32_t)e->c;
    for (int i = 0; i < products(row); i++) {
        int part = is_second(i, products(row), mutant);
        a[part][count[part]] = f16_of_fp8(row->a, e->a[i], mutant);
        b[part][count[part]++] = f16_of_fp8(row->b, e->b[i], mutant);
    }
    uint32_t first = sum_of(types, a[0], b[0], products(row) / 2, mutant == SLOW_MMA_FP8_C_FIRST ? &c : NULL);
    uint32_t both = sum_of(types, a[1], b[1], products(row) / 2, mutant == SLOW_MMA_FP8_APART ? NULL : &first);
    if (mutant == SLOW_MMA_FP8_C_FIRST) return both;
    if (mutant == SLOW_MMA_FP8_APART) both = is_f16 ? add_f16(first, both) : add_f32(first, both, false);
    return is_f16 ? add_f16(c, both) : add_f32(c, both, mutant == SLOW_MMA_FP8_C_CUT);
}

// As wgmma would: only to be told apart from it.
static uint64_t fp8_as_wgmma(const struct slow_mma *e)
{
    const struct mma_row *row = mma_row(e->form);
    uint32_t c = (uint32_t)e->c;
    for (int t = 0; t < WGMMA_TYPES_COUNT; t++) {
        const struct wgmma_types_row *types = wgmma_types_row((enum wgmma_types)t);
        if (types->d == row->d && types->a == row->a && types->b == row->b)
            return sum_of((enum wgmma_types)t, e->a, e->b, products(row), &c);
    }
    return 0;
}

// --- Integers --------------------------------------------------------------------------------------------------------

static int64_t clamp(int64_t x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x;
}

static int64_t integer(enum number_format format, uint64_t bits, enum slow_mma_mutant mutant)
{
    bool is_signed = (format == NUMBER_S8 || format == NUMBER_S4) && mutant != SLOW_MMA_INTEGER_UNSIGNED;
    int64_t limit = format == NUMBER_S8 || format == NUMBER_U8 ? 128 : 8;
    return is_signed && (int64_t)bits >= limit ? (int64_t)bits - 2 * limit : (int64_t)bits;
}

static uint64_t integers(const struct slow_mma *e, enum slow_mma_mutant mutant)
{
    const struct mma_row *row = mma_row(e->form);
    bool is_clamped = row->tail == MMA_SATFINITE;
    int64_t c = (int64_t)(e->c & 0x7fffffff) - (int64_t)(e->c & 0x80000000), sum = c;
    for (int i = 0; i < products(row); i++) {
        sum += integer(row->a, e->a[i], mutant) * integer(row->b, e->b[i], mutant);
        if (is_clamped && i == products(row) / 2 - 1 && mutant == SLOW_MMA_SATFINITE_HALF) sum = clamp(sum);
    }
    if (is_clamped && mutant == SLOW_MMA_SATFINITE_FIRST) return (uint32_t)(clamp(sum - c) + c);
    return (uint32_t)(is_clamped ? clamp(sum) : sum);
}

static uint64_t bits(const struct slow_mma *e, enum slow_mma_mutant mutant)
{
    const struct mma_row *row = mma_row(e->form);
    bool is_xor = row->tail == MMA_XOR;
    uint32_t sum = (uint32_t)e->c;
    if (mutant == SLOW_MMA_BITS_AND) is_xor = false;
    if (mutant == SLOW_MMA_BITS_XOR) is_xor = true;
    for (int i = 0; i < products(row); i++) {
        bool a = (int)(e->a[i / 32] >> i % 32 & true), b = (int)(e->b[i / 32] >> i % 32 & true);
        sum += (uint32_t)(is_xor ? a != b : a && b);
    }
    return sum;
}

// --- f64 -------------------------------------------------------------------------------------------------------------

static bool is_finite(uint64_t x)
{
    return (x >> 52 & 0x7ff) != 0x7ff;
}

static bool is_nan(uint64_t x)
{
    return !is_finite(x) && (x & 0xfffffffffffff) != 0;
}

// What NaNs and infinities give, when one of the three is not finite.
static uint64_t special(uint64_t a, uint64_t b, uint64_t c, enum slow_mma_mutant mutant)
{
    uint64_t order[3] = {b, c, a}, infinity = (uint64_t)0x7ff << 52, sign = (a ^ b) & (uint64_t)1 << 63;
    uint64_t made = mutant == SLOW_MMA_F64_NAN_MADE ? 0x7fffffffffffffff : 0xfff8000000000000;
    if (mutant == SLOW_MMA_F64_NAN_A_FIRST) order[0] = a, order[2] = b;
    if (mutant == SLOW_MMA_F64_NAN_C_FIRST) order[0] = c, order[1] = b;
    for (int i = 0; i < 3; i++)
        if (is_nan(order[i])) return mutant == SLOW_MMA_F64_NAN_SIGNALS ? order[i] : order[i] | (uint64_t)1 << 51;
    if (is_finite(a) && is_finite(b)) return c;
    if (a << 1 == 0 || b << 1 == 0) return made;
    return !is_finite(c) && (c ^ sign) >> 63 ? made : sign | infinity;
}

static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// Wrong: all products in one sum that is rounded once.
static uint64_t doubles_at_once(const struct slow_mma *e)
{
    long double exact = 0;
    uint64_t bits;
    for (int i = 0; i < products(mma_row(e->form)); i++) exact += (long double)double_of(e->a[i]) * double_of(e->b[i]);
    double sum = (double)(exact + double_of(e->c));
    memcpy(&bits, &sum, sizeof bits);
    return bits;
}

static uint64_t doubles(const struct slow_mma *e, enum slow_mma_mutant mutant)
{
    const struct mma_row *row = mma_row(e->form);
    uint64_t sum = e->c;
    for (int i = 0; i < products(row); i++) {
        int k = mutant == SLOW_MMA_F64_DESCENDING ? products(row) - 1 - i : i;
        uint64_t a = e->a[k], b = e->b[k], one = (uint64_t)0x3ff << 52;
        if (!is_finite(a) || !is_finite(b) || !is_finite(sum))
            sum = special(a, b, sum, mutant);
        else if (mutant == SLOW_MMA_F64_UNFUSED)
            sum = slow_fma(slow_fma(a, b, (a ^ b) & (uint64_t)1 << 63), one, sum);
        else
            sum = slow_fma(a, b, sum);
    }
    return sum;
}

static uint64_t dot(const struct slow_mma *e, enum slow_mma_mutant mutant)
{
    const struct mma_row *row = mma_row(e->form);
    bool is_fp8 = row->a == NUMBER_E4M3 || row->a == NUMBER_E5M2;
    if (row->d == NUMBER_F64) return mutant == SLOW_MMA_F64_ONE_SUM ? doubles_at_once(e) : doubles(e, mutant);
    if (row->a == NUMBER_B1) return bits(e, mutant);
    if (row->d == NUMBER_S32) return integers(e, mutant);
    if (is_fp8 && mutant == SLOW_MMA_FP8_AS_WGMMA) return fp8_as_wgmma(e);
    return is_fp8 ? fp8(e, mutant) : plain(e, mutant);
}

const char *slow_mma_mutant_text(enum slow_mma_mutant mutant)
{
    static const char *const text[SLOW_MMA_COUNT] = {
#define MUTANT(id, sentence) [SLOW_MMA_##id] = #id ": " sentence,
        SLOW_MMA_MUTANTS(MUTANT)
#undef MUTANT
    };
    return text[mutant];
}

uint64_t slow_mma(const struct slow_mma *e, enum slow_mma_mutant mutant)
{
    fenv_t caller;
    fegetenv(&caller);
    fesetenv(FE_DFL_ENV);
    uint64_t d = dot(e, mutant);
    fesetenv(&caller);
    return d;
}
