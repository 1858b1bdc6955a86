// SPDX-License-Identifier: MIT
// A warp is a set of strands: lanes at one instruction of one call. Those that meet there become one. The strand that
// let its siblings pass the fewest times runs; of these the one in the deepest call, and there the one that is furthest
// up, so that those behind catch up. One that has used its budget, or polls, lets its siblings pass: thus each makes
// progress, whatever the others wait for.
#include "warp.h"

#include <stdlib.h>
#include <string.h>

#include "alu.h"
#include "budget.h"
#include "even.h"
#include "flights.h"
#include "frames.h"
#include "going.h"
#include "late_reads.h"
#include "seen.h"

// --- Frames ----------------------------------------------------------------------------------------------------------

static void enter(struct machine_strand *strand, struct machine_frame *frame)
{
    strand->frame = frame;
    uintptr_t *const base = strand->registers.base;
    base[MACHINE_IN_FRAME] = (uintptr_t)frame->slots - MACHINE_IN_FRAME;
    base[MACHINE_IN_CONSTANTS] = (uintptr_t)frame->function->constants - MACHINE_IN_CONSTANTS;
    base[MACHINE_IN_WARP] = (uintptr_t)strand->warp->slots - MACHINE_IN_WARP;
    base[ALU_LEFT_OUT] = 0 - (uintptr_t)ALU_LEFT_OUT;
    strand->registers.carry = &strand->warp->carry;
}

// Local memory: 16 bytes of each lane side by side.
bool machine_local_grow(struct machine_warp *warp, uint64_t bytes)
{
    uint64_t room = warp->local_bytes;
    if (bytes <= room) return true;
    bytes = (bytes < 2 * room ? 2 * room : bytes) + 15u;
    bytes -= bytes % 16;
    if (bytes > UINT32_MAX / 2) return false;
    const uint64_t added = (bytes - room) * MACHINE_LANES;
    if (!budget_take(BUDGET_LOCAL, added)) return false;
    uint8_t *more = realloc(warp->local, bytes * MACHINE_LANES);
    if (more == NULL) budget_give(BUDGET_LOCAL, added);
    if (more == NULL) return false;
    memset(more + room * MACHINE_LANES, 0, added);
    warp->local = more;
    warp->local_bytes = (uint32_t)bytes;
    return true;
}

// --- Strands ---------------------------------------------------------------------------------------------------------

static struct machine_strand *find_strand(struct machine_warp *warp, const struct machine_strand *other,
                                          const struct machine_frame *frame, uint32_t pc)
{
    for (uint32_t i = 0; i < warp->strands; i++) {
        struct machine_strand *strand = &warp->strand[i];
        if (strand != other && strand->frame == frame && strand->pc == pc) return strand;
    }
    return NULL;
}

static void remove_strand(struct machine_warp *warp, struct machine_strand *strand)
{
    const struct machine_strand *last = &warp->strand[--warp->strands];
    if (strand != last) *strand = *last;
}

static void join(struct machine_strand *to, uint32_t lanes, uint32_t round)
{
    to->lanes |= lanes;
    to->waiting_at = 0;
    if (round > to->round) to->round = round;
}

// A strand of `lanes` at `pc` of `frame`, new or joined with the one that is there. There are never more than lanes.
static struct machine_strand *put_lanes(struct machine_strand *from, uint32_t lanes, struct machine_frame *frame,
                                        uint32_t pc)
{
    struct machine_warp *warp = from->warp;
    struct machine_strand *to = find_strand(warp, from, frame, pc);
    if (to != NULL) {
        join(to, lanes, from->round);
        return to;
    }
    to = &warp->strand[warp->strands++];
    *to = (struct machine_strand){.warp = warp, .lanes = lanes, .pc = pc, .round = from->round};
    enter(to, frame);
    return to;
}

// Takes all lanes of the strand to `pc` of `frame`.
static struct machine_strand *take_all(struct machine_strand *strand, struct machine_frame *frame, uint32_t pc)
{
    struct machine_warp *warp = strand->warp;
    struct machine_strand *to = warp->strands == 1 ? NULL : find_strand(warp, strand, frame, pc);
    if (to == NULL) {
        strand->pc = pc;
        strand->waiting_at = 0;
        if (frame != strand->frame) enter(strand, frame);
        return strand;
    }
    join(to, strand->lanes, strand->round);
    bool is_last = to == &warp->strand[warp->strands - 1];
    remove_strand(warp, strand);
    return is_last ? strand : to;
}

