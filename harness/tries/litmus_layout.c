// SPDX-License-Identifier: MIT
#include "litmus_layout.h"

#include <string.h>

typedef int visitor(const struct litmus *test, int thread, const struct litmus_step *step, void *context);

// Visits all steps of all threads, until one returns 0.
static bool each_step(const struct litmus *test, visitor *visit, void *context)
{
    for (int thread = 0; thread < test->threads; thread++)
        for (int i = 0; i < test->thread[thread].steps; i++)
            if (!visit(test, thread, &test->thread[thread].step[i], context)) return false;
    return true;
}

// --- What cannot be run ----------------------------------------------------------------------------------------------

static bool is_plain_proxy(enum litmus_proxy proxy)
{
    return proxy == VIA_GENERIC || proxy == VIA_ASYNC;
}

static const char *refusal_of(const struct litmus_step *step)
{
    switch (step->kind) {
    case LITMUS_WGMMA:
    case LITMUS_WGMMA_FENCE:
        return "a wgmma needs four warps for one try";
    case LITMUS_GRID_LAUNCH:
    case LITMUS_GRID_WAIT:
    case LITMUS_HOST_LAUNCH:
    case LITMUS_HOST_WAIT:
        return "a launch holds many tries, so grids and the host take no part in one";
    case LITMUS_MAP_COPY:
    case LITMUS_ONE_WAY_FENCE:
        return "edits of tensor maps are not run";
    case LITMUS_PROXY_FENCE:
        return step->proxy == VIA_ASYNC || step->proxy == VIA_ALIAS ? NULL : "only async and alias fences are run";
    default:
        return is_plain_proxy(step->proxy) ? NULL : "texture, surface, constant and tensormap proxies are not run";
    }
}

static int check_step(const struct litmus *test, int thread, const struct litmus_step *step, void *why)
{
    (void)test;
    const char *refusal = refusal_of(step);
    return refusal == NULL || text_fail(why, "line %d (P%d): %s", step->line, thread, refusal);
}

static int check_places(const struct litmus *test, struct text *why)
{
    for (int i = 0; i < test->places; i++)
        if (test->place[i].memory != i || !is_plain_proxy(test->place[i].proxy))
            return text_fail(why, "place %s is another's alias, which is not run", test->place[i].name);
    return 1;
}

// --- Threads ---------------------------------------------------------------------------------------------------------

static bool is_same_cta(const struct litmus_thread *a, const struct litmus_thread *b)
{
    return a->cluster == b->cluster && a->cta == b->cta;
}

// The rank of the thread's CTA among those of its cluster, in the order in which the test names them; *ranks grows.
static int rank_of(const struct litmus *test, int thread, int *ranks)
{
    int rank = 0;
    for (int i = 0; i < thread; i++) {
        const struct litmus_thread *other = &test->thread[i];
        bool is_first = true;
        if (is_same_cta(other, &test->thread[thread])) return rank_of(test, i, ranks);
        for (int k = 0; k < i; k++) is_first &= !is_same_cta(&test->thread[k], other);
        rank += is_first && other->cluster == test->thread[thread].cluster;
    }
    if (rank + 1 > *ranks) *ranks = rank + 1;
    return rank;
}

// The number of the thread's cluster, in the order in which the test names them.
static int cluster_of(const struct litmus *test, int thread)
{
    int number = 0;
    for (int i = 0; i < test->threads; i++) {
        bool is_first = true;
        if (test->thread[i].cluster == test->thread[thread].cluster) return number;
        for (int k = 0; k < i; k++) is_first &= test->thread[k].cluster != test->thread[i].cluster;
        number += is_first;
    }
    return number;
}

static int place_threads(const struct litmus *test, struct litmus_layout *layout, struct text *why)
{
    int ranks = 1, clusters = 1;
    bool are_in_clusters = 0;
    for (int i = 0; i < test->threads; i++) {
        const struct litmus_thread *thread = &test->thread[i];
        if (thread->is_host || thread->gpu != test->thread[0].gpu || thread->grid != test->thread[0].grid)
            return text_fail(why, "P%d is of another grid, another GPU or the host: one launch holds all threads", i);
        rank_of(test, i, &ranks);
        are_in_clusters |= thread->cluster >= 0;
        if (cluster_of(test, i) + 1 > clusters) clusters = cluster_of(test, i) + 1;
    }
    layout->cluster = are_in_clusters ? ranks : 0;
    layout->ctas = are_in_clusters ? clusters * ranks : ranks;
    for (int i = 0; i < test->threads; i++) {
        layout->cta_of[i] = (are_in_clusters ? cluster_of(test, i) * ranks : 0) + rank_of(test, i, &ranks);
        for (int k = 0; k < i; k++) layout->warp_of[i] += layout->cta_of[k] == layout->cta_of[i];
        if (layout->warp_of[i] + 1 > layout->warps) layout->warps = layout->warp_of[i] + 1;
    }
    return 1;
}

