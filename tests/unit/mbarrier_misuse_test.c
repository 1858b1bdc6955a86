// SPDX-License-Identifier: MIT
// The suite `mbarrier_misuse`: what PTX leaves undefined though an H200 has an answer, and what ends a program.
#include "mbarrier_bench.h"
#include "rules/mbarrier.h"

// --- Undefined in the documents, harmless or not on an H200 ----------------------------------------------------------

// Two steps on init(2): the first is fine, the second runs, with one warning.
static void check_warning(struct mbarrier_op first, struct mbarrier_op second, enum rule rule)
{
    struct bench bench = {0};
    run(&bench, op(MBARRIER_OP_INIT, 2));
    run(&bench, first);
    ck_assert_int_eq(bench.findings.count, 0);
    ck_assert_int_eq(run(&bench, second)->rule, RULE_OK);
    ck_assert_int_eq(bench.findings.count, 1);
    ck_assert_int_eq(bench.findings.item[0].rule, rule);
    ck_assert_int_eq(bench.findings.item[0].index, 2);
    ck_assert(rule_is_warning(rule));
}

TEST_CALL(mbarrier_init_count__0_is_stored,
          check_warning(op(MBARRIER_OP_INVAL, 0), op(MBARRIER_OP_INIT, 0), RULE_MBARRIER_INIT_COUNT))
TEST_CALL(mbarrier_init_count__2_to_the_20_is_stored,
          check_warning(op(MBARRIER_OP_INVAL, 0), op(MBARRIER_OP_INIT, MAX + 1), RULE_MBARRIER_INIT_COUNT))
TEST_CALL(mbarrier_init_live__init_overwrites,
          check_warning(op(MBARRIER_OP_EXPECT_TX, 8), op(MBARRIER_OP_INIT, 1), RULE_MBARRIER_INIT_LIVE))
TEST_CALL(mbarrier_no_object__after_inval,
          check_warning(op(MBARRIER_OP_INVAL, 0), op(MBARRIER_OP_EXPECT_TX, 8), RULE_MBARRIER_NO_OBJECT))
TEST_CALL(mbarrier_plain_access__store_to_a_live_barrier,
          check_warning(op(MBARRIER_OP_EXPECT_TX, 8), op_word(5), RULE_MBARRIER_PLAIN_ACCESS))
TEST_CALL(mbarrier_count_zero__arrives_nothing,
          check_warning(op(MBARRIER_OP_EXPECT_TX, 8), op(MBARRIER_OP_ARRIVE, 0), RULE_MBARRIER_COUNT_ZERO))
TEST_CALL(mbarrier_nocomplete__completes_all_the_same,
          check_warning(op(MBARRIER_OP_ARRIVE, 1), op(MBARRIER_OP_ARRIVE_NO_COMPLETE, 1), RULE_MBARRIER_NOCOMPLETE))
TEST_CALL(mbarrier_unobserved__arrive_after_a_phase_nobody_saw,
          check_warning(op(MBARRIER_OP_ARRIVE, 2), op(MBARRIER_OP_ARRIVE, 1), RULE_MBARRIER_UNOBSERVED))
TEST_CALL(mbarrier_drop_all__leaves_nobody,
          check_warning(op(MBARRIER_OP_EXPECT_TX, 8), op(MBARRIER_OP_ARRIVE_DROP, 2), RULE_MBARRIER_DROP_ALL))
TEST_CALL(mbarrier_tx_max__one_byte_more_than_documented,
          check_warning(op(MBARRIER_OP_EXPECT_TX, 1), op(MBARRIER_OP_EXPECT_TX, MAX), RULE_MBARRIER_TX_MAX))
TEST_CALL(mbarrier_token_foreign__made_up,
          check_warning(op(MBARRIER_OP_EXPECT_TX, 8), op(MBARRIER_OP_TEST_WAIT, 0), RULE_MBARRIER_TOKEN_FOREIGN))
TEST_CALL(mbarrier_pending_count_token__of_a_plain_arrive,
          check_warning(op(MBARRIER_OP_ARRIVE, 1), op_token(MBARRIER_OP_PENDING_COUNT, 1),
                        RULE_MBARRIER_PENDING_COUNT_TOKEN))
TEST_CALL(mbarrier_parity_bits__only_bit_0_counts,
          check_warning(op(MBARRIER_OP_EXPECT_TX, 8), op(MBARRIER_OP_TEST_WAIT_PARITY, 2), RULE_MBARRIER_PARITY_BITS))
TEST_CALL(mbarrier_remote_error__is_a_warning_at_first,
          check_warning(op(MBARRIER_OP_EXPECT_TX, 8), op_remote(MBARRIER_OP_ARRIVE, 3), RULE_MBARRIER_REMOTE_ERROR))

TEST(mbarrier_token_old__aliases_by_parity)
{
    struct bench bench = {0};
    run(&bench, op(MBARRIER_OP_INIT, 1));
    for (int i = 0; i < 2; i++) {
        run(&bench, op(MBARRIER_OP_ARRIVE, 1));
        ck_assert_uint_eq(run(&bench, op_token(MBARRIER_OP_TEST_WAIT, (uint32_t)(1 + 2 * i)))->ballot, 1);
    }
    ck_assert_int_eq(bench.findings.count, 0);
    ck_assert_uint_eq(run(&bench, op_token(MBARRIER_OP_TEST_WAIT, 1))->ballot, 0);
    ck_assert_int_eq(bench.findings.item[0].rule, RULE_MBARRIER_TOKEN_OLD);
}

