// SPDX-License-Identifier: MIT
// A launch: clusters are begun in the order of the grid, and run by the threads of the host, each for a while. One that
// can do nothing, or changes nothing, lets others run, which may be those it waits for.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "grid.h"
#include "heap.h"
#include "hopper.h"
#include "module.h"
#include "report.h"

enum {
    MOST_HOST_THREADS = 64,
    SLICE = 1 << 14,
    OTHERS_TURN = 8,
    PARAMETERS_ALIGN = 64,
};

// Clusters that have begun and are not done, in the order in which they get their turns.
//   generation  of the grid, when its last turn began: it goes up when a cluster has changed something in its turn
//   is_idle     it could do nothing at that generation: not before the next can it
//   is_stalled  it ran, and changed nothing that others could see
struct resident {
    struct machine_cluster *cluster;
    uint64_t generation, turn;
    int is_idle, is_stalled, is_running;
};

struct grid {
    struct machine *machine;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct resident *resident;
    uint32_t residents, most_residents, running;
    uint64_t begun, clusters, generation, turns;
    struct timespec start;
};

// --- Preparing -------------------------------------------------------------------------------------------------------

static int by_base(const void *a, const void *b)
{
    const struct region *one = a, *other = b;
    return one->memory.base < other->memory.base ? -1 : one->memory.base > other->memory.base;
}

static int holds(const struct global_memory *global, const struct region *region)
{
    for (uint32_t i = 0; global != NULL && i < global->count; i++)
        if (global->region[i].memory.base == region->memory.base) return 1;
    return 0;
}

// One table of all that is mapped: what the launch names, the module's variables, the heap and the parameters.
static int map_memory(struct machine *machine)
{
    const struct machine_launch *launch = machine->launch;
    const struct global_memory *given = launch->global;
    struct region own[MACHINE_MODULE_REGIONS + 2];
    uint32_t owned = machine_module_regions(launch->module, own), count = given == NULL ? 0 : given->count;
    uint64_t bytes = machine->kernel->facts.parameter_bytes;
    if (launch->heap != NULL) own[owned++] = (struct region){machine_heap_memory(launch->heap), 0};
    own[owned++] = (struct region){{machine->parameters, (uint64_t)(uintptr_t)machine->parameters, bytes}, 1};
    struct region *region = calloc(count + owned, sizeof *region);
    if (region == NULL) return 0;
    if (count > 0) memcpy(region, given->region, count * sizeof *region);
    for (uint32_t i = 0; i < owned; i++)
        if (own[i].memory.size_bytes > 0 && !holds(given, &own[i])) region[count++] = own[i];
    qsort(region, count, sizeof *region, by_base);
    machine->global = (struct global_memory){region, count};
    return 1;
}

static int copy_parameters(struct machine *machine)
{
    uint64_t bytes = machine->kernel->facts.parameter_bytes;
    machine->parameters = aligned_alloc(PARAMETERS_ALIGN, (bytes / PARAMETERS_ALIGN + 1) * PARAMETERS_ALIGN);
    if (machine->parameters == NULL) return 0;
    memset(machine->parameters, 0, (bytes / PARAMETERS_ALIGN + 1) * PARAMETERS_ALIGN);
    if (bytes > 0) memcpy(machine->parameters, machine->launch->parameters, bytes);
    return 1;
}

static struct cluster_launch shape_of(const struct machine_launch *launch, const struct machine_kernel_facts *facts)
{
    struct cluster_launch shape = {.non_portable = 1, .allows_shared = 1, .has_cluster = launch->cluster[0] > 0};
    memcpy(shape.grid, launch->grid, sizeof shape.grid);
    memcpy(shape.block, launch->block, sizeof shape.block);
    memcpy(shape.cluster, launch->cluster, sizeof shape.cluster);
    memcpy(shape.compiled_cluster, facts->reqnctapercluster, sizeof shape.compiled_cluster);
    shape.shared_bytes =
        launch->dynamic_shared_bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)launch->dynamic_shared_bytes;
    shape.allowed_shared_bytes = shape.shared_bytes;
    shape.compiled_threads = facts->max_threads;
    shape.compiled_max_cluster = facts->max_cluster_rank;
    shape.static_shared_bytes = facts->static_shared_bytes > LAUNCH_MAX_SHARED_BYTES
                                    ? LAUNCH_MAX_SHARED_BYTES
                                    : (uint32_t)facts->static_shared_bytes;
    return shape;
}