// --- Places ----------------------------------------------------------------------------------------------------------

static bool is_async_brought(const struct litmus_step *step)
{
    return step->kind == LITMUS_STORE_ASYNC || step->kind == LITMUS_REDUCE_ASYNC;
}

static bool brings(const struct litmus_step *step)
{
    return step->mbarrier >= 0 && (step->kind == LITMUS_COPY || step->kind == LITMUS_REDUCE || is_async_brought(step));
}

// An mbarrier is of the CTA that waits for it, else of the one that makes it; other data of the one that reads (writes)
// it.
static int claim_shared(const struct litmus *test, int thread, const struct litmus_step *step, void *context)
{
    struct litmus_layout *layout = context;
    const bool is_strong = step->kind == LITMUS_MBARRIER_WAIT || step->kind == LITMUS_MBARRIER_INIT ||
                           step->kind == (layout->is_turned ? LITMUS_STORE : LITMUS_LOAD) || step->kind == LITMUS_COPY;
    const bool is_barrier = step->kind == LITMUS_MBARRIER_WAIT || step->kind == LITMUS_MBARRIER_INIT;
    const int place = is_barrier                                        ? step->mbarrier
                      : step->kind == LITMUS_COPY && step->mbarrier < 0 ? step->source
                                                                        : step->place;
    if (place < 0 || test->place[place].space != IN_SHARED || !is_strong) return 1;
    if (layout->owner[place] < 0 || step->kind == LITMUS_MBARRIER_WAIT) layout->owner[place] = layout->cta_of[thread];
    return 1;
}

static int claim_rest(const struct litmus *test, int thread, const struct litmus_step *step, void *context)
{
    struct litmus_layout *layout = context;
    const int places[] = {step->place, step->source, step->mbarrier};
    for (int i = 0; i < 3; i++)
        if (places[i] >= 0 && test->place[places[i]].space == IN_SHARED && layout->owner[places[i]] < 0)
            layout->owner[places[i]] = layout->cta_of[thread];
    return 1;
}

// What completes on an mbarrier lands in the CTA of the mbarrier.
static int join_destinations(const struct litmus *test, int thread, const struct litmus_step *step, void *context)
{
    struct litmus_layout *layout = context;
    (void)thread;
    if (!brings(step) || test->place[step->place].space != IN_SHARED) return 1;
    layout->owner[step->place] = layout->owner[step->mbarrier];
    layout->bytes_of[step->mbarrier] = is_async_brought(step) ? LITMUS_ASYNC_BYTES : LITMUS_COPY_BYTES;
    return 1;
}

static int is_no_wait_for(const struct litmus *test, int thread, const struct litmus_step *step, void *mbarrier)
{
    (void)test;
    (void)thread;
    return step->kind != LITMUS_MBARRIER_WAIT || step->to >= 0 || step->mbarrier != *(int *)mbarrier;
}

static int find_late(const struct litmus *test, int thread, const struct litmus_step *step, void *context)
{
    struct litmus_layout *layout = context;
    int mbarrier = step->mbarrier;
    (void)thread;
    if (step->kind == LITMUS_CLUSTER_ARRIVE || step->kind == LITMUS_CLUSTER_WAIT) layout->meets_cluster = 1;
    if (brings(step) && each_step(test, is_no_wait_for, &mbarrier)) layout->lands_late = 1;
    return 1;
}

// How often the thread is at this barrier.
static int count_barrier(const struct litmus_thread *thread, const struct litmus_value *barrier)
{
    int count = 0;
    for (int i = 0; i < thread->steps; i++)
        count += thread->step[i].kind == LITMUS_BARRIER && thread->step[i].a.is_register == barrier->is_register &&
                 thread->step[i].a.number == barrier->number;
    return count;
}

// A thread that has ended its test stays, because it has more tries before it. So no barrier lets others on for it.
static int check_barrier(const struct litmus *test, const struct litmus_layout *layout, int thread,
                         const struct litmus_step *step, struct text *why)
{
    if (step->kind != LITMUS_BARRIER) return 1;
    if (step->instance >= 0) return text_fail(why, "line %d: numbered barriers of a test are no PTX", step->line);
    for (int i = 0; i < test->threads && !step->has_b; i++)
        if (layout->cta_of[i] == layout->cta_of[thread] &&
            count_barrier(&test->thread[i], &step->a) != count_barrier(&test->thread[thread], &step->a))
            return text_fail(why, "line %d: P%d waits until P%d has ended, which it does not between tries", step->line,
                             thread, i);
    return 1;
}

