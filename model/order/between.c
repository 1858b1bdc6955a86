// SPDX-License-Identifier: MIT
#include "between.h"

#include <stdlib.h>

#include "added.h"
#include "each.h"
#include "shared_words.h"
#include "stamps.h"

// A part goes from one barrier of all to the next: they are counted through all CTAs, `first` is the CTA's first one.
//   cta              whose memory it is now, NOBODY: none has accessed it since the last one ended
//   touched          the warps that have accessed it
//   inside           those that have come to a barrier and not left it
//   behind           those that have not left the barrier that began the part
//   number, phase    of the barrier that warps come to, and who has; last: of the one that began the part
struct meeting {
    uint64_t phase;
    uint32_t number;
};
#define NOBODY UINT64_MAX
struct order_between {
    uint64_t cta, part, first;
    uint32_t warps, touched, inside, behind, arrived;
    struct meeting now, last;
    struct order_words *words;   // of shared memory
    struct order_stamps *stamps; // of global memory
    struct order_added *added;   // the same of atomics
};

struct order_between *order_between_open(uint32_t warps, struct order_apart *apart)
{
    struct order_between *between = warps <= ORDER_MOST_WARPS ? calloc(1, sizeof *between) : NULL;
    if (between == NULL) return NULL;
    between->cta = NOBODY;
    between->warps = warps;
    between->words = order_words_open();
    between->stamps = order_stamps_open(apart);
    between->added = order_added_open(apart);
    if (between->words != NULL && between->stamps != NULL && between->added != NULL) return between;
    order_between_close(between);
    return NULL;
}

void order_between_close(struct order_between *between)
{
    if (between == NULL) return;
    order_words_close(between->words);
    order_stamps_close(between->stamps);
    order_added_close(between->added);
    free(between);
}

void order_between_give(struct order_between *between)
{
    order_stamps_give(between->stamps);
    order_added_give(between->added);
}

struct order_stamps *order_between_stamps(const struct order_between *between)
{
    return between->stamps;
}

// Another CTA begins. 0: one has not ended.
static __attribute__((noinline)) bool begin(const struct clock_order *order, uint64_t cta)
{
    struct order_between *between = order->between;
    if (between->cta != NOBODY) return false;
    between->cta = cta;
    between->first = ++between->part;
    between->touched = between->inside = between->behind = between->arrived = 0;
    between->last.number = UINT32_MAX;
    return true;
}

static inline bool is_of(const struct clock_order *order, uint64_t cta)
{
    return order->between->cta == cta || begin(order, cta);
}

// --- Accesses --------------------------------------------------------------------------------------------------------

static bool is_plain(const struct event *event)
{
    const struct access *access = &event->access;
    const enum access_order order = access->kind == ACCESS_REDUCE ? ORDER_RELAXED : ORDER_WEAK;
    return event->origin->operation == 0 && access->order == order && access->proxy == PROXY_GENERIC &&
           access->rank == event->origin->rank;
}

// May so many warps from the event's on access it now?
static bool are_free(struct clock_order *order, const struct event *event, uint32_t warps)
{
    struct order_between *between = order->between;
    const uint32_t first = event->origin->warp;
    if (!is_plain(event) || first + warps > between->warps || !is_of(order, event->origin->cta)) return false;
    const uint32_t all = UINT32_MAX >> (ORDER_MOST_WARPS - warps) << first;
    between->touched |= all;
    return ((between->inside | between->behind) & all) == 0;
}

static bool is_free(struct clock_order *order, const struct event *event)
{
    return are_free(order, event, 1);
}

static struct words_use words_of(const struct order_between *between, const struct event *event)
{
    return (struct words_use){between->part, between->first, event->access.bytes, event->origin->warp,
                              event->access.kind};
}

static bool use_shared(const struct order_between *between, const struct event *event, uint32_t rows, uint64_t rise)
{
    const struct words_use use = words_of(between, event);
    return order_words_use(between->words, &use, event->access.address, rise != 0 ? rows : 1, rise);
}

static bool use_lanes(const struct order_between *between, const struct event *event, const uint64_t *address)
{
    const struct words_use use = words_of(between, event);
    return order_words_lanes(between->words, &use, event->origin->lanes, address);
}

static struct stamps_by by_of(const struct order_between *between, const struct event *event)
{
    return (struct stamps_by){between->part, between->first, event->origin->warp, event->origin->line};
}

static struct stamps_use use_of(const struct event *event)
{
    const struct access *access = &event->access;
    return (struct stamps_use){.begin = access->address,
                               .bytes = access->bytes,
                               .each = access->each != 0 ? access->each : access->bytes,
                               .lanes = event->origin->lanes,
                               .writes = access->kind == ACCESS_WRITE,
                               .is_constant = access->is_constant};
}

static bool use_global(const struct order_between *between, const struct stamps_by *by, const struct event *event,
                       uint32_t rows, uint64_t rise)
{
    struct stamps_use use = use_of(event);
    bool is_right = use.lanes != 0 && event->access.kind != ACCESS_REDUCE;
    if (rows > 1) use.lanes = UINT32_MAX >> (32 - 32 / rows);
    for (uint32_t left = rows; left > 0 && is_right; left--, use.begin += rise, use.lanes <<= 32 / rows % 32)
        is_right = order_stamps_use(between->stamps, by, &use);
    return is_right;
}

