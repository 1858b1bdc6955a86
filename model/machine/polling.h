// SPDX-License-Identifier: MIT
// Does a cluster in which all warps only wait and poll ever get out of that by itself? A loop that counts its tries
// does; one whose warps come back to states in which they were, while memory stays as it is, does not.
#ifndef TMAREF_MACHINE_POLLING_H
#define TMAREF_MACHINE_POLLING_H

#include "state.h"

#pragma GCC visibility push(hidden)

// Have all only polled for so long, by the clock that they read, that nobody gets on by the clock any more?
int machine_poll_outlasts(const struct machine_cluster *cluster);

// After round `polled` of those in which all only polled, nothing changed and nobody got on by a clock: 1 if every warp
// has come back to a state of an earlier round of them, or reads a clock all the time. Call it after each.
int machine_poll_repeats(struct machine_cluster *cluster, uint64_t polled);

#pragma GCC visibility pop

#endif
