// SPDX-License-Identifier: MIT
// The suite `misuse_case`: the family "misuse" around the model: what random cases lean to, and what a result shows.
#include <string.h>

#include "family.h"
#include "family_checks.h"
#include "misuse_case.h"
#include "rule_most.h"
#include "rules/copy.h"
#include "rules/operand.h"

enum { CASES = 30000 };

static struct misuse_case case_of(const char *text)
{
    struct misuse_case c;
    family_takes("misuse", text, &c);
    return c;
}

static struct result run(const struct misuse_case *c, struct misuse_output *output)
{
    struct result result = result_at((uint8_t *)output);
    family_run_model(family_find("misuse"), c, &result);
    return result;
}

// Every operation works and fails; every rule of single operands is met; much is silent.
TEST(misuse_generate_meets_every_operation_and_rule)
{
    int works[MISUSE_COUNT] = {0}, fails[MISUSE_COUNT] = {0}, rules[RULE_MOST] = {0}, silent = 0;
    struct misuse_output output;
    for (uint64_t i = 0; i < CASES; i++) {
        struct random random = random_for(1, i);
        struct misuse_case c;
        misuse_generate(&random, &c);
        struct result result = run(&c, &output);
        rules[result.rule]++;
        (result.status == 0 ? works : fails)[c.operation]++;
        silent += result.status == 0 && c.operation <= MISUSE_BULK_REDUCE && (c.shared >> 18 & 63) != 0;
    }
    for (int i = 0; i < MISUSE_COUNT; i++)
        ck_assert_msg(works[i] > CASES / 200 && fails[i] > 5, "%s: %d, %d", misuse_operation_names[i], works[i],
                      fails[i]);
    for (enum rule rule = RULE_OPERAND_RANK; rule <= RULE_COPY_MAP_SPACE; rule++)
        if (rule_row(rule)->sm_90a == OUTCOME_FAULT) ck_assert_msg(rules[rule] > 0, "%s", rule_row(rule)->id);
    ck_assert_int_gt(silent, CASES / 100);
}

// A silent load leaves everything as it was; the same load without the bit does not.
TEST(misuse_result_shows_that_nothing_changed)
{
    const char *text =
        "{\"operation\": \"bulk_load\", \"cluster\": 0, \"shared\": 4096, \"barrier\": 1024, \"global\": "
        "17592186044416, \"size\": 64, \"seed\": 5}";
    struct misuse_output loaded, untouched, unloaded;
    struct misuse_case c = case_of(text), idle = c;
    ck_assert_int_eq(run(&c, &loaded).status, 0);
    c.shared |= 1 << 20;
    ck_assert_int_eq(run(&c, &untouched).status, 0);
    idle.size_bytes = 0;
    ck_assert_int_eq(run(&idle, &unloaded).status, 0);
    ck_assert_mem_eq(&untouched, &unloaded, sizeof untouched);
    ck_assert(loaded.sum[0] != untouched.sum[0] && loaded.barrier[0] != untouched.barrier[0]);
    ck_assert(loaded.shared[0] != untouched.shared[0]);
}
