// SPDX-License-Identifier: MIT
// Are two mbarriers of one kind, such as `full` of two stages? One line often makes several kinds, in a loop or in a
// helper. What a barrier is for shows where it is waited for, and while nobody has, where threads arrive at it.
#include "flight_item.h"
#include "hang.h"

// Whether somebody has waited for a barrier, or does: at that place, or only elsewhere.
struct waited {
    bool is_known, is_there;
};

static void look_at(struct waited *waited, const struct machine *machine, const struct hang_wait *wait, uint32_t line,
                    uint32_t called_at)
{
    const struct machine_where where = machine_line_where(machine, line, called_at);
    const struct machine_caller a = machine_where_outer(&where), b = machine_where_outer(&wait->where);
    waited->is_known = true;
    waited->is_there |= line == wait->where.ptx_line || (a.line != 0 && a.line == b.line && a.file.at == b.file.at);
}

static void look_at_warp(struct waited *waited, const struct hang_wait *wait, const struct machine_warp *warp,
                         const struct ledger *other)
{
    const struct machine *machine = wait->cluster->machine;
    const struct flight_seen *seen = flight_seen_of(flight_warp_of(warp), other->rank, other->address);
    if (seen->is_used && seen->rank == other->rank && seen->address == other->address)
        look_at(waited, machine, wait, seen->line, seen->called_at);
    for (uint32_t i = 0; i < warp->strands; i++) {
        const struct flight_wait *at = flight_wait_of(&warp->strand[i]);
        if (at == NULL || at->rank != other->rank || at->address != other->address) continue;
        look_at(waited, machine, wait, at->function->source->instruction[at->code->instruction].line, at->called_at);
    }
}

// Has somebody come to both from one line?
static bool have_one_source(const struct hang_wait *wait, const struct ledger *page, const struct ledger *other)
{
    const struct machine *machine = wait->cluster->machine;
    for (int i = 0; i < page->count; i++) {
        for (int j = 0; j < other->befores; j++)
            if (hang_is_same_origin(machine, &page->entry[i].origin, &other->before[j].origin)) return true;
        for (int j = 0; j < other->count; j++)
            if (hang_is_same_origin(machine, &page->entry[i].origin, &other->entry[j].origin)) return true;
    }
    return false;
}

bool hang_is_same_kind(const struct hang_wait *wait, const struct ledger *page, const struct ledger *other)
{
    const struct machine_cluster *cluster = wait->cluster;
    struct waited waited = {false};
    if (!other->is_used || other == page || other->life != BARRIER_LIVE || other->rank != page->rank) return false;
    if (!hang_is_same_origin(cluster->machine, &other->init, &page->init)) return false;
    for (uint32_t rank = 0; rank < cluster->ctas; rank++)
        for (uint32_t i = 0; i < cluster->cta[rank].warps; i++)
            look_at_warp(&waited, wait, &cluster->cta[rank].warp[i], other);
    return waited.is_known ? waited.is_there : have_one_source(wait, page, other);
}
