// SPDX-License-Identifier: MIT
// Compares the numbers of model/mma with the slow second model, on random elements of every form and on the vectors,
// whose results are worked out by hand; and shows that the vectors notice every misread rule.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "chunks.h"
#include "mma.h"
#include "mma_job.h"
#include "rule.h"
#include "rules/mma.h"
#include "slow_mma.h"
#include "slow_test.h"
#include "slow_vectors.h"

TEST_FILE(.suite = "slow", .seconds = 120);

enum { CHUNKS = 4, ELEMENTS_PER_CHUNK = 20000, TEXT_BYTES = 4096 };
static const uint64_t SEED = 0x33a;

static uint64_t run_model(const struct slow_mma *e)
{
    struct mma_vector a, b;
    mma_vector_read(e->form, MMA_OF_A, e->a, &a);
    mma_vector_read(e->form, MMA_OF_B, e->b, &b);
    return mma_dot(e->form, &a, &b, e->c);
}

static void require_same(const struct slow_mma *e, uint64_t expected, uint64_t found, const char *what)
{
    char text[TEXT_BYTES];
    int at = 0;
    if (expected == found) return;
    for (int i = 0; i < mma_units(e->form); i++)
        at += snprintf(text + at, sizeof text - (size_t)at, " %" PRIx64 "*%" PRIx64, e->a[i], e->b[i]);
    ck_abort_msg("%s: %s: 0x%" PRIx64 ", not 0x%" PRIx64 "; c 0x%" PRIx64 ",%s", what, mma_row(e->form)->name, found,
                 expected, e->c, text);
}

// --- Random elements -------------------------------------------------------------------------------------------------

static struct wgmma_layout layout_of(enum number_format format)
{
    const struct number_format_row *row = number_format_row(format);
    return (struct wgmma_layout){(uint32_t)row->size_bits, (uint32_t)row->exponent_bits,
                                 (uint32_t)(row->fraction_bits + row->ignored_bits)};
}

// Contents of registers as the kernel has them, in every style; one unit of each.
static uint64_t random_unit(struct slow_random *random, enum number_format format, uint32_t seed, uint32_t salt)
{
    uint64_t bits = mma_word(layout_of(format), seed, salt, (uint32_t)(slow_random(random) >> 30));
    int width = number_format_row(format)->size_bits;
    return format == NUMBER_B1 || width >= 32 ? bits : bits & (((uint64_t)1 << width) - 1);
}

static void random_case(struct slow_random *random, struct slow_mma *e)
{
    *e = (struct slow_mma){.form = (enum mma_form)((slow_random(random) >> 20) % MMA_FORMS)};
    const struct mma_row *row = mma_row(e->form);
    uint32_t seed = (uint32_t)(slow_random(random) >> 24), sign = row->d == NUMBER_F64 ? 63 : 0;
    for (int i = 0; i < mma_units(e->form); i++) {
        e->a[i] = random_unit(random, row->a, seed, WGMMA_SALT_A);
        e->b[i] = random_unit(random, row->b, seed, WGMMA_SALT_B);
    }
    if (sign == 0) sign = (uint32_t)number_format_row(row->b)->size_bits - 1;
    for (int i = 0; mma_special(seed) == MMA_CANCELS && row->d != NUMBER_S32 && i < mma_units(e->form) / 2; i += 2) {
        e->a[i + 1] = e->a[i];
        e->b[i + 1] = e->b[i] ^ (uint64_t)1 << sign;
    }
    e->c = random_unit(random, row->d, seed, WGMMA_SALT_D);
}

// One chunk of random elements; `_i` is the chunk.
LOOP_TEST(slow_mma_agrees, 0, chunks_of(CHUNKS))
{
    struct slow_random random = {SEED + (uint64_t)_i};
    int forms[MMA_FORMS] = {0};
    for (int i = 0; i < ELEMENTS_PER_CHUNK; i++) {
        struct slow_mma e;
        char what[80];
        random_case(&random, &e);
        forms[e.form]++;
        snprintf(what, sizeof what, "seed 0x%" PRIx64 " chunk %d element %d", SEED, _i, i);
        require_same(&e, slow_mma(&e, SLOW_MMA_RIGHT), run_model(&e), what);
    }
    for (int i = 0; i < MMA_FORMS; i++) ck_assert_int_gt(forms[i], ELEMENTS_PER_CHUNK / MMA_FORMS / 2);
}

