// SPDX-License-Identifier: MIT
// The suite `prefetch_case`: the family "prefetch": what a pipeline leaves, and what random cases lean to.
#include <string.h>

#include "family.h"
#include "family_checks.h"
#include "mbarrier.h"
#include "prefetch_case.h"
#include "rule_most.h"
#include "rules/bulk.h"

enum { CASES = 8000, BYTES = 1 << 20 };

static uint8_t bytes[BYTES], other[BYTES];

static struct prefetch_case case_of(const char *text)
{
    struct prefetch_case c;
    family_takes("prefetch", text, &c);
    return c;
}

static struct result model_of(const struct prefetch_case *c, uint8_t *to)
{
    struct result result = result_at(to);
    family_run_model(family_find("prefetch"), c, &result);
    return result;
}

#define CASE(stages, stores, ctas, length, batch, rest)                                                                \
    "{\"stages\": " stages ", \"stores\": " stores ", \"ctas\": " ctas ", \"bytes\": " length ", \"batch\": " batch    \
    ", " rest ", \"seed\": 1}"
#define REST "\"threads\": 64, \"offset\": 16, \"in_place\": 0"

// --- what it leaves --------------------------------------------------------------------------------------------------

// 11 batches of 48 bytes and one of 40 on 2 CTAs: 6 turns each through 4 stages. Batch 10 is in stage 1 of CTA 0, and
// of the last batch stage 1 of CTA 1 holds 32 bytes, the rest of batch 3 behind them.
TEST(prefetch_leaves_elements_one_higher_and_the_last_turns_in_the_stages)
{
    struct prefetch_case c = case_of(CASE("4", "2", "2", "568", "48", REST));
    struct result result = model_of(&c, bytes);
    ck_assert_int_eq(result.status, 0);
    ck_assert_int_eq(result.windows, 4);
    const uint8_t *source = result.window[0].bytes + PREFETCH_SURROUND_BYTES + 16;
    const uint8_t *destination = result.window[1].bytes + PREFETCH_SURROUND_BYTES + 16;
    for (uint32_t at = 0; at < 568; at += 4) {
        uint32_t from, to;
        memcpy(&from, source + at, 4);
        memcpy(&to, destination + at, 4);
        ck_assert_uint_eq(to, from + 1);
    }
    const uint8_t *cta0 = result.window[3].bytes + PREFETCH_GUARD_BYTES;
    const uint8_t *cta1 = cta0 + prefetch_stages_bytes(48, 4);
    ck_assert_mem_eq(cta0 + PREFETCH_PITCH_BYTES, destination + 10 * 48, 48);
    ck_assert_mem_eq(cta0 + 2 * PREFETCH_PITCH_BYTES, destination + 4 * 48, 48);
    ck_assert_mem_eq(cta1 + PREFETCH_PITCH_BYTES, destination + 11 * 48, 32);
    ck_assert_mem_eq(cta1 + PREFETCH_PITCH_BYTES + 32, destination + 3 * 48 + 32, 16);
}

// Stages 0 and 1 had two phases, 2 and 3 one.
TEST(mbarrier_wait_parity__prefetch_flips_it_once_a_turn)
{
    struct prefetch_case c = case_of(CASE("4", "2", "2", "568", "48", REST));
    struct result result = model_of(&c, bytes);
    for (int i = 0; i < 8; i++) {
        uint64_t word;
        memcpy(&word, result.window[2].bytes + 8 * i, 8);
        struct mbarrier_fields fields = mbarrier_unpack(word);
        ck_assert_int_eq(fields.phase, i % 4 < 2 ? 0 : 1);
        ck_assert_uint_eq(fields.pending, 1);
        ck_assert_int_eq(fields.tx, 0);
    }
}

TEST(prefetch_in_place_leaves_the_same)
{
    struct prefetch_case c = case_of(CASE("3", "0", "5", "2044", "64", REST));
    struct result apart = model_of(&c, bytes);
    c.in_place = 1;
    struct result in_place = model_of(&c, other);
    const uint32_t start = PREFETCH_SURROUND_BYTES + 16;
    ck_assert_int_eq(in_place.windows, 3);
    ck_assert_mem_eq(apart.window[1].bytes + start, in_place.window[0].bytes + start, 2044);
    for (int i = 1; i < 3; i++)
        ck_assert_mem_eq(apart.window[i + 1].bytes, in_place.window[i].bytes, in_place.window[i].size_bytes);
}

TEST(bulk_align__prefetch_faults)
{
    struct prefetch_case c = case_of(CASE("4", "2", "2", "568", "48", REST));
    c.offset = 4;
    ck_assert_int_eq(model_of(&c, bytes).rule, RULE_BULK_ALIGN);
    c.offset = 16;
    c.batch_bytes = 52;
    ck_assert_int_eq(model_of(&c, bytes).rule, RULE_BULK_ALIGN);
    c.offset = 4;
    c.count_bytes = 12;
    ck_assert_int_eq(model_of(&c, bytes).rule, RULE_OK);
}

// --- random cases ----------------------------------------------------------------------------------------------------

// Every number of stages with every number of stores; few faults, of one rule; CTAs with nothing to do, rings that turn
// more than twice, tails that no bulk copy carries.
TEST(prefetch_generate_meets_every_ring)
{
    int rings[PREFETCH_MAX_STAGES + 1][PREFETCH_MAX_STORES + 1] = {{0}}, rules[RULE_MOST] = {0};
    int idle = 0, turns = 0, tails = 0, short_batches = 0;
    for (uint64_t i = 0; i < CASES; i++) {
        struct random random = random_for(1, i);
        struct prefetch_case c;
        family_generate(family_find("prefetch"), &random, &c);
        size_t bound = family_result_bytes(family_find("prefetch"), &c);
        ck_assert_uint_le(bound, BYTES);
        struct result result = model_of(&c, bytes);
        rules[result.rule]++;
        if (result.status != 0) continue;
        ck_assert_uint_eq((size_t)(result.free_bytes - bytes), bound);
        uint32_t batches = (c.count_bytes + c.batch_bytes - 1) / c.batch_bytes;
        rings[c.stages][c.stores]++;
        idle += batches < c.ctas;
        turns += batches > 2 * c.ctas * c.stages;
        tails += c.count_bytes % 16 != 0;
        short_batches += c.count_bytes % c.batch_bytes != 0;
    }
    for (int stages = 1; stages <= PREFETCH_MAX_STAGES; stages++)
        for (int stores = 0; stores < stages && stores <= PREFETCH_MAX_STORES; stores++)
            ck_assert_int_gt(rings[stages][stores], 10);
    ck_assert_int_eq(rules[RULE_OK] + rules[RULE_BULK_ALIGN], CASES);
    ck_assert_int_gt(rules[RULE_BULK_ALIGN], 20);
    ck_assert_int_gt(idle, 100);
    ck_assert_int_gt(turns, 500);
    ck_assert_int_gt(tails, 1000);
    ck_assert_int_gt(short_batches, 1000);
}
