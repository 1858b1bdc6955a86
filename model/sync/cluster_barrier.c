// SPDX-License-Identifier: MIT
#include "cluster_barrier.h"

#include <assert.h>
#include <string.h>

// Completes the phase when every member that is left has arrived, if any is left.
static void complete(struct cluster_barrier *barrier)
{
    int left = 0;
    for (int i = 0; i < barrier->members; i++) {
        if (barrier->has_exited[i]) continue;
        if (barrier->arrived[i] <= barrier->phases) return;
        left++;
    }
    if (left > 0) barrier->phases++;
}

void cluster_barrier_start(struct cluster_barrier *barrier, int members)
{
    assert(members >= 1 && members <= CLUSTER_BARRIER_MEMBERS);
    memset(barrier, 0, sizeof *barrier);
    barrier->members = members;
}

int cluster_barrier_arrive(struct cluster_barrier *barrier, int member)
{
    if (barrier->arrived[member] > barrier->phases) return 0;
    barrier->arrived[member] = barrier->phases + 1;
    complete(barrier);
    return 1;
}

int cluster_barrier_wait(const struct cluster_barrier *barrier, int member)
{
    return barrier->arrived[member] <= barrier->phases;
}

void cluster_barrier_exit(struct cluster_barrier *barrier, int member)
{
    barrier->has_exited[member] = 1;
    complete(barrier);
}
