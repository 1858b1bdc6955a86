// SPDX-License-Identifier: MIT
// A cluster that can do nothing, or changes nothing, lets others run, which may be those it waits for.
#include "grid_turns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "grid.h"
#include "report.h"
#include "written.h"

enum {
    SLICE = 1 << 14,
    OTHERS_TURN = 8,
    MOST_TRIES = 100, // to take the lock before the host lets this thread sleep
    MOST_AT_ONCE = 16,
    SHARES = 4, // that each thread takes at least of what is left
};
static const double HELP_SECONDS = 0.001; // more than it takes to start threads

// --- Turns -----------------------------------------------------------------------------------------------------------

void grid_end_without_memory(struct machine *machine)
{
    static const struct machine_outcome outcome = {.kind = MACHINE_NO_MEMORY,
                                                   .message = "no memory for another cluster"};
    machine_end(machine, &outcome);
}

static bool has_views(const struct grid *grid)
{
    return grid->machine->launch->views != NULL;
}

// How many clusters a thread takes at once: of short ones so many as fill a slice, by what those before have executed.
// Which are short is not known at first.
static uint64_t batch_of(const struct grid *grid)
{
    const uint64_t share = (grid->clusters - grid->begun) / (SHARES * (grid->helpers + 1));
    const uint64_t executed = grid->machine->instructions, fill = executed > 0 ? grid->begun * SLICE / executed : 1;
    const uint64_t batch = share < fill ? share : fill;
    if (!grid->is_alike || grid->machine->launch->limits.instructions > 0 || batch == 0) return 1;
    return batch < MOST_AT_ONCE ? batch : MOST_AT_ONCE;
}

static struct resident *begin_cluster(struct grid *grid, uint32_t thread)
{
    struct machine *machine = grid->machine;
    const uint64_t batch = batch_of(grid);
    struct machine_cluster *cluster = machine_cluster_open(machine, thread);
    if (cluster == NULL) {
        grid_end_without_memory(machine);
        return NULL;
    }
    struct resident *resident = &grid->resident[grid->residents++];
    *resident = (struct resident){.cluster = cluster, .number = grid->begun, .after = batch - 1, .is_new = true};
    machine->begun = grid->begun += batch;
    return resident;
}

bool grid_is_idle(const struct grid *grid, const struct resident *resident)
{
    return resident->is_idle && resident->generation == grid->generation;
}

// Of those that have begun and can do something, the one whose last turn is longest ago; those that have stalled only
// if `also_stalled`, and then of all threads, else of this one if it has any.
static struct resident *choose_resident(struct grid *grid, uint32_t thread, bool also_stalled)
{
    struct resident *best = NULL, *own = NULL;
    for (uint32_t i = 0; i < grid->residents; i++) {
        struct resident *resident = &grid->resident[i];
        if (resident->is_running || grid_is_idle(grid, resident)) continue;
        if (resident->is_stalled && !also_stalled) continue;
        if (best == NULL || resident->turn < best->turn) best = resident;
        if (resident->thread == thread && (own == NULL || resident->turn < own->turn)) own = resident;
    }
    return own == NULL || also_stalled ? best : own;
}

static struct resident *begin_if_room(struct grid *grid, uint32_t thread)
{
    const bool is_room = grid->begun < grid->clusters && grid->residents < grid->most_residents;
    return is_room ? begin_cluster(grid, thread) : NULL;
}

// Who looks at what a thread runs sees one cluster to its end, and then the next.
static struct resident *choose_of_view(struct grid *grid, uint32_t thread)
{
    for (uint32_t i = 0; i < grid->residents; i++)
        if (grid->resident[i].thread == thread) return &grid->resident[i];
    struct resident *resident = begin_if_room(grid, thread);
    if (resident != NULL) resident->thread = thread;
    return resident;
}

// One that gets on, else a new one, else one that stalls: it may wait for what another did. Now and then the others
// come first: whoever gets on may only seem to. NULL if there is none now.
static struct resident *choose(struct grid *grid, uint32_t thread)
{
    bool is_others_turn = ++grid->turns % OTHERS_TURN == 0;
    if (has_views(grid)) return choose_of_view(grid, thread);
    struct resident *resident = is_others_turn ? NULL : choose_resident(grid, thread, false);
    if (resident == NULL && grid->begun < grid->clusters && grid->residents < grid->most_residents)
        resident = begin_cluster(grid, thread);
    else if (resident == NULL)
        resident = choose_resident(grid, thread, true);
    if (resident == NULL) return NULL;
    resident->turn = grid->turns;
    resident->thread = thread;
    return resident;
}

