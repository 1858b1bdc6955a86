// SPDX-License-Identifier: MIT
// The suite `rmw_case`: the family "rmw": which copy each call becomes, what a CTA leaves, what random cases lean to.
#include <string.h>

#include "family.h"
#include "family_checks.h"
#include "mbarrier.h"
#include "rmw_case.h"
#include "rule_most.h"
#include "rules/bulk.h"

enum { CASES = 20000, BYTES = 1 << 20 };

static uint8_t bytes[BYTES], other[BYTES];

static struct rmw_case case_of(const char *text)
{
    struct rmw_case c;
    family_takes("rmw", text, &c);
    return c;
}

static struct result model_of(const struct rmw_case *c, uint8_t *to)
{
    struct result result = result_at(to);
    family_run_model(family_find("rmw"), c, &result);
    return result;
}

#define CASE(form, type, rest)                                                                                         \
    "{\"form\": \"" form "\", \"type\": \"" type "\", \"issuer\": \"elected\", \"seed\": 1, " rest "}"
#define SHAPE(threads, count, tile, offset)                                                                            \
    "\"threads\": " threads ", \"count\": " count ", \"tile\": " tile ", \"offset\": " offset

// --- which copy ------------------------------------------------------------------------------------------------------

// The first tile of 8 elements at 16 bytes past a multiple of 128, or `offset`: the bytes that the barrier awaits when
// the call is done, and what the call returned; or the fault.
static const struct {
    const char *text, *why;
    enum rule rule;
    uint32_t bulk_bytes, fulfilled;
} calls[] = {
    {CASE("memcpy_async_aligned", "u8", SHAPE("32", "70", "64", "16")), "the size says 16", RULE_OK, 64, 1},
    {CASE("memcpy_async_aligned", "u8", SHAPE("32", "70", "64", "8")), "and nobody looks", RULE_BULK_ALIGN, 0, 0},
    {CASE("memcpy_async", "u8", SHAPE("32", "70", "64", "16")), "1: plain loads, aligned or not", RULE_OK, 0, 0},
    {CASE("memcpy_async", "f16", SHAPE("32", "70", "64", "2")), "2: plain loads", RULE_OK, 0, 0},
    {CASE("memcpy_async", "u32", SHAPE("32", "70", "64", "16")), "4: cp.async, aligned or not", RULE_OK, 0, 1},
    {CASE("memcpy_async", "f32", SHAPE("32", "70", "64", "4")), "4: cp.async", RULE_OK, 0, 1},
    {CASE("memcpy_async", "f64", SHAPE("32", "70", "64", "8")), "8: cp.async", RULE_OK, 0, 1},
    {CASE("memcpy_async", "u32x4", SHAPE("32", "70", "64", "16")), "16: a bulk copy", RULE_OK, 1024, 1},
    {CASE("memcpy_async_group", "u32", SHAPE("64", "70", "64", "4")), "the group's is not looked at", RULE_OK, 0, 1},
    {CASE("memcpy_async_group", "u8", SHAPE("64", "70", "64", "1")), "plain loads of all threads", RULE_OK, 0, 0},
    {CASE("memcpy_async_tx", "f16", SHAPE("32", "70", "64", "32")), "always a bulk copy", RULE_OK, 128, 1},
    {CASE("memcpy_async_tx", "f16", SHAPE("32", "70", "64", "2")), "also when it faults", RULE_BULK_ALIGN, 0, 0},
    {CASE("cp_async_bulk", "u64", SHAPE("32", "70", "64", "0")), "returns nothing", RULE_OK, 512, 2},
    {CASE("cp_async_bulk", "u64", SHAPE("32", "70", "64", "8")), "faults too", RULE_BULK_ALIGN, 0, 0},
    {CASE("cp_async_bulk", "u32", SHAPE("32", "70", "35", "0")), "the second tile is misaligned", RULE_BULK_ALIGN, 0,
     0},
    {CASE("memcpy_async_tx", "u32", SHAPE("32", "3", "3", "4")), "12 bytes need no bulk copy", RULE_OK, 0, 1},
};

LOOP_TEST(bulk_align__rmw_faults_where_the_call_asks_for_a_bulk_copy, 0, ROWS_OF(calls))
{
    struct rmw_case c = case_of(calls[_i].text);
    struct result result = model_of(&c, bytes);
    ck_assert_msg(result.rule == calls[_i].rule, "%s: rule %d", calls[_i].why, (int)result.rule);
    ck_assert_int_eq(result.status, calls[_i].rule == RULE_OK ? 0 : 716);
    if (result.rule != RULE_OK) return;
    struct rmw_log log;
    memcpy(&log, result.window[3].bytes, sizeof log);
    struct mbarrier_fields end = mbarrier_unpack(log.word);
    ck_assert_msg(log.bulk_bytes == calls[_i].bulk_bytes, "%s: %u bytes", calls[_i].why, log.bulk_bytes);
    ck_assert_uint_eq(log.fulfilled, calls[_i].fulfilled);
    ck_assert_int_eq(end.phase, 1);
    ck_assert_int_eq(end.tx, 0);
    ck_assert_uint_eq(end.pending, c.threads);
}

// --- what it leaves --------------------------------------------------------------------------------------------------

