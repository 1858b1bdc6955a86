// SPDX-License-Identifier: MIT
// What a strand waits for: an mbarrier that it tries again and again, the instruction at which the machine holds it, or
// memory that it reads until somebody writes it.
#include "barrier.h"
#include "flight_item.h"
#include "flights.h"
#include "hang.h"
#include "meeting.h"
#include "polling.h"
#include "report.h"
#include "tuning.h"

static void find_mbarrier(const struct flight_wait *at, struct hang_wait *wait)
{
    wait->what = HANG_MBARRIER;
    wait->code = at->code;
    wait->rank = at->rank;
    wait->number = at->address;
    wait->parity = at->is_parity ? (int)(at->operand & 1) : -1;
}

static uint32_t lanes_of(uint32_t lanes)
{
    return (uint32_t)__builtin_popcount(lanes);
}

// How many threads of the cluster are to come to barrier.cluster, and how many have.
static void find_cluster(const struct machine_cluster *cluster, struct hang_wait *wait)
{
    wait->what = HANG_CLUSTER;
    for (uint32_t rank = 0; rank < cluster->ctas; rank++)
        for (uint32_t i = 0; i < cluster->cta[rank].warps; i++) {
            const struct machine_warp *warp = &cluster->cta[rank].warp[i];
            wait->wanted += lanes_of(warp->live);
            if (machine_cluster_has_come(warp)) wait->come += lanes_of(warp->live);
        }
}

// Memory that it reads by a strong load or an atomic; of others nobody notes which it was.
static void find_memory(const struct machine_strand *strand, enum machine_kind kind, struct hang_wait *wait)
{
    const struct machine_warp *warp = strand->warp;
    wait->what = kind == MACHINE_HUNG ? HANG_MEMORY : HANG_RUNS;
    if (kind != MACHINE_HUNG || !machine_poll_looks(strand)) return;
    wait->is_known = true;
    wait->code = warp->looking_at;
    wait->address = warp->looked_for;
}

void hang_find_wait(const struct machine_strand *strand, enum machine_kind kind, struct hang_wait *wait)
{
    const struct machine_cta *cta = strand->warp->cta;
    const struct flight_wait *at = flight_wait_of(strand);
    uint32_t mask;
    *wait = (struct hang_wait){.cluster = cta->cluster,
                               .function = strand->frame->function,
                               .code = &strand->frame->function->code[strand->pc],
                               .rank = cta->rank,
                               .parity = -1};
    if (at != NULL) {
        find_mbarrier(at, wait);
    } else if (kind == MACHINE_HUNG && machine_poll_looks(strand)) {
        find_memory(strand, kind, wait);
    } else if (machine_barrier_waits(strand, &wait->number)) {
        wait->what = HANG_BARRIER;
        wait->come = machine_barrier_come(cta, wait->number);
        wait->wanted = machine_barrier_wanted(cta, wait->number);
    } else if (machine_cluster_waits(strand)) {
        wait->rank = 0;
        find_cluster(cta->cluster, wait);
    } else if (machine_registers_wait(strand, &wait->wanted, &wait->come)) {
        wait->what = HANG_REGISTERS;
    } else if (machine_products_wait(strand, &mask)) {
        wait->what = HANG_PRODUCT;
        wait->number = strand->warp->index / WGMMA_PARTS;
    } else if (machine_lanes_wait(strand, &mask) && (mask & strand->warp->live & ~strand->lanes) != 0) {
        wait->what = HANG_LANES;
        wait->number = strand->warp->index;
    } else {
        find_memory(strand, kind, wait);
    }
}
