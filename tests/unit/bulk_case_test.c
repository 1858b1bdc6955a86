// SPDX-License-Identifier: MIT
// The suite `bulk_case`: the family "bulk" around the model: JSON both ways, what memory holds before, what random
// cases lean to, and the words for a mismatch.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "bulk_case.h"
#include "family.h"
#include "family_checks.h"

Suite *bulk_case_suite(void);

enum { CASES = 20000, BYTES = 1 << 20 };

static struct bulk_case case_of(const char *text)
{
    struct bulk_case c;
    family_takes("bulk", text, &c);
    return c;
}

// --- JSON ------------------------------------------------------------------------------------------------------------

#define CASE(form, operation, places, size)                                                                            \
    "{\"form\": \"" form "\", \"operation\": \"" operation "\", " places ", \"size\": " size ", \"seed\": 1"
#define EXPECTS ", \"expect\": 16}"

static const struct {
    const char *text, *why;
} refused[] = {
    {CASE("local_to_shared", "copy", "\"from\": 4096, \"to\": 8192", "16") EXPECTS, "\"form\" is none of"},
    {CASE("shared_to_other", "add.s64", "\"from\": 4096, \"to\": 8192", "16") EXPECTS, "\"operation\" is none of"},
    {CASE("shared_to_other", "add.f32", "\"from\": 4096, \"to\": 8192", "16") EXPECTS, "none that PTX has"},
    {CASE("global_to_shared", "add.u32", "\"from\": 17592186044416, \"to\": 8192", "16") EXPECTS, "none that PTX has"},
    {CASE("global_to_shared", "copy", "\"from\": 4096, \"to\": 8192", "16") EXPECTS, "of the arena"},
    {CASE("shared_to_other", "copy", "\"from\": 2047, \"to\": 8192", "16") EXPECTS, "\"from\" is a shared address"},
    {CASE("shared_to_other", "copy", "\"from\": 4096, \"to\": 262144", "16") EXPECTS, "\"to\" is a shared address"},
    {CASE("shared_to_global", "copy", "\"from\": 4096, \"to\": 17592186044416", "16") "}", "past the arena's end"},
    {CASE("shared_to_global", "copy", "\"from\": 4096, \"to\": \"0x200000000000\"", "16") EXPECTS, "expect"},
    {CASE("shared_to_own", "copy", "\"from\": 4096, \"to\": 4111", "32") EXPECTS, "overlap"},
    {CASE("registers_to_other", "copy", "\"to\": 4096", "12") EXPECTS, "4, 8 or 16"},
    {CASE("registers_to_other", "add.u64", "\"to\": 4096", "4") EXPECTS, "that of its type"},
    {CASE("registers_to_other", "copy", "\"from\": 0, \"to\": 4096", "4") EXPECTS, "from"},
};
enum { REFUSED = sizeof refused / sizeof refused[0] };

START_TEST(bulk_case_that_cannot_run_is_refused)
{
    family_refuses("bulk", refused[_i].text, refused[_i].why);
}
END_TEST

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
enum { SPECIAL = sizeof special / sizeof special[0] };

static int place_of(const uint64_t *values, const uint8_t *bytes, uint32_t size_bytes)
{
    uint64_t value = 0;
    memcpy(&value, bytes, size_bytes);
    int i = 0;
    while (i < 8 && values[i] != value) i++;
    return i;
}

START_TEST(bulk_contents_let_all_limits_meet)
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
END_TEST

// Few faults, each of one kind; every operation with every form that has it; sizes that wrap.
START_TEST(bulk_generate_meets_every_operation_and_rule)
{
    static uint8_t bytes[BYTES];
    int operations[BULK_FORMS][BULK_COPY + 1] = {{0}}, rules[RULE_COUNT] = {0}, faults = 0, wrapped = 0, ragged = 0;
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
            int is_legal = bulk_reduce_is_legal((enum bulk_form)form, row->op, row->dtype);
            ck_assert_msg((operations[form][id] > 0) == is_legal, "%s %s", bulk_form_names[form],
                          bulk_operation_names[id]);
        }
    ck_assert(faults > CASES / 100 && faults < CASES / 20);
    ck_assert(wrapped > 100 && ragged > 100);
    for (enum rule rule = RULE_BULK_ALIGN; rule <= RULE_BULK_REMOTE_LIMIT; rule++)
        ck_assert_msg(rules[rule] > 0, "%s", rule_row(rule)->id);
}
END_TEST

// --- words for a mismatch --------------------------------------------------------------------------------------------

static void check_words(const char *text, int window, uint32_t offset, const char *words)
{
    struct bulk_case c = case_of(text);
    family_says("bulk", &c, window, offset, 0xff, words);
}

START_TEST(bulk_explain_names_the_element)
{
    const char *store = CASE("shared_to_global", "add.f32", "\"from\": 4096, \"to\": 35184372089088", "32") "}";
    const char *other = CASE("shared_to_other", "copy", "\"from\": 4096, \"to\": 8192", "32") ", \"expect\": 32}";
    const char *load =
        CASE("global_to_shared", "copy", "\"from\": 17592186044432, \"to\": 8192", "32") ", \"expect\": 32}";
    uint64_t word;
    char text[32];
    check_words(store, 0, 257, "address 0x200000000100 (inside)");
    check_words(store, 0, 263, "address 0x200000000104 (inside)");
    check_words(store, 0, 255, "address 0x2000000000fc (outside: never written)");
    check_words(store, 0, 288, "(outside: never written)");
    check_words(other, 1, 256, "shared_to_other of 32 bytes to 0x2000, copy: address 0x2000 (inside)");
    check_words(other, 0, 3, "rule BULK_TX_BYTES");
    memcpy(&word, arena()->bytes + 16, sizeof word);
    snprintf(text, sizeof text, "source 0x%016llx", (unsigned long long)word);
    check_words(load, 1, 256, text);
}
END_TEST

START_TEST(bulk_explain_names_the_rule_of_a_fault)
{
    struct bulk_case c = case_of(CASE("shared_to_other", "copy", "\"from\": 4097, \"to\": 8192", "32") EXPECTS);
    family_says("bulk", &c, FAMILY_STATUS, 0, 0, "716 expected, 0 found");
    family_says("bulk", &c, FAMILY_STATUS, 0, 0, "BULK_ALIGN");
}
END_TEST

Suite *bulk_case_suite(void)
{
    Suite *suite = suite_create("bulk_case");
    TCase *tcase = tcase_create("bulk_case");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, bulk_case_that_cannot_run_is_refused, 0, REFUSED);
    tcase_add_loop_test(tcase, bulk_contents_let_all_limits_meet, 0, SPECIAL);
    tcase_add_test(tcase, bulk_generate_meets_every_operation_and_rule);
    tcase_add_test(tcase, bulk_explain_names_the_element);
    tcase_add_test(tcase, bulk_explain_names_the_rule_of_a_fault);
    suite_add_tcase(suite, tcase);
    return suite;
}
