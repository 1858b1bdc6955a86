// SPDX-License-Identifier: MIT
// A wait that let its thread pass too early: it returned for a phase that was over, or before bytes had come for the
// first time. Its thread does not wait; those who do, or whose arrivals come too soon, suffer from it.
#include <string.h>

#include "flight_item.h"
#include "hang.h"
#include "report.h"

enum { PLACE_BYTES = 160 };

static bool brings_bytes(const struct ledger *page)
{
    bool brings = page->has_expect;
    for (int i = 0; i < page->count; i++) brings |= page->entry[i].origin.operation != 0;
    for (int i = 0; i < page->befores; i++) brings |= page->before[i].origin.operation != 0;
    return brings;
}

// The mbarrier has gone on since the wait saw nothing new, or the warp went on from there to do what it should not: one
// that is filled once may be waited for again and again.
static bool is_stale(const struct flight_seen *seen, const struct ledger *page, const struct flight_warp *suspect)
{
    const bool is_last = suspect != NULL && suspect->last.rank == seen->rank && suspect->last.address == seen->address;
    return seen->stales > 0 && (page->phases > seen->stale_phases || page->count > 0 || is_last);
}

static bool add_early(struct machine_text *to, struct machine_cluster *cluster, const struct machine_warp *warp,
                      const struct flight_seen *seen, bool is_suspect)
{
    const struct ledger *page = ledger_find(cluster->flights->unit.ledgers, seen->rank, seen->address);
    char name[PLACE_BYTES], place[PLACE_BYTES];
    if (!seen->is_used || page == NULL || page->life != BARRIER_LIVE || seen->inits != page->inits) return false;
    const bool stale = is_stale(seen, page, is_suspect ? flight_warp_of(warp) : NULL),
               early = seen->was_early && brings_bytes(page);
    if (!stale && !early) return false;
    hang_name(cluster, seen->rank, seen->address, name, sizeof name);
    machine_text_add(to, "a wait of warp %u", warp->index);
    if (cluster->ctas > 1) machine_text_add(to, " of CTA %u in the cluster", warp->cta->rank);
    machine_text_add(to, " for %s (%s) ", name,
                     hang_line(cluster->machine, stale ? seen->stale_line : seen->line,
                               stale ? seen->stale_called_at : seen->called_at, place, sizeof place));
    if (stale)
        machine_text_add(to, "returned at once, because it had the parity of the phase that it had waited for before. "
                             "The parity must flip each time that the mbarrier is used again.");
    else
        machine_text_add(to,
                         "had parity 1 the first time, so it returned before any bytes had come. The first wait for "
                         "a full buffer must have parity 0.");
    return true;
}

// A wait of barrier.cluster without an arrive before it: whoever is behind it is ahead of the others.
static bool add_unarrived(struct machine_text *to, const struct machine_cluster *cluster)
{
    const struct flight_meeting *meeting = &cluster->flights->meeting;
    char place[PLACE_BYTES];
    if (meeting->unarrived == NULL) return false;
    machine_text_add(to,
                     "warp %u of CTA %u in the cluster did not wait at barrier.cluster.wait (%s), because it had not "
                     "arrived: barrier.cluster.arrive is missing before it.",
                     meeting->unarrived->index, meeting->unarrived->cta->rank,
                     hang_line(cluster->machine, meeting->line, meeting->called_at, place, sizeof place));
    return true;
}

bool hang_add_early(struct machine_text *to, struct machine_cluster *cluster, const struct machine_warp *suspect)
{
    if (add_unarrived(to, cluster)) return true;
    for (uint32_t rank = 0; rank < cluster->ctas; rank++)
        for (uint32_t i = 0; i < cluster->cta[rank].warps; i++)
            for (int s = 0; s < FLIGHT_SEEN; s++) {
                const struct machine_warp *warp = &cluster->cta[rank].warp[i];
                if (add_early(to, cluster, warp, &flight_warp_of(warp)->seen[s], warp == suspect)) return true;
            }
    return false;
}

// --- An arrival too many ---------------------------------------------------------------------------------------------

static const char *line_of(const struct machine_cluster *cluster, const struct event_origin *who, char *text,
                           size_t bytes)
{
    return hang_line(cluster->machine, who->line, who->called_at, text, bytes);
}

// Have others arrived from the line of this arrival, in the first phase of the mbarrier? Then each of them is meant to.
static bool come_from_one_line(const struct machine_strand *strand, const struct ledger *page)
{
    const struct machine *machine = strand->warp->cta->cluster->machine;
    const struct ptx_function *source = strand->frame->function->source;
    const struct machine_code *code = &strand->frame->function->code[strand->pc];
    const struct event_origin own = {.line = source->instruction[code->instruction].line,
                                     .called_at = machine_called_at(strand->frame)};
    for (int i = 0; page->phases == 0 && i < page->count; i++) {
        const struct event_origin *who = &page->entry[i].origin;
        if ((who->warp != strand->warp->index || who->cta != strand->warp->cta->number) &&
            hang_is_same_origin(machine, who, &own))
            return true;
    }
    return false;
}

// Another that has come to the phase more often than it has lanes; NULL: nobody has.
static const struct event_origin *who_came_twice(const struct machine_strand *strand, const struct ledger *page)
{
    for (int i = 0; i < page->count; i++) {
        const struct event_origin *who = &page->entry[i].origin;
        const bool is_own = who->warp == strand->warp->index && who->cta == strand->warp->cta->number;
        const uint64_t lanes = (uint64_t)__builtin_popcount(who->lanes);
        const bool is_twice = lanes > 0 && page->entry[i].transaction.arrivals >= 2 * lanes;
        if (!is_own && who->operation == 0 && is_twice) return who;
    }
    return NULL;
}

