// SPDX-License-Identifier: MIT
// mbarriers: what their arrivals release, what waits acquire, and which uses are no right ones.
#include "clock_order.h"

#include <string.h>

static void tell_barrier(struct clock_order *order, enum order_finding kind, const struct order_cta *home,
                         const struct order_barrier *barrier, const struct event *event, uint32_t actor)
{
    const uint32_t lanes = event->origin->lanes;
    const struct shadow_entry use = {
        .actor = actor, .line = event->origin->line, .lane = (uint8_t)(lanes != 0 ? __builtin_ctz(lanes) : 0)};
    const struct shadow_entry init = {
        .actor = barrier->init_actor, .time = barrier->init_time, .line = barrier->init_line};
    const struct order_found found = {kind, ORDER_NOT_PARTED, SPACE_SHARED, home, barrier->address, 0xff, init, use};
    order->found(order->context, &found);
}

// The init is a write. A fence.mbarrier_init releases it to relaxed arrives at the barrier of the cluster.
static bool knows_init(const struct order_barrier *barrier, struct clock_time time)
{
    return (barrier->is_init_released ? time.seen : time.written) >= barrier->init_time;
}

// A use that nothing orders behind the inval: it may also come before it.
static void tell_inval(struct clock_order *order, const struct order_cta *home, const struct order_barrier *barrier,
                       const struct event *event, const struct order_warp *warp)
{
    const uint32_t lanes = event->origin->lanes;
    const struct shadow_entry use = {
        .actor = warp->actor, .line = event->origin->line, .lane = (uint8_t)(lanes != 0 ? __builtin_ctz(lanes) : 0)};
    const struct order_found found = {ORDER_INVAL, ORDER_NOT_PARTED, SPACE_SHARED, home, barrier->address, 0xff,
                                      use,         barrier->inval};
    order->found(order->context, &found);
}

static bool knows_inval(const struct clock_order *order, const struct order_barrier *barrier,
                        const struct order_warp *warp)
{
    const struct order_actor *actor = &order->actor[barrier->inval.actor];
    return clock_time(&warp->clock, actor->cta, actor->warp).seen >= barrier->inval.time;
}

// Is it used by lanes of the warp that made the init which have not met the one that did?
static bool has_not_met(const struct clock_order *order, const struct order_barrier *barrier, const struct event *event,
                        const struct order_warp *warp)
{
    return order->live != 0 && barrier->init_actor == warp->actor && barrier->init_meetings == warp->meetings &&
           (event->origin->lanes & ~barrier->init_lanes) != 0;
}

static void tell_parted_init(struct clock_order *order, const struct order_cta *home,
                             const struct order_barrier *barrier, const struct event *event, uint32_t actor)
{
    const bool are_together = ((event->origin->lanes | order->executing) & barrier->init_lanes) != 0;
    const uint32_t other = event->origin->lanes & ~barrier->init_lanes;
    const struct order_found found = {
        .kind = ORDER_UNORDERED_INIT,
        .parted = are_together ? ORDER_TOGETHER : ORDER_PARTED,
        .space = SPACE_SHARED,
        .cta = home,
        .address = barrier->address,
        .mask = 0xff,
        .older = {.actor = barrier->init_actor, .time = barrier->init_time, .line = barrier->init_line},
        .newer = {.actor = actor, .line = event->origin->line, .lane = (uint8_t)__builtin_ctz(other)}};
    order->found(order->context, &found);
}

// Is the init ordered before this use?
void order_check_init(struct clock_order *order, const struct order_cta *home, struct order_barrier *barrier,
                      const struct event *event, const struct order_warp *warp)
{
    const struct order_actor *actor = &order->actor[barrier->init_actor];
    if (!barrier->is_live && barrier->inval.line != 0 && !knows_inval(order, barrier, warp))
        tell_inval(order, home, barrier, event, warp);
    else if (!barrier->is_live)
        tell_barrier(order, ORDER_UNINITIALISED, home, barrier, event, warp->actor);
    else if (!knows_init(barrier, clock_time(&warp->clock, actor->cta, actor->warp)))
        tell_barrier(order, ORDER_UNORDERED_INIT, home, barrier, event, warp->actor);
    else if (has_not_met(order, barrier, event, warp))
        tell_parted_init(order, home, barrier, event, warp->actor);
}

