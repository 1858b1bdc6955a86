// SPDX-License-Identifier: MIT
// setmaxnreg: between two of a warp, the warps of its warpgroup have to meet. PTX ISA 9.0, "setmaxnreg": a warpgroup
// must synchronize explicitly before it executes the next one.
#include "clock_order.h"

enum { WARPS = 4 };

// The setmaxnreg that the warp executed as its number `number`, from 1 on; NULL: it has not, or that is not known any
// more.
static const struct order_came *set_of(const struct order_warp *warp, uint32_t number)
{
    return number > 0 && number <= warp->sets && warp->sets - number < ORDER_SETS
               ? &warp->set[(number - 1) % ORDER_SETS]
               : NULL;
}

static void tell(struct clock_order *order, const struct order_cta *cta, const struct order_warp *warp,
                 const struct order_warp *other, const struct order_came *before)
{
    const struct order_came *now = set_of(warp, warp->sets);
    const struct order_found found = {.kind = ORDER_REGISTERS,
                                      .space = SPACE_SHARED,
                                      .cta = cta,
                                      .address = (uint64_t)(warp - cta->warp) / WARPS * WARPS,
                                      .older = {.actor = other->actor, .time = before->time, .line = before->line},
                                      .newer = {.actor = warp->actor, .time = now->time, .line = now->line}};
    order->found(order->context, &found);
}

void order_set_registers(struct clock_order *order, const struct order_cta *cta, struct order_warp *warp,
                         const struct event *event)
{
    const uint32_t first = (uint32_t)(warp - cta->warp) / WARPS * WARPS;
    warp->set[warp->sets % ORDER_SETS] =
        (struct order_came){.time = warp->now, .line = event->origin->line, .lanes = event->origin->lanes};
    warp->sets++;
    for (uint32_t w = first; w < first + WARPS && w < cta->warps; w++) {
        const struct order_came *before = set_of(&cta->warp[w], warp->sets - 1);
        if (&cta->warp[w] == warp || before == NULL) continue;
        if (clock_time(&warp->clock, cta->index, w).seen >= before->time) continue;
        tell(order, cta, warp, &cta->warp[w], before);
        return;
    }
}
