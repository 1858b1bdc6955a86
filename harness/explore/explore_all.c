// SPDX-License-Identifier: MIT
// Every order of the steps of a program, but for those that differ only in steps that may change places. The program
// runs again for each, with the first choices given. A run shows where two steps could have come the other way round:
// there the later one becomes another choice (source sets; Abdulla et al., POPL 2014). Who has been chosen at a place
// is asleep in what follows another choice there, until a step comes that may not change places with its own.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "array.h"
#include "explore_search.h"
#include "explore_turns.h"

enum { NOBODY = UINT32_MAX, PATH_BYTES = 512 };

// Somebody's step, which may not have come: it was in vain.
struct made {
    struct turns_step step;
    bool is_vain;
};
struct list {
    struct made *item;
    uint32_t count;
};

// What is known of the choice behind as many steps.
//   chosen   in the last run
//   wanted   those that have to be tried; tried: those that were; asleep: those that need not be
//   may      who may have a step there
struct node {
    uint32_t chosen, wants, mays;
    uint32_t *wanted, *may;
    struct list tried, asleep;
};

// before: of each step, and each actor, how many steps of the run up to its last one come before that step in any order
struct all {
    struct search *search;
    struct turns_actors actors;
    struct turns_run run;
    struct node *node;
    uint32_t nodes, *before, outcomes;
    uint64_t *outcome;
    bool is_short; // of memory
    char told[PATH_BYTES];
};

// --- Lists -----------------------------------------------------------------------------------------------------------

static void add_made(struct all *all, struct list *list, const struct turns_step *step, bool is_vain)
{
    struct made made = {turns_step_copy(step), is_vain};
    if (ARRAY_ADD(list->item, list->count, made)) return;
    turns_step_free(&made.step);
    all->is_short = true;
}

static const struct made *find_made(const struct list *list, uint32_t actor)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->item[i].step.actor == actor) return &list->item[i];
    return NULL;
}

static void free_list(struct list *list)
{
    for (uint32_t i = 0; i < list->count; i++) turns_step_free(&list->item[i].step);
    free(list->item);
    *list = (struct list){NULL, 0};
}

static bool is_wanted(const struct node *node, uint32_t actor)
{
    for (uint32_t i = 0; i < node->wants; i++)
        if (node->wanted[i] == actor) return true;
    return false;
}

static void want(struct all *all, struct node *node, uint32_t actor)
{
    if (!ARRAY_ADD(node->wanted, node->wants, actor)) all->is_short = true;
}

static void drop_nodes(struct all *all, uint32_t nodes)
{
    while (all->nodes > nodes) {
        struct node *node = &all->node[--all->nodes];
        free(node->wanted);
        free(node->may);
        free_list(&node->tried);
        free_list(&node->asleep);
    }
}

// --- What comes before what ------------------------------------------------------------------------------------------

static uint32_t *before_of(const struct all *all, uint32_t step)
{
    return &all->before[(size_t)step * TURNS_MOST_ACTORS];
}

static void join(const struct all *all, uint32_t *to, uint32_t step)
{
    const uint32_t *from = before_of(all, step);
    for (uint32_t i = 0; i < all->actors.count; i++)
        if (from[i] > to[i]) to[i] = from[i];
}

// Does step `a` of the run come before `b` in any order?
static bool is_before(const struct all *all, uint32_t a, uint32_t b)
{
    return before_of(all, b)[all->run.step[a].actor] > a;
}

// Is it the first of what behind `from` does not come after it, in some order? Then it may come in its place.
static bool is_initial(const struct all *all, uint32_t from, uint32_t step)
{
    for (uint32_t i = from + 1; i < step; i++)
        if (!is_before(all, from, i) && is_before(all, i, step)) return false;
    return true;
}

// Steps `from` and `to` could have come the other way round: somebody who can begin that is wanted at `from`.
static void reverse(struct all *all, uint32_t from, uint32_t to)
{
    struct node *node = &all->node[from];
    uint32_t chosen = NOBODY;
    for (uint32_t i = from + 1; i <= to; i++) {
        const uint32_t actor = all->run.step[i].actor;
        if ((i < to && is_before(all, from, i)) || !is_initial(all, from, i)) continue;
        const struct made *tried = find_made(&node->tried, actor);
        if (tried != NULL && tried->is_vain) continue;
        if (tried != NULL || is_wanted(node, actor) || find_made(&node->asleep, actor) != NULL) return;
        chosen = actor;
    }
    if (chosen != NOBODY) want(all, node, chosen);
}

// What began operations, among the steps before `step`.
static void join_issue(const struct all *all, uint32_t step, uint32_t *to)
{
    for (uint32_t i = step; i-- > 0;) {
        const struct turns_step *of = &all->run.step[i];
        for (uint32_t j = 0; j < of->marks; j++)
            if (of->mark[j].kind == 'S' &&
                turns_operation(&all->actors, of->actor, of->mark[j].number) == all->run.step[step].actor) {
                join(all, to, i);
                return;
            }
    }
}