TEST(mbarrier_token_foreign__of_another_barrier)
{
    struct bench bench = {0};
    run(&bench, op(MBARRIER_OP_INIT, 2));
    run(&bench, op(MBARRIER_OP_ARRIVE, 1));
    struct mbarrier_op other = op(MBARRIER_OP_INIT, 1), wait = op_token(MBARRIER_OP_TEST_WAIT, 1);
    other.barrier = wait.barrier = 3;
    run(&bench, other);
    run(&bench, wait);
    ck_assert_int_eq(bench.findings.count, 1);
    ck_assert_int_eq(bench.findings.item[0].rule, RULE_MBARRIER_TOKEN_FOREIGN);
}

LOOP_TEST(mbarrier_remote_error__kills_the_owner_later, 0, 4)
{
    const uint32_t next[] = {MBARRIER_OP_ARRIVE, MBARRIER_OP_EXPECT_TX, MBARRIER_OP_TEST_WAIT_PARITY,
                             MBARRIER_OP_TRY_WAIT};
    struct bench bench = {0};
    run(&bench, op(MBARRIER_OP_INIT, 1));
    ck_assert_uint_eq(run(&bench, op_remote(MBARRIER_OP_ARRIVE, 2))->word, mbarrier_init(1) | MBARRIER_ERROR_BIT);
    ck_assert_int_eq(run(&bench, op(next[_i], 0))->rule, RULE_MBARRIER_ERROR);
}

// --- Faults, with the value and the limit that the finding names -----------------------------------------------------

// One step on a word with 5 pending, 3 expected and tx 100.
static void check_fault(struct mbarrier_op step, enum rule rule, int cuda_error, int64_t value, int64_t limit)
{
    struct bench bench = {0};
    uint64_t word = mbarrier_pack(&(struct mbarrier_fields){.pending = 5, .expected = 3, .tx = 100});
    run(&bench, op_word(word));
    const struct mbarrier_event *event = run(&bench, step);
    ck_assert_int_eq(event->rule, rule);
    ck_assert_int_eq(rule_cuda_error(rule), cuda_error);
    ck_assert_uint_eq(event->word, word);
    const struct finding *finding = &bench.findings.item[bench.findings.count - 1];
    ck_assert_int_eq(finding->rule, rule);
    ck_assert_int_eq((int64_t)finding->value, value);
    ck_assert_int_eq((int64_t)finding->limit, limit);
    ck_assert_int_eq(findings_first_broken(&bench.findings), rule);
}

TEST_CALL(mbarrier_arrivals__summed_over_the_warp,
          check_fault(op_lanes(MBARRIER_OP_ARRIVE, 2, 7), RULE_MBARRIER_ARRIVALS, 719, 6, 5))
TEST_CALL(mbarrier_count_limit__summed_over_the_warp,
          check_fault(op_lanes(MBARRIER_OP_ARRIVE, 1 << 19, 3), RULE_MBARRIER_COUNT_LIMIT, 719, MAX + 1, MAX))
TEST_CALL(mbarrier_tx_limit__32_lanes_of_32768,
          check_fault(op_lanes(MBARRIER_OP_EXPECT_TX, 32768, WARP), RULE_MBARRIER_TX_LIMIT, 719, MAX + 1, MAX))
TEST_CALL(mbarrier_tx_limit__of_complete_tx,
          check_fault(op(MBARRIER_OP_COMPLETE_TX, 1 << 20), RULE_MBARRIER_TX_LIMIT, 719, MAX + 1, MAX))
TEST_CALL(mbarrier_tx_range__too_many_bytes,
          check_fault(op(MBARRIER_OP_EXPECT_TX, MAX), RULE_MBARRIER_TX_RANGE, 719, MAX + 100, MAX))
TEST_CALL(mbarrier_drop_limit__more_than_expected,
          check_fault(op(MBARRIER_OP_ARRIVE_DROP, 4), RULE_MBARRIER_DROP_LIMIT, 719, 4, 3))

TEST(mbarrier_address_align__offset_4)
{
    check_fault(
        (struct mbarrier_op){
            .opcode = MBARRIER_OP_ARRIVE, .lanes = 1, .token = MBARRIER_TOKEN_OPERAND, .offset_bytes = 4},
        RULE_MBARRIER_ADDRESS_ALIGN, 716, 4, 8);
}

TEST(mbarrier_error__also_through_shared_cluster_by_the_owner)
{
    struct bench bench = {0};
    run(&bench, op_word(MBARRIER_ERROR_BIT));
    struct mbarrier_op self = op(MBARRIER_OP_EXPECT_TX, 1);
    self.issuer = MBARRIER_ISSUER_SELF;
    ck_assert_int_eq(run(&bench, self)->rule, RULE_MBARRIER_ERROR);
}

TEST(mbarrier_tx_limit__32_lanes_of_32767_are_fine)
{
    struct bench bench = {0};
    run(&bench, op(MBARRIER_OP_INIT, 1));
    ck_assert_int_eq(fields_after(&bench, op_lanes(MBARRIER_OP_EXPECT_TX, 32767, WARP)).tx, 32 * 32767);
}
