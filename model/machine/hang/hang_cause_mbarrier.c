// SPDX-License-Identifier: MIT
// The mistake that explains why a wait for an mbarrier does not end: by who came in this phase and in the one before,
// what its waiter saw of it last, and what has become of those that are missing. Where nothing is known for sure, both
// numbers that do not fit are named, and which of them is wrong is left to the reader. Bytes: hang_cause_bytes.c.
#include "flight_item.h"
#include "hang.h"
#include "report.h"

enum { PLACE_BYTES = 160 };

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void add_init_line(struct machine_text *text, const struct hang_wait *wait)
{
    char place[PLACE_BYTES];
    machine_text_add(text, " (%s)",
                     hang_line(wait->cluster->machine, wait->barrier->page->init.line,
                               wait->barrier->page->init.called_at, place, sizeof place));
}

// Which of its fellows, of the same kind, are a phase further on although they come behind it: it was passed over.
static bool is_passed_over(const struct hang_wait *wait)
{
    const struct ledger *page = wait->barrier->page;
    const struct ledger_book *book = wait->cluster->flights->unit.ledgers;
    for (uint32_t i = 0; i < book->capacity; i++) {
        const struct ledger *other = &book->page[i];
        if (!hang_is_same_kind(wait, page, other)) continue;
        if (other->phases > page->phases && other->address > page->address) return true;
        if (other->phases > page->phases + 1) return true;
    }
    return false;
}

// --- mbarriers: the waiter -------------------------------------------------------------------------------------------

// Has another warp waited for phases since? Where warps take turns, each sees only its own.
static bool is_others_turn(const struct hang_wait *wait, const struct flight_seen *mine)
{
    const struct machine_cluster *cluster = wait->cluster;
    for (uint32_t rank = 0; rank < cluster->ctas; rank++)
        for (uint32_t i = 0; i < cluster->cta[rank].warps; i++) {
            const struct machine_warp *warp = &cluster->cta[rank].warp[i];
            const struct flight_seen *seen = flight_seen_of(flight_warp_of(warp), wait->rank, wait->number);
            if (seen->is_used && seen->rank == wait->rank && seen->address == wait->number &&
                seen->inits == mine->inits && seen->phases > mine->phases)
                return true;
        }
    return false;
}

// Does a barrier of its cluster count bytes? A phase that asks for too few completes too early, and lets on who should
// wait.
static bool are_bytes_expected(const struct hang_wait *wait)
{
    const struct ledger_book *book = wait->cluster->flights->unit.ledgers;
    for (uint32_t i = 0; i < book->capacity; i++)
        if (book->page[i].is_used && book->page[i].has_expect) return true;
    return false;
}

// The phase that the waiter waits for is not the next one that it has not seen.
static bool waits_for_another_phase(struct hang_wait *wait)
{
    const struct flight_seen *seen = hang_seen_by(wait);
    if (seen == NULL || wait->parity < 0 || !seen->is_parity) return false;
    const uint64_t since = wait->barrier->page->phases - seen->phases;
    if (since == 0 || is_others_turn(wait, seen)) return false;
    struct machine_text to = hang_likely(wait, since % 2 == 1 ? HANG_CERTAIN + 9 : HANG_CERTAIN + 2);
    if (since % 2 == 1) {
        machine_text_add(&to,
                         "it waits with parity %d, as in its last wait for this mbarrier. The phase after that has "
                         "completed, and has parity %d: the parity flips each time that the mbarrier is used again.",
                         wait->parity, wait->parity ^ 1);
    } else {
        machine_text_add(&to,
                         "since its last wait for this mbarrier %llu phases have completed, and it has waited for none "
                         "of them: who arrives does not wait until this thread is done, or arrives more than once in "
                         "its round, or the count of init",
                         (unsigned long long)since);
        add_init_line(&to, wait);
        machine_text_add(&to, " is lower than the arrivals of a phase%s",
                         are_bytes_expected(wait)
                             ? ". An expect_tx that asks for fewer bytes than come does the same to who arrives here."
                             : ".");
    }
    return true;
}

// --- mbarriers: arrivals ---------------------------------------------------------------------------------------------