// Ends the launch, and says where the warps are of all clusters that no thread of the host runs now.
void grid_end_everywhere(struct grid *grid, enum machine_kind kind, const char *why)
{
    struct machine_cluster **cluster = calloc(grid->residents + 1u, sizeof(struct machine_cluster *));
    uint32_t clusters = 0;
    for (uint32_t i = 0; cluster != NULL && i < grid->residents; i++)
        if (!grid->resident[i].is_running) cluster[clusters++] = grid->resident[i].cluster;
    for (uint32_t i = 0; i < clusters; i++) machine_course_leave(cluster[i]);
    machine_end_everywhere(grid->machine, kind, why, cluster, clusters);
    free(cluster);
}

double grid_seconds_since(const struct timespec *then)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

// Ends it, and says how far the grid has come, in CTAs.
static void end_at_limit(struct grid *grid, enum machine_kind kind, const char *limit)
{
    const uint64_t ctas = grid->machine->ctas;
    char why[256];
    snprintf(why, sizeof why, "%s; of %llu CTAs %llu have ended and %llu are running", limit,
             (unsigned long long)(grid->clusters * ctas), (unsigned long long)((grid->begun - grid->residents) * ctas),
             (unsigned long long)(grid->residents * ctas));
    grid_end_everywhere(grid, kind, why);
}

// The signal that ends the program, 0: none has come.
static int signal_of(const struct grid *grid)
{
    const int *stop = grid->machine->launch->limits.stop;
    return stop == NULL ? 0 : __atomic_load_n(stop, __ATOMIC_RELAXED);
}

static void check_limits(struct grid *grid)
{
    const struct machine_limits *limits = &grid->machine->launch->limits;
    char why[128];
    const int number = signal_of(grid);
    if (number != 0) {
        snprintf(why, sizeof why, "the program received signal %d (%s)", number, strsignal(number));
        end_at_limit(grid, MACHINE_INTERRUPTED, why);
    }
    if (limits->instructions > 0 && grid->machine->instructions >= limits->instructions) {
        snprintf(why, sizeof why, "the limit of %llu warp instructions is reached",
                 (unsigned long long)limits->instructions);
        end_at_limit(grid, MACHINE_LIMITED, why);
    }
    if (limits->seconds <= 0 || grid_seconds_since(&grid->start) < limits->seconds) return;
    snprintf(why, sizeof why, "the limit of %g seconds is reached", limits->seconds);
    end_at_limit(grid, MACHINE_LIMITED, why);
}

bool grid_is_over(const struct grid *grid)
{
    return machine_is_stopped(grid->machine) || (grid->begun == grid->clusters && grid->residents == 0);
}

void grid_end_cluster(struct grid *grid, struct resident *resident)
{
    machine_unseen_return(resident->cluster, false);
    if (!machine_is_stopped(grid->machine)) machine_unseen_keep(&grid->unseen, resident->cluster);
    grid->machine->thread_instructions += resident->cluster->thread_instructions;
    machine_cluster_close(resident->cluster, resident->thread);
    // The order of the others stays: it is what the seed has made of it.
    uint32_t i = (uint32_t)(resident - grid->resident);
    memmove(resident, resident + 1, (grid->residents - i - 1) * sizeof *resident);
    grid->residents--;
}

static struct resident *resident_of(struct grid *grid, const struct machine_cluster *cluster)
{
    for (uint32_t i = 0; i < grid->residents; i++)
        if (grid->resident[i].cluster == cluster) return &grid->resident[i];
    return NULL;
}

// How many instructions a turn may have: at most `most`, and few where the limit is near.
static uint64_t turn_of(const struct grid *grid, uint64_t most)
{
    uint64_t limit = grid->machine->launch->limits.instructions, executed = grid->machine->instructions;
    if (limit == 0) return most;
    uint64_t left = executed < limit ? limit - executed : 1;
    return left < most ? left : most;
}

