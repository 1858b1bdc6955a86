// SPDX-License-Identifier: MIT
// The model's run of a program of family "async": data moves at once, because what it leaves at the end does not depend
// on when; what a wait has to see is what async_group.h says is complete by then.
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "async_barrier.h"
#include "async_case.h"
#include "async_group.h"
#include "bulk.h"
#include "cp_async.h"
#include "rules/cp.h"

// One program under way. `complete` and `covered` have a bit a step: what is complete for good, and what the arrivals
// of cp.async.mbarrier.arrive on the barrier wait for.
struct run {
    const struct async_case *test_case;
    struct async_outcome *outcome;
    struct async_groups groups[2];
    struct async_operation operation[ASYNC_MAX_OPS];
    struct async_barrier barrier;
    uint32_t complete, covered, offset[ASYNC_MAX_OPS];
    uint8_t *shared;
};

uint32_t async_slot(int step)
{
    return ASYNC_SLOTS + (uint32_t)step * ASYNC_SLOT_BYTES;
}

uint32_t async_source_most(int step)
{
    return (uint32_t)(ASYNC_MAX_OPS - step) * ASYNC_SOURCE_BYTES;
}

bool async_has_long_source(const struct async_case *test_case)
{
    for (uint32_t i = 0; i < test_case->count; i++)
        if (async_is(test_case->op[i].opcode, ASYNC_BULKS) && test_case->op[i].size_bytes > ASYNC_SOURCE_BYTES)
            return true;
    return false;
}

bool async_may_overwrite(const struct async_case *test_case, uint32_t step)
{
    return async_is(test_case->op[step].opcode, ASYNC_BULKS) && step < ASYNC_MAX_OPS / 2;
}

bool async_may_be_slow(const struct async_op *op)
{
    uint64_t last = ARENA_BASE + ARENA_BYTES - 32; // a misaligned source reads on to the next 16 bytes
    return async_is(op->opcode, ASYNC_BULKS) ||
           (async_is(op->opcode, ASYNC_COPIES) && op->from >= ARENA_BASE && op->from <= last);
}

uint32_t async_global_bytes(const struct async_case *test_case, uint32_t *offsets)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < test_case->count; i++) {
        if (offsets != NULL) offsets[i] = bytes + ASYNC_GUARD_BYTES;
        if (async_is(test_case->op[i].opcode, ASYNC_BULKS))
            bytes += test_case->op[i].size_bytes + 2 * ASYNC_GUARD_BYTES;
    }
    return bytes;
}

// The groups that a thread's operations and waits belong to: on an H200 those of its warp.
static struct async_groups *groups_of(struct run *run, uint32_t thread)
{
    bool is_shared = run->test_case->promise == ASYNC_SM_90A && run->test_case->threads == ASYNC_SAME_WARP;
    return &run->groups[is_shared ? 0 : thread];
}

static void wait_for_groups(struct run *run, const struct async_op *op)
{
    struct async_groups *groups = groups_of(run, op->thread);
    if (run->test_case->promise == ASYNC_SM_90A)
        async_wait_group_sm_90a(groups, op->number, NULL);
    else if (op->opcode == ASYNC_OP_BULK_WAIT_READ)
        async_wait_group_read(groups, op->number, NULL);
    else
        async_wait_group(groups, op->opcode == ASYNC_OP_WAIT ? ASYNC_COPY : ASYNC_BULK, op->number, NULL);
}

static void wait_for_all(struct run *run, uint32_t thread)
{
    async_wait_all(groups_of(run, thread), NULL);
    if (run->test_case->promise == ASYNC_SM_90A) async_wait_group_sm_90a(groups_of(run, thread), 0, NULL);
}

static enum async_state state_of(const struct run *run, int step)
{
    const struct async_operation *operation = &run->operation[step];
    return async_state(&run->groups[operation->thread], *operation);
}

// All meet after every step, so what is complete for its own thread is so for the other one too.
static void note_complete(struct run *run, int step)
{
    for (int i = 0; i < step; i++) {
        uint32_t opcode = run->test_case->op[i].opcode;
        if ((async_is(opcode, ASYNC_COPIES) || async_is(opcode, ASYNC_BULKS)) && state_of(run, i) == ASYNC_COMPLETE)
            run->complete |= UINT32_C(1) << i;
    }
}