// What the step waits for had come before, too, and what came since put it off: it is wanted there as well.
static void reverse_waits(struct all *all, uint32_t step)
{
    for (uint32_t i = step; i-- > 0;)
        if (!is_before(all, i, step) && turns_put_off(&all->run, i, step)) reverse(all, i, step);
}

// What comes before step `step`; where that is a matter of the schedule, and the step is `from` or later, it is
// reversed.
static void order_step(struct all *all, uint32_t step, uint32_t from)
{
    const uint32_t actor = all->run.step[step].actor;
    uint32_t *before = before_of(all, step), last = step;
    memset(before, 0, TURNS_MOST_ACTORS * sizeof *before);
    while (last > 0 && all->run.step[last - 1].actor != actor) last--;
    if (last > 0)
        join(all, before, last - 1);
    else
        join_issue(all, step, before);
    if (step >= from) reverse_waits(all, step);
    for (uint32_t i = step; i-- > 0;) {
        const uint32_t other = all->run.step[i].actor;
        if (before[other] > i) continue;
        const bool are_beside = turns_are_beside(&all->actors, actor, other);
        const enum turns_order order = are_beside ? turns_order_of(&all->run, i, step) : TURNS_FIXED;
        if (order == TURNS_RACE && step >= from) reverse(all, i, step);
        if (order != TURNS_FREE) join(all, before, i);
    }
    before[actor] = step + 1;
}

// --- A run -----------------------------------------------------------------------------------------------------------

// Those that are asleep behind a step: of those that were, and of those tried in its place, who may change places with
// it.
static void sleep_behind(struct all *all, const struct node *node, const struct turns_step *step, struct list *asleep)
{
    for (uint32_t i = 0; i < node->asleep.count + node->tried.count; i++) {
        const struct made *made =
            i < node->asleep.count ? &node->asleep.item[i] : &node->tried.item[i - node->asleep.count];
        if (made->is_vain || made->step.actor == step->actor || turns_depend(&made->step, step)) continue;
        if (!turns_are_beside(&all->actors, made->step.actor, step->actor)) continue;
        add_made(all, asleep, &made->step, false);
    }
}

static void add_node(struct all *all, struct turns_step *step)
{
    struct node *node = &all->node[all->nodes];
    *node = (struct node){.chosen = NOBODY, .mays = step->mays, .may = step->may};
    step->may = NULL;
    if (all->nodes > 0) sleep_behind(all, node - 1, &all->run.step[all->nodes - 1], &node->asleep);
    all->nodes++;
}

// Somebody else who is not asleep, and was not tried, is wanted.
static void want_another(struct all *all, struct node *node)
{
    for (uint32_t i = 0; i < node->mays; i++) {
        const uint32_t actor = node->may[i];
        if (find_made(&node->asleep, actor) != NULL || find_made(&node->tried, actor) != NULL) continue;
        if (!is_wanted(node, actor)) want(all, node, actor);
        return;
    }
}

static int fail(const struct all *all, const char *text)
{
    return text_fail(all->search->why, "%s", text);
}

// Takes the run up, whose choices up to and with `place` were given: each step behind has a node. What the run does
// from a step on of somebody who is asleep, another has done.
static int take_run(struct all *all, uint32_t place, uint32_t given)
{
    struct explore_all *result = &all->search->result->all;
    const struct turns_run *run = &all->run;
    for (uint32_t i = 0; i < place; i++)
        if (i >= run->steps || run->step[i].actor != all->node[i].chosen)
            return fail(all, "two runs with the same choices differ: the program depends on more than the schedule");
    if (given != NOBODY && (run->vain <= place || run->steps <= place || run->step[place].actor != given)) {
        const struct turns_step none = {.actor = given};
        struct node *node = &all->node[place];
        add_made(all, &node->tried, &none, true);
        if (node->chosen == NOBODY) want_another(all, node);
        result->vain++;
        return 1;
    }
    uint32_t steps = place;
    for (; steps < run->steps; steps++) {
        if (steps >= all->nodes) add_node(all, &all->run.step[steps]);
        struct node *node = &all->node[steps];
        if (find_made(&node->asleep, run->step[steps].actor) != NULL) {
            want_another(all, node);
            break;
        }
        node->chosen = run->step[steps].actor;
        add_made(all, &node->tried, &run->step[steps], false);
    }
    if (steps < run->steps)
        result->known++;
    else
        result->orders++;
    for (uint32_t i = 0; i < steps; i++) order_step(all, i, place);
    return 1;
}

static void count_outcome(struct all *all)
{
    const struct explore_end *end = &all->search->result->end;
    const uint64_t outcome = XXH64(end->first, strlen(end->first), end->output) + (uint64_t)end->status;
    for (uint32_t i = 0; i < all->outcomes; i++)
        if (all->outcome[i] == outcome) return;
    if (!ARRAY_ADD(all->outcome, all->outcomes, outcome)) all->is_short = true;
    all->search->result->all.outcomes = all->outcomes;
}

