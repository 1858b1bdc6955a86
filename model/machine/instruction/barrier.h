// SPDX-License-Identifier: MIT
// The sixteen barriers of a CTA.
#ifndef TMAREF_MACHINE_BARRIER_H
#define TMAREF_MACHINE_BARRIER_H

#include <stddef.h>

#include "state.h"

#pragma GCC visibility push(hidden)

// Threads have exited: a barrier may be complete without them.
void machine_barriers_look(struct machine_cta *cta);

// Do all threads of the CTA meet there, as far as it says, and wait?
bool machine_barrier_is_of_all(const struct machine_code *code);

// Is it bar.sync of all threads, with a constant number and no guard, as most __syncthreads() are?
bool machine_barrier_is_plain(const struct machine_function *function, const struct machine_code *code);

uint32_t machine_barrier_number(const struct machine_strand *strand, const struct machine_code *code);

// What such a one is after so many phases of all warps, if somebody has come to it; the warp has met the others there;
// and all its lanes wait there in the next phase.
void machine_barrier_resume(struct machine_cta *cta, uint32_t number, uint64_t phase);
void machine_barrier_met(struct machine_warp *warp, const struct machine_code *code);
void machine_barrier_come_all(struct machine_warp *warp, const struct machine_code *code);

// Does the strand wait at a barrier of its CTA? Then `number` is which.
bool machine_barrier_waits(const struct machine_strand *strand, uint32_t *number);

// How many threads count as come in the phase under way, and how many have to.
uint32_t machine_barrier_come(const struct machine_cta *cta, uint32_t number);
uint32_t machine_barrier_wanted(const struct machine_cta *cta, uint32_t number);

#pragma GCC visibility pop

#endif
