// SPDX-License-Identifier: MIT
// Instructions at which lanes of a warp wait for each other: votes, shuffles and their like, which model/alu computes
// when all lanes of the mask are there, and bar.warp.sync.
#include "meeting.h"

#include <string.h>

#include "alu.h"
#include "each.h"
#include "form_number.h"
#include "handler.h"

// The lanes of `lanes` whose mask is that of their first.
static uint32_t same_mask(const uint32_t *mask, uint32_t lanes)
{
    uint32_t first = mask[__builtin_ctz(lanes)], same = 0;
    for (EACH_BIT(lane, lanes))
        if (mask[lane] == first) same |= 1u << lane;
    return same;
}

// Lanes that call without being in their own mask get what PTX leaves open. The lanes of the mask are told nothing of
// them.
static void compute_group(struct machine_strand *strand, const struct machine_code *code, uint32_t group, uint32_t mask)
{
    if ((group & mask) != 0) machine_compute(strand, code, group & mask);
    if ((group & ~mask) != 0) machine_compute(strand, code, group & ~mask);
}

// --- Lanes at other instructions -------------------------------------------------------------------------------------

static machine_handler meet;

// Lanes of one strand that meet others, and what they execute.
struct party {
    struct machine_strand *strand;
    const struct machine_code *code;
    uint32_t lanes;
};

// A shuffle and its like has at most 6 operands, each of at most 8 bytes a lane.
enum { MOST_OPERANDS = 6, OPERAND_BYTES = 8 * MACHINE_LANES };

struct table {
    _Alignas(MACHINE_SLOT_ALIGN) uint8_t operand[MOST_OPERANDS][OPERAND_BYTES];
};

// The operands of a party in a table instead of in registers.
static void lay(const struct party *party, struct table *table, struct machine_strand *at,
                struct machine_operand operand[MOST_OPERANDS])
{
    *at = *party->strand;
    at->registers.base[0] = (uintptr_t)table->operand;
    for (uint32_t i = 0; i < party->code->operands; i++) {
        operand[i] = party->code->operand[i];
        if (operand[i].slot != MACHINE_LEFT_OUT) operand[i].slot = i * OPERAND_BYTES;
    }
}

// The lanes' values, from their registers to the table.
static void bring(const struct party *party, struct table *table)
{
    struct machine_strand at;
    struct machine_operand operand[MOST_OPERANDS];
    lay(party, table, &at, operand);
    for (uint32_t i = 0; i < party->code->operands; i++)
        for (EACH_BIT(lane, operand[i].slot == MACHINE_LEFT_OUT ? 0 : party->lanes))
            machine_set_value(&at, &operand[i], lane, machine_value(party->strand, &party->code->operand[i], lane));
}

// And back, what the instruction has changed.
static void take_back(const struct party *party, struct table *table, struct table *before)
{
    struct machine_strand now, then;
    struct machine_operand operand[MOST_OPERANDS];
    lay(party, before, &then, operand);
    lay(party, table, &now, operand);
    for (uint32_t i = 0; i < party->code->operands; i++)
        for (EACH_BIT(lane, operand[i].slot == MACHINE_LEFT_OUT ? 0 : party->lanes)) {
            const uint64_t value = machine_value(&now, &operand[i], lane);
            if (value != machine_value(&then, &operand[i], lane))
                machine_set_value(party->strand, &party->code->operand[i], lane, value);
        }
}

// The first party has the instruction that is computed; results that it leaves out are computed all the same.
static void compute_parties(const struct party *party, uint32_t parties)
{
    struct table table = {0}, before;
    struct machine_strand at;
    struct machine_operand operand[MOST_OPERANDS];
    uint32_t slot[MOST_OPERANDS], lanes = 0;
    lay(party, &table, &at, operand);
    for (uint32_t i = 0; i < MOST_OPERANDS; i++) slot[i] = i * OPERAND_BYTES;
    for (uint32_t i = 0; i < parties; i++) bring(&party[i], &table), lanes |= party[i].lanes;
    before = table;
    party->code->alu(&at.registers, slot, party->code->choice, lanes);
    for (uint32_t i = 0; i < parties; i++) take_back(&party[i], &table, &before);
}

