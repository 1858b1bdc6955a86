// SPDX-License-Identifier: MIT
// From events to clocks: what each releases, and what it acquires.
#include <stdlib.h>
#include <string.h>

#include "each.h"

#include "apart.h"
#include "between.h"

struct order_warp *order_warp_of(const struct clock_order *order, const struct event_origin *who,
                                 struct order_cta **cta)
{
    *cta = order_cta_of(order, who->cta);
    return *cta != NULL && (*cta)->warp != NULL && who->warp < (*cta)->warps ? &(*cta)->warp[who->warp] : NULL;
}

static void order_flush(struct clock_order *order); // judges the access that waits

// --- The warp's time -------------------------------------------------------------------------------------------------

// What it does from now on is not part of what it has released up to now.
void order_tick(struct order_cta *cta, struct order_warp *warp, enum order_edge edge, uint32_t line, uint32_t number)
{
    struct clock_time *time = clock_at(&warp->clock, cta->index, (uint32_t)(warp - cta->warp));
    if (time == NULL) return;
    warp->release[time->seen % ORDER_NOTES] = (struct order_note){edge, line, time->seen, number};
    warp->now = time->written = ++time->seen;
    warp->is_ahead = false;
}

void order_acquire(struct order_warp *warp, const struct clock *from, enum order_edge edge, uint32_t line,
                   uint32_t number)
{
    clock_join(&warp->clock, from);
    warp->acquire = (struct order_note){edge, line, 0, number};
}

// --- Barriers of the CTA and the cluster -----------------------------------------------------------------------------

static void leave(const struct order_meeting *meeting, int phase, struct order_warp *warp)
{
    clock_join(&warp->learnt[ORDER_REACH_ALL], &meeting->learnt[phase]);
    warp->has_published |= meeting->has_published[phase];
}

static void enter(struct order_meeting *meeting, int phase, const struct order_warp *warp,
                  const struct event_meeting *of)
{
    if (of->order == ORDER_RELAXED)
        order_release_relaxed(&meeting->clock[phase], warp,
                              of->kind == MEETING_CLUSTER ? ORDER_REACH_CLUSTER : ORDER_REACH_CTA);
    else
        clock_join(&meeting->clock[phase], &warp->clock);
    clock_join(&meeting->learnt[phase], &warp->learnt[ORDER_REACH_ALL]);
    meeting->has_published[phase] |= warp->has_published;
}

static struct order_found found_at(const struct order_cta *cta, const struct order_warp *warp, enum order_finding kind,
                                   const struct event *event)
{
    const uint32_t lanes = event->origin->lanes;
    struct order_found found = {.kind = kind,
                                .space = SPACE_SHARED,
                                .cta = cta,
                                .address = event->meeting.number,
                                .newer = {.actor = warp->actor, .line = event->origin->line}};
    found.newer.lane = (uint8_t)(lanes != 0 ? __builtin_ctz(lanes) : 0);
    found.newer.time = warp->now;
    return found;
}

// Have other lanes of the warp arrived in this phase by another instruction? A warp that comes twice as a whole, once
// by bar.arrive and once by bar.sync, has not parted.
static void check_aligned(struct clock_order *order, const struct order_cta *cta, const struct order_warp *warp,
                          const struct order_came *came, const struct event *event)
{
    if (!order->is_aligned || came->line == 0 || came->line == event->origin->line) return;
    if ((event->origin->lanes & ~came->lanes) == 0) return;
    struct order_found found = found_at(cta, warp, ORDER_DIVERGENT, event);
    if (event->meeting.kind == MEETING_CLUSTER) found.address = ORDER_CLUSTER_BARRIER;
    found.older = (struct shadow_entry){.actor = warp->actor, .time = came->time, .line = came->line};
    order->found(order->context, &found);
}

// Does the warp know that the phase before is over? If not, it may arrive in that one.
static void check_meeting(struct clock_order *order, const struct order_cta *cta, const struct order_warp *warp,
                          const struct order_meeting *meeting, const struct event *event)
{
    const int before = 1 - (int)(event->meeting.phase & 1);
    struct order_found found = found_at(cta, warp, ORDER_MEETING, event);
    if (meeting->phase[before] != event->meeting.phase) return; // there was none
    for (uint32_t i = 0; i < cta->warps && i < ORDER_MOST_WARPS; i++) {
        const struct order_came *came = &meeting->came[before][i];
        if (came->line == 0 || clock_time(&warp->clock, cta->index, i).seen >= came->time) continue;
        found.older = (struct shadow_entry){.actor = cta->warp[i].actor, .time = came->time, .line = came->line};
        order->found(order->context, &found);
        return;
    }
}

