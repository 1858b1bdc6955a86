// SPDX-License-Identifier: MIT
// What one step does to the barriers of a cluster. The rules are those of model/sync; only the barriers of threads are
// counted here, because the machine's are part of its warps (model/machine/instruction/barrier.c).
#include <stdlib.h>
#include <string.h>

#include "paths.h"
#include "rules/mbarrier.h"

const char *const paths_end_name[PATHS_ENDS] = {"none",        "waits", "deadlock", "over_arrival",
                                                "other_phase", "lap",   "bytes",    "life"};

bool paths_state_open(const struct paths_program *program, struct paths_state *state)
{
    *state = (struct paths_state){.program = program};
    state->at = malloc((program->actors + 1u) * sizeof *state->at);
    state->done = malloc(program->steps + 1u);
    state->phase = malloc((program->steps + 1u) * sizeof *state->phase);
    state->barrier = malloc((program->objects + 1u) * sizeof *state->barrier);
    const bool ok = state->at != NULL && state->done != NULL && state->phase != NULL && state->barrier != NULL;
    if (ok)
        paths_state_begin(state);
    else
        paths_state_close(state);
    return ok;
}

void paths_state_begin(struct paths_state *state)
{
    const struct paths_program *program = state->program;
    memset(state->at, 0, program->actors * sizeof *state->at);
    memset(state->done, 0, program->steps);
    memset(state->phase, 0, program->steps * sizeof *state->phase);
    memset(state->barrier, 0, program->objects * sizeof *state->barrier);
    memset(state->exited, 0xff, sizeof state->exited); // lanes that a warp does not have count as gone
    for (uint32_t i = 0; i < program->lanes_actors; i++)
        state->exited[program->actor[i].rank][program->actor[i].warp] &= ~program->actor[i].lanes;
    state->left = program->steps;
    if (program->lanes_actors > 0) cluster_barrier_start(&state->cluster, (int)program->lanes_actors);
}

void paths_state_close(struct paths_state *state)
{
    free(state->at);
    free(state->done);
    free(state->phase);
    free(state->barrier);
    *state = (struct paths_state){0};
}

bool paths_is_next(const struct paths_state *state, uint32_t step)
{
    const struct paths_program *program = state->program;
    const struct paths_step *of = &program->step[step];
    if (state->done[step]) return false;
    for (uint32_t i = 0; i < of->actors; i++) {
        const uint32_t number = program->actor_of[of->first_actor + i], at = state->at[number];
        const struct paths_actor *actor = &program->actor[number];
        if (at >= actor->steps || program->step_of[actor->first_step + at] != step) return false;
    }
    for (uint32_t i = 0; i < of->afters; i++)
        if (!state->done[program->after[of->first_after + i]]) return false;
    return true;
}

// --- Mbarriers -------------------------------------------------------------------------------------------------------

static enum paths_end end_of(enum rule rule)
{
    return rule == RULE_MBARRIER_TX_LIMIT || rule == RULE_MBARRIER_TX_RANGE ? PATHS_BYTES : PATHS_OVER;
}

// An arrival that counts in another phase than in the run matters only if somebody waits for that phase, or a later
// one.
static bool is_other_phase(const struct paths_state *state, const struct paths_step *step, uint64_t phases)
{
    const uint64_t first = phases < step->wanted ? phases : step->wanted;
    return phases != step->wanted && first < state->program->object[step->object].last_wait;
}

static enum paths_end transact(const struct paths_state *state, const struct paths_step *step,
                               struct paths_barrier *barrier)
{
    uint64_t word = barrier->word;
    if (!barrier->is_live) return PATHS_LIFE;
    const enum rule rule = mbarrier_transact(&word, &step->moves);
    if (rule != RULE_OK) return end_of(rule);
    if (is_other_phase(state, step, barrier->phases)) return PATHS_PHASE;
    barrier->phases += (word ^ barrier->word) >> 63;
    barrier->word = word;
    return PATHS_DONE;
}

static enum paths_end wait_for(const struct paths_state *state, const struct paths_step *step,
                               const struct paths_barrier *barrier)
{
    int complete = 0;
    if (!barrier->is_live) return PATHS_LIFE;
    if (step->token == PATHS_NONE)
        mbarrier_test_parity(barrier->word, (uint32_t)step->parity, &complete);
    else
        mbarrier_test(barrier->word, state->phase[step->token] & 1 ? MBARRIER_PHASE_BIT : 0, &complete);
    if (!complete) return PATHS_WAITS;
    return barrier->phases != step->wanted ? PATHS_LAP : PATHS_DONE;
}