// --- Steps -----------------------------------------------------------------------------------------------------------

// NULL, or what makes the step none that can be decided.
static const char *step_copy(struct run *run, int step)
{
    const struct async_op *op = &run->test_case->op[step];
    const struct memory shared = {run->shared, ASYNC_SHARED_START, ASYNC_SHARED_BYTES};
    struct cp_async copy = {arena(),  &shared, (enum cp_async_form)op->form, op->size_bytes, op->number,
                            op->from, op->to};
    struct findings findings;
    run->operation[step] = async_issue(groups_of(run, op->thread), ASYNC_COPY, NULL);
    run->outcome->rule = cp_async_check(&copy, &findings);
    if (run->outcome->rule == RULE_OK) cp_async_copy(&copy, NULL);
    bool is_either = run->outcome->rule == RULE_CP_ASYNC_ALIGN &&
                     findings.item[findings.count - 1].rule == RULE_CP_ASYNC_UNMAPPED; // it is looked at last
    return is_either ? "a misaligned destination and a source that is not mapped fault in either order" : NULL;
}

static enum rule step_bulk(struct run *run, int step)
{
    const struct async_op *op = &run->test_case->op[step];
    struct async_outcome *outcome = run->outcome;
    const struct memory shared = {run->shared, ASYNC_SHARED_START, ASYNC_SHARED_BYTES};
    const struct memory global = {outcome->global, 0, sizeof outcome->global};
    uint32_t from = ASYNC_SOURCES + (uint32_t)step * ASYNC_SOURCE_BYTES, transaction_bytes;
    struct bulk bulk = {BULK_SHARED_TO_GLOBAL, &shared, &global, from, run->offset[step], op->size_bytes};
    for (uint32_t at = 0; at < op->size_bytes; at += 4)
        put_u32(memory_at(&shared, from + at, 4), async_word(run->test_case->seed, ASYNC_SALT_SOURCES, from + at));
    run->operation[step] = async_issue(groups_of(run, op->thread), ASYNC_BULK, NULL);
    if (op->opcode == ASYNC_OP_STORE) return bulk_copy(&bulk, &transaction_bytes, NULL);
    return bulk_reduce(&bulk, REDUCE_ADD, DTYPE_UINT32, &transaction_bytes, NULL);
}

static void cover_copies(struct run *run, int step, uint32_t thread)
{
    for (int i = 0; i < step; i++)
        if (async_is(run->test_case->op[i].opcode, ASYNC_COPIES) && run->test_case->op[i].thread == thread)
            run->covered |= UINT32_C(1) << i;
}

static enum rule step_barrier(struct run *run, int step)
{
    const struct async_op *op = &run->test_case->op[step];
    struct mbarrier_transaction transaction = {0};
    int complete = 0;
    enum rule rule;
    switch (op->opcode) {
    case ASYNC_OP_COPIES_ARRIVE:
    case ASYNC_OP_COPIES_ARRIVE_NOINC:
        cover_copies(run, step, op->thread);
        return async_barrier_copies_arrive(&run->barrier, op->opcode == ASYNC_OP_COPIES_ARRIVE_NOINC);
    case ASYNC_OP_BARRIER_WAIT:
        rule = async_barrier_wait(&run->barrier, op->number, &complete);
        if (complete && async_barrier_is_settled(&run->barrier)) run->complete |= run->covered;
        if (complete) run->outcome->waits[step] = ASYNC_ANSWER_BIT;
        return rule;
    case ASYNC_OP_ARRIVE:
        transaction.arrivals = op->number;
        break;
    case ASYNC_OP_EXPECT_TX:
        transaction.expect_bytes = op->number;
        break;
    default:
        transaction.complete_bytes = op->number;
    }
    return async_barrier_transact(&run->barrier, &transaction);
}

// NULL, or what makes the step none that can be decided.
static const char *step_overwrite(struct run *run, int step)
{
    const struct async_op *op = &run->test_case->op[step];
    const struct async_operation *operation = &run->operation[op->number];
    enum rule rule = async_check_use(&run->groups[operation->thread], *operation, ASYNC_WRITES_SOURCE);
    return rule == RULE_OK ? NULL : "a source is overwritten that may not have been read";
}

