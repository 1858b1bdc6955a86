// SPDX-License-Identifier: MIT
#include "paths_tell.h"

#include <stdio.h>
#include <string.h>

#include "demangle.h"
#include "line.h"
#include "mbarrier_reading.h"

typedef char word[PATHS_LINE_BYTES];

static const char *place_of(const struct paths_set *set, const struct paths_step *step)
{
    const char *place = step->place < set->places.count ? set->places.item[step->place] : NULL;
    return place != NULL ? place : "a place that is not known";
}

static unsigned long long phase_of(const struct paths_object *object, uint64_t phases)
{
    const uint64_t first = object->is_mbarrier ? PATHS_FIRST_PHASE : 0;
    return phases >= first ? phases - first : 0;
}

// "warp 1 of CTA (0,0,0)", with its lanes if not all of the warp's make their steps together.
static void tell_who(const struct paths_program *program, const struct paths_step *step, word text)
{
    const uint32_t *cta = program->cta[step->rank].id;
    int used = 0;
    if (step->operation != 0) used = snprintf(text, sizeof(word), "an asynchronous operation of ");
    if (step->operation == 0 && step->lanes != UINT32_MAX) {
        const uint32_t lane = (uint32_t)__builtin_ctz(step->lanes), count = (uint32_t)__builtin_popcount(step->lanes);
        used = count == 1 ? snprintf(text, sizeof(word), "lane %u of ", lane)
                          : snprintf(text, sizeof(word), "%u lanes of ", count);
    }
    snprintf(text + used, sizeof(word) - (size_t)used, "warp %u of CTA (%u,%u,%u)", step->warp, cta[0], cta[1], cta[2]);
}

// An mbarrier, with its CTA if that is another than the step's.
static void tell_barrier(const struct paths_program *program, const struct paths_step *step, word text)
{
    const struct paths_object *object = &program->object[step->object];
    const uint32_t *cta = program->cta[object->rank].id;
    const int used = snprintf(text, sizeof(word), "%s%s", object->is_mbarrier ? "mbarrier " : "", object->name);
    if (object->is_mbarrier && object->rank != step->rank)
        snprintf(text + used, sizeof(word) - (size_t)used, " of CTA (%u,%u,%u)", cta[0], cta[1], cta[2]);
}

static void tell_transaction(const struct paths_step *step, const char *barrier, word text)
{
    const struct mbarrier_transaction *moves = &step->moves;
    int used = 0;
    text[0] = '\0';
#define ADD(...) used += used < (int)sizeof(word) ? snprintf(text + used, sizeof(word) - (size_t)used, __VA_ARGS__) : 0
    if (moves->arrivals == 1) ADD("arrives at %s", barrier);
    if (moves->arrivals > 1) ADD("arrives at %s, %llu times", barrier, (unsigned long long)moves->arrivals);
    if (moves->arrivals == 0 && moves->complete_bytes > 0)
        ADD("completes %llu bytes at %s", (unsigned long long)moves->complete_bytes, barrier);
    if (moves->arrivals == 0 && moves->complete_bytes == 0)
        ADD("expects %llu bytes at %s", (unsigned long long)moves->expect_bytes, barrier);
    else if (moves->expect_bytes > 0)
        ADD(", and expects %llu bytes", (unsigned long long)moves->expect_bytes);
#undef ADD
}

// What a step is that has no barrier, or one of threads.
static const char *plain_words(const struct paths_step *step)
{
    switch (step->kind) {
    case PATHS_ISSUE:
        return step->count == 1 ? "issues an asynchronous operation" : "issues asynchronous operations";
    case PATHS_JOIN:
        return "meets the other lanes";
    case PATHS_ACCESS:
        return "makes a strong access to memory";
    case PATHS_CLUSTER_COME:
        return "arrives at the barrier of the cluster";
    case PATHS_CLUSTER_LEAVE:
        return "waits at the barrier of the cluster";
    case PATHS_EXIT:
        return "exits";
    default:
        return "";
    }
}

