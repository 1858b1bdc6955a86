// SPDX-License-Identifier: MIT
// The suite `softmax_case`: the family "softmax": its 2^x and its result against double precision, the same bits
// whichever way the states go, states of parts without keys, random cases.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "family.h"
#include "float_environment.h"
#include "mbarrier.h"
#include "softmax_case.h"
#include "softmax_math.h"

enum { CASES = 20000 };

static struct result run(const struct softmax_case *c)
{
    struct result result = result_at(malloc(family_result_bytes(&family_softmax, c)));
    family_run_model(&family_softmax, c, &result);
    return result;
}

static float float_at(const struct result *result, int window, size_t index)
{
    float value;
    memcpy(&value, result->window[window].bytes + 4 * index, sizeof value);
    return value;
}

// --- Numbers ---------------------------------------------------------------------------------------------------------

// Within two units of the last place over the whole range, exact at integers, 0 where it ends.
TEST(softmax_exp2_is_2_to_the_x)
{
    struct float_environment caller = float_environment_set_default();
    double worst = 0;
    for (int i = 0; i <= 125 * 4096; i++) {
        float x = -(float)i / 4096;
        double error = fabs((double)softmax_exp2(x) / exp2((double)x) - 1);
        if (error > worst) worst = error;
        if (i % 4096 == 0) ck_assert(softmax_exp2(x) == (float)exp2((double)x));
    }
    ck_assert_msg(worst < 0x1p-22, "relative error %g", worst);
    ck_assert(softmax_exp2(-125.01f) == 0.0f);
    ck_assert(softmax_exp2(-INFINITY) == 0.0f);
    ck_assert(softmax_exp2(-INFINITY - -INFINITY) == 0.0f);
    float_environment_put_back(&caller);
}

static double number(uint16_t bf16)
{
    uint32_t bits = (uint32_t)bf16 << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static double score_of(const struct softmax_case *c, uint32_t row, uint32_t key)
{
    double sum = 0;
    for (uint32_t d = 0; d < c->dims; d++)
        sum += number(softmax_input(c, SOFTMAX_QUERY, row * c->dims + d)) *
               number(softmax_input(c, SOFTMAX_KEY, (row * c->count + key) * c->dims + d));
    return sum / sqrt(c->dims);
}

// The textbook's formula in double precision, and what rounding may do to it.
TEST(softmax_is_near_the_exact_result)
{
    static double weight[SOFTMAX_MAX_COUNT];
    for (uint64_t i = 0; i < 150; i++) {
        struct random random = random_for(31, i);
        struct softmax_case c;
        family_generate(family_find("softmax"), &random, &c);
        if (c.count > 400) continue;
        double greatest = -INFINITY, sum = 0, tolerance = c.inputs == SOFTMAX_STEEP ? 2e-3 : 1e-5;
        struct result result = run(&c);
        for (uint32_t k = 0; k < c.count; k++) greatest = fmax(greatest, weight[k] = score_of(&c, 0, k));
        for (uint32_t k = 0; k < c.count; k++) sum += weight[k] = exp(weight[k] - greatest);
        for (uint32_t d = 0; d < c.dims; d += 7) {
            double want = 0;
            for (uint32_t k = 0; k < c.count; k++)
                want += weight[k] / sum * number(softmax_input(&c, SOFTMAX_VALUE, k * c.dims + d));
            ck_assert_double_eq_tol((double)float_at(&result, 0, SOFTMAX_GUARD_WORDS + d), want, tolerance);
        }
        free(result.first_bytes);
    }
}

// Pull, push and global give the same output and the same states, to the bit.
TEST(softmax_ways_agree)
{
    for (uint64_t i = 0; i < 60; i++) {
        struct random random = random_for(32, i);
        struct softmax_case c;
        struct result result[SOFTMAX_VARIANT_COUNT];
        family_generate(family_find("softmax"), &random, &c);
        for (c.variant = 0; c.variant < SOFTMAX_VARIANT_COUNT; c.variant++) {
            result[c.variant] = run(&c);
            for (int w = 0; w < 2; w++)
                ck_assert_mem_eq(result[c.variant].window[w].bytes, result[0].window[w].bytes,
                                 result[0].window[w].size_bytes);
        }
        for (int v = 0; v < SOFTMAX_VARIANT_COUNT; v++) free(result[v].first_bytes);
    }
}

// Three keys for five parts: the last two have none, are sent all the same, and the barrier's phase has ended.
TEST(softmax_parts_without_keys_are_sent_too)
{
    const struct softmax_case c = {SOFTMAX_PUSH, 5, 1, 64, 3, 64, SOFTMAX_PLAIN, 7};
    const size_t words = softmax_state_words(64);
    struct result result = run(&c);
    uint64_t word;
    memcpy(&word, result.window[3].bytes, sizeof word);
    struct mbarrier_fields fields = mbarrier_unpack(word);
    ck_assert_int_eq(fields.phase, 1);
    ck_assert_uint_eq(fields.pending, 1);
    ck_assert_int_eq(fields.tx, 0);
    for (size_t part = 0; part < 5; part++) {
        ck_assert_int_eq(isinf(float_at(&result, 1, part * words)) != 0, part >= 3);
        ck_assert(float_at(&result, 1, part * words + 1) == (part < 3 ? 1.0f : 0.0f));
        if (part > 0)
            ck_assert_mem_eq(result.window[2].bytes + 4 * part * words, result.window[1].bytes + 4 * part * words,
                             4 * words);
    }
    free(result.first_bytes);
}

// --- Random cases and words ------------------------------------------------------------------------------------------

// Every size of cluster in every variant, both sizes of heads, parts without keys and with a rest.
TEST(softmax_cases_reach_everything)
{
    int sizes[SOFTMAX_VARIANT_COUNT][SOFTMAX_MAX_PARTS + 1] = {{0}}, inputs[SOFTMAX_INPUTS_COUNT] = {0};
    int dims[2] = {0}, few = 0, rest = 0, long_rows = 0;
    for (uint64_t i = 0; i < CASES; i++) {
        struct random random = random_for(9, i);
        struct softmax_case c;
        family_generate(family_find("softmax"), &random, &c);
        sizes[c.variant][c.parts]++;
        inputs[c.inputs]++;
        dims[c.dims == 128]++;
        few += c.count < c.parts;
        rest += c.count % (c.parts * SOFTMAX_BATCH * c.threads * SOFTMAX_LANE_DIMS / c.dims) != 0;
        long_rows += c.count > c.parts * SOFTMAX_BATCH * c.threads * SOFTMAX_LANE_DIMS / c.dims;
    }
    for (int variant = 0; variant < SOFTMAX_VARIANT_COUNT; variant++)
        for (int size = 1; size <= SOFTMAX_MAX_PARTS; size++) ck_assert_int_gt(sizes[variant][size], 100);
    for (int i = 0; i < SOFTMAX_INPUTS_COUNT; i++) ck_assert_int_gt(inputs[i], CASES / 30);
    ck_assert_int_gt(dims[0], CASES / 3);
    ck_assert_int_gt(dims[1], CASES / 3);
    ck_assert_int_gt(few, CASES / 50);
    ck_assert_int_gt(rest, CASES / 2);
    ck_assert_int_gt(long_rows, CASES / 20);
}
