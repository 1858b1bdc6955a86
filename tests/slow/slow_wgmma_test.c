// SPDX-License-Identifier: MIT
// Compares the numbers of model/wgmma with the slow second model, on random elements of every row of types and on the
// vectors, whose results are worked out by hand; and shows that the vectors notice every misread rule.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "chain.h"
#include "chunks.h"
#include "rule.h"
#include "rules/wgmma.h"
#include "slow_test.h"
#include "slow_vectors.h"
#include "slow_wgmma.h"

TEST_FILE(.suite = "slow", .seconds = 120);

enum { CHUNKS = 8, ELEMENTS_PER_CHUNK = 30000, TEXT_BYTES = 4096 };
static const uint64_t SEED = 0x36a3a;

static uint32_t run_model(const struct slow_wgmma *e)
{
    const struct wgmma_types_row *row = wgmma_types_row(e->types);
    struct number_terms a, b;
    number_terms_read(row->a, wgmma_units(e->types), e->a, e->negate, &a);
    number_terms_read(row->b, wgmma_units(e->types), e->b, 0, &b);
    return wgmma_dot(e->types, &a, &b, e->has_c ? &e->c : NULL, e->satfinite);
}

static void require_same(const struct slow_wgmma *e, uint32_t expected, uint32_t found, const char *what)
{
    char text[TEXT_BYTES];
    int at = 0;
    if (expected == found) return;
    for (int i = 0; i < wgmma_units(e->types); i++)
        at += snprintf(text + at, sizeof text - (size_t)at, " %x*%x", e->a[i], e->b[i]);
    ck_abort_msg("%s: %s: 0x%x, not 0x%x; c 0x%x (%d), negate %d, satfinite %d,%s", what,
                 wgmma_types_row(e->types)->name, found, expected, e->c, e->has_c, e->negate, e->satfinite, text);
}

// --- Random elements -------------------------------------------------------------------------------------------------

// A float of so many exponent and fraction bits: any bits, or an exponent within 4 of `center`, or zero.
static uint32_t random_float(struct slow_random *random, int exponent_bits, int fraction_bits, int center, int style)
{
    uint32_t bits = (uint32_t)(slow_random(random) >> 16), most = (1u << exponent_bits) - 1;
    uint32_t mask = exponent_bits + fraction_bits == 31 ? UINT32_MAX : (2u << (exponent_bits + fraction_bits)) - 1;
    uint32_t field = (uint32_t)center + (bits >> fraction_bits & 3), pick = (uint32_t)(slow_random(random) >> 40);
    if (style == 0 || pick % 200 == 7) return bits & mask;
    if (pick % 12 == 5) return bits & 1u << (exponent_bits + fraction_bits);
    if (style == 1) field = bits >> fraction_bits & most;
    if (field >= most) field = most - 1;
    return (bits & mask & ~(most << fraction_bits)) | field << fraction_bits;
}

static uint32_t random_element(struct slow_random *random, enum number_format format, int center, int style)
{
    static const int exponent_bits[] = {
        [NUMBER_F16] = 5, [NUMBER_BF16] = 8, [NUMBER_TF32] = 8, [NUMBER_E4M3] = 4, [NUMBER_E5M2] = 5, [NUMBER_F32] = 8};
    static const int fraction_bits[] = {[NUMBER_F16] = 10, [NUMBER_BF16] = 7, [NUMBER_TF32] = 23,
                                        [NUMBER_E4M3] = 3, [NUMBER_E5M2] = 2, [NUMBER_F32] = 23};
    uint32_t bits = (uint32_t)(slow_random(random) >> 16);
    if (format == NUMBER_S8 || format == NUMBER_U8) return style < 2 ? bits & 0xff : bits & 1 ? 0x80 : 0x7f;
    if (format == NUMBER_S32) return style < 2 ? bits : (bits & 0x8000ffff) | ((bits >> 31) - 1) << 16 >> 1;
    if (format == NUMBER_B1) return bits;
    return random_float(random, exponent_bits[format], fraction_bits[format], center % (1 << exponent_bits[format]),
                        style);
}

