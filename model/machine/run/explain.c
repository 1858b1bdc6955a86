// SPDX-License-Identifier: MIT
// What is said of an mbarrier at a fault and at a break: its name, its phase, what is missing, who has
// come, what would complete it, and the mistake that most often looks so.
#include "explain.h"

#include <string.h>

#include "cluster.h"
#include "flight_item.h"
#include "hang.h"
#include "report.h"
#include "rules/mbarrier.h"

enum { BULK_UNIT = 16 };

static void add_origin(struct machine_text *text, const struct machine *machine, const struct event_origin *who)
{
    char place[256];
    machine_text_add(text, "CTA %llu warp %u%s", (unsigned long long)who->cta, who->warp,
                     who->operation != 0 ? " (a copy)" : "");
    if (machine_line_place(machine, who->line, who->called_at, place, sizeof place) > 0)
        machine_text_add(text, " at %s", place);
}

static void add_entry(struct machine_text *text, const struct machine *machine, const struct ledger_entry *entry)
{
    const struct mbarrier_transaction *t = &entry->transaction;
    machine_text_add(text, "\n      ");
    add_origin(text, machine, &entry->origin);
    if (t->arrivals != 0) machine_text_add(text, ", arrived %llu", (unsigned long long)t->arrivals);
    if (t->expect_bytes != 0) machine_text_add(text, ", expected %llu bytes", (unsigned long long)t->expect_bytes);
    if (t->complete_bytes != 0) machine_text_add(text, ", brought %llu bytes", (unsigned long long)t->complete_bytes);
}

static const struct ledger *page_of(const struct machine_cluster *cluster, uint32_t rank, uint32_t address)
{
    return ledger_find(cluster->flights->unit.ledgers, rank, address);
}

static bool is_made(const struct ledger *page)
{
    return page != NULL && page->life != BARRIER_NONE;
}

static const struct machine_warp *warp_of(const struct machine_cluster *cluster, const struct event_origin *who)
{
    for (uint32_t rank = 0; rank < cluster->ctas; rank++)
        if (cluster->cta[rank].number == who->cta && who->warp < cluster->cta[rank].warps)
            return &cluster->cta[rank].warp[who->warp];
    return NULL;
}

static void add_last(struct machine_text *text, const struct machine_cluster *cluster, const char *what,
                     const struct event_origin *who)
{
    const struct machine_warp *warp = warp_of(cluster, who);
    machine_text_add(text, "\n    The last %s was in an earlier phase: ", what);
    add_origin(text, cluster->machine, who);
    if (warp != NULL && warp->live == 0) machine_text_add(text, ". That warp has exited");
}

static void add_init(struct machine_text *text, const struct machine *machine, const struct ledger *page)
{
    machine_text_add(text, "\n    mbarrier.init created it: ");
    add_origin(text, machine, &page->init);
    if (page->inits > 1)
        machine_text_add(text,
                         ". This was its init number %llu. Each init starts at parity 0 and discards what has arrived",
                         (unsigned long long)page->inits);
}

static void add_ledger(struct machine_text *text, const struct machine_cluster *cluster, const struct ledger *page)
{
    const struct machine *machine = cluster->machine;
    if (page->life == BARRIER_DROPPED) machine_text_add(text, "\n    mbarrier.inval has invalidated it.");
    add_init(text, machine, page);
    machine_text_add(text, "\n    %llu phase%s completed since its init. In the current phase %s",
                     (unsigned long long)page->phases, page->phases == 1 ? " has" : "s have",
                     page->count == 0 ? "nothing has arrived." : "these arrived:");
    for (int i = 0; i < page->count; i++) add_entry(text, machine, &page->entry[i]);
    if (page->lost > 0) machine_text_add(text, "\n      and %d more", page->lost);
    if (page->has_arrival && page->total.arrivals == 0) add_last(text, cluster, "arrival", &page->last_arrival);
    if (page->has_expect && page->total.expect_bytes == 0) add_last(text, cluster, "expect_tx", &page->last_expect);
}

