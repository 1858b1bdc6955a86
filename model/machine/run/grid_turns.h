// SPDX-License-Identifier: MIT
// The clusters of a launch: begun in the order of the grid, and run by the threads of the host, each for a while.
#ifndef TMAREF_MACHINE_GRID_TURNS_H
#define TMAREF_MACHINE_GRID_TURNS_H

#include <pthread.h>
#include <time.h>

#include "crew.h"
#include "state.h"
#include "unseen.h"

#pragma GCC visibility push(hidden)

// Clusters that have begun and are not done, in the order in which they get their turns.
//   number      of the cluster
//   generation  of the grid, when its last turn began: it goes up when a cluster has changed something in its turn
//   settled     grid->changes when its last turn began, if all it did was to look at memory and to wait; else 0
//   is_idle     it could do nothing at that generation: not before the next can it
//   is_stalled  it ran, and changed nothing that others could see, nor computed
//   is_new      it has not had a turn
//   thread      of the host, that has it in its caches
//   after       how many that follow it in the grid are its thread's too, once it is done
struct resident {
    struct machine_cluster *cluster;
    uint64_t number, generation, turn, settled, after;
    uint32_t thread;
    bool is_idle, is_stalled, is_running, is_new;
};

// Another thread of the host. The first one is number 0.
struct grid_helper {
    struct grid *grid;
    struct crew_member *member;
    uint32_t number;
};

// is_vain: since vain_since all have only looked at what has not changed.
// changes: goes up when a cluster has changed memory, which is more than it takes for the next generation.
// helper: the other threads of the host that run clusters, `may_help` more of which may start; the first thread has
// been at work since work_since, when begun_before clusters had begun
struct grid {
    struct machine *machine;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct resident *resident;
    uint32_t residents, most_residents, running;
    struct machine_unseen unseen; // of clusters that have ended
    uint64_t begun, clusters, generation, turns, changes;
    bool is_waiting, is_vain;
    struct timespec start, vain_since;
    struct grid_helper helper[MACHINE_HOST_THREADS - 1];
    uint32_t helpers, may_help;
    void *combined_lock; // of the launch
    struct timespec work_since;
    uint64_t begun_before;
    bool is_alike; // the order of the clusters makes no difference
};

// All threads of the host work until the launch is over, or waits for others.
void grid_work(struct grid *grid);

bool grid_is_over(const struct grid *grid);

// Could the cluster do nothing in its last turn, and has nothing changed since?
bool grid_is_idle(const struct grid *grid, const struct resident *resident);

// The launch in front ends now, and what it wrote is there. 0 if it has.
bool grid_end_launch_before(struct grid *grid);

// The launch ends in all of its clusters, for the reason `why`.
void grid_end_everywhere(struct grid *grid, enum machine_kind kind, const char *why);

void grid_end_without_memory(struct machine *machine);

// The cluster has ended, or is given up.
void grid_end_cluster(struct grid *grid, struct resident *resident);

double grid_seconds_since(const struct timespec *then);

#pragma GCC visibility pop

#endif
