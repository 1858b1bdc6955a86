// SPDX-License-Identifier: MIT
// Async-groups: which asynchronous operations a thread may rely on, and since when. PTX keeps them per thread, those of
// cp.async and those of cp.async.bulk apart (enum async_kind); an operation that no wait has covered may be
// done or not. The issuer keeps the struct of each operation; data and faults are in operation.h.
//
// An H200 keeps one such object per warp instead of one per thread, and its .read waits for the writes too (rules
// ASYNC_GROUP_THREAD, ASYNC_GROUP_READ): give all threads of a warp one object to see what that machine does.
#ifndef TMAREF_ASYNC_GROUP_H
#define TMAREF_ASYNC_GROUP_H

#include <stdint.h>

#include "event.h"
#include "rule.h"

// The groups of one thread: how many were committed, and how many of them, oldest first, waits have said are read and
// complete. All 0 is a thread that has issued nothing; `thread` tells threads apart.
struct async_groups {
    uint32_t thread;
    struct {
        uint32_t committed, read, complete;
    } kind[ASYNC_KINDS];
};

// One operation: who issued it, and the group that the issuer's next commit puts it in.
struct async_operation {
    uint32_t thread;
    enum async_kind kind;
    uint32_t group;
};

// What the issuing thread may rely on.
enum async_state {
    ASYNC_MAY,      // nothing: it may be done or not
    ASYNC_READ,     // its sources have been read
    ASYNC_COMPLETE, // its writes are made, and visible to this thread
};

// What somebody wants to do with the memory of an operation.
enum async_use { ASYNC_WRITES_SOURCE, ASYNC_USES_DESTINATION };

// Calls that change the groups take a teller, or NULL. They tell an event (EVENT_GROUP) with the number of the group.

// An operation that the thread of `groups` issues now.
struct async_operation async_issue(const struct async_groups *groups, enum async_kind kind,
                                   const struct teller *teller);

// cp.async.commit_group, cp.async.bulk.commit_group: a new group of all that is not committed yet, also of nothing.
// Rules ASYNC_GROUP_EMPTY, ASYNC_GROUP_UNCOMMITTED.
void async_commit(struct async_groups *groups, enum async_kind kind, const struct teller *teller);

// wait_group `newest`: all groups but the newest so many are complete. Uncommitted operations are not waited for.
// Rule ASYNC_GROUP_ORDER.
void async_wait_group(struct async_groups *groups, enum async_kind kind, uint32_t newest, const struct teller *teller);

// cp.async.bulk.wait_group.read: they have been read, which says nothing of their writes. Rule ASYNC_GROUP_READ.
void async_wait_group_read(struct async_groups *groups, uint32_t newest, const struct teller *teller);

// cp.async.wait_all: commits what is not committed, and waits for every group of cp.async. Rule ASYNC_WAIT_ALL.
void async_wait_all(struct async_groups *groups, const struct teller *teller);

// What an H200 does at any of the waits, wait_all's first step apart: it waits for both kinds, and for writes, because
// all groups of a warp are one scoreboard. `groups` is that of the warp. Rules ASYNC_GROUP_THREAD, ASYNC_GROUP_KINDS,
// ASYNC_GROUP_READ.
void async_wait_group_sm_90a(struct async_groups *groups, uint32_t newest, const struct teller *teller);

// What the thread of `groups` may rely on; ASYNC_MAY of operations that another thread issued.
enum async_state async_state(const struct async_groups *groups, struct async_operation operation);

// RULE_OK, or the rule that the thread of `groups` breaks by such a use now:
//   ASYNC_GROUP_THREAD       another thread issued the operation, so this one cannot have waited for it
//   ASYNC_GROUP_UNCOMMITTED  it is in no group
//   ASYNC_GROUP_ORDER        no wait has covered its group
//   ASYNC_GROUP_READ         a wait with .read did, and its destination is used
// source  PTX ISA 9.1, Async proxy and cp.async.bulk.wait_group
//         (#data-movement-and-conversion-instructions-cp-async-bulk-wait-group)
enum rule async_check_use(const struct async_groups *groups, struct async_operation operation, enum async_use use);

#endif
