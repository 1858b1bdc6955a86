// SPDX-License-Identifier: MIT
// One warp instruction on one barrier: which transactions it is, what each lane gets back, what PTX leaves undefined.
// How a transaction changes the word is in mbarrier.c; nothing here touches a count.
#include "mbarrier_step.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#define CTA_ARRIVE     "mbarrier.arrive.shared::cta.b64 state, [addr], count"
#define CTA_NOCOMPLETE "mbarrier.arrive.noComplete.shared::cta.b64 state, [addr], count"
#define CTA_DROP       "mbarrier.arrive_drop.shared::cta.b64 state, [addr], count"
#define CTA_DROP_NC    "mbarrier.arrive_drop.noComplete.shared::cta.b64 state, [addr], count"
#define CTA_EXPECT     "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [addr], bytes"
#define CTA_COMPLETE   "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [addr], bytes"
#define CTA_BOTH       "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 state, [addr], bytes"
#define CTA_DROP_BOTH  "mbarrier.arrive_drop.expect_tx.release.cta.shared::cta.b64 state, [addr], bytes"
#define CLU_ARRIVE     "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [addr], count"
#define CLU_DROP       "mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [addr], count"
#define CLU_EXPECT     "mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [addr], bytes"
#define CLU_COMPLETE   "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [addr], bytes"
#define CLU_BOTH       "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [addr], bytes"
#define CLU_DROP_BOTH  "mbarrier.arrive_drop.expect_tx.release.cluster.shared::cluster.b64 _, [addr], bytes"

#define TAKES(what) MBARRIER_TAKES_##what
#define GIVES(what) MBARRIER_GIVES_##what

// What is left out is nothing, none or 0.
static const struct mbarrier_op_row rows[MBARRIER_OPS] = {
    [MBARRIER_OP_WORD] = {.name = "word", .ptx = "mbarrier.inval, then st.shared.b64", .operand = TAKES(WORD)},
    [MBARRIER_OP_INIT] = {.name = "init",
                          .ptx = "mbarrier.init.shared::cta.b64 [addr], count",
                          .operand = TAKES(COUNT),
                          .by_value = 1},
    [MBARRIER_OP_INVAL] = {.name = "inval", .ptx = "mbarrier.inval.shared::cta.b64 [addr]"},
    [MBARRIER_OP_ARRIVE] = {.name = "arrive",
                            .ptx = CTA_ARRIVE,
                            .ptx_cluster = CLU_ARRIVE,
                            .operand = TAKES(COUNT),
                            .result = GIVES(TOKEN),
                            .does = MBARRIER_ARRIVES},
    [MBARRIER_OP_ARRIVE_NO_COMPLETE] = {.name = "arrive.noComplete",
                                        .ptx = CTA_NOCOMPLETE,
                                        .operand = TAKES(COUNT),
                                        .result = GIVES(TOKEN),
                                        .does = MBARRIER_ARRIVES,
                                        .no_complete = 1,
                                        .by_value = 1},
    [MBARRIER_OP_ARRIVE_DROP] = {.name = "arrive_drop",
                                 .ptx = CTA_DROP,
                                 .ptx_cluster = CLU_DROP,
                                 .operand = TAKES(COUNT),
                                 .result = GIVES(TOKEN),
                                 .does = MBARRIER_ARRIVES,
                                 .drop = 1},
    [MBARRIER_OP_ARRIVE_DROP_NO_COMPLETE] = {.name = "arrive_drop.noComplete",
                                             .ptx = CTA_DROP_NC,
                                             .operand = TAKES(COUNT),
                                             .result = GIVES(TOKEN),
                                             .does = MBARRIER_ARRIVES,
                                             .drop = 1,
                                             .no_complete = 1,
                                             .by_value = 1},
    [MBARRIER_OP_EXPECT_TX] = {.name = "expect_tx",
                               .ptx = CTA_EXPECT,
                               .ptx_cluster = CLU_EXPECT,
                               .operand = TAKES(BYTES),
                               .does = MBARRIER_EXPECTS},
    [MBARRIER_OP_COMPLETE_TX] = {.name = "complete_tx",
                                 .ptx = CTA_COMPLETE,
                                 .ptx_cluster = CLU_COMPLETE,
                                 .operand = TAKES(BYTES),
                                 .does = MBARRIER_COMPLETES},
    [MBARRIER_OP_ARRIVE_EXPECT_TX] = {.name = "arrive.expect_tx",
                                      .ptx = CTA_BOTH,
                                      .ptx_cluster = CLU_BOTH,
                                      .operand = TAKES(BYTES),
                                      .result = GIVES(TOKEN),
                                      .does = MBARRIER_BOTH},
    [MBARRIER_OP_ARRIVE_DROP_EXPECT_TX] = {.name = "arrive_drop.expect_tx",
                                           .ptx = CTA_DROP_BOTH,
                                           .ptx_cluster = CLU_DROP_BOTH,
                                           .operand = TAKES(BYTES),
                                           .result = GIVES(TOKEN),
                                           .does = MBARRIER_BOTH,
                                           .drop = 1},
    [MBARRIER_OP_TEST_WAIT] = {.name = "test_wait",
                               .ptx = "mbarrier.test_wait.shared::cta.b64 p, [addr], state",
                               .operand = TAKES(TOKEN),
                               .result = GIVES(PREDICATE)},
    [MBARRIER_OP_TEST_WAIT_PARITY] = {.name = "test_wait.parity",
                                      .ptx = "mbarrier.test_wait.parity.shared::cta.b64 p, [addr], parity",
                                      .operand = TAKES(PARITY),
                                      .result = GIVES(PREDICATE)},
    [MBARRIER_OP_TRY_WAIT] = {.name = "try_wait",
                              .ptx = "mbarrier.try_wait.shared::cta.b64 p, [addr], state",
                              .operand = TAKES(TOKEN),
                              .result = GIVES(PREDICATE)},
    [MBARRIER_OP_TRY_WAIT_PARITY] = {.name = "try_wait.parity",
                                     .ptx = "mbarrier.try_wait.parity.shared::cta.b64 p, [addr], parity",
                                     .operand = TAKES(PARITY),
                                     .result = GIVES(PREDICATE)},
    [MBARRIER_OP_PENDING_COUNT] = {.name = "pending_count",
                                   .ptx = "mbarrier.pending_count.b64 count, state",
                                   .operand = TAKES(TOKEN),
                                   .result = GIVES(COUNT)},
};

