// SPDX-License-Identifier: MIT
// The barrier ledger: who contributed what to the current phase of an mbarrier. The word itself is in sync/mbarrier.h;
// it only knows what is missing, the ledger knows who came. Memory is the caller's.
#ifndef TMAREF_LEDGER_H
#define TMAREF_LEDGER_H

#include "access.h"

enum { LEDGER_ENTRIES = 32 };

// What one transaction does to a barrier, already summed over the lanes of the warp instruction. 64 bits hold every
// sum of 32 lanes, so the model never wraps. An H200 faults (719) for 2 lanes of 2^31, 4 of 2^30, 32 of 2^27 and 3 of
// 2^31, with arrive, arrive_drop, expect_tx, complete_tx and arrive.expect_tx: so either the sum does not wrap at 2^32,
// or an operand above 2^20 - 1 faults by itself.
struct mbarrier_transaction {
    uint64_t arrivals, expect_bytes, complete_bytes;
    int drop; // arrivals leave the expected count too
};

// One contribution, to the barrier at shared address `address` of CTA `cta`.
struct ledger_entry {
    struct access_origin origin;
    uint32_t cta, address;
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
