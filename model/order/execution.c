// SPDX-License-Identifier: MIT
// The events of an execution (execution.h).
#include "execution.h"

#include <string.h>

int execution_add(struct execution *x, struct order_event event)
{
    if (x->events == RELATION_EVENTS) return -1;
    int index = x->events++;
    x->event[index] = event;
    if (event.what & IS_READ) x->reads |= relation_bit(index);
    if (event.what & IS_WRITE) x->writes |= relation_bit(index);
    return index;
}

static void cut(struct relation *relation, int events, uint64_t kept)
{
    for (int i = 0; i < events; i++) relation->row[i] &= kept;
    memset(relation->row + events, 0, (size_t)(RELATION_EVENTS - events) * sizeof relation->row[0]);
}

void execution_cut(struct execution *x, int events)
{
    if (x->events == events) return;
    uint64_t kept = relation_bit(events) - 1;
    struct relation *const given[] = {&x->program, &x->issue, &x->inside, &x->dependency, &x->rmw};
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) cut(given[i], events, kept);
    x->events = events;
    x->reads &= kept;
    x->writes &= kept;
}

int execution_memory(const struct execution *x, int event)
{
    int place = x->event[event].place;
    return place < 0 ? -1 : x->test->place[place].memory;
}

int execution_address(const struct execution *x, int event)
{
    int place = x->event[event].place;
    return place < 0 ? -1 : x->test->place[place].address;
}

bool execution_same_cta(const struct execution *x, int a, int b)
{
    int first = x->event[a].thread, second = x->event[b].thread;
    return first >= 0 && second >= 0 && litmus_in_scope(x->test, first, SCOPE_CTA, second);
}

bool execution_includes(const struct execution *x, int a, int b)
{
    int first = x->event[a].thread, second = x->event[b].thread;
    return first >= 0 && second >= 0 && litmus_in_scope(x->test, first, x->event[a].scope, second);
}
