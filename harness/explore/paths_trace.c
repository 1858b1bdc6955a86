// SPDX-License-Identifier: MIT
// Each step has a vector clock: how many steps of each chain come before it. A chain is what one group of lanes does,
// or operations that follow each other at one barrier. What synchronises is what the run shows: an operation is behind
// its issue, and whoever leaves a phase is behind all that arrived in it.
//
// Steps of one phase of a barrier may change places. So these pairs alone are open, where nothing else orders them: an
// arrival and one of the phase before it; a wait and the end of the phase behind the one that it saw; a wait and the
// end of the phase two before it, which has the same parity; expect_tx and an arrival that may complete the phase
// without it; and what makes or drops a barrier with all else.
#include "paths_trace.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RACES = 1 << 20 };

// What comes before a place: of chain i, clock[i] steps, of those that are known to the clock.
struct clock {
    uint32_t chains, users, at[];
};

struct paths_mark {
    uint32_t chain, index;
    struct clock *clock;
};

// Of a barrier, places: transactions or arrivals of its phases, now, before and older; waits that saw `before`
// complete, and those that saw `older`. slot: the last of each chain of operations.
struct paths_past {
    uint64_t phases;
    uint32_t made;
    struct paths_list now, before, older, waits, waits_before, slot, all;
};

// --- Lists -----------------------------------------------------------------------------------------------------------

static void add(struct paths_trace *trace, struct paths_list *list, uint32_t item)
{
    trace->is_short |= !paths_list_add(list, item);
}

// The list takes what the other has, which is empty then.
static void move(struct paths_list *to, struct paths_list *from)
{
    const struct paths_list old = *to;
    *to = *from;
    *from = old;
    from->count = 0;
}

// --- Clocks ----------------------------------------------------------------------------------------------------------

static void drop_clock(struct clock *clock)
{
    if (clock != NULL && --clock->users == 0) free(clock);
}

static void add_race(struct paths_trace *trace, uint32_t first, uint32_t later)
{
    if (trace->races >= MOST_RACES) return;
    if (trace->races == trace->race_room) {
        const uint32_t room = trace->race_room * 2 + 16;
        struct paths_race *more = realloc(trace->race, room * sizeof *more);
        trace->is_short |= more == NULL;
        if (more == NULL) return;
        trace->race = more;
        trace->race_room = room;
    }
    trace->race[trace->races++] = (struct paths_race){first, later};
}

// The place that is marked now. own: its chain, PATHS_NONE: that is yet to be found; has_changed: its clock is not that
// of the place before it in the chain.
struct marking {
    struct paths_trace *trace;
    uint32_t place, own;
    bool has_changed;
};

static bool is_behind(const struct marking *marking, uint32_t place)
{
    const struct paths_mark *mark = &marking->trace->mark[place];
    return mark->chain == marking->own || marking->trace->now[mark->chain] >= mark->index;
}

// The place is behind `place`, too.
static void join(struct marking *marking, uint32_t place)
{
    struct paths_trace *trace = marking->trace;
    const struct paths_mark *mark = &trace->mark[place];
    if (is_behind(marking, place)) return;
    for (uint32_t i = 0; mark->clock != NULL && i < mark->clock->chains; i++)
        if (mark->clock->at[i] > trace->now[i]) trace->now[i] = mark->clock->at[i];
    trace->now[mark->chain] = mark->index;
    marking->has_changed = true;
}

static void join_all(struct marking *marking, const struct paths_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) join(marking, list->item[i]);
}

// It is behind all of these, but nothing has to make it so.
static void race_all(struct marking *marking, const struct paths_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (!is_behind(marking, list->item[i])) add_race(marking->trace, list->item[i], marking->place);
    join_all(marking, list);
}

static void race_made(struct marking *marking, const struct paths_past *past)
{
    const struct paths_list made = {&(uint32_t){past->made}, past->made != PATHS_NONE, 1};
    race_all(marking, &made);
}

bool paths_trace_is_before(const struct paths_trace *trace, uint32_t a, uint32_t b)
{
    const struct paths_mark *first = &trace->mark[a], *later = &trace->mark[b];
    if (first->chain == later->chain) return first->index <= later->index;
    return later->clock != NULL && first->chain < later->clock->chains &&
           later->clock->at[first->chain] >= first->index;
}