static void settle(struct run *run)
{
    wait_for_all(run, 0);
    wait_for_all(run, 1);
    async_barrier_settle(&run->barrier);
}

static const char *run_step(struct run *run, int step)
{
    const struct async_op *op = &run->test_case->op[step];
    struct async_outcome *outcome = run->outcome;
    const char *why = NULL;
    if (async_is(op->opcode, ASYNC_COPIES))
        why = step_copy(run, step);
    else if (async_is(op->opcode, ASYNC_BULKS))
        outcome->rule = step_bulk(run, step);
    else if (async_is(op->opcode, ASYNC_BARRIER_OPS))
        outcome->rule = step_barrier(run, step);
    else if (async_is(op->opcode, ASYNC_GROUP_WAITS))
        wait_for_groups(run, op);
    else if (op->opcode == ASYNC_OP_COMMIT || op->opcode == ASYNC_OP_BULK_COMMIT)
        async_commit(groups_of(run, op->thread), op->opcode == ASYNC_OP_COMMIT ? ASYNC_COPY : ASYNC_BULK, NULL);
    else if (op->opcode == ASYNC_OP_WAIT_ALL)
        wait_for_all(run, op->thread);
    else if (op->opcode == ASYNC_OP_SETTLE)
        settle(run);
    else if (op->opcode == ASYNC_OP_OVERWRITE)
        why = step_overwrite(run, step);
    note_complete(run, step);
    if (async_is(op->opcode, ASYNC_GROUP_WAITS) || op->opcode == ASYNC_OP_WAIT_ALL ||
        op->opcode == ASYNC_OP_BARRIER_WAIT)
        outcome->waits[step] |= run->complete;
    return why;
}

static void fill(uint8_t *bytes, uint32_t size_bytes, uint32_t seed, uint32_t salt, uint32_t address)
{
    for (uint32_t at = 0; at < size_bytes; at += 4) put_u32(bytes + at, async_word(seed, salt, address + at));
}

// A source that is not mapped is found out late, and the program goes on meanwhile: it may meet another fault first.
static const char *decide_late(struct async_outcome *outcome, enum rule late, const char *why)
{
    bool is_one = outcome->rule == RULE_OK || rule_cuda_error(outcome->rule) == rule_cuda_error(late);
    outcome->rule = late;
    return why == NULL && !is_one ? "the fault of a source that is not mapped comes late, after another one" : why;
}

const char *async_run(const struct async_case *test_case, struct async_outcome *outcome)
{
    uint8_t shared[ASYNC_SHARED_BYTES];
    struct run run = {.test_case = test_case, .outcome = outcome, .groups = {{.thread = 0}, {.thread = 1}}};
    uint8_t *slots = shared + (ASYNC_SLOTS - ASYNC_SHARED_START);
    uint32_t slots_bytes = test_case->count * ASYNC_SLOT_BYTES;
    const char *why = NULL;
    enum rule late = RULE_OK;
    run.shared = shared;
    outcome->rule = RULE_OK;
    memset(outcome->waits, 0, sizeof outcome->waits);
    fill(slots, slots_bytes, test_case->seed, ASYNC_SALT_SLOTS, ASYNC_SLOTS);
    fill(outcome->global, async_global_bytes(test_case, run.offset), test_case->seed, ASYNC_SALT_GLOBAL, 0);
    async_barrier_start(&run.barrier, test_case->init);
    for (uint32_t i = 0; i < test_case->count && why == NULL && outcome->rule == RULE_OK; i++) {
        why = run_step(&run, (int)i);
        if (outcome->rule == RULE_CP_ASYNC_UNMAPPED) late = RULE_CP_ASYNC_UNMAPPED, outcome->rule = RULE_OK;
    }
    if (late != RULE_OK) why = decide_late(outcome, late, why);
    if (outcome->rule == RULE_OK) settle(&run);
    outcome->open = run.barrier.open || (outcome->rule == RULE_OK && run.barrier.states != 1);
    outcome->word = run.barrier.state[0].word;
    memcpy(outcome->slots, slots, slots_bytes);
    if (why == NULL && outcome->open) why = "what the barrier does depends on when an asynchronous arrival lands";
    return why;
}
