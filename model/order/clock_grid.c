// SPDX-License-Identifier: MIT
// Programmatic launches: the launch in front may not have ended, until griddepcontrol.wait says so. Who has waited, and
// who is ordered behind such a thread, knows it by a slot of its own in the clocks.
#include "clock_order.h"

enum { GRID_CTA = UINT32_MAX };

void clock_order_follow(struct clock_order *order, struct clock_order *before)
{
    order->before = before;
}

// A launch that did not wait may end before the one in front of it does.
void clock_order_end(struct clock_order *order)
{
    order_drop_ctas(order);
    if (!order->has_waited || order->before == NULL) return;
    clock_order_close(order->before);
    order->before = NULL;
}

void order_grid_wait(struct clock_order *order, struct order_warp *warp)
{
    order->has_waited = true;
    if (order->before == NULL) return;
    clock_raise(&warp->clock, GRID_CTA, 0, 1);
    if (order_lanes_before(warp) != NULL) clock_raise(order_lanes_before(warp), GRID_CTA, 0, 1);
}

static bool has_waited(const struct clock_order *order)
{
    for (uint32_t i = 0; i < order->bys; i++)
        if (clock_time(order->by[i], GRID_CTA, 0).seen == 0) return false;
    return true;
}

// depth: how many launches it is in front
static void tell(struct clock_order *order, const struct clock_order *before, uint32_t depth,
                 const struct shadow_entry *older, const struct shadow_entry *newer)
{
    struct order_actor actor = before->actor[older->actor];
    struct order_found found = {.kind = ORDER_GRID_EARLY,
                                .space = SPACE_GLOBAL,
                                .address = order->address,
                                .mask = older->mask & newer->mask,
                                .older = *older,
                                .newer = *newer};
    actor.kind = ORDER_GRID;
    actor.issued = depth;
    found.older.actor = order_actor_new(order, &actor);
    if (found.older.actor != 0) order->found(order->context, &found);
}

struct asking {
    struct clock_order *order;
    const struct clock_order *before;
    uint32_t depth;
    const struct shadow_entry *newer;
};

static void ask(void *context, uint64_t address, const struct shadow_entry *older)
{
    const struct asking *asking = context;
    (void)address;
    if ((older->mask & asking->newer->mask) != 0 && shadow_may_clash(older, asking->newer))
        tell(asking->order, asking->before, asking->depth, older, asking->newer);
}

// Of the launch directly in front a wait tells that it has ended; of those before it, which it did not wait for,
// nothing.
void order_grid_access(struct clock_order *order, const struct shadow_entry *entry)
{
    bool is_over = order->before != NULL && has_waited(order);
    uint32_t depth = 1;
    for (const struct clock_order *before = order->before; before != NULL; before = before->before, depth++) {
        const struct shadow_page *page = is_over ? NULL : order_global_find(before, order->address);
        struct asking asking = {order, before, depth, entry};
        if (page != NULL)
            shadow_each_of(&before->pool, page, order->address % SHADOW_PAGE_BYTES / SHADOW_CELL_BYTES, ask, &asking);
        is_over = false;
    }
}
