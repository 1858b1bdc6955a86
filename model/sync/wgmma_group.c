// SPDX-License-Identifier: MIT
// Four async-groups, one for each warp; the checks are theirs.
#include "wgmma_group.h"

#include <stdbool.h>

#include "rules/wgmma.h"

struct wgmma_groups wgmma_groups_start(void)
{
    struct wgmma_groups groups = {.written = 0};
    for (int i = 0; i < WGMMA_WARPS; i++) groups.warp[i].thread = (uint32_t)i;
    return groups;
}

void wgmma_write_registers(struct wgmma_groups *groups, int warp)
{
    groups->written |= 1u << warp;
}

void wgmma_fence(struct wgmma_groups *groups, int warp, const struct teller *teller)
{
    const struct event event = {.kind = EVENT_GROUP, .group = {.kind = ASYNC_WGMMA, .step = GROUP_FENCE}};
    groups->written &= ~(1u << warp);
    if (teller != NULL) event_tell(teller, event);
}

enum rule wgmma_issue(const struct wgmma_groups *groups, struct wgmma_operation *operation, const struct teller *teller)
{
    for (int i = 0; i < WGMMA_WARPS; i++) {
        struct teller of_warp = teller != NULL ? *teller : (struct teller){0};
        of_warp.origin.warp += (uint32_t)i;
        operation->of_warp[i] = async_issue(&groups->warp[i], ASYNC_WGMMA, teller != NULL ? &of_warp : NULL);
    }
    return groups->written != 0 ? RULE_WGMMA_FENCE : RULE_OK;
}

void wgmma_commit(struct wgmma_groups *groups, int warp, const struct teller *teller)
{
    async_commit(&groups->warp[warp], ASYNC_WGMMA, teller);
}

void wgmma_wait(struct wgmma_groups *groups, int warp, uint32_t newest, const struct teller *teller)
{
    async_wait_group(&groups->warp[warp], ASYNC_WGMMA, newest, teller);
}

static bool is_complete(const struct wgmma_groups *groups, const struct wgmma_operation *operation, int warp)
{
    return async_state(&groups->warp[warp], operation->of_warp[warp]) == ASYNC_COMPLETE;
}

enum rule wgmma_check_registers(const struct wgmma_groups *groups, const struct wgmma_operation *operation, int warp)
{
    return is_complete(groups, operation, warp) ? RULE_OK : RULE_WGMMA_WAIT;
}

enum rule wgmma_check_shared(const struct wgmma_groups *groups, const struct wgmma_operation *operation,
                             unsigned readers)
{
    for (int i = 0; i < WGMMA_WARPS; i++)
        if ((readers >> i & 1) && !is_complete(groups, operation, i)) return RULE_WGMMA_WAIT_SHARED;
    return RULE_OK;
}
