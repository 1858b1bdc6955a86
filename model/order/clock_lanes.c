// SPDX-License-Identifier: MIT
// Lanes of one warp that have not met (bar.warp.sync, or another instruction of all of them). The clocks take a warp
// for one thread: here a release does not cover what other lanes did since they met, and an acquire tells other lanes
// nothing. What a release does not cover is made to stand behind it: its entry gets the warp's next time.
#include <stdlib.h>
#include <string.h>

#include "each.h"

#include "clock_order.h"

// An access since the lanes met. lanes: in the order of their bytes; left: those that have not released it; together:
// those of its instruction; met: that have met one of `left` since. is_even: access.each says which bytes a lane has
// MOST_ATOMICS: an atomic has an access for each lane, and does not push out others.
enum { DONE = 64, MOST_MOVES = 8, MOST_ATOMICS = DONE / 2 };
struct done {
    struct access access;
    uint32_t line, lanes, left, together, met, time, moves;
    bool is_even;
};

// count: of all accesses since the lanes met, the latest of which are kept. waited: lanes that have acquired something
// since they met; stepped: those that have stepped with one since; heard: those that have read by a relaxed access what
// was released, and not fenced since; before: what the warp knew before
struct order_lanes {
    uint32_t count, waited, stepped, heard;
    struct done done[DONE];
    struct clock before;
};

static struct order_lanes *lanes_of(struct order_warp *warp)
{
    if (warp->lanes == NULL) warp->lanes = calloc(1, sizeof *warp->lanes);
    return warp->lanes;
}

void order_lanes_free(struct order_warp *warp)
{
    if (warp->lanes != NULL) clock_free(&warp->lanes->before);
    free(warp->lanes);
    warp->lanes = NULL;
}

// --- Meetings --------------------------------------------------------------------------------------------------------

static void meet_some(struct order_lanes *lanes, uint32_t met)
{
    for (uint32_t i = 0; i < lanes->count && i < DONE; i++)
        if (lanes->done[i].left & met) lanes->done[i].met |= met;
    if (lanes->waited & met) lanes->waited |= met;
}

void clock_order_meet(struct clock_order *order, uint64_t number, uint32_t index, uint32_t met)
{
    struct order_cta *cta = order_cta_of(order, number);
    if (cta == NULL || cta->warp == NULL || index >= cta->warps) return;
    struct order_lanes *lanes = cta->warp[index].lanes;
    cta->warp[index].meetings++;
    if (lanes == NULL) return;
    if ((order->live & ~met) != 0) {
        meet_some(lanes, met);
        return;
    }
    lanes->count = lanes->waited = lanes->stepped = 0;
    order_lanes_settle(cta, &cta->warp[index]);
}

void clock_order_step(struct clock_order *order, uint64_t number, uint32_t index, uint32_t by)
{
    struct order_cta *cta = order_cta_of(order, number);
    struct order_lanes *lanes = cta != NULL && cta->warp != NULL && index < cta->warps ? cta->warp[index].lanes : NULL;
    if (lanes == NULL) return;
    for (uint32_t i = 0; i < lanes->count && i < DONE; i++)
        if (lanes->done[i].together & by) lanes->done[i].together |= by;
    if ((lanes->waited | lanes->stepped) & by) lanes->stepped |= by;
}

// --- Accesses and releases -------------------------------------------------------------------------------------------

void order_lanes_note(struct clock_order *order, struct order_warp *warp, const struct event *event)
{
    struct order_lanes *lanes = lanes_of(warp);
    if (lanes == NULL || (event->access.order != ORDER_WEAK && lanes->count >= MOST_ATOMICS)) return;
    lanes->done[lanes->count++ % DONE] = (struct done){.access = event->access,
                                                       .line = event->origin->line,
                                                       .lanes = event->origin->lanes,
                                                       .left = event->origin->lanes,
                                                       .together = order->executing | event->origin->lanes,
                                                       .time = warp->now,
                                                       .is_even = !order->is_uneven};
    lanes->done[(lanes->count - 1) % DONE].access.each = order->each;
}

static enum order_parted parted_of(const struct order_warp *warp, const struct done *done, uint32_t by)
{
    if (!(done->together & by)) return ORDER_PARTED;
    return warp->fenced[done->access.space] >= done->time ? ORDER_FENCED : ORDER_TOGETHER;
}

