// SPDX-License-Identifier: MIT
#include "ledger.h"

#include <stddef.h>

static void add(struct mbarrier_transaction *sum, const struct mbarrier_transaction *transaction)
{
    sum->arrivals += transaction->arrivals;
    sum->expect_bytes += transaction->expect_bytes;
    sum->complete_bytes += transaction->complete_bytes;
    sum->drop |= transaction->drop;
}

static int is_same(const struct event_origin *a, const struct event_origin *b)
{
    return a->launch == b->launch && a->cta == b->cta && a->rank == b->rank && a->warp == b->warp &&
           a->lanes == b->lanes && a->operation == b->operation && a->file == b->file && a->line == b->line;
}

void ledger_start(struct ledger *ledger, uint64_t phase)
{
    ledger->phase = phase;
    ledger->count = ledger->lost = 0;
    ledger->total = (struct mbarrier_transaction){0};
}

void ledger_add(struct ledger *ledger, const struct ledger_entry *entry)
{
    struct ledger_entry *last = ledger->count > 0 ? &ledger->entry[ledger->count - 1] : NULL;
    add(&ledger->total, &entry->transaction);
    if (last != NULL && ledger->lost == 0 && is_same(&last->origin, &entry->origin))
        add(&last->transaction, &entry->transaction);
    else if (ledger->count < LEDGER_ENTRIES)
        ledger->entry[ledger->count++] = *entry;
    else
        ledger->lost++;
}
