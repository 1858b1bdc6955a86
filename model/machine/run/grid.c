// SPDX-License-Identifier: MIT
// The warps of a cluster take turns. The order and the length of the turns come from the seed.
#include "grid.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "budget.h"
#include "course.h"
#include "delay.h"
#include "each.h"
#include "even.h"
#include "flights.h"
#include "frames.h"
#include "grid_turns.h"
#include "hold.h"
#include "hopper.h"
#include "levels.h"
#include "polling.h"
#include "seen.h"
#include "special.h"
#include "step_turns.h"
#include "veil.h"
#include "warp.h"

// Instructions of a turn; after how many rounds in which nothing has changed operations under way move on, though
// somebody runs.
enum {
    TURN = 1024,
    SHUFFLED_TURN = 256,
    SPINNING_ROUNDS = 16,
    LOOK_LASTS = 64, // rounds in which a loop with barriers looks again
    SHARED_GRANULE = 128,
    ROUND_TIME = 100,
    MOST_HASTE = 20,
    SHORT_TURN = 64,
    STARED_PART = 8,
    PATIENT_ROUNDS = 4096,
    PATIENT_STARES = 1024
};

// --- Begin and end ---------------------------------------------------------------------------------------------------

static void grid_place(const struct machine *machine, uint64_t number, uint32_t rank, struct machine_cta *cta)
{
    const uint32_t *grid = machine->shape.grid, *size = machine->first.cluster_nctaid,
                   *count = machine->first.nclusterid;
    const uint64_t cluster[3] = {number % count[0], number / count[0] % count[1], number / count[0] / count[1]};
    const uint32_t inside[3] = {rank % size[0], rank / size[0] % size[1], rank / size[0] / size[1]};
    for (int i = 0; i < 3; i++) cta->ctaid[i] = (uint32_t)cluster[i] * size[i] + inside[i];
    cta->number = cta->ctaid[0] + (uint64_t)grid[0] * (cta->ctaid[1] + (uint64_t)grid[1] * cta->ctaid[2]);
}

static uint32_t warps_of(const struct machine *machine)
{
    const uint32_t *block = machine->launch->block;
    return (block[0] * block[1] * block[2] + MACHINE_LANES - 1) / MACHINE_LANES;
}

static bool start_warp(struct machine_cta *cta, uint32_t index)
{
    const uint32_t *block = cta->cluster->machine->launch->block;
    const uint32_t left = block[0] * block[1] * block[2] - index * MACHINE_LANES;
    struct machine_warp *warp = &cta->warp[index];
    const bool is_new = warp->slots == NULL;
    if (!machine_warp_start(warp, cta, index, left >= MACHINE_LANES ? UINT32_MAX : (1u << left) - 1)) return false;
    if (is_new) machine_special_set(warp);
    machine_even_start(warp, is_new);
    return true;
}

static bool start_cta(struct machine_cluster *cluster, uint32_t rank)
{
    const struct machine *machine = cluster->machine;
    struct machine_cta *cta = &cluster->cta[rank];
    cta->cluster = cluster;
    cta->rank = rank;
    grid_place(machine, cluster->number, rank, cta);
    for (EACH_BIT(number, cta->used)) cta->barrier[number] = (struct machine_barrier){0};
    const uint32_t warps = warps_of(machine);
    cta->warps = cta->live_warps = cta->used = 0;
    register_pool_start(&cta->registers, warps, machine->kernel->facts.start_registers);
    const bool are_started = machine_course_plan(cluster);
    for (; cta->warps < warps; cta->warps++, cta->live_warps++)
        if (!are_started && !start_warp(cta, cta->warps)) return false;
    return true;
}

