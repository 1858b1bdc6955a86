// SPDX-License-Identifier: MIT
// From events to clocks: what each releases, and what it acquires.
#include "clock_order.h"

static struct order_warp *warp_of(const struct clock_order *order, const struct event_origin *who,
                                  struct order_cta **cta)
{
    *cta = order_cta_of(order, who->cta);
    return *cta != NULL && (*cta)->warp != NULL && who->warp < (*cta)->warps ? &(*cta)->warp[who->warp] : NULL;
}

static void order_flush(struct clock_order *order); // judges the access that waits

// --- The warp's time -------------------------------------------------------------------------------------------------

static uint32_t now_of(const struct order_cta *cta, const struct order_warp *warp)
{
    return clock_time(&warp->clock, cta->index, (uint32_t)(warp - cta->warp)).seen;
}

// What it does from now on is not part of what it has released up to now.
static void tick(struct order_cta *cta, struct order_warp *warp, enum order_edge edge, uint32_t line, uint32_t number)
{
    struct clock_time *time = clock_at(&warp->clock, cta->index, (uint32_t)(warp - cta->warp));
    if (time == NULL) return;
    warp->release[time->seen % ORDER_NOTES] = (struct order_note){edge, line, time->seen, number};
    time->written = ++time->seen;
}

static void acquire(struct order_warp *warp, const struct clock *from, enum order_edge edge, uint32_t line,
                    uint32_t number)
{
    clock_join(&warp->clock, from);
    warp->acquire = (struct order_note){edge, line, 0, number};
}

// A relaxed arrive says that reads are over, and operations that were waited for; what was written it shows only as far
// as a fence released it.
static void release(struct clock *to, const struct order_warp *warp, enum access_order order)
{
    if (order != ORDER_RELAXED) {
        clock_join(to, &warp->clock);
        return;
    }
    clock_join_seen(to, &warp->clock);
    clock_join(to, &warp->released);
}

// --- Barriers of the CTA and the cluster -----------------------------------------------------------------------------

static void hear_meeting(struct clock_order *order, const struct event *event)
{
    const struct event_meeting *of = &event->meeting;
    const enum order_edge edge = of->kind == MEETING_CLUSTER ? ORDER_EDGE_CLUSTER : ORDER_EDGE_CTA;
    const uint32_t line = event->origin->line;
    struct order_cta *cta;
    struct order_warp *warp = warp_of(order, event->origin, &cta);
    if (warp == NULL || of->kind == MEETING_WARP || of->number >= ORDER_MEETINGS) return;
    struct order_meeting *meeting = of->kind == MEETING_CLUSTER ? &cta->peer[0]->cluster : &cta->meeting[of->number];
    struct clock *clock = &meeting->clock[of->phase & 1];
    if (meeting->phase[of->phase & 1] != of->phase + 1) {
        clock_clear(clock);
        meeting->phase[of->phase & 1] = of->phase + 1;
    }
    if (of->step == MEETING_WAIT) {
        acquire(warp, clock, edge, line, of->number);
        return;
    }
    release(clock, warp, of->order);
    tick(cta, warp, edge, line, of->number);
}

// --- mbarriers -------------------------------------------------------------------------------------------------------

static void tell_barrier(struct clock_order *order, enum order_finding kind, const struct order_cta *home,
                         const struct order_barrier *barrier, const struct event *event, uint32_t actor)
{
    const uint32_t lanes = event->origin->lanes;
    const struct shadow_entry use = {
        .actor = actor, .line = event->origin->line, .lane = (uint8_t)(lanes != 0 ? __builtin_ctz(lanes) : 0)};
    const struct shadow_entry init = {
        .actor = barrier->init_actor, .time = barrier->init_time, .line = barrier->init_line};
    const struct order_found found = {kind, SPACE_SHARED, home, barrier->address, 0xff, init, use};
    order->found(order->context, &found);
}

// Is the init ordered before this use?
static void check_init(struct clock_order *order, const struct order_cta *home, struct order_barrier *barrier,
                       const struct event *event, const struct order_warp *warp)
{
    const struct order_actor *actor = &order->actor[barrier->init_actor];
    if (!barrier->is_live)
        tell_barrier(order, ORDER_UNINITIALISED, home, barrier, event, warp->actor);
    else if (clock_time(&warp->clock, actor->cta, actor->warp).seen < barrier->init_time)
        tell_barrier(order, ORDER_UNORDERED_INIT, home, barrier, event, warp->actor);
}

