// SPDX-License-Identifier: MIT
#include "fence.h"

#include <stdbool.h>
#include <string.h>

#define GLOBAL (1u << SPACE_GLOBAL)
#define SHARED (1u << SPACE_SHARED)

// `has_scope`: the name goes on with ".cta", ".cluster", ".gpu" or ".sys". A proxy fence without a scope is of one
// thread.
static const struct {
    const char *ptx;
    bool has_scope;
    struct event_fence fence;
} rows[] = {
    {"fence", true, {FENCE_MEMORY, ORDER_ACQ_REL, SCOPE_NONE, PROXY_GENERIC, GLOBAL | SHARED, 0, 0}},
    {"fence.sc", true, {FENCE_MEMORY, ORDER_SC, SCOPE_NONE, PROXY_GENERIC, GLOBAL | SHARED, 0, 0}},
    {"fence.acq_rel", true, {FENCE_MEMORY, ORDER_ACQ_REL, SCOPE_NONE, PROXY_GENERIC, GLOBAL | SHARED, 0, 0}},
    {"fence.acquire", true, {FENCE_MEMORY, ORDER_ACQUIRE, SCOPE_NONE, PROXY_GENERIC, GLOBAL | SHARED, 0, 0}},
    {"fence.release", true, {FENCE_MEMORY, ORDER_RELEASE, SCOPE_NONE, PROXY_GENERIC, GLOBAL | SHARED, 0, 0}},
    {"fence.acquire.sync_restrict::shared::cluster.cluster",
     false,
     {FENCE_MEMORY, ORDER_ACQUIRE, SCOPE_CLUSTER, PROXY_GENERIC, SHARED, 0, 0}},
    {"fence.release.sync_restrict::shared::cta.cluster",
     false,
     {FENCE_MEMORY, ORDER_RELEASE, SCOPE_CLUSTER, PROXY_GENERIC, SHARED, 0, 0}},
    {"membar.cta", false, {FENCE_MEMORY, ORDER_SC, SCOPE_CTA, PROXY_GENERIC, GLOBAL | SHARED, 0, 0}},
    {"membar.gl", false, {FENCE_MEMORY, ORDER_SC, SCOPE_GPU, PROXY_GENERIC, GLOBAL | SHARED, 0, 0}},
    {"membar.sys", false, {FENCE_MEMORY, ORDER_SC, SCOPE_SYS, PROXY_GENERIC, GLOBAL | SHARED, 0, 0}},
    {"fence.mbarrier_init.release.cluster",
     false,
     {FENCE_BARRIER_INIT, ORDER_RELEASE, SCOPE_CLUSTER, PROXY_GENERIC, SHARED, 0, 0}},
    {"fence.proxy.alias", false, {FENCE_PROXY, ORDER_ACQ_REL, SCOPE_NONE, PROXY_ALIAS, GLOBAL | SHARED, 0, 0}},
    {"fence.proxy.async", false, {FENCE_PROXY, ORDER_ACQ_REL, SCOPE_NONE, PROXY_ASYNC, GLOBAL | SHARED, 0, 0}},
    {"fence.proxy.async.global", false, {FENCE_PROXY, ORDER_ACQ_REL, SCOPE_NONE, PROXY_ASYNC, GLOBAL, 0, 0}},
    {"fence.proxy.async.shared::cta", false, {FENCE_PROXY, ORDER_ACQ_REL, SCOPE_NONE, PROXY_ASYNC, SHARED, 0, 0}},
    {"fence.proxy.async.shared::cluster", false, {FENCE_PROXY, ORDER_ACQ_REL, SCOPE_NONE, PROXY_ASYNC, SHARED, 0, 0}},
    {"fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster",
     false,
     {FENCE_PROXY, ORDER_ACQUIRE, SCOPE_CLUSTER, PROXY_ASYNC, SHARED, 0, 0}},
    {"fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster",
     false,
     {FENCE_PROXY, ORDER_RELEASE, SCOPE_CLUSTER, PROXY_ASYNC, SHARED, 0, 0}},
    {"fence.proxy.tensormap::generic.release",
     true,
     {FENCE_PROXY, ORDER_RELEASE, SCOPE_NONE, PROXY_TENSORMAP, GLOBAL | SHARED, 0, 0}},
    {"fence.proxy.tensormap::generic.acquire",
     true,
     {FENCE_PROXY, ORDER_ACQUIRE, SCOPE_NONE, PROXY_TENSORMAP, GLOBAL, 0, 0}},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

// The scope that `text` (".gpu") is, or SCOPE_NONE.
static enum access_scope scope_of(const char *text)
{
    for (int scope = SCOPE_CTA; scope <= SCOPE_SYS; scope++)
        if (text[0] == '.' && strcmp(text + 1, access_scope_name((enum access_scope)scope)) == 0)
            return (enum access_scope)scope;
    return SCOPE_NONE;
}

int fence_find(const char *ptx, struct event_fence *fence)
{
    for (int i = 0; i < ROWS; i++) {
        const size_t length = strlen(rows[i].ptx);
        if (strncmp(ptx, rows[i].ptx, length) != 0) continue;
        const enum access_scope scope = scope_of(ptx + length);
        if (rows[i].has_scope ? scope == SCOPE_NONE : ptx[length] != '\0') continue;
        *fence = rows[i].fence;
        if (rows[i].has_scope) fence->scope = scope;
        return 1;
    }
    return 0;
}

void fence_tell(const struct event_fence *fence, const struct teller *teller)
{
    const struct event event = {.kind = EVENT_FENCE, .fence = *fence};
    if (teller != NULL) event_tell(teller, event);
}