static void add_needed(struct machine_text *text, const struct mbarrier_fields *now)
{
    if (now->pending == 0 && now->tx == 0) return; // no word of a barrier
    machine_text_add(text, "\n    The phase completes with ");
    if (now->pending > 0) machine_text_add(text, "%u more arrival%s", now->pending, now->pending == 1 ? "" : "s");
    if (now->pending > 0 && now->tx != 0) machine_text_add(text, " and ");
    if (now->tx > 0) machine_text_add(text, "copies (or complete_tx) of %d more bytes that name it", now->tx);
    if (now->tx < 0)
        machine_text_add(text, "expect_tx of %d more bytes: more bytes arrived than were expected", -now->tx);
    machine_text_add(text, ".");
}

// --- The mistake that most often looks so ----------------------------------------------------------------------------

static void add_missing(struct machine_text *text, const struct mbarrier_fields *now)
{
    machine_text_add(text, "%u of %u arrivals and ", now->pending, now->expected);
    if (now->tx >= 0)
        machine_text_add(text, "%d bytes are missing.", now->tx);
    else
        machine_text_add(text, "no bytes are missing: %d more came than were expected.", -now->tx);
}

static void add_state(struct machine_text *text, struct machine_cluster *cluster, const struct mbarrier_fields *now,
                      uint32_t rank, uint32_t address)
{
    const struct ledger *page = page_of(cluster, rank, address);
    if (!is_made(page)) {
        machine_text_add(text, "No mbarrier.init has created a barrier there.");
        return;
    }
    machine_text_add(text, "Its current phase has parity %d: ", now->phase);
    add_missing(text, now);
    if (now->error) machine_text_add(text, " Its error bit is set: a remote or asynchronous operation broke a rule.");
    add_needed(text, now);
    add_ledger(text, cluster, page);
}

// "full (shared address 0x800 of CTA 0 in the cluster)"
static void add_name(struct machine_text *text, const struct machine *machine, uint32_t rank, uint32_t address)
{
    char name[128];
    if (machine_shared_name(machine, address, name, sizeof name) > 0) machine_text_add(text, "%s: ", name);
    machine_text_add(text, "shared address %#x of CTA %u in the cluster", address, rank);
}

static bool read_word(struct machine_cluster *cluster, uint32_t rank, uint32_t address, struct mbarrier_fields *now)
{
    uint64_t word;
    const uint8_t *at = cluster_memory_at(cluster->flights->unit.cluster, rank, address, MBARRIER_BYTES);
    if (at == NULL) return false;
    memcpy(&word, at, sizeof word);
    *now = mbarrier_unpack(word);
    return true;
}

// What an instruction of the CTA of rank `rank` found that broke a rule of its barrier.
size_t machine_mbarrier_fault_explain(const struct machine_strand *strand, uint32_t rank, uint32_t address,
                                      enum rule rule, char *text, size_t bytes)
{
    struct machine_cluster *cluster = strand->warp->cta->cluster;
    struct machine_text to = {text, 0, bytes};
    struct mbarrier_fields now;
    if (bytes > 0) text[0] = 0;
    if (!read_word(cluster, rank, address, &now)) return 0;
    machine_text_add(&to, "\n    ");
    add_state(&to, cluster, &now, rank, address);
    const struct ledger *page = page_of(cluster, rank, address);
    if (!is_made(page)) {
        machine_text_add(&to, "\n    Likely: ");
        hang_explain_uninitialised(&to, strand);
    } else if (rule == RULE_MBARRIER_ARRIVALS)
        hang_explain_arrival(&to, strand, page, &now);
    else if (rule == RULE_MBARRIER_ERROR)
        hang_explain_error(&to, cluster, page, &now);
    return to.used;
}

size_t machine_mbarriers_explain(struct machine_cluster *cluster, uint32_t rank, char *text, size_t bytes)
{
    const struct ledger_book *book = cluster->flights->unit.ledgers;
    struct machine_text to = {text, 0, bytes};
    if (bytes > 0) text[0] = 0;
    for (uint32_t i = 0; i < book->capacity; i++) {
        const struct ledger *page = &book->page[i];
        struct mbarrier_fields now;
        if (!page->is_used || page->rank != rank || page->life != BARRIER_LIVE) continue;
        if (!read_word(cluster, rank, page->address, &now)) continue;
        machine_text_add(&to, "%s", to.used > 0 ? "\n  " : "  ");
        add_name(&to, cluster->machine, rank, page->address);
        machine_text_add(&to, ".\n    ");
        add_state(&to, cluster, &now, rank, page->address);
    }
    return to.used;
}