// All forms leave the same array, and around it nothing changes; tiles are loaded as they were, and stored 1 higher.
TEST(rmw_leaves_every_element_one_higher)
{
    for (uint32_t form = 0; form < RMW_FORMS; form++) {
        struct rmw_case c = case_of(CASE("memcpy_async", "u32", SHAPE("64", "75", "20", "16")));
        c.form = form;
        struct result result = model_of(&c, bytes);
        ck_assert_int_eq(result.status, 0);
        const uint8_t *array = result.window[0].bytes + RMW_SURROUND_BYTES + 16;
        const uint32_t guarded = rmw_guarded_bytes(80);
        for (uint32_t i = 0; i < 75; i++) {
            uint32_t before, after, now, place = i / 20 * guarded + RMW_GUARD_BYTES + i % 20 * 4;
            memcpy(&before, result.window[1].bytes + place, 4);
            memcpy(&after, result.window[2].bytes + place, 4);
            memcpy(&now, array + 4 * i, 4);
            ck_assert_uint_eq(now, after);
            ck_assert_uint_eq(after, before + 1);
        }
        uint32_t canary;
        memcpy(&canary, result.window[2].bytes + 3 * guarded + RMW_GUARD_BYTES + 15 * 4, 4);
        ck_assert_uint_eq(canary, rmw_canary(RMW_GUARD_BYTES + 15 * 4));
        if (form == 0) memcpy(other, result.window[0].bytes, result.window[0].size_bytes);
        ck_assert_mem_eq(other, result.window[0].bytes, result.window[0].size_bytes);
    }
}

static const struct {
    enum rmw_type type;
    uint64_t from, to;
    const char *why;
} sums[] = {
    {RMW_U8, 0xff, 0, "wraps"},
    {RMW_U32, 0xffffffff, 0, "wraps"},
    {RMW_U64, UINT64_MAX, 0, "wraps"},
    {RMW_F16, 0x0001, 0x3c00, "a subnormal is lost in 1"},
    {RMW_F16, 0x6800, 0x6800, "2048 + 1 is halfway, and even is 2048"},
    {RMW_F16, 0x6801, 0x6802, "2050 + 1 is halfway, and even is 2052"},
    {RMW_F16, 0xbc00, 0x0000, "-1 + 1 is +0"},
    {RMW_F16, 0xfe01, 0x7fff, "a NaN becomes the canonical one"},
    {RMW_F32, 0x4b800000, 0x4b800000, "2^24 + 1 is halfway, and even is 2^24"},
    {RMW_F32, 0x4b800001, 0x4b800002, "2^24 + 3 is halfway, and even is 2^24 + 4"},
    {RMW_F32, 0xffc00001, 0x7fffffff, "a NaN becomes the canonical one"},
    {RMW_F32, 0xff800000, 0xff800000, "-inf stays"},
    {RMW_F64, 0x4340000000000000, 0x4340000000000000, "2^53 + 1 is halfway"},
    {RMW_F64, 0xfff0000000000001, 0xfff8000000000001, "a NaN is only made quiet"},
    {RMW_F64, 0x7fffffffffffffff, 0x7fffffffffffffff, "a quiet NaN stays"},
    {RMW_F64, 0x7ff0000000000000, 0x7ff0000000000000, "inf stays"},
    {RMW_F64, 0x3ff0000000000000, 0x4000000000000000, "1 + 1"},
};

LOOP_TEST(rmw_adds_1_as_the_type_does, 0, ROWS_OF(sums))
{
    uint8_t element[16] = {0};
    uint64_t found = 0;
    memcpy(element, &sums[_i].from, 8);
    rmw_add_1(sums[_i].type, element);
    memcpy(&found, element, rmw_element_bytes(sums[_i].type));
    ck_assert_msg(found == sums[_i].to, "%s: 0x%llx", sums[_i].why, (unsigned long long)found);
}

TEST(rmw_adds_1_to_each_of_four)
{
    uint32_t element[4] = {0, 1, UINT32_MAX, 7};
    rmw_add_1(RMW_U32X4, (uint8_t *)element);
    ck_assert_uint_eq(element[0], 1);
    ck_assert_uint_eq(element[1], 2);
    ck_assert_uint_eq(element[2], 0);
    ck_assert_uint_eq(element[3], 8);
}

// --- random cases ----------------------------------------------------------------------------------------------------

// Every kernel runs; few faults, of one rule; tails that no bulk copy carries; last tiles of every kind.
TEST(rmw_generate_meets_every_kernel_and_remainder)
{
    int kernels[RMW_FORMS][RMW_TYPES][RMW_ISSUERS] = {{{0}}}, rules[RULE_MOST] = {0};
    int tails = 0, whole = 0, one = 0, unaligned = 0;
    for (uint64_t i = 0; i < CASES; i++) {
        struct random random = random_for(1, i);
        struct rmw_case c;
        family_generate(family_find("rmw"), &random, &c);
        size_t bound = family_result_bytes(family_find("rmw"), &c);
        ck_assert_uint_le(bound, BYTES);
        struct result result = model_of(&c, bytes);
        rules[result.rule]++;
        if (result.status != 0) continue;
        ck_assert_uint_eq((size_t)(result.free_bytes - bytes), bound);
        kernels[c.form][c.type][c.issuer]++;
        uint32_t size = rmw_element_bytes((enum rmw_type)c.type), last = (c.count - 1) % c.tile + 1;
        tails += last * size % 16 != 0 && rmw_path((enum rmw_form)c.form, (enum rmw_type)c.type) == RMW_BULK;
        whole += last == c.tile;
        one += last == 1;
        unaligned += c.offset % 16 != 0;
    }
    for (int form = 0; form < RMW_FORMS; form++)
        for (int type = 0; type < RMW_TYPES; type++)
            for (int issuer = 0; issuer < RMW_ISSUERS; issuer++) ck_assert_int_gt(kernels[form][type][issuer], 20);
    ck_assert_int_eq(rules[RULE_OK] + rules[RULE_BULK_ALIGN], CASES);
    ck_assert_int_gt(rules[RULE_BULK_ALIGN], 100);
    ck_assert_int_gt(tails, 1000);
    ck_assert_int_gt(whole, 1000);
    ck_assert_int_gt(one, 200);
    ck_assert_int_gt(unaligned, 1000);
}
