// SPDX-License-Identifier: MIT
// All orders of a program's steps, but for those that differ only in steps that may change places. The first is that of
// the run. Where none of its pairs is open, no other differs, and all is said. Else each open pair is turned round, the
// first ones first, because they give the shortest answers; and where that finds nothing, all orders are searched with
// source sets and sleep sets (Abdulla et al., POPL 2014), as explore_all.c does it with runs.
#include <stdlib.h>
#include <string.h>

#include "paths_trace.h"
#include "progress.h"

enum { MOST_PROBES = 512, MOST_SHORTENING = 50000000 };

// What is known of the choice at one place of the order. vain: of those that were tried, those that could not be made.
struct node {
    struct paths_list wanted, tried, vain, asleep;
};

// low: no step before it in the run's order is left
struct search {
    struct paths_program *program;
    struct paths_state state;
    struct paths_trace trace;
    struct node *node;
    struct paths_found *found;
    uint64_t most;
    double until;
    uint32_t low;
    bool is_short;
};

// --- Making an order -------------------------------------------------------------------------------------------------

static void begin(struct search *search)
{
    paths_state_begin(&search->state);
    search->trace.steps = 0;
    search->low = 0;
}

// The first step of the run's order that is left.
static uint32_t first_left(struct search *search)
{
    while (search->low < search->program->steps && search->state.done[search->low]) search->low++;
    return search->low;
}

// Makes a step that is next; whatever comes of it but DONE and WAITS is found.
static enum paths_end make(struct search *search, uint32_t step)
{
    const enum paths_end end = paths_make(&search->state, step);
    search->found->made += end != PATHS_WAITS;
    if (end == PATHS_DONE) search->trace.step[search->trace.steps++] = step;
    if (end <= PATHS_WAITS) return end;
    search->found->end = end;
    search->found->step = step;
    return end;
}

static bool is_over(const struct search *search)
{
    return search->found->end != PATHS_DONE || search->found->made >= search->most || search->is_short ||
           search->trace.is_short || (search->until > 0 && seconds_now() >= search->until);
}

// Makes the first step of the run's order that can be made and is not in `asleep` (NULL: none is). 0: there is none.
static bool make_any(struct search *search, const struct paths_list *asleep, int *sleeps)
{
    for (uint32_t i = first_left(search); i < search->program->steps; i++) {
        if (!paths_is_next(&search->state, i)) continue;
        if (asleep != NULL && paths_list_has(asleep, i)) {
            *sleeps = 1;
            continue;
        }
        if (make(search, i) != PATHS_WAITS) return true;
    }
    return false;
}

// Makes what is left, in the order of the run where that can be.
static void make_rest(struct search *search)
{
    int sleeps = 0;
    while (!is_over(search) && search->state.left > 0)
        if (!make_any(search, NULL, &sleeps)) search->found->end = PATHS_DEADLOCK;
}

// --- Turning one pair round ------------------------------------------------------------------------------------------

// The order up to a pair, without the first of it and what comes behind that; then the later one, and the rest.
static void try_race(struct search *search, const uint32_t *order, struct paths_race race)
{
    const uint32_t last = race.later;
    uint32_t *kept = malloc((last + 1u) * sizeof *kept), count = 0;
    search->is_short |= kept == NULL;
    if (kept == NULL) return;
    for (uint32_t i = 0; i <= last; i++)
        if (i < race.first || i == last || (i > race.first && !paths_trace_is_before(&search->trace, race.first, i)))
            kept[count++] = order[i];
    begin(search);
    for (uint32_t i = 0; i < count && !is_over(search); i++)
        if (paths_is_next(&search->state, kept[i])) make(search, kept[i]);
    make_rest(search);
    search->found->tried++;
    if (search->found->end != PATHS_DONE) {
        search->found->first = order[race.first];
        search->found->later = order[race.later];
    }
    free(kept);
}

// The races of the order of the run, the first ones first. The trace stays that order's.
static void try_races(struct search *search)
{
    const uint32_t steps = search->trace.steps;
    uint32_t *order = malloc((steps + 1u) * sizeof *order);
    search->is_short |= order == NULL;
    if (order == NULL) return;
    memcpy(order, search->trace.step, steps * sizeof *order);
    for (uint32_t i = 0; i < search->trace.races && i < MOST_PROBES && !is_over(search); i++)
        try_race(search, order, search->trace.race[i]);
    free(order);
}

// --- All orders ------------------------------------------------------------------------------------------------------

static void add(struct search *search, struct paths_list *list, uint32_t step)
{
    if (!paths_list_has(list, step)) search->is_short |= !paths_list_add(list, step);
}

// Is the step at `place` the first of what behind `from` does not come after it, in some order?
static bool is_initial(const struct search *search, uint32_t from, uint32_t place)
{
    for (uint32_t i = from + 1; i < place; i++)
        if (!paths_trace_is_before(&search->trace, from, i) && paths_trace_is_before(&search->trace, i, place))
            return false;
    return true;
}

