// SPDX-License-Identifier: MIT
// A launch, from its begin to its end, in parts.
#include <pthread.h>
#include <stdlib.h>

#include "delays.h"
#include "grid.h"
#include "grid_turns.h"
#include "prepare.h"
#include "step_turns.h"
#include "written.h"

// A launch, from its begin to its end. combined_lock: once it has waited, others may use its memory.
struct machine_launched {
    struct machine_launch launch;
    struct machine machine;
    struct grid grid;
    pthread_mutex_t lock, combined_lock;
    struct timespec left; // when it began to wait
};

bool machine_schedule_is_weak(const struct machine_schedule *schedule, const struct machine_delays *delays)
{
    switch (schedule->policy) {
    case MACHINE_LATE:
    case MACHINE_SHUFFLED:
        return true;
    case MACHINE_PCT:
        return schedule->seed % 2 == 1;
    case MACHINE_DELAY:
        return delays != NULL && delays->is_weak;
    default:
        return false;
    }
}

static void tell_run(const struct machine *machine, enum run_step step)
{
    const struct teller teller = {machine->launch->observer, {.launch = machine->launch->number}};
    event_tell(&teller, (struct event){.kind = EVENT_RUN, .run = step});
}

static void open_grid(struct grid *grid, struct machine *machine)
{
    const uint32_t *clusters = machine->first.nclusterid;
    *grid = (struct grid){.machine = machine, .most_residents = machine_most_residents(machine), .changes = 1};
    grid->clusters = (uint64_t)clusters[0] * clusters[1] * clusters[2];
    if (grid->most_residents > grid->clusters) grid->most_residents = (uint32_t)grid->clusters;
    grid->resident = calloc(grid->most_residents, sizeof *grid->resident);
    pthread_mutex_init(&grid->lock, NULL);
    pthread_cond_init(&grid->changed, NULL);
    clock_gettime(CLOCK_MONOTONIC, &grid->start);
    tell_run(machine, RUN_KERNEL_BEGIN);
    if (grid->resident == NULL) grid_end_without_memory(machine);
}

// Tells of the end, and counts what has run.
static void finish(struct grid *grid)
{
    struct machine *machine = grid->machine;
    grid_end_launch_before(grid);
    tell_run(machine, RUN_KERNEL_END);
    while (grid->residents > 0) grid_end_cluster(grid, &grid->resident[0]);
    machine_unseen_land(&grid->unseen);
    machine->outcome->instructions = machine->instructions;
    machine->outcome->thread_instructions = machine->thread_instructions;
}

static void close_grid(struct grid *grid)
{
    while (grid->residents > 0) grid_end_cluster(grid, &grid->resident[0]);
    machine_unseen_land(&grid->unseen);
    machine_clusters_free(grid->machine);
    free(grid->resident);
    pthread_cond_destroy(&grid->changed);
    pthread_mutex_destroy(&grid->lock);
}

// --- A launch in parts -----------------------------------------------------------------------------------------------

struct machine_launched *machine_begin(const struct machine_launch *launch, struct machine_outcome *outcome)
{
    struct machine_launched *launched = calloc(1, sizeof *launched);
    *outcome = (struct machine_outcome){.kind = launched == NULL ? MACHINE_NO_MEMORY : MACHINE_DONE};
    if (launched == NULL) return NULL;
    struct machine *machine = &launched->machine;
    launched->launch = *launch;
    *machine = (struct machine){.launch = &launched->launch, .outcome = outcome, .lock = &launched->lock};
    machine->is_weak = machine_schedule_is_weak(&launch->schedule, launch->delays);
    machine->turns = machine_turns_open(machine, &launched->launch);
    pthread_mutex_init(&launched->lock, NULL);
    pthread_mutex_init(&launched->combined_lock, NULL);
    if (!machine_prepare(machine)) return launched;
    machine->is_spoken = machine_unseen_is_wanted(machine);
    machine->is_before_hidden = launch->before != NULL && machine_is_weak(machine);
    if (machine->is_before_hidden) machine_written_hide(launch->before, &launch->schedule);
    open_grid(&launched->grid, machine);
    launched->grid.combined_lock = &launched->combined_lock;
    return launched;
}

// What waits goes by the clock of who keeps it waiting. Once nobody else can write, it has to show that it is stuck.
static void wake(struct machine_launched *launched, bool is_alone)
{
    struct grid *grid = &launched->grid;
    const double clocks = MACHINE_CLOCKS_OF_NS * 1e9 * grid_seconds_since(&launched->left);
    const bool is_new = is_alone != grid->machine->is_alone;
    for (uint32_t i = 0; i < grid->residents; i++) {
        struct machine_cluster *cluster = grid->resident[i].cluster;
        cluster->time += (uint64_t)clocks;
        if (is_new) cluster->still = cluster->calm = cluster->looks = 0;
    }
    grid->machine->is_alone = is_alone;
    grid->is_waiting = false;
    grid->changes++;
    if (!is_alone || is_new) grid->generation++;
}

static bool is_stuck(const struct grid *grid)
{
    for (uint32_t i = 0; i < grid->residents; i++)
        if (!grid_is_idle(grid, &grid->resident[i])) return false;
    return grid->machine->is_alone;
}

enum machine_part machine_go_on(struct machine_launched *launched, bool is_alone)
{
    struct grid *grid = &launched->grid;
    if (grid->machine == NULL || grid_is_over(grid)) return MACHINE_PART_ENDED;
    if (is_alone && is_stuck(grid)) return MACHINE_PART_STUCK;
    if (grid->is_waiting) wake(launched, is_alone);
    const uint64_t changes = grid->changes;
    grid_work(grid);
    if (grid_is_over(grid)) {
        finish(grid);
        return MACHINE_PART_ENDED;
    }
    launched->machine.combined_lock = &launched->combined_lock;
    clock_gettime(CLOCK_MONOTONIC, &launched->left);
    if (changes != grid->changes) return MACHINE_PART_WAITS;
    return is_stuck(grid) ? MACHINE_PART_STUCK : MACHINE_PART_STAYS;
}

bool machine_map(struct machine_launched *launched, const struct global_memory *global)
{
    const struct grid *grid = &launched->grid;
    if (!machine_map_memory(&launched->machine, global)) return false;
    for (uint32_t i = 0; i < grid->residents; i++) machine_cluster_forget(grid->resident[i].cluster);
    machine_clusters_forget(&launched->machine);
    return true;
}

void machine_hang(struct machine_launched *launched, const char *why)
{
    grid_end_everywhere(&launched->grid, MACHINE_HUNG, why);
    finish(&launched->grid);
}

void machine_close(struct machine_launched *launched)
{
    if (launched == NULL) return;
    if (launched->grid.machine != NULL) close_grid(&launched->grid);
    machine_unprepare(&launched->machine);
    free(launched->machine.turns);
    pthread_mutex_destroy(&launched->combined_lock);
    pthread_mutex_destroy(&launched->lock);
    free(launched);
}

bool machine_run(const struct machine_launch *launch, struct machine_outcome *outcome)
{
    struct machine_launched *launched = machine_begin(launch, outcome);
    while (launched != NULL && machine_go_on(launched, false) != MACHINE_PART_ENDED) {
    }
    machine_close(launched);
    return outcome->kind == MACHINE_DONE;
}
