// SPDX-License-Identifier: MIT
// Groups are numbered as they are committed, so a wait is one comparison: everything below a number is covered.
#include "async_group.h"

struct async_operation async_issue(const struct async_groups *groups, enum async_kind kind)
{
    return (struct async_operation){groups->thread, kind, groups->kind[kind].committed};
}

void async_commit(struct async_groups *groups, enum async_kind kind)
{
    groups->kind[kind].committed++;
}

// Of `committed` groups all but the newest few are covered; an earlier wait may have covered more.
static void cover(uint32_t *covered, uint32_t committed, uint32_t newest)
{
    uint32_t now = committed > newest ? committed - newest : 0;
    if (now > *covered) *covered = now;
}

void async_wait_group(struct async_groups *groups, enum async_kind kind, uint32_t newest)
{
    cover(&groups->kind[kind].complete, groups->kind[kind].committed, newest);
    cover(&groups->kind[kind].read, groups->kind[kind].committed, newest);
}

void async_wait_group_read(struct async_groups *groups, uint32_t newest)
{
    cover(&groups->kind[ASYNC_BULK].read, groups->kind[ASYNC_BULK].committed, newest);
}

void async_wait_all(struct async_groups *groups)
{
    async_commit(groups, ASYNC_COPY);
    async_wait_group(groups, ASYNC_COPY, 0);
}

void async_wait_group_sm_90a(struct async_groups *groups, uint32_t newest)
{
    async_wait_group(groups, ASYNC_COPY, newest);
    async_wait_group(groups, ASYNC_BULK, newest);
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