// Notes whether the turn of a cluster was one in vain.
static void settle(struct grid *grid, struct resident *resident, enum machine_cluster_ran ran, uint64_t changes,
                   uint64_t changes_of_grid)
{
    const struct machine_cluster *cluster = resident->cluster;
    const bool has_changed = machine_cluster_changes(cluster) != changes;
    const bool is_vain = ran == MACHINE_CLUSTER_IDLE || machine_cluster_watches(cluster);
    resident->settled = !has_changed && is_vain ? changes_of_grid : 0;
    grid->changes += (uint64_t)has_changed;
    grid->generation += (uint64_t)has_changed;
}

static bool looks_outside(const struct grid *grid)
{
    bool looks = false;
    for (uint32_t i = 0; i < grid->residents; i++)
        looks |= grid->resident[i].cluster->outside > 0 || grid->resident[i].cluster->is_fixed;
    return looks;
}

// All that clusters have stored reaches memory; 0 if it has.
static bool land_stores(struct grid *grid)
{
    bool has_landed = machine_unseen_land(&grid->unseen);
    for (uint32_t i = 0; i < grid->residents; i++) has_landed |= machine_unseen_return(grid->resident[i].cluster, true);
    return has_landed;
}

// The launch in front ends now, and what it wrote is there. 0 if it has.
bool grid_end_launch_before(struct grid *grid)
{
    struct machine *machine = grid->machine;
    if (!machine_waits_for_grids(machine)) return false;
    __atomic_store_n(&machine->is_before_hidden, 0, __ATOMIC_RELAXED);
    machine_written_show(machine->launch->before);
    return true;
}

// Memory has changed, and nobody's turn says so.
static void tell_others(struct grid *grid)
{
    for (uint32_t i = 0; i < grid->residents; i++) grid->resident[i].cluster->progress++;
    grid->generation++;
    grid->changes++;
}

// Nobody gets on: what is held back comes now. 0 if nothing is. No thread runs a cluster.
static bool let_come(struct grid *grid)
{
    if (!land_stores(grid) && !grid_end_launch_before(grid)) return false;
    tell_others(grid);
    return true;
}

// Have all clusters that there is room for had such a turn since the last change?
static bool is_in_vain(const struct grid *grid)
{
    if (grid->running > 0) return false;
    if (grid->begun < grid->clusters && grid->residents < grid->most_residents) return false;
    for (uint32_t i = 0; i < grid->residents; i++) {
        const struct resident *resident = &grid->resident[i];
        if (resident->settled != grid->changes && !grid_is_idle(grid, resident)) return false;
    }
    return true;
}

// The launch waits for others, if some cluster looks at global memory. Else nobody can help it; one that counts its
// tries is given its time.
static void wait_or_end(struct grid *grid)
{
    char why[96];
    const bool is_vain = is_in_vain(grid); // no thread runs a cluster then, which changes what others are asked of
    const bool may_wait = is_vain && grid->machine->launch->may_wait && looks_outside(grid);
    grid->is_waiting = may_wait && !let_come(grid);
    if (may_wait || !is_vain) {
        grid->is_vain = false;
    } else if (!grid->is_vain) {
        grid->is_vain = true;
        clock_gettime(CLOCK_MONOTONIC, &grid->vain_since);
    } else if (grid_seconds_since(&grid->vain_since) > MACHINE_PATIENCE && !let_come(grid)) {
        snprintf(why, sizeof why, "nothing that the kernel waits for has changed for %d seconds", MACHINE_PATIENCE);
        grid_end_everywhere(grid, MACHINE_HUNG, why);
    }
}

// It is held for less than it takes to sleep.
static void lock_grid(struct grid *grid)
{
    for (int tries = 0; tries < MOST_TRIES; tries++)
        if (pthread_mutex_trylock(&grid->lock) == 0) return;
    pthread_mutex_lock(&grid->lock);
}

// What a turn has come to. changes: those of the cluster when it began. gets_on: in its last slice it changed
// something, or computed.
struct turn {
    uint32_t thread;
    enum machine_cluster_ran ran;
    uint64_t executed, thread_instructions, left, changes;
    bool gets_on;
};

