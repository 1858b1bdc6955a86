// SPDX-License-Identifier: MIT
// An mbarrier to which not as many bytes came as were expected: who expected them, who brought them, and where others
// went.
#include <string.h>

#include "flight_item.h"
#include "hang.h"
#include "report.h"

enum { BULK_UNIT = 16, PLACE_BYTES = 160 };

bool hang_does(const struct hang_part *part, enum hang_does what)
{
    const struct mbarrier_transaction *t = &part->transaction;
    return (what == HANG_EXPECTS ? t->expect_bytes : what == HANG_BRINGS ? t->complete_bytes : t->arrivals) > 0;
}

const struct hang_part *hang_first_that(const struct hang_part *part, uint32_t parts, enum hang_does what)
{
    for (uint32_t i = 0; i < parts; i++)
        if (hang_does(&part[i], what)) return &part[i];
    return NULL;
}

// " (pipe.cu:12)", or nothing.
void hang_add_line(struct machine_text *text, const struct hang_wait *wait, const struct hang_part *part)
{
    char place[PLACE_BYTES];
    if (part != NULL)
        machine_text_add(text, " (%s)",
                         hang_line(wait->cluster->machine, part->line, part->called_at, place, sizeof place));
}

// Another barrier of its CTA that has more bytes than it expects, and has its expect_tx, or has never had one
// while this one has no bytes at all: bytes may also come before their expect_tx.
static const struct ledger *overfull(const struct hang_wait *wait)
{
    const struct ledger_book *book = wait->cluster->flights->unit.ledgers;
    for (uint32_t i = 0; i < book->capacity; i++) {
        const struct ledger *page = &book->page[i];
        if (!page->is_used || page == wait->barrier->page || page->rank != wait->rank) continue;
        if (page->total.complete_bytes > page->total.expect_bytes &&
            (page->total.expect_bytes > 0 || (!page->has_expect && wait->barrier->page->total.complete_bytes == 0)))
            return page;
    }
    return NULL;
}

static int bytes_elsewhere(struct hang_wait *wait, const struct ledger *other)
{
    struct machine_text to = hang_likely(wait, HANG_CERTAIN + 8);
    char place[PLACE_BYTES];
    struct hang_barrier *barrier = hang_read_barrier(wait, other->rank, other->address);
    machine_text_add(&to, "%llu bytes went to another mbarrier, which did not expect them",
                     (unsigned long long)(other->total.complete_bytes - other->total.expect_bytes));
    if (barrier != NULL) machine_text_add(&to, ": %s of CTA %u in the cluster", barrier->name, other->rank);
    for (int i = 0; i < other->count; i++)
        if (other->entry[i].transaction.complete_bytes > 0) {
            machine_text_add(&to, ". The copy is at %s",
                             hang_line(wait->cluster->machine, other->entry[i].origin.line,
                                       other->entry[i].origin.called_at, place, sizeof place));
            break;
        }
    machine_text_add(&to, ". expect_tx and the copy must name the same mbarrier.");
    hang_free_barrier(barrier);
    return 1;
}

bool hang_is_of(const struct hang_wait *wait, const struct hang_part *part, const char *opcode)
{
    const struct ptx_name text = machine_line_where(wait->cluster->machine, part->line, 0).instruction;
    const size_t bytes = strlen(opcode);
    for (size_t i = 0; i + bytes <= text.length; i++)
        if (memcmp(text.at + i, opcode, bytes) == 0) return true;
    return false;
}

// Does a warp that has brought nothing wait at a barrier of its CTA or of the cluster, with such a copy on its way?
// Then it may bring the rest.
static bool may_bring_more(const struct machine_hang *hang, const struct hang_wait *wait,
                           const struct hang_part *brings)
{
    for (uint32_t i = 0; i < hang->waits; i++) {
        const struct hang_wait *other = &hang->wait[i];
        bool has_brought = other->cluster != wait->cluster;
        if (other->what != HANG_BARRIER && other->what != HANG_CLUSTER) continue;
        for (uint32_t p = 0; p < wait->barrier->parts; p++)
            has_brought |= wait->barrier->part[p].warp == other->strand[0]->warp;
        if (!has_brought && hang_reaches_form(other->strand[0], brings)) return true;
    }
    return false;
}