// A barrier that is made begins with an even phase, as its word does, and with none that it had before.
static void init(const struct paths_step *step, struct paths_barrier *barrier)
{
    barrier->word = mbarrier_init(step->count);
    barrier->phases = (barrier->phases + PATHS_FIRST_PHASE) & ~UINT64_C(1);
    barrier->is_live = 1;
}

// --- Barriers of threads ---------------------------------------------------------------------------------------------

static uint32_t live_threads(const struct paths_state *state, const struct paths_object *object,
                             const struct paths_barrier *barrier)
{
    uint32_t threads = 0;
    for (uint32_t i = 0; i < state->program->cta[object->rank].warps && i < PATHS_MOST_WARPS; i++)
        if (state->exited[object->rank][i] != UINT32_MAX || barrier->come[i] > 0) threads += PATHS_WARP_LANES;
    return threads;
}

static void complete(const struct paths_state *state, const struct paths_object *object, struct paths_barrier *barrier)
{
    const uint32_t threads = barrier->threads > 0 ? barrier->threads : live_threads(state, object, barrier);
    if (barrier->sum == 0 || barrier->sum < threads) return;
    const uint64_t phases = barrier->phases + 1;
    memset(barrier, 0, sizeof *barrier);
    barrier->phases = phases;
}

// The warp counts as its 32 threads, whichever lanes have exited.
static enum paths_end come(const struct paths_state *state, const struct paths_step *step,
                           struct paths_barrier *barrier)
{
    const struct paths_object *object = &state->program->object[step->object];
    if (is_other_phase(state, step, barrier->phases)) return PATHS_PHASE;
    const uint32_t member = object->scope == 0 ? 0 : step->warp % PATHS_WARP_LANES;
    barrier->threads = step->threads;
    barrier->sum += step->count;
    barrier->come[member] = 1;
    complete(state, object, barrier);
    return PATHS_DONE;
}

// The step with which the actor of `step` came to the barrier that it leaves.
static uint32_t come_of(const struct paths_state *state, uint32_t step)
{
    const struct paths_program *program = state->program;
    const struct paths_step *of = &program->step[step];
    const uint32_t number = program->actor_of[of->first_actor];
    const struct paths_actor *actor = &program->actor[number];
    for (uint32_t i = state->at[number]; i-- > 0;) {
        const uint32_t before = program->step_of[actor->first_step + i];
        if (program->step[before].kind == PATHS_COME && program->step[before].object == of->object) return before;
    }
    return PATHS_NONE;
}

// --- Steps -----------------------------------------------------------------------------------------------------------

// What a step does to its barrier.
static enum paths_end touch(const struct paths_state *state, uint32_t number, struct paths_barrier *barrier)
{
    const struct paths_step *step = &state->program->step[number];
    switch (step->kind) {
    case PATHS_INIT:
        init(step, barrier);
        return PATHS_DONE;
    case PATHS_INVAL:
        if (!barrier->is_live) return PATHS_LIFE;
        barrier->is_live = 0;
        return PATHS_DONE;
    case PATHS_TRANSACTION:
        return transact(state, step, barrier);
    case PATHS_WAIT:
        return wait_for(state, step, barrier);
    case PATHS_COME:
        return come(state, step, barrier);
    case PATHS_LEAVE: {
        const uint32_t before = come_of(state, number);
        return before != PATHS_NONE && state->phase[before] >= barrier->phases ? PATHS_WAITS : PATHS_DONE;
    }
    default:
        return PATHS_DONE;
    }
}

static bool is_of_cluster(const struct paths_step *step)
{
    return step->kind == PATHS_CLUSTER_COME || step->kind == PATHS_CLUSTER_LEAVE;
}

// At the barrier of the cluster, whose members are those that make their steps together: does the phase go on to which
// they came last? A second arrival waits for its end, too.
static bool is_held(const struct paths_state *state, const struct paths_step *step)
{
    const uint32_t *actor = &state->program->actor_of[step->first_actor];
    for (uint32_t i = 0; i < step->actors; i++)
        if (!cluster_barrier_wait(&state->cluster, (int)actor[i], NULL)) return true;
    return false;
}

static void come_to_cluster(struct paths_state *state, const struct paths_step *step)
{
    const uint32_t *actor = &state->program->actor_of[step->first_actor];
    for (uint32_t i = 0; i < step->actors; i++)
        cluster_barrier_arrive(&state->cluster, (int)actor[i], ORDER_RELEASE, NULL);
}

