// SPDX-License-Identifier: MIT
// Phases of barriers (phase.h). A phase of bar.sync or barrier.cluster is complete when all threads that have not ended
// have arrived, or as many as the instruction says; a phase of an mbarrier when its arrivals and its bytes are there.
#include "phase.h"

#include <string.h>

enum { PHASES = 6, BEFORE_ALL = -1 };

bool phase_same_barrier(const struct execution *x, int a, int b)
{
    const struct order_event *first = &x->event[a], *second = &x->event[b];
    if (first->meeting != second->meeting || first->meeting == AT_NONE) return false;
    if (first->meeting == AT_MBARRIER) return first->place == second->place;
    enum access_scope scope = first->meeting == AT_BARRIER ? SCOPE_CTA : SCOPE_CLUSTER;
    return first->instance == second->instance && first->barrier == second->barrier &&
           litmus_in_scope(x->test, first->thread, scope, second->thread);
}

static bool is_meeting(const struct order_event *event)
{
    return event->meeting != AT_NONE && (event->what & (IS_ARRIVE | IS_WAIT | IS_EXPECT_TX | IS_STUCK)) != 0;
}

static bool counts_at(const struct execution *x, int event, int barrier, int phase)
{
    return is_meeting(&x->event[event]) && phase_same_barrier(x, event, barrier) && x->event[event].phase == phase;
}

// Arrivals of a phase; what it expects of the engine, less what has come.
static int sum_arrivals(const struct execution *x, int barrier, int phase)
{
    int sum = 0;
    for (int i = 0; i < x->events; i++)
        if (counts_at(x, i, barrier, phase) && (x->event[i].what & (IS_ARRIVE | IS_COMPLETE_TX)) == IS_ARRIVE)
            sum += x->event[i].weight;
    return sum;
}

static int sum_bytes(const struct execution *x, int barrier, int phase)
{
    int sum = 0;
    for (int i = 0; i < x->events; i++) {
        if (!counts_at(x, i, barrier, phase)) continue;
        if (x->event[i].what & IS_EXPECT_TX) sum += x->event[i].weight;
        if (x->event[i].what & IS_COMPLETE_TX) sum -= x->event[i].weight;
    }
    return sum;
}

static int mbarrier_count(const struct execution *x, int place)
{
    for (int i = 0; i < x->events; i++)
        if ((x->event[i].what & IS_WRITE) && x->event[i].place == place && !(x->event[i].what & IS_INITIAL))
            return x->event[i].weight;
    return x->test->place[place].count;
}

static bool has_arrived(const struct execution *x, int thread, int barrier, int phase)
{
    for (int i = 0; i < x->events; i++)
        if (x->event[i].thread == thread && (x->event[i].what & IS_ARRIVE) && counts_at(x, i, barrier, phase))
            return true;
    return false;
}

static bool is_stuck(const struct execution *x, int thread)
{
    for (int i = 0; i < x->events; i++)
        if (x->event[i].thread == thread && (x->event[i].what & (IS_STUCK | IS_FOREVER))) return true;
    return false;
}

static bool takes_part(const struct execution *x, int thread, int barrier)
{
    enum access_scope scope = x->event[barrier].meeting == AT_BARRIER ? SCOPE_CTA : SCOPE_CLUSTER;
    return litmus_in_scope(x->test, x->event[barrier].thread, scope, thread);
}

// All threads: those that have ended count as having arrived. A numbered instance of a test (bar.cta.sync 1) is for
// those that name it.
static bool all_have_arrived(const struct execution *x, int barrier, int phase)
{
    if (x->event[barrier].instance >= 0) return true;
    for (int thread = 0; thread < x->test->threads; thread++)
        if (takes_part(x, thread, barrier) && !has_arrived(x, thread, barrier, phase) && is_stuck(x, thread))
            return false;
    return true;
}

static bool is_complete(const struct execution *x, int barrier, int phase)
{
    const struct order_event *event = &x->event[barrier];
    int arrivals = sum_arrivals(x, barrier, phase);
    if (event->meeting == AT_MBARRIER)
        return arrivals > 0 && arrivals == mbarrier_count(x, event->place) && sum_bytes(x, barrier, phase) == 0;
    if (event->quorum > 0) return arrivals == event->quorum;
    return all_have_arrived(x, barrier, phase);
}

static int phases_complete(const struct execution *x, int barrier)
{
    int phase = 0;
    while (phase < PHASES && is_complete(x, barrier, phase)) phase++;
    return phase;
}

// A wait that never ends is one that nothing can end any more.
static bool is_justly_stuck(const struct execution *x, int event)
{
    if (x->event[event].meeting == AT_MBARRIER) return (phases_complete(x, event) & 1) == x->event[event].weight;
    return !is_complete(x, event, x->event[event].phase);
}

static bool phases_hold(const struct execution *x)
{
    for (int i = 0; i < x->events; i++) {
        const struct order_event *event = &x->event[i];
        if (!is_meeting(event)) continue;
        if ((event->what & IS_STUCK) && !is_justly_stuck(x, i)) return false;
        int complete = event->what & IS_WAIT ? event->phase : event->phase - 1; // all phases up to this one
        for (int phase = 0; phase <= complete; phase++)
            if (!is_complete(x, i, phase)) return false;
    }
    return true;
}