static void random_case(struct slow_random *random, struct slow_wgmma *e)
{
    *e = (struct slow_wgmma){.types = (enum wgmma_types)(slow_random(random) >> 20) % WGMMA_TYPES_COUNT};
    const struct wgmma_types_row *row = wgmma_types_row(e->types);
    uint64_t pick = slow_random(random) >> 8;
    int of_a = (int)(pick & 0xff), of_b = (int)(pick >> 8 & 0xff), of_c = (int)(pick >> 16 & 0xff);
    if (pick >> 24 & 1) of_b = 256 - of_a; // products near 1
    if (pick >> 25 & 1) of_c = 127 + (int)(pick >> 26 & 3);
    if (row->d == NUMBER_F16 && (pick >> 28 & 1)) of_c = 14;
    if (row->a != NUMBER_BF16 && row->a != NUMBER_TF32) of_b = (pick >> 24 & 1) ? 30 - of_a % 30 : of_b % 30;
    if ((row->a == NUMBER_BF16 || row->a == NUMBER_TF32) && (pick >> 30 & 3) == 0) of_b = (121 - of_a) & 0xff;
    int style = (int)(pick >> 32) % 32, style_c = (int)(pick >> 37) % 32;
    for (int i = 0; i < wgmma_units(e->types); i++) {
        e->a[i] = random_element(random, row->a, of_a, style);
        e->b[i] = random_element(random, row->b, of_b, (int)(pick >> 42) % 16);
    }
    uint32_t sign = 1u << (number_format_row(row->b)->size_bits - 1);
    for (int i = 0; row->d != NUMBER_S32 && (pick >> 53 & 7) == 0 && i < row->k; i += 2) { // pairs that cancel
        e->a[i + 1] = e->a[i];
        e->b[i + 1] = e->b[i] ^ sign;
    }
    e->c = random_element(random, row->d, of_c, style_c);
    e->has_c = (pick >> 47 & 3) != 0;
    e->negate = row->d != NUMBER_S32 && (pick >> 49 & 3) == 0;
    e->satfinite = row->a == NUMBER_S8 || row->a == NUMBER_U8 ? (int)(pick >> 51 & 1) : 0;
}

// One chunk of random elements; `_i` is the chunk.
LOOP_TEST(slow_wgmma_agrees, 0, chunks_of(CHUNKS))
{
    struct slow_random random = {SEED + (uint64_t)_i};
    int numbers = 0, zeros = 0, specials = 0, integers = 0;
    for (int i = 0; i < ELEMENTS_PER_CHUNK; i++) {
        struct slow_wgmma e;
        char what[80];
        random_case(&random, &e);
        uint32_t expected = slow_wgmma(&e, SLOW_WGMMA_RIGHT);
        enum number_format d = wgmma_types_row(e.types)->d;
        snprintf(what, sizeof what, "seed 0x%" PRIx64 " chunk %d element %d", SEED, _i, i);
        require_same(&e, expected, run_model(&e), what);
        if (d == NUMBER_S32)
            integers++;
        else if (number_classify(d, expected) != NUMBER_FINITE)
            specials++;
        else
            *(expected == 0 ? &zeros : &numbers) += 1;
    }
    printf("slow wgmma: seed 0x%" PRIx64 " chunk %d: %d numbers, %d zeros, %d infinite or NaN, %d integers\n", SEED, _i,
           numbers, zeros, specials, integers);
    ck_assert_int_gt(numbers, ELEMENTS_PER_CHUNK / 4);
    ck_assert_int_gt(zeros, ELEMENTS_PER_CHUNK / 200);
    ck_assert_int_gt(specials, ELEMENTS_PER_CHUNK / 20);
    ck_assert_int_gt(integers, ELEMENTS_PER_CHUNK / 10);
}

// --- Vectors ---------------------------------------------------------------------------------------------------------

#define UNITS(...)                                                                                                     \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define C(bits) .c = bits, .has_c = 1
#define F16(d, ...)                                                                                                    \
    {                                                                                                                  \
        .types = WGMMA_##d##_F16_F16, __VA_ARGS__                                                                      \
    }