struct checked {
    const struct litmus_layout *layout;
    struct text *why;
};

static int check_use(const struct litmus *test, int thread, const struct litmus_step *step, void *context)
{
    const struct checked *checked = context;
    const struct litmus_layout *layout = checked->layout;
    const int own = layout->cta_of[thread], place = step->place, source = step->source;
    const int bytes = is_async_brought(step) ? LITMUS_ASYNC_BYTES : LITMUS_COPY_BYTES;
    const bool waits = step->kind == LITMUS_MBARRIER_WAIT || step->kind == LITMUS_MBARRIER_INIT;
    if (!check_barrier(test, layout, thread, step, checked->why)) return 0;
    if (waits && layout->owner[step->mbarrier] != own)
        return text_fail(checked->why, "line %d: P%d waits for an mbarrier of another CTA", step->line, thread);
    if (source >= 0 && test->place[source].space == IN_SHARED && layout->owner[source] != own)
        return text_fail(checked->why, "line %d: P%d copies from shared memory of another CTA", step->line, thread);
    const bool is_global = place >= 0 && test->place[place].space != IN_SHARED;
    if ((step->kind == LITMUS_COPY || step->kind == LITMUS_REDUCE) && step->group != GROUP_ASYNC &&
        is_global != (step->mbarrier < 0))
        return text_fail(checked->why, "line %d: a bulk copy to %s memory %s", step->line,
                         is_global ? "global" : "shared", is_global ? "takes no mbarrier" : "takes an mbarrier");
    if (brings(step) && layout->bytes_of[step->mbarrier] != bytes)
        return text_fail(checked->why, "line %d: operations of several sizes complete on %s", step->line,
                         test->place[step->mbarrier].name);
    return 1;
}

static bool give_places(const struct litmus *test, struct litmus_layout *layout, struct text *why)
{
    struct checked checked = {layout, why};
    for (int i = 0; i < LITMUS_PLACES; i++) layout->owner[i] = -1;
    each_step(test, claim_shared, layout);
    each_step(test, claim_rest, layout);
    each_step(test, join_destinations, layout);
    each_step(test, find_late, layout);
    for (int i = 0; i < test->places; i++)
        if (test->place[i].space == IN_SHARED && layout->owner[i] < 0) layout->owner[i] = 0;
    return each_step(test, check_use, &checked);
}

// --- What is seen ----------------------------------------------------------------------------------------------------

static bool add_seen(struct litmus_layout *layout, int thread, int index)
{
    for (int i = 0; i < layout->seen; i++)
        if (layout->see[i].thread == thread && layout->see[i].index == index) return true;
    if (layout->seen == LITMUS_SEEN) return false;
    layout->see[layout->seen++] = (struct litmus_seen){thread, index};
    return true;
}

// What the question and the filter ask.
static bool find_seen(const struct litmus *test, struct litmus_layout *layout, struct text *why)
{
    bool fits = true;
    for (int i = 0; i < test->terms; i++)
        for (int k = 0; k < 2 && test->term[i].kind == TERM_COMPARE; k++) {
            const struct litmus_leaf *leaf = &test->term[i].leaf[k];
            if (leaf->kind == LEAF_REGISTER) fits &= add_seen(layout, leaf->thread, leaf->index);
            if (leaf->kind == LEAF_PLACE) fits &= add_seen(layout, -1, leaf->index);
        }
    return fits || text_fail(why, "more than %d values are asked for", LITMUS_SEEN);
}

static bool lay_out(const struct litmus *test, struct litmus_layout *layout, struct text *why)
{
    return each_step(test, check_step, why) && check_places(test, why) && place_threads(test, layout, why) &&
           give_places(test, layout, why) && find_seen(test, layout, why);
}

bool litmus_layout_of(const struct litmus *test, struct litmus_layout *layout, struct text *why)
{
    *layout = (struct litmus_layout){.is_turned = false};
    return lay_out(test, layout, why);
}

int litmus_layout_turned(const struct litmus *test, const struct litmus_layout *layout, struct litmus_layout *turned)
{
    struct text why;
    *turned = (struct litmus_layout){.is_turned = true};
    return lay_out(test, turned, &why) && memcmp(turned->owner, layout->owner, sizeof turned->owner) != 0;
}
