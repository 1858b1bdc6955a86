// SPDX-License-Identifier: MIT
// A thread that gives up waiting and traps: kernels guard their waits so. What the threads of its cluster waited for
// then says why.
#include <string.h>

#include "flight_item.h"
#include "flights.h"
#include "hang.h"

// Another thread's trap may have ended the launch before.
static bool has_ended_it(const struct machine_strand *strand, const struct machine_code *code, uint32_t lane)
{
    const struct machine *machine = strand->warp->cta->cluster->machine;
    const struct machine_where here = machine_where(strand, code, lane);
    const struct machine_where *where = &machine->outcome->where;
    return machine->outcome->kind == MACHINE_TRAPPED && memcmp(where->cta, here.cta, sizeof here.cta) == 0 &&
           memcmp(where->thread, here.thread, sizeof here.thread) == 0;
}

void hang_tell_trap(const struct machine_strand *strand, const struct machine_code *code, uint32_t lane)
{
    struct machine_cluster *const cluster = strand->warp->cta->cluster;
    const struct machine_launch *launch = cluster->machine->launch;
    if (launch->hung == NULL || flight_wait_of(strand) == NULL || !has_ended_it(strand, code, lane)) return;
    struct machine_hang *hang =
        hang_open(cluster->machine, MACHINE_TRAPPED, "A thread that had waited in vain executed trap.", &cluster, 1);
    if (hang != NULL) launch->hung(launch->hung_context, hang);
    hang_close(hang);
}