static void hear_init(struct clock_order *order, const struct order_cta *cta, const struct order_cta *home,
                      struct order_barrier *barrier, const struct order_warp *warp, const struct event *event)
{
    if (barrier->is_live) tell_barrier(order, ORDER_AGAIN, home, barrier, event, warp->actor);
    barrier->is_live = 1;
    barrier->init_actor = warp->actor;
    barrier->init_time = now_of(cta, warp);
    barrier->init_line = event->origin->line;
    barrier->expected = barrier->brought = 0;
    clock_clear(&barrier->pending);
    clock_clear(&barrier->done);
}

// The end of an operation, or of cp.async.mbarrier.arrive, whose clock was given at its issue.
static void hear_end(struct clock_order *order, struct order_barrier *barrier, const struct event *event)
{
    const struct event_origin *who = event->origin;
    const uint32_t actor = order_operation_find(order, who->cta, who->operation, event->barrier.rank);
    if (actor == 0) return;
    order->actor[actor].time = barrier->phases + 1;
    barrier->brought_actor = actor;
    barrier->brought_line = who->line;
}

static void hear_transaction(struct clock_order *order, struct order_cta *cta, struct order_cta *home,
                             struct order_barrier *barrier, struct order_warp *warp, const struct event *event)
{
    const struct event_barrier *of = &event->barrier;
    barrier->expected += of->transaction.expect_bytes;
    barrier->brought += of->transaction.complete_bytes;
    if (event->origin->operation != 0) {
        hear_end(order, barrier, event);
    } else if (of->transaction.arrivals != 0) {
        release(&barrier->pending, warp, of->order);
        tick(cta, warp, ORDER_EDGE_MBARRIER, event->origin->line, barrier->address);
    }
    if (!of->completes) return;
    barrier->expected = barrier->brought = 0;
    clock_raise(&barrier->pending, home->index, barrier->slot, ++barrier->phases);
    clock_copy(&barrier->done, &barrier->pending);
}

static void hear_barrier(struct clock_order *order, const struct event *event)
{
    const struct event_barrier *of = &event->barrier;
    struct order_cta *cta, *home = order_peer(order, event->origin, of->rank);
    struct order_warp *warp = warp_of(order, event->origin, &cta);
    struct order_barrier *barrier = warp != NULL && home != NULL ? order_barrier_of(order, home, of->address) : NULL;
    if (barrier == NULL || of->step == BARRIER_ERROR) return;
    if (of->step == BARRIER_INIT) {
        hear_init(order, cta, home, barrier, warp, event);
        return;
    }
    if (event->origin->operation == 0 && of->step != BARRIER_INVAL) check_init(order, home, barrier, event, warp);
    if (of->step == BARRIER_INVAL) barrier->is_live = 0;
    if (of->step == BARRIER_TRANSACTION) hear_transaction(order, cta, home, barrier, warp, event);
    if (of->step != BARRIER_WAIT) return;
    if (of->order == ORDER_RELAXED)
        clock_join(&warp->learnt, &barrier->done);
    else
        acquire(warp, &barrier->done, ORDER_EDGE_MBARRIER, event->origin->line, barrier->address);
}

// --- Fences ----------------------------------------------------------------------------------------------------------