// The bytes of the lanes of `some`, which follow each other among those of the access.
static void repeat_run(struct clock_order *order, struct order_warp *warp, const struct done *done,
                       const struct event_origin *who, uint32_t some)
{
    struct event_origin origin = *who;
    struct event event = {.kind = EVENT_ACCESS, .origin = &origin, .access = done->access};
    const uint32_t first = some & -some;
    origin.lanes = some;
    origin.line = done->line;
    if (done->access.each < done->access.bytes) {
        event.access.address += done->access.each * (uint32_t)__builtin_popcount(done->lanes & (first - 1));
        event.access.bytes = done->access.each * (uint32_t)__builtin_popcount(some);
    }
    order->repeats = parted_of(warp, done, order->executing);
    order->by[0] = &warp->clock;
    order->bys = 1;
    order_access(order, &event, warp->actor, warp->now + 1);
    order->repeats = ORDER_NOT_PARTED;
}

static void repeat(struct clock_order *order, struct order_warp *warp, const struct done *done,
                   const struct event_origin *who, uint32_t left)
{
    uint32_t run = 0;
    if (done->access.order != ORDER_WEAK && parted_of(warp, done, order->executing) == ORDER_PARTED) return;
    warp->is_ahead = true;
    if (done->access.each >= done->access.bytes) {
        repeat_run(order, warp, done, who, left);
        return;
    }
    for (EACH_BIT(lane, done->lanes)) {
        const uint32_t bit = 1u << lane;
        if (!(left & bit) && run != 0) repeat_run(order, warp, done, who, run);
        run = left & bit ? run | bit : 0;
    }
    if (run != 0) repeat_run(order, warp, done, who, run);
}

// Which lanes' parts the release covers: those that release, and those that they met.
static uint32_t covered(const struct done *done, uint32_t by)
{
    if (!done->is_even && (done->lanes & by)) return done->lanes;
    return by | (done->met & by ? done->met : 0);
}

void order_lanes_settle(struct order_cta *cta, struct order_warp *warp)
{
    if (warp->is_ahead) order_tick(cta, warp, ORDER_EDGE_ISSUE, 0, 0);
}

// Has it been made to stand behind a release as often as it is followed? One that a lane which releases took part in
// once: the release that is meant is most often the next.
static bool is_done(struct done *done, uint32_t by)
{
    const uint32_t most = done->together & by ? 1 : MOST_MOVES;
    return done->left == 0 || ++done->moves > most;
}

void order_lanes_release(struct clock_order *order, struct order_cta *cta, struct order_warp *warp,
                         const struct event_origin *who, enum order_lanes_by by)
{
    struct order_lanes *lanes = warp->lanes;
    if (lanes == NULL || order->live == 0) return;
    order_lanes_settle(cta, warp);
    const uint32_t count = lanes->count < DONE ? lanes->count : DONE;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct done done = lanes->done[i];
        const uint32_t left = done.left & ~covered(&done, order->executing);
        const bool stays = by == ORDER_LANES_EXPECT && (done.together & order->executing) && left != 0;
        if (by != ORDER_LANES_PROXY && !stays) done.left = left;
        if (by != ORDER_LANES_PROXY && !stays && is_done(&done, order->executing)) continue;
        if (left != 0 && !stays) repeat(order, warp, &done, who, left);
        lanes->done[kept++] = done;
    }
    lanes->count = kept;
}

// --- Acquires --------------------------------------------------------------------------------------------------------

void order_lanes_acquire(const struct clock_order *order, struct order_warp *warp, uint32_t by)
{
    struct order_lanes *lanes = order->live != 0 ? lanes_of(warp) : NULL;
    if (lanes == NULL) return;
    if (lanes->waited == 0 && (order->live & ~by) != 0) clock_copy(&lanes->before, &warp->clock);
    lanes->waited |= by;
    if ((order->live & ~lanes->waited) == 0) lanes->waited = lanes->stepped = 0;
}

// What lanes of several have heard is acquired at one's fence, which may be another's.
void order_lanes_hear(struct order_warp *warp, uint32_t by)
{
    struct order_lanes *lanes = lanes_of(warp);
    if (lanes != NULL) lanes->heard |= by;
}

void order_lanes_fence(const struct clock_order *order, struct order_warp *warp)
{
    const uint32_t by = warp->lanes != NULL ? warp->lanes->heard & order->executing : 0;
    if (by == 0) return;
    warp->lanes->heard &= ~by;
    order_lanes_acquire(order, warp, by);
}

struct clock *order_lanes_before(struct order_warp *warp)
{
    return warp->lanes != NULL && warp->lanes->waited != 0 ? &warp->lanes->before : NULL;
}

void order_lanes_judge(struct clock_order *order, struct order_warp *warp, uint32_t by)
{
    const struct clock *before = order_lanes_before(warp);
    if (before == NULL || (by & ~warp->lanes->waited) == 0) return;
    order->met = &warp->clock;
    order->by[0] = before;
    const uint32_t in_step = warp->lanes->waited | warp->lanes->stepped;
    order->parted = (by | order->executing) & in_step ? ORDER_TOGETHER : ORDER_PARTED;
}
