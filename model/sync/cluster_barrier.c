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

static void tell(const struct teller *teller, enum meeting_step step, enum access_order order, uint64_t phase)
{
    const struct event event = {.kind = EVENT_MEETING,
                                .meeting = {.kind = MEETING_CLUSTER, .step = step, .order = order, .phase = phase}};
    if (teller != NULL) event_tell(teller, event);
}

int cluster_barrier_arrive(struct cluster_barrier *barrier, int member, enum access_order order,
                           const struct teller *teller)
{
    if (barrier->arrived[member] > barrier->phases) return 0;
    tell(teller, MEETING_ARRIVE, order, barrier->phases);
    barrier->arrived[member] = barrier->phases + 1;
    complete(barrier);
    return 1;
}

int cluster_barrier_wait(const struct cluster_barrier *barrier, int member, const struct teller *teller)
{
    const uint64_t arrived = barrier->arrived[member];
    if (arrived > barrier->phases) return 0;
    if (arrived > 0) tell(teller, MEETING_WAIT, ORDER_ACQUIRE, arrived - 1); // else it has waited for nobody
    return 1;
}

void cluster_barrier_exit(struct cluster_barrier *barrier, int member, const struct teller *teller)
{
    const struct event event = {.kind = EVENT_RUN, .run = RUN_EXIT};
    if (teller != NULL) event_tell(teller, event);
    barrier->has_exited[member] = 1;
    complete(barrier);
}
