// SPDX-License-Identifier: MIT
#include "between.h"

#include <stdlib.h>

#include "apart.h"

// 64 bytes of shared memory, a bit for each. written: since the CTA began; what follows, since part `part` began, which
// is over if it is not the CTA's: read or written by some warp, and read by two at least.
struct wide {
    uint64_t part, written, writes, reads, many;
};
struct own {
    uint64_t part, writes, reads; // of one warp
};
struct page {
    struct wide wide[SHADOW_PAGE_WIDES];
    struct own own[][SHADOW_PAGE_WIDES]; // by warp
};

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
#define NOBODY     UINT64_MAX
#define MOST_BYTES (UINT64_C(1) * ORDER_SHARED_PAGES * SHADOW_PAGE_BYTES)
struct order_between {
    uint64_t cta, part, first;
    uint32_t warps, touched, inside, behind, arrived;
    struct meeting now, last;
    struct page *page[ORDER_SHARED_PAGES];
};

struct order_between *order_between_open(uint32_t warps)
{
    struct order_between *between = warps <= ORDER_MOST_WARPS ? calloc(1, sizeof *between) : NULL;
    if (between == NULL) return NULL;
    between->cta = NOBODY;
    between->warps = warps;
    return between;
}

void order_between_close(struct order_between *between)
{
    for (int i = 0; between != NULL && i < ORDER_SHARED_PAGES; i++) free(between->page[i]);
    free(between);
}

// Another CTA begins. 0: one has not ended, or it is of a cluster of several.
static __attribute__((noinline)) bool begin(const struct clock_order *order, uint64_t cta)
{
    struct order_between *between = order->between;
    const struct order_cta *of = order_cta_of(order, cta);
    if (between->cta != NOBODY || of == NULL || of->ctas != 1) return false;
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

void order_between_exit(struct clock_order *order)
{
    order->between->cta = NOBODY;
}

// --- Accesses --------------------------------------------------------------------------------------------------------

static __attribute__((noinline)) void renew(const struct order_between *between, struct wide *wide)
{
    const uint64_t written = wide->part >= between->first ? wide->written : 0;
    *wide = (struct wide){.part = between->part, .written = written};
}

static __attribute__((noinline)) struct page *new_page(struct order_between *between, uint64_t number)
{
    struct page *page = calloc(1, sizeof *page + between->warps * sizeof page->own[0]);
    return between->page[number] = page;
}

// Bytes of one wide cell. 0: another warp has accessed one of them since the part began, and one of the two accesses
// writes; or it is read, and nobody has written it.
static inline bool use(struct order_between *between, uint32_t warp, uint64_t at, uint64_t bytes, bool writes)
{
    const uint64_t number = at / SHADOW_PAGE_BYTES, part = between->part;
    struct page *page = between->page[number];
    if (page == NULL && (page = new_page(between, number)) == NULL) return false;
    struct wide *wide = &page->wide[at % SHADOW_PAGE_BYTES / SHADOW_WIDE_BYTES];
    struct own *own = &page->own[warp][at % SHADOW_PAGE_BYTES / SHADOW_WIDE_BYTES];
    if (wide->part != part) renew(between, wide);
    if (own->part != part) *own = (struct own){.part = part};
    const uint64_t others = wide->writes & ~own->writes, read = wide->reads & ~own->reads;
    if (writes) {
        own->writes |= bytes;
        wide->writes |= bytes;
        wide->written |= bytes;
        return (bytes & (others | read | wide->many)) == 0;
    }
    wide->many |= bytes & read;
    own->reads |= bytes;
    wide->reads |= bytes;
    return (bytes & (others | ~wide->written)) == 0;
}

// Of several cells.
static __attribute__((noinline)) bool use_long(struct order_between *between, uint32_t warp, uint64_t begin,
                                               uint64_t end, bool writes)
{
    bool is_right = true;
    for (uint64_t at = begin, past; at < end; at = past) {
        const uint64_t first = at % SHADOW_WIDE_BYTES;
        past = at - first + SHADOW_WIDE_BYTES < end ? at - first + SHADOW_WIDE_BYTES : end;
        is_right &= use(between, warp, at, UINT64_MAX >> (SHADOW_WIDE_BYTES - (past - at)) << first, writes);
    }
    return is_right;
}

static bool is_plain(const struct event *event)
{
    const struct access *access = &event->access;
    return event->origin->operation == 0 && access->order == ORDER_WEAK && access->kind != ACCESS_REDUCE &&
           access->proxy == PROXY_GENERIC && access->rank == event->origin->rank;
}

// May the warp access it now?
static bool is_free(struct clock_order *order, const struct event *event)
{
    struct order_between *between = order->between;
    const uint32_t warp = UINT32_C(1) << event->origin->warp % ORDER_MOST_WARPS;
    if (!is_plain(event) || event->origin->warp >= between->warps || !is_of(order, event->origin->cta)) return false;
    between->touched |= warp;
    return ((between->inside | between->behind) & warp) == 0;
}

void order_between_rows(struct clock_order *order, const struct event *event, uint32_t rows, uint64_t rise)
{
    struct order_between *const between = order->between;
    const uint64_t count = event->access.bytes, bytes = UINT64_MAX >> (SHADOW_WIDE_BYTES - count) % SHADOW_WIDE_BYTES;
    const uint32_t warp = event->origin->warp;
    const bool writes = event->access.kind == ACCESS_WRITE;
    bool is_right = is_free(order, event) && count <= MOST_BYTES;
    uint64_t at = event->access.address;
    for (uint32_t left = rise != 0 ? rows : 1; left > 0 && is_right; left--, at += rise) {
        const uint64_t first = at % SHADOW_WIDE_BYTES;
        if (at > MOST_BYTES - count)
            is_right = false;
        else if (first + count <= SHADOW_WIDE_BYTES)
            is_right = use(between, warp, at, bytes << first, writes);
        else
            is_right = use_long(between, warp, at, at + count, writes);
    }
    if (!is_right) order_apart_end(order->apart);
}

// --- Barriers --------------------------------------------------------------------------------------------------------

static bool is_same(const struct meeting *one, const struct meeting *other)
{
    return one->number == other->number && one->phase == other->phase;
}

static void arrive(struct order_between *between, const struct meeting *at, uint32_t warp)
{
    if (!is_same(&between->now, at)) between->arrived = 0;
    between->now = *at;
    between->arrived |= warp;
    between->inside |= warp;
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

void order_between_meet(struct clock_order *order, const struct event *event)
{
    const struct event_meeting *of = &event->meeting;
    const struct meeting at = {of->phase, of->number};
    const uint32_t warp = UINT32_C(1) << event->origin->warp % ORDER_MOST_WARPS;
    if (of->kind != MEETING_CTA) return;
    if (!is_of(order, event->origin->cta))
        order_apart_end(order->apart);
    else if (of->step == MEETING_ARRIVE)
        arrive(order->between, &at, warp);
    else
        leave(order->between, &at, warp);
}
