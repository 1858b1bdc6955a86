// SPDX-License-Identifier: MIT
// The roots of a hang. A wait points at those that keep up whoever could let it go on. Waits that reach each other are
// a circle; of a circle from which nothing leads out, the wait that explains itself best is the root.
#include <stdlib.h>
#include <string.h>

#include "hang.h"

// More waits than these in one cluster are each their own root: the report folds them.
enum { MOST_WAITS = 400 };

static bool is_same_object(const struct hang_wait *a, const struct hang_wait *b)
{
    return a->what == b->what && a->rank == b->rank && a->number == b->number && a->what != HANG_MEMORY;
}

// Could a thread of `to` let `from` go on, if it did not wait itself?
static bool points_at(const struct hang_wait *from, const struct hang_wait *to)
{
    if (from->needs_any && (from->score >= HANG_CERTAIN || is_same_object(from, to))) return false;
    if (from->needs_any && from->what == HANG_MEMORY) return true;
    for (uint32_t i = 0; i < to->strands; i++)
        if (from->need[hang_warp_index(to->strand[i]->warp)]) return true;
    return false;
}

static void reach_all(const struct hang_wait *wait, uint32_t waits, uint8_t *reach)
{
    for (uint32_t i = 0; i < waits; i++)
        for (uint32_t j = 0; j < waits; j++) reach[i * waits + j] = i != j && points_at(&wait[i], &wait[j]);
    for (uint32_t over = 0; over < waits; over++)
        for (uint32_t i = 0; i < waits; i++)
            for (uint32_t j = 0; reach[i * waits + over] && j < waits; j++)
                reach[i * waits + j] |= reach[over * waits + j];
}

// Is it the best of the waits that it reaches, all of which reach it?
static bool is_root(const struct hang_wait *wait, uint32_t waits, const uint8_t *reach, uint32_t at)
{
    for (uint32_t i = 0; i < waits; i++) {
        if (i == at || !reach[at * waits + i]) continue;
        if (!reach[i * waits + at] || wait[i].score > wait[at].score) return false;
        if (wait[i].score == wait[at].score && i < at) return false;
    }
    return true;
}

void hang_find_roots(struct machine_hang *hang, uint32_t first, uint32_t end)
{
    struct hang_wait *wait = hang->wait + first;
    const uint32_t waits = end - first;
    uint8_t *reach = waits <= MOST_WAITS ? malloc((size_t)waits * waits + 1) : NULL;
    if (reach != NULL) reach_all(wait, waits, reach);
    for (uint32_t i = 0; i < waits; i++) wait[i].is_root = reach == NULL || is_root(wait, waits, reach, i);
    free(reach);
}
