// SPDX-License-Identifier: MIT
// Random programs of family "async": bursts of copies and stores, commits with and without anything to commit, waits
// for all numbers of groups, barriers that asynchronous arrivals land on; copies at the limits of their operands, and
// now and then one that an H200 must refuse. What cannot be decided because it depends on timing becomes a pause.
#include "arena.h"
#include "async_case.h"
#include "cp_async_form.h"
#include "draw.h"
#include "mbarrier.h"

// What a program leans to, in percent of its steps; the rest are waits of the kinds it uses.
static const struct profile {
    uint32_t copies, bulk, commits, bulk_commits, barrier, overwrites;
} profiles[] = {
    {40, 0, 24, 2, 0, 0}, {0, 40, 2, 24, 0, 6}, {24, 20, 14, 12, 2, 3}, {36, 2, 8, 2, 36, 0}, {24, 12, 8, 6, 24, 2},
};

static uint32_t pick_number(struct random *random)
{
    static const int32_t large[] = {8, 16, 62, 63, 64, 65, 1000};
    return (uint32_t)DRAW(random, {3, ONE_OF(large)}, {44, JUST(0)}, {37, BETWEEN(0, 2)}, {16, BETWEEN(0, 7)});
}

static uint32_t pick_src_size(struct random *random, uint32_t size)
{
    static const uint32_t high[] = {1u << 16, 1u << 31, 0xfffffff0, 0xffffffff};
    if (random_chance(random, 75)) return (uint32_t)random_below(random, size + 1);
    if (random_chance(random, 75)) return (uint32_t)random_below(random, 4 * size);
    uint32_t base = random_pick(random, high);
    return base + (uint32_t)random_below(random, size);
}

static void pick_copy(struct random *random, int step, struct async_op *op)
{
    op->opcode = random_chance(random, 40) ? ASYNC_OP_COPY_CG : ASYNC_OP_COPY_CA;
    op->size_bytes = op->opcode == ASYNC_OP_COPY_CG ? 16 : 4u << random_below(random, 3);
    op->from = ARENA_BASE + op->size_bytes * random_below(random, ARENA_BYTES / op->size_bytes);
    op->to = async_slot(step) + ASYNC_GUARD_BYTES;
    op->to += op->size_bytes * (uint32_t)random_below(random, 16 / op->size_bytes);
    if (random_chance(random, 30)) op->form = CP_ASYNC_SRC_SIZE;
    if (random_chance(random, 8)) op->form = CP_ASYNC_IGNORE_SRC;
    if (op->form == CP_ASYNC_SRC_SIZE) op->number = pick_src_size(random, op->size_bytes);
    if (op->form == CP_ASYNC_IGNORE_SRC) op->number = (uint32_t)random_below(random, 2);
    if (op->form == CP_ASYNC_SRC_SIZE && random_chance(random, 20)) op->from += random_below(random, op->size_bytes);
    bool reads_nothing = op->form != CP_ASYNC_WHOLE && (op->form == CP_ASYNC_IGNORE_SRC) == (op->number == 1);
    if (reads_nothing && (op->form == CP_ASYNC_IGNORE_SRC || op->number == 0) && random_chance(random, 30))
        op->from = ARENA_BASE + ARENA_BYTES + random_below(random, 4096);
}

static void pick_bulk(struct random *random, struct async_op *op)
{
    uint64_t units = random_chance(random, 70) ? 16 : ASYNC_SOURCE_BYTES / 16;
    op->opcode = random_chance(random, 30) ? ASYNC_OP_REDUCE : ASYNC_OP_STORE;
    if (random_chance(random, 5)) op->opcode = ASYNC_OP_PREFETCH;
    op->size_bytes = 16 * (1 + (uint32_t)random_below(random, units));
}

static void pick_barrier(struct random *random, struct async_op *op)
{
    static const uint32_t opcodes[] = {
        ASYNC_OP_COPIES_ARRIVE,       ASYNC_OP_COPIES_ARRIVE, ASYNC_OP_COPIES_ARRIVE_NOINC,
        ASYNC_OP_COPIES_ARRIVE_NOINC, ASYNC_OP_ARRIVE,        ASYNC_OP_ARRIVE,
        ASYNC_OP_BARRIER_WAIT,        ASYNC_OP_BARRIER_WAIT,  ASYNC_OP_EXPECT_TX,
        ASYNC_OP_COMPLETE_TX,         ASYNC_OP_SETTLE};
    static const uint32_t bytes[] = {1, 1, 2, 3, 16, MBARRIER_COUNT_MAX};
    op->opcode = random_pick(random, opcodes);
    if (op->opcode == ASYNC_OP_ARRIVE) op->number = random_chance(random, 4) ? 3 : 1;
    if (op->opcode == ASYNC_OP_BARRIER_WAIT) op->number = (uint32_t)random_chance(random, 20);
    if (op->opcode == ASYNC_OP_EXPECT_TX || op->opcode == ASYNC_OP_COMPLETE_TX) op->number = random_pick(random, bytes);
}