// Takes some lanes of the strand away to `pc` of `frame`; the others stay.
static struct machine_strand *take(struct machine_strand *strand, uint32_t lanes, struct machine_frame *frame,
                                   uint32_t pc)
{
    strand->warp->begun &= ~lanes;
    machine_reads_jump(strand->warp, pc < strand->pc || frame != strand->frame);
    if (lanes == strand->lanes) return take_all(strand, frame, pc);
    strand->lanes &= ~lanes;
    return put_lanes(strand, lanes, frame, pc);
}

void machine_move(struct machine_strand *strand, uint32_t lanes, uint32_t pc)
{
    take(strand, lanes, strand->frame, pc);
}

struct machine_frame *machine_frame_open(const struct machine_strand *strand, const struct machine_function *function,
                                         const struct machine_code *call, uint32_t lanes, uint32_t local_base)
{
    struct machine_frame *frame = machine_frame_new(strand->warp->cta->cluster, function, local_base);
    if (frame == NULL) return NULL;
    frame->caller = strand->frame;
    frame->depth = strand->frame->depth + 1;
    frame->lanes = lanes;
    frame->return_pc = strand->pc + 1;
    frame->call = call;
    return frame;
}

void machine_frame_enter(struct machine_strand *strand, struct machine_frame *frame)
{
    take(strand, frame->lanes, frame, 0);
}

static void leave_frame(struct machine_warp *warp, struct machine_frame *frame, uint32_t lanes)
{
    frame->lanes &= ~lanes;
    if (frame->lanes != 0) return;
    if (warp->cta->cluster->flights != NULL) machine_flights_leave(warp, frame);
    if (frame != warp->entry) machine_frame_keep(warp->cta->cluster, frame);
}

void machine_frame_pop(struct machine_strand *strand, uint32_t lanes)
{
    struct machine_frame *frame = strand->frame;
    struct machine_warp *warp = strand->warp;
    take(strand, lanes, frame->caller, frame->return_pc);
    leave_frame(warp, frame, lanes);
}

void machine_lanes_exit(struct machine_strand *strand, uint32_t lanes)
{
    struct machine_warp *warp = strand->warp;
    struct machine_frame *frame = strand->frame;
    warp->live &= ~lanes;
    warp->begun &= ~lanes;
    warp->cta->cluster->progress++;                                              // other warps may wait for them too
    for (uint32_t i = 0; i < warp->strands; i++) warp->strand[i].waiting_at = 0; // they may have waited for these lanes
    strand->lanes &= ~lanes;
    if (strand->lanes == 0) remove_strand(warp, strand);
    for (struct machine_frame *caller; frame != NULL; frame = caller) {
        caller = frame->caller;
        leave_frame(warp, frame, lanes);
    }
}

uint32_t machine_met(const struct machine_strand *strand, uint32_t lanes, const uint32_t *mask)
{
    uint32_t live = strand->warp->live, met = 0;
    if ((live & ~lanes) == 0) return lanes;
    for (int lane = 0; lane < MACHINE_LANES; lane++)
        if (lanes >> lane & 1 && (mask[lane] & live & ~lanes) == 0) met |= 1u << lane;
    return met;
}

enum machine_next machine_leave(struct machine_strand *strand, uint32_t lanes, uint32_t done)
{
    if (done == 0) return MACHINE_WAIT;
    strand->warp->begun &= ~done;
    if (done == lanes) return MACHINE_NEXT;
    // Lanes of the strand whose guard is false go on too: only those that asked and were not served wait.
    machine_move(strand, done | (strand->lanes & ~lanes), strand->pc + 1);
    return MACHINE_JUMPED;
}

// --- Running ---------------------------------------------------------------------------------------------------------

// Does `a` run before `b`?
static bool runs_before(const struct machine_strand *a, const struct machine_strand *b)
{
    if (a->round != b->round) return a->round < b->round;
    if (a->frame->depth != b->frame->depth) return a->frame->depth > b->frame->depth;
    return a->pc < b->pc;
}