static const char *const issuers[MBARRIER_ISSUERS] = {
    [MBARRIER_ISSUER_CTA] = "cta",
    [MBARRIER_ISSUER_SELF] = "self",
    [MBARRIER_ISSUER_REMOTE] = "remote",
};

const struct mbarrier_op_row *mbarrier_op_row(uint32_t opcode)
{
    assert(opcode < MBARRIER_OPS);
    return &rows[opcode];
}

uint32_t mbarrier_op_find(const char *name)
{
    if (strncasecmp(name, "mbarrier.", 9) == 0) name += 9;
    uint32_t opcode = 0;
    while (opcode < MBARRIER_OPS && strcasecmp(rows[opcode].name, name) != 0) opcode++;
    return opcode;
}

const char *mbarrier_issuer_name(uint32_t issuer)
{
    assert(issuer < MBARRIER_ISSUERS);
    return issuers[issuer];
}

uint32_t mbarrier_issuer_find(const char *name)
{
    uint32_t issuer = 0;
    while (issuer < MBARRIER_ISSUERS && strcmp(issuers[issuer], name) != 0) issuer++;
    return issuer;
}

static const char *token_illegal(const struct mbarrier_op *program, int index)
{
    const struct mbarrier_op *op = &program[index];
    if (op->token == MBARRIER_TOKEN_OPERAND) return NULL;
    if (op->operand != 0 || op->step != 0) return "operand and step are absent when token names an op";
    if (op->token >= (uint32_t)index) return "token is the index of an earlier op";
    const struct mbarrier_op *source = &program[op->token];
    if (rows[source->opcode].result != MBARRIER_GIVES_TOKEN) return "token names an op that returns no token";
    if (source->issuer != MBARRIER_ISSUER_CTA)
        return "token names an op through shared::cluster, which returns no token";
    return NULL;
}