static void hear_init(struct clock_order *order, struct order_cta *home, struct order_barrier *barrier,
                      const struct order_warp *warp, const struct event *event)
{
    if (barrier->is_live) tell_barrier(order, ORDER_AGAIN, home, barrier, event, warp->actor);
    barrier->is_live = true;
    barrier->inval.line = 0;
    barrier->init_actor = warp->actor;
    barrier->init_time = warp->now;
    barrier->init_line = event->origin->line;
    barrier->init_lanes = order->executing;
    barrier->init_meetings = warp->meetings;
    barrier->is_init_released = false;
    order_note_init(order, home, barrier->address);
    barrier->arrival = (struct shadow_entry){.actor = 0};
    barrier->arrivals[0] = barrier->arrivals[1] = 0;
    barrier->expected = barrier->brought = 0;
    barrier->brought_actor = 0;
    barrier->has_brought = false;
    clock_clear(&barrier->pending);
    clock_clear(&barrier->done);
    clock_clear(&barrier->pending_far);
    clock_clear(&barrier->far);
}

// The end of an operation, or of cp.async.mbarrier.arrive, whose clock was given at its issue.
static void hear_end(struct clock_order *order, struct order_barrier *barrier, const struct event *event)
{
    const struct event_origin *who = event->origin;
    const uint32_t actor = order_operation_find(order, who->cta, who->operation, event->barrier.rank);
    if (actor == 0) return;
    order->actor[actor].time = barrier->phases + 1;
}

// An arrive of another CTA releases what was written only if it reaches the cluster; that reads are over is known.
static void arrive(struct order_barrier *barrier, bool is_far, const struct order_warp *warp,
                   const struct event_barrier *of)
{
    const enum order_reach reach = order_reach_of(of->scope);
    const bool is_relaxed = of->order == ORDER_RELAXED;
    struct clock *to = is_far ? &barrier->pending_far : &barrier->pending;
    clock_join_seen(&barrier->pending, &warp->clock);
    if (is_far && reach == ORDER_REACH_CTA) return;
    if (is_relaxed)
        order_release_relaxed(to, warp, is_far ? ORDER_REACH_CLUSTER : ORDER_REACH_CTA);
    else
        clock_join(to, &warp->clock);
}

static void wait_for(struct order_barrier *barrier, struct order_warp *warp, const struct event *event)
{
    const struct event_barrier *of = &event->barrier;
    const bool acquires = of->order != ORDER_RELAXED;
    if (acquires)
        order_acquire(warp, &barrier->done, ORDER_EDGE_MBARRIER, event->origin->line, barrier->address);
    else
        clock_join(&warp->learnt[ORDER_REACH_CTA], &barrier->done);
    clock_join(acquires && order_reach_of(of->scope) != ORDER_REACH_CTA ? &warp->clock
                                                                        : &warp->learnt[ORDER_REACH_CLUSTER],
               &barrier->far);
}

// Did the instruction of each arrival of the last phase begin before the newcomer? Then the phase is over for it.
static bool knows_arrivals(const struct order_barrier *barrier, const struct order_warp *warp)
{
    if (barrier->arrivals[1] > ORDER_ARRIVALS) return false;
    for (uint32_t i = 0; i < barrier->arrivals[1]; i++) {
        const struct order_arrival *came = &barrier->came[1][i];
        if (clock_time(&warp->clock, came->cta, came->slot).seen < came->time) return false;
    }
    return barrier->arrivals[1] > 0;
}

static void note_arrival(struct clock_order *order, const struct order_cta *cta, struct order_barrier *barrier,
                         struct order_warp *warp, uint32_t line)
{
    const uint32_t number = barrier->arrivals[0]++;
    if (warp->arriving != order->instruction) warp->arrived = warp->now;
    warp->arriving = order->instruction;
    if (number < ORDER_ARRIVALS)
        barrier->came[0][number] =
            (struct order_arrival){cta->index, (uint32_t)(warp - cta->warp), warp->arrived, warp->actor, line};
}