// Does it give the number of threads that the first of its phase gave?
static void check_count(struct clock_order *order, const struct order_cta *cta, const struct order_warp *warp,
                        struct order_meeting *meeting, const struct event *event)
{
    const int phase = (int)(event->meeting.phase & 1);
    struct order_found found = found_at(cta, warp, ORDER_COUNT, event);
    if (meeting->threads[phase] == 0) {
        meeting->threads[phase] = event->meeting.threads;
        meeting->first[phase] = found.newer;
    } else if (meeting->threads[phase] != event->meeting.threads) {
        found.older = meeting->first[phase];
        order->found(order->context, &found);
    }
}

// own: of the CTA, also where the cluster meets.
static void come(struct clock_order *order, const struct order_cta *cta, const struct order_warp *warp,
                 struct order_meeting *own, const struct event *event)
{
    const int phase = (int)(event->meeting.phase & 1);
    if (own->came == NULL) own->came = calloc(2, sizeof *own->came);
    order->is_short |= own->came == NULL;
    if (own->came == NULL) return;
    if (own->phase[phase] != event->meeting.phase + 1) { // of a cluster, whose barrier another CTA has
        own->phase[phase] = event->meeting.phase + 1;
        memset(own->came[phase], 0, sizeof own->came[phase]);
    }
    struct order_came *came = &own->came[phase][warp - cta->warp];
    if (event->meeting.kind == MEETING_CTA) check_meeting(order, cta, warp, own, event);
    if (event->meeting.kind == MEETING_CTA) check_count(order, cta, warp, own, event);
    check_aligned(order, cta, warp, came, event);
    *came = (struct order_came){warp->now, event->origin->line, came->lanes | event->origin->lanes};
}

static void hear_meeting(struct clock_order *order, const struct event *event)
{
    const struct event_meeting *of = &event->meeting;
    const enum order_edge edge = of->kind == MEETING_CLUSTER ? ORDER_EDGE_CLUSTER : ORDER_EDGE_CTA;
    const uint32_t line = event->origin->line;
    const int phase = (int)(of->phase & 1);
    struct order_cta *cta;
    struct order_warp *warp = order_warp_of(order, event->origin, &cta);
    if (warp != NULL && of->kind == MEETING_WARP && of->step == MEETING_WAIT)
        clock_order_meet(order, cta->number, event->origin->warp, of->threads | event->origin->lanes);
    if (warp == NULL || of->kind == MEETING_WARP || of->number >= ORDER_MEETINGS) return;
    struct order_meeting *meeting = of->kind == MEETING_CLUSTER ? &cta->peer[0]->cluster : &cta->meeting[of->number];
    if (meeting->phase[phase] != of->phase + 1) {
        clock_clear(&meeting->clock[phase]);
        clock_clear(&meeting->learnt[phase]);
        meeting->has_published[phase] = 0;
        meeting->threads[phase] = 0;
        meeting->phase[phase] = of->phase + 1;
        if (meeting->came != NULL) memset(meeting->came[phase], 0, sizeof meeting->came[phase]);
    }
    if (of->step == MEETING_WAIT) {
        order_acquire(warp, &meeting->clock[phase], edge, line, of->number);
        leave(meeting, phase, warp);
        return;
    }
    come(order, cta, warp, of->kind == MEETING_CLUSTER ? &cta->cluster : meeting, event);
    enter(meeting, phase, warp, of);
    order_tick(cta, warp, edge, line, of->number);
}

// --- Fences ----------------------------------------------------------------------------------------------------------

static void hear_fence(struct clock_order *order, const struct event *event)
{
    struct order_cta *cta;
    struct order_warp *warp = order_warp_of(order, event->origin, &cta);
    if (warp == NULL) return;
    if (event->fence.kind != FENCE_BARRIER_INIT)
        order_lanes_release(order, cta, warp, event->origin,
                            event->fence.kind == FENCE_PROXY ? ORDER_LANES_PROXY : ORDER_LANES_RELEASE);
    if (event->fence.kind == FENCE_PROXY) {
        order_fence_proxy(cta, warp, event);
        return;
    }
    order_lanes_fence(order, warp);
    if (event->fence.kind == FENCE_BARRIER_INIT)
        order_release_inits(cta, warp);
    else
        order_fence(warp, order_reach_of(event->fence.scope));
    order_tick(cta, warp, ORDER_EDGE_FENCE, event->origin->line, 0);
}

// --- Groups ----------------------------------------------------------------------------------------------------------