const char *mbarrier_op_illegal(const struct mbarrier_op *program, int index)
{
    const struct mbarrier_op *op = &program[index];
    if (op->opcode >= MBARRIER_OPS) return "op is not the name of an mbarrier operation";
    const struct mbarrier_op_row *row = &rows[op->opcode];
    if (op->barrier >= MBARRIER_SLOTS) return "barrier is 0 to 3";
    if (op->issuer >= MBARRIER_ISSUERS) return "issuer is cta, self or remote";
    if (op->issuer != MBARRIER_ISSUER_CTA && row->ptx_cluster == NULL)
        return "issuer is cta for this op: it has no shared::cluster form";
    if (op->lanes == 0) return "lanes is a mask of the warp's lanes, not 0";
    if (op->offset_bytes > 7) return "offset is 0 to 7 bytes";
    if (op->opcode == MBARRIER_OP_WORD || op->opcode == MBARRIER_OP_PENDING_COUNT) {
        if (op->offset_bytes != 0) return "offset is 0 for this op";
    }
    if (row->operand == MBARRIER_TAKES_WORD && op->lanes != 1) return "lanes is 1 for a plain store";
    return row->operand == MBARRIER_TAKES_TOKEN ? token_illegal(program, index) : NULL;
}

void mbarrier_machine_start(struct mbarrier_machine *machine)
{
    memset(machine, 0, sizeof *machine);
    for (int i = 0; i < MBARRIER_SLOTS; i++) machine->slot[i].observed = 1;
}

// The step in progress: what its parts share.
struct step {
    struct mbarrier_machine *machine;
    struct mbarrier_slot *slot;
    struct mbarrier_event *event;
    const struct mbarrier_op *op;
    const struct mbarrier_op_row *row;
    struct findings *findings;
};

static void note(const struct step *step, enum rule rule, const char *argument, int64_t value, int64_t limit)
{
    finding_add(step->findings, (struct finding){.rule = rule,
                                                 .argument = argument,
                                                 .index = step->machine->events - 1,
                                                 .is_signed = value < 0 || limit < 0,
                                                 .value = (uint64_t)value,
                                                 .limit = (uint64_t)limit,
                                                 .nearest = (uint64_t)limit});
}

static uint32_t operand_of(const struct mbarrier_op *op, int lane)
{
    return mbarrier_lane_operand(op->operand, op->step, lane);
}

static int has_lane(uint32_t lanes, int lane)
{
    return (int)(lanes >> lane & 1);
}

// The lowest lane of `lanes` and all lanes with the same operand.
static uint32_t lanes_of_one_value(const struct mbarrier_op *op, uint32_t lanes)
{
    uint32_t value = operand_of(op, __builtin_ctz(lanes)), group = 0;
    for (int lane = 0; lane < MBARRIER_LANES; lane++)
        if (has_lane(lanes, lane) && operand_of(op, lane) == value) group |= UINT32_C(1) << lane;
    return group;
}

static struct mbarrier_transaction transaction_of(const struct step *step, uint32_t lanes)
{
    uint64_t sum = mbarrier_warp_sum(lanes, step->op->operand, step->op->step);
    struct mbarrier_transaction transaction = {.drop = step->row->drop};
    if (step->row->does == MBARRIER_ARRIVES) transaction.arrivals = sum;
    if (step->row->does == MBARRIER_BOTH) transaction.arrivals = (uint64_t)__builtin_popcount(lanes);
    if (step->row->does == MBARRIER_BOTH || step->row->does == MBARRIER_EXPECTS) transaction.expect_bytes = sum;
    if (step->row->does == MBARRIER_COMPLETES) transaction.complete_bytes = sum;
    return transaction;
}

