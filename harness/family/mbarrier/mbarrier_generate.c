// SPDX-License-Identifier: MIT
// Random barrier programs. The generator steps the model as it goes, so that it can aim: at exactly the arrivals that
// are pending, at the last byte of tx, at a word that is about to overflow.
#include "draw.h"
#include "mbarrier_case.h"
#include "rules/mbarrier.h"

#include <string.h>

// What one program is made of, chosen once.
struct plan {
    struct random *random;
    struct mbarrier_machine machine;
    int barriers, remote;
};

static const uint32_t limits[] = {0,        1,        2,        31,         32,         33,
                                  0x7fff,   0x8000,   0x7ffff,  0x80000,    0xfffff,    0x100000,
                                  0x100001, 0x1fffff, 0x200000, 0x7fffffff, 0x80000000, 0xffffffff};

static uint32_t random_kind(struct random *random)
{
    return (uint32_t)DRAW(random, {1, JUST(MBARRIER_OP_WORD)}, {1, JUST(MBARRIER_OP_INIT)},
                          {1, JUST(MBARRIER_OP_INVAL)}, {4, JUST(MBARRIER_OP_ARRIVE)},
                          {2, JUST(MBARRIER_OP_ARRIVE_NO_COMPLETE)}, {2, JUST(MBARRIER_OP_ARRIVE_DROP)},
                          {1, JUST(MBARRIER_OP_ARRIVE_DROP_NO_COMPLETE)}, {3, JUST(MBARRIER_OP_EXPECT_TX)},
                          {3, JUST(MBARRIER_OP_COMPLETE_TX)}, {2, JUST(MBARRIER_OP_ARRIVE_EXPECT_TX)},
                          {1, JUST(MBARRIER_OP_ARRIVE_DROP_EXPECT_TX)}, {2, JUST(MBARRIER_OP_TEST_WAIT)},
                          {1, JUST(MBARRIER_OP_TEST_WAIT_PARITY)}, {1, JUST(MBARRIER_OP_TRY_WAIT)},
                          {1, JUST(MBARRIER_OP_TRY_WAIT_PARITY)}, {1, JUST(MBARRIER_OP_PENDING_COUNT)});
}

struct mbarrier_op mbarrier_op_plain(uint32_t opcode)
{
    return (struct mbarrier_op){.opcode = opcode, .lanes = 1, .token = MBARRIER_TOKEN_OPERAND};
}

static uint32_t random_lane(struct random *random)
{
    return UINT32_C(1) << random_below(random, MBARRIER_LANES);
}

static uint32_t random_lanes(struct random *random)
{
    uint64_t kind = random_below(random, 20);
    if (kind < 8) return 1;
    if (kind < 12) return random_lane(random);
    if (kind < 15) return random_lane(random) | random_lane(random) | random_lane(random);
    if (kind < 19) return 0xffffffff;
    uint32_t lanes = (uint32_t)random_u64(random);
    return lanes | random_lane(random);
}

// An arbitrary word; or one with fields at their limits. Mostly without the error bit, which ends a program soon.
static uint64_t random_word(struct random *random)
{
    uint64_t word = random_u64(random);
    if (random_chance(random, 60)) {
        struct mbarrier_fields fields = {.phase = (int)random_below(random, 2), .unused = random_chance(random, 20)};
        fields.pending = random_pick(random, limits) & MBARRIER_COUNT_MAX;
        fields.expected = random_pick(random, limits) & MBARRIER_COUNT_MAX;
        fields.tx = (int32_t)(random_pick(random, limits) & MBARRIER_COUNT_MAX);
        if (random_chance(random, 50)) fields.tx = -fields.tx;
        word = mbarrier_pack(&fields);
    }
    return random_chance(random, 90) ? word & ~MBARRIER_ERROR_BIT : word;
}

static uint32_t random_init_count(struct random *random)
{
    static const uint32_t small[] = {1, 1, 2, 2, 3, 4, 16, 31, 32, 32, 64, 128};
    return random_chance(random, 75) ? random_pick(random, small) : random_pick(random, limits);
}

