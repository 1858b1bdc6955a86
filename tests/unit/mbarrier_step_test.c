// SPDX-License-Identifier: MIT
// The suite `mbarrier_step`: programs of barrier operations that work: what a warp instruction does and gives back,
// and the table of operations. What programs must not do is in mbarrier_misuse_test.c.
#include <string.h>

#include "mbarrier_bench.h"
#include "rules/mbarrier.h"

// --- What lanes get back ---------------------------------------------------------------------------------------------

TEST(mbarrier_token__is_of_the_word_before)
{
    struct bench bench = {0};
    run(&bench, op(MBARRIER_OP_INIT, 2));
    const struct mbarrier_event *event = run(&bench, op_lanes(MBARRIER_OP_ARRIVE, 1, 0x10));
    ck_assert_uint_eq(event->lane[4], 0x7ffff000);
    ck_assert_uint_eq(event->lane[0], 0);
    ck_assert_int_eq(bench.findings.count, 0);
}

TEST(mbarrier_warp_sum__is_one_transaction)
{
    struct bench bench = {0};
    run(&bench, op(MBARRIER_OP_INIT, 32));
    const struct mbarrier_event *event = run(&bench, op_lanes(MBARRIER_OP_ARRIVE, 1, WARP));
    ck_assert_uint_eq(event->word, mbarrier_init(32) | MBARRIER_PHASE_BIT);
    for (int lane = 0; lane < 32; lane++) ck_assert_uint_eq(event->lane[lane], mbarrier_init(32) >> 32);
}

TEST(mbarrier_warp_sum__cannot_complete_two_phases)
{
    struct bench bench = {0};
    run(&bench, op(MBARRIER_OP_INIT, 16));
    ck_assert_int_eq(run(&bench, op_lanes(MBARRIER_OP_ARRIVE, 1, WARP))->rule, RULE_MBARRIER_ARRIVALS);
}

TEST(mbarrier_warp_sum__of_arrive_expect_tx_counts_lanes_and_bytes)
{
    struct bench bench = {0};
    run(&bench, op(MBARRIER_OP_INIT, 33));
    struct mbarrier_fields fields = fields_after(&bench, op_lanes(MBARRIER_OP_ARRIVE_EXPECT_TX, 128, WARP));
    ck_assert_uint_eq(fields.pending, 1);
    ck_assert_int_eq(fields.tx, 4096);
}

TEST(mbarrier_one_step__bytes_are_expected_before_the_arrival_counts)
{
    struct bench bench = {0};
    run(&bench, op(MBARRIER_OP_INIT, 1));
    struct mbarrier_fields fields = fields_after(&bench, op(MBARRIER_OP_ARRIVE_EXPECT_TX, 16));
    ck_assert_int_eq(fields.phase, 0);
    ck_assert_int_eq(fields_after(&bench, op(MBARRIER_OP_COMPLETE_TX, 16)).phase, 1);
}

TEST(mbarrier_negative_tx__is_made_good_by_the_arrival)
{
    struct bench bench = {0};
    run(&bench, op(MBARRIER_OP_INIT, 1));
    ck_assert_int_eq(fields_after(&bench, op(MBARRIER_OP_COMPLETE_TX, 16)).tx, -16);
    ck_assert_int_eq(fields_after(&bench, op(MBARRIER_OP_ARRIVE_EXPECT_TX, 16)).phase, 1);
    ck_assert_int_eq(bench.findings.count, 0);
}

TEST(mbarrier_expect_completes__after_the_last_arrival)
{
    struct bench bench = {0};
    run(&bench, op(MBARRIER_OP_INIT, 1));
    run(&bench, op(MBARRIER_OP_COMPLETE_TX, 16));
    ck_assert_int_eq(fields_after(&bench, op(MBARRIER_OP_ARRIVE, 1)).phase, 0);
    ck_assert_int_eq(fields_after(&bench, op(MBARRIER_OP_EXPECT_TX, 16)).phase, 1);
}

// Lane 0 brings 1 and completes the phase, lane 1 brings 2 to the next: one transaction of 3 would fault.
TEST(mbarrier_lane_groups__nocomplete_is_one_transaction_per_count)
{
    struct bench bench = {0};
    run(&bench, op_word(mbarrier_pack(&(struct mbarrier_fields){.pending = 1, .expected = 5})));
    struct mbarrier_op mixed = op_lanes(MBARRIER_OP_ARRIVE_NO_COMPLETE, 1, 3);
    mixed.step = 1;
    struct mbarrier_fields fields = fields_after(&bench, mixed);
    ck_assert_int_eq(fields.phase, 1);
    ck_assert_uint_eq(fields.pending, 3);
    ck_assert_uint_eq(bench.machine.event[1].lane[1] >> 31, 1);
}