static uint32_t bulk_slot(struct order_cta *cta, struct order_warp *warp, uint32_t lane)
{
    if (warp->bulk_slot[lane] == 0) {
        warp->bulk_slot[lane] = (uint16_t)cta->slots;
        cta->slots += 2; // of sources that were read, of all
    }
    return warp->bulk_slot[lane];
}

// 0 without memory.
static bool issue_product(struct order_warp *warp)
{
    if (warp->issued == NULL) warp->issued = calloc(ORDER_PRODUCTS, sizeof *warp->issued);
    if (warp->issued == NULL) return false;
    clock_copy(&warp->issued[++warp->products % ORDER_PRODUCTS], &warp->clock);
    return true;
}

static void hear_product(struct clock_order *order, struct order_cta *cta, struct order_warp *warp,
                         const struct event *event)
{
    const struct event_group *of = &event->group;
    const uint32_t slot = cta->warps + event->origin->warp;
    if (of->step == GROUP_ISSUE) {
        if (!issue_product(warp)) order->is_short = true;
    } else if (of->step == GROUP_COMMIT) {
        warp->group_end[of->group % ORDER_PRODUCTS] = warp->products;
    } else if (of->step == GROUP_WAIT && of->group > 0) {
        clock_raise(&warp->clock, cta->index, slot, warp->group_end[(of->group - 1) % ORDER_PRODUCTS]);
    }
}

// The lanes of a warp commit and wait one by one, and are taken for one.
static void hear_copies(struct order_cta *cta, struct order_warp *warp, const struct event *event)
{
    const struct event_group *of = &event->group;
    const uint32_t slot = 2 * cta->warps + event->origin->warp;
    if (of->step == GROUP_COMMIT) warp->copies_end[of->group % ORDER_PRODUCTS] = warp->copies;
    if (of->step != GROUP_WAIT || of->group == 0) return;
    const uint32_t end = warp->copies_end[(of->group - 1) % ORDER_PRODUCTS];
    clock_raise_generic(&warp->clock, cta->index, slot, end);
    if (order_lanes_before(warp) != NULL) clock_raise_generic(order_lanes_before(warp), cta->index, slot, end);
}

static void hear_bulk(const struct clock_order *order, struct order_cta *cta, struct order_warp *warp,
                      const struct event *event)
{
    const struct event_group *of = &event->group;
    if ((of->step != GROUP_WAIT && of->step != GROUP_WAIT_READ) || event->origin->lanes == 0) return;
    const uint32_t slot = bulk_slot(cta, warp, (uint32_t)__builtin_ctz(event->origin->lanes));
    order_lanes_acquire(order, warp, order->executing);
    clock_raise(&warp->clock, cta->index, slot, of->group);
    if (of->step == GROUP_WAIT) clock_raise(&warp->clock, cta->index, slot + 1, of->group);
}

static void hear_group(struct clock_order *order, const struct event *event)
{
    struct order_cta *cta;
    struct order_warp *warp = order_warp_of(order, event->origin, &cta);
    if (warp == NULL) return;
    if (event->group.kind == ASYNC_WGMMA) hear_product(order, cta, warp, event);
    if (event->group.kind == ASYNC_COPY) hear_copies(cta, warp, event);
    if (event->group.kind == ASYNC_BULK) hear_bulk(order, cta, warp, event);
}

// --- Operations ------------------------------------------------------------------------------------------------------

// One that completes on mbarriers: it has an actor for each of its targets. Its complete_tx tells nothing of what its
// issuer wrote before.
static void issue_on_barriers(struct clock_order *order, const struct order_issue *issue, struct order_actor actor,
                              struct order_warp *warp, const struct event *event)
{
    for (EACH_BIT(rank, issue->targets)) {
        actor.rank = rank;
        struct order_cta *home = order_peer(order, event->origin, actor.rank);
        struct order_barrier *barrier = home != NULL ? order_barrier_of(order, home, issue->barrier) : NULL;
        if (barrier == NULL || order_operation_find(order, actor.number, actor.operation, actor.rank) != 0) continue;
        order_check_init(order, home, barrier, event, warp);
        actor.slot_cta = home->index;
        actor.slot = actor.read_slot = barrier->slot;
        clock_join_seen(&barrier->pending, &warp->clock);
        order_operation_new(order, actor);
    }
}