// The later one of the pair is to come first: a step that can begin that is wanted.
static void want(struct search *search, struct paths_race race)
{
    struct node *node = &search->node[race.first];
    uint32_t chosen = PATHS_NONE;
    for (uint32_t i = race.first + 1; i <= race.later; i++) {
        const uint32_t step = search->trace.step[i];
        if ((i < race.later && paths_trace_is_before(&search->trace, race.first, i)) ||
            !is_initial(search, race.first, i) || paths_list_has(&node->vain, step))
            continue;
        if (paths_list_has(&node->tried, step) || paths_list_has(&node->wanted, step) ||
            paths_list_has(&node->asleep, step))
            return;
        if (chosen == PATHS_NONE) chosen = step;
    }
    if (chosen != PATHS_NONE) add(search, &node->wanted, chosen);
}

static void want_all(struct search *search)
{
    paths_trace_order(&search->trace);
    for (uint32_t i = 0; i < search->trace.races; i++) want(search, search->trace.race[i]);
}

// Who is asleep behind the step: who is before it, or was tried in its place, and may change places with it.
static void sleep_behind(struct search *search, struct node *node, uint32_t step, struct paths_list *asleep)
{
    asleep->count = 0;
    for (uint32_t i = 0; i < node->asleep.count + node->tried.count; i++) {
        const uint32_t other = i < node->asleep.count ? node->asleep.item[i] : node->tried.item[i - node->asleep.count];
        if (other != step && !paths_list_has(&node->vain, other) && paths_commute(&search->state, other, step))
            add(search, asleep, other);
    }
}

static void clear_node(struct node *node)
{
    node->wanted.count = node->tried.count = node->vain.count = node->asleep.count = 0;
}

// A step at the end of the order. What sleeps behind it is the next node's.
static enum paths_end choose(struct search *search, uint32_t step)
{
    const uint32_t place = search->trace.steps;
    struct node *node = &search->node[place];
    struct paths_list asleep = {NULL, 0, 0};
    if (node->asleep.count + node->tried.count > 0) sleep_behind(search, node, step, &asleep);
    const enum paths_end end = make(search, step);
    add(search, &node->tried, step);
    if (end == PATHS_DONE) {
        clear_node(&search->node[place + 1]);
        for (uint32_t i = 0; i < asleep.count; i++) add(search, &search->node[place + 1].asleep, asleep.item[i]);
    }
    paths_list_free(&asleep);
    return end;
}

// The first step that can be made here and is not asleep; PATHS_NONE: there is none, and *sleeps if one sleeps.
static uint32_t choice(struct search *search, int *sleeps)
{
    const struct paths_list *asleep = &search->node[search->trace.steps].asleep;
    *sleeps = 0;
    for (uint32_t i = first_left(search); i < search->program->steps; i++) {
        if (!paths_is_next(&search->state, i)) continue;
        if (!paths_can(&search->state, i)) continue;
        if (!paths_list_has(asleep, i)) return i;
        *sleeps = 1;
    }
    return PATHS_NONE;
}

// Makes an order to its end, or until all that can be made is asleep: then another order has it.
static void choose_rest(struct search *search)
{
    while (!is_over(search) && search->state.left > 0) {
        int sleeps;
        const uint32_t step = choice(search, &sleeps);
        if (step == PATHS_NONE && sleeps) return;
        if (step == PATHS_NONE)
            search->found->end = PATHS_DEADLOCK;
        else
            choose(search, step);
    }
}

// The deepest place at which a step is wanted that was not tried; the step. PATHS_NONE: none is left.
static uint32_t next_choice(const struct search *search, uint32_t *place)
{
    for (uint32_t i = search->trace.steps + 1; i-- > 0;) {
        const struct node *node = &search->node[i];
        for (uint32_t j = 0; j < node->wanted.count; j++)
            if (!paths_list_has(&node->tried, node->wanted.item[j])) {
                *place = i;
                return node->wanted.item[j];
            }
    }
    return PATHS_NONE;
}

// The order up to `place` again.
static void rewind_to(struct search *search, uint32_t place)
{
    begin(search);
    for (uint32_t i = 0; i < place; i++) paths_make(&search->state, search->trace.step[i]);
    search->found->made += place;
    search->trace.steps = place;
}

// The trace is at the end of the order of the run, whose open pairs are known.
static void search_all(struct search *search)
{
    uint32_t place, step;
    for (uint32_t i = 0; i < search->trace.steps; i++) add(search, &search->node[i].tried, search->trace.step[i]);
    want_all(search);
    while (!is_over(search) && (step = next_choice(search, &place)) != PATHS_NONE) {
        rewind_to(search, place);
        if (!paths_is_next(&search->state, step) || !paths_can(&search->state, step)) {
            add(search, &search->node[place].tried, step);
            add(search, &search->node[place].vain, step);
            continue;
        }
        choose(search, step);
        choose_rest(search);
        search->found->tried++;
        if (!is_over(search)) want_all(search);
    }
    search->found->is_whole = !is_over(search);
}