// Does a fellow lack as many arrivals? Then who arrives has gone on, and does the same at each.
static bool lacks_everywhere(const struct hang_wait *wait)
{
    const struct ledger_book *book = wait->cluster->flights->unit.ledgers;
    for (uint32_t i = 0; i < book->capacity; i++)
        if (book->page[i].phases == 0 && hang_is_same_kind(wait, wait->barrier->page, &book->page[i]) &&
            book->page[i].total.arrivals == wait->barrier->page->total.arrivals)
            return true;
    return false;
}

static bool has_come(const struct hang_wait *wait, const struct machine_warp *warp)
{
    for (uint32_t i = 0; i < wait->barrier->parts; i++)
        if (wait->barrier->part[i].warp == warp) return true;
    return false;
}

static bool has_seen_any(const struct machine_warp *warp)
{
    const struct flight_warp *of = flight_warp_of(warp);
    for (int i = 0; i < FLIGHT_SEEN; i++)
        if (of->seen[i].is_used) return true;
    return false;
}

// Does it wait for the same as one who has come? Then it is past where it could have come.
static bool is_as_far(const struct machine_hang *hang, const struct hang_wait *wait, const struct machine_warp *warp)
{
    const struct hang_wait *its = hang_wait_of(hang, warp);
    for (uint32_t i = 0; its != NULL && its != wait && i < wait->barrier->parts; i++)
        if (wait->barrier->part[i].warp != NULL && hang_wait_of(hang, wait->barrier->part[i].warp) == its) return true;
    return false;
}

// Can it come to where others have come from?
static bool reaches_one(const struct hang_wait *wait, const struct machine_warp *warp)
{
    for (uint32_t i = 0; i < wait->barrier->parts; i++)
        for (uint32_t s = 0; s < warp->strands; s++)
            if (hang_does(&wait->barrier->part[i], HANG_ARRIVES) &&
                hang_reaches_line(&warp->strand[s], &wait->barrier->part[i]))
                return true;
    return false;
}

static bool is_at_barrier(const struct machine_hang *hang, const struct machine_warp *warp)
{
    const struct hang_wait *its = hang_wait_of(hang, warp);
    return its != NULL && its->what == HANG_BARRIER;
}

// Is somebody left who may be meant to arrive, and waits elsewhere? With `only_stuck`, at its first wait of all, or at
// a barrier of the CTA.
static bool may_be_late(const struct machine_hang *hang, const struct hang_wait *wait, bool only_stuck)
{
    const struct machine_cluster *cluster = wait->cluster;
    for (uint32_t rank = 0; rank < cluster->ctas; rank++)
        for (uint32_t i = 0; i < cluster->cta[rank].warps; i++) {
            const struct machine_warp *warp = &cluster->cta[rank].warp[i];
            if (warp->live == 0 || has_come(wait, warp)) continue;
            if (only_stuck && has_seen_any(warp) && !is_at_barrier(hang, warp)) continue;
            if (is_as_far(hang, wait, warp) || !reaches_one(wait, warp)) continue;
            for (uint32_t s = 0; s < warp->strands; s++) {
                const struct flight_wait *at = flight_wait_of(&warp->strand[s]);
                if (at == NULL || at->rank != wait->rank || at->address != wait->number) return true;
            }
        }
    return false;
}

static int score_of_count(const struct machine_hang *hang, const struct hang_wait *wait)
{
    return may_be_late(hang, wait, lacks_everywhere(wait)) ? HANG_GUESS - 15 : HANG_LIKELY + 9;
}

