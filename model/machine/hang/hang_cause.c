// SPDX-License-Identifier: MIT
// The mistake that explains why a wait does not end, and how sure it is: of barriers of a CTA, of lanes and warps that
// wait for others. Those of mbarriers: hang_cause_mbarrier.c.
#include "barrier.h"
#include "flight_item.h"
#include "hang.h"
#include "meeting.h"
#include "report.h"

enum { PLACE_BYTES = 160 };

struct machine_text hang_likely(struct hang_wait *wait, int score)
{
    wait->score = score;
    return (struct machine_text){wait->likely, 0, sizeof wait->likely};
}

// --- Barriers of a CTA -----------------------------------------------------------------------------------------------

// Have the warps that are missing arrived there instead: those that came in the phase before, or, where none has, as
// many threads as are missing? An arrive for this barrier names its count.
static bool stands_in(const struct hang_wait *wait, const struct machine_cta *cta, uint32_t other)
{
    const struct machine_barrier *barrier = &cta->barrier[wait->number];
    uint32_t missing = 0;
    if (cta->barrier[other].expected != barrier->expected) return false;
    for (uint32_t i = 0; i < cta->warps; i++)
        if ((barrier->came_before >> i & 1) != 0 && barrier->arrived[i] == 0 && cta->barrier[other].arrived[i] != 0)
            missing++;
    if (barrier->came_before != 0) return missing > 0;
    return machine_barrier_come(cta, other) == wait->wanted - wait->come;
}

// Another barrier of the CTA at which they have arrived, and nobody waits.
static int unheard_barrier(const struct hang_wait *wait)
{
    const struct machine_cta *cta = &wait->cluster->cta[wait->rank];
    for (uint32_t b = 0; b < MACHINE_BARRIERS; b++) {
        uint32_t arrived = 0, waiting = 0;
        for (uint32_t i = 0; i < cta->warps; i++) {
            arrived |= cta->barrier[b].arrived[i];
            waiting |= cta->barrier[b].waiting[i];
        }
        if (arrived != 0 && waiting == 0 && stands_in(wait, cta, b)) return (int)b;
    }
    return -1;
}

// Nobody who is missing can come to a barrier any more: no barrier instruction is on his way.
static bool nobody_can_come(const struct hang_wait *wait)
{
    const struct machine_cta *cta = &wait->cluster->cta[wait->rank];
    const struct machine_barrier *barrier = &cta->barrier[wait->number];
    uint32_t missing = 0;
    for (uint32_t i = 0; i < cta->warps; i++) {
        const struct machine_warp *warp = &cta->warp[i];
        for (uint32_t s = 0; s < warp->strands; s++) {
            const struct machine_strand *strand = &warp->strand[s];
            if ((strand->lanes & ~barrier->arrived[i]) == 0) continue;
            if (hang_reaches_handler(strand, wait->code->handler)) return false;
            missing++;
        }
    }
    return missing > 0;
}

// A warp that is missing, that is past the barrier and has not come to it; NULL: there is none.
static const struct machine_strand *who_is_past(const struct hang_wait *wait)
{
    const struct machine_cluster *cluster = wait->cluster;
    for (uint32_t rank = 0; rank < cluster->ctas; rank++)
        for (uint32_t i = 0; i < cluster->cta[rank].warps; i++) {
            const struct machine_warp *warp = &cluster->cta[rank].warp[i];
            if (!wait->need[hang_warp_index(warp)]) continue;
            for (uint32_t s = 0; s < warp->strands; s++)
                if (hang_is_past(&warp->strand[s], wait)) return &warp->strand[s];
        }
    return NULL;
}

// "warp 2 of CTA 1 in the cluster"
static void add_strand(struct machine_text *to, const struct hang_wait *wait, const struct machine_strand *strand)
{
    machine_text_add(to, "warp %u", strand->warp->index);
    if (wait->cluster->ctas > 1) machine_text_add(to, " of CTA %u in the cluster", strand->warp->cta->rank);
}

