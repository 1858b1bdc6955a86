// SPDX-License-Identifier: MIT
// The suite `slow_barrier`: barriers of the model against those of the slow second model, on random programs; and
// programs with a known end for each rule that a misreading breaks.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chunks.h"
#include "mbarrier_case.h"
#include "rules/mbarrier.h"
#include "slow_barrier.h"

TEST_FILE(.seconds = 120);

enum { CHUNKS = 8, PROGRAMS = 5000, SEED = 20261122 };

static void run_model(const struct mbarrier_case *program, struct slow_barrier_outcome *outcome)
{
    static uint8_t bytes[sizeof(struct mbarrier_log)];
    struct result result = result_at(bytes);
    memset(outcome, 0, sizeof *outcome);
    family_run_model(&family_mbarrier, program, &result);
    outcome->status = result.status;
    if (result.status != 0) return;
    memcpy(outcome->log.record, result.window[0].bytes, result.window[0].size_bytes);
    memcpy(outcome->log.last, result.window[1].bytes, sizeof outcome->log.last);
}

// Of a program that faults nothing is left.
static int is_same(const struct slow_barrier_outcome *one, const struct slow_barrier_outcome *other)
{
    return one->status == other->status && (one->status != 0 || memcmp(&one->log, &other->log, sizeof one->log) == 0);
}

static void require_same(const struct mbarrier_case *program, const struct slow_barrier_outcome *slow,
                         const struct slow_barrier_outcome *model)
{
    if (is_same(slow, model)) return;
    json_t *json = family_write(&family_mbarrier, program);
    char *text = json_dumps(json, JSON_COMPACT);
    int step = 0;
    while (step < program->count &&
           memcmp(&slow->log.record[step], &model->log.record[step], sizeof slow->log.record[step]) == 0)
        step++;
    ck_abort_msg("%s\nstatus: slow %d, model %d; first step that differs: %d", text, slow->status, model->status, step);
}

LOOP_TEST(slow_barrier_agrees, 0, chunks_of(CHUNKS))
{
    static struct slow_barrier_outcome slow, model;
    for (uint64_t i = 0; i < PROGRAMS; i++) {
        struct mbarrier_case program;
        struct random random = random_for(SEED, (uint64_t)_i * PROGRAMS + i);
        mbarrier_generate(&random, &program);
        slow_barrier(program.op, program.count, SLOW_BARRIER_RIGHT, &slow);
        run_model(&program, &model);
        require_same(&program, &slow, &model);
    }
}

// `word`: of barrier 0 at the end; `lane`: what lanes 0 and 1 got from the last step; `ballot`: of the last step.
#define WORD(phase, pending, expected, tx)                                                                             \
    {                                                                                                                  \
        phase, 0, 0, pending, expected, tx                                                                             \
    }
