// SPDX-License-Identifier: MIT
// The suite `slow_barrier`: barriers of the model against those of the slow second model, on random programs; and
// programs with a known end for each rule that a misreading breaks.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chunks.h"
#include "mbarrier_case.h"
#include "rows.h"
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
static bool is_same(const struct slow_barrier_outcome *one, const struct slow_barrier_outcome *other)
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

#define VECTORS "slow_barriers.tsv" // rule, why, steps, status, word, lanes, ballot

struct known {
    const struct row *row;
    struct mbarrier_case program;
    int status;
    struct mbarrier_fields word;
    uint64_t lane[2], ballot;
};

static struct known vector_at(int i)
{
    struct known known = {.row = rows_at(VECTORS, NULL, i)};
    const struct row *row = known.row;
    uint64_t word[6];
    struct text why;
    char steps[256];
    ck_assert_msg(rule_find(row->field[0]) != RULE_NONE, "%s: there is no rule %s", row->where, row->field[0]);
    ck_assert_msg((size_t)snprintf(steps, sizeof steps, "%s", row->field[2]) < sizeof steps, "%s", row->where);
    for (char *step = strtok(steps, ";"); step != NULL; step = strtok(NULL, ";"))
        ck_assert_msg(mbarrier_case_add_text(&known.program, step + strspn(step, " "), &why), "%s: %s", row->where,
                      why.at);
    known.status = (int)row_number(row, 3);
    row_numbers(row, 4, word, 6);
    known.word = (struct mbarrier_fields){(int)word[0],      (int)word[1],      (int)word[2],
                                          (uint32_t)word[3], (uint32_t)word[4], (int32_t)word[5]};
    row_numbers(row, 5, known.lane, 2);
    known.ballot = row_number(row, 6);
    return known;
}

// Is this the end that the vector knows?
static bool is_known_end(const struct known *known, const struct slow_barrier_outcome *outcome)
{
    const struct mbarrier_record *last = &outcome->log.record[known->program.count - 1];
    if (outcome->status != known->status) return false;
    if (outcome->status != 0) return true;
    return outcome->log.last[0] == mbarrier_pack(&known->word) && last->lane[0] == known->lane[0] &&
           last->lane[1] == known->lane[1] && last->ballot == known->ballot;
}

LOOP_TEST(vectors_have_the_end_that_is_known, 0, rows_count(VECTORS, NULL))
{
    static struct slow_barrier_outcome slow, model;
    const struct known known = vector_at(_i);
    slow_barrier(known.program.op, known.program.count, SLOW_BARRIER_RIGHT, &slow);
    run_model(&known.program, &model);
    const struct mbarrier_record *last = &slow.log.record[known.program.count - 1];
    ck_assert_msg(is_known_end(&known, &slow),
                  "%s: %s: %s: status %d, word 0x%016llx, lanes 0x%08x 0x%08x, ballot %u, not %s, %s, %s, %s",
                  known.row->where, known.row->field[0], known.row->field[1], slow.status,
                  (unsigned long long)slow.log.last[0], last->lane[0], last->lane[1], last->ballot, known.row->field[3],
                  known.row->field[4], known.row->field[5], known.row->field[6]);
    require_same(&known.program, &slow, &model);
}

TEST(vectors_notice_each_misread_rule)
{
    static struct slow_barrier_outcome wrong;
    char text[4096] = "";
    for (int m = 1; m < SLOW_BARRIER_COUNT; m++) {
        bool noticed = false;
        for (int i = 0; i < rows_count(VECTORS, NULL); i++) {
            const struct known known = vector_at(i);
            slow_barrier(known.program.op, known.program.count, (enum slow_barrier_mutant)m, &wrong);
            noticed |= !is_known_end(&known, &wrong);
        }
        size_t at = strlen(text);
        if (!noticed) snprintf(text + at, sizeof text - at, "\n%s", slow_barrier_mutant_text(m));
    }
    ck_assert_msg(text[0] == 0, "no vector notices%s", text);
}
