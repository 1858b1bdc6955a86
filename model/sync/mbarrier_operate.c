// SPDX-License-Identifier: MIT
// Instructions on barriers: which lanes act together, which transaction that is, what each gets back, what PTX leaves
// undefined. How a transaction changes the word is in mbarrier.c; nothing here touches a count.
#include "mbarrier_operate.h"

#include <stdbool.h>
#include <string.h>

#include "broken.h"
#include "cluster.h"
#include "rules/mbarrier.h"

// Words as a check would leave them: an instruction may come to a barrier more than once.
struct trial {
    int count;
    struct {
        const uint8_t *at;
        uint64_t word;
    } item[MBARRIER_LANES];
};

// One instruction under way; of a check, `trial` takes what would be written.
struct work {
    const struct mbarrier_unit *unit;
    const struct mbarrier_instruction *in;
    const struct mbarrier_op_row *row;
    const struct teller *teller;
    struct mbarrier_answer *answer;
    struct findings *findings;
    struct trial *trial;
};

// One barrier of it, and the lanes that are on it together.
struct target {
    uint32_t lanes, rank, address;
    uint8_t *at;
    uint64_t word;
};

static void note(const struct work *work, enum rule rule, const char *argument, int64_t value, int64_t limit)
{
    finding_add(work->findings, (struct finding){.rule = rule,
                                                 .argument = argument,
                                                 .index = -1,
                                                 .is_signed = value < 0 || limit < 0,
                                                 .value = (uint64_t)value,
                                                 .limit = (uint64_t)limit,
                                                 .nearest = (uint64_t)limit});
}

// The lanes of a mask are gone through as `for (left = lanes; left != 0; left &= left - 1)`, this one first.
static int lowest(uint32_t lanes)
{
    return __builtin_ctz(lanes);
}

static uint32_t operand_of(const struct work *work, int lane)
{
    return (uint32_t)work->in->operand[lane];
}

static void store(struct target *target, uint64_t word)
{
    target->word = word;
    memcpy(target->at, &word, sizeof word);
}

static uint64_t load(const struct work *work, const uint8_t *at)
{
    uint64_t word;
    for (int i = 0; work->trial != NULL && i < work->trial->count; i++)
        if (work->trial->item[i].at == at) return work->trial->item[i].word;
    memcpy(&word, at, sizeof word);
    return word;
}

static void change(const struct work *work, struct target *target, uint64_t word)
{
    int i = 0;
    if (work->trial == NULL) {
        store(target, word);
        return;
    }
    while (i < work->trial->count && work->trial->item[i].at != target->at) i++;
    if (i == work->trial->count) work->trial->count++;
    work->trial->item[i].at = target->at;
    work->trial->item[i].word = target->word = word;
}

static const struct ledger *page_of(const struct mbarrier_unit *unit, const struct target *target)
{
    static const struct ledger unknown = {.life = BARRIER_NONE, .is_observed = 1};
    static const struct ledger trusted = {.life = BARRIER_LIVE, .is_observed = 1};
    if (unit->ledgers == NULL) return &trusted;
    const struct ledger *page = ledger_find(unit->ledgers, target->rank, target->address);
    return page != NULL ? page : &unknown;
}

// --- Which lanes act together ----------------------------------------------------------------------------------------

static bool is_cluster_form(const struct work *work)
{
    return mbarrier_reads_cluster_address(work->unit->cluster, work->in->opcode, work->in->space);
}

// The lanes that go before all others of `left`: of .noComplete those with the count of its lowest lane, whatever their
// barriers.
static uint32_t next_lanes(const struct work *work, uint32_t left)
{
    uint32_t same = 0;
    if (!work->row->no_complete) return left;
    for (uint32_t rest = left; rest != 0; rest &= rest - 1)
        if (operand_of(work, lowest(rest)) == operand_of(work, lowest(left))) same |= rest & -rest;
    return same;
}

// The lowest lane of `left`, and all that act with it on its barrier.
static struct target next_target(const struct work *work, uint32_t left)
{
    const struct mbarrier_instruction *in = work->in;
    const int first = lowest(left);
    const bool is_cluster = is_cluster_form(work);
    const uint32_t address = in->address[first];
    struct target target = {.rank = is_cluster ? cluster_address_rank(address) : in->rank,
                            .address = cluster_mapa(address, 0)};
    for (; left != 0; left &= left - 1) {
        int lane = lowest(left);
        bool is_same = in->address[lane] == address;
        if (work->row->by_value && operand_of(work, lane) != operand_of(work, first)) is_same = false;
        target.lanes |= (uint32_t)is_same << lane;
    }
    target.at = cluster_memory_at(work->unit->cluster, target.rank, target.address, MBARRIER_BYTES);
    target.word = load(work, target.at);
    return target;
}

