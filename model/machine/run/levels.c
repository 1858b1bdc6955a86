// SPDX-License-Identifier: MIT
#include "levels.h"

#include "delay.h"
#include "flights.h"
#include "grid.h"
#include "step_turns.h"

// Has the warp done something in its turn, or its operations?
static bool gets_on(struct machine_cluster *cluster, uint32_t number, struct machine_round *round)
{
    const uint64_t changes = machine_cluster_changes(cluster);
    struct machine_round own = {false};
    machine_give_turn(&cluster->cta[number % cluster->ctas].warp[number / cluster->ctas], &own);
    round->has_run |= own.has_run;
    round->has_worked |= own.has_worked;
    round->is_busy |= own.is_busy;
    round->is_stopped |= own.is_stopped;
    round->used += own.used;
    round->longest = own.longest > round->longest ? own.longest : round->longest;
    return (own.is_busy && own.used > 0) || own.is_stopped || changes != machine_cluster_changes(cluster);
}

// Nobody gets on that is not late: the first of the others that does, by their levels.
static bool run_late(struct machine_cluster *cluster, uint32_t warps, struct machine_round *round)
{
    const uint32_t *order = cluster->delayed->order;
    uint32_t i = 0;
    while (i < warps && machine_delay_level(cluster, order[i]) == 0) i++;
    for (;;) {
        const uint64_t of_warp = i < warps ? machine_delay_level(cluster, order[i]) : UINT64_MAX;
        const uint64_t of_flight = machine_flights_level(cluster);
        if (of_flight == 0 || (of_flight == UINT64_MAX && of_warp == UINT64_MAX)) return false;
        if (of_flight <= of_warp) {
            machine_flights_move_late(cluster);
            return true;
        }
        if (gets_on(cluster, order[i++], round)) return true;
    }
}

void machine_levels_round(struct machine_cluster *cluster, uint32_t warps, struct machine_round *round)
{
    if (cluster->machine->turns != NULL) {
        machine_turns_round(cluster, warps, round);
        return;
    }
    const bool is_over = machine_delay_is_over(cluster);
    bool is_on = false;
    for (uint32_t i = 0; i < warps && !round->is_stopped; i++) {
        const uint32_t number = (cluster->first + i) % warps;
        if (is_over || machine_delay_level(cluster, number) == 0) is_on |= gets_on(cluster, number, round);
    }
    if (!is_over && !round->is_stopped) round->is_cut = is_on || run_late(cluster, warps, round);
}
