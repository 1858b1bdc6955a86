// SPDX-License-Identifier: MIT
// The suite `bulk_case`: the family "bulk" around the model: what memory holds before, what random cases lean to.
#include <string.h>

#include "arena.h"
#include "bulk_case.h"
#include "family.h"
#include "rule_most.h"
#include "rules/bulk.h"

enum { CASES = 20000, BYTES = 1 << 20 };

// --- contents and random cases ---------------------------------------------------------------------------------------

// Two infinities meet, a quiet NaN meets a signalling one, zeros of both signs, and so on: every pair of these meets
// in a 1 MiB of source and destination.
static const struct {
    const char *operation;
    uint32_t size_bytes;
    uint64_t values[8];
} special[] = {
    {"add.noftz.f16", 2, {0x0000, 0x8000, 0x0001, 0x83ff, 0x7bff, 0xfc00, 0x7c01, 0xfe00}},
    {"min.bf16", 2, {0x0000, 0x8000, 0x0001, 0x807f, 0x7f7f, 0xff80, 0x7f81, 0xffc0}},
    {"add.f32", 4, {0, 0x80000000, 1, 0x807fffff, 0x7f7fffff, 0xff800000, 0x7f800001, 0xffc00000}},
    {"add.f64",
     8,
     {0, 0x8000000000000000, 1, 0x800fffffffffffff, 0x7fefffffffffffff, 0xfff0000000000000, 0x7ff0000000000001,
      0xfff8000000000000}},
    {"min.s32", 4, {0, 1, 2, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe}},
    {"inc.u32", 4, {0, 1, 2, 3, 4, 5, 0xfffffffe, 0xffffffff}},
    {"max.s64", 8, {0, 1, 2, INT64_MAX, 0x8000000000000000, 0x8000000000000001, UINT64_MAX, UINT64_MAX - 1}},
};

static int place_of(const uint64_t *values, const uint8_t *bytes, uint32_t size_bytes)
{
    uint64_t value = 0;
    memcpy(&value, bytes, size_bytes);
    int i = 0;
    while (i < 8 && values[i] != value) i++;
    return i;
}

LOOP_TEST(bulk_contents_let_all_limits_meet, 0, ROWS_OF(special))
{
    static uint8_t source[BYTES], destination[BYTES];
    struct bulk_case c = {.form = BULK_SHARED_TO_GLOBAL, .seed = 5};
    int met[9][9] = {{0}};
    while (strcmp(bulk_operation_names[c.operation], special[_i].operation) != 0) c.operation++;
    bulk_fill(&c, BULK_SALT_SOURCE, source, BYTES);
    bulk_fill(&c, BULK_SALT_DESTINATION, destination, BYTES);
    for (uint32_t at = 0; at < BYTES; at += special[_i].size_bytes)
        met[place_of(special[_i].values, source + at, special[_i].size_bytes)]
           [place_of(special[_i].values, destination + at, special[_i].size_bytes)]++;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) ck_assert_msg(met[i][j] > 0, "%s: %d, %d", special[_i].operation, i, j);
}

// Few faults, each of one kind; every operation with every form that has it; sizes that wrap.
TEST(bulk_generate_meets_every_operation_and_rule)
{
    static uint8_t bytes[BYTES];
    int operations[BULK_FORMS][BULK_COPY + 1] = {{0}}, rules[RULE_MOST] = {0}, faults = 0, wrapped = 0, ragged = 0;
    for (uint64_t i = 0; i < CASES; i++) {
        struct random random = random_for(1, i);
        struct bulk_case c;
        bulk_generate(&random, &c);
        ck_assert_uint_le(family_result_bytes(family_find("bulk"), &c), sizeof bytes);
        struct result result = result_at(bytes);
        family_run_model(family_find("bulk"), &c, &result);
        ck_assert_uint_le((size_t)(result.free_bytes - bytes), family_result_bytes(family_find("bulk"), &c));
        rules[result.rule]++;
        faults += result.status != 0;
        operations[c.form][c.operation] += result.status == 0;
        wrapped += result.status == 0 && c.size_bytes >= 1 << 20;
        ragged += result.status == 0 && c.size_bytes % 16 != 0;
    }
    for (int form = 0; form < BULK_FORMS; form++)
        for (int id = 0; id < BULK_REDUCTIONS; id++) {
            const struct bulk_reduction *row = bulk_reduction((enum bulk_reduction_id)id);
            bool is_legal = bulk_reduce_is_legal((enum bulk_form)form, row->op, row->dtype);
            ck_assert_msg((operations[form][id] > 0) == is_legal, "%s %s", bulk_form_names[form],
                          bulk_operation_names[id]);
        }
    ck_assert(faults > CASES / 100 && faults < CASES / 20);
    ck_assert(wrapped > 100 && ragged > 100);
    for (enum rule rule = RULE_BULK_ALIGN; rule <= RULE_BULK_REMOTE_LIMIT; rule++)
        ck_assert_msg(rules[rule] > 0, "%s", rule_row(rule)->id);
}