TEST(mbarrier_lane_groups__init_keeps_the_last_distinct_count)
{
    struct bench bench = {0};
    struct mbarrier_op mixed = op_lanes(MBARRIER_OP_INIT, 5, 0x15);
    mixed.step = 1;
    ck_assert_uint_eq(run(&bench, mixed)->word, mbarrier_init(9));
    ck_assert_int_eq(found(&bench, RULE_MBARRIER_INIT_LIVE), 1);
}

TEST(mbarrier_nocomplete_token__counts_lower_lanes)
{
    struct bench bench = {0};
    run(&bench, op(MBARRIER_OP_INIT, 100));
    run(&bench, op_lanes(MBARRIER_OP_ARRIVE_NO_COMPLETE, 3, 0x90000001));
    const struct mbarrier_event *event =
        run(&bench, (struct mbarrier_op){.opcode = MBARRIER_OP_PENDING_COUNT, .lanes = 0x90000001, .token = 1});
    ck_assert_uint_eq(event->lane[0], 100);
    ck_assert_uint_eq(event->lane[28], 97);
    ck_assert_uint_eq(event->lane[31], 94);
    ck_assert_int_eq(bench.findings.count, 0);
}

TEST(mbarrier_pending_count__touches_no_barrier)
{
    struct bench bench = {0};
    run(&bench, op_word(MBARRIER_ERROR_BIT));
    const struct mbarrier_event *event = run(&bench, op(MBARRIER_OP_PENDING_COUNT, UINT32_C(0xfffff) << 11));
    ck_assert_int_eq(event->rule, RULE_OK);
    ck_assert_uint_eq(event->lane[0], 1);
}

TEST(mbarrier_drop__lowers_the_phase_it_starts)
{
    struct bench bench = {0};
    run(&bench, op(MBARRIER_OP_INIT, 3));
    ck_assert_uint_eq(fields_after(&bench, op(MBARRIER_OP_ARRIVE_DROP, 1)).expected, 2);
    ck_assert_uint_eq(fields_after(&bench, op(MBARRIER_OP_ARRIVE, 2)).pending, 2);
    ck_assert_int_eq(bench.findings.count, 0);
}

TEST(mbarrier_wait_phase__by_token_of_each_lane)
{
    struct bench bench = {0};
    run(&bench, op(MBARRIER_OP_INIT, 1));
    run(&bench, op(MBARRIER_OP_ARRIVE, 1));
    ck_assert_uint_eq(run(&bench, op_token(MBARRIER_OP_TEST_WAIT, 1))->ballot, 1);
    ck_assert_int_eq(bench.findings.count, 0);
}

TEST(mbarrier_wait_parity__of_each_lane)
{
    struct bench bench = {0};
    run(&bench, op(MBARRIER_OP_INIT, 1));
    struct mbarrier_op lanes = op_lanes(MBARRIER_OP_TEST_WAIT_PARITY, 0, 3);
    lanes.step = 1;
    ck_assert_uint_eq(run(&bench, lanes)->ballot, 2);
}

TEST(mbarrier_try_wait__answers_once_as_test_wait_does)
{
    struct bench bench = {0};
    run(&bench, op(MBARRIER_OP_INIT, 2));
    run(&bench, op(MBARRIER_OP_ARRIVE, 1));
    ck_assert_uint_eq(run(&bench, op_token(MBARRIER_OP_TRY_WAIT, 1))->ballot, 0);
    run(&bench, op(MBARRIER_OP_ARRIVE, 1));
    ck_assert_uint_eq(run(&bench, op_token(MBARRIER_OP_TRY_WAIT, 1))->ballot, 1);
    ck_assert_uint_eq(run(&bench, op(MBARRIER_OP_TRY_WAIT_PARITY, 0))->ballot, 1);
}

TEST(mbarrier_inval__changes_nothing_and_never_faults)
{
    struct bench bench = {0};
    const uint64_t word = MBARRIER_ERROR_BIT | 0x1234500000000001;
    run(&bench, op_word(word));
    const struct mbarrier_event *event = run(&bench, op(MBARRIER_OP_INVAL, 0));
    ck_assert_int_eq(event->rule, RULE_OK);
    ck_assert_uint_eq(event->word, word);
}

