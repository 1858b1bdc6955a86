// SPDX-License-Identifier: MIT
// Who comes to a ring of mbarriers comes to each once in a round. Whoever is missing at one has left it out, if he has
// come twice to another since; or has parted, has exited, or waits elsewhere.
#include "flight_item.h"
#include "hang.h"
#include "report.h"

enum { PLACE_BYTES = 160 };

// "warp 4", and the CTA if it is another's.
static void hang_add_warp(struct machine_text *text, const struct hang_wait *wait, const struct hang_part *part)
{
    machine_text_add(text, "warp %u", part->warp->index);
    if (part->cta->rank != wait->strand[0]->warp->cta->rank)
        machine_text_add(text, " of CTA %u in the cluster", part->cta->rank);
}

static const char *hang_act_of(const struct hang_part *part)
{
    return hang_does(part, HANG_ARRIVES) ? "arrived" : hang_does(part, HANG_BRINGS) ? "copied" : "expected bytes";
}

// Did the same instruction of the same warp make the contribution, after `when`?
static bool is_again(const struct hang_wait *wait, const struct hang_part *part, const struct ledger_entry *entry,
                     uint64_t when)
{
    const struct event_origin own = {.line = part->line, .called_at = part->called_at};
    return entry->when > when && part->warp != NULL && entry->origin.cta == part->cta->number &&
           entry->origin.warp == part->warp->index && (entry->origin.operation != 0) == part->is_copy &&
           hang_is_same_origin(wait->cluster->machine, &entry->origin, &own);
}

static bool has_any(const struct hang_wait *wait, const struct hang_part *part, const struct ledger_entry *entry,
                    int entries, uint64_t when)
{
    for (int i = 0; i < entries; i++)
        if (is_again(wait, part, &entry[i], when)) return true;
    return false;
}

static const struct ledger *left_out_for(const struct hang_wait *wait, const struct hang_part *part)
{
    const struct ledger_book *book = wait->cluster->flights->unit.ledgers;
    const uint64_t when = wait->barrier->pattern == wait->barrier->page ? part->when : 0;
    for (uint32_t i = 0; i < book->capacity; i++) {
        const struct ledger *page = &book->page[i];
        if (!page->is_used || page == wait->barrier->page || page->life != BARRIER_LIVE) continue;
        if (has_any(wait, part, page->before, page->befores, when) &&
            has_any(wait, part, page->entry, page->count, when))
            return page;
    }
    return NULL;
}

// Has the missing one of the phase before done the same twice since, for another barrier (hang_cause_round.c)? Then it
// has left this one out: 1, and that is likely.
static bool hang_left_out(struct hang_wait *wait, const struct hang_part *part)
{
    const struct ledger *other = left_out_for(wait, part);
    char name[PLACE_BYTES];
    if (other == NULL) return false;
    struct machine_text to = hang_likely(wait, HANG_CERTAIN + 3);
    hang_add_warp(&to, wait, part);
    machine_text_add(&to, " %s", hang_act_of(part));
    hang_add_line(&to, wait, part);
    hang_name(wait->cluster, other->rank, other->address, name, sizeof name);
    machine_text_add(&to, " twice for %s", name);
    if (other->rank != wait->rank) machine_text_add(&to, " of CTA %u in the cluster", other->rank);
    machine_text_add(&to, " since it did for this one: it left this one out, or did it for another mbarrier.");
    return true;
}

const struct flight_seen *hang_seen_by(const struct hang_wait *wait)
{
    struct flight_seen *seen = flight_seen_of(flight_warp_of(wait->strand[0]->warp), wait->rank, wait->number);
    const bool is_it = seen->is_used && seen->rank == wait->rank && seen->address == wait->number;
    return is_it && wait->barrier->page != NULL && seen->inits == wait->barrier->page->inits ? seen : NULL;
}

// --- Who is missing --------------------------------------------------------------------------------------------------

// Can a strand of its warp do it again?
static bool can_come(const struct hang_part *part)
{
    bool can = false;
    for (uint32_t i = 0; i < part->warp->strands; i++) can |= hang_reaches_form(&part->warp->strand[i], part);
    return can;
}

// Has it completed fewer phases than what the missing warp waits for? Two that wait for each other take turns.
static bool is_behind(const struct hang_wait *wait, const struct hang_wait *its)
{
    return its != NULL && its->what == HANG_MBARRIER && its->barrier->page != NULL &&
           its->barrier->page->phases > wait->barrier->page->phases;
}

// Does one of its strands poll memory, while other lanes of it may wait for that one?
static bool is_polling(const struct machine_hang *hang, const struct machine_warp *warp)
{
    for (uint32_t i = 0; i < warp->strands; i++) {
        const struct hang_wait *its = hang_wait_of_strand(hang, &warp->strand[i]);
        if (its != NULL && its->what == HANG_MEMORY) return true;
    }
    return false;
}