static struct machine_strand *pick(struct machine_warp *warp)
{
    struct machine_strand *best = NULL;
    uint64_t progress = warp->cta->cluster->progress;
    if (warp->strands == 1) return warp->strand[0].waiting_at == progress ? NULL : &warp->strand[0]; // most often
    for (uint32_t i = 0; i < warp->strands; i++) {
        struct machine_strand *strand = &warp->strand[i];
        if (strand->waiting_at == progress) continue;
        if (best == NULL || runs_before(strand, best)) best = strand;
    }
    return best;
}

// The first instruction below at which a sibling stands: there they become one. Else the end of the function.
static uint32_t meeting_point(const struct machine_strand *strand)
{
    const struct machine_warp *warp = strand->warp;
    uint32_t point = strand->frame->function->codes;
    for (uint32_t i = 0; warp->strands > 1 && i < warp->strands; i++) {
        const struct machine_strand *other = &warp->strand[i];
        if (other->frame == strand->frame && other->pc > strand->pc && other->pc < point) point = other->pc;
    }
    return point;
}

// Lanes whose guard is false do not wait with the others.
static void part_from_waiting(struct machine_strand *strand, uint32_t lanes)
{
    uint32_t others = strand->lanes & ~lanes;
    strand->waiting_at = strand->warp->cta->cluster->progress;
    if (others != 0) machine_move(strand, others, strand->pc + 1);
}

// Runs instructions up to going->stop, as long as they say NEXT. A branch that all lanes of a warp take is taken here.
static inline __attribute__((always_inline)) enum machine_next go_along(struct machine_strand *strand,
                                                                        struct machine_going *going)
{
    const uint32_t threads_of_all = machine_count_of(strand->lanes);
    while (going->code < going->stop) {
        const struct machine_code *plain = going->code, *code = machine_run_plain(strand, plain, going->stop);
        going->threads += (uint64_t)(code - plain) * threads_of_all;
        going->code = code;
        if (code == going->stop) break;
        uint32_t lanes = machine_lanes_of(strand, code);
        bool are_all = lanes == strand->lanes;
        going->threads += are_all ? threads_of_all : machine_count_of(lanes);
        if (are_all && code->kind == MACHINE_BRANCH && strand->warp->strands == 1) {
            machine_spend(going, 1);
            machine_reads_jump(strand->warp, code->target <= (uint32_t)(code - going->first));
            machine_go_from(going, going->first + code->target, going->first + strand->frame->function->codes);
            continue;
        }
        if (lanes != 0) {
            enum machine_next next = machine_run_one(strand, going, lanes);
            if (next != MACHINE_NEXT) return next;
        }
        going->code++;
    }
    strand->pc = (uint32_t)(going->code - going->first);
    return MACHINE_NEXT;
}

enum machine_next machine_go_along(struct machine_strand *strand, struct machine_going *going)
{
    return go_along(strand, going);
}

// Runs the strand until it waits, meets a sibling, parts from one, or `*budget` is used. It goes on by itself over
// jumps as long as it has no siblings.
static enum machine_next run_strand(struct machine_strand *strand, uint32_t *budget)
{
    struct machine_warp *warp = strand->warp;
    struct machine_cluster *cluster = warp->cta->cluster;
    const struct machine_looker *looker = machine_looker(cluster);
    struct machine_going going = {.left = *budget};
    enum machine_next next;
    do {
        going.first = strand->frame->function->code;
        machine_go_from(&going, going.first + strand->pc, going.first + meeting_point(strand));
        if (looker != NULL)
            next = machine_go_on_seen(strand, &going, looker);
        else
            next = machine_even_may(strand) ? machine_go_on_evenly(strand, &going, NULL) : go_along(strand, &going);
        machine_spend(&going, next != MACHINE_NEXT);
    } while (next == MACHINE_JUMPED && going.left > 0 && warp->strands == 1 && strand == &warp->strand[0]);
    if (next == MACHINE_WAIT) part_from_waiting(strand, going.lanes);
    cluster->thread_instructions += going.threads;
    *budget = going.left;
    return next;
}

