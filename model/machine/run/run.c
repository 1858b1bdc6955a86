// SPDX-License-Identifier: MIT
// A launch: clusters are begun in the order of the grid, and run by the threads of the host, each for a while. One that
// can do nothing, or changes nothing, lets others run, which may be those it waits for.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "grid.h"
#include "prepare.h"
#include "report.h"
#include "unseen.h"
#include "written.h"

enum {
    MOST_HOST_THREADS = 64,
    SLICE = 1 << 14,
    OTHERS_TURN = 8,
};

// Clusters that have begun and are not done, in the order in which they get their turns.
//   generation  of the grid, when its last turn began: it goes up when a cluster has changed something in its turn
//   settled     grid->changes when its last turn began, if all it did was to look at memory and to wait; else 0
//   is_idle     it could do nothing at that generation: not before the next can it
//   is_stalled  it ran, and changed nothing that others could see
struct resident {
    struct machine_cluster *cluster;
    uint64_t generation, turn, settled;
    int is_idle, is_stalled, is_running;
};

// is_vain: since vain_since all have only looked at what has not changed.
// changes: goes up when a cluster has changed memory, which is more than it takes for the next generation.
struct grid {
    struct machine *machine;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct resident *resident;
    uint32_t residents, most_residents, running;
    struct machine_unseen unseen; // of clusters that have ended
    uint64_t begun, clusters, generation, turns, changes;
    int is_waiting, is_vain;
    struct timespec start, vain_since;
};

// A launch, from its begin to its end. combined_lock: once it has waited, others may use its memory.
struct machine_launched {
    struct machine_launch launch;
    struct machine machine;
    struct grid grid;
    pthread_mutex_t lock, combined_lock;
    struct timespec left; // when it began to wait
};

// --- Turns -----------------------------------------------------------------------------------------------------------

static void end_without_memory(struct machine *machine)
{
    static const struct machine_outcome outcome = {.kind = MACHINE_NO_MEMORY,
                                                   .message = "no memory for another cluster"};
    machine_end(machine, &outcome);
}

static struct resident *begin_cluster(struct grid *grid)
{
    struct machine *machine = grid->machine;
    struct machine_cluster *cluster = machine_cluster_open(machine, grid->begun);
    if (cluster == NULL) {
        end_without_memory(machine);
        return NULL;
    }
    machine->begun = ++grid->begun;
    grid->resident[grid->residents] = (struct resident){.cluster = cluster};
    return &grid->resident[grid->residents++];
}

static int is_idle(const struct grid *grid, const struct resident *resident)
{
    return resident->is_idle && resident->generation == grid->generation;
}

// Of those that have begun and can do something, the one whose last turn is longest ago; those that have stalled only
// if `also_stalled`.
static struct resident *choose_resident(struct grid *grid, int also_stalled)
{
    struct resident *best = NULL;
    for (uint32_t i = 0; i < grid->residents; i++) {
        struct resident *resident = &grid->resident[i];
        if (resident->is_running || is_idle(grid, resident)) continue;
        if (resident->is_stalled && !also_stalled) continue;
        if (best == NULL || resident->turn < best->turn) best = resident;
    }
    return best;
}

// One that gets on, else a new one, else one that stalls: it may wait for what another did. Now and then the others
// come first: whoever gets on may only seem to. NULL if there is none now.
static struct resident *choose(struct grid *grid)
{
    int is_others_turn = ++grid->turns % OTHERS_TURN == 0;
    struct resident *resident = is_others_turn ? NULL : choose_resident(grid, 0);
    if (resident == NULL && grid->begun < grid->clusters && grid->residents < grid->most_residents)
        resident = begin_cluster(grid);
    else if (resident == NULL)
        resident = choose_resident(grid, 1);
    if (resident != NULL) resident->turn = grid->turns;
    return resident;
}

// Ends the launch, and says where the warps are of all clusters that no thread of the host runs now.
static void end_everywhere(struct grid *grid, enum machine_kind kind, const char *why)
{
    struct machine_cluster **cluster = calloc(grid->residents + 1u, sizeof(struct machine_cluster *));
    uint32_t clusters = 0;
    for (uint32_t i = 0; cluster != NULL && i < grid->residents; i++)
        if (!grid->resident[i].is_running) cluster[clusters++] = grid->resident[i].cluster;
    machine_end_everywhere(grid->machine, kind, why, cluster, clusters);
    free(cluster);
}