// --- What a finding needs --------------------------------------------------------------------------------------------

// Does the order without the entry `left_out` end in the same finding?
static bool ends_so(struct paths_state *state, const struct paths_found *found, uint32_t left_out)
{
    paths_state_begin(state);
    for (uint32_t i = 0; i < found->steps; i++) {
        if (i == left_out) continue;
        if (!paths_is_next(state, found->order[i]) || paths_make(state, found->order[i]) != PATHS_DONE) return false;
    }
    return paths_is_next(state, found->step) && paths_make(state, found->step) == found->end;
}

void paths_shorten(const struct paths_program *program, struct paths_found *found)
{
    struct paths_state state;
    uint64_t made = 0;
    if (found->step == PATHS_NONE || found->order == NULL || !paths_state_open(program, &state)) return;
    for (uint32_t i = found->steps; i-- > 0 && made < MOST_SHORTENING; made += found->steps) {
        if (!ends_so(&state, found, i)) continue;
        memmove(&found->order[i], &found->order[i + 1], (found->steps - i - 1) * sizeof *found->order);
        found->steps--;
    }
    paths_state_close(&state);
}

// --- The whole -------------------------------------------------------------------------------------------------------

static void repeat_run(struct search *search)
{
    begin(search);
    for (uint32_t i = 0; i < search->program->steps; i++) make(search, i);
}

static bool keep_order(struct search *search)
{
    struct paths_found *found = search->found;
    found->steps = search->trace.steps;
    found->order = malloc((found->steps + 1u) * sizeof *found->order);
    if (found->order != NULL) memcpy(found->order, search->trace.step, found->steps * sizeof *found->order);
    return found->order != NULL;
}

// Does the step come behind a strong access that nothing else orders before it?
static bool is_held(const struct search *search, uint32_t step)
{
    const struct paths_program *program = search->program;
    const struct paths_step *of = &program->step[step];
    for (uint32_t i = 0; i < of->afters; i++) {
        const uint32_t after = program->after[of->first_after + i];
        if (program->step[after].kind == PATHS_ACCESS && !paths_trace_is_before(&search->trace, after, step))
            return true;
    }
    return false;
}

// The trace is that of the run. If without what strong accesses hold no pair is open, all orders have the accesses that
// barriers order as the run had them.
static void count_held(struct search *search)
{
    struct paths_program *program = search->program;
    if (program->held == 0) return;
    search->trace.is_free = true;
    paths_trace_order(&search->trace);
    search->trace.is_free = false;
    if (search->trace.races > 0 || search->trace.is_short) return;
    program->held = 0;
    for (uint32_t i = 0; i < program->steps; i++) program->held += (uint32_t)is_held(search, i);
}

static void search_program(struct search *search)
{
    struct paths_found *found = search->found;
    found->end = paths_record(search->program, &search->state, &found->step);
    found->made = search->program->steps;
    found->tried = 1;
    for (uint32_t i = 0; i < found->step; i++) search->trace.step[search->trace.steps++] = i;
    if (found->end != PATHS_DONE) return;
    found->step = PATHS_NONE;
    count_held(search);
    paths_trace_order(&search->trace);
    found->races = search->trace.races;
    found->is_whole = found->races == 0 && !search->trace.is_short;
    if (found->is_whole) return;
    try_races(search);
    if (is_over(search)) return;
    repeat_run(search);
    search_all(search);
}

bool paths_search(struct paths_program *program, uint64_t most, double until, struct paths_found *found,
                  struct text *why)
{
    struct search search = {.program = program, .found = found, .most = most, .until = until};
    *found = (struct paths_found){.end = PATHS_DONE, .step = PATHS_NONE, .first = PATHS_NONE, .later = PATHS_NONE};
    search.node = calloc(program->steps + 2u, sizeof *search.node);
    bool ok = search.node != NULL && paths_state_open(program, &search.state) &&
              paths_trace_open(program, &search.state, &search.trace);
    if (ok) search_program(&search);
    ok = ok && !search.is_short && !search.trace.is_short && keep_order(&search);
    for (uint32_t i = 0; search.node != NULL && i < program->steps + 2u; i++) {
        paths_list_free(&search.node[i].wanted);
        paths_list_free(&search.node[i].tried);
        paths_list_free(&search.node[i].vain);
        paths_list_free(&search.node[i].asleep);
    }
    free(search.node);
    paths_trace_close(&search.trace);
    paths_state_close(&search.state);
    return ok || text_fail(why, "there is no memory for a search of %u steps", program->steps);
}