static int write_turns(const struct all *all, uint32_t place, uint32_t given)
{
    const char *keep = all->search->plan->keep;
    FILE *file = fopen(keep, "w");
    if (file == NULL) return text_fail(all->search->why, "cannot write %.300s", keep);
    fputs("tmaref delays 1\nturns\n", file);
    for (uint32_t i = 0; i < place; i++) fprintf(file, "turn %s\n", all->actors.name[all->node[i].chosen]);
    if (given != NOBODY) fprintf(file, "turn %s\n", all->actors.name[given]);
    return fclose(file) == 0 || text_fail(all->search->why, "cannot write %.300s", keep);
}

// The file gets all choices of the run that failed.
static int keep_run(const struct all *all)
{
    FILE *file = fopen(all->search->plan->keep, "w");
    if (file == NULL) return text_fail(all->search->why, "cannot write %.300s", all->search->plan->keep);
    fputs("tmaref delays 1\nturns\n", file);
    for (uint32_t i = 0; i < all->run.steps; i++) fprintf(file, "turn %s\n", all->actors.name[all->run.step[i].actor]);
    return fclose(file) == 0;
}

// One run, in which `given` is chosen behind the choices of the nodes before `place`.
static int run_choices(struct all *all, struct explore_how *how, uint32_t place, uint32_t given)
{
    struct search *search = all->search;
    struct explore_result *result = search->result;
    const int file = explore_scratch("tmaref_turns", all->told, sizeof all->told);
    if (file < 0) return fail(all, "no file can be written in the folder for temporary files");
    *how = (struct explore_how){
        .schedule = EXPLORE_DELAY, .delays = search->plan->keep, .write_delays = all->told, .is_fixed = true};
    int ok = write_turns(all, place, given) && explore_once(search, how) &&
             turns_read(all->told, &all->actors, &all->run, search->why);
    how->write_delays = NULL;
    how->is_fixed = false;
    if (ok && !result->end.is_cut && !explore_is_stopped()) {
        count_outcome(all);
        result->all.is_timed |= all->run.is_timed;
        result->verdict = explore_verdict(search->plan, &result->first, &result->end);
        ok = result->verdict != EXPLORE_NONE ? keep_run(all) : take_run(all, place, given);
    }
    turns_run_free(&all->run);
    close(file);
    unlink(all->told);
    return ok && (!all->is_short || fail(all, "no memory"));
}

// --- The search ------------------------------------------------------------------------------------------------------

// The next of the node that has to be tried; NOBODY: there is none.
static uint32_t next_of(const struct node *node)
{
    for (uint32_t i = 0; i < node->wants; i++)
        if (find_made(&node->tried, node->wanted[i]) == NULL) return node->wanted[i];
    return NOBODY;
}

static uint64_t count_left(const struct all *all)
{
    uint64_t left = 0;
    for (uint32_t i = 0; i < all->nodes; i++)
        for (uint32_t j = 0; j < all->node[i].wants; j++)
            left += find_made(&all->node[i].tried, all->node[i].wanted[j]) == NULL;
    return left;
}

// Are there clusters, whose order nobody chooses?
static bool has_clusters(const struct turns_actors *actors)
{
    for (uint32_t i = 0; i < actors->count; i++)
        if (strncmp(strchr(actors->name[i], '/'), "/0/", 3) != 0) return true;
    return false;
}

static int search_from(struct all *all, struct explore_how *how)
{
    const struct explore_result *result = all->search->result;
    int ok = run_choices(all, how, 0, NOBODY);
    while (ok && result->verdict == EXPLORE_NONE && !result->cut && explore_may_go_on(all->search)) {
        uint32_t place = all->nodes;
        while (place > 0 && next_of(&all->node[place - 1]) == NOBODY) place--;
        all->search->result->all.is_whole = place == 0;
        if (place == 0) break;
        drop_nodes(all, place);
        ok = run_choices(all, how, place - 1, next_of(&all->node[place - 1]));
    }
    return ok;
}

int explore_all_orders(struct search *search, struct explore_how *how)
{
    static struct all all;
    all = (struct all){.search = search};
    all.node = calloc(TURNS_MOST_STEPS + 1, sizeof *all.node);
    all.before = malloc((size_t)TURNS_MOST_STEPS * TURNS_MOST_ACTORS * sizeof *all.before);
    const bool has_memory = all.node != NULL && all.before != NULL;
    const int ok = has_memory ? search_from(&all, how) : fail(&all, "no memory");
    if (has_memory) search->result->all.left = count_left(&all);
    search->result->all.are_clusters = has_clusters(&all.actors);
    if (has_memory) drop_nodes(&all, 0);
    turns_actors_free(&all.actors);
    free(all.node);
    free(all.before);
    free(all.outcome);
    return ok;
}