static void tell_what(const struct paths_program *program, const struct paths_step *step, word text)
{
    word barrier = "";
    if (step->object != PATHS_NONE) tell_barrier(program, step, barrier);
    const unsigned long long phase =
        step->object == PATHS_NONE ? 0 : phase_of(&program->object[step->object], step->wanted);
    switch (step->kind) {
    case PATHS_INIT:
        snprintf(text, sizeof(word), "makes %s of %u arrivals", barrier, step->count);
        break;
    case PATHS_INVAL:
        snprintf(text, sizeof(word), "drops %s", barrier);
        break;
    case PATHS_TRANSACTION:
        tell_transaction(step, barrier, text);
        break;
    case PATHS_WAIT:
        if (phase == 0)
            snprintf(text, sizeof(word), "waits for the phase before the first of %s", barrier);
        else
            snprintf(text, sizeof(word), "waits for phase %llu of %s", phase - 1, barrier);
        break;
    case PATHS_COME:
        snprintf(text, sizeof(word), "arrives at %s", barrier);
        break;
    case PATHS_LEAVE:
        snprintf(text, sizeof(word), "waits at %s", barrier);
        break;
    default:
        snprintf(text, sizeof(word), "%s", plain_words(step));
    }
}

void paths_tell_step(const struct paths_set *set, const struct paths_program *program, uint32_t step,
                     struct paths_line *line)
{
    const struct paths_step *of = &program->step[step];
    tell_who(program, of, line->who);
    snprintf(line->at, sizeof line->at, "%s", place_of(set, of));
    tell_what(program, of, line->what);
}

// --- Findings --------------------------------------------------------------------------------------------------------

static void add_line(const struct paths_set *set, const struct paths_program *program, uint32_t step,
                     struct paths_told *told)
{
    struct paths_line line;
    told->of++;
    if (told->waits >= PATHS_MOST_WAITS) return;
    paths_tell_step(set, program, step, &line);
    for (uint32_t i = 0; i < told->waits; i++)
        if (strcmp(told->wait[i].who, line.who) == 0 && strcmp(told->wait[i].at, line.at) == 0 &&
            strcmp(told->wait[i].what, line.what) == 0)
            return;
    told->wait[told->waits++] = line;
}

// What the phase under way of an mbarrier waits for, behind what the wait is.
static void add_missing(const struct paths_state *state, uint32_t step, struct paths_line *line)
{
    const struct paths_step *of = &state->program->step[step];
    static struct line text;
    if (of->kind != PATHS_WAIT) return;
    const struct paths_barrier *barrier = &state->barrier[of->object];
    const struct mbarrier_fields fields = mbarrier_unpack(barrier->word);
    line_start(&text);
    mbarrier_reading(&fields, &text);
    const size_t used = strlen(line->what);
    const unsigned long long phase = phase_of(&state->program->object[of->object], barrier->phases);
    const char *missing = strstr(text.bytes, " waits for ");
    snprintf(line->what + used, sizeof line->what - used, "; phase %llu is under way and%.200s", phase,
             missing != NULL ? missing : "");
}

// The place of a deadlock is that of a wait for an mbarrier, if there is one.
static void tell_deadlock(const struct paths_set *set, const struct paths_state *state, struct paths_told *told)
{
    const struct paths_program *program = state->program;
    enum paths_kind kind = PATHS_EXIT;
    snprintf(told->what, sizeof told->what, "threads wait for ever, in an order of steps that the run did not have");
    for (uint32_t i = 0; i < program->lanes_actors; i++) {
        const struct paths_actor *actor = &program->actor[i];
        if (state->at[i] >= actor->steps) continue;
        const uint32_t step = program->step_of[actor->first_step + state->at[i]], before = told->waits;
        const struct paths_step *of = &program->step[step];
        if (!paths_is_next(state, step) || program->actor_of[of->first_actor] != i) continue;
        add_line(set, program, step, told);
        if (told->waits > before) add_missing(state, step, &told->wait[before]);
        if (told->at[0] == '\0' || (of->kind == PATHS_WAIT && kind != PATHS_WAIT)) {
            snprintf(told->at, sizeof told->at, "%s", place_of(set, of));
            kind = of->kind;
        }
    }
}