// --- Who hears of it -------------------------------------------------------------------------------------------------

// Tells the ledger, and who listens, of an event of a barrier.
static void tell(const struct mbarrier_unit *unit, const struct target *target, const struct teller *teller,
                 struct event *event)
{
    struct event_origin origin = {.lanes = target->lanes};
    if (unit->ledgers == NULL && teller == NULL) return;
    if (teller != NULL) {
        origin = teller->origin;
        if (target->lanes != 0) origin.lanes = target->lanes;
    }
    event->kind = EVENT_BARRIER;
    event->origin = &origin;
    event->barrier.rank = target->rank;
    event->barrier.address = target->address;
    if (unit->ledgers != NULL) ledger_hear(unit->ledgers, event);
    if (teller != NULL && teller->observer != NULL) teller->observer->hear(teller->observer->context, event);
}

static void tell_of(const struct work *work, const struct target *target, struct event *event)
{
    if (work->trial == NULL) tell(work->unit, target, work->teller, event);
}

static void set_step(const struct work *work, enum barrier_step step, struct event_barrier *barrier)
{
    const bool arrives = work->row->does == MBARRIER_ARRIVES || work->row->does == MBARRIER_BOTH;
    barrier->step = step;
    if (step == BARRIER_INIT || step == BARRIER_INVAL) return;
    barrier->order = work->in->order;
    barrier->scope = work->in->scope;
    if (barrier->order == ORDER_WEAK)
        barrier->order = step == BARRIER_WAIT ? ORDER_ACQUIRE : arrives ? ORDER_RELEASE : ORDER_RELAXED;
    if (barrier->scope == SCOPE_NONE) barrier->scope = SCOPE_CTA;
}

// Of init and inval there is no more to say.
static void tell_step(const struct work *work, const struct target *target, enum barrier_step step)
{
    struct event event = {.barrier = {.step = step}};
    set_step(work, step, &event.barrier);
    tell_of(work, target, &event);
}

// --- Transactions ----------------------------------------------------------------------------------------------------

static struct mbarrier_transaction transaction_of(const struct work *work, uint32_t lanes)
{
    const enum mbarrier_effect does = work->row->does;
    const uint64_t count = (uint64_t)__builtin_popcount(lanes);
    struct mbarrier_transaction transaction = {.drop = work->row->drop};
    uint64_t sum = 0;
    for (uint32_t left = lanes; left != 0; left &= left - 1) sum += operand_of(work, lowest(left));
    if (does == MBARRIER_ARRIVES) transaction.arrivals = sum;
    if (does == MBARRIER_BOTH) transaction.arrivals = count;
    if (does == MBARRIER_BOTH || does == MBARRIER_EXPECTS) transaction.expect_bytes = sum;
    if (does == MBARRIER_COMPLETES) transaction.complete_bytes = sum;
    if (does == MBARRIER_EXPECTS_ONE) transaction.expect_bytes = count;
    return transaction;
}

// The value and the limit behind a broken rule of a transaction.
static void note_fault(const struct work *work, const struct target *target, enum rule rule,
                       const struct mbarrier_transaction *transaction)
{
    struct mbarrier_fields now = mbarrier_unpack(target->word);
    int64_t arrivals = (int64_t)transaction->arrivals;
    int64_t bytes = (int64_t)transaction->expect_bytes - (int64_t)transaction->complete_bytes;
    switch ((int)rule) {
    case RULE_MBARRIER_COUNT_LIMIT:
        note(work, rule, "arrivals", arrivals, MBARRIER_COUNT_MAX);
        break;
    case RULE_MBARRIER_TX_LIMIT:
        note(work, rule, "bytes", bytes < 0 ? -bytes : bytes, MBARRIER_COUNT_MAX);
        break;
    case RULE_MBARRIER_ARRIVALS:
        note(work, rule, "arrivals", arrivals, now.pending);
        break;
    case RULE_MBARRIER_DROP_LIMIT:
        note(work, rule, "arrivals", arrivals, now.expected);
        break;
    case RULE_MBARRIER_TX_RANGE:
        note(work, rule, "tx", now.tx + bytes, bytes < 0 ? MBARRIER_TX_MIN : MBARRIER_COUNT_MAX);
        break;
    default:
        note(work, rule, "error", 1, 0);
    }
}

