// SPDX-License-Identifier: MIT
// Warps that get no turns for a while, as the seed selects them under LATE and SHUFFLED: a CTA of a cluster that starts
// late, or a warpgroup of a CTA that has several. PTX promises nobody a turn, so a correct program does not notice. A
// hold ends where nobody else gets on, and a kernel that reads the clock has none: it may wait for a time. Seed 0 has
// none either.
#ifndef TMAREF_MACHINE_HOLD_H
#define TMAREF_MACHINE_HOLD_H

#include "state.h"

#pragma GCC visibility push(hidden)

// Draws the hold of a cluster at its start.
void machine_hold_begin(struct machine_cluster *cluster);

// A round begins: a hold may be over, and under SHUFFLED another one be drawn.
void machine_hold_round(struct machine_cluster *cluster);

static inline bool machine_is_held(const struct machine_cluster *cluster, uint32_t rank, uint32_t warp)
{
    const struct machine_hold *hold = &cluster->hold;
    return cluster->rounds > hold->from && hold->warps > 0 && rank == hold->rank && warp - hold->first < hold->warps;
}

#pragma GCC visibility pop

#endif
