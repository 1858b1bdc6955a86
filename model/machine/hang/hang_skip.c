// SPDX-License-Identifier: MIT
// A barrier of the CTA that some warps left out. Warps that go the same way come to the same barriers in the same
// order: where one went from `a` on to `c`, and those that wait came to `b` between the two, it has left out `b`.
#include <stdlib.h>

#include "hang.h"
#include "report.h"

enum { PLACE_BYTES = 160 };

// The last barriers of a warp in their order. is_whole: from its first one on.
struct path {
    const struct machine_met *met;
    uint32_t first, end;
    bool is_whole;
};

static struct path path_of(const struct machine_warp *warp)
{
    const uint32_t kept = warp->meets < MACHINE_MET ? warp->meets : MACHINE_MET;
    return (struct path){warp->met, warp->meets - kept, warp->meets, warp->meets <= MACHINE_MET};
}

static const struct machine_met *met_at(const struct path *path, uint32_t at)
{
    return &path->met[at % MACHINE_MET];
}

static uint32_t line_of(const struct hang_wait *wait, const struct machine_code *code)
{
    const struct machine *machine = wait->cluster->machine;
    for (uint32_t f = 0; f < machine->kernel->functions; f++) {
        const struct machine_function *function = machine->kernel->function[f];
        if (code >= function->code && code < function->code + function->codes)
            return function->source->instruction[code->instruction].line;
    }
    return 0;
}

// Are two of one line of the source? Loops are unrolled.
static bool is_same(const struct hang_wait *wait, const struct machine_met *one, const struct machine_met *other)
{
    if (one->code == other->code) return true;
    return one->number == other->number &&
           hang_is_same_line(wait->cluster->machine, line_of(wait, one->code), line_of(wait, other->code));
}

// A step of a warp: from `a`, NULL: from its beginning, to `c`.
struct step {
    const struct machine_met *a, *c;
};

// Is what comes before `at` the beginning of the step?
static bool begins(const struct hang_wait *wait, const struct path *path, uint32_t at, const struct step *step)
{
    if (step->a == NULL) return at == path->first && path->is_whole;
    return at > path->first && is_same(wait, met_at(path, at - 1), step->a);
}

static bool takes(const struct hang_wait *wait, const struct machine_warp *warp, const struct step *step)
{
    const struct path path = path_of(warp);
    for (uint32_t at = path.first; at < path.end; at++)
        if (begins(wait, &path, at, step) && is_same(wait, met_at(&path, at), step->c)) return true;
    return false;
}

// Does somebody come to `c` right behind `b`?
static bool follows(const struct hang_wait *wait, const struct machine_cta *cta, const struct machine_met *b,
                    const struct machine_met *c)
{
    const struct step step = {b, c};
    for (uint32_t i = 0; i < cta->warps; i++)
        if (takes(wait, &cta->warp[i], &step)) return true;
    return false;
}

// The barrier of the wait to which the peer came between the two, or waits at; NULL: there is none.
static const struct machine_met *between(const struct hang_wait *wait, const struct machine_warp *peer,
                                         const struct step *step)
{
    const struct path path = path_of(peer);
    for (uint32_t at = path.first; at < path.end; at++) {
        const struct machine_met *b = met_at(&path, at);
        if (b->number != wait->number || !begins(wait, &path, at, step) || is_same(wait, b, step->c)) continue;
        if (at + 1 < path.end ? is_same(wait, met_at(&path, at + 1), step->c) : follows(wait, peer->cta, b, step->c))
            return b;
    }
    return NULL;
}

// The barrier that more of the waiters have between the two than other warps leave out.
static const struct machine_met *left_out(const struct hang_wait *wait, const struct step *step)
{
    const struct machine_cta *cta = &wait->cluster->cta[wait->rank];
    const struct machine_met *found = NULL;
    uint32_t with = 0, without = 0;
    for (uint32_t i = 0; i < cta->warps; i++) {
        const struct machine_met *b = between(wait, &cta->warp[i], step);
        if (takes(wait, &cta->warp[i], step))
            without++;
        else if (b != NULL)
            with++, found = b;
    }
    return with > without ? found : NULL;
}

static void tell(struct hang_wait *wait, const struct machine_warp *warp, const struct machine_met *b,
                 const struct step *step)
{
    const struct machine *machine = wait->cluster->machine;
    struct machine_text to = hang_likely(wait, HANG_CERTAIN + 6);
    char place[PLACE_BYTES];
    machine_text_add(&to, "warp %u", warp->index);
    if (wait->cluster->ctas > 1) machine_text_add(&to, " of CTA %u in the cluster", warp->cta->rank);
    machine_text_add(
        &to, " has left out the barrier at %s:", hang_line(machine, line_of(wait, b->code), 0, place, sizeof place));
    if (step->a != NULL)
        machine_text_add(&to, " it went from that at %s on",
                         hang_line(machine, line_of(wait, step->a->code), 0, place, sizeof place));
    else
        machine_text_add(&to, " it went at first");
    machine_text_add(&to, " to that at %s, and others came to it %s.",
                     hang_line(machine, line_of(wait, step->c->code), 0, place, sizeof place),
                     step->a != NULL ? "between the two" : "before");
}

static bool has_left_out(struct hang_wait *wait, const struct machine_warp *warp)
{
    const struct path path = path_of(warp);
    for (uint32_t at = path.first + !path.is_whole; at < path.end; at++) {
        const struct step step = {at > path.first ? met_at(&path, at - 1) : NULL, met_at(&path, at)};
        const struct machine_met *b = left_out(wait, &step);
        if (b == NULL) continue;
        tell(wait, warp, b, &step);
        return true;
    }
    return false;
}

bool hang_skipped(struct hang_wait *wait)
{
    const struct machine_cta *cta = &wait->cluster->cta[wait->rank];
    const bool is_of_all = cta->barrier[wait->number].expected == 0;
    for (uint32_t i = 0; i < cta->warps; i++)
        if ((is_of_all || wait->need[hang_warp_index(&cta->warp[i])]) && has_left_out(wait, &cta->warp[i])) return true;
    return false;
}