static bool make_shared(struct machine_cluster *cluster)
{
    uint64_t bytes = cluster->machine->shared_bytes;
    if (!budget_take(BUDGET_SHARED, bytes * cluster->ctas)) return false;
    cluster->shared_bytes = calloc(cluster->ctas, bytes + SHARED_GRANULE);
    if (cluster->shared_bytes == NULL) budget_give(BUDGET_SHARED, bytes * cluster->ctas);
    if (cluster->shared_bytes == NULL) return false;
    uint8_t *at = cluster->shared_bytes + (SHARED_GRANULE - (uintptr_t)cluster->shared_bytes % SHARED_GRANULE);
    for (uint32_t rank = 0; rank < cluster->ctas; rank++)
        cluster->memory[rank] = (struct memory){at + rank * bytes, MACHINE_SHARED_BASE, bytes};
    const bool is_explicit = cluster->machine->first.is_explicit_cluster != 0;
    cluster->shared = (struct cluster_memory){cluster->memory, cluster->ctas, is_explicit, 0};
    return true;
}

static uint64_t mixed(uint64_t value)
{
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

uint64_t machine_draw(uint64_t *state)
{
    return mixed(*state += UINT64_C(0x9e3779b97f4a7c15));
}

static void free_cluster(struct machine_cluster *cluster)
{
    machine_delay_end(cluster);
    machine_flights_close(cluster);
    machine_veil_close(cluster);
    machine_course_free(cluster->course);
    for (uint32_t rank = 0; cluster->cta != NULL && rank < cluster->ctas; rank++) {
        struct machine_cta *cta = &cluster->cta[rank];
        for (uint32_t i = 0; cta->warp != NULL && i < warps_of(cluster->machine); i++) {
            machine_warp_end(&cta->warp[i]);
            machine_warp_free(&cta->warp[i]);
        }
        free(cta->warp);
    }
    machine_frames_free(cluster);
    free(cluster->cta);
    if (cluster->shared_bytes != NULL) budget_give(BUDGET_SHARED, cluster->machine->shared_bytes * cluster->ctas);
    free(cluster->shared_bytes);
    free(cluster);
}

// What every cluster of the launch needs; its warps have no slots yet.
static struct machine_cluster *make_cluster(struct machine *machine)
{
    struct machine_cluster *cluster = calloc(1, sizeof *cluster);
    if (cluster == NULL) return NULL;
    cluster->machine = machine;
    cluster->ctas = machine->ctas;
    cluster->cta = calloc(machine->ctas, sizeof *cluster->cta);
    bool is_made = cluster->cta != NULL && make_shared(cluster);
    for (uint32_t rank = 0; is_made && rank < cluster->ctas; rank++) {
        cluster->cta[rank].warp = calloc(warps_of(machine), sizeof *cluster->cta[rank].warp);
        is_made = cluster->cta[rank].warp != NULL;
    }
    if (is_made) return cluster;
    free_cluster(cluster);
    return NULL;
}

// It is as one that was just made.
static void clear_cluster(struct machine_cluster *cluster)
{
    memset(cluster->memory[0].bytes, 0, cluster->machine->shared_bytes * cluster->ctas);
    cluster->shared.exited = 0;
    memset(&cluster->number, 0, sizeof *cluster - offsetof(struct machine_cluster, number));
    cluster->is_used = 0;
}

struct machine_cluster *machine_cluster_open(struct machine *machine, uint32_t thread)
{
    struct machine_cluster **spare = &machine->spare[thread], *cluster = *spare;
    if (cluster != NULL)
        *spare = cluster->next_spare;
    else
        cluster = make_cluster(machine);
    if (cluster == NULL || machine_set_lookers(cluster, thread)) return cluster;
    free_cluster(cluster);
    return NULL;
}

bool machine_cluster_start(struct machine_cluster *cluster, uint64_t number)
{
    const struct machine *machine = cluster->machine;
    if (cluster->is_used) clear_cluster(cluster);
    cluster->is_used = 1;
    cluster->number = number;
    cluster->progress = 1;
    cluster->random = mixed(machine->launch->schedule.seed) ^ mixed(number + 1);
    bool is_started = true;
    for (uint32_t rank = 0; is_started && rank < cluster->ctas; rank++) {
        is_started = start_cta(cluster, rank);
        cluster->live_ctas++;
    }
    is_started = is_started && machine_delay_begin(cluster);
    if (is_started) machine_hold_begin(cluster);
    return is_started && machine_flights_open(cluster) && machine_veil_open(cluster);
}

static void end_cluster(struct machine_cluster *cluster)
{
    if (cluster->flights != NULL) machine_flights_end(cluster);
    machine_delay_end(cluster);
    machine_veil_close(cluster);
    cluster->to_start = 0;
    for (uint32_t rank = 0; rank < cluster->ctas; rank++)
        for (uint32_t i = 0; i < cluster->cta[rank].warps; i++) machine_warp_end(&cluster->cta[rank].warp[i]);
}

bool machine_cluster_again(struct machine_cluster *cluster, uint64_t number)
{
    end_cluster(cluster);
    return machine_cluster_start(cluster, number);
}

void machine_cluster_close(struct machine_cluster *cluster, uint32_t thread)
{
    struct machine_cluster **spare = &cluster->machine->spare[thread];
    end_cluster(cluster);
    cluster->next_spare = *spare;
    *spare = cluster;
}

void machine_cluster_forget(struct machine_cluster *cluster)
{
    machine_course_leave(cluster); // it knows where its next loads and stores are
    machine_course_forget(cluster->course);
    for (uint32_t rank = 0; rank < cluster->ctas; rank++)
        for (uint32_t i = 0; i < cluster->cta[rank].warps; i++)
            memset(cluster->cta[rank].warp[i].hit, 0, sizeof cluster->cta[rank].warp[i].hit);
}

void machine_clusters_forget(const struct machine *machine)
{
    for (uint32_t thread = 0; thread < MACHINE_HOST_THREADS; thread++)
        for (struct machine_cluster *spare = machine->spare[thread]; spare != NULL; spare = spare->next_spare)
            machine_cluster_forget(spare);
}

void machine_clusters_free(struct machine *machine)
{
    for (uint32_t thread = 0; thread < MACHINE_HOST_THREADS; thread++)
        for (struct machine_cluster *next; machine->spare[thread] != NULL; machine->spare[thread] = next) {
            next = machine->spare[thread]->next_spare;
            free_cluster(machine->spare[thread]);
        }
}

// --- Turns -----------------------------------------------------------------------------------------------------------

// Who stares at the clock sees in a short turn as much as in a long one.
static uint32_t turn_of(struct machine_cluster *cluster)
{
    if (cluster->stared > 0) return SHORT_TURN;
    if (cluster->machine->launch->schedule.policy != MACHINE_SHUFFLED) return TURN;
    return 1 + (uint32_t)(machine_random(cluster) % SHUFFLED_TURN);
}

static void tell_exit(struct machine_cta *cta)
{
    const struct machine *machine = cta->cluster->machine;
    if (cta->cluster->observer == NULL) return; // most often: an event takes long to make
    const struct teller teller = {cta->cluster->observer,
                                  {.launch = machine->launch->number, .cta = cta->number, .rank = cta->rank}};
    event_tell(&teller, (struct event){.kind = EVENT_RUN, .run = RUN_CTA_EXIT});
}

static void end_warp(struct machine_warp *warp)
{
    struct machine_cta *cta = warp->cta;
    struct machine_cluster *cluster = cta->cluster;
    cluster->progress++;
    if (--cta->live_warps > 0) return;
    tell_exit(cta);
    cluster->shared.exited |= 1u << cta->rank;
    cluster->live_ctas--;
}

void machine_warp_ended(struct machine_warp *warp, uint64_t used, struct machine_round *round)
{
    round->has_run = round->is_busy = true;
    round->has_worked |= used >= SHORT_TURN;
    end_warp(warp);
}

// The warps that have gone no course begin, and are at its start.
static void leave_course(struct machine_cluster *cluster, struct machine_round *round)
{
    struct machine_cta *cta = &cluster->cta[0];
    bool are_started = true;
    for (EACH_BIT(index, cluster->to_start)) are_started &= start_warp(cta, index);
    cluster->to_start = 0;
    if (!are_started) grid_end_without_memory(cluster->machine);
    round->is_stopped |= !are_started;
}

// The turn of a warp, of which `used` instructions are done, and counted.
static void run_turn(struct machine_warp *warp, uint32_t used, struct machine_round *round)
{
    struct machine_cluster *cluster = warp->cta->cluster;
    const uint64_t before = cluster->executed;
    cluster->reads_of_turn = cluster->looks_of_turn = 0;
    const uint32_t most = turn_of(cluster) - used;
    const bool is_chosen = cluster->delayed != NULL || cluster->machine->turns != NULL;
    enum machine_ran ran = machine_warp_run(warp, is_chosen ? machine_delay_turn(warp, most) : most);
    const uint64_t more = cluster->executed - before, all = more + used;
    const bool is_long = all >= SHORT_TURN || cluster->delayed != NULL;
    if (cluster->delayed != NULL) machine_delay_ran(warp, all);
    round->used += more;
    if (all > round->longest) round->longest = all;
    const bool has_run = ran == MACHINE_RAN_ON || ran == MACHINE_ENDED;
    round->has_run |= has_run;
    round->has_worked |= has_run && is_long && cluster->reads_of_turn == 0;
    round->is_busy |= has_run && cluster->looks_of_turn == 0;
    round->is_stopped |= ran == MACHINE_STOPPED;
    warp->blocked_at = ran == MACHINE_BLOCKED ? cluster->progress : 0;
    if (ran == MACHINE_ENDED) end_warp(warp);
    machine_flights_turn(cluster);
}

void machine_give_turn(struct machine_warp *warp, struct machine_round *round)
{
    if (warp->strands > 0 && warp->blocked_at != warp->cta->cluster->progress) run_turn(warp, 0, round);
}

// Turns of warps from `index` on that are on a course, at most `most`. Returns how many; 0: it is on none, or no
// longer.
static uint32_t go_course(struct machine_cluster *cluster, uint32_t index, uint32_t most, struct machine_round *round)
{
    struct machine_cta *cta = &cluster->cta[0];
    struct machine_off off;
    if ((cluster->to_start >> index & 1) == 0) return 0;
    const uint32_t passed = machine_course_run(cluster, index, most, round, &off);
    if (!off.is_off) return passed;
    leave_course(cluster, round);
    if (off.used == 0) return passed;
    index += passed;
    run_turn(&cta->warp[index < cta->warps ? index : index - cta->warps], off.used, round);
    return passed + 1;
}

// The warps keep their order, but for SHUFFLED: between two turns of a warp each other has one, so none falls behind by
// more than that, as on a GPU, whose warps run side by side.
static void run_round(struct machine_cluster *cluster, struct machine_round *round)
{
    uint32_t warps = cluster->ctas * cluster->cta[0].warps;
    const bool is_first = cluster->rounds++ == 0;
    machine_hold_round(cluster);
    if (is_first || cluster->machine->launch->schedule.policy == MACHINE_SHUFFLED)
        cluster->first = (uint32_t)(machine_random(cluster) % warps);
    if (cluster->delayed != NULL) {
        machine_levels_round(cluster, warps, round);
        return;
    }
    uint32_t rank = cluster->first % cluster->ctas, index = cluster->first / cluster->ctas;
    for (uint32_t i = 0; i < warps && !round->is_stopped; i++) {
        const uint32_t gone = cluster->to_start == 0 ? 0 : go_course(cluster, index, warps - i, round);
        if (gone > 0) {
            i += gone - 1;
            index = (index + gone) % warps;
            continue;
        }
        if (!machine_is_held(cluster, rank, index)) machine_give_turn(&cluster->cta[rank].warp[index], round);
        if (++rank < cluster->ctas) continue;
        rank = 0;
        if (++index == cluster->cta[0].warps) index = 0;
    }
}

static uint64_t more_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// The warps of a round run side by side: it takes as long as the longest turn. Where all only poll or sleep, and
// nothing has changed since the first did, it takes as long as the longest sleeps, or is held by a wait that fails; the
// latter is no time in which operations end. So that who waits for a time comes to its end, time goes faster and faster
// when all have polled for PATIENT_ROUNDS; and when nobody has done more than read the clock for PATIENT_STARES rounds,
// each adds a part of the time that this has gone on, up to an hour. Time in which somebody reads a clock or sleeps is
// what asynchronous operations are given to end in. But a launch that may be left alone with what it waits for is not
// hurried while it looks at global memory: who writes there needs time too.
static void pass_time(struct machine_cluster *cluster, const struct machine_round *round, bool reads_clock)
{
    const struct machine *machine = cluster->machine;
    const bool is_hurried = cluster->outside == 0 || !machine->launch->may_wait || machine->is_alone;
    bool stares = is_hurried && cluster->unchanged > 0 && !round->has_worked;
    if (!reads_clock && cluster->slept + cluster->suspended > 0) stares = false;
    if (!stares) cluster->stared = 0;
    cluster->stares = stares ? cluster->stares + 1 : 0;
    const uint64_t part = cluster->stared / STARED_PART < MACHINE_HOUR ? cluster->stared / STARED_PART : MACHINE_HOUR;
    uint64_t passed = more_of(round->longest, cluster->stares > PATIENT_STARES ? part : 0);
    const uint64_t before = cluster->time;
    const bool is_held = is_hurried && !round->has_run && cluster->held_at == cluster->progress;
    if (is_held) passed = more_of(passed, cluster->slept * MACHINE_CLOCKS_OF_NS);
    if (is_hurried && cluster->polling > 0) {
        const uint64_t rounds = cluster->polling > PATIENT_ROUNDS ? cluster->polling - PATIENT_ROUNDS : 0;
        const uint64_t hasty = (uint64_t)ROUND_TIME << (rounds < MOST_HASTE ? rounds : MOST_HASTE);
        passed = more_of(passed, more_of(hasty, cluster->slept * MACHINE_CLOCKS_OF_NS));
    }
    cluster->time = more_of(cluster->time + passed, cluster->clock);
    passed = cluster->time - before;
    if (is_held && cluster->suspended > passed) cluster->time = before + cluster->suspended;
    if (stares) cluster->stared += passed;
    machine_flights_age(cluster, reads_clock || cluster->slept > 0 ? passed : 0);
    cluster->slept = cluster->suspended = 0;
}

// Progress that is more than an atomic which left memory as it was, and looks at new places.
uint64_t machine_cluster_changes(const struct machine_cluster *cluster)
{
    return cluster->progress - cluster->vain + cluster->ground;
}

// Who reads a clock may wait for a time, and gets on by the clock alone.
static bool gets_on_by_clock(const struct machine_cluster *cluster, uint64_t clock_reads)
{
    return clock_reads != cluster->clock_reads && !machine_poll_outlasts(cluster);
}

// Who meets others at barriers and has not looked at memory for long computes, though nothing is stored.
static void count_watching(struct machine_cluster *cluster, const struct machine_round *round, uint64_t progress,
                           uint64_t changes, uint64_t clock_reads)
{
    const bool meets = progress != cluster->progress && cluster->rounds - cluster->looked_in > LOOK_LASTS;
    const bool watches = !round->is_busy && !meets && changes == machine_cluster_changes(cluster);
    cluster->watched = watches ? cluster->watched + 1 : 0;
    cluster->still = watches && !gets_on_by_clock(cluster, clock_reads) ? cluster->still + 1 : 0;
    if (!watches) cluster->outside = 0;
    const bool is_calm =
        changes == machine_cluster_changes(cluster) && clock_reads == cluster->clock_reads && !round->is_cut;
    cluster->calm = is_calm ? cluster->calm + 1 : 0;
}

bool machine_cluster_watches(const struct machine_cluster *cluster)
{
    return cluster->watched >= SPINNING_ROUNDS;
}

bool machine_cluster_gets_on(const struct machine_cluster *cluster)
{
    return cluster->watched == 0;
}

// What the round has changed in the counts of rounds.
static void count_round(struct machine_cluster *cluster, bool has_run, uint64_t progress, uint64_t clock_reads)
{
    bool has_changed = progress != cluster->progress;
    cluster->polling = has_run || has_changed ? 0 : cluster->polling + 1;
    cluster->unchanged = has_changed ? 0 : cluster->unchanged + 1;
    const uint64_t spinning = cluster->delayed == NULL ? SPINNING_ROUNDS : SPINNING_ROUNDS * TURN;
    if ((cluster->polling > 0 || cluster->unchanged >= spinning) && machine_flights_force(cluster))
        cluster->polling = cluster->unchanged = 0;
    if (cluster->polling == 0) cluster->polled_from = cluster->time;
    cluster->idle = cluster->polling == 0 || gets_on_by_clock(cluster, clock_reads) ? 0 : cluster->idle + 1;
}

// Of one that was fixed it is soon known whether it still is.
void machine_cluster_wake(struct machine_cluster *cluster)
{
    cluster->polling = cluster->idle = cluster->unchanged = 0;
    cluster->polled_from = cluster->time;
    cluster->looks = 0;
    cluster->calm = cluster->is_fixed ? POLL_FIRST_LOOK_OF_RUNNING - 1 : 0;
    cluster->is_fixed = false;
}

// Where warps only poll, fewer rounds show it than where they run. Of many warps with short turns one is nearly always
// found on its way: then the rounds of calm show it.
static bool is_stuck(struct machine_cluster *cluster)
{
    const uint64_t polled = cluster->machine->is_alone ? cluster->still : cluster->idle;
    if (polled >= POLL_FIRST_LOOK) return machine_poll_repeats(cluster, polled, POLL_FIRST_LOOK);
    cluster->is_fixed = machine_poll_repeats(cluster, cluster->calm, POLL_FIRST_LOOK_OF_RUNNING);
    return cluster->is_fixed;
}

static enum machine_cluster_ran run_rounds(struct machine_cluster *cluster, uint64_t budget)
{
    struct machine_round round = {false};
    while (cluster->live_ctas > 0) {
        uint64_t progress = cluster->progress, clock_reads = cluster->clock_reads;
        const uint64_t changes = machine_cluster_changes(cluster);
        round = (struct machine_round){.used = round.used};
        if (cluster->to_start != 0) machine_course_look(cluster);
        run_round(cluster, &round);
        if (round.is_stopped || machine_is_stopped(cluster->machine)) return MACHINE_CLUSTER_STOPPED;
        count_round(cluster, round.has_run, progress, clock_reads);
        count_watching(cluster, &round, progress, changes, clock_reads);
        pass_time(cluster, &round, clock_reads != cluster->clock_reads);
        if (is_stuck(cluster)) return MACHINE_CLUSTER_IDLE;
        if (round.used >= budget && cluster->live_ctas > 0) return MACHINE_CLUSTER_RAN;
    }
    if (cluster->machine->turns != NULL) machine_turns_finish(cluster);
    machine_flights_finish(cluster);
    return MACHINE_CLUSTER_DONE;
}

enum machine_cluster_ran machine_cluster_run(struct machine_cluster *cluster, uint64_t budget)
{
    struct alu_environment environment;
    alu_environment_enter(&environment);
    const enum machine_cluster_ran ran = run_rounds(cluster, budget);
    alu_environment_leave(&environment);
    return ran;
}