// What a transaction that went through means to the documents.
static void note_change(const struct work *work, uint64_t before, uint64_t after)
{
    struct mbarrier_fields old = mbarrier_unpack(before), new = mbarrier_unpack(after);
    if (new.tx == MBARRIER_TX_MAX && old.tx != MBARRIER_TX_MAX)
        note(work, RULE_MBARRIER_TX_MAX, "tx", new.tx, MBARRIER_COUNT_MAX);
    if (work->row->drop && new.expected == 0 && old.expected != 0) note(work, RULE_MBARRIER_DROP_ALL, "expected", 0, 1);
    if (new.phase != old.phase && work->row->no_complete) note(work, RULE_MBARRIER_NOCOMPLETE, "pending", 0, 1);
}

// Tokens of the lanes of one transaction; .noComplete counts the lower lanes of it as arrived.
static void give_tokens(const struct work *work, uint64_t before, uint32_t lanes)
{
    uint64_t token = mbarrier_token(before);
    if (work->row->result != MBARRIER_GIVES_TOKEN || work->in->space != MBARRIER_SHARED_CTA) return;
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        int lane = lowest(left);
        work->answer->value[lane] = token;
        if (work->row->no_complete) token += (uint64_t)(operand_of(work, lane) << 11) << 32;
    }
}

static void note_arrive(const struct work *work, const struct target *target)
{
    const struct ledger *page = page_of(work->unit, target);
    if (work->row->does != MBARRIER_ARRIVES && work->row->does != MBARRIER_BOTH) return;
    if (!page->is_observed) note(work, RULE_MBARRIER_UNOBSERVED, "phase", (int64_t)page->phases, 0);
    if (work->row->does == MBARRIER_BOTH) return;
    for (uint32_t left = target->lanes; left != 0; left &= left - 1) {
        if (operand_of(work, lowest(left)) != 0) continue;
        note(work, RULE_MBARRIER_COUNT_ZERO, "count", 0, 1);
        return;
    }
}

static enum rule transact(const struct work *work, struct target *target)
{
    const struct mbarrier_transaction transaction = transaction_of(work, target->lanes);
    const uint64_t before = target->word;
    const bool is_remote = target->rank != work->in->rank;
    uint64_t word = before;
    enum rule rule = (is_remote ? mbarrier_transact_remote : mbarrier_transact)(&word, &transaction);
    if (rule != RULE_OK && !is_remote) note_fault(work, target, rule, &transaction);
    if (rule != RULE_OK && !is_remote) return rule;
    change(work, target, word);
    if (rule != RULE_OK) note(work, RULE_MBARRIER_REMOTE_ERROR, "error", 1, 0);
    if (rule == RULE_OK && work->findings != NULL) note_change(work, before, word);
    struct event event = {.barrier = {.transaction = transaction}};
    set_step(work, rule == RULE_OK ? BARRIER_TRANSACTION : BARRIER_ERROR, &event.barrier);
    event.barrier.phase = (int)(before >> 63);
    event.barrier.completes = before >> 63 != word >> 63;
    tell_of(work, target, &event);
    give_tokens(work, before, target->lanes);
    return RULE_OK;
}

// --- Init, waits and the rest ----------------------------------------------------------------------------------------

static void init(const struct work *work, struct target *target)
{
    const uint32_t count = operand_of(work, lowest(target->lanes));
    if (count == 0 || count > MBARRIER_COUNT_MAX)
        note(work, RULE_MBARRIER_INIT_COUNT, "count", count, count == 0 ? 1 : MBARRIER_COUNT_MAX);
    change(work, target, mbarrier_init(count));
    tell_step(work, target, BARRIER_INIT);
}

static void note_parity(const struct work *work, uint32_t lanes)
{
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        if (operand_of(work, lowest(left)) <= 1) continue;
        note(work, RULE_MBARRIER_PARITY_BITS, "parity", operand_of(work, lowest(left)), 1);
        return;
    }
}

