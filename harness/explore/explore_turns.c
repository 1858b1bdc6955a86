// SPDX-License-Identifier: MIT
#include "explore_turns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMPLETES = 1, BYTES = 2, FAR = 4, MOST_MARKS = 256, MOST_MAYS = 256, NAME_BYTES = 96 };

// --- Reading ---------------------------------------------------------------------------------------------------------

static uint32_t find(const struct turns_actors *actors, const char *name)
{
    for (uint32_t i = 0; i < actors->count; i++)
        if (strcmp(actors->name[i], name) == 0) return i;
    return UINT32_MAX;
}

static uint32_t intern(struct turns_actors *actors, const char *name)
{
    const uint32_t found = find(actors, name);
    if (found != UINT32_MAX) return found;
    if (actors->count == TURNS_MOST_ACTORS) return UINT32_MAX;
    char *copy = strdup(name);
    if (copy == NULL) return UINT32_MAX;
    actors->name[actors->count] = copy;
    return actors->count++;
}

// "1/0/" of "1/0/2/5": the launch and the cluster.
static int prefix_of(const char *name)
{
    const char *slash = strchr(name, '/');
    slash = slash == NULL ? NULL : strchr(slash + 1, '/');
    return slash == NULL ? 0 : (int)(slash + 1 - name);
}

static void *copy_of(const void *from, size_t bytes)
{
    void *copy = malloc(bytes > 0 ? bytes : 1);
    if (copy != NULL && bytes > 0) memcpy(copy, from, bytes);
    return copy;
}

// " R0.0.1000.8 W1.0.400.4 *"
static void read_marks(const char *text, struct turns_step *step)
{
    struct turns_mark mark[MOST_MARKS];
    int used = 0;
    unsigned long long from, bytes;
    for (;;) {
        struct turns_mark *of = &mark[step->marks];
        if (sscanf(text, " %c%10u.%10u.%20llx.%20llx%n", &of->kind, &of->place, &of->number, &from, &bytes, &used) < 5)
            break;
        of->from = from;
        of->bytes = bytes;
        text += used;
        if (++step->marks == MOST_MARKS) break;
    }
    step->is_full |= strchr(text, '*') != NULL || step->marks == MOST_MARKS;
    step->mark = copy_of(mark, step->marks * sizeof *mark);
    step->is_full |= step->mark == NULL;
    if (step->mark == NULL) step->marks = 0;
}

// " 0 1 0/2", of the launch and cluster of `name`.
static bool read_mays(const char *text, const char *name, struct turns_actors *actors, struct turns_step *step)
{
    uint32_t may[MOST_MAYS];
    char word[NAME_BYTES], whole[2 * NAME_BYTES];
    int used = 0;
    while (step->mays < MOST_MAYS && sscanf(text, " %40[0-9/]%n", word, &used) == 1) {
        snprintf(whole, sizeof whole, "%.*s%s", prefix_of(name), name, word);
        may[step->mays] = intern(actors, whole);
        if (may[step->mays++] == UINT32_MAX) return false;
        text += used;
    }
    step->may = copy_of(may, step->mays * sizeof *may);
    return step->may != NULL && step->mays < MOST_MAYS && strchr(text, '*') == NULL;
}

// "turn 1/0/2/5 # R0.0.1000.8 ; 0 1 0/2"; 0: there is too much of it.
static bool read_step(char *line, struct turns_actors *actors, struct turns_step *step)
{
    char name[NAME_BYTES];
    char *marks = strchr(line, '#'), *mays = strchr(line, ';');
    if (sscanf(line, "turn %90[0-9/]", name) != 1 || marks == NULL || mays == NULL) return false;
    *mays = '\0';
    step->actor = intern(actors, name);
    if (step->actor == UINT32_MAX) return false;
    read_marks(marks + 1, step);
    return read_mays(mays + 1, name, actors, step);
}

