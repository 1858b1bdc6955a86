// SPDX-License-Identifier: MIT
// Numbers here are long integers: bit i of `limb` has the weight 2^(i - POINT), which holds every product and every
// accumulator exactly. A term is cut by clearing bits, sums of both signs are kept apart, and results are read off.
#include "slow_wgmma.h"

#include <stdbool.h>
#include <string.h>

enum { LIMBS = 26, POINT = 340 };

struct natural {
    uint32_t limb[LIMBS];
};

// One term: what it is, and of a number its sign, magnitude and the exponent it is aligned by.
struct term {
    enum { ZERO, NUMBER, INFINITE, NOT_A_NUMBER } kind;
    int is_negative, exponent;
    struct natural magnitude;
};

static bool bit_of(const struct natural *x, int weight)
{
    int at = weight + POINT;
    return at >= 0 && at < 32 * LIMBS && (x->limb[at / 32] >> at % 32 & 1);
}

static void clear_bit(struct natural *x, int weight)
{
    int at = weight + POINT;
    x->limb[at / 32] &= ~(1u << at % 32);
}

static int compare(const struct natural *x, const struct natural *y)
{
    for (int i = LIMBS - 1; i >= 0; i--)
        if (x->limb[i] != y->limb[i]) return x->limb[i] > y->limb[i] ? 1 : -1;
    return 0;
}

