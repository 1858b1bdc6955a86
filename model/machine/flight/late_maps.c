// SPDX-License-Identifier: MIT
// Tensor maps in global memory as the tensormap proxy has read them: under LATE and SHUFFLED a cluster goes on with the
// bytes that its first copy with a map found, until one of its threads acquires the map anew. A map that has been
// edited is seen behind fence.proxy.tensormap with .acquire alone.
#include <string.h>

#include "flight_item.h"

static struct flight_seen_map *place_of(const struct machine_warp *warp, uint64_t address)
{
    return &flights_of(warp)->seen_map[address / sizeof(struct tensormap_image) % FLIGHT_MAPS];
}

// Under SHUFFLED some are read anew all the same.
static bool is_kept(const struct machine_warp *warp)
{
    const struct machine_schedule *schedule = &warp->cta->cluster->machine->launch->schedule;
    return schedule->policy != MACHINE_SHUFFLED || (schedule->seed + flights_of(warp)->operations) % 2 == 0;
}

void flight_map_read(const struct machine_warp *warp, uint64_t address, struct tensormap_image *image)
{
    struct flight_seen_map *seen = place_of(warp, address);
    if (!machine_is_weak(warp->cta->cluster->machine)) return;
    if (seen->is_there && seen->address == address && is_kept(warp))
        *image = seen->image;
    else
        *seen = (struct flight_seen_map){true, address, *image};
}

void flight_map_acquire(const struct machine_warp *warp, uint64_t address)
{
    place_of(warp, address)->is_there = false;
}