static bool somebody_is_past(const struct machine_hang *hang, struct hang_wait *wait)
{
    const struct machine_strand *past = who_is_past(wait);
    const struct hang_wait *its = past != NULL ? hang_wait_of_strand(hang, past) : NULL;
    char place[PLACE_BYTES];
    if (past == NULL) return false;
    struct machine_text to = hang_likely(wait, HANG_CERTAIN + 4);
    add_strand(&to, wait, past);
    machine_text_add(&to, " has not come to it, and is past it");
    if (its != NULL) machine_text_add(&to, ", at %s", hang_place(its, place, sizeof place));
    machine_text_add(&to, ": it left this barrier out, or left a loop before the others. All of them must come to it.");
    return true;
}

// Did its last wait see no new phase?
static bool has_passed_early(const struct machine_warp *warp)
{
    struct flight_warp *flight = flight_warp_of(warp);
    const struct flight_seen *seen = flight_seen_of(flight, flight->last.rank, flight->last.address);
    return seen->is_used && seen->rank == flight->last.rank && seen->address == flight->last.address &&
           seen->is_again && seen->since == 0;
}

// Has the missing warp, which waits for an mbarrier, waited as often for each mbarrier as one that has come, or more
// often (2: of one), and has that one waited at the same line? Then they go the same way, and it is not behind.
static int is_ahead(const struct hang_wait *its, const struct machine_warp *missing, const struct machine_warp *peer)
{
    const struct machine *machine = its->cluster->machine;
    bool is_same_way = false, is_more = false;
    if (missing == peer || has_passed_early(peer)) return 0;
    for (int i = 0; i < FLIGHT_SEEN; i++) {
        const struct flight_seen *mine = &flight_warp_of(missing)->seen[i], *other = &flight_warp_of(peer)->seen[i];
        if (!other->is_used || !mine->is_used || mine->rank != other->rank || mine->address != other->address) continue;
        if (mine->phases < other->phases) return 0;
        is_more |= mine->phases > other->phases;
        is_same_way |= hang_is_same_line(machine, mine->line, its->where.ptx_line) &&
                       hang_is_same_line(machine, other->line, its->where.ptx_line);
    }
    return is_same_way ? 1 + is_more : 0;
}

static bool waits_for(const struct hang_wait *its, const struct hang_wait *wait)
{
    for (uint32_t i = 0; i < wait->strands; i++)
        if (its->need[hang_warp_index(wait->strand[i]->warp)]) return true;
    return false;
}

static bool somebody_is_ahead(const struct machine_hang *hang, struct hang_wait *wait)
{
    for (uint32_t i = 0; i < hang->waits; i++) {
        const struct hang_wait *its = &hang->wait[i];
        const struct machine_strand *strand = its->strand[0];
        char place[PLACE_BYTES];
        if (its->cluster != wait->cluster || its->what != HANG_MBARRIER) continue;
        if (!wait->need[hang_warp_index(strand->warp)]) continue;
        int ahead = 0;
        for (uint32_t s = 0; s < wait->strands && ahead == 0; s++)
            ahead = is_ahead(its, strand->warp, wait->strand[s]->warp);
        if (ahead == 0) continue;
        struct machine_text to = hang_likely(wait, ahead > 1 ? HANG_CERTAIN + 4 : HANG_LIKELY + 1);
        add_strand(&to, wait, strand);
        machine_text_add(&to, " has not come to it, and is %s those that have, at %s: it left this barrier out%s.",
                         ahead > 1 ? "ahead of" : "as far as", hang_place(its, place, sizeof place),
                         ahead > 1              ? ""
                         : waits_for(its, wait) ? ", or they left out what it waits for"
                                                : ", or they left a round of the loop out");
        return true;
    }
    return false;
}