// Who looks on gives the launch up, or its cluster waits for something; or others would come now, and what they do
// matters.
static bool is_given_up(const struct grid *grid, const struct turn *turn)
{
    static const struct machine_outcome outcome = {.kind = MACHINE_GIVEN_UP};
    const struct machine_views *views = grid->machine->launch->views;
    if (views == NULL || turn->ran == MACHINE_CLUSTER_STOPPED) return false;
    const bool has_ended = turn->ran == MACHINE_CLUSTER_DONE,
               gets_on = turn->ran == MACHINE_CLUSTER_RAN && turn->gets_on;
    const bool is_others_turn = turn->left == 0 && !has_ended && !grid->machine->kernel->commutes;
    if ((has_ended || gets_on) && !is_others_turn && views->goes_on(views->context, turn->thread, has_ended))
        return false;
    machine_end(grid->machine, &outcome);
    return true;
}

// As long as it gets on, or is all there is.
static void run_slices(const struct grid *grid, struct machine_cluster *cluster, struct turn *turn)
{
    uint64_t changes;
    do {
        const uint64_t executed = cluster->executed;
        changes = machine_cluster_changes(cluster);
        turn->ran = machine_cluster_run(cluster, turn->left < SLICE ? turn->left : SLICE);
        const uint64_t used = cluster->executed - executed;
        turn->executed += used;
        turn->left = used < turn->left ? turn->left - used : 0;
        turn->gets_on = machine_cluster_changes(cluster) != changes || machine_cluster_gets_on(cluster);
        if (is_given_up(grid, turn)) turn->ran = MACHINE_CLUSTER_STOPPED;
    } while (turn->ran == MACHINE_CLUSTER_RAN && turn->gets_on && turn->left > 0 && signal_of(grid) == 0);
}

// A cluster, and those behind it that are this thread's too; returns how many of these are left.
static uint64_t run_batch(const struct grid *grid, struct machine_cluster *cluster, uint64_t after, struct turn *turn)
{
    run_slices(grid, cluster, turn);
    for (; after > 0 && turn->ran == MACHINE_CLUSTER_DONE && !machine_is_stopped(grid->machine); after--) {
        turn->thread_instructions += cluster->thread_instructions;
        if (machine_cluster_again(cluster, cluster->number + 1))
            run_slices(grid, cluster, turn);
        else
            grid_end_without_memory(grid->machine);
    }
    return after;
}

// A cluster that begins, or goes on. Nothing runs of one for which there is no memory.
static uint64_t run_or_begin(const struct grid *grid, const struct resident *resident, struct turn *turn)
{
    struct machine_cluster *cluster = resident->cluster;
    if (resident->is_new && !machine_cluster_start(cluster, resident->number)) {
        grid_end_without_memory(grid->machine);
        turn->ran = MACHINE_CLUSTER_STOPPED;
        return resident->after;
    }
    turn->changes = machine_cluster_changes(cluster);
    return run_batch(grid, cluster, resident->after, turn);
}

// One turn of a cluster, with the lock taken, which is free while it runs.
static void run_turn(struct grid *grid, struct resident *resident)
{
    struct machine_cluster *cluster = resident->cluster;
    const uint64_t generation = grid->generation, changes_of_grid = grid->changes;
    struct turn turn = {.thread = resident->thread, .left = turn_of(grid, 64 * SLICE)};
    if (resident->generation != generation && !resident->is_new && !has_views(grid)) machine_cluster_wake(cluster);
    resident->is_running = true;
    grid->running++;
    if (!resident->is_new) machine_unseen_return(cluster, false);
    const bool may_wait = resident->thread == 0 && (resident->is_stalled || grid->turns % OTHERS_TURN == 0);
    const struct resident mine = *resident; // others may move it
    pthread_mutex_unlock(&grid->lock);
    if (may_wait && grid->machine->launch->meanwhile != NULL)
        grid->machine->launch->meanwhile(grid->machine->launch->meanwhile_context);
    const uint64_t left = run_or_begin(grid, &mine, &turn);
    lock_grid(grid);
    grid->running--;
    resident = resident_of(grid, cluster); // it may have moved
    resident->is_running = resident->is_new = false;
    resident->after = left;
    grid->machine->instructions += turn.executed;
    grid->machine->thread_instructions += turn.thread_instructions;
    resident->is_idle = turn.ran == MACHINE_CLUSTER_IDLE;
    resident->is_stalled = !turn.gets_on;
    resident->generation = generation; // what others changed meanwhile it may not have seen
    settle(grid, resident, turn.ran, turn.changes, changes_of_grid);
    bool has_landed = machine_unseen_age(&grid->unseen);
    if (turn.ran == MACHINE_CLUSTER_DONE && (left == 0 || machine_is_stopped(grid->machine)))
        grid_end_cluster(grid, resident);
    else
        has_landed |= machine_unseen_leave(cluster);
    if (has_landed) tell_others(grid);
    check_limits(grid);
    wait_or_end(grid);
    pthread_cond_broadcast(&grid->changed);
}

