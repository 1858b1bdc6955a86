// SPDX-License-Identifier: MIT
// What other clusters of the grid do not see yet: under LATE and SHUFFLED the weak stores of a cluster to global memory
// that no fence or release of a scope wider than the CTA has published (veil.h). While others have their turns, memory
// holds the bytes from before. Stores that the schedule holds back reach memory when nobody gets on, or has waited for
// long by the clock; those of clusters that have ended, at the end of the launch too. Only launches of more than one
// cluster have this, and of them only those whose module has atomics or strong loads, by which clusters may speak to
// each other. One thread of the host runs such a launch, so that the seed says what happens.
#ifndef TMAREF_MACHINE_UNSEEN_H
#define TMAREF_MACHINE_UNSEEN_H

#include "state.h"
#include "veil_global.h"

#pragma GCC visibility push(hidden)

// May the clusters of the launch speak to each other, and is its schedule one that shows what they miss?
bool machine_unseen_is_wanted(const struct machine *machine);

// The cluster's turn ends: 1 if stores of turns before have reached memory. It begins, or its stores are there for
// good: 1 if any were not before.
bool machine_unseen_leave(const struct machine_cluster *cluster);
bool machine_unseen_return(const struct machine_cluster *cluster, bool is_for_good);

// The stores of clusters that have ended: the latest UNSEEN_KEPT of them; of the others they are in memory. turns: for
// how many turns of others there have been some.
enum { UNSEEN_KEPT = 8 };
struct machine_unseen {
    struct veil_global *stores[UNSEEN_KEPT];
    uint32_t count, turns;
};

// The cluster has ended, others have not.
void machine_unseen_keep(struct machine_unseen *unseen, struct machine_cluster *cluster);

// Another has had a turn: what is old enough reaches memory; 0 if nothing has.
bool machine_unseen_age(struct machine_unseen *unseen);

// All of it reaches memory; 0 if there was nothing.
bool machine_unseen_land(struct machine_unseen *unseen);

#pragma GCC visibility pop

#endif