// Is it the same but for its registers? Then PTX lets lanes meet there.
static bool is_like(const struct machine_code *code, const struct machine_code *other)
{
    const struct ptx_choice *a = code->choice, *b = other->choice;
    return other->handler == meet && other->operands == code->operands && a->form == b->form && a->types == b->types &&
           memcmp(a->type, b->type, sizeof a->type) == 0 && memcmp(a->word, b->word, sizeof a->word) == 0;
}

// Of `lanes`, those whose mask is `mask` and who are in it.
static uint32_t named(const struct machine_strand *strand, const struct machine_code *code, uint32_t lanes,
                      uint32_t mask)
{
    const uint32_t *its = machine_lanes(strand, code, code->operands - 1u);
    uint32_t found = 0;
    for (EACH_BIT(lane, lanes & mask))
        if (its[lane] == mask) found |= 1u << lane;
    return found;
}

// Lanes of a mask that stand at several instructions of one kind, all of which wait: computes, and lets them go.
// Returns those of the strand itself; the others find themselves in `synced`.
static uint32_t meet_elsewhere(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    struct machine_warp *warp = strand->warp;
    struct party party[MACHINE_LANES] = {{strand, code, lanes}};
    const uint32_t *masks = machine_lanes(strand, code, code->operands - 1u);
    const uint32_t mask = masks[__builtin_ctz(lanes)];
    uint32_t parties = 1, come = party->lanes = named(strand, code, lanes, mask);
    for (uint32_t i = 0; come != 0 && i < warp->strands; i++) {
        struct machine_strand *other = &warp->strand[i];
        const struct machine_code *its = &other->frame->function->code[other->pc];
        if (other == strand || other->waiting_at == 0 || !is_like(code, its)) continue;
        party[parties] = (struct party){other, its, named(other, its, other->lanes & ~warp->synced, mask)};
        if (party[parties].lanes != 0) come |= party[parties++].lanes;
    }
    if (come == party->lanes || (mask & warp->live & ~come) != 0) return 0;
    compute_parties(party, parties);
    warp->synced |= come & ~party->lanes;
    machine_progress(strand);
    warp->cta->cluster->vain++; // it concerns lanes of this warp alone
    return party->lanes;
}

// The mask is the last operand of all of them. Lanes with different masks at one instruction are groups of their own.
static enum machine_next meet(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const uint32_t *mask = machine_lanes(strand, code, code->operands - 1u), done = lanes & strand->warp->synced;
    if (done != 0) {
        strand->warp->synced &= ~done;
        return machine_leave(strand, lanes, done);
    }
    uint32_t met = machine_met(strand, lanes, mask);
    if (met == 0 && strand->warp->strands > 1) return machine_leave(strand, lanes, meet_elsewhere(strand, code, lanes));
    for (uint32_t left = met, group; left != 0; left &= ~group) {
        group = code->operand[code->operands - 1u].is_uniform ? left : same_mask(mask, left);
        compute_group(strand, code, group, mask[__builtin_ctz(group)]);
    }
    return machine_leave(strand, lanes, met);
}

// --- bar.warp.sync ---------------------------------------------------------------------------------------------------

static void tell(const struct machine_strand *strand, const struct machine_code *code, uint32_t lanes,
                 enum meeting_step step, uint32_t mask)
{
    struct teller room;
    if (lanes == 0 || !machine_is_heard(strand)) return;
    const struct event_meeting meeting = {.kind = MEETING_WARP,
                                          .step = step,
                                          .order = step == MEETING_ARRIVE ? ORDER_RELEASE : ORDER_ACQUIRE,
                                          .threads = mask};
    event_tell(machine_teller(strand, code, lanes, &room), (struct event){.kind = EVENT_MEETING, .meeting = meeting});
}

