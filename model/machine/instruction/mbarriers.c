// SPDX-License-Identifier: MIT
// mbarrier instructions: which operation of sync/mbarrier_operate.h each row is. A wait that fails lets others run.
#include <stdio.h>
#include <string.h>

#include "cluster.h"
#include "each.h"
#include "explain.h"
#include "flight_item.h"
#include "form_number.h"
#include "hang.h"
#include "late_reads.h"
#include "remote.h"
#include "report.h"
#include "rules/mbarrier.h"
#include "step_turns.h"
#include "veil.h"
#include "where_text.h"

enum { NO_ROW = -1 };

// Of each form its operation, and which operands of the row are the result, the address and what it takes.
struct barrier_row {
    uint8_t opcode; // MBARRIER_OP_NONE: the form is not of this file
    int8_t result, address, operand;
};

#define BOTH(name, opcode, result, address, operand)                                                                   \
    [PTX_FORM_##name] = {opcode, result, address, operand},                                                            \
    [PTX_FORM_##name##_SCOPED] = {opcode, result, address, operand}
#define ARRIVES(name, opcode) BOTH(name, opcode, 0, 1, 2), BOTH(name##_REMOTE, opcode, NO_ROW, 1, 2)

static const struct barrier_row rows[PTX_FORMS] = {
    [PTX_FORM_MBARRIER_INIT] = {MBARRIER_OP_INIT, NO_ROW, 0, 1},
    [PTX_FORM_MBARRIER_INVAL] = {MBARRIER_OP_INVAL, NO_ROW, 0, NO_ROW},
    BOTH(MBARRIER_EXPECT_TX, MBARRIER_OP_EXPECT_TX, NO_ROW, 0, 1),
    BOTH(MBARRIER_COMPLETE_TX, MBARRIER_OP_COMPLETE_TX, NO_ROW, 0, 1),
    ARRIVES(MBARRIER_ARRIVE, MBARRIER_OP_ARRIVE),
    ARRIVES(MBARRIER_ARRIVE_EXPECT_TX, MBARRIER_OP_ARRIVE_EXPECT_TX),
    ARRIVES(MBARRIER_ARRIVE_DROP, MBARRIER_OP_ARRIVE_DROP),
    ARRIVES(MBARRIER_ARRIVE_DROP_EXPECT_TX, MBARRIER_OP_ARRIVE_DROP_EXPECT_TX),
    BOTH(MBARRIER_ARRIVE_NOCOMPLETE, MBARRIER_OP_ARRIVE_NO_COMPLETE, 0, 1, 2),
    BOTH(MBARRIER_ARRIVE_DROP_NOCOMPLETE, MBARRIER_OP_ARRIVE_DROP_NO_COMPLETE, 0, 1, 2),
    BOTH(MBARRIER_TEST_WAIT, MBARRIER_OP_TEST_WAIT, 0, 1, 2),
    BOTH(MBARRIER_TEST_WAIT_PARITY, MBARRIER_OP_TEST_WAIT_PARITY, 0, 1, 2),
    BOTH(MBARRIER_TRY_WAIT, MBARRIER_OP_TRY_WAIT, 0, 1, 2),
    BOTH(MBARRIER_TRY_WAIT_PARITY, MBARRIER_OP_TRY_WAIT_PARITY, 0, 1, 2),
    [PTX_FORM_MBARRIER_PENDING_COUNT] = {MBARRIER_OP_PENDING_COUNT, 0, NO_ROW, 1},
    [PTX_FORM_CP_ASYNC_MBARRIER_ARRIVE] = {MBARRIER_OP_COPIES_ARRIVE, NO_ROW, 0, NO_ROW},
};

// --- The addresses ---------------------------------------------------------------------------------------------------

// Of an instruction without a state space; `lane` is the first whose address is no shared memory.
static enum rule set_generic(const struct cluster_memory *cluster, struct mbarrier_instruction *in, uint64_t *address,
                             uint32_t *lane)
{
    struct findings findings;
    for (EACH_BIT(at, in->lanes)) address[at] -= MACHINE_SHARED_WINDOW;
    enum rule rule = mbarrier_set_generic(cluster, in, address, &findings);
    if (rule != RULE_OK) *lane = (uint32_t)findings.item[0].index;
    return rule;
}

// Puts the addresses of the lanes into the instruction. An own variable carries the rank of its CTA: shared::cta takes
// it without, but for expect_tx in a cluster, which takes the rank as it stands in the register.
static enum rule set_addresses(struct machine_strand *strand, const struct machine_code *code,
                               const struct machine_operand *operand, struct mbarrier_instruction *in, uint32_t *lane)
{
    const struct cluster_memory *cluster = &strand->warp->cta->cluster->shared;
    const enum ptx_word space = (enum ptx_word)code->choice->space[0];
    uint64_t address[MACHINE_LANES];
    if ((in->lanes & (in->lanes - 1)) == 0)
        address[*lane] = machine_address(strand, operand, *lane);
    else
        machine_addresses(strand, operand, address);
    if (space == PTX_WORD_NONE) return set_generic(cluster, in, address, lane);
    in->space = space == PTX_SHARED_CLUSTER ? MBARRIER_SHARED_CLUSTER : MBARRIER_SHARED_CTA;
    bool has_rank = mbarrier_reads_cluster_address(cluster, in->opcode, in->space);
    for (EACH_BIT(at, in->lanes)) {
        in->address[at] = (uint32_t)(has_rank ? address[at] : machine_place(strand, space, address[at]).address);
    }
    return RULE_OK;
}

// --- Operands and results --------------------------------------------------------------------------------------------

static enum access_scope scope_of(const struct ptx_choice *choice)
{
    return choice->word[PTX_CLASS_SCOPE] == PTX_CLUSTER ? SCOPE_CLUSTER
           : choice->word[PTX_CLASS_SCOPE] == PTX_CTA   ? SCOPE_CTA
                                                        : SCOPE_NONE;
}

// An arrive without a count has 1.
static void set_operands(const struct machine_strand *strand, const struct machine_code *code, int row,
                         struct mbarrier_instruction *in)
{
    uint32_t at = row == NO_ROW ? 0 : machine_operand_at(code, (uint32_t)row);
    bool is_there = row != NO_ROW && code->operand[at].slot != MACHINE_LEFT_OUT;
    for (EACH_BIT(lane, in->lanes)) {
        in->operand[lane] = is_there ? machine_value(strand, &code->operand[at], lane) : 1;
    }
}

static void give(const struct machine_strand *strand, const struct machine_operand *result, uint32_t lanes,
                 const struct mbarrier_answer *answer, enum mbarrier_result gives)
{
    if (result->slot == MACHINE_LEFT_OUT) return;
    for (EACH_BIT(lane, lanes)) {
        uint64_t value = gives == MBARRIER_GIVES_PREDICATE ? answer->ballot >> lane & 1 : answer->value[lane];
        machine_set_value(strand, result, lane, value);
    }
}

// --- Waits that fail -------------------------------------------------------------------------------------------------

static uint32_t rank_of(const struct mbarrier_instruction *in, uint32_t lane)
{
    return in->space == MBARRIER_SHARED_CLUSTER ? cluster_address_rank(in->address[lane]) : in->rank;
}

static bool is_parity(const struct mbarrier_instruction *in)
{
    return mbarrier_op_row(in->opcode)->operand == MBARRIER_TAKES_PARITY;
}

// The lanes try something else now.
static void forget_waits(struct flight_warp *warp, uint32_t lanes)
{
    for (int i = 0; i < FLIGHT_WAITS; i++) warp->wait[i].lanes &= ~lanes;
}

// A free place, else that of the wait that was tried longest ago.
static struct flight_wait *room_for_wait(struct flight_warp *warp)
{
    struct flight_wait *oldest = &warp->wait[0];
    for (int i = 0; i < FLIGHT_WAITS; i++) {
        if (warp->wait[i].lanes == 0) return &warp->wait[i];
        if (warp->wait[i].round < oldest->round) oldest = &warp->wait[i];
    }
    return oldest;
}

static void note_wait(const struct machine_strand *strand, const struct machine_code *code,
                      const struct mbarrier_instruction *in, uint32_t failed)
{
    struct flight_warp *warp = flight_warp_of(strand->warp);
    const uint32_t first = (uint32_t)__builtin_ctz(failed);
    warp->waits = true;
    warp->wait_rank = rank_of(in, first);
    warp->wait_address = cluster_mapa(in->address[first], 0);
    warp->wait_operand = in->operand[first];
    warp->wait_is_parity = is_parity(in);
    *room_for_wait(warp) = (struct flight_wait){.lanes = failed,
                                                .round = strand->round,
                                                .rank = warp->wait_rank,
                                                .address = warp->wait_address,
                                                .operand = warp->wait_operand,
                                                .is_parity = warp->wait_is_parity,
                                                .function = strand->frame->function,
                                                .code = code,
                                                .called_at = machine_called_at(strand->frame)};
}

// What is known of waits that saw no new phase.
static void keep_stale(struct flight_seen *seen, const struct flight_seen *before)
{
    const bool is_stale = seen->is_parity && (seen->lanes & before->lanes) != 0 && seen->phases == before->phases;
    seen->since = seen->phases - before->phases;
    seen->stales = before->stales + (uint32_t)is_stale;
    seen->stale_line = is_stale ? seen->line : before->stale_line;
    seen->stale_called_at = is_stale ? seen->called_at : before->stale_called_at;
    seen->stale_phases = is_stale ? seen->phases : before->stale_phases;
}

static void note_success(const struct machine_strand *strand, const struct machine_code *code,
                         const struct mbarrier_instruction *in, uint32_t lanes)
{
    machine_veil_learn(strand->warp);
    struct flight_warp *warp = flight_warp_of(strand->warp);
    const uint32_t first = (uint32_t)__builtin_ctz(lanes), rank = rank_of(in, first);
    const uint32_t address = cluster_mapa(in->address[first], 0);
    const struct ledger *page = ledger_find(flights_of(strand->warp)->unit.ledgers, rank, address);
    warp->last = (struct flight_wait){.lanes = lanes,
                                      .rank = rank,
                                      .address = address,
                                      .operand = in->operand[first],
                                      .is_parity = is_parity(in),
                                      .function = strand->frame->function,
                                      .code = code,
                                      .called_at = machine_called_at(strand->frame)};
    if (page == NULL) return;
    struct flight_seen *seen = flight_seen_of(warp, rank, address);
    const bool is_again = seen->is_used && seen->rank == rank && seen->address == address && seen->inits == page->inits;
    const bool was_early = is_again ? seen->was_early : is_parity(in) && page->phases == 0;
    const struct flight_seen before = *seen;
    *seen = (struct flight_seen){.is_used = true,
                                 .was_early = was_early,
                                 .is_again = is_again,
                                 .is_parity = is_parity(in),
                                 .rank = rank,
                                 .address = address,
                                 .line = strand->frame->function->source->instruction[code->instruction].line,
                                 .called_at = warp->last.called_at,
                                 .lanes = lanes,
                                 .operand = in->operand[first],
                                 .inits = page->inits,
                                 .phases = page->phases};
    if (is_again) keep_stale(seen, &before);
}

// For how long a try_wait that fails holds its thread, where nobody else has anything to do. An H200 shows 7.8 thousand
// clocks without a hint, and 8.8 thousand or more with one.
static void suspend(const struct machine_strand *strand, const struct machine_code *code, enum mbarrier_opcode opcode)
{
    enum { HINT = 3, CLOCKS = 7800, HINTED_CLOCKS = 8800 };
    struct machine_cluster *cluster = strand->warp->cta->cluster;
    if (opcode != MBARRIER_OP_TRY_WAIT && opcode != MBARRIER_OP_TRY_WAIT_PARITY) return;
    const bool is_hinted = code->operand[machine_operand_at(code, HINT)].slot != MACHINE_LEFT_OUT;
    if (cluster->slept == 0 && cluster->suspended == 0) cluster->held_at = cluster->progress;
    const uint64_t clocks = is_hinted ? HINTED_CLOCKS : CLOCKS;
    if (clocks > cluster->suspended) cluster->suspended = clocks;
}

static enum machine_next waited(const struct machine_strand *strand, const struct machine_code *code,
                                const struct mbarrier_instruction *in, uint32_t ballot)
{
    uint32_t failed = in->lanes & ~ballot;
    if (in->opcode == MBARRIER_OP_TEST_WAIT || in->opcode == MBARRIER_OP_TEST_WAIT_PARITY)
        machine_turns_ask(strand->warp->cta->cluster);
    flight_warp_of(strand->warp)->waits = false;
    forget_waits(flight_warp_of(strand->warp), in->lanes);
    if (failed != in->lanes) note_success(strand, code, in, in->lanes & ballot);
    if (failed == 0) return MACHINE_NEXT;
    note_wait(strand, code, in, failed);
    suspend(strand, code, in->opcode);
    return MACHINE_YIELD;
}

// --- The handlers ----------------------------------------------------------------------------------------------------

// What is behind the instruction: the end of cp.async.mbarrier.arrive is yet to come.
static enum machine_next issue_arrive(struct machine_strand *strand, const struct machine_code *code,
                                      const struct mbarrier_instruction *in)
{
    struct flight_arrive *arrive = flight_new(strand->warp, FLIGHT_ARRIVE, in->lanes, sizeof *arrive);
    if (arrive == NULL) return machine_stop(strand, code, 0, MACHINE_NO_MEMORY, 0, "not enough memory for a copy");
    arrive->head.async = ASYNC_ALONE;
    arrive->is_noinc = in->opcode == MBARRIER_OP_COPIES_ARRIVE_NOINC;
    memcpy(arrive->address, in->address, sizeof arrive->address);
    machine_teller(strand, code, in->lanes, &arrive->head.teller);
    arrive->head.teller.origin.operation = ++flights_of(strand->warp)->operations;
    flight_issue(&arrive->head);
    return MACHINE_NEXT;
}

// "; the wait before it, at pipe.cu:31 for mbarrier empty[0], let it pass"
static void add_last_wait(struct machine_text *text, const struct machine_strand *strand)
{
    const struct flight_wait *last = &flight_warp_of(strand->warp)->last;
    struct machine_cluster *cluster = strand->warp->cta->cluster;
    char name[128], place[256];
    if ((last->lanes & strand->lanes) == 0) return;
    hang_name(cluster, last->rank, last->address, name, sizeof name);
    machine_text_add(text, "; the wait before it, at %s for mbarrier %s, let it pass",
                     hang_line(cluster->machine, last->function->source->instruction[last->code->instruction].line,
                               last->called_at, place, sizeof place),
                     name);
}

// What came, and what may: " takes 16 more arrivals in its phase, and 32 come now".
static void add_numbers(struct machine_text *text, const struct finding *finding)
{
    const long long value = (long long)finding->value, limit = (long long)finding->limit;
    switch ((int)finding->rule) {
    case RULE_MBARRIER_ARRIVALS:
        if (limit > 0)
            machine_text_add(text, " takes %lld more arrival%s in its phase, and %lld come now", limit,
                             limit == 1 ? "" : "s", value);
        else
            machine_text_add(text, " takes no more arrivals in its phase, and %lld come%s now", value,
                             value == 1 ? "s" : "");
        break;
    case RULE_MBARRIER_COUNT_LIMIT:
        machine_text_add(text, ": %lld arrivals come at once, at most %lld may", value, limit);
        break;
    case RULE_MBARRIER_TX_LIMIT:
        machine_text_add(text, ": %lld bytes are counted at once, at most %lld may be", value, limit);
        break;
    case RULE_MBARRIER_TX_RANGE:
        machine_text_add(text, ": its tx-count would be %lld; it must be from %d to %d", value, MBARRIER_TX_MIN,
                         MBARRIER_TX_MAX);
        break;
    case RULE_MBARRIER_DROP_LIMIT:
        machine_text_add(text, ": %lld arrivals are dropped, and it expects %lld", value, limit);
        break;
    default:
        break;
    }
}

// What the first line says: the barrier, what came to it, and how the thread came here.
static void tell_refusal(struct machine_text *text, const struct machine_strand *strand, uint32_t rank,
                         uint32_t address, const struct finding *finding)
{
    struct machine_cluster *cluster = strand->warp->cta->cluster;
    const struct ledger *page = ledger_find(flights_of(strand->warp)->unit.ledgers, rank, address);
    char name[128];
    hang_name(cluster, rank, address, name, sizeof name);
    if (page == NULL || page->life == BARRIER_NONE) {
        machine_text_add(text, "nobody has initialised mbarrier %s at shared address 0x%x", name, address);
        hang_add_neighbour(text, cluster, rank, address);
        return;
    }
    machine_text_add(text, "mbarrier %s at shared address 0x%x", name, address);
    add_numbers(text, finding);
    if (finding->rule == RULE_MBARRIER_ARRIVALS) add_last_wait(text, strand);
    if (finding->rule == RULE_MBARRIER_ERROR)
        machine_text_add(text, " has its error bit set: an arrival or copy before it was one too many");
}

// The places of the likely mistake, which the first line has not named.
static void add_likely_places(struct machine_text *text, const struct machine_strand *strand,
                              const struct machine_code *code, uint32_t lane, const char *more)
{
    const struct machine_where where = machine_where(strand, code, lane);
    const struct machine_caller own = machine_where_lead(&where);
    const char *likely = strstr(more, "Likely: ");
    char place[256], named[1024];
    snprintf(named, sizeof named, "%s %s", where_place(&own, false, place, sizeof place), text->at);
    if (likely != NULL) hang_add_places(text, likely, named);
}

static enum machine_next refuse(struct machine_strand *strand, const struct machine_code *code, uint32_t lane,
                                const struct mbarrier_instruction *in, enum rule rule)
{
    struct machine_cluster *cluster = strand->warp->cta->cluster;
    const uint32_t address = cluster_mapa(in->address[lane], 0), rank = rank_of(in, lane);
    char more[2048], what[4096];
    struct machine_text text = {what, 0, sizeof what};
    struct findings findings;
    if (rule_row(rule)->cuda_error != CUDA_LAUNCH_FAILED ||
        machine_mbarrier_fault_explain(strand, rank, address, rule, more, sizeof more) == 0) {
        machine_shared_name(cluster->machine, address, more, sizeof more);
        return machine_fault(strand, code, lane, rule, in->address[lane], more);
    }
    mbarrier_check(flight_unit(flights_of(strand->warp)), in, &findings); // the barrier is as it was
    tell_refusal(&text, strand, rank, address, findings_of_rule(&findings, rule));
    add_likely_places(&text, strand, code, lane, more);
    machine_text_add(&text, "%s", more);
    return machine_fault_with(strand, code, lane, rule, in->address[lane], what);
}

static enum machine_next operate(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const struct barrier_row *row = &rows[code->choice->form];
    struct mbarrier_instruction in; // what its arrays have of other lanes is not read
    struct mbarrier_answer answer;
    struct teller room;
    enum rule rule = RULE_OK;
    uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    in.opcode = row->opcode;
    in.space = MBARRIER_SHARED_CTA;
    in.rank = strand->warp->cta->rank;
    in.lanes = lanes;
    in.order = machine_order_of(code->choice, ACCESS_READ);
    in.scope = scope_of(code->choice);
    if (code->choice->word[PTX_CLASS_NOINC] != 0) in.opcode = MBARRIER_OP_COPIES_ARRIVE_NOINC;
    set_operands(strand, code, row->operand, &in);
    if (row->address != NO_ROW)
        rule =
            set_addresses(strand, code, &code->operand[machine_operand_at(code, (uint32_t)row->address)], &in, &lane);
    if (rule != RULE_OK) return machine_fault(strand, code, lane, rule, 0, "");
    if (machine_is_wide(code->choice)) machine_release(strand->warp);
    rule = mbarrier_operate(flight_unit(flights_of(strand->warp)), &in, machine_teller(strand, code, lanes, &room),
                            &answer, NULL);
    if (rule != RULE_OK) return refuse(strand, code, lane, &in, rule);
    const struct mbarrier_op_row *does = mbarrier_op_row(in.opcode);
    if (row->result != NO_ROW) give(strand, &code->operand[row->result], lanes, &answer, does->result);
    if (does->result == MBARRIER_GIVES_PREDICATE) return waited(strand, code, &in, answer.ballot);
    if (in.opcode != MBARRIER_OP_PENDING_COUNT) machine_progress(strand);
    if (row->opcode == MBARRIER_OP_COPIES_ARRIVE) return issue_arrive(strand, code, &in);
    if (machine_reads_told(strand, code) == MACHINE_REST) return MACHINE_REST;
    return machine_remote_told(strand->warp);
}

machine_handler *machine_mbarriers_find(const struct ptx_choice *choice)
{
    return rows[choice->form].opcode != MBARRIER_OP_NONE ? operate : NULL;
}