// Does the warp know that the phases before are over? If not, it may arrive in one of them.
static void check_arrival(struct clock_order *order, const struct order_cta *cta, const struct order_cta *home,
                          struct order_barrier *barrier, struct order_warp *warp, const struct event *event)
{
    const uint32_t lanes = event->origin->lanes;
    const struct shadow_entry arrival = {.actor = warp->actor,
                                         .time = warp->now,
                                         .line = event->origin->line,
                                         .lane = (uint8_t)(lanes != 0 ? __builtin_ctz(lanes) : 0)};
    const struct order_found found = {ORDER_OVER_ARRIVAL, ORDER_NOT_PARTED, SPACE_SHARED, home, barrier->address, 0xff,
                                      barrier->arrival,   arrival};
    if (clock_time(&warp->clock, home->index, barrier->slot).seen < barrier->phases && barrier->arrival.actor != 0 &&
        !knows_arrivals(barrier, warp))
        order->found(order->context, &found);
    barrier->arrival = arrival;
    note_arrival(order, cta, barrier, warp, event->origin->line);
}

static void hear_transaction(struct clock_order *order, struct order_cta *cta, struct order_cta *home,
                             struct order_barrier *barrier, struct order_warp *warp, const struct event *event)
{
    const struct event_barrier *of = &event->barrier;
    barrier->expected += of->transaction.expect_bytes;
    if (barrier->is_behind && barrier->expected >= barrier->brought) barrier->brought_actor = 0;
    if (event->origin->operation != 0) {
        hear_end(order, barrier, event);
    } else {
        barrier->brought += of->transaction.complete_bytes;
        if (of->transaction.arrivals != 0) {
            order_lanes_release(order, cta, warp, event->origin,
                                of->transaction.expect_bytes > 0 ? ORDER_LANES_EXPECT : ORDER_LANES_RELEASE);
            check_arrival(order, cta, home, barrier, warp, event);
            arrive(barrier, cta != home, warp, of);
            order_tick(cta, warp, ORDER_EDGE_MBARRIER, event->origin->line, barrier->address);
        }
    }
    if (!of->completes) return;
    const uint32_t arrivals = barrier->arrivals[0];
    memcpy(barrier->came[1], barrier->came[0],
           (arrivals < ORDER_ARRIVALS ? arrivals : ORDER_ARRIVALS) * sizeof barrier->came[0][0]);
    barrier->arrivals[1] = arrivals;
    barrier->arrivals[0] = 0;
    clock_raise(&barrier->pending, home->index, barrier->slot, ++barrier->phases);
    clock_copy(&barrier->done, &barrier->pending);
    clock_copy(&barrier->far, &barrier->pending_far);
}

static void note_use(struct order_barrier *barrier, const struct order_cta *cta, const struct order_warp *warp,
                     uint32_t line)
{
    barrier->used[warp - cta->warp] = (struct order_came){warp->now, line, 0};
}

// Does the warp know that the others of its CTA do not use it any more?
static void hear_inval(struct clock_order *order, const struct order_cta *home, struct order_barrier *barrier,
                       const struct order_warp *warp, const struct event *event)
{
    struct order_found found = {.kind = ORDER_INVAL,
                                .space = SPACE_SHARED,
                                .cta = home,
                                .address = barrier->address,
                                .mask = 0xff,
                                .newer = {.actor = warp->actor, .line = event->origin->line}};
    if (!barrier->is_live && barrier->inval.line == 0)
        tell_barrier(order, ORDER_UNINITIALISED, home, barrier, event, warp->actor);
    barrier->is_live = false;
    found.newer.time = warp->now;
    if (event->origin->lanes != 0) found.newer.lane = (uint8_t)__builtin_ctz(event->origin->lanes);
    for (uint32_t w = 0; w < home->warps && w < ORDER_MOST_WARPS; w++) {
        const struct order_came *use = &barrier->used[w];
        if (use->line == 0 || &home->warp[w] == warp || clock_time(&warp->clock, home->index, w).seen >= use->time)
            continue;
        found.older = (struct shadow_entry){.actor = home->warp[w].actor, .time = use->time, .line = use->line};
        order->found(order->context, &found);
        break;
    }
    memset(barrier->used, 0, sizeof barrier->used);
    barrier->inval = found.newer;
}