#define E4M3(...)                                                                                                      \
    {                                                                                                                  \
        .types = WGMMA_F32_E4M3_E4M3, __VA_ARGS__                                                                      \
    }
#define BF16(...)                                                                                                      \
    {                                                                                                                  \
        .types = WGMMA_F32_BF16_BF16, __VA_ARGS__                                                                      \
    }
#define TF32(...)                                                                                                      \
    {                                                                                                                  \
        .types = WGMMA_F32_TF32_TF32, __VA_ARGS__                                                                      \
    }
#define S8(...)                                                                                                        \
    {                                                                                                                  \
        .types = WGMMA_S32_S8_S8, __VA_ARGS__                                                                          \
    }

// f16: 3c00 1, bc00 -1, 0400 2^-14, 0800 2^-13, 0c00 2^-12, 0001 2^-24; bf16: 3f80 1, 0d80 2^-100, 2700 2^-49.
static const struct {
    enum rule rule;
    const char *why;
    uint32_t expected;
    struct slow_wgmma element;
} vectors[] = {
    {RULE_WGMMA_SUM, "1 + 2^-25 - 1: 25 bits are kept", 0x33000000,
     F16(F32, .a = UNITS(0x3c00, 0x0c00), .b = UNITS(0x3c00, 0x0800), C(0xbf800000))},
    {RULE_WGMMA_SUM, "1 + 2^-26 - 1: 26 are not", 0,
     F16(F32, .a = UNITS(0x3c00, 0x0800), .b = UNITS(0x3c00, 0x0800), C(0xbf800000))},
    {RULE_WGMMA_SUM, "1 + 1.5 * 2^-26 - 1: cut, not rounded", 0,
     F16(F32, .a = UNITS(0x3c00, 0x0a00), .b = UNITS(0x3c00, 0x0800), C(0xbf800000))},
    {RULE_WGMMA_SUM, "1 - 2^-26 - 1: cut toward zero", 0,
     F16(F32, .a = UNITS(0x3c00, 0x8800), .b = UNITS(0x3c00, 0x0800), C(0xbf800000))},
    {RULE_WGMMA_SUM, "1 - 1 + 2^-26 in the accumulator is cut too", 0,
     F16(F32, .a = UNITS(0x3c00, 0x3c00), .b = UNITS(0x3c00, 0xbc00), C(0x32800000))},
    {RULE_WGMMA_SUM, "1 + 2^-24 - 1: the accumulator is a term like the others", 0x33800000,
     F16(F32, .a = UNITS(0x3c00, 0x0c00), .b = UNITS(0x3c00, 0x0c00), C(0xbf800000))},
    {RULE_WGMMA_RESULT, "1 + 1.5 * 2^-23 is cut", 0x3f800001,
     F16(F32, .a = UNITS(0x0c00), .b = UNITS(0x1200), C(0x3f800000))},
    {RULE_WGMMA_RESULT, "f16: 1 + 1.5 * 2^-10 is rounded to even, up", 0x3c02,
     F16(F16, .a = UNITS(0x1600), .b = UNITS(0x3c00), C(0x3c00))},
    {RULE_WGMMA_RESULT, "f16: 1 + 0.5 * 2^-10 is rounded to even, down", 0x3c00,
     F16(F16, .a = UNITS(0x1000), .b = UNITS(0x3c00), C(0x3c00))},
    {RULE_WGMMA_RESULT, "f16: 1 + 2^-11 + 2^-25 is above the tie", 0x3c01,
     F16(F16, .a = UNITS(0x1000, 0x0c00), .b = UNITS(0x3c00, 0x0800), C(0x3c00))},
    {RULE_WGMMA_SUM_EXPONENT, "0 * 2^15 says nothing of the exponent", 0x31800000,
     F16(F32, .a = UNITS(0, 0x0400), .b = UNITS(0x7800, 0x0400))},
    {RULE_WGMMA_SUM_EXPONENT, "2^-24 is aligned as 2^-14 * 2^-10: 2^-40 beside it is lost", 0x33800000,
     F16(F32, .a = UNITS(0x0001, 0x0001), .b = UNITS(0x3c00, 0x0100))},
    {RULE_WGMMA_SUM_EXPONENT, "2^-149 - 2^-158: the last bit above the floor", 0,
     BF16(.a = UNITS(0x0d80, 0x8d80), .b = UNITS(0x2700, 0x2280))},
    {RULE_WGMMA_SUM_EXPONENT, "2^-149 - 2^-159: the first one below", 0x00000001,
     BF16(.a = UNITS(0x0d80, 0x8d80), .b = UNITS(0x2700, 0x2200))},
    {RULE_WGMMA_SUBNORMAL, "2^-24 * 1 is not flushed", 0x33800000, F16(F32, .a = UNITS(0x0001), .b = UNITS(0x3c00))},
    {RULE_WGMMA_SUBNORMAL, "2^-140 is not flushed", 0x00000200, BF16(.a = UNITS(0x0d80), .b = UNITS(0x2b80))},
    {RULE_WGMMA_TF32, "tf32 has 10 fraction bits", 0x3f800000, TF32(.a = UNITS(0x3f801fff), .b = UNITS(0x3f800000))},
    {RULE_WGMMA_TF32, "tf32: infinity with low bits is infinity", 0x7f800000,
     TF32(.a = UNITS(0x7f800001), .b = UNITS(0x3f800000))},
    {RULE_WGMMA_NAN, "a NaN accumulator", 0x7fffffff, F16(F32, .a = UNITS(0x3c00), .b = UNITS(0x3c00), C(0xffc12345))},
    {RULE_WGMMA_NAN, "a NaN accumulator that scale-d leaves out", 0x3f800000,
     F16(F32, .a = UNITS(0x3c00), .b = UNITS(0x3c00), .c = 0xffc12345)},
    {RULE_WGMMA_NAN, "f16: NaN", 0x7fff, F16(F16, .a = UNITS(0xfe00), .b = UNITS(0))},
    {RULE_WGMMA_NAN, "infinity * 0", 0x7fffffff, F16(F32, .a = UNITS(0x7c00), .b = UNITS(0))},
    {RULE_WGMMA_NAN, "infinity - infinity", 0x7fffffff,
     F16(F32, .a = UNITS(0x7c00, 0x3c00), .b = UNITS(0x3c00, 0xfc00))},
    {RULE_WGMMA_NAN, "infinity, its sign flipped", 0xff800000,
     F16(F32, .a = UNITS(0x7c00), .b = UNITS(0x3c00), .negate = 1)},
    {RULE_WGMMA_RESULT, "-2^-155 is +0", 0, BF16(.a = UNITS(0x8d80), .b = UNITS(0x2400))},
    {RULE_WGMMA_RESULT, "-0 alone is +0", 0, F16(F32, .a = UNITS(0x8000), .b = UNITS(0x3c00), C(0x80000000))},
    {RULE_WGMMA_RESULT, "f16: 65504 * 2 overflows", 0x7c00, F16(F16, .a = UNITS(0x7bff), .b = UNITS(0x4000))},
    {RULE_WGMMA_RESULT, "f16: 65504 + 15 does not", 0x7bff,
     F16(F16, .a = UNITS(0x4b80), .b = UNITS(0x3c00), C(0x7bff))},
    {RULE_WGMMA_RESULT, "f16: 65504 + 16 does", 0x7c00, F16(F16, .a = UNITS(0x4c00), .b = UNITS(0x3c00), C(0x7bff))},
    {RULE_WGMMA_SUM_FP8, "e4m3: 0x78 is 256", 0x43800000, E4M3(.a = UNITS(0x78), .b = UNITS(0x38))},
    {RULE_WGMMA_SUM_FP8, "e4m3: 1 + 2^-13 - 1: 13 bits are kept", 0x39000000,
     E4M3(.a = UNITS(0x38, 0x01), .b = UNITS(0x38, 0x18), C(0xbf800000))},
    {RULE_WGMMA_SUM_FP8, "e4m3: 1 + 2^-14 - 1: 14 are not", 0,
     E4M3(.a = UNITS(0x38, 0x01), .b = UNITS(0x38, 0x10), C(0xbf800000))},
    {RULE_WGMMA_SUM_FP8, "e4m3: 3 + 2^-13: so has the result", 0x40400000,
     E4M3(.a = UNITS(0x38, 0x38, 0x38, 0x01), .b = UNITS(0x38, 0x38, 0x38, 0x18))},
    {RULE_WGMMA_SUM_FP8, "e4m3: 0 + 1.00..01: the accumulator loses its low bits", 0x3f800000,
     E4M3(.a = UNITS(0), C(0x3f8003ff))},
    {RULE_WGMMA_INTEGER, "satfinite clamps once, at the end", 0x7ffffffe,
     S8(.a = UNITS(1, [16] = 0xff), .b = UNITS(1, [16] = 2), C(0x7fffffff), .satfinite = 1)},
    {RULE_WGMMA_INTEGER, "satfinite clamps the whole sum", 0x7fffffff,
     S8(.a = UNITS(1), .b = UNITS(1), C(0x7fffffff), .satfinite = 1)},
    {RULE_WGMMA_INTEGER, "satfinite clamps below", 0x80000000,
     S8(.a = UNITS(0xff), .b = UNITS(1), C(0x80000000), .satfinite = 1)},
    {RULE_WGMMA_INTEGER, "without it sums wrap", 0x80000000, S8(.a = UNITS(1), .b = UNITS(1), C(0x7fffffff))},
    {RULE_WGMMA_INTEGER, "u8", 255, {.types = WGMMA_S32_U8_S8, .a = UNITS(0xff), .b = UNITS(1)}},
    {RULE_WGMMA_INTEGER,
     "b1 counts bits that both have",
     4,
     {.types = WGMMA_S32_B1_B1, .a = UNITS(0xf), .b = UNITS(0x7), C(1)}},
};

