// SPDX-License-Identifier: MIT
#include "slow_barrier.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "rules/mbarrier.h"

enum { COUNT_END = 1 << 20, FAILED = 719, MISALIGNED = 716 };

// A barrier. `is_live`: between init and inval; `is_seen`: a wait has seen the phase before this one complete.
struct barrier {
    int64_t phase, error, unused, pending, expected, tx, phases;
    bool is_live, is_seen;
};

// One program under way.
struct run {
    struct barrier barrier[MBARRIER_SLOTS];
    const struct mbarrier_op *program, *op; // all steps, and the present one
    int64_t phases[MBARRIER_MAX_OPS];       // of its barrier, before each step
    enum slow_barrier_mutant misread;
    struct mbarrier_log *log;
    struct mbarrier_record *record; // of the present step
};

static const struct {
    const char *text;
    enum rule rule;
} mutants[SLOW_BARRIER_COUNT] = {
#define MUTANT(id, rule, sentence) [SLOW_BARRIER_##id] = {#id ": " sentence, RULE_MBARRIER_##rule},
    SLOW_BARRIER_MUTANTS(MUTANT)
#undef MUTANT
};

const char *slow_barrier_mutant_text(int mutant)
{
    return mutants[mutant].text;
}

enum rule slow_barrier_mutant_rule(int mutant)
{
    return mutants[mutant].rule;
}

// --- The word --------------------------------------------------------------------------------------------------------

static int64_t modulo(int64_t number, int64_t end)
{
    return (number % end + end) % end;
}

static uint64_t word_of(const struct barrier *b, enum slow_barrier_mutant misread)
{
    const int64_t tx_end = misread == SLOW_BARRIER_TX_20_BITS ? COUNT_END : 2 * COUNT_END;
    const int64_t pending = misread == SLOW_BARRIER_PENDING_PLAIN ? b->pending : -b->pending;
    uint64_t word = (uint64_t)b->phase;
    word = word * COUNT_END + (uint64_t)modulo(pending, COUNT_END);
    word = word * 2 + (uint64_t)b->error;
    word = word * 2 * COUNT_END + (uint64_t)modulo(-b->tx, tx_end);
    word = word * COUNT_END + (uint64_t)modulo(-b->expected, COUNT_END);
    return word * 2 + (uint64_t)b->unused;
}

static void set_word(struct barrier *b, uint64_t word)
{
    b->unused = (int64_t)(word % 2), word /= 2;
    b->expected = modulo(-(int64_t)(word % COUNT_END), COUNT_END), word /= COUNT_END;
    b->tx = -(int64_t)(word % (2 * COUNT_END)), word /= 2 * COUNT_END;
    if (b->tx <= -COUNT_END) b->tx += 2 * COUNT_END;
    b->error = (int64_t)(word % 2), word /= 2;
    b->pending = modulo(-(int64_t)(word % COUNT_END), COUNT_END), word /= COUNT_END;
    b->phase = (int64_t)word;
}

// --- Lanes -----------------------------------------------------------------------------------------------------------

static int64_t operand_of(const struct run *run, int lane)
{
    return (uint32_t)(run->op->operand + (uint32_t)lane * run->op->step);
}

static bool is_on(uint32_t lanes, int lane)
{
    return lanes >> lane & true;
}

static bool is_no_complete(uint32_t opcode)
{
    return opcode == MBARRIER_OP_ARRIVE_NO_COMPLETE || opcode == MBARRIER_OP_ARRIVE_DROP_NO_COMPLETE;
}

static bool is_drop(uint32_t opcode)
{
    return opcode == MBARRIER_OP_ARRIVE_DROP || opcode == MBARRIER_OP_ARRIVE_DROP_NO_COMPLETE ||
           opcode == MBARRIER_OP_ARRIVE_DROP_EXPECT_TX;
}

static bool is_both(uint32_t opcode)
{
    return opcode == MBARRIER_OP_ARRIVE_EXPECT_TX || opcode == MBARRIER_OP_ARRIVE_DROP_EXPECT_TX;
}

static bool is_counted(uint32_t opcode)
{
    return opcode == MBARRIER_OP_ARRIVE || opcode == MBARRIER_OP_ARRIVE_DROP || is_no_complete(opcode);
}

// --- One transaction -------------------------------------------------------------------------------------------------

struct change {
    int64_t arrivals, dropped, expect, complete, most; // `most`: the largest sum or operand
};