// The value and the limit behind a broken rule of a transaction.
static void note_fault(const struct step *step, enum rule rule, const struct mbarrier_transaction *transaction)
{
    struct mbarrier_fields now = mbarrier_unpack(step->slot->word);
    int64_t arrivals = (int64_t)transaction->arrivals;
    int64_t bytes = (int64_t)transaction->expect_bytes - (int64_t)transaction->complete_bytes;
    switch (rule) {
    case RULE_MBARRIER_COUNT_LIMIT:
        note(step, rule, "arrivals", arrivals, MBARRIER_COUNT_MAX);
        break;
    case RULE_MBARRIER_TX_LIMIT:
        note(step, rule, "bytes", bytes < 0 ? -bytes : bytes, MBARRIER_COUNT_MAX);
        break;
    case RULE_MBARRIER_ARRIVALS:
        note(step, rule, "arrivals", arrivals, now.pending);
        break;
    case RULE_MBARRIER_DROP_LIMIT:
        note(step, rule, "arrivals", arrivals, now.expected);
        break;
    case RULE_MBARRIER_TX_RANGE:
        note(step, rule, "tx", now.tx + bytes, bytes < 0 ? MBARRIER_TX_MIN : MBARRIER_COUNT_MAX);
        break;
    default:
        note(step, rule, "error", 1, 0);
    }
}

// What a transaction that went through means to the documents.
static void note_change(const struct step *step, uint64_t before)
{
    struct mbarrier_slot *slot = step->slot;
    struct mbarrier_fields old = mbarrier_unpack(before), new = mbarrier_unpack(slot->word);
    if (new.tx == MBARRIER_TX_MAX && old.tx != MBARRIER_TX_MAX)
        note(step, RULE_MBARRIER_TX_MAX, "tx", new.tx, MBARRIER_COUNT_MAX);
    if (step->row->drop && new.expected == 0 && old.expected != 0) note(step, RULE_MBARRIER_DROP_ALL, "expected", 0, 1);
    if (new.phase == old.phase) return;
    slot->phases++;
    slot->observed = 0;
    if (step->row->no_complete) note(step, RULE_MBARRIER_NOCOMPLETE, "pending", 0, 1);
}

// Tokens of the lanes of one transaction; .noComplete counts the lower lanes of it as arrived.
static void give_tokens(const struct step *step, uint64_t before, uint32_t lanes)
{
    if (step->row->result != MBARRIER_GIVES_TOKEN || step->op->issuer != MBARRIER_ISSUER_CTA) return;
    uint32_t token = (uint32_t)(mbarrier_token(before) >> 32);
    for (int lane = 0; lane < MBARRIER_LANES; lane++) {
        if (!has_lane(lanes, lane)) continue;
        step->event->lane[lane] = token;
        if (step->row->no_complete) token += operand_of(step->op, lane) << 11;
    }
}

static struct event_origin origin_of(const struct step *step, uint32_t lanes)
{
    return (struct event_origin){.rank = step->op->issuer == MBARRIER_ISSUER_REMOTE,
                                 .lanes = lanes,
                                 .line = (uint32_t)step->machine->events - 1};
}

static void tell_barrier(const struct step *step, uint32_t lanes, struct event_barrier barrier)
{
    const struct teller teller = {step->machine->observer, origin_of(step, lanes)};
    struct event event = {.kind = EVENT_BARRIER, .barrier = barrier};
    event.barrier.address = MBARRIER_BYTES * step->op->barrier;
    event.barrier.scope = teller.origin.rank == 0 ? SCOPE_CTA : SCOPE_CLUSTER;
    if (teller.observer != NULL) event_tell(&teller, event);
}

// Tells the ledger, and who listens, what a transaction brought; a phase that is complete starts a new page.
static void record(const struct step *step, uint32_t lanes, uint64_t before,
                   const struct mbarrier_transaction *transaction)
{
    struct mbarrier_slot *slot = step->slot;
    const struct ledger_entry entry = {origin_of(step, lanes), *transaction};
    const int completes = slot->ledger.phase != slot->phases;
    ledger_add(&slot->ledger, &entry);
    tell_barrier(step, lanes,
                 (struct event_barrier){.step = BARRIER_TRANSACTION,
                                        .order = ORDER_RELEASE,
                                        .phase = (int)(before >> 63),
                                        .completes = completes,
                                        .transaction = *transaction});
    if (completes) ledger_start(&slot->ledger, slot->phases);
}