// --- Vectors ---------------------------------------------------------------------------------------------------------

#define UNITS(...)                                                                                                     \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define V(f, ...)                                                                                                      \
    {                                                                                                                  \
        .form = MMA_##f, __VA_ARGS__                                                                                   \
    }

// f16: 3c00 1, 0800 2^-13, 0c00 2^-12; e4m3: 38 1, 08 2^-6, 01 2^-9, 78 256; e5m2: 3c 1, 01 2^-16.
// f64: 3ff0... 1, 3cb0... 2^-52, 3ca0... 2^-53.
#define ONE  0x3ff0000000000000
#define MONE 0xbff0000000000000
static const struct {
    enum rule rule;
    const char *why;
    uint64_t expected;
    struct slow_mma element;
} vectors[] = {
    {RULE_MMA_SUM, "1 + 2^-25 - 1: 25 bits are kept", 0x33000000,
     V(M16K16_F32_F16_F16_PLAIN, .a = UNITS(0x3c00, 0x0c00), .b = UNITS(0x3c00, 0x0800), .c = 0xbf800000)},
    {RULE_MMA_SUM, "k 0 and k 8 are in one sum: 1 + 2^-25 - 1", 0x33000000,
     V(M16K16_F32_F16_F16_PLAIN, .a = UNITS(0x3c00, 0x0c00, [8] = 0x3c00), .b = UNITS(0x3c00, 0x0800, [8] = 0xbc00))},
    {RULE_MMA_SUM, "2^-149 - 2^-159, tf32: the first bit below the floor is lost", 1,
     V(M16K4_F32_TF32_TF32_PLAIN, .a = UNITS(0x0d800000, 0x8d800000), .b = UNITS(0x27000000, 0x22000000))},
    {RULE_MMA_SUM, "f16: 1 + 1.5 * 2^-10 is rounded to even", 0x3c02,
     V(M16K8_F16_F16_F16_PLAIN, .a = UNITS(0x1600), .b = UNITS(0x3c00), .c = 0x3c00)},
    {RULE_MMA_FP8, "e4m3: 0x78 is 256", 0x43800000, V(M16K32_F32_E4M3_E4M3_PLAIN, .a = UNITS(0x78), .b = UNITS(0x38))},
    {RULE_MMA_FP8, "e4m3: 0 + 1.00..01: C keeps all its bits", 0x3f8003ff,
     V(M16K32_F32_E4M3_E4M3_PLAIN, .c = 0x3f8003ff)},
    {RULE_MMA_FP8, "e4m3: 1 + 2^-18 stands, 13 bits would lose it", 0x3f800020,
     V(M16K32_F32_E4M3_E4M3_PLAIN, .a = UNITS(0x38, 0x01), .b = UNITS(0x38, 0x01))},
    {RULE_MMA_FP8, "e5m2: 1 + 2^-32 - 1, elements 0, 1 and 2: only the first two meet in the first sum", 0,
     V(M16K32_F32_E5M2_E5M2_PLAIN, .a = UNITS(0x3c, 0x01, 0x3c), .b = UNITS(0x3c, 0x01, 0xbc))},
    {RULE_MMA_FP8, "e5m2: elements 2 and 3 come second: 1 - 1 and then 2^-32", 0x2f800000,
     V(M16K32_F32_E5M2_E5M2_PLAIN, .a = UNITS(0x3c, 0x3c, 0x01), .b = UNITS(0x3c, 0xbc, 0x01))},
    {RULE_MMA_FP8, "e5m2: elements 0 and 1 come first: 2^-32 is cut beside 1 in the second sum", 0,
     V(M16K32_F32_E5M2_E5M2_PLAIN, .a = UNITS(0x01, 0, 0x3c, 0x3c), .b = UNITS(0x01, 0, 0x3c, 0xbc))},
    {RULE_MMA_FP8, "e5m2: elements 0 and 16 meet in the first sum: 1 + 2^-32 - 1 is 0, also with 2^-32 in it", 0,
     V(M16K32_F32_E5M2_E5M2_PLAIN, .a = UNITS(0x3c, 0x01, [16] = 0x3c), .b = UNITS(0x3c, 0x01, [16] = 0xbc))},
    {RULE_MMA_FP8, "e5m2: elements 0 and 16 cancel before elements 2 are looked at", 0x2f800000,
     V(M16K32_F32_E5M2_E5M2_PLAIN, .a = UNITS(0x3c, 0, 0x01, [16] = 0x3c), .b = UNITS(0x3c, 0, 0x01, [16] = 0xbc))},
    {RULE_MMA_FP8, "C is added last and rounded: 1 + 1.5 * 2^-23 is 1 + 2^-22", 0x3f800002,
     V(M16K32_F32_E5M2_E5M2_PLAIN, .a = UNITS(0x0c), .b = UNITS(0x12), .c = 0x3f800000)},
    {RULE_MMA_FP8, "f16: 2048 + 1 + 1: the second sum is on top of the first, then C", 0x6801,
     V(M16K16_F16_E5M2_E5M2_PLAIN, .a = UNITS(0x3c, 0, 0x3c), .b = UNITS(0x3c, 0, 0x3c), .c = 0x6800)},
    {RULE_MMA_FP8, "f16: 2048 + 1 - 2048 + 2048", 0x6800,
     V(M16K16_F16_E5M2_E5M2_PLAIN, .a = UNITS(0x68, 0x3c), .b = UNITS(0x3c, 0x3c), .c = 0)},
    {RULE_MMA_FP8, "f16: elements 0 and 2 are rounded on top of each other: 2048 + 1 + 1.5", 0x6801,
     V(M16K16_F16_E5M2_E5M2_PLAIN, .a = UNITS(0x68, 0x3c, 0x3c, 0x38), .b = UNITS(0x3c, 0x3c, 0x3c, 0x3c))},
    {RULE_MMA_FP8, "e5m2: 2^-16 * 1 is not flushed", 0x37800000,
     V(M16K16_F32_E5M2_E4M3_PLAIN, .a = UNITS(0x01), .b = UNITS(0x38))},
    {RULE_MMA_INTEGER, "satfinite clamps once: 2^31 - 1 + 1 - 2", 0x7ffffffe,
     V(M16K32_S32_S8_S8_SATFINITE, .a = UNITS(1, [16] = 0xff), .b = UNITS(1, [16] = 2), .c = 0x7fffffff)},
    {RULE_MMA_INTEGER, "satfinite clamps the whole sum", 0x7fffffff,
     V(M8K32_S32_S4_U4_SATFINITE, .a = UNITS(1), .b = UNITS(1), .c = 0x7fffffff)},
    {RULE_MMA_INTEGER, "s4: 15 is -1", 0xfffffff1,
     V(M16K64_S32_S4_U4_PLAIN, .a = UNITS([63] = 15), .b = UNITS([63] = 15))},
    {RULE_MMA_INTEGER, "without it sums wrap", 0x80000000,
     V(M8K16_S32_U8_U8_PLAIN, .a = UNITS(1), .b = UNITS(1), .c = 0x7fffffff)},
    {RULE_MMA_BITS, "and", 5, V(M8K128_S32_B1_B1_AND, .a = UNITS(0xf), .b = UNITS(0x17), .c = 2)},
    {RULE_MMA_BITS, "xor", 4, V(M16K256_S32_B1_B1_XOR, .a = UNITS([7] = 0xf), .b = UNITS([7] = 0x17), .c = 2)},
    {RULE_MMA_F64, "1 + 2^-53 - 1 + 2^-53: each step is rounded, k ascending", 0x3ca0000000000000,
     V(M8K4_F64_F64_F64_PLAIN, .a = UNITS(0x3ca0000000000000, MONE, 0x3ca0000000000000), .b = UNITS(ONE, ONE, ONE),
       .c = ONE)},
    {RULE_MMA_F64, "(1 + 2^-52)^2 - (1 + 2^-51) is 2^-104: products are not rounded", 0x3970000000000000,
     V(M16K16_F64_F64_F64_PLAIN, .a = UNITS(0x3ff0000000000001), .b = UNITS(0x3ff0000000000001),
       .c = 0xbff0000000000002)},
    {RULE_MMA_F64, "k descending would keep 2^-53: -1 last", 0,
     V(M16K8_F64_F64_F64_PLAIN, .a = UNITS(0x3ca0000000000000, MONE), .b = UNITS(ONE, ONE), .c = ONE)},
    {RULE_MMA_F64_NAN, "B before the sum before A", 0x7ff8000000000003,
     V(M8K4_F64_F64_F64_PLAIN, .a = UNITS(0x7ff8000000000001), .b = UNITS(0x7ff0000000000003),
       .c = 0xfff8000000000002)},
    {RULE_MMA_F64_NAN, "the sum before A", 0xfff8000000000002,
     V(M8K4_F64_F64_F64_PLAIN, .a = UNITS(0x7ff8000000000001), .b = UNITS(ONE), .c = 0xfff8000000000002)},
    {RULE_MMA_F64_NAN, "a signaling NaN becomes quiet", 0x7ff8000000000001,
     V(M16K4_F64_F64_F64_PLAIN, .a = UNITS(0x7ff0000000000001), .b = UNITS(ONE))},
    {RULE_MMA_F64_NAN, "infinity * 0", 0xfff8000000000000, V(M16K4_F64_F64_F64_PLAIN, .a = UNITS(0x7ff0000000000000))},
    {RULE_MMA_F64_NAN, "infinity - infinity", 0xfff8000000000000,
     V(M16K4_F64_F64_F64_PLAIN, .a = UNITS(0x7ff0000000000000), .b = UNITS(ONE), .c = 0xfff0000000000000)},
};