// Whoever ends without arriving ends before the others get on.
static void add_exits(struct execution *x, int wait)
{
    const struct order_event *event = &x->event[wait];
    if (event->meeting == AT_MBARRIER || event->quorum > 0 || event->instance >= 0) return;
    for (int i = 0; i < x->events; i++)
        if (x->event[i].thread >= 0 && x->event[i].operation < 0 && takes_part(x, x->event[i].thread, wait) &&
            !has_arrived(x, x->event[i].thread, wait, event->phase))
            relation_add(&x->progress, i, wait);
}

static void add_progress(struct execution *x)
{
    memset(&x->progress, 0, sizeof x->progress);
    for (int i = 0; i < x->events; i++) {
        if (!is_meeting(&x->event[i]) || (x->event[i].what & (IS_WAIT | IS_STUCK))) continue;
        for (int j = 0; j < x->events; j++) {
            if (i == j || !is_meeting(&x->event[j]) || !phase_same_barrier(x, i, j)) continue;
            bool waits = (x->event[j].what & IS_WAIT) != 0;
            if (x->event[i].phase + (waits ? 0 : 1) <= x->event[j].phase) relation_add(&x->progress, i, j);
        }
    }
    for (int i = 0; i < x->events; i++)
        if (x->event[i].what & IS_WAIT) add_exits(x, i);
}

// A wait for phase p of an mbarrier runs before phase p + 1 is complete, or it would see that one.
static bool waits_in_time(const struct execution *x, const struct relation *before)
{
    for (int wait = 0; wait < x->events; wait++) {
        if (x->event[wait].meeting != AT_MBARRIER || !(x->event[wait].what & IS_WAIT)) continue;
        int next = x->event[wait].phase + 1;
        bool late = 0;
        if (!is_complete(x, wait, next)) continue;
        for (int i = 0; i < x->events; i++)
            late |= counts_at(x, i, wait, next) && !(x->event[i].what & IS_WAIT) && !relation_has(before, i, wait);
        if (!late) return false;
    }
    return true;
}

static bool can_happen(struct execution *x)
{
    if (!phases_hold(x)) return false;
    add_progress(x);
    struct relation before = x->progress;
    relation_join(&before, &x->program);
    relation_join(&before, &x->issue);
    relation_join(&before, &x->inside);
    relation_join(&before, &x->meets);
    relation_close(&before);
    return !relation_is_reflexive(&before) && waits_in_time(x, &before);
}

// The phase of the thread's last event at this barrier in front of `event`.
static int last_phase(const struct execution *x, int event, unsigned what)
{
    int last = BEFORE_ALL;
    for (int i = 0; i < event; i++)
        if (x->event[i].thread == x->event[event].thread && x->event[i].operation < 0 && (x->event[i].what & what) &&
            is_meeting(&x->event[i]) && phase_same_barrier(x, i, event) && x->event[i].phase > last)
            last = x->event[i].phase;
    return last;
}

// The phases that an event may have: from `first` to `last`, in steps.
struct phase_range {
    int first, last, step;
};

static struct phase_range range_of(const struct execution *x, int i)
{
    const struct order_event *event = &x->event[i];
    if (event->meeting == AT_MBARRIER) {
        if (event->what & IS_STUCK) return (struct phase_range){0, 0, 1};
        if (event->what & IS_WAIT) return (struct phase_range){event->weight == 1 ? BEFORE_ALL : 0, PHASES - 1, 2};
        int from = event->operation < 0 ? last_phase(x, i, IS_ARRIVE | IS_EXPECT_TX) : BEFORE_ALL;
        return (struct phase_range){from < 0 ? 0 : from, PHASES - 1, 1};
    }
    if (event->what & (IS_WAIT | IS_STUCK)) {
        int arrived = last_phase(x, i, IS_ARRIVE);
        return (struct phase_range){arrived, arrived, 1};
    }
    int next = last_phase(x, i, IS_ARRIVE) + 1;
    return (struct phase_range){next, event->quorum > 0 ? PHASES - 1 : next, 1};
}

// Is there still room for the arrivals so far? An event that has no phase yet has one that no barrier reaches.
static bool fits(const struct execution *x, int i)
{
    const struct order_event *event = &x->event[i];
    if (!(event->what & IS_ARRIVE) || (event->what & IS_COMPLETE_TX)) return true;
    if (event->meeting == AT_MBARRIER) return sum_arrivals(x, i, event->phase) <= mbarrier_count(x, event->place);
    return event->quorum == 0 || sum_arrivals(x, i, event->phase) <= event->quorum;
}

enum { NO_PHASE = 1000 };

static int assign(struct execution *x, int i, int (*next)(void *to), void *to)
{
    while (i < x->events && !is_meeting(&x->event[i])) i++;
    if (i == x->events) return can_happen(x) ? next(to) : 1;
    struct phase_range range = range_of(x, i);
    int going = 1;
    for (int phase = range.first; going && phase <= range.last; phase += range.step) {
        x->event[i].phase = phase;
        if (fits(x, i)) going = assign(x, i + 1, next, to);
    }
    x->event[i].phase = NO_PHASE;
    return going;
}

int phase_each(struct execution *x, int (*next)(void *to), void *to)
{
    for (int i = 0; i < x->events; i++) x->event[i].phase = NO_PHASE;
    return assign(x, 0, next, to);
}