static struct change change_of(const struct run *run, uint32_t lanes)
{
    const uint32_t opcode = run->op->opcode;
    struct change change = {0};
    for (int lane = 0; lane < MBARRIER_LANES; lane++) {
        if (!is_on(lanes, lane)) continue;
        const int64_t operand = operand_of(run, lane);
        if (is_counted(opcode)) change.arrivals += operand;
        if (is_both(opcode)) change.arrivals++;
        if (is_both(opcode) || opcode == MBARRIER_OP_EXPECT_TX) change.expect += operand;
        if (opcode == MBARRIER_OP_COMPLETE_TX) change.complete += operand;
        if (operand > change.most) change.most = operand;
    }
    if (is_drop(opcode)) change.dropped = change.arrivals;
    if (run->misread == SLOW_BARRIER_LIMIT_PER_LANE) return change;
    if (change.arrivals > change.most) change.most = change.arrivals;
    if (change.expect > change.most) change.most = change.expect;
    if (change.complete > change.most) change.most = change.complete;
    return change;
}

static bool is_broken(const struct run *run, const struct barrier *b, const struct change *change)
{
    const int64_t tx = b->tx + change->expect - change->complete;
    const int64_t tx_end = run->misread == SLOW_BARRIER_TX_MAX_FAULTS ? COUNT_END : COUNT_END + 1;
    if (b->error || change->most >= COUNT_END) return true;
    if (change->arrivals > b->pending && run->misread != SLOW_BARRIER_ARRIVALS_WRAP) return true;
    if (tx >= tx_end || tx <= -COUNT_END) return true;
    return change->dropped > b->expected && run->misread != SLOW_BARRIER_DROP_BELOW;
}

static void flip(struct barrier *b, enum slow_barrier_mutant misread)
{
    b->phase = !b->phase;
    b->pending = misread == SLOW_BARRIER_PENDING_STAYS ? 0 : b->expected;
    b->phases++;
    b->is_seen = false;
}

static bool is_complete(const struct run *run, const struct barrier *b, const struct change *change)
{
    if (b->pending > 0) return false;
    switch (run->misread) {
    case SLOW_BARRIER_TX_NOT_WAITED:
        return change->arrivals > 0 || b->tx == 0;
    case SLOW_BARRIER_EXPECT_WAITS:
        return b->tx == 0 && run->op->opcode != MBARRIER_OP_EXPECT_TX;
    case SLOW_BARRIER_NOCOMPLETE_HOLDS:
        return b->tx == 0 && !is_no_complete(run->op->opcode);
    case SLOW_BARRIER_DROPPED_STOPS:
        return b->tx == 0 && b->expected > 0;
    default:
        return b->tx == 0;
    }
}

static void change_barrier(const struct run *run, struct barrier *b, const struct change *change)
{
    const int64_t expected = b->expected;
    b->pending -= run->misread == SLOW_BARRIER_DROP_NOT_HERE && change->dropped > 0 ? 0 : change->arrivals;
    b->expected -= change->dropped;
    if (b->expected < 0) b->expected = 0;
    b->tx += change->expect - change->complete;
    if (run->misread == SLOW_BARRIER_TX_FROM_ZERO && b->tx < 0) b->tx = 0;
    if (run->misread == SLOW_BARRIER_UNUSED_CLEARED) b->unused = 0;
    if (!is_complete(run, b, change)) return;
    const int64_t over = b->pending;
    flip(b, run->misread);
    if (run->misread == SLOW_BARRIER_DROP_LATER) b->pending = expected;
    if (run->misread == SLOW_BARRIER_ARRIVALS_WRAP) b->pending += over;
}

// Lanes together on one barrier. Returns whether the program ends.
static bool transact(struct run *run, struct barrier *b, uint32_t lanes)
{
    const bool is_remote = run->op->issuer == MBARRIER_ISSUER_REMOTE;
    const struct change change = change_of(run, lanes);
    const uint64_t before = word_of(b, run->misread);
    int64_t lower = 0;
    if (run->misread == SLOW_BARRIER_ZERO_NOTHING && is_counted(run->op->opcode) && change.arrivals == 0) return false;
    if (is_broken(run, b, &change)) {
        if (!is_remote || run->misread == SLOW_BARRIER_REMOTE_FAULTS) return true;
        if (run->misread != SLOW_BARRIER_REMOTE_SILENT) b->error = 1;
        return false;
    }
    if (run->misread == SLOW_BARRIER_TWO_STEPS && change.expect > 0 && change.arrivals > 0) {
        change_barrier(run, b, &(struct change){.arrivals = change.arrivals, .dropped = change.dropped});
        change_barrier(run, b, &(struct change){.expect = change.expect});
    } else {
        change_barrier(run, b, &change);
    }
    const bool is_step = is_no_complete(run->op->opcode) ? run->misread != SLOW_BARRIER_NOCOMPLETE_PLAIN
                                                         : run->misread == SLOW_BARRIER_TOKEN_OF_LANE;
    const uint64_t state = run->misread == SLOW_BARRIER_TOKEN_AFTER ? word_of(b, run->misread) : before;
    for (int lane = 0; lane < MBARRIER_LANES; lane++) {
        if (!is_on(lanes, lane) || run->op->issuer != MBARRIER_ISSUER_CTA) continue;
        if (!is_counted(run->op->opcode) && !is_both(run->op->opcode)) continue;
        run->record->lane[lane] = (uint32_t)(state / COUNT_END / 4096) + (uint32_t)(is_step ? lower * 2048 : 0);
        lower += is_both(run->op->opcode) ? 1 : operand_of(run, lane);
    }
    return false;
}