static void add(struct natural *x, const struct natural *y)
{
    uint64_t carry = 0;
    for (int i = 0; i < LIMBS; i++) {
        carry += (uint64_t)x->limb[i] + y->limb[i];
        x->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

// x - y, x >= y.
static void subtract(struct natural *x, const struct natural *y)
{
    int64_t borrow = 0;
    for (int i = 0; i < LIMBS; i++) {
        borrow += (int64_t)x->limb[i] - y->limb[i];
        x->limb[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
}

static void add_bit(struct natural *x, int weight)
{
    struct natural one = {{0}};
    one.limb[(weight + POINT) / 32] = 1u << (weight + POINT) % 32;
    add(x, &one);
}

// The weight of the highest bit; -POINT - 1 of zero.
static int top_of(const struct natural *x)
{
    int weight = 32 * LIMBS - POINT - 1;
    while (weight >= -POINT && !bit_of(x, weight)) weight--;
    return weight;
}

static bool is_zero(const struct natural *x)
{
    for (int i = 0; i < LIMBS; i++)
        if (x->limb[i] != 0) return false;
    return true;
}

enum rounding { CUT, AWAY, NEAREST_EVEN, NEAREST_AWAY };

// To a multiple of 2^unit.
static void round_to(struct natural *x, int unit, enum rounding how)
{
    bool half = bit_of(x, unit - 1), rest = false, odd = bit_of(x, unit);
    for (int weight = -POINT; weight < unit; weight++) {
        if (weight < unit - 1) rest |= bit_of(x, weight);
        clear_bit(x, weight);
    }
    bool up = how == AWAY ? half || rest : how == NEAREST_EVEN ? half && (rest || odd) : how == NEAREST_AWAY && half;
    if (up) add_bit(x, unit);
}

// --- Terms -----------------------------------------------------------------------------------------------------------

// A float's bits: its exponent and magnitude, exactly.
static struct term read_term(enum number_format format, uint32_t bits, enum slow_wgmma_mutant mutant)
{
    static const struct {
        int exponent, fraction;
    } layout[] = {[NUMBER_F16] = {5, 10}, [NUMBER_BF16] = {8, 7}, [NUMBER_TF32] = {8, 23},
                  [NUMBER_E4M3] = {4, 3}, [NUMBER_E5M2] = {5, 2}, [NUMBER_F32] = {8, 23}};
    int width = layout[format].exponent, fraction_bits = layout[format].fraction, most = (1 << width) - 1;
    int field = (int)(bits >> fraction_bits) & most, bias = most / 2;
    uint32_t fraction = bits & ((1u << fraction_bits) - 1), kept = fraction;
    if (format == NUMBER_TF32 && mutant != SLOW_WGMMA_TF32_KEEPS_LOW) kept = fraction >> 13 << 13;
    uint32_t tells = mutant == SLOW_WGMMA_TF32_CLASS_LOW ? fraction : kept;
    struct term term = {.kind = NUMBER, .is_negative = (int)(bits >> (width + fraction_bits) & 1)};
    bool has_infinity = format != NUMBER_E4M3 || mutant == SLOW_WGMMA_E4M3_INFINITY;
    if (has_infinity && field == most) term.kind = tells == 0 ? INFINITE : NOT_A_NUMBER;
    if (!has_infinity && field == most && fraction == 7) term.kind = NOT_A_NUMBER;
    if (term.kind != NUMBER) return term;
    term.exponent = (field == 0 ? 1 : field) - bias;
    for (int i = 0; i < fraction_bits; i++)
        if (kept >> i & 1) add_bit(&term.magnitude, term.exponent - fraction_bits + i);
    if (field != 0) add_bit(&term.magnitude, term.exponent);
    if (is_zero(&term.magnitude) || (field == 0 && mutant == SLOW_WGMMA_FLUSH_INPUTS)) term.kind = ZERO;
    return term;
}

static struct term product(const struct term *a, const struct term *b, enum slow_wgmma_mutant mutant)
{
    struct term p = {.kind = NUMBER, .is_negative = a->is_negative != b->is_negative};
    bool any_infinite = a->kind == INFINITE || b->kind == INFINITE, any_zero = a->kind == ZERO || b->kind == ZERO;
    p.exponent = a->exponent + b->exponent;
    if (a->kind == NOT_A_NUMBER || b->kind == NOT_A_NUMBER)
        p.kind = NOT_A_NUMBER;
    else if (any_infinite && any_zero)
        p.kind = mutant == SLOW_WGMMA_INF_TIMES_ZERO ? ZERO : NOT_A_NUMBER;
    else if (any_infinite)
        p.kind = INFINITE;
    else if (any_zero)
        p.kind = ZERO;
    if (p.kind != NUMBER) return p;
    for (int i = a->exponent - 23; i <= a->exponent; i++)
        for (int j = b->exponent - 23; bit_of(&a->magnitude, i) && j <= b->exponent; j++)
            if (bit_of(&b->magnitude, j)) add_bit(&p.magnitude, i + j);
    if (mutant == SLOW_WGMMA_NORMALISED) p.exponent = top_of(&p.magnitude);
    return p;
}

// --- One element -----------------------------------------------------------------------------------------------------

static uint32_t infinity_of(bool is_f16, int is_negative)
{
    return is_f16 ? 0x7c00u | (uint32_t)is_negative << 15 : 0x7f800000u | (uint32_t)is_negative << 31;
}

// The number as f32 or f16, of which `kept` fraction bits are used.
static uint32_t write_float(struct natural x, bool is_negative, bool is_f16, int kept, enum rounding how,
                            enum slow_wgmma_mutant mutant)
{
    int fraction_bits = is_f16 ? 10 : 23, least = is_f16 ? -14 : -126, most = is_f16 ? 15 : 127;
    uint32_t sign = (uint32_t)is_negative << (is_f16 ? 15 : 31);
    bool had_value = !is_zero(&x);
    int top = top_of(&x);
    round_to(&x, (top < least ? least : top) - kept, how);
    top = top_of(&x);
    if (is_zero(&x)) return had_value && mutant == SLOW_WGMMA_NEGATIVE_ZERO ? sign : 0;
    if (top > most) return infinity_of(is_f16, is_negative) - (mutant == SLOW_WGMMA_OVERFLOW_MOST);
    if (top < least && mutant == SLOW_WGMMA_FLUSH_RESULTS) return 0;
    uint32_t fraction = 0, field = top < least ? 0 : (uint32_t)(top - least + 1);
    for (int i = 0; i < fraction_bits; i++)
        if (bit_of(&x, (top < least ? least : top) - fraction_bits + i)) fraction |= 1u << i;
    return sign | field << fraction_bits | fraction;
}

// Fraction bits that a term keeps.
static int sum_bits(bool is_fp8, enum slow_wgmma_mutant mutant)
{
    if (is_fp8 && mutant == SLOW_WGMMA_FP8_BITS_12) return 12;
    if (is_fp8 && mutant == SLOW_WGMMA_FP8_BITS_14) return 14;
    if (is_fp8 && mutant == SLOW_WGMMA_FP8_BITS_25) return 25;
    if (is_fp8) return 13;
    return mutant == SLOW_WGMMA_BITS_24 ? 24 : mutant == SLOW_WGMMA_BITS_26 ? 26 : 25;
}

// NaN and infinity, where the terms have them; otherwise 0 is returned and there are only numbers.
static bool special(const struct term *term, int terms, bool is_f16, uint32_t c, enum slow_wgmma_mutant mutant,
                    uint32_t *result)
{
    int infinite[2] = {0, 0}, nan = false, first = -1;
    for (int i = 0; i < terms; i++) {
        nan |= term[i].kind == NOT_A_NUMBER;
        if (term[i].kind != INFINITE) continue;
        infinite[term[i].is_negative] = 1;
        if (first < 0) first = term[i].is_negative;
    }
    *result = is_f16 ? 0x7fff : 0x7fffffff;
    if (mutant == SLOW_WGMMA_NAN_QUIET) *result = is_f16 ? 0x7e00 : 0x7fc00000;
    if (mutant == SLOW_WGMMA_NAN_PAYLOAD && term[0].kind == NOT_A_NUMBER) *result = c;
    if (nan) return true;
    if (infinite[0] && infinite[1] && mutant != SLOW_WGMMA_INF_CANCELS) return true;
    if (infinite[0] || infinite[1]) *result = infinity_of(is_f16, first);
    return infinite[0] || infinite[1];
}

static int greatest_exponent(const struct term *term, int terms, enum slow_wgmma_mutant mutant)
{
    int most = mutant == SLOW_WGMMA_FLOOR_132 ? -132 : mutant == SLOW_WGMMA_FLOOR_134 ? -134 : -133;
    for (int i = 0; i < terms; i++) {
        bool counts = term[i].kind == NUMBER || (i > 0 && mutant == SLOW_WGMMA_ZERO_PRODUCTS);
        if (counts && term[i].exponent > most) most = term[i].exponent;
    }
    return most;
}

// The exact sum of the cut terms `from` .. `terms` - 1: its magnitude, and its sign.
static struct natural sum(const struct term *term, int from, int terms, int unit, enum slow_wgmma_mutant mutant,
                          int *is_negative)
{
    struct natural side[2] = {{{0}}, {{0}}};
    for (int i = from; i < terms; i++) {
        struct natural cut = term[i].magnitude;
        if (term[i].kind != NUMBER) continue;
        enum rounding how = mutant == SLOW_WGMMA_TERMS_ROUND                          ? NEAREST_EVEN
                            : mutant == SLOW_WGMMA_TERMS_FLOOR && term[i].is_negative ? AWAY
                                                                                      : CUT;
        if (i > 0 || mutant != SLOW_WGMMA_C_EXACT) round_to(&cut, unit, how);
        add(&side[term[i].is_negative], &cut);
    }
    *is_negative = compare(&side[1], &side[0]) > 0;
    subtract(&side[*is_negative], &side[!*is_negative]);
    return side[*is_negative];
}

// term[0] is the accumulator.
static uint32_t sum_and_round(struct term *term, int terms, bool is_f16, bool is_fp8, enum slow_wgmma_mutant mutant)
{
    int keep = is_fp8 && mutant != SLOW_WGMMA_FP8_RESULT_23 ? 13 : 23, is_negative;
    enum rounding how = mutant == SLOW_WGMMA_F32_ROUND ? NEAREST_EVEN : CUT;
    int from = mutant == SLOW_WGMMA_C_LAST;
    int unit = greatest_exponent(term + from, terms - from, mutant) - sum_bits(is_fp8, mutant);
    struct natural x = sum(term, from, terms, unit, mutant, &is_negative);
    if (from) {
        round_to(&x, top_of(&x) - keep, CUT);
        struct term both[2] = {term[0], {NUMBER, is_negative, 0, x}};
        x = sum(both, 0, 2, -300, mutant, &is_negative);
    }
    if (!is_f16) return write_float(x, is_negative, false, keep, how, mutant);
    if (mutant == SLOW_WGMMA_F16_BY_F32 && !is_zero(&x)) round_to(&x, top_of(&x) - 23, NEAREST_EVEN);
    how = mutant == SLOW_WGMMA_F16_CUT ? CUT : mutant == SLOW_WGMMA_F16_TIES_AWAY ? NEAREST_AWAY : NEAREST_EVEN;
    return write_float(x, is_negative, true, 10, how, mutant);
}

static uint32_t float_element(const struct slow_wgmma *e, enum slow_wgmma_mutant mutant)
{
    const struct wgmma_types_row *row = wgmma_types_row(e->types);
    bool is_f16 = row->d == NUMBER_F16, is_fp8 = row->k == 32;
    struct term term[33] = {{.kind = ZERO}};
    uint32_t result;
    enum slow_wgmma_mutant of_c = mutant == SLOW_WGMMA_FLUSH_INPUTS ? SLOW_WGMMA_RIGHT : mutant;
    if (e->has_c) term[0] = read_term(row->d, e->c, of_c);
    for (int i = 0; i < row->k; i++) {
        struct term a = read_term(row->a, e->a[i], mutant), b = read_term(row->b, e->b[i], mutant);
        a.is_negative ^= e->negate;
        term[1 + i] = product(&a, &b, mutant);
    }
    if (special(term, row->k + 1, is_f16, e->c, mutant, &result)) return result;
    return sum_and_round(term, row->k + 1, is_f16, is_fp8, mutant);
}

// --- Integers --------------------------------------------------------------------------------------------------------

static int64_t clamp(int64_t x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x;
}

static int64_t integer(enum number_format format, uint32_t bits, enum slow_wgmma_mutant mutant)
{
    bool is_signed = format == NUMBER_S8 || mutant == SLOW_WGMMA_INTEGER_SIGNED;
    return is_signed && bits > 127 ? (int64_t)bits - 256 : (int64_t)bits;
}

static uint32_t integer_element(const struct slow_wgmma *e, enum slow_wgmma_mutant mutant)
{
    const struct wgmma_types_row *row = wgmma_types_row(e->types);
    int64_t c = e->has_c ? (int64_t)(e->c & 0x7fffffff) - (int64_t)(e->c & 0x80000000) : 0, x = c;
    for (int i = 0; i < row->k; i++) {
        if (row->a == NUMBER_B1) {
            bool a = (int)(e->a[i / 32] >> i % 32 & true), b = (int)(e->b[i / 32] >> i % 32 & true);
            x += mutant == SLOW_WGMMA_BITS_XOR ? a != b : a && b;
        } else {
            x += integer(row->a, e->a[i], mutant) * integer(row->b, e->b[i], mutant);
        }
        if (i == 15 && e->satfinite && mutant == SLOW_WGMMA_SATFINITE_HALF) x = clamp(x);
    }
    if (e->satfinite && mutant == SLOW_WGMMA_SATFINITE_FIRST) return (uint32_t)(clamp(x - c) + c);
    if (e->satfinite || mutant == SLOW_WGMMA_SATFINITE_ALWAYS) x = clamp(x);
    return (uint32_t)(x & 0xffffffff);
}

uint32_t slow_wgmma(const struct slow_wgmma *element, enum slow_wgmma_mutant mutant)
{
    return wgmma_types_row(element->types)->d == NUMBER_S32 ? integer_element(element, mutant)
                                                            : float_element(element, mutant);
}

const char *slow_wgmma_mutant_text(enum slow_wgmma_mutant mutant)
{
    static const char *const text[SLOW_WGMMA_COUNT] = {
#define MUTANT(id, sentence) [SLOW_WGMMA_##id] = #id ": " sentence,
        SLOW_WGMMA_MUTANTS(MUTANT)
#undef MUTANT
    };
    return text[mutant];
}