// What is left in the direction of a transaction, per lane: the sum that makes something exact, or nearly.
static uint32_t aimed_operand(struct random *random, const struct mbarrier_op *op, uint64_t word)
{
    struct mbarrier_fields now = mbarrier_unpack(word);
    enum mbarrier_effect does = mbarrier_step_row(op->opcode)->does;
    int64_t lanes = __builtin_popcount(op->lanes), missing = 0, room = 0;
    if (does == MBARRIER_ARRIVES) missing = now.pending, room = now.pending;
    if (does == MBARRIER_EXPECTS || does == MBARRIER_BOTH) missing = -now.tx, room = MBARRIER_TX_MAX - now.tx;
    if (does == MBARRIER_COMPLETES) missing = now.tx, room = now.tx - MBARRIER_TX_MIN;
    if (room > MBARRIER_COUNT_MAX) room = MBARRIER_COUNT_MAX;
    uint64_t kind = random_below(random, 10);
    if (kind < 5 && missing >= 0) return (uint32_t)(missing / lanes);
    if (kind < 7) return (uint32_t)(room / lanes);
    if (kind == 7) return (uint32_t)random_below(random, (uint64_t)(room / lanes) + 2);
    return (uint32_t)random_pick(random, ((const uint32_t[]){0, 1, 1, 16, 128, 4096, 16384}));
}

// An earlier step that returned tokens, mostly of the same barrier; or none.
static uint32_t random_token(struct plan *plan, uint32_t barrier)
{
    for (int tries = 0; tries < 16 && plan->machine.events > 0; tries++) {
        uint64_t index = random_below(plan->random, (uint64_t)plan->machine.events);
        const struct mbarrier_op *source = &plan->machine.event[index].op;
        if (mbarrier_step_row(source->opcode)->result != MBARRIER_GIVES_TOKEN) continue;
        if (source->issuer != MBARRIER_ISSUER_CTA) continue;
        if (source->barrier == barrier || random_chance(plan->random, 10)) return (uint32_t)index;
    }
    return MBARRIER_TOKEN_OPERAND;
}

static void choose_operand(struct plan *plan, struct mbarrier_op *op, bool careless)
{
    struct random *random = plan->random;
    switch (mbarrier_step_row(op->opcode)->operand) {
    case MBARRIER_TAKES_NOTHING:
        return;
    case MBARRIER_TAKES_WORD:
        op->word = random_word(random);
        return;
    case MBARRIER_TAKES_PARITY:
        op->operand = (uint32_t)(random_chance(random, 85) ? random_below(random, 2) : random_u64(random));
        break;
    case MBARRIER_TAKES_TOKEN:
        op->token = random_token(plan, op->barrier);
        if (op->token != MBARRIER_TOKEN_OPERAND) return;
        op->operand = (uint32_t)random_u64(random);
        break;
    default:
        op->operand = op->opcode == MBARRIER_OP_INIT ? random_init_count(random)
                      : careless                     ? random_pick(random, limits)
                                                     : aimed_operand(random, op, plan->machine.word[0][op->barrier]);
    }
    if (random_chance(random, 10))
        op->step = random_chance(random, 70) ? (uint32_t)random_below(random, 4) : (uint32_t)random_u64(random);
}

// Lanes on several barriers: every second lane, groups of lanes, any.
static uint64_t random_spread(struct random *random)
{
    static const uint64_t patterns[] = {0x4444444444444444, 0x5555555500000000, 0xe4e4e4e4e4e4e4e4, 1};
    return random_chance(random, 50) ? random_pick(random, patterns) : random_u64(random);
}