static double seconds_since(const struct timespec *then)
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
    end_everywhere(grid, kind, why);
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
    if (limits->seconds <= 0 || seconds_since(&grid->start) < limits->seconds) return;
    snprintf(why, sizeof why, "the limit of %g seconds is reached", limits->seconds);
    end_at_limit(grid, MACHINE_LIMITED, why);
}

static int is_over(const struct grid *grid)
{
    return machine_is_stopped(grid->machine) || (grid->begun == grid->clusters && grid->residents == 0);
}

static void end_cluster(struct grid *grid, struct resident *resident)
{
    machine_unseen_return(resident->cluster, 0);
    if (!machine_is_stopped(grid->machine)) machine_unseen_keep(&grid->unseen, resident->cluster);
    grid->machine->thread_instructions += resident->cluster->thread_instructions;
    machine_cluster_close(resident->cluster);
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
    const int has_changed = machine_cluster_changes(cluster) != changes;
    const int is_vain = ran == MACHINE_CLUSTER_IDLE || machine_cluster_watches(cluster);
    resident->settled = !has_changed && is_vain ? changes_of_grid : 0;
    grid->changes += (uint64_t)has_changed;
    grid->generation += (uint64_t)has_changed;
}

static int looks_outside(const struct grid *grid)
{
    int looks = 0;
    for (uint32_t i = 0; i < grid->residents; i++)
        looks |= grid->resident[i].cluster->outside > 0 || grid->resident[i].cluster->is_fixed;
    return looks;
}

// All that clusters have stored reaches memory; 0 if it has.
static int land_stores(struct grid *grid)
{
    int has_landed = machine_unseen_land(&grid->unseen);
    for (uint32_t i = 0; i < grid->residents; i++) has_landed |= machine_unseen_return(grid->resident[i].cluster, 1);
    return has_landed;
}

// The launch in front ends now, and what it wrote is there. 0 if it has.
static int end_launch_before(struct grid *grid)
{
    struct machine *machine = grid->machine;
    if (!machine_waits_for_grids(machine)) return 0;
    __atomic_store_n(&machine->is_before_hidden, 0, __ATOMIC_RELAXED);
    machine_written_show(machine->launch->before);
    return 1;
}

// Memory has changed, and nobody's turn says so.
static void tell_others(struct grid *grid)
{
    for (uint32_t i = 0; i < grid->residents; i++) grid->resident[i].cluster->progress++;
    grid->generation++;
    grid->changes++;
}

// Nobody gets on: what is held back comes now. 0 if nothing is. No thread runs a cluster.
static int let_come(struct grid *grid)
{
    if (!land_stores(grid) && !end_launch_before(grid)) return 0;
    tell_others(grid);
    return 1;
}

// Have all clusters that there is room for had such a turn since the last change?
static int is_in_vain(const struct grid *grid)
{
    if (grid->running > 0) return 0;
    if (grid->begun < grid->clusters && grid->residents < grid->most_residents) return 0;
    for (uint32_t i = 0; i < grid->residents; i++) {
        const struct resident *resident = &grid->resident[i];
        if (resident->settled != grid->changes && !is_idle(grid, resident)) return 0;
    }
    return 1;
}

// The launch waits for others, if some cluster looks at global memory. Else nobody can help it; one that counts its
// tries is given its time.
static void wait_or_end(struct grid *grid)
{
    char why[96];
    const int may_wait = grid->machine->launch->may_wait && looks_outside(grid);
    grid->is_waiting = is_in_vain(grid) && may_wait && !let_come(grid);
    if (may_wait || !is_in_vain(grid)) {
        grid->is_vain = 0;
    } else if (!grid->is_vain) {
        grid->is_vain = 1;
        clock_gettime(CLOCK_MONOTONIC, &grid->vain_since);
    } else if (seconds_since(&grid->vain_since) > MACHINE_PATIENCE && !let_come(grid)) {
        snprintf(why, sizeof why, "nothing that the kernel waits for has changed for %d seconds", MACHINE_PATIENCE);
        end_everywhere(grid, MACHINE_HUNG, why);
    }
}

