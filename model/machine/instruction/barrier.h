// SPDX-License-Identifier: MIT
// The sixteen barriers of a CTA.
#ifndef TMAREF_MACHINE_BARRIER_H
#define TMAREF_MACHINE_BARRIER_H

#include <stddef.h>

#include "state.h"

#pragma GCC visibility push(hidden)

// Threads have exited: a barrier may be complete without them.
void machine_barriers_look(struct machine_cta *cta);

// Does the strand wait at a barrier of its CTA? Then `number` is which.
int machine_barrier_waits(const struct machine_strand *strand, uint32_t *number);

// How many threads count as come in the phase under way, and how many have to.
uint32_t machine_barrier_come(const struct machine_cta *cta, uint32_t number);
uint32_t machine_barrier_wanted(const struct machine_cta *cta, uint32_t number);

#pragma GCC visibility pop

#endif