static bool add_line(char *line, struct turns_actors *actors, struct turns_run *run)
{
    if (strncmp(line, "# vain", 6) == 0 && run->vain == UINT32_MAX) run->vain = run->steps;
    run->is_timed |= strncmp(line, "# timed", 7) == 0;
    if (strncmp(line, "turn ", 5) != 0) return true;
    if (run->steps == TURNS_MOST_STEPS) return false;
    return read_step(line, actors, &run->step[run->steps++]);
}

bool turns_read(const char *path, struct turns_actors *actors, struct turns_run *run, struct text *why)
{
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "r");
    bool ok = true;
    *run = (struct turns_run){.step = calloc(TURNS_MOST_STEPS, sizeof *run->step), .vain = UINT32_MAX};
    while (file != NULL && run->step != NULL && ok && getline(&line, &room, file) > 0) ok = add_line(line, actors, run);
    if (file != NULL) fclose(file);
    free(line);
    ok = ok && run->step != NULL;
    return ok || text_fail(why,
                           "the program is too large for --all, which takes %d steps of a run, %d warps and operations "
                           "and %d of them at once",
                           TURNS_MOST_STEPS, TURNS_MOST_ACTORS, MOST_MAYS - 1);
}

void turns_step_free(struct turns_step *step)
{
    free(step->mark);
    free(step->may);
    *step = (struct turns_step){.mark = NULL};
}

void turns_run_free(struct turns_run *run)
{
    for (uint32_t i = 0; i < run->steps; i++) turns_step_free(&run->step[i]);
    free(run->step);
    *run = (struct turns_run){.step = NULL};
}

void turns_actors_free(struct turns_actors *actors)
{
    for (uint32_t i = 0; i < actors->count; i++) free(actors->name[i]);
    actors->count = 0;
}

struct turns_step turns_step_copy(const struct turns_step *step)
{
    struct turns_step copy = *step;
    copy.may = NULL;
    copy.mays = 0;
    copy.mark = copy_of(step->mark, step->marks * sizeof *step->mark);
    if (copy.mark == NULL) copy.marks = 0, copy.is_full = true;
    return copy;
}

uint32_t turns_operation(const struct turns_actors *actors, uint32_t warp, uint32_t number)
{
    char name[NAME_BYTES + 16];
    snprintf(name, sizeof name, "%s/%u", actors->name[warp], number);
    return find(actors, name);
}

bool turns_are_beside(const struct turns_actors *actors, uint32_t a, uint32_t b)
{
    const int prefix = prefix_of(actors->name[a]);
    return prefix == prefix_of(actors->name[b]) && strncmp(actors->name[a], actors->name[b], (size_t)prefix) == 0;
}

// --- Order -----------------------------------------------------------------------------------------------------------

static bool is_in(char kind, const char *kinds)
{
    return strchr(kinds, kind) != NULL;
}

static bool is_of_barrier(char kind)
{
    return is_in(kind, "TQI");
}

static bool do_bytes_meet(const struct turns_mark *a, const struct turns_mark *b)
{
    return a->place == b->place && a->from < b->from + b->bytes && b->from < a->from + a->bytes;
}

// Of accesses and of what mbarriers are told, which only a Q and an R leave as they were.
static enum turns_order order_of_bytes(const struct turns_mark *a, const struct turns_mark *b, int completions)
{
    if (!do_bytes_meet(a, b) || (is_in(a->kind, "RQ") && is_in(b->kind, "RQ"))) return TURNS_FREE;
    const bool are_told = a->kind == 'T' && b->kind == 'T';
    if (are_told && completions == 0 && ((a->number | b->number) & BYTES) == 0) return TURNS_FREE;
    return a->kind == 'T' && b->kind == 'Q' && completions == 1 ? TURNS_FIXED : TURNS_RACE;
}

// Of a barrier of the CTA, or of the cluster: arrivals in one phase may change places, who leaves comes behind them.
static enum turns_order order_of_meetings(const struct turns_mark *a, const struct turns_mark *b)
{
    const bool are_of_cluster = is_in(a->kind, "am");
    if (are_of_cluster != is_in(b->kind, "am")) return TURNS_FREE;
    if (!are_of_cluster && (a->place != b->place || a->number != b->number)) return TURNS_FREE;
    if (is_in(a->kind, "Aa") && is_in(b->kind, "Aa")) return a->from == b->from ? TURNS_FREE : TURNS_RACE;
    if (is_in(a->kind, "Aa") && is_in(b->kind, "Mm") && a->from == b->from) return TURNS_FIXED;
    return TURNS_FREE;
}