// The first instructions of a warp that begins again: those that make something else than the last time.
static void run_again(struct machine_strand *strand, uint32_t *budget)
{
    struct machine_warp *warp = strand->warp;
    struct machine_cluster *cluster = warp->cta->cluster;
    const struct machine_again *again = &cluster->machine->kernel->again;
    if (again->stands_for >= *budget) return;
    if (machine_even_may(strand))
        machine_even_again(strand, again);
    else
        machine_run_plain(strand, again->code, again->code + again->codes);
    strand->pc = again->stands_for;
    *budget -= again->stands_for;
    cluster->thread_instructions += (uint64_t)again->stands_for * machine_count_of(strand->lanes);
}

// A strand that stands where a sibling does joins it.
static void meet(struct machine_strand *strand)
{
    if (strand->warp->strands > 1) take_all(strand, strand->frame, strand->pc);
}

// Behind its instruction, and behind its siblings.
static void step_aside(struct machine_strand *strand)
{
    strand->round++;
    machine_move(strand, strand->lanes, strand->pc + 1);
}

enum machine_ran machine_warp_run(struct machine_warp *warp, uint32_t budget)
{
    uint32_t left = budget;
    enum machine_ran ran = MACHINE_RAN_ON;
    bool is_over = false;
    if (warp->reads != NULL && !machine_reads_arrive(warp)) return MACHINE_RAN_ON;
    if (warp->is_again) run_again(&warp->strand[0], &left);
    warp->is_again = false;
    while (left > 0 && ran == MACHINE_RAN_ON && !is_over) {
        struct machine_strand *strand = pick(warp);
        if (strand == NULL) {
            ran = warp->strands == 0 ? MACHINE_ENDED : MACHINE_BLOCKED;
            break;
        }
        switch (run_strand(strand, &left)) {
        case MACHINE_NEXT:
            if (left == 0) strand->round++;
            meet(strand);
            break;
        case MACHINE_JUMPED:
        case MACHINE_WAIT:
            break;
        case MACHINE_YIELD:
            ran = MACHINE_POLLED;
            step_aside(strand);
            break;
        case MACHINE_REST:
            is_over = true;
            step_aside(strand);
            break;
        case MACHINE_FAULT:
            ran = MACHINE_STOPPED;
        }
    }
    warp->cta->cluster->executed += budget - left;
    warp->cta->cluster->ahead = 0;
    return ran == MACHINE_RAN_ON && warp->strands == 0 ? MACHINE_ENDED : ran; // the last lane left with the budget
}

// --- Begin and end ---------------------------------------------------------------------------------------------------

static void begin(struct machine_warp *warp)
{
    uint8_t *const first = (uint8_t *)&warp->strands, *const end = (uint8_t *)warp->stack_top;
    memset(first, 0, (size_t)(end - first));
    free(warp->reads);
    warp->reads = NULL;
    if (warp->local != NULL) memset(warp->local, 0, (size_t)warp->local_bytes * MACHINE_LANES);
}

bool machine_warp_start(struct machine_warp *warp, struct machine_cta *cta, uint32_t index, uint32_t lanes)
{
    const struct machine_kernel *kernel = cta->cluster->machine->kernel;
    uint32_t local_base = kernel->module_local_bytes;
    uint32_t top = local_base + (kernel->entry->local_bytes + 15u) / 16u * 16u;
    begin(warp);
    warp->cta = cta;
    warp->index = index;
    warp->is_heard = cta->cluster->machine->launch->observer != NULL;
    if (warp->slots == NULL) warp->slots = aligned_alloc(MACHINE_SLOT_ALIGN, kernel->warp_bytes);
    if (warp->slots == NULL || !machine_local_grow(warp, top)) return false;
    struct machine_frame *frame = machine_frame_of_entry(warp);
    if (frame == NULL) return false;
    frame->lanes = warp->live = lanes;
    warp->strands = 1;
    warp->strand[0] = (struct machine_strand){.warp = warp, .lanes = lanes};
    enter(&warp->strand[0], frame);
    for (int lane = 0; lane < MACHINE_LANES; lane++) warp->stack_top[lane] = top;
    return true;
}

void machine_warp_end(struct machine_warp *warp)
{
    while (warp->strands > 0) machine_lanes_exit(&warp->strand[0], warp->strand[0].lanes);
}

void machine_warp_free(struct machine_warp *warp)
{
    free(warp->slots);
    free(warp->reads);
    machine_frame_free(warp->entry);
    machine_even_free(warp);
    budget_give(BUDGET_LOCAL, (uint64_t)warp->local_bytes * MACHINE_LANES);
    free(warp->local);
}
