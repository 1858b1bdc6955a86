// SPDX-License-Identifier: MIT
#include "explore_search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "progress.h"

// Runs of each: the default one comes first, and then each of those without a seed; behind them the two with seeds take
// turns.
enum { UNSEEDED = 2, PATH_BYTES = 512 };

enum explore_verdict explore_verdict(const struct explore_plan *plan, const struct explore_end *first,
                                     const struct explore_end *end)
{
    if (end->is_cut) return EXPLORE_NONE;
    if (end->has_report) return EXPLORE_REPORT;
    if (end->status != 0 && end->status != first->status) return EXPLORE_STATUS;
    return plan->same_output && end->output != first->output ? EXPLORE_OUTPUT : EXPLORE_NONE;
}

// How run `number` is done, from 0; 0 if there is none.
static bool how_of(const struct explore_plan *plan, uint64_t number, struct explore_how *how)
{
    const uint64_t seeded = number - UNSEEDED;
    *how = (struct explore_how){.schedule = plan->only, .seed = plan->first_seed + number, .depth = plan->depth};
    if (plan->only == EXPLORE_SHUFFLED || plan->only == EXPLORE_PCT) return true;
    if (plan->only != EXPLORE_SCHEDULES) return number == 0;
    if (number < UNSEEDED) {
        how->schedule = number == 0 ? EXPLORE_LATE : EXPLORE_EARLY;
        return true;
    }
    how->schedule = seeded % 2 == 0 ? EXPLORE_PCT : EXPLORE_SHUFFLED;
    how->seed = plan->first_seed + seeded / 2;
    return true;
}

uint64_t explore_steps(const char *path)
{
    char line[256];
    uint64_t most = 0;
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        unsigned long long steps;
        if (sscanf(line, "# steps %20llu", &steps) == 1 && steps > most) most = steps;
    }
    if (file != NULL) fclose(file);
    return most;
}

bool explore_may_go_on(const struct search *search)
{
    const struct explore_plan *plan = search->plan;
    return !explore_is_stopped() && (plan->runs == 0 || search->result->all_runs < plan->runs) &&
           (plan->seconds == 0 || seconds_now() - search->begun < plan->seconds);
}

int explore_once(struct search *search, struct explore_how *how)
{
    struct explore_result *result = search->result;
    char path[PATH_BYTES];
    const bool measures = how->schedule == EXPLORE_PCT && search->steps == 0;
    const int file = measures ? explore_scratch("tmaref_steps", path, sizeof path) : -1;
    if (file >= 0) how->write_delays = path;
    how->steps = search->steps;
    int ok = explore_run(&search->plan->program, how, &result->end, search->why);
    if (file >= 0) {
        search->steps = explore_steps(path);
        close(file);
        unlink(path);
        if (ok && search->steps == 0 && !result->end.is_cut && !result->end.has_report)
            ok = text_fail(search->why, "no kernel of the program ran, so no schedule changes what it does");
    }
    if (file >= 0) how->write_delays = NULL;
    result->runs[how->schedule]++;
    result->all_runs++;
    result->cut += (uint64_t)result->end.is_cut;
    return ok;
}

// A run in which all are late, which says what there is to delay.
static int find_every(struct search *search, struct explore_every *every)
{
    char path[PATH_BYTES], told[PATH_BYTES];
    const int file = explore_scratch("tmaref_every", path, sizeof path);
    const int to = explore_scratch("tmaref_every", told, sizeof told);
    static const char all[] = "tmaref delays 1\n1 warps\n1 operations\n";
    struct explore_how how = {.schedule = EXPLORE_DELAY, .delays = path, .write_delays = told};
    int ok = file >= 0 && to >= 0 && write(file, all, strlen(all)) == (ssize_t)strlen(all);
    if (!ok) text_set(search->why, "no file can be written in the folder for temporary files");
    ok = ok && explore_run(&search->plan->program, &how, &search->result->end, search->why);
    if (ok) *every = explore_every_of(told);
    if (file >= 0) close(file), unlink(path);
    if (to >= 0) close(to), unlink(told);
    return ok;
}

// Each list of one delay, up to the first that fails.
static int try_every(struct search *search, struct explore_how *how)
{
    const struct explore_plan *plan = search->plan;
    struct explore_result *result = search->result;
    struct explore_every every = {NULL, 0, 0, 0};
    int ok = find_every(search, &every);
    const uint64_t lists = ok ? explore_every_lists(&every) : 0;
    for (uint64_t i = plan->shard - 1; ok && i < lists; i += plan->shards) result->lists++;
    for (uint64_t i = plan->shard - 1; ok && i < lists && result->verdict == EXPLORE_NONE; i += plan->shards) {
        if (!explore_may_go_on(search)) break;
        *how = (struct explore_how){.schedule = EXPLORE_DELAY, .delays = plan->keep};
        ok = explore_every_write(&every, i, plan->keep) || text_fail(search->why, "cannot write %.300s", plan->keep);
        ok = ok && explore_once(search, how);
        result->tried += (uint64_t)ok;
        if (ok && !explore_is_stopped()) result->verdict = explore_verdict(plan, &result->first, &result->end);
    }
    explore_every_free(&every);
    return ok;
}

int explore(const struct explore_plan *plan, struct explore_result *result, struct text *why)
{
    struct search search = {plan, result, why, 0, seconds_now()};
    struct explore_how how = {.schedule = EXPLORE_DEFAULT};
    *result = (struct explore_result){.verdict = EXPLORE_NONE};
    if (!(plan->paths ? explore_paths_once : explore_once)(&search, &how)) return 0;
    result->first = result->end;
    if (result->first.is_unstarted) return 1;
    result->verdict = explore_verdict(plan, &result->first, &result->end);
    if (plan->paths && result->verdict == EXPLORE_NONE) return explore_paths_search(&search);
    if (plan->every && result->verdict == EXPLORE_NONE) {
        if (!try_every(&search, &how)) return 0;
        if (result->verdict == EXPLORE_NONE) {
            unlink(plan->keep);
            return 1;
        }
    }
    if (plan->all && result->verdict == EXPLORE_NONE) {
        if (!explore_all_orders(&search, &how)) return 0;
        if (result->verdict == EXPLORE_NONE) {
            unlink(plan->keep);
            return 1;
        }
    }
    for (uint64_t number = 0; !plan->every && !plan->all && !plan->paths; number++) {
        result->verdict = explore_is_stopped() ? EXPLORE_NONE : explore_verdict(plan, &result->first, &result->end);
        if (result->verdict != EXPLORE_NONE) break;
        while (number % plan->shards != plan->shard - 1) number++;
        if (!explore_may_go_on(&search) || !how_of(plan, number, &how)) return 1;
        if (!explore_once(&search, &how)) return 0;
    }
    result->failed = how;
    if (plan->reduce > 0 && !plan->all && how.schedule != EXPLORE_DEFAULT) explore_reduce(plan, result);
    return 1;
}
