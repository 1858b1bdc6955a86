// SPDX-License-Identifier: MIT
// An mbarrier at which somebody waits: its state, who has come to it in this phase, and who came in the phase before.
#include <stdlib.h>
#include <string.h>

#include "flight_item.h"
#include "hang.h"
#include "report.h"

static const struct machine_cta *cta_of(const struct machine_cluster *cluster, uint64_t number)
{
    for (uint32_t rank = 0; rank < cluster->ctas; rank++)
        if (cluster->cta[rank].number == number) return &cluster->cta[rank];
    return NULL;
}

static struct machine_caller caller_of(const struct machine *machine, uint32_t line, uint32_t called_at)
{
    const struct machine_where where = machine_line_where(machine, line, called_at);
    return machine_where_outer(&where);
}

static bool is_same_place(const struct machine_caller *a, const struct machine_caller *b)
{
    return a->line != 0 && a->line == b->line && a->file.at == b->file.at;
}

bool hang_is_same_line(const struct machine *machine, uint32_t one, uint32_t other)
{
    const struct machine_caller a = caller_of(machine, one, 0), b = caller_of(machine, other, 0);
    return one == other || is_same_place(&a, &b);
}

bool hang_is_same_origin(const struct machine *machine, const struct event_origin *one,
                         const struct event_origin *other)
{
    const struct machine_caller a = caller_of(machine, one->line, one->called_at);
    const struct machine_caller b = caller_of(machine, other->line, other->called_at);
    return (one->line == other->line && one->called_at == other->called_at) || is_same_place(&a, &b);
}

static struct hang_part part_of(const struct machine_cluster *cluster, const struct ledger_entry *entry)
{
    const struct machine_cta *cta = cta_of(cluster, entry->origin.cta);
    return (struct hang_part){.cta = cta,
                              .warp = cta != NULL && entry->origin.warp < cta->warps ? &cta->warp[entry->origin.warp]
                                                                                     : NULL,
                              .line = entry->origin.line,
                              .called_at = entry->origin.called_at,
                              .lanes = entry->origin.lanes,
                              .at = caller_of(cluster->machine, entry->origin.line, entry->origin.called_at),
                              .is_copy = entry->origin.operation != 0,
                              .transaction = entry->transaction,
                              .when = entry->when};
}

static bool is_of_same(const struct hang_part *a, const struct hang_part *b)
{
    return a->warp == b->warp && a->is_copy == b->is_copy &&
           ((a->line == b->line && a->called_at == b->called_at) || is_same_place(&a->at, &b->at));
}

static void add_transaction(struct mbarrier_transaction *sum, const struct mbarrier_transaction *more)
{
    sum->arrivals += more->arrivals;
    sum->expect_bytes += more->expect_bytes;
    sum->complete_bytes += more->complete_bytes;
}

// The contributions of a phase, one for each instruction of each warp.
static uint32_t set_parts(const struct machine_cluster *cluster, const struct ledger_entry *entry, int entries,
                          struct hang_part *part)
{
    uint32_t parts = 0;
    for (int i = 0; i < entries; i++) {
        const struct hang_part next = part_of(cluster, &entry[i]);
        uint32_t at = 0;
        while (at < parts && !is_of_same(&part[at], &next)) at++;
        if (at == parts)
            part[parts++] = next;
        else
            add_transaction(&part[at].transaction, &next.transaction), part[at].when = next.when;
    }
    return parts;
}

static bool is_less(const struct mbarrier_transaction *a, const struct mbarrier_transaction *b)
{
    return a->arrivals < b->arrivals || a->expect_bytes < b->expect_bytes || a->complete_bytes < b->complete_bytes;
}

// Which of those of the phase before have not come as often in this one.
static void mark_missing(struct hang_barrier *barrier)
{
    static const struct mbarrier_transaction none = {0};
    for (uint32_t i = 0; i < barrier->befores; i++) {
        const struct mbarrier_transaction *came = &none;
        for (uint32_t j = 0; j < barrier->parts; j++)
            if (is_of_same(&barrier->part[j], &barrier->before[i])) came = &barrier->part[j].transaction;
        barrier->before[i].is_missing = is_less(came, &barrier->before[i].transaction);
    }
}