static enum rule wait_for(const struct work *work, struct target *target)
{
    const bool is_parity = work->row->operand == MBARRIER_TAKES_PARITY;
    const uint32_t asking = target->lanes;
    if (is_parity) note_parity(work, asking);
    target->lanes = 0;
    for (uint32_t left = asking; left != 0; left &= left - 1) {
        int lane = lowest(left), complete = 0;
        enum rule rule = is_parity ? mbarrier_test_parity(target->word, operand_of(work, lane), &complete)
                                   : mbarrier_test(target->word, work->in->operand[lane], &complete);
        if (rule != RULE_OK) note(work, rule, "error", 1, 0);
        if (rule != RULE_OK) return rule;
        if (complete) target->lanes |= UINT32_C(1) << lane;
    }
    work->answer->ballot |= target->lanes;
    if (target->lanes == 0) return RULE_OK;
    struct event event = {.barrier = {.phase = !(target->word >> 63)}};
    set_step(work, BARRIER_WAIT, &event.barrier);
    tell_of(work, target, &event);
    return RULE_OK;
}

static enum rule operate_on(const struct work *work, struct target *target)
{
    if (work->in->opcode == MBARRIER_OP_INIT) {
        init(work, target);
        return RULE_OK;
    }
    if (work->in->opcode == MBARRIER_OP_INVAL) {
        tell_step(work, target, BARRIER_INVAL);
        return RULE_OK;
    }
    if (work->row->result == MBARRIER_GIVES_PREDICATE) return wait_for(work, target);
    return work->row->does == MBARRIER_NO_EFFECT ? RULE_OK : transact(work, target);
}

// What is said once of each barrier, before anything is done to it.
static void note_barriers(const struct work *work)
{
    struct target target;
    for (uint32_t left = work->in->lanes, same; left != 0; left &= ~same) {
        same = 0;
        for (uint32_t rest = left; rest != 0; rest &= rest - 1)
            if (work->in->address[lowest(rest)] == work->in->address[lowest(left)]) same |= rest & -rest;
        target = next_target(work, left);
        target.lanes = same;
        const struct ledger *page = page_of(work->unit, &target);
        bool is_live = page->life == BARRIER_LIVE;
        if (work->in->opcode != MBARRIER_OP_INIT && !is_live)
            note(work, RULE_MBARRIER_NO_OBJECT, "a", (int64_t)target.address, 0);
        bool is_again = (is_live && work->unit->ledgers != NULL) || (same & (same - 1)) != 0;
        if (work->in->opcode == MBARRIER_OP_INIT && is_again)
            note(work, RULE_MBARRIER_INIT_LIVE, "a", (int64_t)target.address, 0);
        note_arrive(work, &target);
    }
}

static enum rule count_pending(const struct work *work)
{
    for (uint32_t left = work->in->lanes; left != 0; left &= left - 1)
        work->answer->value[lowest(left)] = mbarrier_pending_count(work->in->operand[lowest(left)]);
    return RULE_OK;
}

static enum rule check_address(const struct work *work, int lane, struct findings *findings)
{
    const struct mbarrier_instruction *in = work->in;
    return mbarrier_address_check(work->unit->cluster, in->opcode, in->space, in->rank, in->address[lane], findings);
}

// Adds all that lane `lane` breaks.
static void note_address(const struct work *work, int lane)
{
    struct findings own;
    check_address(work, lane, &own);
    for (int i = 0; i < own.count; i++) finding_add(work->findings, own.item[i]);
}

// The addresses of all lanes: the lowest lane whose address breaks a rule decides.
static enum rule check_addresses(const struct work *work)
{
    const uint32_t *address = work->in->address;
    int last = -1;
    for (uint32_t left = work->in->lanes; left != 0; left &= left - 1) {
        const int lane = lowest(left);
        const bool is_checked = last >= 0 && address[last] == address[lane];
        const enum rule rule = is_checked ? RULE_OK : check_address(work, lane, NULL);
        last = lane;
        if (rule == RULE_OK) continue;
        for (; left != 0; left &= left - 1) note_address(work, lowest(left));
        return rule;
    }
    return RULE_OK;
}

// Is an address that names no other CTA written with the rank of its own? That of expect_tx in a cluster is.
static bool has_rank(const struct cluster_memory *cluster, const struct mbarrier_instruction *in)
{
    return mbarrier_reads_cluster_address(cluster, in->opcode, in->space);
}