// One turn of a cluster, with the lock taken, which is free while it runs.
static void run_turn(struct grid *grid, struct resident *resident)
{
    struct machine_cluster *cluster = resident->cluster;
    uint64_t executed = cluster->executed, generation = grid->generation, changed;
    uint64_t turn = turn_of(grid, 64 * SLICE), left = turn;
    const uint64_t changes = machine_cluster_changes(cluster), changes_of_grid = grid->changes;
    if (resident->generation != generation) machine_cluster_wake(cluster);
    resident->is_running = 1;
    grid->running++;
    machine_unseen_return(cluster, 0);
    const int may_wait = resident->is_stalled || grid->turns % OTHERS_TURN == 0;
    pthread_mutex_unlock(&grid->lock);
    if (may_wait && grid->machine->launch->meanwhile != NULL)
        grid->machine->launch->meanwhile(grid->machine->launch->meanwhile_context);
    enum machine_cluster_ran ran;
    do { // as long as it changes something, or is all there is
        changed = machine_cluster_changes(cluster);
        ran = machine_cluster_run(cluster, left < SLICE ? left : SLICE);
        left = cluster->executed - executed < turn ? turn - (cluster->executed - executed) : 0;
    } while (ran == MACHINE_CLUSTER_RAN && machine_cluster_changes(cluster) != changed && left > 0 &&
             signal_of(grid) == 0);
    pthread_mutex_lock(&grid->lock);
    grid->running--;
    resident = resident_of(grid, cluster); // it may have moved
    resident->is_running = 0;
    grid->machine->instructions += cluster->executed - executed;
    resident->is_idle = ran == MACHINE_CLUSTER_IDLE;
    resident->is_stalled = machine_cluster_changes(cluster) == changed;
    resident->generation = generation; // what others changed meanwhile it may not have seen
    settle(grid, resident, ran, changes, changes_of_grid);
    int has_landed = machine_unseen_age(&grid->unseen);
    if (ran == MACHINE_CLUSTER_DONE)
        end_cluster(grid, resident);
    else
        has_landed |= machine_unseen_leave(cluster);
    if (has_landed) tell_others(grid);
    check_limits(grid);
    wait_or_end(grid);
    pthread_cond_broadcast(&grid->changed);
}

static int is_paused(const struct grid *grid)
{
    return is_over(grid) || grid->is_waiting;
}

static void *work(void *context)
{
    struct grid *grid = context;
    pthread_mutex_lock(&grid->lock);
    while (!is_paused(grid)) {
        struct resident *resident = choose(grid);
        if (resident != NULL)
            run_turn(grid, resident);
        else if (grid->running > 0)
            pthread_cond_wait(&grid->changed, &grid->lock);
        else if (!is_paused(grid) && !let_come(grid))
            end_everywhere(grid, MACHINE_HUNG, "no thread can make progress");
    }
    pthread_cond_broadcast(&grid->changed);
    pthread_mutex_unlock(&grid->lock);
    return NULL;
}

static void work_all(struct grid *grid)
{
    pthread_t thread[MOST_HOST_THREADS];
    uint32_t wanted = grid->machine->launch->schedule.threads, started = 0;
    const struct machine_launch *launch = grid->machine->launch;
    if (launch->observer != NULL || launch->looker != NULL) wanted = 1; // who listens hears one event at a time
    if (grid->machine->is_spoken) wanted = 1;
    if (wanted > grid->clusters) wanted = (uint32_t)grid->clusters;
    for (; started + 1 < wanted && started < MOST_HOST_THREADS; started++)
        if (pthread_create(&thread[started], NULL, work, grid) != 0) break;
    work(grid);
    for (uint32_t i = 0; i < started; i++) pthread_join(thread[i], NULL);
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
    if (grid->resident == NULL) end_without_memory(machine);
}

