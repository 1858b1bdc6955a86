// SPDX-License-Identifier: MIT
// Paths and values (domain.h). A value is one that a place begins with, or that some path writes when its loads read
// known values; that is repeated until nothing new comes, at most once for each write that a run can hold, because no
// value is made of itself (the axiom No Thin Air).
#include "domain.h"

#include <string.h>

// Returns 1 if this is new, -1 if there is no room.
static int add_value(struct path_domain *domain, int64_t value, int writes)
{
    int i = 0;
    while (i < domain->values && domain->value[i] != value) i++;
    if (i == PATH_VALUES) return -1;
    if (i < domain->values && domain->writes[i] <= writes) return 0;
    domain->value[i] = value;
    domain->writes[i] = writes;
    if (i == domain->values) domain->values++;
    return 1;
}

static void start(const struct litmus *test, struct model_work *work)
{
    memset(work->domain, 0, sizeof work->domain);
    for (int i = 0; i < test->places; i++)
        if (test->place[i].memory == i)
            add_value(&work->domain[i], test->place[i].is_mbarrier ? test->place[i].count > 0 : test->place[i].initial,
                      0);
}

// How many writes of its memory the value of this write needs: one more than what an atomic read.
static int writes_needed(const struct model_work *work, int write)
{
    const struct execution *x = &work->x;
    const struct path_domain *domain = &work->domain[execution_memory(x, write)];
    RELATION_EACH(read, x->reads)
    {
        if (!relation_has(&x->rmw, read, write)) continue;
        for (int i = 0; i < domain->values; i++)
            if (domain->value[i] == x->event[read].value) return domain->writes[i] + 1;
    }
    return 1;
}

static bool add_writes(struct model_work *work, const int *most, struct model_answer *answer)
{
    const struct execution *x = &work->x;
    bool grown = false;
    RELATION_EACH(write, x->writes)
    {
        int memory = execution_memory(x, write), needed = writes_needed(work, write);
        if (needed > most[memory]) continue;
        int added = add_value(&work->domain[memory], x->event[write].value, needed);
        if (added < 0) answer->is_full = true;
        grown |= added > 0;
    }
    return grown;
}

// The next path: the last choice that has another option is changed, those behind it are dropped. 0 behind the last.
static bool next_path(struct path *path, const uint8_t *options)
{
    while (path->choices > 0) {
        int last = path->choices - 1;
        if (path->choice[last] + 1 < options[last]) {
            path->choice[last]++;
            return true;
        }
        path->choices--;
    }
    return false;
}

static void keep(struct model_work *work, int thread, const struct path *path, enum path_end end,
                 struct model_answer *answer)
{
    if (work->paths[thread] == MODEL_PATHS) {
        answer->is_full = true;
        return;
    }
    work->path[thread][work->paths[thread]] = *path;
    work->path_end[thread][work->paths[thread]++] = (uint8_t)end;
}

// All paths of a thread with the values of now. Returns whether they write new values.
static bool walk(struct model_work *work, int thread, const struct path_limits *limits, const int *most,
                 struct model_answer *answer)
{
    uint8_t options[PATH_CHOICES];
    struct path path = {0};
    bool grown = false;
    struct path_domain domains[LITMUS_PLACES];
    memcpy(domains, work->domain, sizeof domains);
    work->paths[thread] = 0;
    do {
        struct path_result result;
        for (;;) {
            execution_cut(&work->x, 0);
            result = path_run(&path, thread, domains, limits, &work->x);
            if (result.end != PATH_ASKS) break;
            options[path.choices] = (uint8_t)result.options;
            path.choice[path.choices++] = 0;
        }
        if (result.end == PATH_IS_CUT) answer->is_cut = true;
        if (result.end == PATH_IS_LONG) answer->is_full = true;
        if (result.end != PATH_IS_LONG) grown |= add_writes(work, most, answer);
        if (result.end == PATH_ENDS || result.end == PATH_SPINS || result.end == PATH_IS_STUCK)
            keep(work, thread, &path, result.end, answer);
    } while (next_path(&path, options));
    execution_cut(&work->x, 0);
    return grown;
}

static bool is_in_loop(const struct litmus_thread *thread, int step)
{
    for (int i = step; i < thread->steps; i++)
        if (thread->step[i].kind == LITMUS_BRANCH && thread->step[i].target <= step) return true;
    return false;
}

// The most writes of each memory that a run can hold. Returns their sum.
static int count_writes(const struct litmus *test, const struct path_limits *limits, int *most)
{
    int sum = 0;
    for (int i = 0; i < test->threads; i++)
        for (int j = 0; j < test->thread[i].steps; j++) {
            const struct litmus_step *step = &test->thread[i].step[j];
            if (step->kind == LITMUS_LOAD || step->kind == LITMUS_WGMMA) continue;
            int place = step->place >= 0 ? step->place : step->mbarrier;
            if (place < 0) continue;
            int times = is_in_loop(&test->thread[i], j) ? limits->unroll + 1 : 1;
            most[test->place[place].memory] += times;
            sum += times;
        }
    return sum;
}

void domain_find(const struct litmus *test, const struct path_limits *limits, struct model_work *work,
                 struct model_answer *answer)
{
    int most[LITMUS_PLACES] = {0};
    start(test, work);
    bool grown = true;
    for (int round = count_writes(test, limits, most) + 1; grown && round > 0; round--) {
        grown = false;
        for (int thread = 0; thread < test->threads; thread++) grown |= walk(work, thread, limits, most, answer);
    }
}
