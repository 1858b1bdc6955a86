// SPDX-License-Identifier: MIT
#include "step_turns.h"

#include <stdlib.h>
#include <string.h>

#include "delay.h"
#include "flights.h"
#include "grid.h"
#include "polling.h"
#include "report.h"

enum { MOST_LOCAL = 1 << 20, LINE_BYTES = 2000 }; // instructions of a step

// --- What a step does ------------------------------------------------------------------------------------------------

static void mark(struct machine_turns *turns, struct turns_mark mark)
{
    struct turns_mark *last = turns->marks > 0 ? &turns->mark[turns->marks - 1] : NULL;
    const bool is_access = mark.kind == 'R' || mark.kind == 'W' || mark.kind == 'U';
    if (is_access && last != NULL && last->kind == mark.kind && last->place == mark.place &&
        last->number == mark.number && last->from + last->bytes == mark.from) {
        last->bytes += mark.bytes;
    } else if (turns->marks < TURNS_MARKS) {
        turns->mark[turns->marks++] = mark;
    } else {
        turns->is_full = true;
    }
}

// Is it of another CTA's memory, or by an operation, which its CTA may not outlive?
static bool is_far(const struct event_origin *origin, uint32_t rank)
{
    return origin->operation > 0 || origin->rank != rank;
}

// Nobody writes there.
static bool is_parameter(const struct machine *machine, const struct access *access)
{
    const uint64_t from = machine_parameter_window(machine);
    return access->space == SPACE_GLOBAL && access->address - from < machine->kernel->facts.parameter_bytes;
}

static void mark_access(struct machine_turns *turns, const struct event *event)
{
    const struct access *access = &event->access;
    static const char kinds[] = {[ACCESS_READ] = 'R', [ACCESS_WRITE] = 'W', [ACCESS_REDUCE] = 'U'};
    if (access->is_constant || is_parameter(turns->machine, access)) return;
    const bool is_shared = access->space == SPACE_SHARED;
    mark(turns, (struct turns_mark){kinds[access->kind], is_shared ? access->rank + 1 : 0,
                                    is_shared && is_far(event->origin, access->rank) ? TURNS_FAR : 0, access->address,
                                    access->bytes});
}

static void mark_barrier(struct machine_turns *turns, const struct event *event)
{
    const struct event_barrier *barrier = &event->barrier;
    const bool is_told = barrier->step == BARRIER_TRANSACTION;
    const bool has_bytes = is_told && barrier->transaction.expect_bytes + barrier->transaction.complete_bytes > 0;
    const char kind = barrier->step == BARRIER_TRANSACTION ? 'T' : barrier->step == BARRIER_WAIT ? 'Q' : 'I';
    const uint32_t facts = (is_far(event->origin, barrier->rank) ? TURNS_FAR : 0u) | (has_bytes ? TURNS_BYTES : 0u) |
                           (is_told && barrier->completes ? TURNS_COMPLETES : 0u);
    mark(turns, (struct turns_mark){kind, barrier->rank + 1, facts, barrier->address, 8});
}

static void mark_meeting(struct machine_turns *turns, const struct event *event)
{
    const struct event_meeting *meeting = &event->meeting;
    const bool is_arrival = meeting->step == MEETING_ARRIVE;
    if (meeting->kind == MEETING_CTA)
        mark(turns,
             (struct turns_mark){is_arrival ? 'A' : 'M', event->origin->rank, meeting->number, meeting->phase, 0});
    else if (meeting->kind == MEETING_CLUSTER)
        mark(turns, (struct turns_mark){is_arrival ? 'a' : 'm', event->origin->rank, 0, meeting->phase, 0});
}

static void hear(void *context, const struct event *event)
{
    struct machine_turns *turns = context;
    if (event->kind == EVENT_ACCESS)
        mark_access(turns, event);
    else if (event->kind == EVENT_BARRIER)
        mark_barrier(turns, event);
    else if (event->kind == EVENT_MEETING)
        mark_meeting(turns, event);
    else if (event->kind == EVENT_RUN && event->run == RUN_EXIT)
        mark(turns, (struct turns_mark){'E', event->origin->rank, 0, 0, 0});
    else if (event->kind == EVENT_RUN && event->run == RUN_CTA_EXIT)
        mark(turns, (struct turns_mark){'X', event->origin->rank, 0, 0, 0});
    if (turns->next != NULL) turns->next->hear(turns->next->context, event);
}