static bool too_few_arrivals(const struct machine_hang *hang, struct hang_wait *wait)
{
    const struct hang_barrier *barrier = wait->barrier;
    const struct mbarrier_transaction *came = &barrier->page->total;
    const uint32_t expected = barrier->now.expected;
    const struct hang_part *arrives = hang_first_that(barrier->part, barrier->parts, HANG_ARRIVES);
    const struct hang_part *expects = hang_first_that(barrier->part, barrier->parts, HANG_EXPECTS);
    if (expects != NULL && came->arrivals == 0 && hang_is_of(wait, expects, "cp.async.mbarrier.arrive")) {
        struct machine_text to = hang_likely(wait, HANG_CERTAIN + 5);
        machine_text_add(&to, "cp.async.mbarrier.arrive");
        hang_add_line(&to, wait, expects);
        machine_text_add(&to,
                         " without .noinc adds each of its arrivals to those that are awaited, so the count of init");
        add_init_line(&to, wait);
        machine_text_add(&to, ", %u, is never reached. Use .noinc where the count of init has them.", expected);
        return true;
    }
    if (came->expect_bytes > 0 && came->arrivals == 0 && barrier->pattern == NULL) {
        struct machine_text to = hang_likely(wait, HANG_CERTAIN + 5);
        machine_text_add(&to, "expect_tx");
        hang_add_line(&to, wait, expects);
        machine_text_add(&to, " is not an arrival. Use mbarrier.arrive.expect_tx, or arrive as well.");
        return true;
    }
    if (came->arrivals == 0 || barrier->pattern != NULL) return false;
    struct machine_text to =
        hang_likely(wait, came->arrivals * MACHINE_LANES == expected ? HANG_CERTAIN + 5 : score_of_count(hang, wait));
    machine_text_add(&to, "the count of init");
    add_init_line(&to, wait);
    machine_text_add(&to, " is %u, and %llu arrival%s came", expected, (unsigned long long)came->arrivals,
                     plural(came->arrivals));
    hang_add_line(&to, wait, arrives);
    if (came->arrivals * MACHINE_LANES == expected)
        machine_text_add(&to, ": it is the number of threads, but one lane of each warp arrives.");
    else
        machine_text_add(&to, ": the count is too high, or an arrive is missing.");
    return true;
}

// Has the waiter expected bytes at any barrier of its cluster?
static bool has_filled(const struct hang_wait *wait)
{
    const struct ledger_book *book = wait->cluster->flights->unit.ledgers;
    const struct machine_warp *warp = wait->strand[0]->warp;
    for (uint32_t i = 0; i < book->capacity; i++) {
        const struct ledger *page = &book->page[i];
        if (page->is_used && page->has_expect && page->last_expect.cta == warp->cta->number &&
            page->last_expect.warp == warp->index)
            return true;
    }
    return false;
}

// Does another thread of its cluster wait for an mbarrier to which nothing has come either? That is the buffer to fill.
static bool others_starve(const struct machine_hang *hang, const struct hang_wait *wait)
{
    for (uint32_t i = 0; i < hang->waits; i++) {
        const struct hang_wait *other = &hang->wait[i];
        if (other == wait || other->cluster != wait->cluster || other->what != HANG_MBARRIER) continue;
        if (other->number == wait->number && other->rank == wait->rank) continue;
        if (other->barrier->page != NULL && other->barrier->page->phases == 0 && other->barrier->parts == 0)
            return true;
    }
    return false;
}

// Does another thread of its cluster wait for an mbarrier that has completed phases? Then it has gone on to there.
static bool others_got_on(const struct machine_hang *hang, const struct hang_wait *wait)
{
    for (uint32_t i = 0; i < hang->waits; i++) {
        const struct hang_wait *other = &hang->wait[i];
        if (other != wait && other->cluster == wait->cluster && other->what == HANG_MBARRIER &&
            other->barrier->page != NULL && other->barrier->page->phases > 0)
            return true;
    }
    return false;
}

// Does another thread wait for an mbarrier to which nothing has come, and has it got nowhere yet? Then it has arrived
// at nothing behind its wait, while the waiter has been round once.
static bool others_never_began(const struct machine_hang *hang, const struct hang_wait *wait)
{
    for (uint32_t i = 0; i < hang->waits; i++) {
        const struct hang_wait *other = &hang->wait[i];
        if (other == wait || other->cluster != wait->cluster || other->what != HANG_MBARRIER) continue;
        if (other->barrier->page == NULL || other->barrier->page->phases > 0 || other->barrier->parts > 0) continue;
        if (!has_seen_any(other->strand[0]->warp)) return true;
    }
    return false;
}

// Does somebody wait at a barrier of the CTA, or poll memory? Then he may have been on his way to this one.
static bool others_meet(const struct machine_hang *hang, const struct hang_wait *wait)
{
    for (uint32_t i = 0; i < hang->waits; i++)
        if (hang->wait[i].cluster == wait->cluster &&
            (hang->wait[i].what == HANG_BARRIER || hang->wait[i].what == HANG_MEMORY))
            return true;
    return false;
}