// --- Other steps -----------------------------------------------------------------------------------------------------

static void init(const struct run *run, struct barrier *b, int64_t count)
{
    const int64_t phase = b->phase;
    if (run->misread == SLOW_BARRIER_INIT_ONCE && b->is_live) return;
    if (run->misread == SLOW_BARRIER_INIT_CUT) count %= COUNT_END;
    const uint32_t value = (uint32_t)(COUNT_END - count);
    set_word(b, (uint64_t)(uint32_t)(value * 2048) * (UINT64_C(1) << 32) + (uint32_t)(value * 2));
    if (run->misread == SLOW_BARRIER_INIT_KEEPS_PHASE) b->phase = phase;
    if (run->misread == SLOW_BARRIER_INIT_PENDING_ONE) b->pending = 1;
    b->is_live = b->is_seen = true;
    b->phases = 0;
}

static void store_word(const struct run *run, struct barrier *b)
{
    if (run->misread == SLOW_BARRIER_STORE_LOST && b->is_live) return;
    set_word(b, run->op->word);
    b->is_live = false;
    b->is_seen = true;
    b->phases = 0;
}

static uint64_t token_of(const struct run *run, int lane)
{
    const uint32_t from = run->op->token;
    const uint64_t high =
        from == MBARRIER_TOKEN_OPERAND ? (uint32_t)operand_of(run, lane) : run->log->record[from].lane[lane];
    return high << 32;
}

static bool is_foreign(const struct run *run)
{
    const struct mbarrier_op *from = run->op->token == MBARRIER_TOKEN_OPERAND ? NULL : &run->program[run->op->token];
    return from == NULL || from->barrier != run->op->barrier || from->spread != run->op->spread;
}

static bool is_parity(uint32_t opcode)
{
    return opcode == MBARRIER_OP_TEST_WAIT_PARITY || opcode == MBARRIER_OP_TRY_WAIT_PARITY;
}

static bool answer_of(const struct run *run, const struct barrier *b, int lane)
{
    const int64_t operand = operand_of(run, lane);
    const uint64_t token = token_of(run, lane), word = word_of(b, run->misread);
    if (run->misread == SLOW_BARRIER_TRY_TRUE &&
        (run->op->opcode == MBARRIER_OP_TRY_WAIT || run->op->opcode == MBARRIER_OP_TRY_WAIT_PARITY))
        return true;
    if (is_parity(run->op->opcode)) {
        const int parity = run->misread == SLOW_BARRIER_PARITY_NOT_ZERO ? operand != 0 : (int)(operand % 2);
        return (parity == b->phase) == (run->misread == SLOW_BARRIER_PARITY_CURRENT);
    }
    if (run->misread == SLOW_BARRIER_WAIT_ANY_BIT) return token >> 32 != word >> 32;
    if (run->misread == SLOW_BARRIER_FOREIGN_FALSE && is_foreign(run)) return false;
    if (run->misread == SLOW_BARRIER_OLD_TRUE && !is_foreign(run) && run->phases[run->op->token] + 1 < b->phases)
        return true;
    return token >> 63 != (uint64_t)b->phase;
}

static bool wait_for(struct run *run, struct barrier *b, uint32_t lanes)
{
    if (b->error && run->misread != SLOW_BARRIER_ERROR_IGNORED) return true;
    for (int lane = 0; lane < MBARRIER_LANES; lane++)
        if (is_on(lanes, lane) && answer_of(run, b, lane)) run->record->ballot |= UINT32_C(1) << lane;
    if ((run->record->ballot & lanes) != 0) b->is_seen = true;
    return false;
}