enum { MOST_STEPS = 6 };
static const struct {
    enum rule rule;
    const char *why, *step[MOST_STEPS];
    int status;
    struct mbarrier_fields word;
    uint32_t lane[2], ballot;
} vectors[] = {
    // clang-format off
    {RULE_MBARRIER_LAYOUT, "pending is a negative number", {"word 0xfffff80000000000"}, 0, WORD(1, 1, 0, 0), {0, 0}, 0},
    {RULE_MBARRIER_LAYOUT, "tx has 21 bits", {"word 0x0000020000000000"}, 0, WORD(0, 0, 0, 1 << 20), {0, 0}, 0},
    {RULE_MBARRIER_UNUSED_BIT, "bit 0 stays", {"word 0x7ffff000001ffffd", "arrive"}, 0, {0, 0, 1, 1, 2, 0},
     {0x7ffff000, 0}, 0},
    {RULE_MBARRIER_INIT, "the phase is 0 again", {"init 1", "arrive", "inval", "init 2"}, 0, WORD(0, 2, 2, 0), {0, 0},
     0},
    {RULE_MBARRIER_TOKEN, "the state before the arrival", {"init 2", "arrive"}, 0, WORD(0, 1, 2, 0), {0x7ffff000, 0},
     0},
    {RULE_MBARRIER_PHASE, "the last arrival waits for the bytes", {"init 1", "expect_tx 16", "arrive"}, 0,
     WORD(0, 0, 1, 16), {0x7ffffbff, 0}, 0},
    {RULE_MBARRIER_PHASE, "the next phase expects as many", {"init 2", "arrive 2"}, 0, WORD(1, 2, 2, 0),
     {0x7ffff000, 0}, 0},
    {RULE_MBARRIER_EXPECT_COMPLETES, "expect_tx lifts tx to 0", {"init 1", "complete_tx 16", "arrive", "expect_tx 16"},
     0, WORD(1, 1, 1, 0), {0, 0}, 0},
    {RULE_MBARRIER_NEGATIVE_TX, "bytes before they are expected", {"init 1", "complete_tx 16"}, 0, WORD(0, 1, 1, -16),
     {0, 0}, 0},
    {RULE_MBARRIER_ONE_STEP, "no phase ends between the arrival and its bytes", {"init 1", "arrive.expect_tx 16"}, 0,
     WORD(0, 0, 1, 16), {0x7ffff800, 0}, 0},
    {RULE_MBARRIER_WARP_SUM, "two lanes, one token", {"init 4", "arrive lanes=3"}, 0, WORD(0, 2, 4, 0),
     {0x7fffe000, 0x7fffe000}, 0},
    {RULE_MBARRIER_LANE_GROUPS, "of two counts that of the higher lane stays", {"init 2 lanes=3 step=1"}, 0,
     WORD(0, 3, 3, 0), {0, 0}, 0},
    {RULE_MBARRIER_LANE_GROUPS, "two counts are two transactions, and the first ends the phase",
     {"init 1", "arrive.noComplete 1 lanes=3 step=4294967295"}, 0, WORD(1, 1, 1, 0), {0x7ffff800, 0xfffff800}, 0},
    {RULE_MBARRIER_NOCOMPLETE_TOKEN, "lane 1 counts lane 0", {"init 4", "arrive.noComplete 1 lanes=3"}, 0,
     WORD(0, 2, 4, 0), {0x7fffe000, 0x7fffe800}, 0},
    {RULE_MBARRIER_DROP, "the phase that it starts expects fewer", {"init 2", "arrive", "arrive_drop"}, 0,
     WORD(1, 1, 1, 0), {0x7ffff800, 0}, 0},
    {RULE_MBARRIER_PENDING_COUNT, "2^20, not 0", {"pending_count 0"}, 0, WORD(0, 0, 0, 0), {1 << 20, 0}, 0},
    {RULE_MBARRIER_WAIT_PHASE, "a count has changed, the phase has not", {"init 2", "arrive", "test_wait token=1"}, 0,
     WORD(0, 1, 2, 0), {0, 0}, 0},
    {RULE_MBARRIER_WAIT_PARITY, "parity 1 on a fresh barrier", {"init 1", "test_wait.parity 1"}, 0, WORD(0, 1, 1, 0),
     {0, 0}, 1},
    {RULE_MBARRIER_TRY_WAIT, "false, after a while", {"init 1", "try_wait.parity 0"}, 0, WORD(0, 1, 1, 0), {0, 0}, 0},
    {RULE_MBARRIER_INVAL, "the word stays", {"init 3", "inval"}, 0, WORD(0, 3, 3, 0), {0, 0}, 0},
    {RULE_MBARRIER_INIT_COUNT, "2^20 + 1 spills into phase and tx", {"init 1048577"}, 0, WORD(1, 1, 1, -2047), {0, 0},
     0},
    {RULE_MBARRIER_INIT_LIVE, "the second count is there", {"init 1", "init 2"}, 0, WORD(0, 2, 2, 0), {0, 0}, 0},
    {RULE_MBARRIER_NO_OBJECT, "an arrival after inval", {"init 3", "inval", "arrive"}, 0, WORD(0, 2, 3, 0),
     {0x7fffe800, 0}, 0},
    {RULE_MBARRIER_PLAIN_ACCESS, "stored after inval", {"init 3", "word 0"}, 0, WORD(0, 0, 0, 0), {0, 0}, 0},
    {RULE_MBARRIER_COUNT_ZERO, "an arrival of 0 ends the phase", {"word 0x00000000001ffffe", "arrive 0"}, 0,
     WORD(1, 1, 1, 0), {0, 0}, 0},
    {RULE_MBARRIER_NOCOMPLETE, "it ends the phase", {"init 1", "arrive.noComplete 1"}, 0, WORD(1, 1, 1, 0),
     {0x7ffff800, 0}, 0},
    {RULE_MBARRIER_UNOBSERVED, "nobody waited", {"init 1", "arrive", "arrive"}, 0, WORD(0, 1, 1, 0), {0xfffff800, 0},
     0},
    {RULE_MBARRIER_DROP_ALL, "the phase flips, and nobody is expected", {"init 1", "arrive_drop"}, 0, WORD(1, 0, 0, 0),
     {0x7ffff800, 0}, 0},
    {RULE_MBARRIER_TX_MAX, "2^20 bytes", {"init 1", "expect_tx 1048575", "expect_tx 1"}, 0, WORD(0, 1, 1, 1 << 20),
     {0, 0}, 0},
    {RULE_MBARRIER_TOKEN_OLD, "two phases ago looks like now", {"init 1", "arrive", "arrive", "test_wait token=1"}, 0,
     WORD(0, 1, 1, 0), {0, 0}, 0},
    {RULE_MBARRIER_TOKEN_FOREIGN, "bit 31 of any number", {"init 1", "test_wait 0x80000000"}, 0, WORD(0, 1, 1, 0),
     {0, 0}, 1},
    {RULE_MBARRIER_PENDING_COUNT_TOKEN, "of any token", {"init 3", "arrive", "pending_count token=1"}, 0,
     WORD(0, 2, 3, 0), {3, 0}, 0},
    {RULE_MBARRIER_PARITY_BITS, "2 is 0", {"init 1", "arrive", "test_wait.parity 2"}, 0, WORD(1, 1, 1, 0), {0, 0}, 1},
    {RULE_MBARRIER_REMOTE_ERROR, "an arrival too many sets the error bit", {"init 1", "arrive 2 issuer=remote"}, 0,
     {0, 1, 0, 1, 1, 0}, {0, 0}, 0},
    {RULE_MBARRIER_ERROR, "a wait looks at it", {"word 0x7ffffc00001ffffe", "test_wait.parity 1"}, 719, {0}, {0}, 0},
    {RULE_MBARRIER_TX_LIMIT, "a sum that is too large", {"init 1", "expect_tx 524288 lanes=3"}, 719, {0}, {0}, 0},
    {RULE_MBARRIER_ARRIVALS, "no next phase", {"init 1", "arrive 2"}, 719, {0}, {0}, 0},
    {RULE_MBARRIER_DROP_LIMIT, "more than are expected", {"word 0x7ffff000001ffffe", "arrive_drop 2"}, 719, {0}, {0},
     0},
    // clang-format on
};

