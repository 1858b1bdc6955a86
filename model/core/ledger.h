// SPDX-License-Identifier: MIT
// The barrier ledger: who contributed what to the current phase of each mbarrier, and what the documents would know of
// it. The word in shared memory knows only what is missing; an H200 has nothing like a ledger, so no result depends on
// one: only warnings and reports. It hears the events of barriers (event.h). Memory is the caller's.
#ifndef TMAREF_LEDGER_H
#define TMAREF_LEDGER_H

#include "event.h"

enum { LEDGER_ENTRIES = 32 };

// One contribution, and who made it; one of the same origin as the one before is added up with it. `when`: the number
// of the event of a barrier that it was, of all that the book has heard.
struct ledger_entry {
    struct event_origin origin;
    struct mbarrier_transaction transaction;
    uint64_t when;
};

// Has mbarrier.init made a barrier of the 8 bytes, and mbarrier.inval dropped it since?
enum barrier_life { BARRIER_NONE, BARRIER_LIVE, BARRIER_DROPPED };

// The page of the barrier at shared address `address` of CTA `rank`.
//   inits        how often mbarrier.init has made it, of which `init` was the last
//   phases       how many have completed since the init
//   is_observed  a wait has seen the last of them complete; 1 before the first
//   entry        the contributions to the phase under way, in the order in which they came
//   lost         how many came when `entry` was full; they are in `total` all the same
//   before       the contributions to the phase that completed last, `befores` of them; 0 before the first
//   wiped        what an mbarrier.init has discarded: contributions to a phase that had not completed, or that came
//                before the first init; who came last of these is `early`, if has_early
//   broke        what has set the error bit since the init, if has_broke: it is no contribution
//   last_arrival, last_expect   who arrived last, and who expected bytes, since the init, in whatever phase; there is
//                one if has_arrival, has_expect
struct ledger {
    int is_used;
    uint32_t rank, address;
    enum barrier_life life;
    uint64_t inits, phases;
    int is_observed, has_arrival, has_expect, has_early, has_broke;
    struct event_origin init, last_arrival, last_expect, early, broke;
    int count, lost;
    struct mbarrier_transaction total;
    struct ledger_entry entry[LEDGER_ENTRIES];
    int befores;
    struct mbarrier_transaction total_before, wiped;
    struct ledger_entry before[LEDGER_ENTRIES];
};

// Pages by (rank, address). A barrier that finds no room has no page, and `lost` counts its events; move the book then.
struct ledger_book {
    struct ledger *page;
    uint32_t capacity, used, lost;
    uint64_t events;
};

// An empty book of `capacity` pages, at least 1.
void ledger_book_start(struct ledger_book *book, struct ledger *pages, uint32_t capacity);

// Moves everything to other pages, of which there are at least book->used; the old ones are free then.
void ledger_book_move(struct ledger_book *book, struct ledger *pages, uint32_t capacity);

// The page of a barrier, or NULL if nothing was heard of it.
const struct ledger *ledger_find(const struct ledger_book *book, uint32_t rank, uint32_t address);

// Writes an event of a barrier (EVENT_BARRIER; others are passed over) into the book `book`; the function of an
// observer.
void ledger_hear(void *book, const struct event *event);

// The end of an asynchronous operation has set the error bit, of which no event tells.
void ledger_break(struct ledger_book *book, uint32_t rank, uint32_t address, const struct event_origin *origin);

// The 8 bytes are written by something else than a barrier's operation: nothing is known of them.
void ledger_forget(struct ledger_book *book, uint32_t rank, uint32_t address);

#endif