// Fewer bytes came than were expected.
int hang_too_few_bytes(const struct machine_hang *hang, struct hang_wait *wait)
{
    const struct hang_barrier *barrier = wait->barrier;
    const struct mbarrier_transaction *came = &barrier->page->total;
    const struct hang_part *expects = hang_first_that(barrier->part, barrier->parts, HANG_EXPECTS);
    const struct hang_part *brings = hang_first_that(barrier->part, barrier->parts, HANG_BRINGS);
    const struct ledger *pattern = barrier->pattern, *other = overfull(wait);
    const bool was_enough = pattern != NULL && pattern->total_before.complete_bytes >= came->expect_bytes;
    if (other != NULL) return bytes_elsewhere(wait, other);
    if (was_enough && wait->exited == 0 && came->complete_bytes == 0) return 0; // those that copied then wait now
    if (came->complete_bytes == 0) {
        struct machine_text to = hang_likely(wait, HANG_LIKELY);
        machine_text_add(&to, "no copy has signalled it: none was issued, or it names another mbarrier%s. expect_tx",
                         wait->cluster->ctas > 1 ? ", or its mask of CTAs leaves this one out" : "");
        hang_add_line(&to, wait, expects);
        machine_text_add(&to, " asks for %llu bytes.", (unsigned long long)came->expect_bytes);
        return 1;
    }
    if (was_enough && wait->exited == 0) return 0;
    const bool is_sure = !was_enough && !may_bring_more(hang, wait, brings);
    struct machine_text to = hang_likely(wait, is_sure ? HANG_CERTAIN + 5 : HANG_LIKELY);
    machine_text_add(&to, "expect_tx");
    hang_add_line(&to, wait, expects);
    machine_text_add(&to, " asks for %llu bytes, and the copies", (unsigned long long)came->expect_bytes);
    hang_add_line(&to, wait, brings);
    machine_text_add(&to, " bring %llu. Both must be the same", (unsigned long long)came->complete_bytes);
    if (barrier->now.tx < BULK_UNIT && came->expect_bytes % BULK_UNIT != 0 && hang_is_of(wait, brings, "cp.async.bulk"))
        machine_text_add(&to, ": the size of a bulk copy is rounded down to a multiple of 16 bytes.");
    else
        machine_text_add(&to, ": the sum of all copies; of a tensor copy, the whole box in the type of the map.");
    return 1;
}

bool hang_too_many_bytes(struct hang_wait *wait)
{
    const struct hang_barrier *barrier = wait->barrier;
    const struct mbarrier_transaction *came = &barrier->page->total;
    const struct hang_part *expects = hang_first_that(barrier->part, barrier->parts, HANG_EXPECTS);
    const struct hang_part *brings = hang_first_that(barrier->part, barrier->parts, HANG_BRINGS);
    if (came->expect_bytes == 0 && barrier->pattern != NULL) return false; // who expected bytes then has not come yet
    struct machine_text to = hang_likely(wait, HANG_CERTAIN + 5);
    machine_text_add(&to, "the copies");
    hang_add_line(&to, wait, brings);
    machine_text_add(&to, " bring %llu bytes, and ", (unsigned long long)came->complete_bytes);
    if (came->expect_bytes == 0) {
        machine_text_add(&to, "no expect_tx has announced them on this mbarrier.");
        if (wait->cluster->ctas > 1)
            machine_text_add(&to, " In a multicast each destination CTA expects the bytes on its own mbarrier.");
        return true;
    }
    machine_text_add(&to, "expect_tx");
    hang_add_line(&to, wait, expects);
    machine_text_add(&to,
                     " asks for %llu. Both must be the same: a tensor copy brings its whole box, with what is out "
                     "of bounds; a copy may run more than once.",
                     (unsigned long long)came->expect_bytes);
    return true;
}
