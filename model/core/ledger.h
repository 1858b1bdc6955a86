// SPDX-License-Identifier: MIT
// The barrier ledger: who contributed what to the current phase of an mbarrier. The word itself is in sync/mbarrier.h;
// it only knows what is missing, the ledger knows who came. Memory is the caller's.
#ifndef TMAREF_LEDGER_H
#define TMAREF_LEDGER_H

#include "event.h"

enum { LEDGER_ENTRIES = 32 };

// One contribution, and who made it.
struct ledger_entry {
    struct event_origin origin;
    struct mbarrier_transaction transaction;
};

// The contributions to phase `phase` (0 after init), in the order in which they came. `lost`: how many came after the
// ledger was full; they are in `total` all the same.
struct ledger {
    uint64_t phase;
    int count, lost;
    struct mbarrier_transaction total;
    struct ledger_entry entry[LEDGER_ENTRIES];
};

// An empty ledger for phase `phase`.
void ledger_start(struct ledger *ledger, uint64_t phase);

// Adds a contribution; one of the same origin as the last is added up with it.
void ledger_add(struct ledger *ledger, const struct ledger_entry *entry);

#endif
