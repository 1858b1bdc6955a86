// SPDX-License-Identifier: MIT
// Who could let a wait go on: the warps that are missing at a meeting, and those that came to an mbarrier in the phase
// before. Where nobody has ever come, it may be anybody.
#include "barrier.h"
#include "flight_item.h"
#include "flights.h"
#include "hang.h"
#include "meeting.h"
#include "polling.h"

uint32_t hang_warp_index(const struct machine_warp *warp)
{
    return warp->cta->rank * warp->cta->warps + warp->index;
}

static void need(struct hang_wait *wait, const struct machine_warp *warp)
{
    if (warp->live == 0)
        wait->exited++;
    else
        wait->need[hang_warp_index(warp)] = 1;
}

// Nobody knows who is to come: whoever can.
static void need_all_that_reach(struct hang_wait *wait)
{
    wait->needs_any = true;
    for (uint32_t rank = 0; rank < wait->cluster->ctas; rank++)
        for (uint32_t i = 0; i < wait->cluster->cta[rank].warps; i++) {
            const struct machine_warp *warp = &wait->cluster->cta[rank].warp[i];
            bool reaches = false;
            for (uint32_t s = 0; s < warp->strands; s++) reaches |= hang_reaches_arrival(&warp->strand[s]);
            if (warp->live != 0 && reaches) need(wait, warp);
        }
}

static void need_of_mbarrier(struct hang_wait *wait)
{
    const struct hang_barrier *barrier = wait->barrier;
    if (barrier->page == NULL) return;
    if (barrier->pattern == NULL) {
        need_all_that_reach(wait);
        return;
    }
    for (uint32_t i = 0; i < barrier->befores; i++)
        if (barrier->before[i].is_missing && barrier->before[i].warp != NULL) need(wait, barrier->before[i].warp);
}

// It came in the phase before, and polls memory between two phases: whatever it does now, it decides how long it goes
// on.
static bool polls_between(const struct machine_warp *warp, const struct machine_barrier *barrier)
{
    bool polls = false;
    for (uint32_t s = 0; s < warp->strands; s++) polls |= machine_poll_looks(&warp->strand[s]);
    return polls && (barrier->came_before >> warp->index & 1) != 0;
}

// Those who came in the phase before, else all; of them who have not come in this one.
static void need_of_barrier(struct hang_wait *wait)
{
    const struct machine_cta *cta = &wait->cluster->cta[wait->rank];
    const struct machine_barrier *barrier = &cta->barrier[wait->number];
    const bool is_named = barrier->expected > 0;
    for (uint32_t i = 0; i < cta->warps; i++) {
        const bool came = (barrier->came_before >> i & 1) != 0 || barrier->came_before == 0 || !is_named;
        if (came && (cta->warp[i].live == 0 ? is_named : (cta->warp[i].live & ~barrier->arrived[i]) != 0))
            need(wait, &cta->warp[i]);
        else if (polls_between(&cta->warp[i], barrier))
            need(wait, &cta->warp[i]);
    }
}

static void need_of_cluster(struct hang_wait *wait)
{
    for (uint32_t rank = 0; rank < wait->cluster->ctas; rank++)
        for (uint32_t i = 0; i < wait->cluster->cta[rank].warps; i++) {
            const struct machine_warp *warp = &wait->cluster->cta[rank].warp[i];
            if (warp->live != 0 && !machine_cluster_has_come(warp)) need(wait, warp);
        }
}

static void need_of_product(struct hang_wait *wait)
{
    const struct machine_cta *cta = wait->strand[0]->warp->cta;
    uint32_t missing = 0;
    machine_products_wait(wait->strand[0], &missing);
    need(wait, wait->strand[0]->warp); // its other lanes
    for (uint32_t part = 0; part < WGMMA_PARTS; part++) {
        const uint32_t warp = wait->number * WGMMA_PARTS + part;
        if ((missing >> part & 1) == 0) continue;
        if (warp < cta->warps)
            need(wait, &cta->warp[warp]);
        else
            wait->exited++;
    }
}

static void need_of_registers(struct hang_wait *wait)
{
    const struct machine_cta *cta = wait->strand[0]->warp->cta;
    for (uint32_t i = 0; i < cta->warps; i++) need(wait, &cta->warp[i]);
}

void hang_find_needs(struct hang_wait *wait)
{
    switch (wait->what) {
    case HANG_MBARRIER:
        need_of_mbarrier(wait);
        break;
    case HANG_BARRIER:
        need_of_barrier(wait);
        break;
    case HANG_CLUSTER:
        need_of_cluster(wait);
        break;
    case HANG_PRODUCT:
        need_of_product(wait);
        break;
    case HANG_REGISTERS:
        need_of_registers(wait);
        break;
    case HANG_LANES:
        need(wait, wait->strand[0]->warp);
        break;
    default:
        wait->needs_any = wait->what == HANG_MEMORY;
    }
}