static struct mbarrier_op random_op(struct plan *plan, bool careless)
{
    struct random *random = plan->random;
    struct mbarrier_op op = mbarrier_op_plain(random_kind(random));
    const struct mbarrier_op_row *row = mbarrier_step_row(op.opcode);
    op.barrier = (uint32_t)random_below(random, (uint64_t)plan->barriers);
    if (plan->remote && row->ptx_cluster != NULL && random_chance(random, 65))
        op.issuer = random_chance(random, 25) ? MBARRIER_ISSUER_SELF : MBARRIER_ISSUER_REMOTE;
    if (op.opcode == MBARRIER_OP_INIT)
        op.lanes = random_chance(random, 85) ? 1 : random_lanes(random);
    else if (op.opcode != MBARRIER_OP_WORD)
        op.lanes = random_lanes(random);
    if (plan->barriers == MBARRIER_SLOTS && op.lanes != 1 && op.opcode != MBARRIER_OP_PENDING_COUNT && !careless &&
        random_chance(random, 50))
        op.spread = random_spread(random);
    choose_operand(plan, &op, careless);
    if (careless && op.opcode != MBARRIER_OP_WORD && op.opcode != MBARRIER_OP_PENDING_COUNT && random_chance(random, 5))
        op.offset_bytes = (uint32_t)random_below(random, 7) + 1;
    return op;
}

static void accept(struct mbarrier_case *test_case, struct plan *plan, const struct mbarrier_op *op)
{
    mbarrier_step(&plan->machine, op, NULL);
    test_case->op[test_case->count++] = *op;
}

// Adds an operation that ends in `wanted`; gives up after `tries`. Returns whether it did.
static bool add_op(struct plan *plan, struct mbarrier_case *test_case, enum rule wanted, int tries)
{
    for (int i = 0; i < tries; i++) {
        struct mbarrier_op op = random_op(plan, wanted != RULE_OK || random_chance(plan->random, 15));
        struct mbarrier_machine copy = plan->machine;
        if (mbarrier_step(&copy, &op, NULL) != wanted) continue;
        accept(test_case, plan, &op);
        return true;
    }
    return false;
}

// A program's two last steps: a word that is close to every limit, and the operation that breaks one.
static void add_fault(struct plan *plan, struct mbarrier_case *test_case)
{
    static const enum rule faults[] = {
        RULE_MBARRIER_ADDRESS_ALIGN, RULE_MBARRIER_ERROR,    RULE_MBARRIER_COUNT_LIMIT, RULE_MBARRIER_TX_LIMIT,
        RULE_MBARRIER_ARRIVALS,      RULE_MBARRIER_TX_RANGE, RULE_MBARRIER_DROP_LIMIT,
    };
    struct random *random = plan->random;
    enum rule wanted = random_pick(random, faults);
    struct mbarrier_fields edge = {.pending = 1 << 19, .expected = 1, .error = wanted == RULE_MBARRIER_ERROR};
    edge.tx = (int32_t)random_range(random, 0xffff0, MBARRIER_COUNT_MAX);
    if (random_chance(random, 50)) edge.tx = -edge.tx;
    struct mbarrier_op word = mbarrier_op_plain(MBARRIER_OP_WORD);
    word.word = mbarrier_pack(&edge);
    word.barrier = (uint32_t)random_below(random, (uint64_t)plan->barriers);
    if (add_op(plan, test_case, wanted, 20)) return;
    accept(test_case, plan, &word);
    add_op(plan, test_case, wanted, 400);
}

void mbarrier_generate(struct random *random, void *test_case)
{
    struct mbarrier_case *program = test_case;
    memset(program, 0, sizeof *program);
    struct plan plan = {.random = random, .barriers = 1};
    mbarrier_machine_start(&plan.machine);
    if (random_chance(random, 40)) plan.barriers = (int)random_range(random, 2, MBARRIER_SLOTS);
    plan.remote = random_chance(random, 30);
    int fault = random_chance(random, 5);
    int length = (int)random_range(random, plan.barriers + 1, MBARRIER_MAX_OPS - 2 * fault);

    for (int i = 0; i < plan.barriers; i++) {
        struct mbarrier_op first = mbarrier_op_plain(random_chance(random, 80) ? MBARRIER_OP_INIT : MBARRIER_OP_WORD);
        first.barrier = (uint32_t)i;
        choose_operand(&plan, &first, false);
        accept(program, &plan, &first);
    }
    while (program->count < length)
        if (!add_op(&plan, program, RULE_OK, 12))
            accept(program, &plan,
                   &(struct mbarrier_op){MBARRIER_OP_INVAL, .lanes = 1, .token = MBARRIER_TOKEN_OPERAND});
    if (fault) add_fault(&plan, program);
}
