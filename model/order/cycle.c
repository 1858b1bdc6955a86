// SPDX-License-Identifier: MIT
// Why an axiom forbids an execution: the cycle, edge by edge (axiom.h).
#include <string.h>

#include "axiom.h"

struct drawing {
    const struct execution *x;
    struct axiom_edge *edges;
    int room, count;
};

static void draw(struct drawing *drawing, int from, int to, const char *name)
{
    if (drawing->count < drawing->room) drawing->edges[drawing->count++] = (struct axiom_edge){from, to, name};
}

// The steps that base causality order is made of, without those that can only be the last.
static void base_steps(const struct execution *x, struct relation *steps)
{
    *steps = x->program;
    relation_join(steps, &x->synchronizes);
    relation_join(steps, &x->inside);
    relation_join(steps, &x->begins);
}

static const char *step_name(const struct execution *x, int from, int to)
{
    if (relation_has(&x->fence_sc, from, to)) return "Fence-SC order";
    if (relation_has(&x->program, from, to)) return "program order";
    if (relation_has(&x->inside, from, to)) return "completes before";
    if (relation_has(&x->issue, from, to)) return "is issued before";
    return "synchronizes with";
}

static void draw_chain(struct drawing *drawing, int from, int to)
{
    struct relation steps;
    int path[RELATION_EVENTS];
    base_steps(drawing->x, &steps);
    int length = relation_path(&steps, from, to, path, RELATION_EVENTS);
    for (int i = 0; i + 1 < length; i++)
        draw(drawing, path[i], path[i + 1], step_name(drawing->x, path[i], path[i + 1]));
}

static bool is_chain(const struct execution *x, int from, int to)
{
    struct relation steps;
    int path[RELATION_EVENTS];
    base_steps(x, &steps);
    return relation_path(&steps, from, to, path, RELATION_EVENTS) > 0;
}

static void draw_base(struct drawing *drawing, int from, int to)
{
    const struct execution *x = drawing->x;
    if (is_chain(x, from, to)) {
        draw_chain(drawing, from, to);
        return;
    }
    for (int i = 0; i < x->events; i++) {
        if (!relation_has(&x->issue, i, to) || (i != from && !is_chain(x, from, i))) continue;
        if (i != from) draw_chain(drawing, from, i);
        draw(drawing, i, to, step_name(x, i, to));
        return;
    }
}

// The fence that carries one proxy to the other, if the way needs one.
static int find_fence(const struct execution *x, int from, int to)
{
    const enum litmus_proxy a = x->event[from].proxy, b = x->event[to].proxy;
    const bool is_alias = execution_address(x, from) != execution_address(x, to);
    if (!is_alias && a == b) return -1;
    RELATION_EACH(fence, x->base.row[from])
    {
        const struct order_event *event = &x->event[fence];
        if (!(event->what & (IS_PROXY_FENCE | IS_ONE_WAY)) || !relation_has(&x->base, fence, to)) continue;
        if (is_alias ? event->proxy == VIA_ALIAS : event->proxy == (a == VIA_GENERIC ? b : a)) return fence;
    }
    return -1;
}

static void draw_preserved(struct drawing *drawing, int from, int to)
{
    int fence = find_fence(drawing->x, from, to);
    if (fence >= 0) {
        draw_base(drawing, from, fence);
        from = fence;
    }
    draw_base(drawing, from, to);
}

static void draw_causality(struct drawing *drawing, int from, int to)
{
    const struct execution *x = drawing->x;
    if (relation_has(&x->preserved, from, to)) {
        draw_preserved(drawing, from, to);
        return;
    }
    RELATION_EACH(read, x->observation.row[from])
    {
        if (!relation_has(&x->preserved, read, to)) continue;
        draw(drawing, from, read, "is observed by");
        draw_preserved(drawing, read, to);
        return;
    }
}

static void draw_coherence(struct drawing *drawing, int from, int to)
{
    if (relation_has(&drawing->x->causality, from, to))
        draw_causality(drawing, from, to);
    else
        draw(drawing, from, to, "coherence order");
}

static void cycle_of_coherence(struct drawing *drawing)
{
    const struct execution *x = drawing->x;
    for (int i = 0; i < x->events; i++) RELATION_EACH(other, x->coherence.row[i])
        {
            if (other == i || !relation_has(&x->coherence, other, i)) continue;
            draw_coherence(drawing, i, other);
            draw_coherence(drawing, other, i);
            return;
        }
}

static void cycle_of_fences(struct drawing *drawing)
{
    const struct execution *x = drawing->x;
    for (int i = 0; i < x->events; i++) RELATION_EACH(later, x->fence_sc.row[i])
        {
            if (!relation_has(&x->base, later, i)) continue;
            draw(drawing, i, later, "Fence-SC order");
            draw_base(drawing, later, i);
            return;
        }
}

static void cycle_of_atomicity(struct drawing *drawing)
{
    const struct execution *x = drawing->x;
    RELATION_EACH(read, x->reads)
    {
        RELATION_EACH(own, x->rmw.row[read])
        {
            RELATION_EACH(write, x->from_reads.row[read] & x->morally_strong.row[read] & ~relation_bit(own))
            {
                if (!relation_has(&x->coherence, write, own)) continue;
                draw(drawing, read, write, "from-read");
                draw(drawing, write, own, "coherence order");
                draw(drawing, own, read, "is one atomic with");
                return;
            }
        }
    }
}

static const char *communication_name(const struct execution *x, int from, int to)
{
    if (relation_has(&x->reads_from, from, to)) return "is read by";
    if (relation_has(&x->from_reads, from, to)) return "from-read";
    if (relation_has(&x->coherence, from, to)) return "coherence order";
    return relation_has(&x->dependency, from, to) ? "dependency" : "program order";
}

static void draw_round(struct drawing *drawing, const struct relation *steps)
{
    int path[RELATION_EVENTS];
    for (int i = 0; i < drawing->x->events; i++) {
        int length = relation_path(steps, i, i, path, RELATION_EVENTS);
        for (int j = 0; j + 1 < length; j++)
            draw(drawing, path[j], path[j + 1], communication_name(drawing->x, path[j], path[j + 1]));
        if (length > 0) return;
    }
}

static void cycle_of_causality(struct drawing *drawing)
{
    const struct execution *x = drawing->x;
    for (int i = 0; i < x->events; i++) RELATION_EACH(later, x->causality.row[i])
        {
            if (!relation_has(&x->reads_from, later, i) && !relation_has(&x->from_reads, later, i)) continue;
            draw_causality(drawing, i, later);
            draw(drawing, later, i, communication_name(x, later, i));
            return;
        }
}

int axiom_cycle(const struct execution *x, enum axiom axiom, struct axiom_edge *edges, int room)
{
    struct drawing drawing = {.x = x, .edges = edges, .room = room};
    struct relation steps;
    switch (axiom) {
    case AXIOM_COHERENCE:
        cycle_of_coherence(&drawing);
        break;
    case AXIOM_FENCE_SC:
        cycle_of_fences(&drawing);
        break;
    case AXIOM_ATOMICITY:
        cycle_of_atomicity(&drawing);
        break;
    case AXIOM_NO_THIN_AIR:
        steps = x->reads_from;
        relation_join(&steps, &x->dependency);
        draw_round(&drawing, &steps);
        break;
    case AXIOM_SC_PER_LOCATION:
        axiom_location_order(x, &steps);
        draw_round(&drawing, &steps);
        break;
    case AXIOM_CAUSALITY:
        cycle_of_causality(&drawing);
        break;
    default:
        break;
    }
    return drawing.count;
}