// --- Phases ----------------------------------------------------------------------------------------------------------

static const struct paths_step *step_at(const struct paths_trace *trace, uint32_t place)
{
    return &trace->program->step[trace->step[place]];
}

static void race_apart(struct paths_trace *trace, uint32_t a, uint32_t b)
{
    const uint32_t first = a < b ? a : b, later = a < b ? b : a;
    if (first != later && !paths_trace_is_before(trace, first, later)) add_race(trace, first, later);
}

// A transaction that brings no arrival, and that no arrival waits for: the phase might be told without it.
static bool is_loose(const struct paths_trace *trace, const struct paths_past *past, uint32_t place)
{
    if (step_at(trace, place)->moves.arrivals > 0) return false;
    for (uint32_t i = 0; i < past->now.count; i++) {
        const uint32_t other = past->now.item[i];
        if (other > place && step_at(trace, other)->moves.arrivals > 0 && paths_trace_is_before(trace, place, other))
            return false;
    }
    return true;
}

// Might the phase complete without some of its bytes, when all have arrived? Not if it does complete, and all that is
// loose brings bytes: those that are expected would be missing.
static void check_loose(struct paths_trace *trace, const struct paths_past *past, bool completes)
{
    const struct paths_list *now = &past->now;
    bool is_open = !completes;
    for (uint32_t i = 0; i < now->count && !is_open; i++) {
        const struct mbarrier_transaction *moves = &step_at(trace, now->item[i])->moves;
        is_open = (moves->complete_bytes == 0 || moves->expect_bytes > 0) && is_loose(trace, past, now->item[i]);
    }
    for (uint32_t i = 0; i < now->count && is_open; i++)
        for (uint32_t j = 0; j < now->count && is_loose(trace, past, now->item[i]); j++)
            race_apart(trace, now->item[i], now->item[j]);
}

// Could the bytes of the phase leave the range of the tx-count in another order?
static void check_bytes(struct paths_trace *trace, const struct paths_past *past)
{
    uint64_t expected = 0, completed = 0;
    for (uint32_t i = 0; i < past->now.count; i++) {
        const struct mbarrier_transaction *moves = &step_at(trace, past->now.item[i])->moves;
        expected += moves->expect_bytes;
        completed += moves->complete_bytes;
    }
    if (expected <= (uint64_t)MBARRIER_TX_MAX && completed <= (uint64_t)-MBARRIER_TX_MIN) return;
    for (uint32_t i = 0; i < past->now.count; i++)
        for (uint32_t j = i + 1; j < past->now.count; j++) race_apart(trace, past->now.item[i], past->now.item[j]);
}

// Who comes to a barrier of threads says how many it waits for. Where they differ, the last one decides.
static void check_threads(struct paths_trace *trace, const struct paths_past *past)
{
    for (uint32_t i = 0; i < past->now.count; i++)
        for (uint32_t j = i + 1; j < past->now.count; j++)
            if (step_at(trace, past->now.item[i])->threads != step_at(trace, past->now.item[j])->threads)
                race_apart(trace, past->now.item[i], past->now.item[j]);
}

// A wait that saw the phase before, and the end of this one.
static void check_wait(struct paths_trace *trace, const struct paths_past *past, uint32_t wait)
{
    for (uint32_t i = 0; i < past->now.count; i++)
        if (past->now.item[i] > wait && paths_trace_is_before(trace, wait, past->now.item[i])) return;
    if (past->now.count > 0) add_race(trace, wait, past->now.item[past->now.count - 1]);
}

// The phase under way has completed.
static void turn(struct paths_trace *trace, uint32_t object, struct paths_past *past)
{
    if (trace->program->object[object].is_mbarrier) {
        check_loose(trace, past, true);
        for (uint32_t i = 0; i < past->waits.count; i++) check_wait(trace, past, past->waits.item[i]);
        check_bytes(trace, past);
    } else {
        check_threads(trace, past);
    }
    past->phases++;
    move(&past->older, &past->before);
    move(&past->before, &past->now);
    move(&past->waits_before, &past->waits);
}

// --- Steps -----------------------------------------------------------------------------------------------------------