static bool is_paused(const struct grid *grid)
{
    return grid_is_over(grid) || grid->is_waiting;
}

// --- Other threads of the host ---------------------------------------------------------------------------------------

static void work(struct grid *grid, uint32_t thread);

static void help(void *context)
{
    const struct grid_helper *helper = context;
    work(helper->grid, helper->number);
}

static void start_helpers(struct grid *grid)
{
    if (grid->may_help > 0) grid->machine->combined_lock = grid->combined_lock;
    for (; grid->may_help > 0; grid->may_help--) {
        struct grid_helper *helper = &grid->helper[grid->helpers];
        *helper = (struct grid_helper){.grid = grid, .number = grid->helpers + 1};
        helper->member = crew_call(help, helper);
        if (helper->member != NULL) grid->helpers++;
    }
}

// Does somebody look at all clusters? He hears one event at a time.
static bool is_seen_as_one(const struct machine_launch *launch)
{
    return (launch->observer != NULL || launch->looker != NULL) && launch->views == NULL;
}

static uint32_t most_helpers(const struct grid *grid)
{
    const struct machine_launch *launch = grid->machine->launch;
    uint64_t wanted = launch->schedule.threads;
    if (is_seen_as_one(launch) || launch->delayed != NULL || grid->machine->is_spoken) return 0;
    if ((launch->only_alike && !grid->is_alike) || (has_views(grid) && !grid->machine->kernel->commutes)) return 0;
    if (wanted > grid->clusters) wanted = grid->clusters;
    if (wanted > MACHINE_HOST_THREADS) wanted = MACHINE_HOST_THREADS;
    return wanted > 1 ? (uint32_t)wanted - 1 : 0;
}

// A launch in front of another, or behind one, keeps its stores in order.
static bool is_alike(const struct machine *machine)
{
    const struct machine_launch *launch = machine->launch;
    return machine->kernel->commutes && launch->before == NULL && launch->written == NULL && !is_seen_as_one(launch);
}

// A launch that one thread has run for a while, and that has as much before it.
static void call_helpers(struct grid *grid)
{
    const double seconds = grid_seconds_since(&grid->work_since);
    const uint64_t begun = grid->begun - grid->begun_before, left = grid->clusters - grid->begun;
    if (seconds > HELP_SECONDS && (double)left * seconds > HELP_SECONDS * (double)begun) start_helpers(grid);
}

static void work(struct grid *grid, uint32_t thread)
{
    lock_grid(grid);
    while (!is_paused(grid)) {
        struct resident *resident = choose(grid, thread);
        if (resident != NULL)
            run_turn(grid, resident);
        else if (grid->running > 0)
            pthread_cond_wait(&grid->changed, &grid->lock);
        else if (!is_paused(grid) && !let_come(grid))
            grid_end_everywhere(grid, MACHINE_HUNG, "no thread can make progress");
        if (thread == 0 && grid->may_help > 0) call_helpers(grid);
    }
    pthread_cond_broadcast(&grid->changed);
    pthread_mutex_unlock(&grid->lock);
}

void grid_work(struct grid *grid)
{
    const struct machine_launch *launch = grid->machine->launch;
    grid->is_alike = is_alike(grid->machine);
    grid->may_help = most_helpers(grid);
    lock_grid(grid);
    clock_gettime(CLOCK_MONOTONIC, &grid->work_since);
    grid->begun_before = grid->begun;
    if (!launch->only_alike) start_helpers(grid);
    pthread_mutex_unlock(&grid->lock);
    work(grid, 0);
    for (uint32_t i = 0; i < grid->helpers; i++) crew_wait(grid->helper[i].member);
    grid->helpers = 0;
}