// Does somebody of whom it is known for whom he waits wait for one of these?
static bool is_needed(const struct machine_hang *hang, const struct hang_wait *wait)
{
    for (uint32_t i = 0; i < hang->waits; i++) {
        const struct hang_wait *other = &hang->wait[i];
        if (other == wait || other->cluster != wait->cluster || other->needs_any) continue;
        for (uint32_t s = 0; s < wait->strands; s++)
            if (other->need[hang_warp_index(wait->strand[s]->warp)] && other->strand[0]->warp != wait->strand[s]->warp)
                return true;
    }
    return false;
}

// Does nobody wait for these, and somebody for others to whom nobody known comes either? Then those keep up all.
static bool others_are_needed(const struct machine_hang *hang, const struct hang_wait *wait)
{
    if (is_needed(hang, wait)) return false;
    for (uint32_t i = 0; i < hang->waits; i++) {
        const struct hang_wait *other = &hang->wait[i];
        if (other != wait && other->cluster == wait->cluster && other->what == HANG_MBARRIER && other->needs_any &&
            is_needed(hang, other))
            return true;
    }
    return false;
}

// Nothing has ever come. A waiter that fills a buffer behind its first wait waits for one that is empty; one that has
// waited for this mbarrier before is only late.
static bool nothing_came(const struct machine_hang *hang, struct hang_wait *wait)
{
    const struct hang_barrier *barrier = wait->barrier;
    if (barrier->pattern != NULL || barrier->parts > 0) return false;
    const bool is_first = hang_seen_by(wait) == NULL && wait->parity == 0;
    const bool fills = is_first && (!has_filled(wait) || others_starve(hang, wait)) && hang_fills(wait);
    struct machine_text to =
        hang_likely(wait, fills                                                                    ? HANG_LIKELY + 5
                          : is_first && (others_meet(hang, wait) || others_are_needed(hang, wait)) ? HANG_NOTHING + 1
                          : is_first                                                               ? HANG_GUESS + 5
                          : others_never_began(hang, wait)                                         ? HANG_GUESS - 12
                          : others_got_on(hang, wait)                                              ? HANG_GUESS + 10
                                                                                                   : HANG_GUESS - 12);
    machine_text_add(&to, "nothing has arrived since its init");
    add_init_line(&to, wait);
    if (fills)
        machine_text_add(
            &to, ", and this is the first wait for it, of a thread that fills a buffer behind it. While its buffer "
                 "is empty from the start, the wait needs parity 1, which returns at once, or an arrival "
                 "before it.");
    else if (is_first)
        machine_text_add(&to, ". If its buffer starts empty, the first wait must have parity 1, which returns at once; "
                              "else the arrive is missing or names another mbarrier.");
    else
        machine_text_add(&to,
                         ". The last wait for it returned at once, since it had parity 1: that is right only where "
                         "the buffer starts empty. Then the arrive is missing, or names another mbarrier.");
    return true;
}

static bool init_wiped(struct hang_wait *wait)
{
    const struct ledger *page = wait->barrier->page;
    const struct mbarrier_transaction *wiped = &page->wiped;
    if (wiped->arrivals + wiped->expect_bytes + wiped->complete_bytes == 0) return false;
    struct machine_text to = hang_likely(wait, HANG_CERTAIN + 12);
    machine_text_add(&to, "mbarrier.init");
    add_init_line(&to, wait);
    if (page->inits > 1) machine_text_add(&to, " ran %llu times, and", (unsigned long long)page->inits);
    machine_text_add(&to, " discarded what had come before:");
    const char *comma = "";
    if (wiped->arrivals > 0) {
        machine_text_add(&to, " %llu arrival%s", (unsigned long long)wiped->arrivals, plural(wiped->arrivals));
        comma = ",";
    }
    if (wiped->expect_bytes > 0) {
        machine_text_add(&to, "%s %llu expected bytes", comma, (unsigned long long)wiped->expect_bytes);
        comma = ",";
    }
    if (wiped->complete_bytes > 0)
        machine_text_add(&to, "%s %llu bytes of copies", comma, (unsigned long long)wiped->complete_bytes);
    if (page->has_early) {
        char place[PLACE_BYTES];
        machine_text_add(
            &to,
            ", of CTA %llu, warp %u at %s. Put barrier.cluster, or a barrier of the CTA, between the "
            "init and the first use.",
            (unsigned long long)page->early.cta, page->early.warp,
            hang_line(wait->cluster->machine, page->early.line, page->early.called_at, place, sizeof place));
    } else {
        machine_text_add(&to, ". Initialise a barrier once, in one thread.");
    }
    return true;
}