static void require_vectors(enum rule rule)
{
    int count = 0;
    for (int i = 0; i < ROWS_OF(vectors); i++) {
        const struct slow_wgmma *e = &vectors[i].element;
        if (vectors[i].rule != rule) continue;
        require_same(e, vectors[i].expected, run_model(e), vectors[i].why);
        require_same(e, vectors[i].expected, slow_wgmma(e, SLOW_WGMMA_RIGHT), vectors[i].why);
        count++;
    }
    ck_assert_int_gt(count, 1);
}

TEST_CALL(wgmma_sum__terms_are_cut_to_25_bits_and_added_exactly, require_vectors(RULE_WGMMA_SUM))
TEST_CALL(wgmma_sum_fp8__terms_are_cut_to_13_bits, require_vectors(RULE_WGMMA_SUM_FP8))
TEST_CALL(wgmma_sum_exponent__products_are_not_normalised, require_vectors(RULE_WGMMA_SUM_EXPONENT))
TEST_CALL(wgmma_subnormal__nothing_is_flushed, require_vectors(RULE_WGMMA_SUBNORMAL))
TEST_CALL(wgmma_tf32__low_bits_are_dropped_first, require_vectors(RULE_WGMMA_TF32))
TEST_CALL(wgmma_result__f32_is_cut_and_f16_rounded_once, require_vectors(RULE_WGMMA_RESULT))
TEST_CALL(wgmma_nan__sign_and_payload_are_lost, require_vectors(RULE_WGMMA_NAN))
TEST_CALL(wgmma_integer__sums_wrap_or_clamp_once, require_vectors(RULE_WGMMA_INTEGER))

TEST(slow_wgmma_vectors_notice_each_misread_rule)
{
    char text[TEXT_BYTES] = "";
    for (int m = 1; m < SLOW_WGMMA_COUNT; m++) {
        bool noticed = false;
        for (int i = 0; i < ROWS_OF(vectors); i++)
            noticed |= slow_wgmma(&vectors[i].element, (enum slow_wgmma_mutant)m) != vectors[i].expected;
        size_t at = strlen(text);
        if (!noticed) snprintf(text + at, sizeof text - at, "\n%s", slow_wgmma_mutant_text((enum slow_wgmma_mutant)m));
    }
    ck_assert_msg(text[0] == 0, "no vector notices%s", text);
}