// Who came to the phase in the run, and has not come yet.
static void add_late(const struct paths_set *set, const struct paths_state *state, const struct paths_step *step,
                     uint64_t phases, struct paths_told *told)
{
    const struct paths_program *program = state->program;
    for (uint32_t i = 0; i < program->steps; i++) {
        const struct paths_step *of = &program->step[i];
        const bool is_arrival = of->kind == PATHS_TRANSACTION || of->kind == PATHS_COME;
        if (is_arrival && of->object == step->object && of->wanted == phases && !state->done[i])
            add_line(set, program, i, told);
    }
}

static void tell_at_barrier(const struct paths_set *set, const struct paths_state *state,
                            const struct paths_found *found, struct paths_told *told)
{
    const struct paths_program *program = state->program;
    const struct paths_step *step = &program->step[found->step];
    const struct paths_object *object = &program->object[step->object];
    const uint64_t phases = state->barrier[step->object].phases;
    word who, barrier;
    tell_who(program, step, who);
    tell_barrier(program, step, barrier);
    const unsigned long long now = phase_of(object, phases), wanted = phase_of(object, step->wanted);
    const size_t bytes = sizeof told->what;
    if (found->end == PATHS_OVER)
        snprintf(told->what, bytes, "an arrival of %.200s may be too many for phase %llu of %.200s", who, now, barrier);
    if (found->end == PATHS_PHASE)
        snprintf(told->what, bytes, "%.200s may come to phase %llu of %.200s, and comes to phase %llu in the run", who,
                 now, barrier, wanted);
    if (found->end == PATHS_LAP && wanted == 0)
        snprintf(told->what, bytes,
                 "a wait of %.200s for the phase before the first of %.200s may go on behind phase "
                 "%llu",
                 who, barrier, now - 1);
    if (found->end == PATHS_LAP && wanted > 0 && now == 0)
        snprintf(told->what, bytes, "a wait of %.200s for phase %llu of %.200s may go on before the first phase ends",
                 who, wanted - 1, barrier);
    if (found->end == PATHS_LAP && wanted > 0 && now > 0)
        snprintf(told->what, bytes, "a wait of %.200s for phase %llu of %.200s may go on behind phase %llu", who,
                 wanted - 1, barrier, now - 1);
    if (found->end == PATHS_BYTES)
        snprintf(told->what, bytes, "the tx-count of %.200s may leave its range, from %d to %d", barrier,
                 MBARRIER_TX_MIN, MBARRIER_TX_MAX);
    if (found->end == PATHS_LIFE)
        snprintf(told->what, bytes, "%.200s may use %.200s when that is not initialised", who, barrier);
    if (found->end == PATHS_PHASE || found->end == PATHS_OVER) add_late(set, state, step, phases, told);
}

void paths_kernel(const struct paths_set *set, const struct paths_program *program, char name[PATHS_LINE_BYTES])
{
    const char *kernel = program->kernel < set->kernels.count ? set->kernels.item[program->kernel] : NULL;
    name[0] = '\0';
    if (kernel != NULL) demangle_function(kernel, strlen(kernel), name, PATHS_LINE_BYTES);
}

void paths_tell(const struct paths_set *set, const struct paths_program *program, const struct paths_found *found,
                struct paths_told *told)
{
    struct paths_state state;
    *told = (struct paths_told){.waits = 0};
    paths_kernel(set, program, told->kernel);
    if (!paths_state_open(program, &state)) return;
    for (uint32_t i = 0; i < found->steps; i++) paths_make(&state, found->order[i]);
    if (found->end == PATHS_DEADLOCK) {
        tell_deadlock(set, &state, told);
    } else {
        snprintf(told->at, sizeof told->at, "%s", place_of(set, &program->step[found->step]));
        tell_at_barrier(set, &state, found, told);
    }
    paths_state_close(&state);
}