TEST(mbarrier_unused_bit__survives_a_program)
{
    struct bench bench = {0};
    run(&bench, op_word(mbarrier_init(1) | 1));
    ck_assert_int_eq(fields_after(&bench, op(MBARRIER_OP_ARRIVE_EXPECT_TX, 8)).unused, 1);
}

TEST(mbarrier_phase__completes_by_an_arrival_of_0_too)
{
    struct bench bench = {0};
    run(&bench, op_word(0));
    ck_assert_uint_eq(run(&bench, op(MBARRIER_OP_ARRIVE, 0))->word, MBARRIER_PHASE_BIT);
    ck_assert_uint_eq(run(&bench, op(MBARRIER_OP_EXPECT_TX, 0))->word, 0);
    ck_assert_uint_eq(run(&bench, op(MBARRIER_OP_COMPLETE_TX, 0))->word, MBARRIER_PHASE_BIT);
}

// --- The table of operations -----------------------------------------------------------------------------------------

LOOP_TEST(mbarrier_op_names_are_found, 0, MBARRIER_STEP_OPS)
{
    char name[64] = "mbarrier.";
    strcat(name, mbarrier_step_row((uint32_t)_i)->name);
    ck_assert_uint_eq(mbarrier_step_find(name), (uint32_t)_i);
    ck_assert_uint_eq(mbarrier_step_find(name + 9), (uint32_t)_i);
    ck_assert_uint_eq(mbarrier_step_find("arrive.nothing"), MBARRIER_STEP_OPS);
}

TEST(mbarrier_issuer_names_are_found)
{
    for (uint32_t i = 0; i < MBARRIER_ISSUERS; i++) ck_assert_uint_eq(mbarrier_issuer_find(mbarrier_issuer_name(i)), i);
    ck_assert_uint_eq(mbarrier_issuer_find("Remote"), MBARRIER_ISSUERS);
}

// Operations that no program may hold; ops 0 and 1 before them are an arrive and a remote arrive.
static const struct {
    struct mbarrier_op op;
    const char *why;
} illegal[] = {
    {{.opcode = MBARRIER_STEP_OPS, .lanes = 1}, "op is not"},
    {{.opcode = MBARRIER_OP_INIT, .lanes = 1, .barrier = 4}, "barrier is"},
    {{.opcode = MBARRIER_OP_ARRIVE, .lanes = 1, .issuer = 3}, "issuer is cta, self"},
    {{.opcode = MBARRIER_OP_INIT, .lanes = 1, .issuer = 1}, "issuer is cta for"},
    {{.opcode = MBARRIER_OP_INIT}, "lanes is a mask"},
    {{.opcode = MBARRIER_OP_INIT, .lanes = 1, .offset_bytes = 8}, "offset is 0 to 7"},
    {{.opcode = MBARRIER_OP_WORD, .lanes = 1, .offset_bytes = 4}, "offset is 0 for"},
    {{.opcode = MBARRIER_OP_PENDING_COUNT, .lanes = 1, .offset_bytes = 4}, "offset is 0 for"},
    {{.opcode = MBARRIER_OP_WORD, .lanes = 3}, "lanes is 1"},
    {{.opcode = MBARRIER_OP_TEST_WAIT, .lanes = 1, .token = 3}, "token is the index"},
    {{.opcode = MBARRIER_OP_TEST_WAIT, .lanes = 1, .token = 2}, "token names an op that"},
    {{.opcode = MBARRIER_OP_TEST_WAIT, .lanes = 1, .token = 1}, "token names an op through"},
    {{.opcode = MBARRIER_OP_TEST_WAIT, .lanes = 1, .token = 0, .operand = 1}, "operand and step"},
};

LOOP_TEST(mbarrier_op_illegal_says_why, 0, ROWS_OF(illegal))
{
    struct mbarrier_op program[4] = {op(MBARRIER_OP_ARRIVE, 1), op_remote(MBARRIER_OP_ARRIVE, 1),
                                     op(MBARRIER_OP_INVAL, 0), illegal[_i].op};
    const char *why = mbarrier_op_illegal(program, 3);
    ck_assert_ptr_nonnull(why);
    ck_assert_msg(strncmp(why, illegal[_i].why, strlen(illegal[_i].why)) == 0, "%s", why);
}