// It is made or dropped: all that was done to it before comes first.
static void mark_life(struct marking *marking, struct paths_past *past, uint64_t phases)
{
    race_made(marking, past);
    race_all(marking, &past->now);
    race_all(marking, &past->before);
    race_all(marking, &past->waits);
    join_all(marking, &past->waits_before);
    past->now.count = past->before.count = past->older.count = past->waits.count = past->waits_before.count = 0;
    past->made = marking->place;
    past->phases = phases;
}

static void mark_transaction(struct marking *marking, struct paths_past *past)
{
    race_made(marking, past);
    race_all(marking, &past->before);
    join_all(marking, &past->waits_before);
    add(marking->trace, &past->now, marking->place);
}

static void mark_wait(struct marking *marking, struct paths_past *past)
{
    race_made(marking, past);
    race_all(marking, &past->older);
    join_all(marking, &past->before);
    join_all(marking, &past->waits_before);
    add(marking->trace, &past->waits, marking->place);
}

static void mark_come(struct marking *marking, struct paths_past *past)
{
    race_all(marking, &past->before);
    add(marking->trace, &past->now, marking->place);
    add(marking->trace, &past->all, marking->place);
}

// Those that did not come to the phase have exited before it completed. `came`: the places of those that did.
static void join_exits(struct marking *marking, const struct paths_list *came, uint64_t phase, bool is_cluster)
{
    const struct paths_trace *trace = marking->trace;
    const struct paths_step *own = step_at(trace, marking->place);
    for (uint32_t i = 0; i < trace->exits.count; i++) {
        const struct paths_step *exit = step_at(trace, trace->exits.item[i]);
        bool has_come = !is_cluster && exit->rank != own->rank;
        for (uint32_t j = came->count; j-- > 0 && !has_come;) {
            const struct paths_step *come = step_at(trace, came->item[j]);
            if (trace->state->phase[trace->step[came->item[j]]] < phase) break;
            has_come = come->rank == exit->rank && come->warp == exit->warp && (come->lanes & exit->lanes) != 0 &&
                       trace->state->phase[trace->step[came->item[j]]] == phase;
        }
        if (!has_come) join(marking, trace->exits.item[i]);
    }
}

// Of the places in `came`, which are in the order of phases, those of the phase that the own lanes came to last.
static void mark_leave(struct marking *marking, const struct paths_list *came, bool is_cluster)
{
    const struct paths_trace *trace = marking->trace;
    const struct paths_step *own = step_at(trace, marking->place);
    uint32_t last = came->count;
    while (last > 0) {
        const struct paths_step *come = step_at(trace, came->item[last - 1]);
        if (come->rank == own->rank && come->warp == own->warp && (come->lanes & own->lanes) != 0) break;
        last--;
    }
    if (last == 0) return;
    const uint64_t phase = trace->state->phase[trace->step[came->item[last - 1]]];
    uint32_t threads = 0;
    for (uint32_t i = came->count; i-- > 0;) {
        const uint64_t other = trace->state->phase[trace->step[came->item[i]]];
        if (other < phase) break;
        if (other != phase) continue;
        threads = step_at(trace, came->item[i])->threads;
        join(marking, came->item[i]);
    }
    if (is_cluster || threads == 0) join_exits(marking, came, phase, is_cluster);
}

static void mark_object(struct marking *marking, const struct paths_step *step)
{
    struct paths_trace *trace = marking->trace;
    struct paths_past *past = &trace->past[step->object];
    const uint64_t phases = trace->state->phase[trace->step[marking->place]];
    while (past->phases < phases && step->kind != PATHS_INIT) turn(trace, step->object, past);
    switch (step->kind) {
    case PATHS_INIT:
        mark_life(marking, past, (phases + PATHS_FIRST_PHASE) & ~UINT64_C(1));
        break;
    case PATHS_INVAL:
        mark_life(marking, past, phases);
        break;
    case PATHS_TRANSACTION:
        mark_transaction(marking, past);
        break;
    case PATHS_WAIT:
        mark_wait(marking, past);
        break;
    case PATHS_COME:
        mark_come(marking, past);
        break;
    default:
        mark_leave(marking, &past->all, false);
    }
}

