// SPDX-License-Identifier: MIT
// Proxy-preserved base causality order (derive.h). The text of PTX gives three cases: the generic proxy; one other
// proxy within one CTA; aliases with an alias fence on the way. It says that "a proxy fence is required" for all
// others, not how one takes effect. The reading is that of the paper that added proxies to the model ("Mixed-Proxy
// Extensions for the NVIDIA PTX Memory Consistency Model", ISCA 2022): a fence on the way, in the CTA of the access by
// the other proxy (docs/memory-model.md, "where a proxy fence stands").
#include <string.h>

#include "derive.h"

// Is `fence` one that carries an access by another proxy to the generic proxy, or back?
static bool covers(const struct execution *x, int fence, int access)
{
    const struct order_event *f = &x->event[fence], *a = &x->event[access];
    if (f->what & IS_API) return a->proxy != VIA_TENSORMAP;
    if (!(f->what & IS_PROXY_FENCE) || f->proxy != a->proxy || !execution_same_cta(x, fence, access)) return false;
    enum litmus_space space = x->test->place[a->place].space;
    return f->space == IN_ANY || space == IN_ANY || f->space == space;
}

static uint64_t with_itself(const struct relation *relation, int event)
{
    return relation->row[event] | relation_bit(event);
}

// The events behind `access` for which it is as good as an access by the generic proxy.
static uint64_t seen_as_generic(const struct execution *x, int access)
{
    if (x->event[access].proxy == VIA_GENERIC) return x->base.row[access];
    uint64_t seen = 0;
    RELATION_EACH(fence, x->base.row[access])
    {
        if (covers(x, fence, access)) seen |= with_itself(&x->base, fence);
    }
    return seen;
}

// Of those, the ones behind an alias fence.
static uint64_t behind_alias_fence(const struct execution *x, uint64_t seen)
{
    uint64_t behind = 0;
    RELATION_EACH(fence, seen)
    {
        if ((x->event[fence].what & IS_PROXY_FENCE) && x->event[fence].proxy == VIA_ALIAS)
            behind |= with_itself(&x->base, fence);
    }
    return behind;
}

static bool is_one_way(const struct order_event *event, enum access_order order, enum litmus_proxy proxy)
{
    return (event->what & IS_ONE_WAY) && event->order == order && event->proxy == proxy;
}

// fence.proxy.tensormap::generic: the release on the way, then the acquire in the CTA of the access.
static bool is_acquired(const struct execution *x, uint64_t seen, int access)
{
    const enum litmus_proxy proxy = x->event[access].proxy;
    RELATION_EACH(release, seen)
    {
        if (!is_one_way(&x->event[release], ORDER_RELEASE, proxy)) continue;
        RELATION_EACH(acquire, x->base.row[release])
        {
            if (is_one_way(&x->event[acquire], ORDER_ACQUIRE, proxy) && execution_same_cta(x, acquire, access) &&
                relation_has(&x->base, acquire, access))
                return true;
        }
    }
    return false;
}

// Does what is seen as generic reach this access by its proxy?
static bool reaches(const struct execution *x, uint64_t seen, int access)
{
    if (x->event[access].proxy == VIA_GENERIC) return (int)(seen >> access & true);
    RELATION_EACH(fence, seen)
    {
        if (covers(x, fence, access) && relation_has(&x->base, fence, access)) return true;
    }
    return is_acquired(x, seen, access);
}

static bool is_preserved(const struct execution *x, int from, int to, uint64_t seen)
{
    if (execution_address(x, from) != execution_address(x, to)) return reaches(x, behind_alias_fence(x, seen), to);
    const enum litmus_proxy proxy = x->event[from].proxy;
    if (proxy == x->event[to].proxy && (proxy == VIA_GENERIC || execution_same_cta(x, from, to))) return true;
    return reaches(x, seen, to);
}

void derive_preserved(struct execution *x)
{
    memset(&x->preserved, 0, sizeof x->preserved);
    const uint64_t memory = x->reads | x->writes;
    RELATION_EACH(from, memory)
    {
        uint64_t later = x->base.row[from] & memory, seen = later == 0 ? 0 : seen_as_generic(x, from);
        RELATION_EACH(to, later)
        {
            if (execution_memory(x, from) == execution_memory(x, to) && is_preserved(x, from, to, seen))
                relation_add(&x->preserved, from, to);
        }
    }
}
