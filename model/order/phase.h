// SPDX-License-Identifier: MIT
// Meetings: which arrivals make up which phase of a barrier, and which phase a wait saw complete. Paths leave that
// open, so all ways are tried.
#ifndef TMAREF_PHASE_H
#define TMAREF_PHASE_H

#include "execution.h"

// Calls next(to) for each way in which all waits can end, with the phases in the events and `x->progress` set: what
// had to happen before what. next() returns 0 to stop; then so does this.
int phase_each(struct execution *x, int (*next)(void *to), void *to);

// Do the two events meet at one barrier?
bool phase_same_barrier(const struct execution *x, int a, int b);

// Adds what the launches of grids order: an event for each start and end that something is ordered with. 0 if there is
// no room.
//   source  PTX ISA 9.1 "Memory synchronization" (API synchronization), "griddepcontrol"
bool phase_add_grids(struct execution *x);

#endif