// What an operation does is behind the last of its kind at the barrier, if that comes first in any order: one chain.
static uint32_t chain_of_operation(struct marking *marking, const struct paths_step *step)
{
    struct paths_trace *trace = marking->trace;
    struct paths_list *slot = &trace->past[step->object].slot;
    for (uint32_t i = 0; i < slot->count; i++)
        if (is_behind(marking, slot->item[i])) {
            const uint32_t chain = trace->mark[slot->item[i]].chain;
            slot->item[i] = marking->place;
            return chain;
        }
    add(trace, slot, marking->place);
    return trace->chains++;
}

static bool has_room(struct paths_trace *trace)
{
    if (trace->chains < trace->chain_room) return true;
    const uint32_t room = trace->chain_room * 2 + 64;
    uint32_t *now = realloc(trace->now, room * sizeof *now);
    if (now != NULL) trace->now = now;
    uint32_t *counts = now == NULL ? NULL : realloc(trace->counts, room * sizeof *counts);
    if (counts != NULL) trace->counts = counts;
    trace->is_short |= counts == NULL;
    if (counts == NULL) return false;
    memset(now + trace->chain_room, 0, (room - trace->chain_room) * sizeof *now);
    memset(counts + trace->chain_room, 0, (room - trace->chain_room) * sizeof *counts);
    trace->chain_room = room;
    return true;
}

// The clock of the place: that of the one before it in the chain, if it is the same.
static struct clock *keep_clock(struct marking *marking, struct clock *before)
{
    struct paths_trace *trace = marking->trace;
    if (!marking->has_changed && before != NULL) {
        before->users++;
        return before;
    }
    struct clock *clock = malloc(sizeof *clock + trace->chains * sizeof *clock->at);
    trace->is_short |= clock == NULL;
    if (clock == NULL) return NULL;
    *clock = (struct clock){.chains = trace->chains, .users = 1};
    memcpy(clock->at, trace->now, trace->chains * sizeof *clock->at);
    return clock;
}

// Begins the clock: that of the place before it in the chain, which is the answer; NULL: there is none.
static struct clock *begin_clock(struct marking *marking, const struct paths_step *step)
{
    struct paths_trace *trace = marking->trace;
    const uint32_t *actor = &trace->program->actor_of[step->first_actor];
    const uint32_t last = step->operation == 0 ? trace->last[actor[0]] : PATHS_NONE;
    memset(trace->now, 0, trace->chains * sizeof *trace->now);
    if (last == PATHS_NONE) return NULL;
    struct clock *clock = trace->mark[last].clock;
    if (trace->mark[last].chain != marking->own) {
        join(marking, last);
        return NULL;
    }
    if (clock != NULL) memcpy(trace->now, clock->at, clock->chains * sizeof *clock->at);
    return clock;
}

static void mark_step(struct paths_trace *trace, uint32_t place)
{
    const struct paths_step *step = step_at(trace, place);
    const uint32_t *actor = &trace->program->actor_of[step->first_actor];
    struct marking marking = {trace, place, step->operation == 0 ? actor[0] : PATHS_NONE, false};
    struct clock *before = begin_clock(&marking, step);
    for (uint32_t i = 0; i < step->actors; i++)
        if (trace->last[actor[i]] != PATHS_NONE) join(&marking, trace->last[actor[i]]);
    for (uint32_t i = 0; i < step->afters; i++) {
        const uint32_t after = trace->program->after[step->first_after + i];
        if (!trace->is_free || trace->program->step[after].kind != PATHS_ACCESS) join(&marking, trace->place[after]);
    }
    if (step->operation != 0) marking.own = chain_of_operation(&marking, step);
    trace->mark[place] = (struct paths_mark){marking.own, ++trace->counts[marking.own], NULL};
    if (step->object != PATHS_NONE) mark_object(&marking, step);
    if (step->kind == PATHS_CLUSTER_COME) add(trace, &trace->come, place);
    if (step->kind == PATHS_CLUSTER_LEAVE) mark_leave(&marking, &trace->come, true);
    if (step->kind == PATHS_EXIT) add(trace, &trace->exits, place);
    trace->mark[place].clock = keep_clock(&marking, before);
    trace->place[trace->step[place]] = place;
    for (uint32_t i = 0; i < step->actors; i++) trace->last[actor[i]] = place;
    trace->marked = place + 1;
}

