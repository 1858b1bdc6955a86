// SPDX-License-Identifier: MIT
#include "event.h"

static const char *fence_name(const struct event_fence *fence)
{
    static const char *const names[] = {"fence", "fence.proxy", "fence.mbarrier_init"};
    return names[fence->kind];
}

static const char *barrier_name(const struct event_barrier *barrier)
{
    static const char *const names[] = {"mbarrier.init", "mbarrier.inval", "mbarrier.transaction", "mbarrier.wait"};
    return names[barrier->step];
}

static const char *meeting_name(const struct event_meeting *meeting)
{
    static const char *const names[][2] = {
        [MEETING_WARP] = {"bar.warp.arrive", "bar.warp.wait"},
        [MEETING_CTA] = {"barrier.cta.arrive", "barrier.cta.wait"},
        [MEETING_CLUSTER] = {"barrier.cluster.arrive", "barrier.cluster.wait"},
    };
    return names[meeting->kind][meeting->step];
}

static const char *group_name(const struct event_group *group)
{
    static const char *const names[][5] = {
        [ASYNC_COPY] = {"cp.async", "cp.async.commit_group", "cp.async.wait_group", "", ""},
        [ASYNC_BULK] = {"cp.async.bulk", "cp.async.bulk.commit_group", "cp.async.bulk.wait_group",
                        "cp.async.bulk.wait_group.read", ""},
        [ASYNC_WGMMA] = {"wgmma.mma_async", "wgmma.commit_group", "wgmma.wait_group", "", "wgmma.fence"},
        [ASYNC_ALONE] = {"asynchronous operation", "", "", "", ""},
    };
    return names[group->kind][group->step];
}

static const char *run_name(enum run_step step)
{
    static const char *const names[] = {
        "kernel begin",        "kernel end", "exit", "CTA exit", "griddepcontrol.launch_dependents",
        "griddepcontrol.wait", "setmaxnreg"};
    return names[step];
}

const char *event_name(const struct event *event)
{
    switch (event->kind) {
    case EVENT_FENCE:
        return fence_name(&event->fence);
    case EVENT_BARRIER:
        return barrier_name(&event->barrier);
    case EVENT_MEETING:
        return meeting_name(&event->meeting);
    case EVENT_GROUP:
        return group_name(&event->group);
    case EVENT_RUN:
        return run_name(event->run);
    default:
        return access_kind_name(event->access.kind);
    }
}
