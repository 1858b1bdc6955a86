// SPDX-License-Identifier: MIT
// Does a cluster in which nothing changes ever get out of that by itself? A loop that counts its tries does; one whose
// warps come back to states in which they were, while memory stays as it is, does not: it waits for what others write,
// by whatever loads, or for nothing at all.
#ifndef TMAREF_MACHINE_POLLING_H
#define TMAREF_MACHINE_POLLING_H

#include "state.h"

#pragma GCC visibility push(hidden)

// Have all only polled for so long, by the clock that they read, that nobody gets on by the clock any more?
bool machine_poll_outlasts(const struct machine_cluster *cluster);

// A digest of the warp's state, but for the numbers of phases: what it does next follows from it and from memory.
uint64_t machine_poll_state(struct machine_warp *warp);

// After round `calm` of those in which nothing changed and nobody got on by a clock: 1 if every warp has come back to a
// state of an earlier round of them, or reads a clock all the time. Call it after each; 0: this one was none of them.
// Rounds from `first` on count: where all only poll, few are enough.
enum { POLL_FIRST_LOOK = 64, POLL_FIRST_LOOK_OF_RUNNING = 256 };
bool machine_poll_repeats(struct machine_cluster *cluster, uint64_t calm, uint64_t first);

// Has the strand looked at memory again and again while nothing changed, wherever it is now: on its way through
// barriers of the CTA, or among lanes of its warp? It is what keeps those up who meet it there.
bool machine_poll_looks(const struct machine_strand *strand);

#pragma GCC visibility pop

#endif