// Where one completes that is in a group of its thread.
static void set_group(struct order_actor *actor, const struct order_issue *issue, struct order_cta *cta,
                      struct order_warp *warp, uint32_t lanes)
{
    if (issue->async == ASYNC_COPY) {
        actor->slot = actor->read_slot = 2 * cta->warps + actor->warp;
        actor->time = ++warp->copies;
    } else if (issue->async == ASYNC_BULK) {
        actor->read_slot = bulk_slot(cta, warp, lanes != 0 ? (uint32_t)__builtin_ctz(lanes) : 0);
        actor->slot = actor->read_slot + 1;
        actor->time = issue->group + 1;
    }
}

void clock_order_issue(struct clock_order *order, const struct event_origin *who, const struct order_issue *issue)
{
    struct order_cta *cta;
    struct order_warp *warp = order_warp_of(order, who, &cta);
    const struct event event = {.origin = who};
    order_flush(order);
    if (order->between != NULL) order_apart_end(order->apart); // it may access shared memory
    if (warp == NULL || order->is_short) return;
    struct order_actor actor = {.kind = ORDER_OPERATION,
                                .async = issue->async,
                                .cta = cta->index,
                                .cluster = cta->peer[0]->index,
                                .warp = who->warp,
                                .number = who->cta,
                                .operation = who->operation,
                                .rank = who->rank,
                                .slot_cta = cta->index,
                                .issued = warp->now,
                                .barrier = issue->barrier};
    if (issue->barrier != UINT32_MAX) {
        issue_on_barriers(order, issue, actor, warp, &event);
        order_tick(cta, warp, ORDER_EDGE_ISSUE, who->line, 0);
    } else {
        set_group(&actor, issue, cta, warp, who->lanes);
        order_operation_new(order, actor);
    }
    order_lanes_release(order, cta, warp, who, ORDER_LANES_RELEASE);
}

void clock_order_copies_arrive(struct clock_order *order, const struct event_origin *who, uint32_t barrier)
{
    struct order_cta *cta;
    struct order_warp *warp = order_warp_of(order, who, &cta);
    struct order_barrier *at = warp != NULL ? order_barrier_of(order, cta, barrier) : NULL;
    const struct event event = {.origin = who};
    order_flush(order);
    if (at == NULL) return;
    order_lanes_release(order, cta, warp, who, ORDER_LANES_RELEASE);
    order_check_init(order, cta, at, &event, warp);
    clock_join_seen(&at->pending, &warp->clock);
    clock_raise_generic(&at->pending, cta->index, 2 * cta->warps + who->warp, warp->copies);
    order_tick(cta, warp, ORDER_EDGE_MBARRIER, who->line, barrier);
}

// Its number is the same for the four warps: each has issued as many before.
void clock_order_product(struct clock_order *order, const struct event_origin *who)
{
    struct order_cta *cta;
    struct order_warp *warp = order_warp_of(order, who, &cta);
    if (warp == NULL || order->is_short) return;
    const struct order_actor actor = {.kind = ORDER_PRODUCT,
                                      .cta = cta->index,
                                      .warp = who->warp / 4 * 4,
                                      .number = who->cta,
                                      .operation = who->operation,
                                      .rank = who->rank,
                                      .time = warp->products,
                                      .barrier = UINT32_MAX};
    order_operation_new(order, actor);
}

static void access_of_product(struct clock_order *order, struct order_cta *cta, const struct order_actor *product,
                              const struct event *event)
{
    const uint32_t first = product->warp, time = product->time;
    static const struct clock nothing;
    if (first + 4 > cta->warps) return;
    for (uint32_t w = 0; w < 4; w++) {
        const struct clock *issued = cta->warp[first + w].issued;
        order->by[w] = issued != NULL ? &issued[time % ORDER_PRODUCTS] : &nothing;
    }
    order->bys = 4;
    order->met = NULL;
    order_access(order, event, cta->product_actor[first / 4], time);
}

static void judge_by(struct clock_order *order, struct order_warp *warp, uint32_t lanes)
{
    order->by[0] = &warp->clock;
    order->bys = 1;
    order->met = NULL;
    if (order->live != 0) order_lanes_judge(order, warp, lanes);
}

// What is written belongs to the operation for that CTA, whose mbarrier tells of it.
void clock_order_access(struct clock_order *order, const struct event *event)
{
    const struct event_origin *who = event->origin;
    const struct access *access = &event->access;
    const uint32_t rank = access->space == SPACE_SHARED && access->kind != ACCESS_READ ? access->rank : UINT32_MAX;
    struct order_cta *cta;
    struct order_warp *warp = order_warp_of(order, who, &cta);
    uint32_t actor = order_operation_find(order, who->cta, who->operation, rank);
    if (actor == 0) actor = order_operation_find(order, who->cta, who->operation, UINT32_MAX);
    if (warp == NULL || actor == 0) return;
    judge_by(order, warp, who->lanes);
    order_access(order, event, actor, 1);
}