// Of the end of threads of a CTA, for which its barriers do not wait any more, or of the last ones, behind which its
// memory is gone, and what another one does.
static enum turns_order order_of_exit(const struct turns_mark *exit, const struct turns_mark *other)
{
    const bool is_met = other->kind == 'a' || (other->kind == 'A' && exit->place == other->place);
    const bool is_used = is_in(other->kind, "RWUTQI") && (other->number & FAR) != 0 && other->place == exit->place + 1;
    return (exit->kind == 'E' ? is_met : is_used) ? TURNS_RACE : TURNS_FREE;
}

// completions: of the mbarrier, from the first one on up to the second; -1: not known.
static enum turns_order order_of_marks(const struct turns_mark *a, const struct turns_mark *b, int completions)
{
    if (is_in(a->kind, "EX")) return order_of_exit(a, b);
    if (is_in(b->kind, "EX")) return order_of_exit(b, a);
    if (a->kind == 'S' || b->kind == 'S') return TURNS_FREE;
    const bool are_meetings = is_in(a->kind, "AMam");
    if (are_meetings != is_in(b->kind, "AMam")) return TURNS_FREE;
    return are_meetings ? order_of_meetings(a, b) : order_of_bytes(a, b, completions);
}

// How often that mbarrier has completed a phase in the steps from `first` up to the one before `second`.
static int completions_of(const struct turns_run *run, uint32_t first, uint32_t second,
                          const struct turns_mark *barrier)
{
    int count = 0;
    for (uint32_t i = first; i < second; i++)
        for (uint32_t j = 0; j < run->step[i].marks; j++) {
            const struct turns_mark *mark = &run->step[i].mark[j];
            count += mark->kind == 'T' && (mark->number & COMPLETES) != 0 && mark->place == barrier->place &&
                     mark->from == barrier->from;
        }
    return count;
}

bool turns_put_off(const struct turns_run *run, uint32_t first, uint32_t second)
{
    const struct turns_step *a = &run->step[first], *b = &run->step[second];
    for (uint32_t j = 0; j < b->marks; j++)
        for (uint32_t i = 0; i < a->marks && b->mark[j].kind == 'Q'; i++)
            if (a->mark[i].kind == 'T' && do_bytes_meet(&a->mark[i], &b->mark[j]) &&
                completions_of(run, first, second, &b->mark[j]) >= 2)
                return true;
    return false;
}

// One fixed pair fixes the steps: who waits cannot come before.
enum turns_order turns_order_of(const struct turns_run *run, uint32_t first, uint32_t second)
{
    const struct turns_step *a = &run->step[first], *b = &run->step[second];
    enum turns_order order = TURNS_FREE;
    if (a->is_full || b->is_full) return TURNS_RACE;
    for (uint32_t i = 0; i < a->marks; i++)
        for (uint32_t j = 0; j < b->marks; j++) {
            const bool needs = is_of_barrier(a->mark[i].kind) && is_of_barrier(b->mark[j].kind);
            const int completions = needs ? completions_of(run, first, second, &a->mark[i]) : -1;
            const enum turns_order own = order_of_marks(&a->mark[i], &b->mark[j], completions);
            if (own == TURNS_FIXED) return own;
            if (own == TURNS_RACE) order = own;
        }
    return order;
}

bool turns_depend(const struct turns_step *a, const struct turns_step *b)
{
    if (a->is_full || b->is_full) return true;
    for (uint32_t i = 0; i < a->marks; i++)
        for (uint32_t j = 0; j < b->marks; j++)
            if (order_of_marks(&a->mark[i], &b->mark[j], -1) != TURNS_FREE) return true;
    return false;
}
