// SPDX-License-Identifier: MIT
// The suite `multicast_case`: the family "multicast" around the model: what random cases lean to, where results lie,
// and the words for a mismatch.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "family.h"
#include "mbarrier.h"
#include "multicast_case.h"
#include "rule_most.h"
#include "rules/load.h"
#include "rules/multicast.h"

enum { CASES = 20000, RESULT_BYTES = 8 << 20 };
static uint8_t bytes[2][RESULT_BYTES];

static const struct family *family(void)
{
    return family_find("multicast");
}

static struct multicast_case random_case(uint64_t i)
{
    struct random random = random_for(3, i);
    struct multicast_case c;
    multicast_generate(&random, &c);
    return c;
}

// --- JSON ------------------------------------------------------------------------------------------------------------

#define MAP                                                                                                            \
    "{\"function\":\"cuTensorMapEncodeTiled\",\"globalAddress\":17592186044416,\"tensorDataType\":3,\"tensorRank\":2," \
    "\"globalDim\":[16,16],\"globalStrides\":[64],\"elementStrides\":[1,1],\"boxDim\":[16,8]}"
#define TILE(cluster, dims, barrier, expect, issues)                                                                   \
    "{\"cluster\":" cluster ",\"load_mode\":\"tile\",\"map\":" MAP ",\"dims\":" dims ",\"barrier\":" barrier           \
    ",\"expect\":" expect ",\"issues\":" issues "}"
#define ISSUE(issuer, mask, shared)                                                                                    \
    "{\"issuer\":" issuer ",\"ctaMask\":" mask ",\"to_rank\":0,\"barrier_rank\":0,\"shared\":" shared                  \
    ",\"tensorCoords\":[0,0]}"

// --- random cases ----------------------------------------------------------------------------------------------------

// Every size of cluster, every kind of load, and every rule of this family are met.
TEST(random_cases_reach_what_there_is)
{
    static const enum rule wanted[] = {RULE_MULTICAST_NO_CLUSTER, RULE_MULTICAST_MASK,    RULE_LOAD_OTHER_RANK,
                                       RULE_LOAD_REMOTE_BOUNDS,   RULE_LOAD_REMOTE_LIMIT, RULE_LOAD_OTHER_RANK_LIMIT};
    int sizes[MULTICAST_CTAS + 1] = {0}, modes[3] = {0}, several = 0, plain = 0, empty = 0, faults = 0;
    static int rules[RULE_MOST];
    for (uint64_t i = 0; i < CASES; i++) {
        struct multicast_case c = random_case(i);
        struct result result = result_at(bytes[0]);
        ck_assert_uint_ge(RESULT_BYTES, family_result_bytes(family(), &c));
        family_run_model(family(), &c, &result);
        ck_assert(result.free_bytes <= bytes[0] + family_result_bytes(family(), &c));
        sizes[c.cluster]++, modes[c.mode]++, rules[result.rule]++;
        several += c.issues > 1;
        plain += !c.issue[0].is_multicast && c.issue[0].to_rank != c.issue[0].issuer;
        empty += c.issue[0].is_multicast && c.issue[0].mask == 0;
        faults += result.rule != RULE_OK;
    }
    for (int i = 0; i <= MULTICAST_CTAS; i++) ck_assert_msg(sizes[i] > 100, "%d clusters of %d", sizes[i], i);
    for (int i = 0; i < 3; i++) ck_assert_int_gt(modes[i], 3000);
    for (int i = 0; i < ROWS_OF(wanted); i++)
        ck_assert_msg(rules[wanted[i]] > 0, "%s is never met", rule_row(wanted[i])->id);
    ck_assert_int_gt(several, CASES / 3);
    ck_assert_int_gt(plain, 500);
    ck_assert_int_gt(empty, 50);
    ck_assert(faults > CASES / 50 && faults < CASES / 8);
}

// What the barriers expect is what comes, but for a few: their phases are complete.
TEST(random_cases_complete_their_barriers)
{
    int complete = 0, words = 0;
    for (uint64_t i = 0; i < 2000; i++) {
        struct multicast_case c = random_case(i);
        struct result result = result_at(bytes[0]);
        family_run_model(family(), &c, &result);
        for (uint32_t rank = 0; result.status == 0 && rank < multicast_ranks(&c); rank++, words++) {
            uint64_t word;
            memcpy(&word, result.window[0].bytes + 8 * rank, sizeof word);
            struct mbarrier_fields fields = mbarrier_unpack(word);
            complete += fields.phase == 1 && fields.tx == 0;
        }
    }
    ck_assert_int_gt(complete, words / 100 * 99);
    ck_assert_int_lt(complete, words);
}

// --- a mismatch in words ---------------------------------------------------------------------------------------------

TEST(mismatch_names_cta_and_issue)
{
    static const char text[] = TILE("2", "2", "1024", "[512,512]", "[" ISSUE("1", "2", "2048") "]");
    struct multicast_case c;
    struct text why;
    struct result expected = result_at(bytes[0]), found = result_at(bytes[1]);
    char *words = NULL;
    size_t size;
    json_t *json = json_loads(text, 0, NULL);
    ck_assert(family_read(family(), json, &c, &why));
    json_decref(json);
    family_run_model(family(), &c, &expected);
    family_run_model(family(), &c, &found);
    ck_assert_int_eq(expected.windows, 3);
    ck_assert_uint_eq(expected.window[2].base, (1u << 24) + 2048);
    found.window[0].bytes[3] ^= 0x10;
    found.window[1].bytes[7] ^= 1;
    FILE *out = open_memstream(&words, &size);
    family_explain(family(), &c, &expected, &found, out);
    fclose(out);
    ck_assert_ptr_nonnull(strstr(words, "mbarrier of CTA 0"));
    ck_assert_ptr_nonnull(strstr(words, "CTA 0 shared 0x807"));
    ck_assert_ptr_nonnull(strstr(words, "issue 0, by CTA 1 to CTAs of mask 0x0002"));
    ck_assert_ptr_nonnull(strstr(words, "but in other CTAs"));
    free(words);
    const struct place there = {.window = "cta1", .address = (1u << 24) + 2050, .size_bytes = 1};
    const struct place word = {.window = "mbarriers",
                               .address = 1032,
                               .size_bytes = 8,
                               .found = found.window[0].bytes,
                               .is_known = true,
                               .recorded = {1}};
    out = open_memstream(&words, &size);
    family_explain_place(family(), &c, &found, &there, out);
    family_explain_place(family(), &c, &found, &word, out);
    fclose(out);
    ck_assert_ptr_nonnull(strstr(words, "its box lies here"));
    ck_assert_ptr_nonnull(strstr(words, "mbarrier of CTA 1"));
    free(words);
}