// Has it come with some of its lanes? Then the others have parted from them. NULL: with none.
static const struct hang_part *came_in_part(const struct hang_wait *wait, const struct hang_part *before)
{
    for (uint32_t i = 0; i < wait->barrier->parts; i++) {
        const struct hang_part *part = &wait->barrier->part[i];
        if (part->warp == before->warp && part->transaction.arrivals > 0 && before->transaction.arrivals > 0 &&
            hang_is_same_line(wait->cluster->machine, part->line, before->line))
            return part;
    }
    return NULL;
}

static bool is_in_part(struct hang_wait *wait)
{
    for (uint32_t i = 0; i < wait->barrier->befores; i++) {
        const struct hang_part *before = &wait->barrier->before[i];
        const struct hang_part *part = before->is_missing ? came_in_part(wait, before) : NULL;
        if (part == NULL || before->warp == NULL) continue;
        struct machine_text to = hang_likely(wait, HANG_CERTAIN + 4);
        hang_add_warp(&to, wait, part);
        machine_text_add(&to, " came with %lld of its %lld arrivals", (long long)part->transaction.arrivals,
                         (long long)before->transaction.arrivals);
        hang_add_line(&to, wait, part);
        machine_text_add(&to, ": some of its lanes have left out this one, have left the loop, or wait elsewhere.");
        return true;
    }
    return false;
}

// Somebody came in the phase before, and has exited, or waits elsewhere now: of several the lowest warp is named, so
// that the same in many CTAs is told of once.
bool hang_somebody_is_missing(const struct machine_hang *hang, struct hang_wait *wait)
{
    const struct hang_barrier *barrier = wait->barrier;
    const struct hang_part *gone = NULL, *late = NULL;
    char place[PLACE_BYTES];
    for (uint32_t i = 0; i < barrier->befores; i++) {
        const struct hang_part *part = &barrier->before[i];
        if (!part->is_missing || part->warp == NULL) continue;
        const struct hang_part **first = part->warp->live == 0 ? &gone : &late;
        if (*first == NULL || hang_warp_index(part->warp) < hang_warp_index((*first)->warp)) *first = part;
    }
    const struct hang_part *part = gone != NULL ? gone : late;
    if (part == NULL) return false;
    if (is_in_part(wait)) return true;
    for (uint32_t i = 0; i < barrier->befores; i++)
        if (barrier->before[i].is_missing && barrier->before[i].warp != NULL &&
            hang_left_out(wait, &barrier->before[i]))
            return true;
    const struct hang_wait *its = hang_wait_of_part(hang, part);
    wait->score = HANG_GUESS;
    if (gone != NULL && hang_seen_by(wait) == NULL && barrier->page->phases > 1)
        return false;                                                             // the waiter itself is not next
    if (gone == NULL && is_polling(hang, part->warp)) wait->score = HANG_NOTHING; // what it polls for keeps it up
    if (wait->score == HANG_NOTHING) return false;
    const bool is_own = barrier->pattern == barrier->page;
    struct machine_text to = hang_likely(wait, gone != NULL ? HANG_CERTAIN - 1 : HANG_GUESS);
    hang_add_warp(&to, wait, part);
    machine_text_add(&to, " %s %s", hang_act_of(part), is_own ? "in the phase before" : "at a barrier made with it");
    hang_add_line(&to, wait, part);
    machine_text_add(&to, ", but has not %s", is_own ? "in this one" : "at this one");
    if (gone != NULL) {
        machine_text_add(
            &to, ", and has exited: it made a round less than the waiter, or left it out in one%s.",
            late == NULL || hang_wait_of(hang, late->warp) == wait ? ", or the wait is for a phase too many" : "");
        return true;
    }
    if (!can_come(part)) {
        wait->score = HANG_CERTAIN - 2;
        machine_text_add(&to, ", and cannot come to it again");
    } else if (is_behind(wait, its)) {
        wait->score += 6;
    } else if (its != NULL && its->what == HANG_BARRIER) {
        wait->score -= its->need[hang_warp_index(wait->strand[0]->warp)] ? 5 : 15; // for the waiter, or for others
    }
    machine_text_add(&to, ": it ");
    if (its != NULL && its == wait)
        machine_text_add(&to, "waits for it itself.");
    else if (its != NULL && its->what == HANG_CLUSTER)
        machine_text_add(&to, "waits at barrier.cluster (%s).", hang_place(its, place, sizeof place));
    else if (its != NULL)
        machine_text_add(&to, "is at %s.", hang_place(its, place, sizeof place));
    else
        machine_text_add(&to, "has not come to it.");
    if (its == wait) wait->score = HANG_LIKELY;
    return true;
}
