// SPDX-License-Identifier: MIT
// The suite `mbarrier_case`: the family of barrier programs: what the generator makes, which typed operations are
// accepted and how the others are refused, what a result holds.
#include <stdlib.h>
#include <string.h>

#include "../../kernels/mbarrier_program.h"
#include "mbarrier_case.h"
#include "rule_most.h"
#include "rules/mbarrier.h"

enum { CASES = 2000, SEED = 11 };

static struct mbarrier_case generated(int index)
{
    struct random random = random_for(SEED, (uint64_t)index);
    struct mbarrier_case program;
    family_mbarrier.generate(&random, &program);
    return program;
}

TEST(generated_programs_are_legal_and_survive_json)
{
    for (int i = 0; i < CASES; i++) {
        struct mbarrier_case program = generated(i), read;
        for (int j = 0; j < program.count; j++) ck_assert_ptr_null(mbarrier_op_illegal(program.op, j));
        struct text why;
        json_t *json = family_write(&family_mbarrier, &program);
        ck_assert_msg(family_read(&family_mbarrier, json, &read, &why), "seed %d, case %d: %s", SEED, i, why.at);
        ck_assert_mem_eq(&program, &read, sizeof read);
        json_decref(json);
    }
}

// A fault is always the last operation, about one program in twenty has one, and each of the seven comes up.
TEST(generated_programs_fault_as_often_as_meant)
{
    int faults = 0, of_rule[RULE_MOST] = {0};
    uint8_t *bytes = malloc(sizeof(struct mbarrier_log));
    for (int i = 0; i < CASES; i++) {
        struct mbarrier_case program = generated(i);
        struct result result = result_at(bytes);
        family_run_model(&family_mbarrier, &program, &result);
        faults += result.status != 0;
        of_rule[result.rule]++;
        ck_assert_int_eq(result.windows, result.status == 0 ? 2 : 0);
        ck_assert_uint_le((size_t)(result.free_bytes - bytes), family_result_bytes(&family_mbarrier, &program));
    }
    free(bytes);
    ck_assert_int_gt(faults, CASES / 40);
    ck_assert_int_lt(faults, CASES / 10);
    for (enum rule rule = RULE_MBARRIER_ADDRESS_ALIGN; rule <= RULE_MBARRIER_DROP_LIMIT; rule++)
        ck_assert_msg(of_rule[rule] > 0, "%s", rule_row(rule)->id);
}

TEST(a_record_holds_word_lanes_and_answers)
{
    struct mbarrier_case program = {0};
    struct text why;
    const char *const ops[] = {"init 4", "arrive lanes=5", "test_wait.parity 0 lanes=6 step=1"};
    for (int i = 0; i < 3; i++) ck_assert_msg(mbarrier_case_add_text(&program, ops[i], &why), "%s", why.at);
    uint8_t bytes[sizeof(struct mbarrier_log)];
    struct result result = result_at(bytes);
    family_run_model(&family_mbarrier, &program, &result);
    struct mbarrier_record record[3];
    ck_assert_uint_eq(result.window[0].size_bytes, sizeof record);
    memcpy(record, result.window[0].bytes, sizeof record);
    ck_assert_uint_eq(record[0].word, mbarrier_init(4));
    ck_assert_uint_eq(record[1].active, 5);
    ck_assert_uint_eq(record[1].lane[2], mbarrier_init(4) >> 32);
    ck_assert_uint_eq(record[1].lane[1], 0);
    ck_assert_uint_eq(record[2].ballot, 2);
    ck_assert_mem_eq(result.window[1].bytes, &record[2].word, 8);
}