// An earlier bulk operation to overwrite the source of, if there is one.
static void pick_overwrite(struct random *random, const struct async_case *c, int step, struct async_op *op)
{
    op->number = step > 0 ? (uint32_t)random_below(random, (uint64_t)step) : 0;
    for (int i = 0; i < step; i++, op->number = (op->number + 1) % (uint32_t)step) {
        if (!async_may_overwrite(c, op->number)) continue;
        op->opcode = ASYNC_OP_OVERWRITE;
        return;
    }
    op->opcode = ASYNC_OP_BULK_COMMIT;
    op->number = 0;
}

static void pick_wait(struct random *random, const struct profile *profile, struct async_op *op)
{
    uint64_t is_bulk = random_below(random, profile->copies + profile->bulk + 4) >= profile->copies + 2;
    op->opcode = is_bulk ? ASYNC_OP_BULK_WAIT : ASYNC_OP_WAIT;
    if (is_bulk && random_chance(random, 35)) op->opcode = ASYNC_OP_BULK_WAIT_READ;
    if (!is_bulk && random_chance(random, 15)) op->opcode = ASYNC_OP_WAIT_ALL;
    if (op->opcode != ASYNC_OP_WAIT_ALL) op->number = pick_number(random);
}

static struct async_op pick_op(struct random *random, const struct profile *profile, const struct async_case *c,
                               int step)
{
    struct async_op op = {0};
    uint32_t kind = (uint32_t)random_below(random, 100);
    const uint32_t bulk = profile->copies + profile->bulk, commits = bulk + profile->commits;
    const uint32_t bulk_commits = commits + profile->bulk_commits, barrier = bulk_commits + profile->barrier;
    if (kind < profile->copies)
        pick_copy(random, step, &op);
    else if (kind < bulk)
        pick_bulk(random, &op);
    else if (kind < bulk_commits)
        op.opcode = kind < commits ? ASYNC_OP_COMMIT : ASYNC_OP_BULK_COMMIT;
    else if (kind < barrier)
        pick_barrier(random, &op);
    else if (kind < barrier + profile->overwrites)
        pick_overwrite(random, c, step, &op);
    else
        pick_wait(random, profile, &op);
    if (c->threads != ASYNC_ONE_THREAD) op.thread = (uint16_t)random_below(random, 2);
    return op;
}

// A program as pipelines are written: `thread` issues, commits, and after `wanted` groups somebody waits for them.
// `issued` operations are not committed, `groups` not waited for.
struct pipeline {
    bool is_bulk, is_read, overwrites;
    uint32_t thread, issued, groups, wanted;
};

// The wait of the thread that issued, by turns with .read and without; or of the other one, which waits for nothing.
static void pick_pipeline_wait(struct random *random, const struct async_case *c, struct pipeline *p,
                               struct async_op *op)
{
    bool is_other = c->threads != ASYNC_ONE_THREAD && random_chance(random, 50);
    op->opcode = !p->is_bulk ? ASYNC_OP_WAIT : p->is_read ? ASYNC_OP_BULK_WAIT_READ : ASYNC_OP_BULK_WAIT;
    op->number = (uint32_t)random_chance(random, is_other ? 20 : 70);
    if (random_chance(random, 15)) op->number = (uint32_t)random_below(random, 4);
    op->thread = (uint16_t)(p->thread ^ (uint32_t)is_other);
    p->is_read = random_chance(random, 80) ? !p->is_read : p->is_read;
    if (is_other) return;
    if (p->groups > op->number) p->groups = op->number;
    p->wanted = p->groups + 1 + (uint32_t)random_below(random, 2);
    p->overwrites = p->is_bulk && random_chance(random, 20);
    if (p->groups == 0 && random_chance(random, 20)) p->is_bulk = !p->is_bulk;
}

static struct async_op pick_pipeline(struct random *random, const struct async_case *c, int step, struct pipeline *p)
{
    struct async_op op = {0};
    bool issues = p->issued == 0 ? p->groups < p->wanted : p->issued == 1 && random_chance(random, 15);
    op.thread = (uint16_t)p->thread;
    if (p->overwrites) {
        pick_overwrite(random, c, step, &op);
        p->overwrites = false;
        return op;
    }
    if (issues && p->is_bulk) pick_bulk(random, &op);
    if (issues && !p->is_bulk) pick_copy(random, step, &op);
    if (issues) {
        p->issued++;
    } else if (p->issued > 0 && random_chance(random, 90)) {
        op.opcode = p->is_bulk ? ASYNC_OP_BULK_COMMIT : ASYNC_OP_COMMIT;
        p->issued = 0;
        p->groups++;
    } else {
        pick_pipeline_wait(random, c, p, &op);
    }
    return op;
}

