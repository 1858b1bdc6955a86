// SPDX-License-Identifier: MIT
// Events: everything that the order of memory depends on, as an observer of the model hears it: accesses, by whomever
// they are made, and synchronisation. The model only tells, at the moment when it does a thing; what follows (races,
// missing fences, who waits for whom) is the observer's business. What is gathered under a barrier: ledger.h.
#ifndef TMAREF_EVENT_H
#define TMAREF_EVENT_H

#include <stddef.h>

#include "access.h"

// Who did it, and where in the user's program. Given by whoever executes; the model hands it on.
//   cta        number of the CTA in the grid, x fastest; `rank`: in its cluster
//   lanes      of the warp: those that did it
//   operation  the number of the asynchronous operation it is part of; 0: the threads themselves
//   file       NULL where no source is known; `line` then counts steps of a program, or is 0
//   called_at  in a function that was not inlined, the line at which the kernel called it; else 0
struct event_origin {
    uint64_t launch, cta;
    uint32_t rank, warp, lanes;
    uint64_t operation;
    const char *file;
    uint32_t line, called_at;
};

enum event_kind { EVENT_ACCESS, EVENT_FENCE, EVENT_BARRIER, EVENT_MEETING, EVENT_GROUP, EVENT_RUN };

// MEMORY: fence and membar. PROXY: between the generic proxy and `proxy`; ORDER_RELEASE or ORDER_ACQUIRE where it works
// one way. `spaces`: bit s for each space of enum access_space. An acquire of a tensor map names its `bytes` bytes.
enum fence_kind { FENCE_MEMORY, FENCE_PROXY, FENCE_BARRIER_INIT };
struct event_fence {
    enum fence_kind kind;
    enum access_order order;
    enum access_scope scope;
    enum access_proxy proxy;
    uint32_t spaces;
    uint64_t address, bytes;
};

// What one transaction does to an mbarrier, summed over the lanes of the warp instruction (64 bits hold every sum).
struct mbarrier_transaction {
    uint64_t arrivals, expect_bytes, complete_bytes;
    int drop; // arrivals leave the expected count too
};

// The mbarrier at shared address `address` of the CTA of rank `rank`: made, dropped, told, or seen to be complete by a
// wait that says true. It is also the access to its 8 bytes, of which no other event tells. `phase` is the phase bit
// before a transaction, and the phase that a wait has seen complete; `completes`: the transaction completed it. ERROR:
// a transaction of another CTA broke a rule and set the error bit; the counts are as before.
enum barrier_step { BARRIER_INIT, BARRIER_INVAL, BARRIER_TRANSACTION, BARRIER_WAIT, BARRIER_ERROR };
struct event_barrier {
    enum barrier_step step;
    enum access_order order;
    enum access_scope scope;
    uint32_t rank, address;
    int phase, completes;
    struct mbarrier_transaction transaction;
};

// Threads that meet: at bar.warp.sync of the lanes in `threads`, at barrier `number` of their CTA (`threads` of them,
// 0: all), or at that of the cluster. Where one instruction does both, arrive is told when it begins and wait when it
// ends. `phase`: how often the barrier had completed when they arrived.
enum meeting_kind { MEETING_WARP, MEETING_CTA, MEETING_CLUSTER };
enum meeting_step { MEETING_ARRIVE, MEETING_WAIT };
struct event_meeting {
    enum meeting_kind kind;
    enum meeting_step step;
    enum access_order order;
    uint32_t number, threads;
    uint64_t phase;
};

// Groups of asynchronous operations. ISSUE: operation origin->operation begins, and will be in group `group`; a COMMIT
// closes that group; a WAIT covers all groups below `group` (WAIT_READ: their sources alone). FENCE is wgmma.fence.
// The kinds: cp.async; cp.async.bulk and cp.reduce.async.bulk with .bulk_group; wgmma, whose groups belong to a warp.
// An operation that completes on a barrier, or whose end nobody can wait for, is in no group: ASYNC_ALONE.
enum async_kind { ASYNC_COPY, ASYNC_BULK, ASYNC_WGMMA, ASYNC_KINDS, ASYNC_ALONE = ASYNC_KINDS };
enum group_step { GROUP_ISSUE, GROUP_COMMIT, GROUP_WAIT, GROUP_WAIT_READ, GROUP_FENCE };
struct event_group {
    enum async_kind kind;
    enum group_step step;
    uint32_t group;
};

// Begin and end of a kernel and of what runs in it, griddepcontrol, and setmaxnreg, when the warp has its registers.
// EXIT: of the lanes of the origin.
enum run_step {
    RUN_KERNEL_BEGIN,
    RUN_KERNEL_END,
    RUN_EXIT,
    RUN_CTA_EXIT,
    RUN_LAUNCH_DEPENDENTS,
    RUN_WAIT_FOR_GRIDS,
    RUN_SET_REGISTERS
};

// One event: the member named as the kind holds it. `origin` is not kept beyond the call.
struct event {
    enum event_kind kind;
    const struct event_origin *origin;
    union {
        struct access access;
        struct event_fence fence;
        struct event_barrier barrier;
        struct event_meeting meeting;
        struct event_group group;
        enum run_step run;
    };
};

// An observer. It hears events in the order in which the model does things. The accesses of an asynchronous operation
// come in any order, but all of them before its transaction.
struct observer {
    void *context;
    void (*hear)(void *context, const struct event *event);
};

// Who listens to one instruction (NULL: nobody but ledgers), and who executes it. Functions take NULL for neither.
struct teller {
    const struct observer *observer;
    struct event_origin origin;
};

static inline void event_tell(const struct teller *teller, struct event event)
{
    event.origin = &teller->origin;
    if (teller->observer != NULL) teller->observer->hear(teller->observer->context, &event);
}

// Tells of an access to `bytes` bytes at `address`; everything else is as in `as`. If `bytes` is 0, nothing is told. An
// access to several ranges is several events.
static inline void event_tell_access(const struct teller *teller, struct access as, uint64_t address, uint64_t bytes)
{
    struct event event;
    if (teller == NULL || teller->observer == NULL || bytes == 0) return;
    event.kind = EVENT_ACCESS;
    event.access = as;
    event.access.address = address;
    event.access.bytes = bytes;
    event_tell(teller, event);
}

// What happens, as PTX says it where it can: "read", "fence.proxy", "mbarrier.transaction", "barrier.cluster.arrive",
// "wgmma.commit_group", "griddepcontrol.wait", "exit".
const char *event_name(const struct event *event);

#endif
