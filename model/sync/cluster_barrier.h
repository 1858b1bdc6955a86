// SPDX-License-Identifier: MIT
// The barrier of a cluster (barrier.cluster.arrive and .wait), as a state machine over its members: warps, or threads
// where they arrive one by one. The caller decides who runs when: an operation that would block returns 0 and does
// nothing. Others tell an event (EVENT_MEETING), from which an observer knows what a wait makes visible.
#ifndef TMAREF_CLUSTER_BARRIER_H
#define TMAREF_CLUSTER_BARRIER_H

#include <stdint.h>

#include "event.h"

// 16 CTAs of 32 warps.
enum { CLUSTER_BARRIER_MEMBERS = 512 };

// `phases` have completed. A member that has arrived in the phase under way has arrived[member] == phases + 1.
struct cluster_barrier {
    uint64_t phases;
    int members;
    uint64_t arrived[CLUSTER_BARRIER_MEMBERS];
    uint8_t has_exited[CLUSTER_BARRIER_MEMBERS];
};

// A fresh barrier of 1 .. CLUSTER_BARRIER_MEMBERS members.
void cluster_barrier_start(struct cluster_barrier *barrier, int members);

// barrier.cluster.arrive: 1 if it went through, 0 if it blocks, which a second arrive does until the phase of the first
// has completed; it then counts for the next. `order` is release, or relaxed. Rules CLUSTER_BARRIER,
// CLUSTER_BARRIER_TWICE.
int cluster_barrier_arrive(struct cluster_barrier *barrier, int member, enum access_order order,
                           const struct teller *teller);

// barrier.cluster.wait: 1 if the phase of the member's last arrive has completed, 0 if it blocks. A member that has not
// arrived does not wait. Rules CLUSTER_BARRIER, CLUSTER_BARRIER_UNARRIVED.
int cluster_barrier_wait(const struct cluster_barrier *barrier, int member, const struct teller *teller);

// The member ends (EVENT_RUN): nobody waits for it any more. What it arrived at before counts.
void cluster_barrier_exit(struct cluster_barrier *barrier, int member, const struct teller *teller);

#endif