void machine_turns_issue(const struct machine_cluster *cluster, uint32_t number)
{
    if (cluster->machine->turns != NULL) mark(cluster->machine->turns, (struct turns_mark){'S', 0, number, 0, 0});
}

void machine_turns_ask(const struct machine_cluster *cluster)
{
    if (cluster->machine->turns != NULL) cluster->machine->turns->is_full = true;
}

struct machine_turns *machine_turns_open(const struct machine *machine, struct machine_launch *launch)
{
    struct machine_turns *turns = NULL;
    if (launch->schedule.policy != MACHINE_DELAY || launch->delays == NULL || !launch->delays->are_turns) return NULL;
    turns = calloc(1, sizeof *turns);
    if (turns == NULL) return NULL;
    turns->machine = machine;
    turns->observer = (struct observer){turns, hear};
    turns->next = launch->observer;
    launch->observer = &turns->observer;
    while (turns->chosen < launch->delays->turns && launch->delays->turn[turns->chosen].launch < launch->number)
        turns->chosen++;
    return turns;
}

// --- What is told ----------------------------------------------------------------------------------------------------

static void add_actor(struct machine_text *to, const struct machine_turn *of)
{
    machine_text_add(to, "%llu/%llu/%u", (unsigned long long)of->launch, (unsigned long long)of->cluster, of->warp);
    if (of->operation > 0) machine_text_add(to, "/%u", of->operation);
}

static void add_marks(struct machine_text *to, const struct machine_turns *turns)
{
    for (uint32_t i = 0; i < turns->marks; i++) {
        const struct turns_mark *of = &turns->mark[i];
        machine_text_add(to, " %c%u.%u.%llx.%llx", of->kind, of->place, of->number, (unsigned long long)of->from,
                         (unsigned long long)of->bytes);
    }
    if (turns->is_full) machine_text_add(to, " *");
}

static void tell(const struct machine_cluster *cluster, const struct machine_turn *of, const char *may)
{
    struct machine_turns *turns = cluster->machine->turns;
    const struct machine_launch *launch = cluster->machine->launch;
    char line[LINE_BYTES], marks[LINE_BYTES / 2];
    struct machine_text to = {line, 0, sizeof line}, done = {marks, 0, sizeof marks};
    if (launch->delayed == NULL) return;
    if (turns->is_vain) launch->delayed(launch->delayed_context, "# vain");
    turns->is_vain = false;
    machine_text_add(&to, "turn ");
    add_actor(&to, of);
    marks[0] = '\0';
    add_marks(&done, turns);
    machine_text_add(&to, " #%s ;%s", done.used + 1 < done.room ? marks : " *", may);
    launch->delayed(launch->delayed_context, line);
}

// --- Who may -----------------------------------------------------------------------------------------------------------

static struct machine_warp *warp_at(const struct machine_cluster *cluster, uint32_t number)
{
    return &cluster->cta[number % cluster->ctas].warp[number / cluster->ctas];
}

static struct turns_warp *turns_of(const struct machine_cluster *cluster, uint32_t number)
{
    return &cluster->delayed->turns[number];
}

static bool may_warp(const struct machine_cluster *cluster, uint32_t number)
{
    const struct machine_warp *warp = warp_at(cluster, number);
    const struct turns_warp *of = turns_of(cluster, number);
    return warp->strands > 0 && of->vain_at != cluster->progress &&
           of->spins_at != machine_cluster_changes(cluster) + 1;
}

static struct machine_turn turn_of(const struct machine_cluster *cluster, uint32_t warp, uint32_t operation)
{
    return (struct machine_turn){cluster->machine->launch->number, cluster->number, warp, operation};
}