// Breaks one or two rules of a copy.
static void break_copy(struct random *random, struct async_op *op)
{
    static const uint32_t windows[] = {1u << 24, (1u << 24) + 2048, 1u << 25};
    static const uint32_t past[] = {ASYNC_SHARED_END, ASYNC_SHARED_END + 16, SM_SHARED_BYTES, 0x40000, 0x100000,
                                    0xfffff0};
    for (int i = random_chance(random, 35) ? 2 : 1; i > 0; i--) {
        const uint64_t in = random_below(random, op->size_bytes), far = op->size_bytes * random_below(random, 1024);
        const uint32_t slip = (uint32_t)random_range(random, 1, op->size_bytes - 1);
        const uint32_t beyond = random_pick(random, past), window = random_pick(random, windows);
        const bool is_in = op->to < ASYNC_SHARED_END;
        change_one(random,
                   CHANGES({2, CHANGE(op->from, op->from + in)},
                           {4, CHANGE(op->to, is_in ? op->to / op->size_bytes * op->size_bytes + slip : beyond)},
                           {2, CHANGE(op->to, beyond)}, {2, CHANGE(op->to, window)},
                           {2, CHANGE(op->from, ARENA_BASE + ARENA_BYTES + far)}));
    }
}

// Does the outcome depend on time, now that the last step is there? Tries the other sources of an overwrite first.
static bool is_open(struct async_case *c, bool is_faulty)
{
    struct async_outcome outcome;
    uint32_t last = c->count - 1;
    struct async_op *op = &c->op[last];
    if (!async_is(op->opcode, ASYNC_BARRIER_OPS) && op->opcode != ASYNC_OP_OVERWRITE && !is_faulty) return false;
    if (async_run(c, &outcome) == NULL) return false;
    for (uint32_t i = 0; i < last && op->opcode == ASYNC_OP_OVERWRITE; i++) {
        op->number = i;
        if (async_may_overwrite(c, i) && async_run(c, &outcome) == NULL) return false;
    }
    return true;
}

// Most programs are slow: what a wait does not cover is then still under way when it ends.
static int pick_slow(struct random *random, const struct async_op *op)
{
    return async_may_be_slow(op) && random_chance(random, 85);
}

static void pick_head(struct random *random, struct async_case *c)
{
    *c = (struct async_case){.seed = (uint32_t)random_u64(random)};
    uint64_t threads = random_below(random, 100);
    c->threads = threads < 17 ? ASYNC_ONE_THREAD : threads < 34 ? ASYNC_SAME_WARP : ASYNC_OTHER_WARP;
    c->promise = random_chance(random, 20) ? ASYNC_SM_90A : ASYNC_PTX;
    c->init = 1 + (random_chance(random, 40) ? (uint32_t)random_below(random, 4) : 0);
}

void async_generate(struct random *random, void *test_case)
{
    struct async_case *c = test_case;
    const struct profile *profile = &profiles[random_below(random, sizeof profiles / sizeof profiles[0])];
    uint32_t steps = (uint32_t)(random_chance(random, 90) ? random_range(random, 14, 16) : random_range(random, 2, 16));
    pick_head(random, c);
    bool is_faulty = random_chance(random, 3), is_slow = !is_faulty && random_chance(random, 90);
    unsigned pipelined = random_chance(random, 92) ? 92 : 0; // percent of the steps
    struct pipeline pipeline = {
        .is_bulk = random_chance(random, 80), .is_read = random_chance(random, 50), .wanted = 2};
    if (c->threads != ASYNC_ONE_THREAD) pipeline.thread = (uint32_t)random_below(random, 2);
    uint32_t long_step = profile->bulk > 0 && random_chance(random, 50) ? (uint32_t)random_below(random, 4) : steps;
    for (uint32_t i = 0; i < steps; i++) {
        struct async_op *op = &c->op[i];
        *op = random_chance(random, pipelined) ? pick_pipeline(random, c, (int)i, &pipeline)
                                               : pick_op(random, profile, c, (int)i);
        if (op->opcode == ASYNC_OP_OVERWRITE) long_step = steps;
        if (i >= long_step && async_is(op->opcode, ASYNC_BULKS))
            op->size_bytes = async_source_most((int)i), long_step = steps;
        if (op->opcode == ASYNC_OP_OVERWRITE && async_has_long_source(c))
            *op = (struct async_op){.opcode = ASYNC_OP_BULK_COMMIT};
        if (is_slow) op->slow = (uint16_t)pick_slow(random, op);
        if (is_faulty && async_is(op->opcode, ASYNC_COPIES) && random_chance(random, 30)) break_copy(random, op);
        c->count = i + 1;
        if (is_open(c, is_faulty)) *op = (struct async_op){.opcode = ASYNC_OP_SETTLE};
    }
}