static void count_pending(struct run *run)
{
    const bool is_own = run->op->token != MBARRIER_TOKEN_OPERAND && is_no_complete(run->program[run->op->token].opcode);
    for (int lane = 0; lane < MBARRIER_LANES; lane++) {
        if (!is_on(run->op->lanes, lane)) continue;
        const uint32_t field = (uint32_t)(token_of(run, lane) >> 43) % COUNT_END;
        run->record->lane[lane] = COUNT_END - field;
        if (run->misread == SLOW_BARRIER_PENDING_ZERO && field == 0) run->record->lane[lane] = 0;
        if (run->misread == SLOW_BARRIER_COUNT_OF_ANY && !is_own) run->record->lane[lane] = 0;
    }
}

// --- A step ----------------------------------------------------------------------------------------------------------

static uint32_t slot_of(const struct run *run, int lane)
{
    uint64_t spread = run->op->spread;
    for (int i = 0; i < lane; i++) spread /= 4;
    return (run->op->barrier + (uint32_t)(spread % 4)) % MBARRIER_SLOTS;
}

static bool is_by_value(const struct run *run)
{
    if (run->op->opcode == MBARRIER_OP_INIT) return run->misread != SLOW_BARRIER_INIT_FIRST_LANE;
    return is_no_complete(run->op->opcode) && run->misread != SLOW_BARRIER_NOCOMPLETE_SUM;
}

// The lanes of `left` that act together with its lowest one on their barrier. Operands that repeat across barriers,
// whose order .noComplete keeps, no program has.
static uint32_t group_of(const struct run *run, uint32_t left)
{
    uint32_t group = 0;
    int first = 0;
    while (!is_on(left, first)) first++;
    if (run->misread == SLOW_BARRIER_LANE_BY_LANE) return UINT32_C(1) << first;
    for (int lane = first; lane < MBARRIER_LANES; lane++)
        if (is_on(left, lane) && slot_of(run, lane) == slot_of(run, first) &&
            (!is_by_value(run) || operand_of(run, lane) == operand_of(run, first)))
            group |= UINT32_C(1) << lane;
    return group;
}

// Some lanes on one barrier. Returns whether the program ends.
static bool operate(struct run *run, struct barrier *b, uint32_t lanes)
{
    const uint32_t opcode = run->op->opcode;
    int first = 0;
    while (!is_on(lanes, first)) first++;
    if (run->misread == SLOW_BARRIER_DEAD_IGNORED && !b->is_live && opcode != MBARRIER_OP_INIT) return false;
    if (run->misread == SLOW_BARRIER_UNSEEN_IGNORED && !b->is_seen && (is_counted(opcode) || is_both(opcode)))
        return false;
    switch (opcode) {
    case MBARRIER_OP_INIT:
        init(run, b, operand_of(run, first));
        return false;
    case MBARRIER_OP_INVAL:
        if (run->misread == SLOW_BARRIER_INVAL_CLEARS) set_word(b, 0);
        b->is_live = false;
        return false;
    case MBARRIER_OP_TEST_WAIT:
    case MBARRIER_OP_TRY_WAIT:
    case MBARRIER_OP_TEST_WAIT_PARITY:
    case MBARRIER_OP_TRY_WAIT_PARITY:
        return wait_for(run, b, lanes);
    default:
        return transact(run, b, lanes);
    }
}

// Returns the CUDA error that ends the program, or 0.
static int step(struct run *run)
{
    struct barrier *b = &run->barrier[run->op->barrier];
    if (run->op->opcode == MBARRIER_OP_PENDING_COUNT) {
        count_pending(run);
        return 0;
    }
    if (run->op->offset_bytes != 0) return MISALIGNED;
    if (run->op->opcode == MBARRIER_OP_WORD) {
        store_word(run, b);
        return 0;
    }
    for (uint32_t left = run->op->lanes, group; left != 0; left &= ~group) {
        int first = 0;
        while (!is_on(left, first)) first++;
        group = group_of(run, left);
        if (operate(run, &run->barrier[slot_of(run, first)], group)) return FAILED;
    }
    return 0;
}

void slow_barrier(const struct mbarrier_op *op, int count, enum slow_barrier_mutant mutant,
                  struct slow_barrier_outcome *outcome)
{
    struct run run = {.program = op, .misread = mutant, .log = &outcome->log};
    memset(outcome, 0, sizeof *outcome);
    for (int i = 0; i < MBARRIER_SLOTS; i++) run.barrier[i].is_seen = true;
    for (int i = 0; i < count && outcome->status == 0; i++) {
        run.op = &op[i];
        run.record = &outcome->log.record[i];
        run.phases[i] = run.barrier[op[i].barrier].phases;
        outcome->status = step(&run);
        run.record->word = word_of(&run.barrier[op[i].barrier], mutant);
        run.record->active = op[i].lanes;
    }
    for (int i = 0; i < MBARRIER_SLOTS; i++) outcome->log.last[i] = word_of(&run.barrier[i], mutant);
}