// All that may make a step, as text: warps by their number, operations as warp/number.
static void write_may(const struct machine_cluster *cluster, uint32_t warps, char *text, size_t bytes)
{
    struct machine_text to = {text, 0, bytes};
    text[0] = '\0';
    for (uint32_t i = 0; i < warps; i++)
        if (may_warp(cluster, i)) machine_text_add(&to, " %u", i);
    uint32_t warp, operation;
    for (uint32_t i = 0; machine_flights_ready(cluster, i, &warp, &operation); i++)
        machine_text_add(&to, " %u/%u", warp, operation);
    if (to.used + 1 >= to.room) snprintf(text, bytes, " *");
}

// --- Steps -----------------------------------------------------------------------------------------------------------

// Has the step left the warp in a state in which it was since something changed?
static bool is_again(struct machine_cluster *cluster, uint32_t number)
{
    struct turns_warp *of = turns_of(cluster, number);
    if (of->states_at != machine_cluster_changes(cluster)) of->states = 0;
    of->states_at = machine_cluster_changes(cluster);
    const uint64_t state = machine_poll_state(warp_at(cluster, number));
    for (uint32_t i = 0; i < of->states && i < TURNS_STATES; i++)
        if (of->state[i] == state) return true;
    of->state[of->states++ % TURNS_STATES] = state;
    return false;
}

// One instruction of a warp. BLOCKED: it could not have one; WAITED: a wait that would hold its thread failed; LOOKED:
// it was told that a wait would fail, and may do anything now.
enum turned { TURNED, TURN_BLOCKED, TURN_WAITED, TURN_LOOKED };
static enum turned turn_warp(struct machine_warp *warp, struct machine_round *round)
{
    struct machine_cluster *cluster = warp->cta->cluster;
    struct machine_round own = {false};
    const uint64_t executed = cluster->executed, slept = cluster->slept, suspended = cluster->suspended;
    cluster->slept = cluster->suspended = 0;
    machine_give_turn(warp, &own);
    const bool has_slept = cluster->slept > 0, has_waited = cluster->suspended > 0;
    if (slept > cluster->slept) cluster->slept = slept;
    if (suspended > cluster->suspended) cluster->suspended = suspended;
    round->is_stopped |= own.is_stopped;
    round->used += own.used;
    round->longest += own.used;
    if (own.is_stopped || warp->strands == 0) return TURNED;
    if (cluster->executed == executed) return TURN_BLOCKED;
    return own.has_run || has_slept ? TURNED : has_waited ? TURN_WAITED : TURN_LOOKED;
}

// What a warp does up to something that others may see; 0: it waits, and does nothing of the kind.
static bool run_warp(struct machine_cluster *cluster, uint32_t number, struct machine_round *round)
{
    struct machine_turns *turns = cluster->machine->turns;
    struct machine_warp *warp = warp_at(cluster, number);
    uint32_t waits = 0;
    for (uint32_t i = 0; i < MOST_LOCAL; i++) {
        const enum turned turned = turn_warp(warp, round);
        turns->is_full |= turned == TURN_LOOKED;
        if (turns->marks > 0 || turns->is_full || round->is_stopped || warp->strands == 0) return true;
        waits += turned == TURN_WAITED;
        if (turned == TURN_BLOCKED || waits > 2 * warp->strands || (waits > 0 && warp->strands == 1)) return false;
    }
    return true;
}

// A step of a warp, 0: it was in vain.
static bool step_warp(struct machine_cluster *cluster, uint32_t number, const char *may, struct machine_round *round)
{
    struct machine_turns *turns = cluster->machine->turns;
    const struct machine_turn of = turn_of(cluster, number, 0);
    turns->marks = 0;
    turns->is_full = false;
    turns->last = number;
    if (!run_warp(cluster, number, round)) {
        turns_of(cluster, number)->vain_at = cluster->progress;
        return false;
    }
    tell(cluster, &of, may);
    if (warp_at(cluster, number)->strands > 0 && is_again(cluster, number))
        turns_of(cluster, number)->spins_at = machine_cluster_changes(cluster) + 1;
    return true;
}

static bool step_operation(struct machine_cluster *cluster, const struct machine_turn *of, const char *may)
{
    struct machine_turns *turns = cluster->machine->turns;
    turns->marks = 0;
    turns->is_full = false;
    if (!machine_flights_move_one(cluster, of->warp, of->operation)) return false;
    tell(cluster, of, may);
    return true;
}

