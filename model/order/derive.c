// SPDX-License-Identifier: MIT
// The relations of the memory consistency model as far as base causality (derive.h); proxies are in proxy.c.
#include "derive.h"

#include <string.h>

#include "phase.h"

static bool is_strong(const struct order_event *event)
{
    return (event->what & (IS_READ | IS_WRITE | IS_FENCE | IS_ARRIVE | IS_WAIT)) != 0 && event->order != ORDER_WEAK;
}

static bool is_memory(const struct order_event *event)
{
    return (event->what & (IS_READ | IS_WRITE)) != 0;
}

static bool in_program_order(const struct execution *x, int a, int b)
{
    return relation_has(&x->program, a, b) || relation_has(&x->program, b, a);
}

// Fences, arrivals and waits are of the generic proxy ("the mbarrier operand is accessed using the generic proxy").
static enum litmus_proxy proxy_of(const struct order_event *event)
{
    return is_memory(event) ? event->proxy : VIA_GENERIC;
}

static bool is_morally_strong(const struct execution *x, int a, int b)
{
    const struct order_event *first = &x->event[a], *second = &x->event[b];
    if (a == b || first->thread < 0 || second->thread < 0) return false;
    if (!in_program_order(x, a, b) &&
        !(is_strong(first) && is_strong(second) && execution_includes(x, a, b) && execution_includes(x, b, a)))
        return false;
    if (proxy_of(first) != proxy_of(second)) return false;
    return !is_memory(first) || !is_memory(second) || execution_address(x, a) == execution_address(x, b);
}

void derive_morally_strong(struct execution *x)
{
    memset(&x->morally_strong, 0, sizeof x->morally_strong);
    for (int a = 0; a < x->events; a++)
        for (int b = 0; b < x->events; b++)
            if (is_morally_strong(x, a, b)) relation_add(&x->morally_strong, a, b);
}

void derive_observation(struct execution *x)
{
    struct relation step = {{0}};
    for (int i = 0; i < x->events; i++) step.row[i] = x->reads_from.row[i] & x->morally_strong.row[i];
    x->observation = step;
    for (bool changed = true; changed;) { // W before an atomic Z, and Z before R
        struct relation through, more;
        relation_compose(&x->observation, &x->rmw, &through);
        relation_compose(&through, &step, &more);
        changed = false;
        for (int i = 0; i < x->events; i++) changed |= (more.row[i] & ~x->observation.row[i]) != 0;
        relation_join(&x->observation, &more);
    }
}

static bool releases(const struct order_event *event)
{
    return event->order == ORDER_RELEASE || event->order == ORDER_ACQ_REL || event->order == ORDER_SC;
}

static bool acquires(const struct order_event *event)
{
    return event->order == ORDER_ACQUIRE || event->order == ORDER_ACQ_REL || event->order == ORDER_SC;
}

// A release on M; one followed by a strong write on M; a release fence followed by a strong write.
void derive_release_pattern(const struct execution *x, struct relation *pattern)
{
    memset(pattern, 0, sizeof *pattern);
    for (int i = 0; i < x->events; i++) {
        const struct order_event *event = &x->event[i];
        if (!releases(event)) continue;
        if (event->what & IS_WRITE) relation_add(pattern, i, i);
        if (!(event->what & (IS_WRITE | IS_FENCE))) continue;
        RELATION_EACH(later, x->program.row[i] & x->writes)
        {
            bool on_same = (event->what & IS_FENCE) || execution_address(x, later) == execution_address(x, i);
            if (on_same && is_strong(&x->event[later])) relation_add(pattern, i, later);
        }
    }
}

// An acquire on M; a strong read followed by one on M; a strong read followed by an acquire fence. The read of a
// reduction begins none.
void derive_acquire_pattern(const struct execution *x, struct relation *pattern)
{
    memset(pattern, 0, sizeof *pattern);
    RELATION_EACH(read, x->reads)
    {
        const struct order_event *event = &x->event[read];
        if (!is_strong(event) || (event->what & IS_REDUCTION)) continue;
        if (acquires(event)) relation_add(pattern, read, read);
        RELATION_EACH(later, x->program.row[read])
        {
            const struct order_event *end = &x->event[later];
            bool is_fence = (end->what & IS_FENCE) != 0;
            bool on_same = (end->what & IS_READ) && execution_address(x, later) == execution_address(x, read);
            if ((is_fence || on_same) && acquires(end)) relation_add(pattern, read, later);
        }
    }
}