TEST(a_spread_puts_each_lane_on_a_barrier_of_its_own)
{
    struct mbarrier_case program = {0};
    struct text why;
    const char *const ops[] = {"init 8 lanes=0xff barrier=3 spread=0xe4e4", // lanes 0 to 7 on 3, 0, 1, 2, 3, 0, 1, 2
                               "arrive lanes=0x17 barrier=1 spread=0xe4", "test_wait.parity 1 lanes=0x11 spread=0x100"};
    for (int i = 0; i < 3; i++) ck_assert_msg(mbarrier_case_add_text(&program, ops[i], &why), "%s", why.at);
    uint8_t bytes[sizeof(struct mbarrier_log)];
    struct result result = result_at(bytes);
    family_run_model(&family_mbarrier, &program, &result);
    uint64_t last[MBARRIER_SLOTS];
    memcpy(last, result.window[1].bytes, sizeof last);
    const uint32_t pending[MBARRIER_SLOTS] = {8, 6, 7, 7}; // lanes 0 and 4 on 1, lane 1 on 2, lane 2 on 3
    for (int i = 0; i < MBARRIER_SLOTS; i++) {
        ck_assert_uint_eq(mbarrier_unpack(last[i]).expected, 8);
        ck_assert_uint_eq(mbarrier_unpack(last[i]).pending, pending[i]);
    }
    struct mbarrier_record record[3];
    memcpy(record, result.window[0].bytes, sizeof record);
    ck_assert_uint_eq(record[1].word, last[1]);
    ck_assert_uint_eq(record[2].ballot, 0x11);
}

static const struct {
    const char *text, *complaint; // NULL: accepted
} typed[] = {
    {"init 2", NULL},
    {"mbarrier.arrive", NULL},
    {"  arrive.expect_tx   0x1000 lanes=0xff barrier=0 issuer=remote", NULL},
    {"test_wait", NULL},
    {"test_wait 0x80000000", NULL},
    {"word 0xffffffffffffffff", NULL},
    {"", "not an mbarrier operation"},
    {"frob", "not an mbarrier operation"},
    {"init", "needs a count"},
    {"init 1 2", "one operand"},
    {"init 4294967296", "below 2^32"},
    {"word 0x10000000000000000", "below 2^64"},
    {"inval 1", "too many"},
    {"init 1 lanes=", "not a whole number"},
    {"init 1 colour=3", "there is no 'colour='"},
    {"init 1 issuer=remote", "no shared::cluster form"},
    {"test_wait barrier=3", "needs a token"},
    {"test_wait token=9", "earlier op"},
    {"arrive 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 "
     "1 "
     "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
     "at most 159 characters"},
};

LOOP_TEST(typed_operations, 0, ROWS_OF(typed))
{
    struct mbarrier_case program = {0};
    struct text why = {""};
    ck_assert(mbarrier_case_add_text(&program, "arrive", &why));
    int accepted = mbarrier_case_add_text(&program, typed[_i].text, &why);
    ck_assert_msg(accepted == (typed[_i].complaint == NULL), "'%s': %s", typed[_i].text, why.at);
    if (!accepted) ck_assert_msg(strstr(why.at, typed[_i].complaint) != NULL, "%s", why.at);
    ck_assert_int_eq(program.count, 1 + accepted);
}

TEST(a_program_has_at_most_sixteen_operations)
{
    struct mbarrier_case program = {0};
    struct text why;
    for (int i = 0; i < MBARRIER_MAX_OPS; i++) ck_assert(mbarrier_case_add_text(&program, "inval", &why));
    ck_assert(!mbarrier_case_add_text(&program, "inval", &why));
}

// `explain` names the first operation that differs and both words.
TEST(explain_names_the_first_difference)
{
    struct mbarrier_case program = {0};
    struct text why;
    ck_assert(mbarrier_case_add_text(&program, "init 4", &why));
    ck_assert(mbarrier_case_add_text(&program, "arrive lanes=5", &why));
    uint8_t bytes[2][sizeof(struct mbarrier_log)];
    struct result result[2] = {{.free_bytes = bytes[0]}, {.free_bytes = bytes[1]}};
    for (int i = 0; i < 2; i++) family_run_model(&family_mbarrier, &program, &result[i]);
    result[1].window[0].bytes[sizeof(struct mbarrier_record) + 7] ^= 0x80;
    char *text;
    size_t text_bytes;
    FILE *out = open_memstream(&text, &text_bytes);
    family_explain(&family_mbarrier, &program, &result[0], &result[1], out);
    fclose(out);
    ck_assert_ptr_nonnull(strstr(text, "ops[1]: mbarrier.arrive.shared::cta"));
    ck_assert_ptr_nonnull(strstr(text, "phase 0, pending 2"));
    ck_assert_ptr_nonnull(strstr(text, "phase 1, pending 2"));
    free(text);
}