// Tells of the end, and counts what has run.
static void finish(struct grid *grid)
{
    struct machine *machine = grid->machine;
    end_launch_before(grid);
    tell_run(machine, RUN_KERNEL_END);
    while (grid->residents > 0) end_cluster(grid, &grid->resident[0]);
    machine_unseen_land(&grid->unseen);
    machine->outcome->instructions = machine->instructions;
    machine->outcome->thread_instructions = machine->thread_instructions;
}

static void close_grid(struct grid *grid)
{
    while (grid->residents > 0) end_cluster(grid, &grid->resident[0]);
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
    pthread_mutex_init(&launched->lock, NULL);
    pthread_mutex_init(&launched->combined_lock, NULL);
    if (launch->schedule.threads > 1) machine->combined_lock = &launched->combined_lock;
    if (!machine_prepare(machine)) return launched;
    machine->is_spoken = machine_unseen_is_wanted(machine);
    machine->is_before_hidden = launch->before != NULL && machine_is_weak(machine);
    if (machine->is_before_hidden) machine_written_hide(launch->before, &launch->schedule);
    open_grid(&launched->grid, machine);
    return launched;
}

// What waits goes by the clock of who keeps it waiting. Once nobody else can write, it has to show that it is stuck.
static void wake(struct machine_launched *launched, int is_alone)
{
    struct grid *grid = &launched->grid;
    const double clocks = MACHINE_CLOCKS_OF_NS * 1e9 * seconds_since(&launched->left);
    const int is_new = is_alone != grid->machine->is_alone;
    for (uint32_t i = 0; i < grid->residents; i++) {
        struct machine_cluster *cluster = grid->resident[i].cluster;
        cluster->time += (uint64_t)clocks;
        if (is_new) cluster->still = cluster->calm = cluster->looks = 0;
    }
    grid->machine->is_alone = is_alone;
    grid->is_waiting = 0;
    grid->changes++;
    if (!is_alone || is_new) grid->generation++;
}

static int is_stuck(const struct grid *grid)
{
    for (uint32_t i = 0; i < grid->residents; i++)
        if (!is_idle(grid, &grid->resident[i])) return 0;
    return grid->machine->is_alone;
}

enum machine_part machine_go_on(struct machine_launched *launched, int is_alone)
{
    struct grid *grid = &launched->grid;
    if (grid->machine == NULL || is_over(grid)) return MACHINE_PART_ENDED;
    if (is_alone && is_stuck(grid)) return MACHINE_PART_STUCK;
    if (grid->is_waiting) wake(launched, is_alone);
    const uint64_t changes = grid->changes;
    work_all(grid);
    if (is_over(grid)) {
        finish(grid);
        return MACHINE_PART_ENDED;
    }
    launched->machine.combined_lock = &launched->combined_lock;
    clock_gettime(CLOCK_MONOTONIC, &launched->left);
    if (changes != grid->changes) return MACHINE_PART_WAITS;
    return is_stuck(grid) ? MACHINE_PART_STUCK : MACHINE_PART_STAYS;
}

int machine_map(struct machine_launched *launched, const struct global_memory *global)
{
    const struct grid *grid = &launched->grid;
    if (!machine_map_memory(&launched->machine, global)) return 0;
    for (uint32_t i = 0; i < grid->residents; i++) machine_cluster_forget(grid->resident[i].cluster);
    for (struct machine_cluster *spare = launched->machine.spare; spare != NULL; spare = spare->next_spare)
        machine_cluster_forget(spare);
    return 1;
}

void machine_hang(struct machine_launched *launched, const char *why)
{
    end_everywhere(&launched->grid, MACHINE_HUNG, why);
    finish(&launched->grid);
}

void machine_close(struct machine_launched *launched)
{
    if (launched == NULL) return;
    if (launched->grid.machine != NULL) close_grid(&launched->grid);
    machine_unprepare(&launched->machine);
    pthread_mutex_destroy(&launched->combined_lock);
    pthread_mutex_destroy(&launched->lock);
    free(launched);
}

int machine_run(const struct machine_launch *launch, struct machine_outcome *outcome)
{
    struct machine_launched *launched = machine_begin(launch, outcome);
    while (launched != NULL && machine_go_on(launched, 0) != MACHINE_PART_ENDED) {
    }
    machine_close(launched);
    return outcome->kind == MACHINE_DONE;
}