// Those that come now are not those of the last phase: one of them is at the wrong barrier.
static bool others_come(struct hang_wait *wait)
{
    const struct machine_cta *cta = &wait->cluster->cta[wait->rank];
    const struct machine_barrier *barrier = &cta->barrier[wait->number];
    uint32_t now = 0;
    if (barrier->expected == 0 || barrier->came_before == 0) return false;
    for (uint32_t i = 0; i < cta->warps; i++)
        if (barrier->arrived[i] != 0) now |= 1u << i;
    if ((now & ~barrier->came_before) == 0) return false;
    struct machine_text to = hang_likely(wait, HANG_LIKELY + 2);
    machine_text_add(&to, "warps");
    for (uint32_t left = now; left != 0; left &= left - 1) machine_text_add(&to, " %d", __builtin_ctz(left));
    machine_text_add(&to, " have come to barrier %u, and its last phase was of warps", wait->number);
    for (uint32_t left = barrier->came_before; left != 0; left &= left - 1)
        machine_text_add(&to, " %d", __builtin_ctz(left));
    machine_text_add(&to, ": some of them name the wrong barrier, or have left one out.");
    return true;
}

// Does somebody poll memory who has yet to come? Then he keeps it up.
static bool is_kept_up_by_poll(const struct machine_hang *hang, const struct hang_wait *wait)
{
    for (uint32_t i = 0; i < hang->waits; i++) {
        const struct hang_wait *other = &hang->wait[i];
        if (other->what != HANG_MEMORY || other->cluster != wait->cluster) continue;
        for (uint32_t s = 0; s < other->strands; s++)
            if (wait->need[hang_warp_index(other->strand[s]->warp)]) return true;
    }
    return false;
}

// One that has never been complete is more likely wrong than one that has, and one with a count than one of all.
static int score_of_barrier(const struct machine_barrier *barrier)
{
    return barrier->expected == 0 ? (barrier->phase == 0 ? 2 : 0)
           : barrier->phase == 0  ? HANG_GUESS + 8
                                  : HANG_GUESS - 10;
}

static void explain_barrier(const struct machine_hang *hang, struct hang_wait *wait)
{
    const struct machine_cta *cta = &wait->cluster->cta[wait->rank];
    const struct machine_barrier *barrier = &cta->barrier[wait->number];
    const int unheard = barrier->expected > 0 ? unheard_barrier(wait) : -1;
    wait->score = is_kept_up_by_poll(hang, wait) ? HANG_NOTHING : score_of_barrier(barrier);
    if (wait->wanted > cta->warps * MACHINE_LANES) {
        struct machine_text to = hang_likely(wait, HANG_CERTAIN + 9);
        machine_text_add(&to, "barrier %u asks for %u threads, and the CTA has only %u.", wait->number, wait->wanted,
                         cta->warps * MACHINE_LANES);
        if (barrier->other > 0) machine_text_add(&to, " Other threads name it with %u.", barrier->other - 1);
    } else if (barrier->other > 0) {
        struct machine_text to = hang_likely(wait, HANG_CERTAIN + 7);
        machine_text_add(&to, "threads name barrier %u with different counts, %u and %u. All must name the same.",
                         wait->number, barrier->other - 1, wait->wanted);
    } else if (barrier->before > 0 && barrier->expected > 0 && barrier->before != barrier->expected) {
        struct machine_text to = hang_likely(wait, HANG_CERTAIN + 5);
        machine_text_add(&to, "the last phase of barrier %u had %u threads, and this one asks for %u.", wait->number,
                         barrier->before, wait->wanted);
    } else if (hang_skipped(wait)) {
        return;
    } else if (unheard >= 0) {
        struct machine_text to = hang_likely(wait, HANG_LIKELY + 3 + (barrier->phase == 0));
        machine_text_add(
            &to,
            "threads are missing at barrier %u, and %u have arrived at barrier %d, at which nobody waits: the "
            "arrive is missing, or names the wrong barrier.",
            wait->number, machine_barrier_come(cta, (uint32_t)unheard), unheard);
    } else if (wait->wanted > cta->live_warps * MACHINE_LANES) {
        struct machine_text to = hang_likely(wait, HANG_CERTAIN + 1);
        machine_text_add(&to,
                         "the other threads have exited: %u of %u warps of the CTA remain, and barrier %u asks for "
                         "%u threads.",
                         cta->live_warps, cta->warps, wait->number, wait->wanted);
    } else if (barrier->expected > 0 && nobody_can_come(wait)) { // one of all is complete when the others exit
        struct machine_text to = hang_likely(wait, HANG_CERTAIN + 2);
        machine_text_add(&to,
                         "the missing threads cannot come to it any more: no barrier is on their way. They have made "
                         "a round less, or an arrive for it named another barrier.");
    } else if (barrier->expected > 0) {
        if (!others_come(wait)) somebody_is_ahead(hang, wait);
    } else if (!somebody_is_past(hang, wait) && !is_kept_up_by_poll(hang, wait)) { // each comes to one of all here
        somebody_is_ahead(hang, wait);
    }
}