// A barrier of the same CTA and kind with the same count that has completed a phase.
static const struct ledger *find_sibling(const struct hang_wait *wait, const struct ledger *page,
                                         const struct mbarrier_fields *now)
{
    const struct machine_cluster *cluster = wait->cluster;
    const struct ledger_book *book = cluster->flights->unit.ledgers;
    for (uint32_t i = 0; i < book->capacity; i++) {
        const struct ledger *other = &book->page[i];
        uint64_t word;
        if (!other->is_used || other->phases == 0 || !hang_is_same_kind(wait, page, other)) continue;
        const uint8_t *at = cluster_memory_at(cluster->flights->unit.cluster, other->rank, other->address, sizeof word);
        if (at == NULL) continue;
        memcpy(&word, at, sizeof word);
        if (mbarrier_unpack(word).expected == now->expected) return other;
    }
    return NULL;
}

static const struct machine_variable *variable_at(const struct machine *machine, uint32_t address)
{
    for (uint32_t i = 0; i < machine->kernel->shareds; i++) {
        const struct machine_variable *variable = &machine->kernel->shared[i];
        if (variable->bytes > 0 && address >= variable->at && address - variable->at < variable->bytes) return variable;
    }
    return NULL;
}

// Is the variable an array of barriers and of nothing else?
static bool is_array(const struct machine_cluster *cluster, uint32_t rank, const struct machine_variable *variable)
{
    uint64_t barriers = 0;
    const struct ledger_book *book = cluster->flights->unit.ledgers;
    for (uint32_t i = 0; i < book->capacity; i++) {
        const struct ledger *page = &book->page[i];
        barriers += page->is_used && page->rank == rank && page->address >= variable->at &&
                    page->address - variable->at < variable->bytes;
    }
    return variable->bytes > MBARRIER_BYTES && barriers * MBARRIER_BYTES == variable->bytes;
}

// "full", "full[2]", "smem + 0x8000", "at 0x408".
void hang_name(struct machine_cluster *cluster, uint32_t rank, uint32_t address, char *name, size_t bytes)
{
    const struct machine_variable *variable = variable_at(cluster->machine, address);
    const uint64_t offset = variable != NULL ? address - variable->at : 0;
    struct machine_text text = {name, 0, bytes};
    if (variable != NULL && is_array(cluster, rank, variable)) {
        machine_shared_name(cluster->machine, (uint32_t)variable->at, name, bytes);
        text.used = strlen(name);
        machine_text_add(&text, "[%llu]", (unsigned long long)(offset / MBARRIER_BYTES));
    } else if (machine_shared_name(cluster->machine, address, name, bytes) == 0) {
        machine_text_add(&text, "at 0x%x", address);
    }
}

struct hang_barrier *hang_read_barrier(const struct hang_wait *wait, uint32_t rank, uint32_t address)
{
    struct machine_cluster *cluster = wait->cluster;
    uint64_t word;
    struct hang_barrier *barrier = calloc(1, sizeof *barrier);
    const uint8_t *at = cluster_memory_at(cluster->flights->unit.cluster, rank, address, sizeof word);
    if (barrier == NULL) return NULL;
    hang_name(cluster, rank, address, barrier->name, sizeof barrier->name);
    if (at != NULL) {
        memcpy(&word, at, sizeof word);
        barrier->now = mbarrier_unpack(word);
    }
    const struct ledger *page = ledger_find(cluster->flights->unit.ledgers, rank, address);
    if (page == NULL || page->life == BARRIER_NONE) return barrier;
    barrier->page = page;
    barrier->pattern = page->phases > 0 ? page : find_sibling(wait, page, &barrier->now);
    barrier->parts = set_parts(cluster, page->entry, page->count, barrier->part);
    if (barrier->pattern != NULL)
        barrier->befores = set_parts(cluster, barrier->pattern->before, barrier->pattern->befores, barrier->before);
    mark_missing(barrier);
    return barrier;
}

void hang_free_barrier(struct hang_barrier *barrier)
{
    free(barrier);
}
