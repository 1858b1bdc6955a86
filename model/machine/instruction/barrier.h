// SPDX-License-Identifier: MIT
// The sixteen barriers of a CTA.
#ifndef TMAREF_MACHINE_BARRIER_H
#define TMAREF_MACHINE_BARRIER_H

#include <stddef.h>

#include "state.h"

#pragma GCC visibility push(hidden)

// Threads have exited: a barrier may be complete without them.
void machine_barriers_look(struct machine_cta *cta);

// For the report of a hang: what the strand's bar instruction waits for; empty if it is at none.
size_t machine_barrier_explain(const struct machine_strand *strand, char *text, size_t bytes);

#pragma GCC visibility pop

#endif