static void require_vectors(enum rule rule)
{
    int count = 0;
    for (int i = 0; i < ROWS_OF(vectors); i++) {
        const struct slow_mma *e = &vectors[i].element;
        if (vectors[i].rule != rule) continue;
        require_same(e, vectors[i].expected, run_model(e), vectors[i].why);
        require_same(e, vectors[i].expected, slow_mma(e, SLOW_MMA_RIGHT), vectors[i].why);
        count++;
    }
    ck_assert_int_gt(count, 1);
}

TEST_CALL(mma_sum__is_one_sum_whatever_k, require_vectors(RULE_MMA_SUM))
TEST_CALL(mma_fp8__is_two_sums_of_f16_and_an_addition, require_vectors(RULE_MMA_FP8))
TEST_CALL(mma_integer__sums_wrap_or_clamp_once, require_vectors(RULE_MMA_INTEGER))
TEST_CALL(mma_bits__are_counted, require_vectors(RULE_MMA_BITS))
TEST_CALL(mma_f64__is_a_chain_of_fused_multiply_adds, require_vectors(RULE_MMA_F64))
TEST_CALL(mma_f64_nan__is_that_of_b_then_of_the_sum_then_of_a, require_vectors(RULE_MMA_F64_NAN))

TEST(slow_mma_vectors_notice_each_misread_rule)
{
    char text[TEXT_BYTES] = "";
    for (int m = 1; m < SLOW_MMA_COUNT; m++) {
        bool noticed = false;
        for (int i = 0; i < ROWS_OF(vectors); i++)
            noticed |= slow_mma(&vectors[i].element, (enum slow_mma_mutant)m) != vectors[i].expected;
        size_t at = strlen(text);
        if (!noticed) snprintf(text + at, sizeof text - at, "\n%s", slow_mma_mutant_text((enum slow_mma_mutant)m));
    }
    ck_assert_msg(text[0] == 0, "no vector notices%s", text);
}