static void leave(struct paths_state *state, const struct paths_step *step)
{
    const struct paths_program *program = state->program;
    const uint32_t *actor = &program->actor_of[step->first_actor];
    state->exited[step->rank][step->warp] |= step->lanes;
    for (uint32_t i = 0; i < step->actors; i++) cluster_barrier_exit(&state->cluster, (int)actor[i], NULL);
    for (uint32_t i = 0; i < program->objects; i++)
        if (program->object[i].scope == 1 && program->object[i].rank == step->rank && !program->object[i].is_mbarrier)
            complete(state, &program->object[i], &state->barrier[i]);
}

static uint64_t phases_of(const struct paths_state *state, const struct paths_step *step)
{
    if (step->object != PATHS_NONE) return state->barrier[step->object].phases;
    return is_of_cluster(step) ? state->cluster.phases : 0;
}

enum paths_end paths_make(struct paths_state *state, uint32_t step)
{
    const struct paths_program *program = state->program;
    const struct paths_step *of = &program->step[step];
    const uint64_t phases = phases_of(state, of);
    enum paths_end end = is_of_cluster(of) && is_held(state, of) ? PATHS_WAITS : PATHS_DONE;
    if (of->object != PATHS_NONE) end = touch(state, step, &state->barrier[of->object]);
    if (end != PATHS_DONE) return end;
    if (of->kind == PATHS_CLUSTER_COME) come_to_cluster(state, of);
    if (of->kind == PATHS_EXIT) leave(state, of);
    for (uint32_t i = 0; i < of->actors; i++) state->at[program->actor_of[of->first_actor + i]]++;
    state->phase[step] = phases;
    state->done[step] = 1;
    state->left--;
    return PATHS_DONE;
}

bool paths_can(const struct paths_state *state, uint32_t step)
{
    const struct paths_step *of = &state->program->step[step];
    if (is_of_cluster(of)) return !is_held(state, of);
    if (of->object == PATHS_NONE) return true;
    struct paths_barrier barrier = state->barrier[of->object];
    return touch(state, step, &barrier) != PATHS_WAITS;
}

bool paths_commute(const struct paths_state *state, uint32_t one, uint32_t other)
{
    const struct paths_step *a = &state->program->step[one], *b = &state->program->step[other];
    if (paths_is_local(a->kind) || paths_is_local(b->kind)) return true;
    const bool is_a = a->object != PATHS_NONE && state->program->object[a->object].is_mbarrier;
    const bool is_b = b->object != PATHS_NONE && state->program->object[b->object].is_mbarrier;
    if (!is_a || !is_b)
        return is_a != is_b || (a->object != b->object && a->kind != PATHS_EXIT && b->kind != PATHS_EXIT);
    if (a->object != b->object) return true;
    struct paths_barrier there = state->barrier[a->object], back = there;
    const uint64_t phases = there.phases;
    const enum paths_end there_a = touch(state, one, &there);
    const enum paths_end back_b = touch(state, other, &back);
    if (there.phases != phases || back.phases != phases) return false;
    const enum paths_end there_b = touch(state, other, &there);
    const enum paths_end back_a = touch(state, one, &back);
    return there_a == back_a && there_b == back_b && memcmp(&there, &back, sizeof there) == 0;
}

// --- The order of the run --------------------------------------------------------------------------------------------

// Whatever the phase is in the run, is wanted.
static void want(struct paths_program *program, const struct paths_state *state, uint32_t number)
{
    struct paths_step *step = &program->step[number];
    if (step->object == PATHS_NONE) return;
    struct paths_object *object = &program->object[step->object];
    step->wanted = state->barrier[step->object].phases;
    uint64_t waits = step->kind == PATHS_WAIT ? step->wanted : 0;
    if (step->kind == PATHS_COME && !object->is_mbarrier) waits = step->wanted + 1;
    if (waits > object->last_wait) object->last_wait = waits;
}

enum paths_end paths_record(struct paths_program *program, struct paths_state *state, uint32_t *step)
{
    paths_state_begin(state);
    for (*step = 0; *step < program->steps; ++*step) {
        if (!paths_is_next(state, *step)) return PATHS_WAITS;
        want(program, state, *step);
        const enum paths_end end = paths_make(state, *step);
        if (end != PATHS_DONE) return end;
    }
    return PATHS_DONE;
}