static enum rule transact_lanes(const struct step *step, uint32_t lanes)
{
    struct mbarrier_transaction transaction = transaction_of(step, lanes);
    uint64_t before = step->slot->word;
    if (step->op->issuer == MBARRIER_ISSUER_REMOTE) {
        enum rule rule = mbarrier_transact_remote(&step->slot->word, &transaction);
        if (rule != RULE_OK) note(step, RULE_MBARRIER_REMOTE_ERROR, "error", 1, 0);
        if (rule != RULE_OK) return RULE_OK; // the counts are as before
    } else {
        enum rule rule = mbarrier_transact(&step->slot->word, &transaction);
        if (rule != RULE_OK) note_fault(step, rule, &transaction);
        if (rule != RULE_OK) return rule;
    }
    note_change(step, before);
    record(step, lanes, before, &transaction);
    give_tokens(step, before, lanes);
    return RULE_OK;
}

static void note_arrive(const struct step *step)
{
    if (step->row->does != MBARRIER_ARRIVES && step->row->does != MBARRIER_BOTH) return;
    if (!step->slot->observed) note(step, RULE_MBARRIER_UNOBSERVED, "phase", (int64_t)step->slot->phases, 0);
    if (step->row->does == MBARRIER_BOTH) return;
    for (int lane = 0; lane < MBARRIER_LANES; lane++) {
        if (!has_lane(step->op->lanes, lane) || operand_of(step->op, lane) != 0) continue;
        note(step, RULE_MBARRIER_COUNT_ZERO, "count", 0, 1);
        return;
    }
}

static enum rule step_transaction(const struct step *step)
{
    note_arrive(step);
    enum rule rule = RULE_OK;
    for (uint32_t left = step->op->lanes; left != 0 && rule == RULE_OK;) {
        uint32_t lanes = step->row->by_value ? lanes_of_one_value(step->op, left) : left;
        rule = transact_lanes(step, lanes);
        left &= ~lanes;
    }
    return rule;
}

static void step_init(const struct step *step)
{
    struct mbarrier_slot *slot = step->slot;
    if (slot->life == MBARRIER_LIVE || __builtin_popcount(step->op->lanes) > 1)
        note(step, RULE_MBARRIER_INIT_LIVE, "barrier", (int64_t)step->op->barrier, 0);
    for (uint32_t left = step->op->lanes; left != 0;) {
        uint32_t count = operand_of(step->op, __builtin_ctz(left));
        if (count == 0 || count > MBARRIER_COUNT_MAX)
            note(step, RULE_MBARRIER_INIT_COUNT, "count", count, count == 0 ? 1 : MBARRIER_COUNT_MAX);
        *slot = (struct mbarrier_slot){.word = mbarrier_init(count), .life = MBARRIER_LIVE, .observed = 1};
        left &= ~lanes_of_one_value(step->op, left);
    }
    tell_barrier(step, step->op->lanes, (struct event_barrier){.step = BARRIER_INIT});
}

static uint64_t token_of(const struct step *step, int lane)
{
    const struct mbarrier_op *op = step->op;
    uint32_t high =
        op->token == MBARRIER_TOKEN_OPERAND ? operand_of(op, lane) : step->machine->event[op->token].lane[lane];
    return (uint64_t)high << 32;
}

static void note_wait(const struct step *step)
{
    const struct mbarrier_op *op = step->op;
    if (step->row->operand == MBARRIER_TAKES_PARITY) {
        for (int lane = 0; lane < MBARRIER_LANES; lane++) {
            if (!has_lane(op->lanes, lane) || operand_of(op, lane) <= 1) continue;
            note(step, RULE_MBARRIER_PARITY_BITS, "parity", operand_of(op, lane), 1);
            return;
        }
        return;
    }
    const struct mbarrier_event *source = op->token == MBARRIER_TOKEN_OPERAND ? NULL : &step->machine->event[op->token];
    if (source == NULL || source->op.barrier != op->barrier || (op->lanes & ~source->op.lanes) != 0)
        note(step, RULE_MBARRIER_TOKEN_FOREIGN, "token", (int64_t)op->token, 0);
    else if (source->phase_before + 1 < step->slot->phases)
        note(step, RULE_MBARRIER_TOKEN_OLD, "token", (int64_t)op->token, 0);
}

