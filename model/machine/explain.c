// SPDX-License-Identifier: MIT
// What is said of an mbarrier, in a hang and at a break: its name, its phase, what is missing, who has come, and what
// would complete it.
#include "explain.h"

#include <string.h>

#include "cluster.h"
#include "flight_item.h"
#include "report.h"

enum { ROUNDS_OF_A_TRY = 16 };

static void add_origin(struct machine_text *text, const struct machine *machine, const struct event_origin *who)
{
    char place[256];
    machine_text_add(text, "CTA %llu warp %u%s", (unsigned long long)who->cta, who->warp,
                     who->operation != 0 ? " (a copy)" : "");
    if (machine_line_place(machine, who->line, place, sizeof place) > 0) machine_text_add(text, " at %s", place);
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

static void add_ledger(struct machine_text *text, const struct machine *machine, const struct ledger *page)
{
    if (page == NULL || page->life == BARRIER_NONE) {
        machine_text_add(text, "\n    No mbarrier.init has created a barrier there.");
        return;
    }
    if (page->life == BARRIER_DROPPED) machine_text_add(text, "\n    mbarrier.inval has invalidated it.");
    machine_text_add(text, "\n    %llu phase%s completed since its init. In the current phase %s",
                     (unsigned long long)page->phases, page->phases == 1 ? " has" : "s have",
                     page->count == 0 ? "nothing has arrived." : "these arrived:");
    for (int i = 0; i < page->count; i++) add_entry(text, machine, &page->entry[i]);
    if (page->lost > 0) machine_text_add(text, "\n      and %d more", page->lost);
    if (page->has_arrival && page->total.arrivals == 0) {
        machine_text_add(text, "\n    The last arrival was in an earlier phase: ");
        add_origin(text, machine, &page->last_arrival);
    }
    if (page->has_expect && page->total.expect_bytes == 0) {
        machine_text_add(text, "\n    The last expect_tx was in an earlier phase: ");
        add_origin(text, machine, &page->last_expect);
    }
}

static void add_needed(struct machine_text *text, const struct mbarrier_fields *now)
{
    machine_text_add(text, "\n    The phase completes with ");
    if (now->pending > 0) machine_text_add(text, "%u more arrival%s", now->pending, now->pending == 1 ? "" : "s");
    if (now->pending > 0 && now->tx != 0) machine_text_add(text, " and ");
    if (now->tx > 0) machine_text_add(text, "copies (or complete_tx) of %d more bytes that name it", now->tx);
    if (now->tx < 0)
        machine_text_add(text, "expect_tx of %d more bytes: more bytes arrived than were expected", -now->tx);
    machine_text_add(text, ".");
}

static void add_state(struct machine_text *text, struct machine_cluster *cluster, const struct mbarrier_fields *now,
                      uint32_t rank, uint32_t address)
{
    machine_text_add(text, "Its current phase has parity %d: %u of %u arrivals and %d bytes are missing.", now->phase,
                     now->pending, now->expected, now->tx);
    if (now->error) machine_text_add(text, " Its error bit is set: a remote or asynchronous operation broke a rule.");
    add_needed(text, now);
    add_ledger(text, cluster->machine, ledger_find(cluster->flights->unit.ledgers, rank, address));
}

// "full (shared address 0x800 of CTA 0 in the cluster)"
static void add_name(struct machine_text *text, const struct machine *machine, uint32_t rank, uint32_t address)
{
    char name[128];
    if (machine_shared_name(machine, address, name, sizeof name) > 0) machine_text_add(text, "%s: ", name);
    machine_text_add(text, "shared address %#x of CTA %u in the cluster", address, rank);
}

static int read_word(struct machine_cluster *cluster, uint32_t rank, uint32_t address, struct mbarrier_fields *now)
{
    uint64_t word;
    const uint8_t *at = cluster_memory_at(cluster->flights->unit.cluster, rank, address, MBARRIER_BYTES);
    if (at == NULL) return 0;
    memcpy(&word, at, sizeof word);
    *now = mbarrier_unpack(word);
    return 1;
}

// Does the strand still try the wait of its warp that failed last? One that polls lets others run at each try: what it
// has not tried for some rounds it has left.
static int is_trying(const struct machine_strand *strand)
{
    const struct flight_warp *wait = flight_warp_of(strand->warp);
    return wait->waits && (wait->wait_lanes & strand->lanes) != 0 &&
           strand->round - wait->wait_round <= ROUNDS_OF_A_TRY;
}

static int is_warp_trying(const struct machine_warp *warp)
{
    int is_trying_one = 0;
    for (uint32_t i = 0; i < warp->strands; i++) is_trying_one |= is_trying(&warp->strand[i]);
    return is_trying_one;
}

uint32_t machine_flights_wait_at(const struct machine_strand *strand)
{
    const struct flight_warp *wait = flight_warp_of(strand->warp);
    int is_its = is_trying(strand) && wait->wait_function == strand->frame->function;
    return is_its ? wait->wait_instruction : UINT32_MAX;
}

// Does a warp before this one wait for the same? Then it has been told what there is to tell.
static int is_told(const struct machine_warp *warp, const struct flight_warp *wait)
{
    const struct machine_cluster *cluster = warp->cta->cluster;
    for (uint32_t rank = 0; rank < cluster->ctas; rank++)
        for (uint32_t i = 0; i < cluster->cta[rank].warps; i++) {
            const struct machine_warp *other = &cluster->cta[rank].warp[i];
            const struct flight_warp *its = flight_warp_of(other);
            if (its == wait) return 0;
            if (its->wait_rank == wait->wait_rank && its->wait_address == wait->wait_address && is_warp_trying(other))
                return 1;
        }
    return 0;
}

size_t machine_flights_explain(const struct machine_warp *warp, char *text, size_t bytes)
{
    const struct flight_warp *wait = flight_warp_of(warp);
    struct machine_cluster *cluster = warp->cta->cluster;
    struct machine_text to = {text, 0, bytes};
    struct mbarrier_fields now;
    if (bytes > 0) text[0] = 0;
    if (!is_warp_trying(warp) || !read_word(cluster, wait->wait_rank, wait->wait_address, &now)) return 0;
    machine_text_add(&to, "It waits for the mbarrier ");
    add_name(&to, cluster->machine, wait->wait_rank, wait->wait_address);
    if (wait->wait_is_parity)
        machine_text_add(&to, ", until the phase with parity %u completes", (unsigned)(wait->wait_operand & 1));
    machine_text_add(&to, ".");
    if (is_told(warp, wait)) return to.used;
    machine_text_add(&to, "\n    ");
    add_state(&to, cluster, &now, wait->wait_rank, wait->wait_address);
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