enum rule mbarrier_set_generic(const struct cluster_memory *cluster, struct mbarrier_instruction *in,
                               const uint64_t offset[MBARRIER_LANES], struct findings *findings)
{
    enum rule rule = RULE_OK;
    findings_clear(findings);
    in->space = MBARRIER_SHARED_CTA;
    if (in->opcode == MBARRIER_OP_PENDING_COUNT) return RULE_OK;
    for (uint32_t left = in->lanes; left != 0; left &= left - 1) {
        const int lane = lowest(left);
        in->address[lane] = (uint32_t)offset[lane];
        if (!cluster_is_shared_cta(offset[lane], in->rank)) in->space = MBARRIER_SHARED_CLUSTER;
        if (cluster_is_shared_cluster(offset[lane])) continue;
        rule = RULE_MBARRIER_GENERIC_SPACE;
        finding_add(findings, FINDING_AT(rule, "a", lane, .value = offset[lane]));
    }
    for (uint32_t left = in->lanes; left != 0 && !has_rank(cluster, in); left &= left - 1)
        in->address[lowest(left)] = cluster_mapa(in->address[lowest(left)], 0);
    return rule;
}

static enum rule check_form(const struct mbarrier_unit *unit, const struct mbarrier_instruction *in,
                            struct findings *findings)
{
    if (in->opcode == MBARRIER_OP_NONE || in->opcode >= MBARRIER_OPS)
        return finding_of_form(findings, "op", in->opcode);
    if (in->space > MBARRIER_SHARED_CLUSTER ||
        (in->space == MBARRIER_SHARED_CLUSTER && mbarrier_op_row(in->opcode)->ptx_cluster == NULL))
        return finding_of_form(findings, "space", in->space);
    if (cluster_memory_check(unit->cluster, in->rank) != RULE_OK) return finding_of_form(findings, "rank", in->rank);
    return in->lanes == 0 ? finding_of_form(findings, "lanes", 0) : RULE_OK;
}

static enum rule operate(const struct mbarrier_unit *unit, const struct mbarrier_instruction *instruction,
                         const struct teller *teller, struct mbarrier_answer *answer, struct trial *trial,
                         struct findings *findings)
{
    findings_clear(findings);
    memset(answer, 0, sizeof *answer);
    enum rule rule = check_form(unit, instruction, findings);
    if (rule != RULE_OK) return rule;
    const struct work work = {unit, instruction, mbarrier_op_row(instruction->opcode), teller, answer, findings, trial};
    if (instruction->opcode == MBARRIER_OP_PENDING_COUNT) return count_pending(&work);
    rule = check_addresses(&work);
    if (rule != RULE_OK) return rule;

    if (findings != NULL) note_barriers(&work);
    for (uint32_t left = instruction->lanes, together; left != 0 && rule == RULE_OK; left &= ~together) {
        together = next_lanes(&work, left);
        for (uint32_t rest = together; rest != 0 && rule == RULE_OK;) {
            struct target target = next_target(&work, rest);
            rest &= ~target.lanes;
            rule = operate_on(&work, &target);
        }
    }
    return rule;
}

enum rule mbarrier_operate(const struct mbarrier_unit *unit, const struct mbarrier_instruction *instruction,
                           const struct teller *teller, struct mbarrier_answer *answer, struct findings *findings)
{
    return operate(unit, instruction, teller, answer, NULL, findings);
}

enum rule mbarrier_check(const struct mbarrier_unit *unit, const struct mbarrier_instruction *instruction,
                         struct findings *findings)
{
    struct mbarrier_answer answer;
    struct trial trial = {0};
    return operate(unit, instruction, NULL, &answer, &trial, findings);
}

enum rule mbarrier_land(const struct mbarrier_unit *unit, uint32_t rank, uint32_t address,
                        const struct mbarrier_transaction *transaction, const struct teller *teller,
                        struct findings *findings)
{
    struct target target = {.rank = rank, .address = address};
    target.at = cluster_memory_at(unit->cluster, rank, address, MBARRIER_BYTES);
    findings_clear(findings);
    if (target.at == NULL) return RULE_OK;
    memcpy(&target.word, target.at, sizeof target.word);
    const uint64_t before = target.word;
    uint64_t word = before;
    enum rule rule = mbarrier_transact_remote(&word, transaction);
    store(&target, word);
    if (rule != RULE_OK) finding_add(findings, FINDING(rule, "tx", .value = transaction->complete_bytes));
    if (rule != RULE_OK) return rule;
    struct event event = {.barrier = {.step = BARRIER_TRANSACTION,
                                      .order = ORDER_RELEASE,
                                      .scope = SCOPE_CLUSTER,
                                      .phase = (int)(before >> 63),
                                      .completes = before >> 63 != word >> 63,
                                      .transaction = *transaction}};
    tell(unit, &target, teller, &event);
    return RULE_OK;
}
