// SPDX-License-Identifier: MIT
// Groups are numbered as they are committed, so a wait is one comparison: everything below a number is covered.
#include "async_group.h"
#include "rules/async.h"

static void tell(const struct teller *teller, enum async_kind kind, enum group_step step, uint32_t group)
{
    if (teller == NULL || teller->observer == NULL) return; // most often: an event takes long to make
    event_tell(teller, (struct event){.kind = EVENT_GROUP, .group = {kind, step, group}});
}

struct async_operation async_issue(const struct async_groups *groups, enum async_kind kind, const struct teller *teller)
{
    const uint32_t group = groups->kind[kind].committed;
    tell(teller, kind, GROUP_ISSUE, group);
    return (struct async_operation){groups->thread, kind, group};
}

void async_commit(struct async_groups *groups, enum async_kind kind, const struct teller *teller)
{
    tell(teller, kind, GROUP_COMMIT, groups->kind[kind].committed++);
}

// Of `committed` groups all but the newest few are covered; an earlier wait may have covered more.
static void cover(uint32_t *covered, uint32_t committed, uint32_t newest)
{
    uint32_t now = committed > newest ? committed - newest : 0;
    if (now > *covered) *covered = now;
}

void async_wait_group(struct async_groups *groups, enum async_kind kind, uint32_t newest, const struct teller *teller)
{
    cover(&groups->kind[kind].complete, groups->kind[kind].committed, newest);
    cover(&groups->kind[kind].read, groups->kind[kind].committed, newest);
    tell(teller, kind, GROUP_WAIT, groups->kind[kind].complete);
}

void async_wait_group_read(struct async_groups *groups, uint32_t newest, const struct teller *teller)
{
    cover(&groups->kind[ASYNC_BULK].read, groups->kind[ASYNC_BULK].committed, newest);
    tell(teller, ASYNC_BULK, GROUP_WAIT_READ, groups->kind[ASYNC_BULK].read);
}

void async_wait_all(struct async_groups *groups, const struct teller *teller)
{
    async_commit(groups, ASYNC_COPY, teller);
    async_wait_group(groups, ASYNC_COPY, 0, teller);
}

void async_wait_group_sm_90a(struct async_groups *groups, uint32_t newest, const struct teller *teller)
{
    async_wait_group(groups, ASYNC_COPY, newest, teller);
    async_wait_group(groups, ASYNC_BULK, newest, teller);
}

enum async_state async_state(const struct async_groups *groups, struct async_operation operation)
{
    if (operation.thread != groups->thread) return ASYNC_MAY;
    if (operation.group < groups->kind[operation.kind].complete) return ASYNC_COMPLETE;
    return operation.group < groups->kind[operation.kind].read ? ASYNC_READ : ASYNC_MAY;
}

enum rule async_check_use(const struct async_groups *groups, struct async_operation operation, enum async_use use)
{
    enum async_state state = async_state(groups, operation);
    if (operation.thread != groups->thread) return RULE_ASYNC_GROUP_THREAD;
    if (operation.group >= groups->kind[operation.kind].committed) return RULE_ASYNC_GROUP_UNCOMMITTED;
    if (state == ASYNC_MAY) return RULE_ASYNC_GROUP_ORDER;
    return state == ASYNC_READ && use == ASYNC_USES_DESTINATION ? RULE_ASYNC_GROUP_READ : RULE_OK;
}
