// SPDX-License-Identifier: MIT
// One cluster of the grid: its CTAs, their memories and warps, and how it runs for a while.
#ifndef TMAREF_MACHINE_GRID_H
#define TMAREF_MACHINE_GRID_H

#include "state.h"

#pragma GCC visibility push(hidden)

// The room of a cluster; NULL if there is no memory. What a closed one had is kept for the next of the same thread of
// the host, until the launch is over.
struct machine_cluster *machine_cluster_open(struct machine *machine, uint32_t thread);
// It begins as cluster `number` of the grid. 0 if there is no memory: then it can only be closed.
bool machine_cluster_start(struct machine_cluster *cluster, uint64_t number);
// One that is done begins as another, likewise.
bool machine_cluster_again(struct machine_cluster *cluster, uint64_t number);
void machine_cluster_close(struct machine_cluster *cluster, uint32_t thread);
void machine_clusters_free(struct machine *machine);

// What instructions of the cluster, or of those kept, found last in global memory may be gone.
void machine_cluster_forget(struct machine_cluster *cluster);
void machine_clusters_forget(const struct machine *machine);

//   RAN   it used its budget
//   IDLE  nobody in it can go on, or all poll and will for ever: whatever helps has to come from another cluster
//   DONE  all its threads have exited
enum machine_cluster_ran { MACHINE_CLUSTER_RAN, MACHINE_CLUSTER_IDLE, MACHINE_CLUSTER_DONE, MACHINE_CLUSTER_STOPPED };
enum machine_cluster_ran machine_cluster_run(struct machine_cluster *cluster, uint64_t budget);

// All lanes of the warp have exited, in a turn of `used` instructions on a course.
struct machine_round;
void machine_warp_ended(struct machine_warp *warp, uint64_t used, struct machine_round *round);

// How often it has changed something, whether all that run in it have only looked at memory for a while, and whether it
// got on in its last round, if only by computing.
uint64_t machine_cluster_changes(const struct machine_cluster *cluster);
bool machine_cluster_watches(const struct machine_cluster *cluster);
bool machine_cluster_gets_on(const struct machine_cluster *cluster);

// Others have changed what it may wait for: how often it has polled in vain counts from here.
void machine_cluster_wake(struct machine_cluster *cluster);

#pragma GCC visibility pop

#endif