static void explain_cluster(const struct machine_hang *hang, struct hang_wait *wait)
{
    somebody_is_past(hang, wait);
}

// --- Lanes of a warp -------------------------------------------------------------------------------------------------

// Lanes that the mask names and that are elsewhere: their warp has parted.
static void explain_lanes(const struct machine_hang *hang, struct hang_wait *wait)
{
    const struct machine_strand *strand = wait->strand[0];
    const struct machine_warp *warp = strand->warp;
    char place[PLACE_BYTES];
    uint32_t mask = 0;
    machine_lanes_wait(strand, &mask);
    for (uint32_t i = 0; i < warp->strands; i++) {
        const struct machine_strand *other = &warp->strand[i];
        const struct hang_wait *its = hang_wait_of_strand(hang, other);
        if (other == strand || its == NULL || its == wait || (other->lanes & mask) == 0) continue;
        const bool may_wait = its->what == HANG_MBARRIER || its->what == HANG_MEMORY;
        struct machine_text to = hang_likely(wait, may_wait ? HANG_NOTHING + 1 : HANG_GUESS - 10);
        machine_text_add(&to,
                         "its mask names lanes 0x%08x too, which are at %s. All lanes of the mask must come to it.",
                         other->lanes & mask, hang_place(its, place, sizeof place));
        return;
    }
}

// --- The others ------------------------------------------------------------------------------------------------------

static void explain_registers(struct hang_wait *wait)
{
    struct machine_text to = hang_likely(wait, HANG_LIKELY);
    machine_text_add(&to, "other warps must release registers with setmaxnreg.dec before these can have %u each.",
                     wait->wanted);
}

static void explain_product(struct hang_wait *wait)
{
    if (wait->exited == 0) return;
    struct machine_text to = hang_likely(wait, HANG_CERTAIN);
    machine_text_add(&to,
                     "the four warps of a warpgroup execute a wgmma together, and %u of them %s not there or %s "
                     "exited.",
                     wait->exited, wait->exited == 1 ? "is" : "are", wait->exited == 1 ? "has" : "have");
}

void hang_find_cause(const struct machine_hang *hang, struct hang_wait *wait)
{
    switch (wait->what) {
    case HANG_MBARRIER:
        hang_explain_mbarrier(hang, wait);
        break;
    case HANG_BARRIER:
        explain_barrier(hang, wait);
        break;
    case HANG_CLUSTER:
        explain_cluster(hang, wait);
        break;
    case HANG_MEMORY:
        wait->score = 5; // more than a barrier of all threads, which waits for the one that polls
        break;
    case HANG_LANES:
        explain_lanes(hang, wait);
        break;
    case HANG_REGISTERS:
        explain_registers(wait);
        break;
    case HANG_PRODUCT:
        explain_product(wait);
        break;
    default:
        break;
    }
    if (wait->score < HANG_GUESS && wait->what != HANG_LANES && wait->what != HANG_MEMORY)
        wait->likely[0] = '\0'; // no advice by chance
}