static void add_twice(struct machine_text *to, const struct machine_cluster *cluster, const struct event_origin *who,
                      const struct ledger *page)
{
    char place[PLACE_BYTES], init[PLACE_BYTES];
    machine_text_add(to,
                     "warp %u came twice in this phase, at %s: the second time belongs to the next phase, and the wait "
                     "before it is missing or returned at once. If it is meant to come twice, the count of init (%s) "
                     "is too low.",
                     who->warp, line_of(cluster, who, place, sizeof place),
                     line_of(cluster, &page->init, init, sizeof init));
}

// What the wait before it saw; NULL: it is not known.
static const struct flight_seen *seen_last(const struct machine_strand *strand)
{
    struct flight_warp *warp = flight_warp_of(strand->warp);
    const struct flight_seen *seen = flight_seen_of(warp, warp->last.rank, warp->last.address);
    return (warp->last.lanes & strand->lanes) != 0 && seen->is_used && seen->rank == warp->last.rank &&
                   seen->address == warp->last.address
               ? seen
               : NULL;
}

static void add_general(struct machine_text *to, struct machine_cluster *cluster, const struct flight_seen *seen)
{
    const struct ledger *page =
        seen != NULL ? ledger_find(cluster->flights->unit.ledgers, seen->rank, seen->address) : NULL;
    char place[PLACE_BYTES];
    machine_text_add(to,
                     "this arrival belongs to the next phase, or to another mbarrier. The wait before it is missing or "
                     "returned at once because it had the parity of another phase, or the arrival names the wrong "
                     "stage.");
    if (page != NULL && page->life == BARRIER_LIVE)
        machine_text_add(to,
                         " Or the mbarrier of that wait completed too early: its count of init (%s) is lower than its "
                         "arrivals, or who arrived had not waited.",
                         line_of(cluster, &page->init, place, sizeof place));
}

void hang_explain_arrival(struct machine_text *to, const struct machine_strand *strand, const struct ledger *page,
                          const struct mbarrier_fields *now)
{
    struct machine_cluster *cluster = strand->warp->cta->cluster;
    char place[PLACE_BYTES], early[1024] = "";
    struct machine_text sentence = {early, 0, sizeof early};
    if (hang_add_early(&sentence, cluster, strand->warp)) {
        machine_text_add(to, "\n    Likely: %s", early);
    } else if (who_came_twice(strand, page) != NULL) {
        machine_text_add(to, "\n    Likely: ");
        add_twice(to, cluster, who_came_twice(strand, page), page);
    } else if (page->phases == 0 && (now->pending > 0 || come_from_one_line(strand, page))) {
        machine_text_add(to, "\n    Likely: the count of init (%s), %u, is lower than the arrivals of a phase.",
                         line_of(cluster, &page->init, place, sizeof place), now->expected);
    } else {
        machine_text_add(to, "\n    Likely: ");
        add_general(to, cluster, seen_last(strand));
    }
}

// Has the warp come to a barrier of the CTA? Of one of the cluster nobody notes it: 1.
static bool has_met(const struct machine_warp *warp, const struct machine_code *barrier)
{
    static const char of_cluster[] = "barrier.cluster";
    bool has = strncmp(ptx_form_row(barrier->choice->form)->opcode, of_cluster, sizeof of_cluster - 1) == 0;
    for (uint32_t i = 0; i < warp->meets && i < MACHINE_MET; i++) has |= warp->met[i].code == barrier;
    return has || warp->meets > MACHINE_MET;
}

void hang_explain_uninitialised(struct machine_text *to, const struct machine_strand *strand)
{
    const struct machine_function *function = strand->frame->function;
    const struct machine_code *barrier = hang_barrier_behind_init(function);
    char place[PLACE_BYTES];
    machine_text_add(to, "the init is missing, or there is no barrier of all threads after it.");
    if (barrier == NULL) return;
    hang_line(strand->warp->cta->cluster->machine, function->source->instruction[barrier->instruction].line, 0, place,
              sizeof place);
    machine_text_add(to,
                     has_met(strand->warp, barrier) ? " The first barrier behind an init is at %s."
                                                    : " This warp has not come to the one at %s.",
                     place);
}

// The error bit is set: which operation did it.
void hang_explain_error(struct machine_text *to, const struct machine_cluster *cluster, const struct ledger *page,
                        const struct mbarrier_fields *now)
{
    char place[PLACE_BYTES], init[PLACE_BYTES];
    if (!page->has_broke) return;
    machine_text_add(to,
                     "\n    Likely: CTA %llu, warp %u at %s came once too often: "
                     "the count of init (%s), %u, is lower than the arrivals of a phase, or they belong to the next "
                     "phase.",
                     (unsigned long long)page->broke.cta, page->broke.warp,
                     line_of(cluster, &page->broke, place, sizeof place),
                     line_of(cluster, &page->init, init, sizeof init), now->expected);
}

void hang_add_neighbour(struct machine_text *to, struct machine_cluster *cluster, uint32_t rank, uint32_t address)
{
    const struct ledger_book *book = cluster->flights->unit.ledgers;
    const struct ledger *page = ledger_find(book, rank, address - MBARRIER_BYTES);
    char place[PLACE_BYTES];
    if (page == NULL || page->life != BARRIER_LIVE) page = ledger_find(book, rank, address + MBARRIER_BYTES);
    if (page == NULL || page->life != BARRIER_LIVE) return;
    machine_text_add(to, "; the one %s it was initialised at %s", page->address < address ? "before" : "behind",
                     line_of(cluster, &page->init, place, sizeof place));
}