// The next of the list, if it is of this cluster. What it names may not be able to: then a line says so, if another
// makes the step.
static bool step_chosen(struct machine_cluster *cluster, uint32_t warps, const char *may, struct machine_round *round)
{
    struct machine_turns *turns = cluster->machine->turns;
    const struct machine_launch *launch = cluster->machine->launch;
    if (turns->chosen >= launch->delays->turns || turns->is_vain) return false;
    const struct machine_turn *of = &launch->delays->turn[turns->chosen];
    if (of->launch != launch->number || of->cluster != cluster->number) return false;
    turns->chosen++;
    const bool is_done =
        of->operation > 0 ? step_operation(cluster, of, may)
                          : of->warp < warps && may_warp(cluster, of->warp) && step_warp(cluster, of->warp, may, round);
    turns->is_vain = !is_done;
    return is_done;
}

// The warps behind the last one, then operations, then the warps up to it.
static bool step_next(struct machine_cluster *cluster, uint32_t warps, const char *may, struct machine_round *round)
{
    const uint32_t from = cluster->machine->turns->last + 1;
    uint32_t warp, operation;
    for (uint32_t i = 0; i < warps && !round->is_stopped; i++) {
        if ((from + i) % warps == 0 && machine_flights_ready(cluster, 0, &warp, &operation)) {
            const struct machine_turn of = turn_of(cluster, warp, operation);
            cluster->machine->turns->last = warps - 1;
            return step_operation(cluster, &of, may);
        }
        if (may_warp(cluster, (from + i) % warps) && step_warp(cluster, (from + i) % warps, may, round)) return true;
    }
    return false;
}

// Is it what was chosen, and could not be done?
static bool is_chosen(const struct machine_cluster *cluster, const struct machine_turn *of)
{
    const struct machine_turns *turns = cluster->machine->turns;
    if (!turns->is_vain) return false;
    const struct machine_turn *chosen = &cluster->machine->launch->delays->turn[turns->chosen - 1];
    return chosen->warp == of->warp && chosen->operation == of->operation;
}

// Nobody can go on, so it may be a hang: all have their turns, as it wants to see it. Who has counted his tries may do
// something now, which has its place behind all that came before.
static void let_all_look(struct machine_cluster *cluster, uint32_t warps, struct machine_round *round)
{
    struct machine_turns *turns = cluster->machine->turns;
    const uint64_t changes = machine_cluster_changes(cluster);
    char may[32];
    for (uint32_t i = 0; i < warps && !round->is_stopped && changes == machine_cluster_changes(cluster); i++) {
        const struct machine_turn of = turn_of(cluster, i, 0);
        turns->marks = 0;
        machine_give_turn(warp_at(cluster, i), round);
        if (changes == machine_cluster_changes(cluster)) continue;
        turns->is_vain &= !is_chosen(cluster, &of);
        turns->is_full = true;
        if (cluster->machine->launch->delayed != NULL)
            cluster->machine->launch->delayed(cluster->machine->launch->delayed_context, "# timed");
        snprintf(may, sizeof may, " %u", i);
        tell(cluster, &of, may);
    }
}

void machine_turns_finish(struct machine_cluster *cluster)
{
    char may[LINE_BYTES / 2];
    uint32_t warp, operation;
    struct machine_round round = {false};
    while (machine_flights_ready(cluster, 0, &warp, &operation)) {
        write_may(cluster, 0, may, sizeof may);
        if (!step_chosen(cluster, 0, may, &round)) {
            const struct machine_turn of = turn_of(cluster, warp, operation);
            step_operation(cluster, &of, may);
        }
    }
}

void machine_turns_round(struct machine_cluster *cluster, uint32_t warps, struct machine_round *round)
{
    char may[LINE_BYTES / 2];
    write_may(cluster, warps, may, sizeof may);
    if (step_chosen(cluster, warps, may, round) || step_next(cluster, warps, may, round))
        round->has_run = round->has_worked = round->is_busy = round->is_cut = true;
    else if (!round->is_stopped)
        let_all_look(cluster, warps, round);
}