static void hear_fence(struct clock_order *order, const struct event *event)
{
    const struct event_fence *fence = &event->fence;
    struct order_cta *cta;
    struct order_warp *warp = warp_of(order, event->origin, &cta);
    if (warp == NULL) return;
    if (fence->kind == FENCE_PROXY) {
        if (fence->proxy != PROXY_ASYNC) return;
        clock_fence(&warp->clock, fence->spaces);
        tick(cta, warp, ORDER_EDGE_PROXY, event->origin->line, 0);
        return;
    }
    clock_join(&warp->clock, &warp->learnt);
    clock_clear(&warp->learnt);
    clock_copy(&warp->released, &warp->clock);
    tick(cta, warp, ORDER_EDGE_FENCE, event->origin->line, 0);
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

static void hear_product(struct order_cta *cta, struct order_warp *warp, const struct event *event)
{
    const struct event_group *of = &event->group;
    const uint32_t slot = cta->warps + event->origin->warp;
    if (of->step == GROUP_ISSUE) {
        warp->products++;
        clock_copy(&warp->issued[warp->products % ORDER_PRODUCTS], &warp->clock);
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
    if (of->step == GROUP_WAIT && of->group > 0)
        clock_raise(&warp->clock, cta->index, slot, warp->copies_end[(of->group - 1) % ORDER_PRODUCTS]);
}

static void hear_bulk(struct order_cta *cta, struct order_warp *warp, const struct event *event)
{
    const struct event_group *of = &event->group;
    if ((of->step != GROUP_WAIT && of->step != GROUP_WAIT_READ) || event->origin->lanes == 0) return;
    const uint32_t slot = bulk_slot(cta, warp, (uint32_t)__builtin_ctz(event->origin->lanes));
    clock_raise(&warp->clock, cta->index, slot, of->group);
    if (of->step == GROUP_WAIT) clock_raise(&warp->clock, cta->index, slot + 1, of->group);
}

static void hear_group(struct clock_order *order, const struct event *event)
{
    struct order_cta *cta;
    struct order_warp *warp = warp_of(order, event->origin, &cta);
    if (warp == NULL) return;
    if (event->group.kind == ASYNC_WGMMA) hear_product(cta, warp, event);
    if (event->group.kind == ASYNC_COPY) hear_copies(cta, warp, event);
    if (event->group.kind == ASYNC_BULK) hear_bulk(cta, warp, event);
}

// --- Operations ------------------------------------------------------------------------------------------------------

// One that completes on mbarriers: it has an actor for each of its targets, and its barrier will be released by what
// the issuer is ordered after.
static void issue_on_barriers(struct clock_order *order, const struct order_issue *issue, struct order_actor actor,
                              const struct order_warp *warp, const struct event *event)
{
    for (uint32_t left = issue->targets; left != 0; left &= left - 1) {
        actor.rank = (uint32_t)__builtin_ctz(left);
        struct order_cta *home = order_peer(order, event->origin, actor.rank);
        struct order_barrier *barrier = home != NULL ? order_barrier_of(order, home, issue->barrier) : NULL;
        if (barrier == NULL || order_operation_find(order, actor.number, actor.operation, actor.rank) != 0) continue;
        check_init(order, home, barrier, event, warp);
        actor.slot_cta = home->index;
        actor.slot = actor.read_slot = barrier->slot;
        clock_join(&barrier->pending, &warp->clock);
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
    struct order_warp *warp = warp_of(order, who, &cta);
    const struct event event = {.origin = who};
    order_flush(order);
    if (warp == NULL || order->is_short) return;
    struct order_actor actor = {.kind = ORDER_OPERATION,
                                .async = issue->async,
                                .cta = cta->index,
                                .warp = who->warp,
                                .number = who->cta,
                                .operation = who->operation,
                                .rank = who->rank,
                                .slot_cta = cta->index,
                                .issued = now_of(cta, warp),
                                .barrier = issue->barrier};
    if (issue->barrier != UINT32_MAX) {
        issue_on_barriers(order, issue, actor, warp, &event);
        return;
    }
    set_group(&actor, issue, cta, warp, who->lanes);
    order_operation_new(order, actor);
}

void clock_order_copies_arrive(struct clock_order *order, const struct event_origin *who, uint32_t barrier)
{
    struct order_cta *cta;
    struct order_warp *warp = warp_of(order, who, &cta);
    struct order_barrier *at = warp != NULL ? order_barrier_of(order, cta, barrier) : NULL;
    const struct event event = {.origin = who};
    order_flush(order);
    if (at == NULL) return;
    check_init(order, cta, at, &event, warp);
    clock_join(&at->pending, &warp->clock);
    clock_raise(&at->pending, cta->index, 2 * cta->warps + who->warp, warp->copies);
    tick(cta, warp, ORDER_EDGE_MBARRIER, who->line, barrier);
}

// Its number is the same for the four warps: each has issued as many before.
void clock_order_product(struct clock_order *order, const struct event_origin *who)
{
    struct order_cta *cta;
    struct order_warp *warp = warp_of(order, who, &cta);
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
    if (first + 4 > cta->warps) return;
    for (uint32_t w = 0; w < 4; w++) order->by[w] = &cta->warp[first + w].issued[time % ORDER_PRODUCTS];
    order->bys = 4;
    order_access(order, event, cta->product_actor[first / 4], time);
}

// What is written belongs to the operation for that CTA, whose mbarrier tells of it.
void clock_order_access(struct clock_order *order, const struct event *event)
{
    const struct event_origin *who = event->origin;
    const struct access *access = &event->access;
    const uint32_t rank = access->space == SPACE_SHARED && access->kind != ACCESS_READ ? access->rank : UINT32_MAX;
    struct order_cta *cta;
    struct order_warp *warp = warp_of(order, who, &cta);
    uint32_t actor = order_operation_find(order, who->cta, who->operation, rank);
    if (actor == 0) actor = order_operation_find(order, who->cta, who->operation, UINT32_MAX);
    if (warp == NULL || actor == 0) return;
    order->by[0] = &warp->clock;
    order->bys = 1;
    order_access(order, event, actor, 1);
}

// --- Accesses of threads ---------------------------------------------------------------------------------------------

static int is_acquire(enum access_order order)
{
    return order == ORDER_ACQUIRE || order == ORDER_ACQ_REL || order == ORDER_SC;
}

static int is_release(enum access_order order)
{
    return order == ORDER_RELEASE || order == ORDER_ACQ_REL || order == ORDER_SC;
}

// One that polls hears the same again and again.
static void hear_place(struct order_warp *warp, const struct order_place *place, const struct event *event)
{
    const int acquires = is_acquire(event->access.order);
    if (warp->heard == place && warp->heard_version == place->version && warp->heard_acquires >= acquires) return;
    warp->heard = place;
    warp->heard_version = place->version;
    warp->heard_acquires = acquires;
    if (acquires)
        acquire(warp, &place->clock, ORDER_EDGE_MEMORY, event->origin->line, 0);
    else
        clock_join(&warp->learnt, &place->clock);
}

// A strong access may order its thread after others, and others after it. A reduction goes on with what was released
// before; a write begins anew.
static void order_by_memory(struct clock_order *order, const struct event *event, struct order_cta *cta,
                            struct order_warp *warp)
{
    const struct access *access = &event->access;
    const struct order_cta *home =
        access->space == SPACE_SHARED ? order_peer(order, event->origin, access->rank) : NULL;
    const struct clock *gives = is_release(access->order) ? &warp->clock : &warp->released;
    const int writes = access->kind != ACCESS_READ, makes = writes && gives->parts != 0;
    struct order_place *place =
        order_place_of(order, access->space, home != NULL ? home->index : 0, access->address, makes);
    if (place == NULL) return;
    if (access->kind != ACCESS_WRITE) hear_place(warp, place, event);
    if (access->kind == ACCESS_WRITE) clock_clear(&place->clock);
    if (!writes) return;
    place->version++;
    clock_join(&place->clock, gives);
    if (is_release(access->order)) tick(cta, warp, ORDER_EDGE_MEMORY, event->origin->line, 0);
}

static void judge_access(struct clock_order *order, const struct event *event)
{
    struct order_cta *cta;
    struct order_warp *warp = warp_of(order, event->origin, &cta);
    if (warp == NULL) return;
    order->by[0] = &warp->clock;
    order->bys = 1;
    order_access(order, event, warp->actor, now_of(cta, warp));
}

static void order_flush(struct clock_order *order)
{
    if (!order->has_access) return;
    order->has_access = 0;
    order->access.origin = &order->access_origin;
    judge_access(order, &order->access);
}

// Does it go on where the one that waits ends, in the same instruction?
static int goes_on(const struct clock_order *order, const struct event *event)
{
    const struct event_origin *one = &order->access_origin, *other = event->origin;
    const struct access *a = &order->access.access, *b = &event->access;
    return order->has_access && one->cta == other->cta && one->warp == other->warp && one->line == other->line &&
           one->lanes < other->lanes && a->kind == b->kind && a->space == b->space && a->rank == b->rank &&
           a->order == b->order && b->address >= a->address && b->address <= a->address + a->bytes;
}

static void hear_access(struct clock_order *order, const struct event *event)
{
    struct order_cta *cta;
    if (event->origin->operation != 0) {
        const uint32_t actor = order_operation_find(order, event->origin->cta, event->origin->operation, UINT32_MAX);
        order_flush(order);
        if (actor == 0 || order->actor[actor].kind != ORDER_PRODUCT) return;
        if (warp_of(order, event->origin, &cta) == NULL) return;
        access_of_product(order, cta, &order->actor[actor], event);
        return;
    }
    if (goes_on(order, event)) {
        struct access *access = &order->access.access;
        const uint64_t end = event->access.address + event->access.bytes;
        if (end > access->address + access->bytes) access->bytes = end - access->address;
    } else {
        order_flush(order);
        order->has_access = 1;
        order->access = *event;
        order->access_origin = *event->origin;
    }
    if (event->access.order == ORDER_WEAK) return;
    order_flush(order);
    struct order_warp *warp = warp_of(order, event->origin, &cta);
    if (warp != NULL) order_by_memory(order, event, cta, warp);
}

// --- Events ----------------------------------------------------------------------------------------------------------

void clock_order_hear(struct clock_order *order, const struct event *event)
{
    if (order->is_short) return;
    if (event->kind == EVENT_ACCESS) {
        hear_access(order, event);
        return;
    }
    order_flush(order);
    if (event->kind == EVENT_MEETING) hear_meeting(order, event);
    if (event->kind == EVENT_BARRIER) hear_barrier(order, event);
    if (event->kind == EVENT_FENCE) hear_fence(order, event);
    if (event->kind == EVENT_GROUP) hear_group(order, event);
    if (event->kind != EVENT_RUN || event->run != RUN_CTA_EXIT) return;
    struct order_cta *cta = order_cta_of(order, event->origin->cta);
    if (cta != NULL) order_exit(order, cta);
}
