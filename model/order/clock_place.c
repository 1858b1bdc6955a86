// SPDX-License-Identifier: MIT
// Strong accesses and fences: what a write or a reduction releases, and who acquires it. An edge needs two scopes, each
// of which reaches the other's thread.
#include <stdlib.h>

#include "clock_order.h"

static enum order_reach lesser(enum order_reach a, enum order_reach b)
{
    return a < b ? a : b;
}

// --- Fences ----------------------------------------------------------------------------------------------------------

// What a relaxed arrive releases that must reach so far: that reads are over, and operations that were waited for; what
// was written only as far as a fence released it.
void order_release_relaxed(struct clock *to, const struct order_warp *warp, enum order_reach reach)
{
    clock_join_seen(to, &warp->clock);
    clock_join_published(to, &warp->clock);
    if (warp->near_reach >= reach) clock_join(to, &warp->near);
}

void order_fence(struct order_warp *warp, enum order_reach reach)
{
    for (int i = 0; i <= (int)reach; i++) {
        clock_join(&warp->clock, &warp->learnt[i]);
        clock_clear(&warp->learnt[i]);
    }
    if (reach == ORDER_REACH_ALL) {
        clock_fence(&warp->clock, UINT32_C(1) << CLOCK_PUBLISHED);
        clock_clear(&warp->near);
        warp->has_published = 1;
        return;
    }
    clock_copy(&warp->near, &warp->clock);
    warp->near_reach = reach;
}

static void cross(struct clock *clock, const struct event_fence *fence)
{
    if (fence->proxy == PROXY_ASYNC)
        clock_fence(clock, fence->spaces);
    else if (fence->order == ORDER_RELEASE)
        clock_fence(clock, UINT32_C(1) << CLOCK_MAP_RELEASED);
    else
        clock_acquire_maps(clock);
}

void order_fence_proxy(struct order_cta *cta, struct order_warp *warp, const struct event *event)
{
    const struct event_fence *fence = &event->fence;
    if (fence->proxy != PROXY_ASYNC && fence->proxy != PROXY_TENSORMAP) return;
    if (fence->proxy == PROXY_ASYNC && fence->order == ORDER_ACQUIRE) return; // it hands over no write of a thread
    cross(&warp->clock, fence);
    for (int space = 0; space < CLOCK_SPACES; space++)
        if (fence->proxy == PROXY_ASYNC && (fence->spaces >> space & 1)) warp->fenced[space] = warp->now;
    if (order_lanes_before(warp) != NULL) cross(order_lanes_before(warp), fence);
    order_tick(cta, warp, ORDER_EDGE_PROXY, event->origin->line, 0);
}

// --- Places ----------------------------------------------------------------------------------------------------------

static struct order_place *place_of(struct clock_order *order, const struct access *access, uint32_t cta, bool makes)
{
    struct order_place **first = &order->place[(access->address / 4 + cta * 97) % ORDER_PLACES], *place = *first;
    while (place != NULL && (place->address != access->address || place->space != access->space || place->cta != cta))
        place = place->next;
    if (place != NULL || !makes || (place = calloc(1, sizeof *place)) == NULL) return place;
    order->has_places = true;
    place->next = *first;
    place->space = access->space;
    place->cta = cta;
    place->address = access->address;
    place->all.by = place->near.by = ORDER_BY_NOBODY;
    return *first = place;
}

static bool is_acquire(enum access_order order)
{
    return order == ORDER_ACQUIRE || order == ORDER_ACQ_REL || order == ORDER_SC;
}

static bool is_release(enum access_order order)
{
    return order == ORDER_RELEASE || order == ORDER_ACQ_REL || order == ORDER_SC;
}

// How far a fence or an access must reach for the CTA to acquire the gift.
static enum order_reach needs(const struct order_gift *gift, const struct order_cta *cta)
{
    return gift->by == cta->index ? ORDER_REACH_CTA : gift->reach;
}

// Can it reach the CTA at all?
static bool is_for(const struct order_gift *gift, const struct order_cta *cta)
{
    if (gift->by == ORDER_BY_NOBODY) return false;
    return gift->reach == ORDER_REACH_ALL || gift->by == cta->index ||
           (gift->reach == ORDER_REACH_CLUSTER && gift->cluster == cta->peer[0]->index);
}

