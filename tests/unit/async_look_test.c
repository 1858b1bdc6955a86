// SPDX-License-Identifier: MIT
// The suite `async_look`: what the waits of the recorded programs saw can tell a wrong model of groups from the right
// one. A program exposes a mutant that promises too much where a wait saw an operation not complete that the mutant
// says is; and one that promises too little where an operation that the mutant leaves open was not complete before the
// wait and was after it.
#include <string.h>

#include "async_case.h"
#include "async_list.h"
#include "json.h"
#include "recorded.h"

// The operations that a mutant says are complete, before and after each step.
struct claims {
    uint32_t before[ASYNC_MAX_OPS], after[ASYNC_MAX_OPS];
};

static enum async_kind kind_of(uint32_t opcode)
{
    bool is_copy = async_is(opcode, ASYNC_COPIES) || opcode == ASYNC_OP_COMMIT || opcode == ASYNC_OP_WAIT;
    return is_copy ? ASYNC_COPY : ASYNC_BULK;
}

static void list_step(struct async_list *list, const struct async_op *op)
{
    if (async_is(op->opcode, ASYNC_COPIES) || async_is(op->opcode, ASYNC_BULKS))
        async_list_issue(list, op->thread, kind_of(op->opcode));
    else if (op->opcode == ASYNC_OP_COMMIT || op->opcode == ASYNC_OP_BULK_COMMIT)
        async_list_commit(list, op->thread, kind_of(op->opcode));
    else if (async_is(op->opcode, ASYNC_GROUP_WAITS))
        async_list_wait(list, op->thread, kind_of(op->opcode), (int)op->number, op->opcode == ASYNC_OP_BULK_WAIT_READ);
    else if (op->opcode == ASYNC_OP_WAIT_ALL)
        async_list_wait_all(list, op->thread);
}

static uint32_t complete(const struct async_list *list, const int *step_of)
{
    uint32_t steps = 0;
    for (int i = 0; i < list->count; i++)
        if (list->operation[i].state == '*') steps |= UINT32_C(1) << step_of[i];
    return steps;
}

static struct claims claims_of(enum async_mutant mutant, const struct async_case *c)
{
    struct async_list list = {.mutant = mutant};
    struct claims claims;
    int step_of[ASYNC_LIST_MOST] = {0};
    if (mutant == ASYNC_THREADS_TOGETHER && c->threads != ASYNC_OTHER_WARP) list.mutant = ASYNC_NO_MUTANT;
    for (int step = 0; step < (int)c->count; step++) {
        step_of[list.count < ASYNC_LIST_MOST ? list.count : 0] = step;
        claims.before[step] = complete(&list, step_of);
        list_step(&list, &c->op[step]);
        claims.after[step] = complete(&list, step_of);
    }
    return claims;
}

static bool is_wait(uint32_t opcode)
{
    return async_is(opcode, ASYNC_GROUP_WAITS) || opcode == ASYNC_OP_WAIT_ALL;
}

// Copies lie in shared memory: what was not there before a wait and is there after it came meanwhile. A bulk operation
// may only have been out of sight, in L2 behind an older line of L1: that tells .read from a wait, and nothing else.
static uint32_t came(enum async_mutant mutant, const struct async_case *c, const struct async_look *look)
{
    uint32_t steps = look->plain_after & ~look->plain_before;
    for (uint32_t i = 0; i < c->count; i++)
        if (!async_is(c->op[i].opcode, ASYNC_COPIES) && mutant != ASYNC_BULK_WAIT_IS_READ) steps &= ~(UINT32_C(1) << i);
    return steps;
}

static bool is_exposed(enum async_mutant mutant, const struct async_case *c, const struct async_look *looks)
{
    struct claims wrong = claims_of(mutant, c), right = claims_of(ASYNC_NO_MUTANT, c);
    for (uint32_t step = 0; step < c->count; step++) {
        const struct async_look *look = &looks[step];
        if (!is_wait(c->op[step].opcode)) continue;
        if (wrong.after[step] & ~look->plain_after) return true;
        if (right.after[step] & ~right.before[step] & ~wrong.after[step] & came(mutant, c, look)) return true;
    }
    return false;
}

// Programs of the trace, and how many of them expose each mutant.
struct counts {
    int programs, exposed[ASYNC_MUTANTS];
};

static void count_exposed(const void *test_case, const struct trace_entry *entry, void *context)
{
    const struct async_case *c = test_case;
    struct counts *counts = context;
    struct async_look looks[ASYNC_MAX_OPS];
    const json_t *window = json_object_get(entry->windows, "looks");
    const char *bytes = json_string_value(json_object_get(window, "bytes"));
    ck_assert_msg(bytes != NULL && hex_parse(bytes, (uint8_t *)looks, sizeof looks[0] * c->count), "no looks");
    counts->programs++;
    for (int mutant = 0; mutant < ASYNC_MUTANTS; mutant++)
        counts->exposed[mutant] += is_exposed((enum async_mutant)mutant, c, looks);
}

// The wrong models that the recordings must tell from the right one, by a fifth of the programs at least.
static const enum async_mutant wrong[] = {ASYNC_ISSUED_IS_COMPLETE, ASYNC_ONE_MORE, ASYNC_THREADS_TOGETHER,
                                          ASYNC_READ_IS_COMPLETE, ASYNC_BULK_WAIT_IS_READ};

TEST(async_recordings_tell_mutants)
{
    struct counts counts = {0};
    recorded_each("async", count_exposed, &counts);
    for (int mutant = 1; mutant < ASYNC_MUTANTS; mutant++)
        printf("async: \"%s\" is exposed by %d of %d recorded programs\n", async_mutant_names[mutant],
               counts.exposed[mutant], counts.programs);
    ck_assert_int_ge(counts.programs, 1000);
    ck_assert_int_eq(counts.exposed[ASYNC_NO_MUTANT], 0);
    for (int i = 0; i < ROWS_OF(wrong); i++)
        ck_assert_msg(5 * counts.exposed[wrong[i]] >= counts.programs, "%s: %d of %d", async_mutant_names[wrong[i]],
                      counts.exposed[wrong[i]], counts.programs);
}