static uint64_t shared_bytes_of(const struct machine *machine)
{
    enum { GRANULE = 128 };
    uint64_t end = machine->kernel->dynamic_shared_at + machine->launch->dynamic_shared_bytes - MACHINE_SHARED_BASE;
    if (machine->launch->dynamic_shared_bytes == 0) end = machine->kernel->facts.static_shared_bytes;
    return (end + GRANULE - 1) / GRANULE * GRANULE;
}

// How many clusters an H200 runs at once, at least one: a launch whose CTAs wait for each other goes on.
static uint32_t most_residents(const struct machine *machine)
{
    const uint32_t *block = machine->launch->block;
    uint32_t threads = (block[0] * block[1] * block[2] + MACHINE_LANES - 1) / MACHINE_LANES * MACHINE_LANES;
    uint64_t by_threads = SM_MOST_THREADS / threads;
    uint64_t by_shared = SM_SHARED_BYTES / (machine->shared_bytes + MACHINE_SHARED_BASE);
    uint64_t each = by_threads < by_shared ? by_threads : by_shared;
    if (each > SM_MOST_CTAS) each = SM_MOST_CTAS;
    uint64_t clusters = each * H200_SMS / machine->ctas;
    return clusters == 0 ? 1 : (uint32_t)clusters;
}

static void refuse(struct machine_outcome *outcome, enum rule rule, const char *message)
{
    outcome->kind = MACHINE_REFUSED;
    outcome->rule = rule;
    outcome->cuda_error = rule == RULE_OK ? 1 : rule_cuda_error(rule);
    snprintf(outcome->message, sizeof outcome->message, "%s", message);
}

void machine_combine_lock(const struct machine *machine)
{
    if (machine->combined_lock != NULL) pthread_mutex_lock(machine->combined_lock);
}

void machine_combine_unlock(const struct machine *machine)
{
    if (machine->combined_lock != NULL) pthread_mutex_unlock(machine->combined_lock);
}

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
    grid->begun++;
    struct resident *resident = &grid->resident[grid->residents++];
    *resident = (struct resident){.cluster = cluster};
    return resident;
}