// The first operations of release patterns that end with this arrival: itself, and fences in front of it. Of
// fence.mbarrier_init only what it orders: the inits in front of the fence.
static uint64_t release_heads(const struct execution *x, int arrive)
{
    uint64_t heads = releases(&x->event[arrive]) ? relation_bit(arrive) : 0;
    if (!is_strong(&x->event[arrive])) return heads;
    for (int i = 0; i < x->events; i++) {
        const struct order_event *event = &x->event[i];
        if (!relation_has(&x->program, i, arrive)) continue;
        if ((event->what & IS_FENCE) && releases(event)) heads |= relation_bit(i);
    }
    return heads;
}

static uint64_t acquire_tails(const struct execution *x, int wait)
{
    uint64_t tails = acquires(&x->event[wait]) ? relation_bit(wait) : 0;
    RELATION_EACH(later, x->program.row[wait])
    {
        if ((x->event[later].what & IS_FENCE) && acquires(&x->event[later])) tails |= relation_bit(later);
    }
    return tails;
}

// Scopes of an arrival and of who waits. A complete_tx happens where the mbarrier is: the scope of the wait need not
// reach the thread that began the copy (docs/memory-model.md, "scope of complete_tx").
static bool scopes_meet(const struct execution *x, int from, int to)
{
    return execution_includes(x, from, to) &&
           ((x->event[from].what & IS_COMPLETE_TX) || execution_includes(x, to, from));
}

// The inits that a fence.mbarrier_init in front of this arrival covers.
static uint64_t fenced_inits(const struct execution *x, int arrive)
{
    uint64_t inits = 0;
    for (int i = 0; i < x->events; i++) {
        if (!(x->event[i].what & IS_INIT_FENCE) || !relation_has(&x->program, i, arrive)) continue;
        RELATION_EACH(write, x->writes)
        {
            int place = x->event[write].place;
            if (relation_has(&x->program, write, i) && x->test->place[place].is_mbarrier) inits |= relation_bit(write);
        }
    }
    return inits;
}

static void meet_by_order(struct execution *x, int arrive, int wait)
{
    if (!scopes_meet(x, arrive, wait)) return;
    uint64_t tails = acquire_tails(x, wait);
    RELATION_EACH(head, release_heads(x, arrive))
    {
        RELATION_EACH(tail, tails)
        {
            if (scopes_meet(x, head, tail)) relation_add(&x->meets, head, tail);
        }
    }
    RELATION_EACH(init, fenced_inits(x, arrive)) x->begins.row[init] |= tails;
}

void derive_meets(struct execution *x)
{
    memset(&x->begins, 0, sizeof x->begins);
    for (int arrive = 0; arrive < x->events; arrive++) {
        if (!(x->event[arrive].what & IS_ARRIVE)) continue;
        for (int wait = 0; wait < x->events; wait++) {
            const struct order_event *event = &x->event[wait];
            if (!(event->what & IS_WAIT) || event->meeting != x->event[arrive].meeting) continue;
            bool is_mbarrier = event->meeting == AT_MBARRIER;
            if (is_mbarrier ? event->phase < x->event[arrive].phase : event->phase != x->event[arrive].phase) continue;
            if (x->event[arrive].thread == event->thread && x->event[arrive].operation < 0) continue;
            if (!phase_same_barrier(x, arrive, wait)) continue;
            if (event->meeting == AT_BARRIER)
                relation_add(&x->meets, arrive, wait);
            else
                meet_by_order(x, arrive, wait);
        }
    }
}

void derive_synchronizes(struct execution *x)
{
    struct relation release, acquire, through, patterns;
    x->synchronizes = x->fence_sc;
    relation_join(&x->synchronizes, &x->meets);
    derive_release_pattern(x, &release);
    derive_acquire_pattern(x, &acquire);
    relation_compose(&release, &x->observation, &through);
    relation_compose(&through, &acquire, &patterns);
    for (int i = 0; i < x->events; i++) x->synchronizes.row[i] |= patterns.row[i] & x->morally_strong.row[i];
}

// "ordered after prior instructions in the same thread", but "not transitively": an edge to an asynchronous operation
// can only be the last one of a chain; and what fence.mbarrier_init orders only the first.
void derive_base(struct execution *x)
{
    struct relation chain = x->program, first, last;
    relation_join(&chain, &x->synchronizes);
    relation_join(&chain, &x->inside);
    relation_close(&chain);
    relation_compose(&x->begins, &chain, &first);
    relation_join(&chain, &x->begins);
    relation_join(&chain, &first);
    relation_compose(&chain, &x->issue, &last);
    x->base = chain;
    relation_join(&x->base, &x->issue);
    relation_join(&x->base, &last);
}

void derive_causality(struct execution *x)
{
    struct relation observed;
    relation_compose(&x->observation, &x->preserved, &observed);
    x->causality = x->preserved;
    relation_join(&x->causality, &observed);
}

void derive_from_reads(struct execution *x)
{
    struct relation back;
    relation_turn(&x->reads_from, &back);
    relation_compose(&back, &x->coherence, &x->from_reads);
}
