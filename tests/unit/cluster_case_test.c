// SPDX-License-Identifier: MIT
// The suite `cluster_case`: the family "cluster" around the model: the windows of a result, what random cases lean to.
#include <stdlib.h>
#include <string.h>

#include "cluster_case.h"
#include "family_checks.h"
#include "mbarrier.h"
#include "rule_most.h"
#include "rules/cluster.h"
#include "rules/launch.h"

enum { CASES = 20000, BYTES = 1 << 20 };

static struct cluster_case case_of(const char *text)
{
    struct cluster_case c;
    family_takes("cluster", text, &c);
    return c;
}

// Runs a case on the model; the caller frees first_bytes.
static struct result run(const struct cluster_case *c)
{
    ck_assert_uint_le(family_result_bytes(&family_cluster, c), BYTES);
    struct result result = result_at(calloc(1, BYTES));
    family_run_model(&family_cluster, c, &result);
    return result;
}

#define LAUNCH(kernel, grid) "{\"kernel\":\"" kernel "\",\"grid\":" grid ",\"block\":[32,1,1],\"shared\":0,\"rank\":1,"
#define ASKS                 "\"address\":1024,\"offset\":0"
#define PROGRAM(step)        "{\"ctas\":2,\"seed\":1,\"steps\":[" step "]}"

TEST(cluster_launch_answers_for_every_cta)
{
    struct cluster_case c = case_of(LAUNCH("dims_1x2x2", "[3,4,2]") ASKS "}");
    struct result result = run(&c);
    ck_assert_int_eq(result.windows, 1);
    ck_assert_uint_eq(result.window[0].size_bytes, 24 * sizeof(struct cluster_answers));
    struct cluster_answers answers;
    memcpy(&answers, result.window[0].bytes + 22 * sizeof answers, sizeof answers); // x 1, y 3, z 1
    ck_assert_mem_eq(answers.ctaid, ((uint32_t[]){1, 3, 1}), 12);
    ck_assert_mem_eq(answers.clusterid, ((uint32_t[]){1, 1, 0}), 12);
    ck_assert_uint_eq(answers.cluster_ctarank, 3);
    ck_assert_uint_eq(answers.own, 0x03000400);
    ck_assert_uint_eq(answers.mapa, 0x01000400);
    ck_assert_uint_eq(answers.is_cta, 0);
    ck_assert_uint_eq(answers.is_cluster, 1);
    free(result.first_bytes);
}

TEST(cluster_program_shows_what_is_left)
{
    struct cluster_case c = case_of(PROGRAM("{\"op\":\"atom\",\"issuers\":1,\"target\":1,\"function\":\"exch.b64\","
                                            "\"offset\":8,\"operand\":5},"
                                            "{\"op\":\"init\",\"issuers\":2,\"barrier\":1,\"operand\":7},"
                                            "{\"op\":\"store_exit\",\"issuers\":2,\"size\":32}"));
    struct result result = run(&c);
    ck_assert_int_eq(result.status, 0);
    ck_assert_int_eq(result.windows, 3);
    uint64_t word, old = cluster_word(1, 1, 8), around = cluster_word(1, 255, 24);
    memcpy(&word, result.window[0].bytes, sizeof word);
    ck_assert_uint_eq(word, old);
    memcpy(&word, result.window[1].bytes + CLUSTER_CTA_BYTES + 8, sizeof word);
    ck_assert_uint_eq(word, 5);
    memcpy(&word, result.window[1].bytes + CLUSTER_CTA_BYTES + CLUSTER_DATA_BYTES + 8, sizeof word);
    ck_assert_uint_eq(word, mbarrier_init(7));
    memcpy(&word, result.window[2].bytes + 32 + 8, sizeof word);
    ck_assert_uint_eq(word, 5);
    memcpy(&word, result.window[2].bytes + 24, sizeof word);
    ck_assert_uint_eq(word, around);
    free(result.first_bytes);
}

// Every step, function and meeting occurs, every rule of the family is broken by some case, and lived through by
// others.
TEST(cluster_cases_reach_every_rule)
{
    static int opcodes[CLUSTER_OPS], functions[ATOMIC_FUNCTION_COUNT], meetings[CLUSTER_MEETING_COUNT];
    static int rules[RULE_MOST];
    for (uint64_t i = 0; i < CASES; i++) {
        struct random random = random_for(5, i);
        struct cluster_case c;
        family_cluster.generate(&random, &c);
        for (int j = 0; c.is_program && j < c.program.count; j++) {
            opcodes[c.program.step[j].opcode]++;
            functions[c.program.step[j].function]++;
            meetings[c.program.step[j].meeting]++;
        }
        struct result result = run(&c);
        rules[result.rule]++;
        free(result.first_bytes);
    }
    for (int i = 0; i < CLUSTER_OPS; i++) ck_assert_msg(opcodes[i] > 0, "%s", cluster_opcode_name((uint32_t)i));
    for (int i = 0; i < ATOMIC_FUNCTION_COUNT; i++) ck_assert_int_gt(functions[i], 0);
    for (int i = 0; i < CLUSTER_MEETING_COUNT; i++) ck_assert_int_gt(meetings[i], 0);
    for (enum rule i = RULE_LAUNCH_SHARED_ALLOWED; i <= RULE_LAUNCH_SHARED_BYTES; i++)
        ck_assert_msg(rules[i] > 0, "%s", rule_row(i)->id);
    for (enum rule i = RULE_CLUSTER_NONE; i <= RULE_CLUSTER_LIMIT; i++)
        ck_assert_msg(rules[i] > 0, "%s", rule_row(i)->id);
    ck_assert_int_gt(rules[RULE_OK], CASES / 2);
}
