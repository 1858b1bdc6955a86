// SPDX-License-Identifier: MIT
#include "hold.h"

enum { WARPGROUP = 4, SHORTEST = 8, LENGTHS = 64, STARTS = 16, PARTS = 4 };

// A number of its own: what the schedule draws stays as it is.
static uint64_t draw_apart(struct machine_cluster *cluster)
{
    const uint64_t before = cluster->random;
    cluster->random = ~before;
    const uint64_t random = machine_random(cluster);
    cluster->random = before;
    return random;
}

// In one of PARTS a CTA, from its start; in another one a warpgroup; else nobody.
static void draw(struct machine_cluster *cluster, uint64_t random, uint64_t round)
{
    const uint32_t warps = cluster->cta[0].warps, part = (uint32_t)(random % PARTS);
    const uint32_t groups = warps / WARPGROUP;
    struct machine_hold *hold = &cluster->hold;
    *hold = (struct machine_hold){.rank = (uint32_t)(random >> 8) % cluster->ctas};
    if (part == 0 && cluster->ctas > 1 && round == 0) {
        hold->warps = warps;
    } else if (part == 1 && groups > 1) {
        hold->first = (uint32_t)(random >> 16) % groups * WARPGROUP;
        hold->warps = WARPGROUP;
        hold->from = round + ((random >> 24) % 2 == 0 ? 0 : (random >> 25) % STARTS); // half of them at once
    }
    hold->until = round + STARTS + SHORTEST + (random >> 32) % LENGTHS;
}

void machine_hold_begin(struct machine_cluster *cluster)
{
    const struct machine *machine = cluster->machine;
    if (!machine_is_weak(machine) || machine->launch->schedule.seed == 0 || cluster->delayed != NULL) return;
    draw(cluster, draw_apart(cluster), 0);
}

void machine_hold_round(struct machine_cluster *cluster)
{
    struct machine_hold *hold = &cluster->hold;
    if (hold->until == 0) return;
    if (cluster->polling > 0 || cluster->clock_reads > 0) hold->warps = 0;
    if (cluster->clock_reads > 0 || cluster->rounds < hold->until) return;
    if (cluster->machine->launch->schedule.policy == MACHINE_SHUFFLED)
        draw(cluster, draw_apart(cluster), cluster->rounds);
    else
        hold->until = hold->warps = 0;
}
