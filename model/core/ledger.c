// SPDX-License-Identifier: MIT
// Pages are found by open addressing: a barrier's page is the first of its own or a free one, from a place on that its
// rank and address give.
#include "ledger.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

static struct ledger *place_of(const struct ledger_book *book, uint32_t rank, uint32_t address)
{
    uint32_t at = (address / 8 + rank * UINT32_C(0x9e3779b1)) % book->capacity;
    for (uint32_t i = 0; i < book->capacity; i++) {
        struct ledger *page = &book->page[at];
        if (!page->is_used || (page->rank == rank && page->address == address)) return page;
        if (++at == book->capacity) at = 0;
    }
    return NULL;
}

static void turn_page(struct ledger *page)
{
    page->count = page->lost = 0;
    page->total = (struct mbarrier_transaction){0};
}

static void clean_page(struct ledger *page, uint32_t rank, uint32_t address)
{
    turn_page(page);
    page->is_used = page->is_observed = 1;
    page->rank = rank;
    page->address = address;
    page->life = BARRIER_NONE;
    page->inits = page->phases = 0;
    page->has_arrival = page->has_expect = 0;
    page->befores = page->has_early = page->has_broke = 0;
    page->total_before = page->wiped = (struct mbarrier_transaction){0};
}

void ledger_book_start(struct ledger_book *book, struct ledger *pages, uint32_t capacity)
{
    assert(capacity > 0);
    *book = (struct ledger_book){pages, capacity, 0, 0, 0};
    for (uint32_t i = 0; i < capacity; i++) pages[i].is_used = 0;
}

void ledger_book_move(struct ledger_book *book, struct ledger *pages, uint32_t capacity)
{
    const struct ledger_book old = *book;
    assert(capacity >= old.used);
    ledger_book_start(book, pages, capacity);
    for (uint32_t i = 0; i < old.capacity; i++)
        if (old.page[i].is_used) *place_of(book, old.page[i].rank, old.page[i].address) = old.page[i];
    book->used = old.used;
    book->lost = old.lost;
    book->events = old.events;
}

const struct ledger *ledger_find(const struct ledger_book *book, uint32_t rank, uint32_t address)
{
    const struct ledger *page = place_of(book, rank, address);
    return page != NULL && page->is_used ? page : NULL;
}

static struct ledger *open_page(struct ledger_book *book, uint32_t rank, uint32_t address)
{
    struct ledger *page = place_of(book, rank, address);
    if (page == NULL || page->is_used) return page;
    clean_page(page, rank, address);
    book->used++;
    return page;
}

static void add(struct mbarrier_transaction *sum, const struct mbarrier_transaction *transaction)
{
    sum->arrivals += transaction->arrivals;
    sum->expect_bytes += transaction->expect_bytes;
    sum->complete_bytes += transaction->complete_bytes;
    sum->drop |= transaction->drop;
}

static bool is_same(const struct event_origin *a, const struct event_origin *b)
{
    return a->launch == b->launch && a->cta == b->cta && a->rank == b->rank && a->warp == b->warp &&
           a->lanes == b->lanes && a->operation == b->operation && a->file == b->file && a->line == b->line &&
           a->called_at == b->called_at;
}

static void contribute(struct ledger *page, const struct event *event, uint64_t when)
{
    const struct mbarrier_transaction *transaction = &event->barrier.transaction;
    struct ledger_entry *last = page->count > 0 ? &page->entry[page->count - 1] : NULL;
    add(&page->total, transaction);
    if (transaction->arrivals > 0) page->last_arrival = *event->origin, page->has_arrival = 1;
    if (transaction->expect_bytes > 0) page->last_expect = *event->origin, page->has_expect = 1;
    if (last != NULL && page->lost == 0 && is_same(&last->origin, event->origin))
        add(&last->transaction, transaction), last->when = when;
    else if (page->count < LEDGER_ENTRIES)
        page->entry[page->count++] = (struct ledger_entry){*event->origin, *transaction, when};
    else
        page->lost++;
}

// The phase is over: who contributed to it is kept until the next one is.
static void complete(struct ledger *page)
{
    memcpy(page->before, page->entry, (size_t)page->count * sizeof *page->entry);
    page->befores = page->count;
    page->total_before = page->total;
    turn_page(page);
    page->phases++;
    page->is_observed = 0;
}

static void init(struct ledger *page, const struct event *event)
{
    const uint64_t before = page->inits;
    const bool is_early = page->life == BARRIER_NONE && page->count > 0;
    const struct event_origin early = is_early ? page->entry[page->count - 1].origin : page->early;
    const bool has_early = is_early || page->has_early;
    struct mbarrier_transaction wiped = page->wiped;
    if (page->life != BARRIER_DROPPED) add(&wiped, &page->total);
    clean_page(page, event->barrier.rank, event->barrier.address);
    page->wiped = wiped;
    page->early = early;
    page->has_early = has_early;
    page->life = BARRIER_LIVE;
    page->inits = before + 1;
    page->init = *event->origin;
}

static void set_broke(struct ledger *page, const struct event_origin *origin)
{
    if (!page->has_broke) page->broke = *origin, page->has_broke = 1;
}

static void write_page(struct ledger *page, const struct event *event, uint64_t when)
{
    const struct event_barrier *barrier = &event->barrier;
    switch (barrier->step) {
    case BARRIER_INIT:
        init(page, event);
        break;
    case BARRIER_INVAL:
        page->life = BARRIER_DROPPED;
        break;
    case BARRIER_WAIT:
        page->is_observed = 1;
        break;
    case BARRIER_TRANSACTION:
        contribute(page, event, when);
        if (barrier->completes) complete(page);
        break;
    case BARRIER_ERROR:
        if (page->life == BARRIER_NONE) contribute(page, event, when);
        set_broke(page, event->origin);
    }
}

void ledger_hear(void *context, const struct event *event)
{
    struct ledger_book *book = context;
    if (event->kind != EVENT_BARRIER) return;
    struct ledger *page = open_page(book, event->barrier.rank, event->barrier.address);
    if (page != NULL)
        write_page(page, event, ++book->events);
    else
        book->lost++;
}

void ledger_break(struct ledger_book *book, uint32_t rank, uint32_t address, const struct event_origin *origin)
{
    struct ledger *page = place_of(book, rank, address);
    if (page != NULL && page->is_used) set_broke(page, origin);
}

void ledger_forget(struct ledger_book *book, uint32_t rank, uint32_t address)
{
    struct ledger *page = place_of(book, rank, address);
    if (page != NULL && page->is_used) clean_page(page, rank, address);
}