// Of those that have begun and can do something, the one whose last turn is longest ago; those that have stalled only
// if `also_stalled`.
static struct resident *choose_resident(struct grid *grid, int also_stalled)
{
    struct resident *best = NULL;
    for (uint32_t i = 0; i < grid->residents; i++) {
        struct resident *resident = &grid->resident[i];
        if (resident->is_running || (resident->is_idle && resident->generation == grid->generation)) continue;
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

static void check_limits(struct grid *grid)
{
    const struct machine_limits *limits = &grid->machine->launch->limits;
    struct timespec now;
    char why[64];
    if (limits->instructions > 0 && grid->machine->instructions >= limits->instructions) {
        snprintf(why, sizeof why, "the limit of %llu warp instructions is reached",
                 (unsigned long long)limits->instructions);
        end_everywhere(grid, MACHINE_LIMITED, why);
    }
    if (limits->seconds <= 0) return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double seconds = (double)(now.tv_sec - grid->start.tv_sec) + 1e-9 * (double)(now.tv_nsec - grid->start.tv_nsec);
    if (seconds < limits->seconds) return;
    snprintf(why, sizeof why, "the limit of %g seconds is reached", limits->seconds);
    end_everywhere(grid, MACHINE_LIMITED, why);
}

static void end_cluster(struct grid *grid, struct resident *resident)
{
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

// One turn of a cluster, with the lock taken, which is free while it runs.
static void run_turn(struct grid *grid, struct resident *resident)
{
    struct machine_cluster *cluster = resident->cluster;
    uint64_t begin = cluster->progress, progress = begin, executed = cluster->executed, generation = grid->generation;
    uint64_t turn = turn_of(grid, 64 * SLICE), left = turn;
    if (resident->generation != generation) machine_cluster_wake(cluster);
    resident->is_running = 1;
    grid->running++;
    const int may_wait = resident->is_stalled || grid->turns % OTHERS_TURN == 0;
    pthread_mutex_unlock(&grid->lock);
    if (may_wait && grid->machine->launch->meanwhile != NULL)
        grid->machine->launch->meanwhile(grid->machine->launch->meanwhile_context);
    enum machine_cluster_ran ran;
    do { // as long as it changes something, or is all there is
        progress = cluster->progress;
        ran = machine_cluster_run(cluster, left < SLICE ? left : SLICE);
        left = cluster->executed - executed < turn ? turn - (cluster->executed - executed) : 0;
    } while (ran == MACHINE_CLUSTER_RAN && cluster->progress != progress && left > 0);
    pthread_mutex_lock(&grid->lock);
    grid->running--;
    resident = resident_of(grid, cluster); // it may have moved
    resident->is_running = 0;
    grid->machine->instructions += cluster->executed - executed;
    resident->is_idle = ran == MACHINE_CLUSTER_IDLE;
    resident->is_stalled = cluster->progress == progress;
    resident->generation = generation; // what others changed meanwhile it may not have seen
    if (cluster->progress != begin) grid->generation++;
    if (ran == MACHINE_CLUSTER_DONE) end_cluster(grid, resident);
    check_limits(grid);
    pthread_cond_broadcast(&grid->changed);
}

static int is_over(const struct grid *grid)
{
    return machine_is_stopped(grid->machine) || (grid->begun == grid->clusters && grid->residents == 0);
}

static void *work(void *context)
{
    struct grid *grid = context;
    pthread_mutex_lock(&grid->lock);
    while (!is_over(grid)) {
        struct resident *resident = choose(grid);
        if (resident != NULL)
            run_turn(grid, resident);
        else if (grid->running > 0)
            pthread_cond_wait(&grid->changed, &grid->lock);
        else if (!is_over(grid))
            end_everywhere(grid, MACHINE_HUNG, "the kernel hangs: no thread can go on");
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

static void run_grid(struct machine *machine)
{
    struct cluster_registers of = cluster_registers(&machine->shape, (const uint32_t[3]){0, 0, 0});
    struct grid grid = {.machine = machine, .most_residents = most_residents(machine)};
    grid.clusters = (uint64_t)of.nclusterid[0] * of.nclusterid[1] * of.nclusterid[2];
    if (grid.most_residents > grid.clusters) grid.most_residents = (uint32_t)grid.clusters;
    grid.resident = calloc(grid.most_residents, sizeof *grid.resident);
    pthread_mutex_init(&grid.lock, NULL);
    pthread_cond_init(&grid.changed, NULL);
    clock_gettime(CLOCK_MONOTONIC, &grid.start);
    tell_run(machine, RUN_KERNEL_BEGIN);
    if (grid.resident != NULL)
        work_all(&grid);
    else
        end_without_memory(machine);
    tell_run(machine, RUN_KERNEL_END);
    while (grid.residents > 0) end_cluster(&grid, &grid.resident[0]);
    free(grid.resident);
    pthread_cond_destroy(&grid.changed);
    pthread_mutex_destroy(&grid.lock);
}

static void run_machine(struct machine *machine)
{
    struct machine_outcome *outcome = machine->outcome;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, combined_lock = PTHREAD_MUTEX_INITIALIZER;
    machine->lock = &lock;
    if (machine->launch->schedule.threads > 1) machine->combined_lock = &combined_lock;
    if (copy_parameters(machine) && map_memory(machine))
        run_grid(machine);
    else
        outcome->kind = MACHINE_NO_MEMORY;
    outcome->instructions = machine->instructions;
    outcome->thread_instructions = machine->thread_instructions;
    free((void *)machine->global.region);
    free(machine->parameters);
    pthread_mutex_destroy(&combined_lock);
    pthread_mutex_destroy(&lock);
}

int machine_run(const struct machine_launch *launch, struct machine_outcome *outcome)
{
    struct ptx_errors errors;
    struct machine machine = {.launch = launch, .outcome = outcome};
    *outcome = (struct machine_outcome){.kind = MACHINE_DONE};
    machine.kernel = machine_module_decoded(launch->module, launch->kernel, &errors);
    if (machine.kernel == NULL) {
        refuse(outcome, RULE_OK, errors.count > 0 ? errors.item[0].message : "no memory to decode the kernel");
        return 0;
    }
    machine.shape = shape_of(launch, &machine.kernel->facts);
    enum rule rule = cluster_launch_check(&machine.shape, NULL);
    if (rule != RULE_OK) {
        refuse(outcome, rule, rule_row(rule)->sentence);
        return 0;
    }
    machine.ctas = cluster_registers(&machine.shape, (const uint32_t[3]){0, 0, 0}).cluster_nctarank;
    machine.shared_bytes = shared_bytes_of(&machine);
    run_machine(&machine);
    return outcome->kind == MACHINE_DONE;
}