static enum rule step_wait(const struct step *step)
{
    note_wait(step);
    for (int lane = 0; lane < MBARRIER_LANES; lane++) {
        if (!has_lane(step->op->lanes, lane)) continue;
        int complete = 0;
        enum rule rule = step->row->operand == MBARRIER_TAKES_PARITY
                             ? mbarrier_test_parity(step->slot->word, operand_of(step->op, lane), &complete)
                             : mbarrier_test(step->slot->word, token_of(step, lane), &complete);
        if (rule != RULE_OK) {
            note(step, rule, "error", 1, 0);
            return rule;
        }
        if (complete) step->event->ballot |= UINT32_C(1) << lane;
    }
    if (step->event->ballot == 0) return RULE_OK;
    step->slot->observed = 1;
    const struct event_barrier wait = {
        .step = BARRIER_WAIT, .order = ORDER_ACQUIRE, .phase = !(step->slot->word >> 63)};
    tell_barrier(step, step->event->ballot, wait);
    return RULE_OK;
}

static void step_pending_count(const struct step *step)
{
    const struct mbarrier_op *op = step->op;
    if (op->token == MBARRIER_TOKEN_OPERAND || !rows[step->machine->event[op->token].op.opcode].no_complete)
        note(step, RULE_MBARRIER_PENDING_COUNT_TOKEN, "token", (int64_t)op->token, 0);
    for (int lane = 0; lane < MBARRIER_LANES; lane++)
        if (has_lane(op->lanes, lane)) step->event->lane[lane] = mbarrier_pending_count(token_of(step, lane));
}

static enum rule step_execute(const struct step *step)
{
    struct mbarrier_slot *slot = step->slot;
    switch (step->op->opcode) {
    case MBARRIER_OP_PENDING_COUNT:
        step_pending_count(step);
        return RULE_OK;
    case MBARRIER_OP_INIT:
        step_init(step);
        return RULE_OK;
    case MBARRIER_OP_WORD:
        if (slot->life == MBARRIER_LIVE)
            note(step, RULE_MBARRIER_PLAIN_ACCESS, "barrier", (int64_t)step->op->barrier, 0);
        *slot = (struct mbarrier_slot){.word = step->op->word, .life = MBARRIER_NONE, .observed = 1};
        return RULE_OK;
    }
    if (slot->life != MBARRIER_LIVE) note(step, RULE_MBARRIER_NO_OBJECT, "barrier", (int64_t)step->op->barrier, 0);
    if (step->op->opcode == MBARRIER_OP_INVAL) {
        slot->life = MBARRIER_INVALID;
        tell_barrier(step, step->op->lanes, (struct event_barrier){.step = BARRIER_INVAL});
        return RULE_OK;
    }
    return step->row->result == MBARRIER_GIVES_PREDICATE ? step_wait(step) : step_transaction(step);
}

// Has the machine room, and is the operation legal after those before it?
static int may_step(const struct mbarrier_machine *machine, const struct mbarrier_op *op)
{
    struct mbarrier_op program[2] = {{0}, *op};
    int takes_token = op->opcode < MBARRIER_OPS && rows[op->opcode].operand == MBARRIER_TAKES_TOKEN;
    if (machine->events >= MBARRIER_MAX_OPS) return 0;
    if (takes_token && op->token != MBARRIER_TOKEN_OPERAND) {
        if (op->token >= (uint32_t)machine->events) return 0;
        program[0] = machine->event[op->token].op;
        program[1].token = 0;
    }
    return mbarrier_op_illegal(program, 1) == NULL;
}

enum rule mbarrier_step(struct mbarrier_machine *machine, const struct mbarrier_op *op, struct findings *findings)
{
    findings_clear(findings);
    if (!may_step(machine, op)) return finding_of_form(findings, "op", op->opcode);
    struct mbarrier_event *event = &machine->event[machine->events++];
    struct mbarrier_slot *slot = &machine->slot[op->barrier];
    *event = (struct mbarrier_event){.op = *op, .phase_before = slot->phases};
    struct step step = {machine, slot, event, op, mbarrier_op_row(op->opcode), findings};
    uint64_t before = slot->word;
    event->rule = mbarrier_check_address(op->offset_bytes);
    if (event->rule != RULE_OK)
        note(&step, event->rule, "offset", (int64_t)op->offset_bytes, 0);
    else
        event->rule = step_execute(&step);
    if (event->rule != RULE_OK) slot->word = before; // of the lanes of one operation some may have gone through
    event->word = slot->word;
    return event->rule;
}
