// SPDX-License-Identifier: MIT
// The suite `ledger`: what the pages of a book make of the events of barriers.
#include "ledger.h"

enum { PAGES = 3, MANY = 64 };

static struct ledger pages[PAGES], more_pages[MANY];

static struct ledger_book start(void)
{
    struct ledger_book book;
    ledger_book_start(&book, pages, PAGES);
    return book;
}

static void hear(struct ledger_book *book, uint32_t line, struct event_barrier barrier)
{
    const struct event_origin origin = {.line = line};
    const struct event event = {.kind = EVENT_BARRIER, .origin = &origin, .barrier = barrier};
    ledger_hear(book, &event);
}

static struct event_barrier arrive(uint32_t rank, uint32_t address, int completes)
{
    return (struct event_barrier){.step = BARRIER_TRANSACTION,
                                  .rank = rank,
                                  .address = address,
                                  .completes = completes,
                                  .transaction = {.arrivals = 1}};
}

TEST(an_init_keeps_what_it_discards)
{
    struct ledger_book book = start();
    hear(&book, 1, (struct event_barrier){.step = BARRIER_INIT, .address = 8});
    hear(&book, 2, arrive(0, 8, 1));
    hear(&book, 3, arrive(0, 8, 0));
    hear(&book, 4, (struct event_barrier){.step = BARRIER_INIT, .address = 8});
    const struct ledger *page = ledger_find(&book, 0, 8);
    ck_assert_uint_eq(page->inits, 2);
    ck_assert_uint_eq(page->wiped.arrivals, 1); // not that of the phase that was over
    ck_assert_int_eq(page->befores, 0);
}

TEST(what_comes_before_the_first_init_is_discarded_too)
{
    struct ledger_book book = start();
    struct event_barrier early = arrive(0, 8, 0);
    early.step = BARRIER_ERROR; // the word has no pending arrivals yet
    hear(&book, 1, early);
    hear(&book, 2, (struct event_barrier){.step = BARRIER_INIT, .address = 8});
    const struct ledger *page = ledger_find(&book, 0, 8);
    ck_assert_uint_eq(page->wiped.arrivals, 1);
    ck_assert_int_eq(page->has_early, 1);
    ck_assert_uint_eq(page->early.line, 1);
    hear(&book, 3, early); // of a live barrier it changes nothing
    ck_assert_int_eq(page->count, 0);
}

TEST(a_page_is_of_one_phase)
{
    struct ledger_book book = start();
    hear(&book, 1, (struct event_barrier){.step = BARRIER_INIT, .address = 8});
    hear(&book, 2, arrive(0, 8, 0));
    hear(&book, 3, arrive(0, 8, 0));
    const struct ledger *page = ledger_find(&book, 0, 8);
    ck_assert_int_eq(page->life, BARRIER_LIVE);
    ck_assert_int_eq(page->count, 2);
    ck_assert_uint_eq(page->entry[1].origin.line, 3);
    ck_assert_uint_eq(page->total.arrivals, 2);
    ck_assert_int_eq(page->is_observed, 1);

    hear(&book, 4, arrive(0, 8, 1));
    ck_assert_uint_eq(page->phases, 1);
    ck_assert_int_eq(page->count, 0);
    ck_assert_uint_eq(page->total.arrivals, 0);
    ck_assert_int_eq(page->is_observed, 0);
    ck_assert_int_eq(page->befores, 3); // who came to the phase that is over
    ck_assert_uint_eq(page->before[2].origin.line, 4);
    ck_assert_uint_eq(page->total_before.arrivals, 3);
    hear(&book, 5, (struct event_barrier){.step = BARRIER_WAIT, .address = 8});
    ck_assert_int_eq(page->is_observed, 1);
    hear(&book, 6, (struct event_barrier){.step = BARRIER_INVAL, .address = 8});
    ck_assert_int_eq(page->life, BARRIER_DROPPED);
    ck_assert_uint_eq(page->phases, 1);
}

TEST(pages_are_by_rank_and_address)
{
    struct ledger_book book = start();
    hear(&book, 1, arrive(0, 8, 0));
    hear(&book, 1, arrive(1, 8, 1));
    hear(&book, 1, arrive(0, 8 + 8 * PAGES, 0)); // the same place in the book
    ck_assert_int_eq(ledger_find(&book, 0, 8)->count, 1);
    ck_assert_uint_eq(ledger_find(&book, 1, 8)->phases, 1);
    ck_assert_int_eq(ledger_find(&book, 0, 8 + 8 * PAGES)->count, 1);
    ck_assert_ptr_null(ledger_find(&book, 2, 8));
    ck_assert_uint_eq(book.used, 3);
}

