// SPDX-License-Identifier: MIT
// Who goes round a ring of mbarriers comes to each once in a round. Whoever is missing at one, and has come twice to
// another since it was here, has left this one out.
#include "flight_item.h"
#include "hang.h"
#include "report.h"

enum { PLACE_BYTES = 160 };

// "warp 4", and the CTA if it is another's.
void hang_add_warp(struct machine_text *text, const struct hang_wait *wait, const struct hang_part *part)
{
    machine_text_add(text, "warp %u", part->warp->index);
    if (part->cta->rank != wait->strand[0]->warp->cta->rank)
        machine_text_add(text, " of CTA %u in the cluster", part->cta->rank);
}

const char *hang_act_of(const struct hang_part *part)
{
    return hang_does(part, HANG_ARRIVES) ? "arrived" : hang_does(part, HANG_BRINGS) ? "copied" : "expected bytes";
}

// Did the same instruction of the same warp make the contribution, after `when`?
static int is_again(const struct hang_wait *wait, const struct hang_part *part, const struct ledger_entry *entry,
                    uint64_t when)
{
    const struct event_origin own = {.line = part->line, .called_at = part->called_at};
    return entry->when > when && part->warp != NULL && entry->origin.cta == part->cta->number &&
           entry->origin.warp == part->warp->index && (entry->origin.operation != 0) == part->is_copy &&
           hang_is_same_origin(wait->cluster->machine, &entry->origin, &own);
}

static int has_any(const struct hang_wait *wait, const struct hang_part *part, const struct ledger_entry *entry,
                   int entries, uint64_t when)
{
    for (int i = 0; i < entries; i++)
        if (is_again(wait, part, &entry[i], when)) return 1;
    return 0;
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

int hang_left_out(struct hang_wait *wait, const struct hang_part *part)
{
    const struct ledger *other = left_out_for(wait, part);
    char name[PLACE_BYTES];
    if (other == NULL) return 0;
    struct machine_text to = hang_likely(wait, HANG_CERTAIN + 3);
    hang_add_warp(&to, wait, part);
    machine_text_add(&to, " %s", hang_act_of(part));
    hang_add_line(&to, wait, part);
    hang_name(wait->cluster, other->rank, other->address, name, sizeof name);
    machine_text_add(&to, " twice for %s", name);
    if (other->rank != wait->rank) machine_text_add(&to, " of CTA %u in the cluster", other->rank);
    machine_text_add(&to, " since it did for this one: it left this one out, or did it for another mbarrier.");
    return 1;
}
