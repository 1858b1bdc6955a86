// SPDX-License-Identifier: MIT
// What the starts and ends of grids order (phase.h): launches of the host, one grid behind the other, and
// griddepcontrol.wait behind a programmatic launch.
#include "phase.h"

static uint64_t events_of_grid(const struct execution *x, int grid)
{
    uint64_t events = 0;
    for (int i = 0; i < x->events; i++) {
        const struct order_event *event = &x->event[i];
        if (event->thread < 0 || x->test->thread[event->thread].is_host) continue;
        if (x->test->thread[event->thread].grid == grid) events |= relation_bit(i);
    }
    return events;
}

static uint64_t events_of_kind(const struct execution *x, enum litmus_kind kind, int grid)
{
    uint64_t events = 0;
    for (int i = 0; i < x->events; i++) {
        const struct order_event *event = &x->event[i];
        if (event->thread < 0 || event->step < 0) continue;
        const struct litmus_thread *thread = &x->test->thread[event->thread];
        if (thread->step[event->step].kind != kind) continue;
        if (thread->is_host ? event->weight == grid : thread->grid == grid) events |= relation_bit(i);
    }
    return events;
}

// The events `before` come before an event of the driver, and that before the events `after`.
static bool add_edge(struct execution *x, uint64_t before, uint64_t after)
{
    if (after == 0) return true;
    int api =
        execution_add(x, (struct order_event){.what = IS_API, .thread = -1, .step = -1, .operation = -1, .place = -1});
    if (api < 0) return false;
    relation_add_all(&x->meets, before, api);
    x->meets.row[api] |= after;
    return true;
}

static bool add_link(struct execution *x, const struct litmus_link *link)
{
    uint64_t first = events_of_grid(x, link->first);
    uint64_t second =
        link->is_programmatic ? events_of_kind(x, LITMUS_GRID_WAIT, link->second) : events_of_grid(x, link->second);
    return add_edge(x, first, second);
}

static bool add_host(struct execution *x, int event)
{
    const struct litmus_thread *thread = &x->test->thread[x->event[event].thread];
    if (!thread->is_host) return true;
    enum litmus_kind kind = thread->step[x->event[event].step].kind;
    uint64_t grid = events_of_grid(x, x->event[event].weight);
    if (kind == LITMUS_HOST_LAUNCH) return add_edge(x, relation_bit(event), grid);
    if (kind == LITMUS_HOST_WAIT) return add_edge(x, grid, relation_bit(event));
    return true;
}

bool phase_add_grids(struct execution *x)
{
    x->meets = (struct relation){{0}};
    int events = x->events;
    for (int i = 0; i < x->test->links; i++)
        if (!add_link(x, &x->test->link[i])) return false;
    for (int i = 0; i < events; i++)
        if (x->event[i].thread >= 0 && x->event[i].step >= 0 && !add_host(x, i)) return false;
    return true;
}