// Of `lanes`, those that wait with the mask of the first.
static uint32_t waiting_like_first(const struct machine_warp *warp, uint32_t lanes)
{
    const uint64_t mask = warp->mark[__builtin_ctz(lanes)];
    uint32_t same = 0;
    for (EACH_BIT(lane, lanes)) same |= (uint32_t)(warp->mark[lane] == mask) << lane;
    return same;
}

// Lets go the lanes whose mask has come, wherever in the program they wait. Those of the mask that wait with another
// mask have not come: they are in an inner branch. A lane that is not in its mask comes besides.
static void let_go(const struct machine_strand *strand)
{
    struct machine_warp *warp = strand->warp;
    for (uint32_t left = warp->syncing, same; left != 0; left &= ~same) {
        same = waiting_like_first(warp, left);
        const uint32_t named = (uint32_t)warp->mark[__builtin_ctz(same)] & warp->live;
        uint32_t waiting = same;
        for (EACH_BIT(lane, (named & ~same) == 0 ? same : 0)) {
            const uint32_t group = (named | 1u << lane) & warp->live;
            if (!(waiting >> lane & 1) || (group & ~waiting) != 0) continue;
            waiting &= ~group;
            warp->synced |= group;
            warp->syncing &= ~group;
            machine_progress(strand);
            warp->cta->cluster->vain++; // it concerns lanes of this warp alone
        }
    }
}

// All that live and are named come at once, and nobody waits: what most bar.warp.sync are. All of it then goes on.
static bool is_all_at_once(const struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const struct machine_warp *warp = strand->warp;
    const uint32_t *mask = machine_lanes(strand, code, 0), first = mask[__builtin_ctz(lanes)];
    if ((warp->begun & lanes) != 0 || warp->syncing != 0 || machine_is_heard(strand)) return false;
    return (first & warp->live) == lanes && (code->operand[0].is_uniform || same_mask(mask, lanes) == lanes);
}

// Lanes may come from different instructions. A lane that came is in `syncing`, then, when all of its mask have come,
// in `synced` until it goes on.
static enum machine_next sync_warp(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    struct machine_warp *warp = strand->warp;
    const uint32_t *mask = machine_lanes(strand, code, 0);
    uint32_t fresh = lanes & ~warp->begun;
    if (is_all_at_once(strand, code, lanes)) {
        machine_progress(strand);
        warp->cta->cluster->vain++; // it concerns lanes of this warp alone
        return MACHINE_NEXT;
    }
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++)
        if (fresh >> lane & 1) warp->mark[lane] = mask[lane];
    warp->begun |= fresh;
    warp->syncing |= fresh;
    tell(strand, code, fresh, MEETING_ARRIVE, mask[__builtin_ctz(lanes)]);
    let_go(strand);
    uint32_t done = lanes & warp->synced;
    warp->synced &= ~done;
    tell(strand, code, done, MEETING_WAIT, mask[__builtin_ctz(lanes)]);
    return machine_leave(strand, lanes, done);
}

bool machine_lanes_wait(const struct machine_strand *strand, uint32_t *mask)
{
    const struct machine_code *code = &strand->frame->function->code[strand->pc];
    const uint32_t lane = (uint32_t)__builtin_ctz(strand->lanes);
    if (code->handler != meet && code->handler != sync_warp) return false;
    *mask = ((const uint32_t *)machine_lanes(strand, code, code->handler == meet ? code->operands - 1u : 0))[lane];
    return true;
}

bool machine_lanes_meet(const struct machine_code *code)
{
    return code->handler == meet;
}

machine_handler *machine_meeting_find(const struct ptx_choice *choice)
{
    switch ((enum ptx_form_number)choice->form) {
    case PTX_FORM_SHFL:
    case PTX_FORM_VOTE:
    case PTX_FORM_VOTE_BALLOT:
    case PTX_FORM_MATCH_ANY:
    case PTX_FORM_MATCH_ALL:
    case PTX_FORM_REDUX_INT:
    case PTX_FORM_REDUX_BITS:
    case PTX_FORM_ELECT:
        return alu_find(choice) == NULL ? NULL : meet;
    case PTX_FORM_BAR_WARP_SYNC:
        return sync_warp;
    default:
        return NULL;
    }
}