// Can a barrier's operations alone have made the word? Then it is in the phase of the ledger, lacks as many bytes, and
// no more arrivals than it expects; and one that lacks nothing would have completed its phase.
static bool is_possible(const struct ledger *page, const struct mbarrier_fields *now)
{
    const int64_t tx = (int64_t)page->total.expect_bytes - (int64_t)page->total.complete_bytes;
    const bool lacks = now->pending > 0 || now->tx != 0 || page->total.drop || page->total_before.drop;
    return now->phase == (int)(page->phases & 1) && now->tx == tx && now->pending <= now->expected && lacks;
}

static bool is_overwritten(struct hang_wait *wait)
{
    const struct ledger *page = wait->barrier->page;
    const struct mbarrier_fields *now = &wait->barrier->now;
    if (now->error || is_possible(page, now)) return false;
    struct machine_text to = hang_likely(wait, HANG_CERTAIN + 14);
    machine_text_add(&to, "its word is 0x%016llx, which no operation of an mbarrier has left there since the init",
                     (unsigned long long)mbarrier_pack(now));
    add_init_line(&to, wait);
    machine_text_add(&to, ": something else has written to its 8 bytes. Nothing may, before mbarrier.inval.");
    return true;
}

// Its first wait returned at once, with parity 1 before anything had arrived, and it takes from the buffer behind it.
static bool has_taken_too_early(struct hang_wait *wait)
{
    const struct flight_seen *seen = hang_seen_by(wait);
    if (seen == NULL || !seen->was_early || wait->parity < 0 || !hang_takes(wait)) return false;
    struct machine_text to = hang_likely(wait, HANG_CERTAIN + 3);
    machine_text_add(&to, "the first wait of this thread for this mbarrier had parity 1 and returned at once, before "
                          "anything had arrived, and the thread takes from the buffer behind it: it must begin with "
                          "parity 0.");
    return true;
}

static void explain_by_state(const struct machine_hang *hang, struct hang_wait *wait)
{
    const struct hang_barrier *barrier = wait->barrier;
    const struct mbarrier_fields *now = &barrier->now;
    if (barrier->page == NULL) {
        struct machine_text to = hang_likely(wait, HANG_CERTAIN + 15);
        machine_text_add(&to, "no mbarrier.init has created it: the init is missing, or names another address, or "
                              "there is no barrier of all threads after it.");
        return;
    }
    if (barrier->page->life == BARRIER_DROPPED) {
        struct machine_text to = hang_likely(wait, HANG_CERTAIN + 15);
        machine_text_add(&to, "mbarrier.inval has invalidated it.");
        return;
    }
    if (is_overwritten(wait) || init_wiped(wait) || has_taken_too_early(wait) || waits_for_another_phase(wait)) return;
    if (now->tx < 0 && hang_too_many_bytes(wait)) return;
    if (now->pending == 0 && now->tx > 0 && hang_too_few_bytes(hang, wait)) return;
    if (now->pending > 0 && too_few_arrivals(hang, wait)) return;
    if (nothing_came(hang, wait)) return;
    if (hang_somebody_is_missing(hang, wait) && wait->score < HANG_LIKELY && is_passed_over(wait)) wait->score += 10;
}

// What another wait let pass too early explains it better than what only does not fit.
void hang_explain_mbarrier(const struct machine_hang *hang, struct hang_wait *wait)
{
    char early[sizeof wait->likely] = "";
    struct machine_text text = {early, 0, sizeof early};
    explain_by_state(hang, wait);
    const bool is_overrun = wait->score == HANG_CERTAIN + 2 && wait->barrier->befores > 0;
    const struct machine_warp *suspect = is_overrun ? wait->barrier->before[0].warp : NULL;
    const bool is_ahead = wait->cluster->flights->meeting.unarrived != NULL;
    if ((wait->score >= HANG_CERTAIN + 3 && !is_ahead) || !hang_add_early(&text, wait->cluster, suspect)) return;
    struct machine_text to = hang_likely(wait, wait->score < HANG_CERTAIN ? HANG_CERTAIN : wait->score);
    machine_text_add(&to, "%s", early);
}