void order_hear_barrier(struct clock_order *order, const struct event *event)
{
    const struct event_barrier *of = &event->barrier;
    struct order_cta *cta, *home = order_peer(order, event->origin, of->rank);
    struct order_warp *warp = order_warp_of(order, event->origin, &cta);
    struct order_barrier *barrier = warp != NULL && home != NULL ? order_barrier_of(order, home, of->address) : NULL;
    if (barrier == NULL || of->step == BARRIER_ERROR) return;
    if (of->step == BARRIER_INIT) {
        hear_init(order, home, barrier, warp, event);
        return;
    }
    if (event->origin->operation == 0 && of->step != BARRIER_INVAL) order_check_init(order, home, barrier, event, warp);
    if (of->step == BARRIER_INVAL) hear_inval(order, home, barrier, warp, event);
    const bool is_of_home = cta == home && event->origin->operation == 0;
    if (is_of_home && of->step == BARRIER_TRANSACTION) note_use(barrier, cta, warp, event->origin->line);
    if (of->step == BARRIER_TRANSACTION) hear_transaction(order, cta, home, barrier, warp, event);
    if (of->step == BARRIER_WAIT) order_lanes_acquire(order, warp, event->origin->lanes);
    if (of->step == BARRIER_WAIT) wait_for(barrier, warp, event);
    if (is_of_home && of->step == BARRIER_WAIT) note_use(barrier, cta, warp, event->origin->line);
}

static void check_word(struct clock_order *order, const struct order_cta *home, uint32_t address,
                       const struct shadow_entry *by)
{
    for (const struct order_barrier *barrier = home->barrier[address / 8 % ORDER_BARRIER_SLOTS]; barrier != NULL;
         barrier = barrier->next) {
        if (barrier->address != address || !barrier->is_live) continue;
        const struct shadow_entry init = {
            .actor = barrier->init_actor, .time = barrier->init_time, .line = barrier->init_line};
        const struct order_found found = {
            ORDER_BARRIER_WRITTEN, ORDER_NOT_PARTED, SPACE_SHARED, home, address, 0xff, init, *by};
        order->found(order->context, &found);
    }
}

void clock_order_brings(struct clock_order *order, const struct event_origin *who, uint32_t rank, uint64_t bytes)
{
    const uint32_t actor = order_operation_find(order, who->cta, who->operation, rank);
    struct order_cta *home = order_peer(order, who, rank);
    if (actor == 0 || home == NULL || order->actor[actor].barrier == UINT32_MAX) return;
    struct order_barrier *barrier = order_barrier_of(order, home, order->actor[actor].barrier);
    if (barrier == NULL) return;
    if (!barrier->has_brought) barrier->is_behind = barrier->expected <= barrier->brought;
    barrier->has_brought = true;
    barrier->brought += bytes;
    if (barrier->brought <= barrier->expected) barrier->brought_actor = 0;
    if (barrier->brought <= barrier->expected || barrier->brought_actor != 0) return;
    barrier->brought_actor = actor;
    barrier->brought_line = who->line;
}

void order_check_written(struct clock_order *order, const struct order_cta *home, const struct access *access,
                         const struct shadow_entry *by)
{
    const uint64_t end = access->address + access->bytes;
    uint64_t at = access->address / 8 * 8;
    if (access->address >= home->barriers_end || end <= home->barriers_begin) return;
    if (at < home->barriers_begin) at = home->barriers_begin;
    for (; at < end && at < home->barriers_end; at += 8) check_word(order, home, (uint32_t)at, by);
}

void order_release_inits(struct order_cta *cta, const struct order_warp *warp)
{
    for (int i = 0; i < ORDER_BARRIER_SLOTS; i++)
        for (struct order_barrier *barrier = cta->barrier[i]; barrier != NULL; barrier = barrier->next)
            barrier->is_init_released |= barrier->init_actor == warp->actor;
}