static struct mbarrier_case program_of(int vector)
{
    struct mbarrier_case program = {0};
    struct text why;
    for (int i = 0; i < MOST_STEPS && vectors[vector].step[i] != NULL; i++)
        ck_assert_msg(mbarrier_case_add_text(&program, vectors[vector].step[i], &why), "%s", why.at);
    return program;
}

// Is this the end that the vector knows?
static int is_known_end(int vector, const struct mbarrier_case *program, const struct slow_barrier_outcome *outcome)
{
    const struct mbarrier_record *last = &outcome->log.record[program->count - 1];
    if (outcome->status != vectors[vector].status) return 0;
    if (outcome->status != 0) return 1;
    return outcome->log.last[0] == mbarrier_pack(&vectors[vector].word) && last->lane[0] == vectors[vector].lane[0] &&
           last->lane[1] == vectors[vector].lane[1] && last->ballot == vectors[vector].ballot;
}

LOOP_TEST(vectors_have_the_end_that_is_known, 0, ROWS_OF(vectors))
{
    static struct slow_barrier_outcome slow, model;
    const struct mbarrier_case program = program_of(_i);
    slow_barrier(program.op, program.count, SLOW_BARRIER_RIGHT, &slow);
    run_model(&program, &model);
    const struct mbarrier_record *last = &slow.log.record[program.count - 1];
    ck_assert_msg(is_known_end(_i, &program, &slow), "%s: status %d, word 0x%016llx, lanes 0x%08x 0x%08x, ballot %u",
                  vectors[_i].why, slow.status, (unsigned long long)slow.log.last[0], last->lane[0], last->lane[1],
                  last->ballot);
    require_same(&program, &slow, &model);
}

TEST(vectors_notice_each_misread_rule)
{
    static struct slow_barrier_outcome wrong;
    char text[4096] = "";
    for (int m = 1; m < SLOW_BARRIER_COUNT; m++) {
        int noticed = 0;
        for (int i = 0; i < ROWS_OF(vectors); i++) {
            const struct mbarrier_case program = program_of(i);
            slow_barrier(program.op, program.count, (enum slow_barrier_mutant)m, &wrong);
            noticed |= !is_known_end(i, &program, &wrong);
        }
        size_t at = strlen(text);
        if (!noticed) snprintf(text + at, sizeof text - at, "\n%s", slow_barrier_mutant_text(m));
    }
    ck_assert_msg(text[0] == 0, "no vector notices%s", text);
}