// --- An order --------------------------------------------------------------------------------------------------------

static void forget(struct paths_trace *trace)
{
    for (uint32_t i = 0; i < trace->marked; i++) drop_clock(trace->mark[i].clock);
    trace->marked = trace->races = 0;
    trace->chains = trace->program->lanes_actors;
    trace->come.count = trace->exits.count = 0;
    for (uint32_t i = 0; i < trace->program->objects; i++) {
        struct paths_past *past = &trace->past[i];
        past->phases = 0;
        past->made = PATHS_NONE;
        past->now.count = past->before.count = past->older.count = past->all.count = past->slot.count = 0;
        past->waits.count = past->waits_before.count = 0;
    }
    for (uint32_t i = 0; i < trace->program->actors; i++) trace->last[i] = PATHS_NONE;
    if (has_room(trace)) memset(trace->counts, 0, trace->chain_room * sizeof *trace->counts);
}

static int by_place(const void *one, const void *other)
{
    const struct paths_race *a = one, *b = other;
    return a->first != b->first ? (a->first > b->first) - (a->first < b->first)
                                : (a->later > b->later) - (a->later < b->later);
}

// The last phase of a barrier has completed, or has not: it might in another order, if all have arrived.
static void end_barrier(struct paths_trace *trace, uint32_t object)
{
    struct paths_past *past = &trace->past[object];
    const struct paths_barrier *barrier = &trace->state->barrier[object];
    if (past->phases < barrier->phases && past->now.count > 0) {
        turn(trace, object, past);
        return;
    }
    if (!trace->program->object[object].is_mbarrier) check_threads(trace, past);
    if (!trace->program->object[object].is_mbarrier || mbarrier_unpack(barrier->word).pending > 0) return;
    check_loose(trace, past, false);
    check_bytes(trace, past);
}

void paths_trace_order(struct paths_trace *trace)
{
    forget(trace);
    for (uint32_t i = 0; i < trace->steps && has_room(trace) && !trace->is_short; i++) mark_step(trace, i);
    for (uint32_t i = 0; i < trace->program->objects && !trace->is_short; i++) end_barrier(trace, i);
    if (trace->races > 0) qsort(trace->race, trace->races, sizeof *trace->race, by_place);
}

bool paths_trace_open(const struct paths_program *program, const struct paths_state *state, struct paths_trace *trace)
{
    *trace = (struct paths_trace){.program = program, .state = state};
    trace->chains = trace->chain_room = 0;
    trace->step = malloc((program->steps + 1u) * sizeof *trace->step);
    trace->place = malloc((program->steps + 1u) * sizeof *trace->place);
    trace->mark = calloc(program->steps + 1u, sizeof *trace->mark);
    trace->past = calloc(program->objects + 1u, sizeof *trace->past);
    trace->last = malloc((program->actors + 1u) * sizeof *trace->last);
    while (trace->chain_room <= program->lanes_actors && !trace->is_short) {
        trace->chains = trace->chain_room;
        has_room(trace);
    }
    const bool ok = !trace->is_short && trace->step != NULL && trace->place != NULL && trace->mark != NULL &&
                    trace->past != NULL && trace->last != NULL;
    if (!ok) paths_trace_close(trace);
    return ok;
}

void paths_trace_close(struct paths_trace *trace)
{
    for (uint32_t i = 0; i < trace->marked; i++) drop_clock(trace->mark[i].clock);
    for (uint32_t i = 0; trace->past != NULL && i < trace->program->objects; i++) {
        struct paths_past *past = &trace->past[i];
        struct paths_list *list[] = {&past->now,          &past->before, &past->older, &past->waits,
                                     &past->waits_before, &past->slot,   &past->all};
        for (size_t j = 0; j < sizeof list / sizeof *list; j++) paths_list_free(list[j]);
    }
    paths_list_free(&trace->come);
    paths_list_free(&trace->exits);
    free(trace->step);
    free(trace->place);
    free(trace->mark);
    free(trace->past);
    free(trace->last);
    free(trace->race);
    free(trace->now);
    free(trace->counts);
    *trace = (struct paths_trace){.steps = 0};
}
