// SPDX-License-Identifier: MIT
// A mismatch of the family "async" in words: which operation a wait did not wait for, or whose bytes differ.
#include <inttypes.h>
#include <string.h>

#include "async_case.h"
#include "mbarrier.h"

static void print_op(const struct async_case *c, uint32_t step, FILE *out)
{
    const struct async_op *op = &c->op[step];
    fprintf(out, "ops[%" PRIu32 "] %s", step, async_op_names[op->opcode]);
    if (async_is(op->opcode, ASYNC_GROUP_WAITS)) fprintf(out, " %" PRIu32, op->number);
    if (op->size_bytes > 0) fprintf(out, " of %" PRIu32 " bytes", op->size_bytes);
    if (c->threads != ASYNC_ONE_THREAD)
        fprintf(out, " by thread %" PRIu32 " (%s)", op->thread, async_thread_names[c->threads]);
}

// The rule that decides what a step of this kind leaves.
static enum rule rule_of(uint32_t opcode)
{
    static const enum rule rules[ASYNC_OPS] = {
        [ASYNC_OP_COPY_CA] = RULE_CP_ASYNC_SRC_SIZE,
        [ASYNC_OP_COPY_CG] = RULE_CP_ASYNC_SRC_SIZE,
        [ASYNC_OP_STORE] = RULE_BULK_SIZE,
        [ASYNC_OP_REDUCE] = RULE_REDUCE_INTEGER,
        [ASYNC_OP_WAIT_ALL] = RULE_ASYNC_WAIT_ALL,
        [ASYNC_OP_BULK_WAIT_READ] = RULE_ASYNC_GROUP_READ,
        [ASYNC_OP_COPIES_ARRIVE] = RULE_CP_ASYNC_MBARRIER_ARRIVE,
        [ASYNC_OP_COPIES_ARRIVE_NOINC] = RULE_CP_ASYNC_MBARRIER_NOINC,
        [ASYNC_OP_BARRIER_WAIT] = RULE_MBARRIER_WAIT_PARITY,
    };
    return rules[opcode] != RULE_OK ? rules[opcode] : RULE_ASYNC_GROUP_ORDER;
}

// What a step's wait, whose 32 bits differ, should have waited for.
static enum rule explain_wait(const struct async_case *c, uint32_t step, const struct difference *difference, FILE *out)
{
    struct difference_units waits = difference_units(difference, 4);
    uint32_t want = (uint32_t)waits.expected, got = (uint32_t)waits.found;
    uint32_t missing = want & ~got & (ASYNC_ANSWER_BIT - 1);
    fprintf(out, "    ");
    print_op(c, step, out);
    if (missing == 0) {
        fprintf(out, ": 0x%05" PRIx32 " expected, 0x%05" PRIx32 " found\n", want, got);
        return rule_of(c->op[step].opcode);
    }
    fprintf(out, ": complete by now should be ");
    print_op(c, (uint32_t)__builtin_ctz(missing), out);
    fprintf(out, ", and is not (promise %s)\n", async_promise_names[c->promise]);
    return rule_of(c->op[step].opcode);
}

// The step whose slot, or whose destination with its guards, holds byte `at` of a window.
static uint32_t step_of(const struct async_case *c, int is_global, uint32_t at)
{
    uint32_t offsets[ASYNC_MAX_OPS], step = 0;
    if (!is_global) return at / ASYNC_SLOT_BYTES;
    async_global_bytes(c, offsets);
    for (uint32_t i = 0; i < c->count; i++)
        if (async_is(c->op[i].opcode, ASYNC_BULKS) && at + ASYNC_GUARD_BYTES >= offsets[i]) step = i;
    return step;
}

// How a copy arrives at the barrier, if one does.
static enum rule rule_of_barrier(const struct async_case *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (c->op[i].opcode == ASYNC_OP_COPIES_ARRIVE || c->op[i].opcode == ASYNC_OP_COPIES_ARRIVE_NOINC)
            return rule_of(c->op[i].opcode);
    return RULE_MBARRIER_PHASE;
}

enum rule async_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct async_case *c = test_case;
    const char *window = difference->expected->name;
    if (strcmp(window, "mbarrier") == 0) {
        fprintf(out, "    mbarrier: ");
        difference_print_barrier(difference, out);
        return rule_of_barrier(c);
    }
    if (strcmp(window, "waits") == 0) return explain_wait(c, difference->at / 4, difference, out);
    const uint32_t step = step_of(c, strcmp(window, "global") == 0, difference->at);
    fprintf(out, "    written by ");
    print_op(c, step, out);
    fprintf(out, "\n");
    return rule_of(c->op[step].opcode);
}