TEST(a_full_book_counts_what_it_loses_and_can_be_moved)
{
    struct ledger_book book = start();
    for (uint32_t i = 0; i < PAGES + 2; i++) hear(&book, i, arrive(i, 16, 0));
    ck_assert_uint_eq(book.lost, 2);
    ledger_book_move(&book, more_pages, MANY);
    for (uint32_t i = 0; i < PAGES; i++) ck_assert_uint_eq(ledger_find(&book, i, 16)->entry[0].origin.line, i);
    for (uint32_t i = PAGES; i < MANY; i++) hear(&book, i, arrive(i, 16, 0));
    ck_assert_uint_eq(book.used, MANY);
    ck_assert_uint_eq(book.lost, 2);
}

TEST(what_is_stored_over_is_forgotten)
{
    struct ledger_book book = start();
    hear(&book, 1, (struct event_barrier){.step = BARRIER_INIT, .address = 8});
    hear(&book, 1, arrive(0, 8, 1));
    ledger_forget(&book, 0, 8);
    ledger_forget(&book, 0, 64); // of which nothing is known
    ck_assert_int_eq(ledger_find(&book, 0, 8)->life, BARRIER_NONE);
    ck_assert_uint_eq(ledger_find(&book, 0, 8)->phases, 0);
    ck_assert_int_eq(ledger_find(&book, 0, 8)->is_observed, 1);
    ck_assert_uint_eq(book.used, 1);
}

TEST(other_events_are_passed_over)
{
    struct ledger_book book = start();
    const struct event event = {.kind = EVENT_ACCESS};
    ledger_hear(&book, &event);
    ck_assert_uint_eq(book.used, 0);
}

TEST(a_full_page_still_adds_up)
{
    struct ledger_book book = start();
    struct event_barrier drop = arrive(0, 8, 0);
    drop.transaction.drop = 1;
    for (uint32_t i = 0; i < LEDGER_ENTRIES + 5; i++) hear(&book, i, drop);
    hear(&book, LEDGER_ENTRIES - 1, arrive(0, 8, 0));
    const struct ledger *page = ledger_find(&book, 0, 8);
    ck_assert_int_eq(page->count, LEDGER_ENTRIES);
    ck_assert_int_eq(page->lost, 6);
    ck_assert_uint_eq(page->total.arrivals, LEDGER_ENTRIES + 6);
    ck_assert_int_eq(page->total.drop, 1);
}

TEST(contributions_of_one_origin_are_one)
{
    struct ledger_book book = start();
    const struct event_origin a = {
        .launch = 1, .cta = 1, .rank = 1, .warp = 2, .lanes = 2, .operation = 3, .file = "x", .line = 4};
    struct event_origin other[] = {a, a, a, a, a, a, a, a};
    other[0].cta = 0, other[1].lanes = 0, other[2].operation = 0, other[3].file = NULL, other[4].line = 0;
    other[5].launch = 0, other[6].rank = 0, other[7].warp = 0;
    struct event event = {.kind = EVENT_BARRIER, .origin = &a, .barrier = {.step = BARRIER_TRANSACTION}};
    event.barrier.transaction.complete_bytes = 16;
    for (int i = 0; i < ROWS_OF(other); i++) {
        event.origin = &a;
        ledger_hear(&book, &event);
        ledger_hear(&book, &event);
        event.origin = &other[i];
        ledger_hear(&book, &event);
    }
    ck_assert_int_eq(ledger_find(&book, 0, 0)->count, 2 * ROWS_OF(other));
    ck_assert_uint_eq(ledger_find(&book, 0, 0)->entry[0].transaction.complete_bytes, 32);
}

TEST(events_are_numbered_and_keep_their_numbers_when_the_book_moves)
{
    struct ledger_book book = start();
    hear(&book, 1, arrive(0, 8, 0));
    hear(&book, 2, arrive(0, 16, 1));
    hear(&book, 3, arrive(0, 8, 0));
    ledger_book_move(&book, more_pages, MANY);
    hear(&book, 4, arrive(0, 8, 0));
    ck_assert_uint_eq(ledger_find(&book, 0, 8)->entry[0].when, 1);
    ck_assert_uint_eq(ledger_find(&book, 0, 8)->entry[2].when, 4);
    ck_assert_uint_eq(ledger_find(&book, 0, 16)->before[0].when, 2);
}

TEST(who_broke_a_barrier_first_is_kept)
{
    struct ledger_book book = start();
    const struct event_origin one = {.line = 7}, other = {.line = 9};
    ledger_break(&book, 0, 8, &one); // nothing is known of it
    ck_assert_ptr_null(ledger_find(&book, 0, 8));
    hear(&book, 1, arrive(0, 8, 0));
    ck_assert_int_eq(ledger_find(&book, 0, 8)->has_broke, 0);
    ledger_break(&book, 0, 8, &one);
    ledger_break(&book, 0, 8, &other);
    ck_assert_uint_eq(ledger_find(&book, 0, 8)->broke.line, 7);
}