// Where each goes on where the one before it ends, their lanes do so too. Of those that read the same it is enough to
// know two.
static bool use_warps(const struct order_between *between, struct event *event, uint32_t rows, uint64_t rise,
                      uint32_t warps, uint64_t warp_rise)
{
    struct stamps_by by = by_of(between, event);
    struct access *const access = &event->access;
    const uint32_t last = by.warp + (warp_rise == 0 && access->kind == ACCESS_READ && warps > 2 ? 2 : warps);
    bool is_right = true;
    if (rows == 1 && warp_rise == access->bytes && access->each != access->bytes) {
        access->bytes *= warps;
        return use_global(between, &by, event, 1, 0);
    }
    for (; by.warp < last && is_right; by.warp++, access->address += warp_rise)
        is_right = use_global(between, &by, event, rows, rise);
    return is_right;
}

void order_between_rows(struct clock_order *order, const struct event *event, uint32_t rows, uint64_t rise)
{
    bool is_right = is_free(order, event);
    const struct stamps_by by = by_of(order->between, event);
    if (is_right && event->access.space == SPACE_SHARED)
        is_right = use_shared(order->between, event, rows, rise);
    else if (is_right)
        is_right = use_global(order->between, &by, event, rows, rise);
    if (!is_right) order_apart_end(order->apart);
}

// Atomics of lanes that lie anywhere.
static bool use_added(const struct order_between *between, const struct event *event, const uint64_t *address)
{
    bool is_right = order_reach_of(event->access.scope) == ORDER_REACH_ALL;
    for (EACH_BIT(lane, event->origin->lanes))
        is_right &= order_added_use(between->added, address[lane], event->access.bytes, event->origin->line);
    return is_right;
}

static bool use_global_lanes(const struct order_between *between, const struct event *event, const uint64_t *address)
{
    const struct stamps_by by = by_of(between, event);
    const struct stamps_use use = use_of(event);
    return order_stamps_lanes(between->stamps, &by, &use, address);
}

void order_between_warps(struct clock_order *order, const struct event *event, uint32_t rows, uint64_t rise,
                         uint32_t warps, uint64_t warp_rise)
{
    struct event one = *event;
    if (event->access.space != SPACE_GLOBAL || !are_free(order, event, warps) ||
        !use_warps(order->between, &one, rows, rise, warps, warp_rise))
        order_apart_end(order->apart);
}

void order_between_lanes(struct clock_order *order, const struct event *event, const uint64_t *address)
{
    struct order_between *between = order->between;
    bool is_right = event->origin->lanes != 0 && is_free(order, event);
    if (is_right && event->access.space == SPACE_SHARED)
        is_right = use_lanes(between, event, address);
    else if (is_right)
        is_right = (event->access.kind == ACCESS_REDUCE ? use_added : use_global_lanes)(between, event, address);
    if (!is_right) order_apart_end(order->apart);
}

// --- Barriers --------------------------------------------------------------------------------------------------------

static bool is_same(const struct meeting *one, const struct meeting *other)
{
    return one->number == other->number && one->phase == other->phase;
}

// 0: lanes of the warp have come to this barrier, or to one before it, and have not left that.
static bool arrive(struct order_between *between, const struct meeting *at, uint32_t warp)
{
    const bool is_alone = ((between->inside | between->behind) & warp) == 0;
    if (!is_same(&between->now, at)) between->arrived = 0;
    between->now = *at;
    between->arrived |= warp;
    between->inside |= warp;
    return is_alone;
}

// The first that leaves it begins the next part.
static void leave(struct order_between *between, const struct meeting *at, uint32_t warp)
{
    between->inside &= ~warp;
    if (is_same(&between->now, at) && between->arrived != 0 && (between->touched & ~between->arrived) == 0) {
        between->part++;
        between->behind = UINT32_MAX;
        between->arrived = 0;
        between->last = *at;
    }
    if (is_same(&between->last, at)) between->behind &= ~warp;
}

static bool meet(struct clock_order *order, const struct event *event)
{
    const struct event_meeting *of = &event->meeting;
    const struct meeting at = {of->phase, of->number};
    const uint32_t warp = UINT32_C(1) << event->origin->warp % ORDER_MOST_WARPS;
    if (of->kind == MEETING_WARP) return true;
    if (of->kind != MEETING_CTA || !is_of(order, event->origin->cta)) return false;
    if (of->step == MEETING_ARRIVE) return arrive(order->between, &at, warp);
    leave(order->between, &at, warp);
    return true;
}

// --- Events ----------------------------------------------------------------------------------------------------------

static bool run(const struct clock_order *order, enum run_step run)
{
    if (run == RUN_CTA_EXIT) order->between->cta = NOBODY;
    return run != RUN_WAIT_FOR_GRIDS && run != RUN_SET_REGISTERS;
}

void order_between_hear(struct clock_order *order, const struct event *event)
{
    bool is_right = false;
    if (event->kind == EVENT_ACCESS) {
        order_between_rows(order, event, 1, 0);
        return;
    }
    if (event->kind == EVENT_MEETING) is_right = meet(order, event);
    if (event->kind == EVENT_RUN) is_right = run(order, event->run);
    if (!is_right) order_apart_end(order->apart);
}