// --- Accesses of threads ---------------------------------------------------------------------------------------------

static void judge_access(struct clock_order *order, const struct event *event)
{
    struct order_cta *cta;
    struct order_warp *warp = order_warp_of(order, event->origin, &cta);
    if (warp == NULL) return;
    judge_by(order, warp, event->origin->lanes);
    order_access(order, event, warp->actor, warp->now);
    const bool is_noted = event->access.order == ORDER_WEAK || event->access.kind == ACCESS_REDUCE;
    if (order->live != 0 && is_noted) order_lanes_note(order, warp, event);
}

static void order_flush(struct clock_order *order)
{
    if (!order->has_access) return;
    order->has_access = false;
    order->access.origin = &order->access_origin;
    order->access_origin.lanes = order->lanes;
    judge_access(order, &order->access);
}

void clock_order_settle(struct clock_order *order)
{
    if (!order->is_short) order_flush(order);
}

// Does it go on where the one that waits ends, in the same instruction?
static bool goes_on(const struct clock_order *order, const struct event *event)
{
    const struct event_origin *one = &order->access_origin, *other = event->origin;
    const struct access *a = &order->access.access, *b = &event->access;
    return order->has_access && one->cta == other->cta && one->warp == other->warp && one->line == other->line &&
           one->lanes < other->lanes && a->kind == b->kind && a->space == b->space && a->rank == b->rank &&
           a->order == b->order && b->address >= a->address && b->address <= a->address + a->bytes;
}

static __attribute__((noinline)) void hear_access(struct clock_order *order, const struct event *event)
{
    struct order_cta *cta;
    if (event->origin->operation != 0) {
        const uint32_t actor = order_operation_find(order, event->origin->cta, event->origin->operation, UINT32_MAX);
        order_flush(order);
        if (actor == 0 || order->actor[actor].kind != ORDER_PRODUCT) return;
        if (order_warp_of(order, event->origin, &cta) == NULL) return;
        access_of_product(order, cta, &order->actor[actor], event);
        return;
    }
    if (goes_on(order, event)) {
        struct access *access = &order->access.access;
        const uint64_t end = event->access.address + event->access.bytes;
        order->is_uneven |= access->address + access->bytes != event->access.address || access->each != 0 ||
                            event->access.bytes != order->each;
        order->lanes |= event->origin->lanes;
        if (end > access->address + access->bytes) access->bytes = end - access->address;
    } else {
        order_flush(order);
        order->has_access = true;
        order->access = *event;
        order->access_origin = *event->origin;
        order->lanes = event->origin->lanes;
        order->each = event->access.each != 0 ? event->access.each : event->access.bytes;
        order->is_uneven = event->access.each == 0 && (order->lanes & (order->lanes - 1)) != 0;
    }
    if (event->access.space == SPACE_GLOBAL) order_global_meet(order, &event->access);
    if (event->access.order == ORDER_WEAK) return;
    order_flush(order);
    struct order_warp *warp = order_warp_of(order, event->origin, &cta);
    if (warp != NULL) order_by_memory(order, event, cta, warp);
}

// --- Events ----------------------------------------------------------------------------------------------------------

static void hear_run(struct clock_order *order, const struct event *event)
{
    struct order_cta *cta = order_cta_of(order, event->origin->cta);
    if (cta == NULL) return;
    if (event->run == RUN_CTA_EXIT) {
        order_exit(order, cta);
        return;
    }
    struct order_warp *warp = order_warp_of(order, event->origin, &cta);
    if (event->run == RUN_WAIT_FOR_GRIDS && warp != NULL) order_grid_wait(order, warp);
    if (event->run == RUN_SET_REGISTERS && warp != NULL) order_set_registers(order, cta, warp, event);
}

static __attribute__((noinline)) void hear_other(struct clock_order *order, const struct event *event)
{
    order_flush(order);
    if (event->kind == EVENT_MEETING) hear_meeting(order, event);
    if (event->kind == EVENT_BARRIER) order_hear_barrier(order, event);
    if (event->kind == EVENT_FENCE) hear_fence(order, event);
    if (event->kind == EVENT_GROUP) hear_group(order, event);
    if (event->kind == EVENT_RUN) hear_run(order, event);
}

void clock_order_hear(struct clock_order *order, const struct event *event)
{
    if (order->is_short) return;
    if (order->between != NULL)
        order_between_hear(order, event);
    else if (event->kind != EVENT_ACCESS)
        hear_other(order, event);
    else
        hear_access(order, event);
}