static void take(const struct clock_order *order, struct order_warp *warp, const struct order_gift *gift,
                 const struct order_cta *cta, const struct event *event)
{
    const enum order_reach needed = needs(gift, cta);
    if (!is_for(gift, cta)) return;
    order_lanes_acquire(order, warp, order->executing);
    if (is_acquire(event->access.order) && order_reach_of(event->access.scope) >= needed)
        order_acquire(warp, &gift->clock, ORDER_EDGE_MEMORY, event->origin->line, 0);
    else if (order_reach_of(event->access.scope) >= needed) {
        clock_join(&warp->learnt[needed], &gift->clock);
        if (order->live != 0) order_lanes_hear(warp, order->executing);
    }
}

// One that polls hears the same again and again.
static void hear_place(const struct clock_order *order, struct order_warp *warp, const struct order_place *place,
                       const struct order_cta *cta, const struct event *event)
{
    const int acquires = is_acquire(event->access.order);
    const enum order_reach reach = order_reach_of(event->access.scope);
    if (warp->heard == place && warp->heard_version == place->version && warp->heard_acquires >= acquires &&
        warp->heard_reach >= reach)
        return;
    warp->heard = place;
    warp->heard_version = place->version;
    warp->heard_acquires = acquires;
    warp->heard_reach = reach;
    take(order, warp, &place->all, cta, event);
    take(order, warp, &place->near, cta, event);
}

static void forget(struct order_gift *gift)
{
    clock_clear(&gift->clock);
    gift->by = ORDER_BY_NOBODY;
}

static void give(struct order_gift *gift, const struct order_cta *cta, enum order_reach reach,
                 const struct clock *clock, void (*join)(struct clock *clock, const struct clock *other))
{
    const bool goes_on = gift->by == cta->index || (reach == ORDER_REACH_ALL && gift->by != ORDER_BY_NOBODY);
    if (!goes_on || gift->reach != reach) forget(gift);
    gift->by = gift->by == ORDER_BY_NOBODY || gift->by == cta->index ? cta->index : (uint32_t)ORDER_BY_MANY;
    gift->cluster = cta->peer[0]->index;
    gift->reach = reach;
    join(&gift->clock, clock);
}

// A release gives what its warp is ordered after as far as it reaches. A relaxed write gives what has crossed fences
// that reach the GPU, whosever they were, and what a nearer fence of its warp released.
static void give_all(struct order_place *place, const struct order_cta *cta, const struct order_warp *warp,
                     const struct access *access)
{
    const enum order_reach reach = order_reach_of(access->scope);
    struct order_gift *gift = reach == ORDER_REACH_ALL ? &place->all : &place->near;
    place->version++;
    if (is_release(access->order)) {
        give(gift, cta, reach, &warp->clock, clock_join);
        return;
    }
    if (warp->has_published) give(gift, cta, reach, &warp->clock, clock_join_published);
    if (warp->near.parts != 0) give(&place->near, cta, lesser(reach, warp->near_reach), &warp->near, clock_join);
}

// A reduction goes on with what was released before; a write begins anew.
void order_by_memory(struct clock_order *order, const struct event *event, struct order_cta *cta,
                     struct order_warp *warp)
{
    const struct access *access = &event->access;
    const struct order_cta *home =
        access->space == SPACE_SHARED ? order_peer(order, event->origin, access->rank) : NULL;
    const bool writes = access->kind != ACCESS_READ;
    const bool makes = writes && (is_release(access->order) || warp->has_published || warp->near.parts != 0);
    struct order_place *place = place_of(order, access, home != NULL ? home->index : 0, makes);
    if (place == NULL) return;
    if (access->kind != ACCESS_WRITE) hear_place(order, warp, place, cta, event);
    if (access->kind == ACCESS_WRITE) {
        forget(&place->all);
        forget(&place->near);
    }
    if (!writes) return;
    if (is_release(access->order)) order_lanes_release(order, cta, warp, event->origin, ORDER_LANES_RELEASE);
    give_all(place, cta, warp, access);
    if (is_release(access->order)) order_tick(cta, warp, ORDER_EDGE_MEMORY, event->origin->line, 0);
}

void order_places_free(struct clock_order *order)
{
    for (int i = 0; order->has_places && i < ORDER_PLACES; i++)
        for (struct order_place *place = order->place[i], *next; place != NULL; place = next) {
            next = place->next;
            clock_free(&place->all.clock);
            clock_free(&place->near.clock);
            free(place);
            order->place[i] = next;
        }
    order->has_places = false;
}
