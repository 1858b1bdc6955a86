// SPDX-License-Identifier: MIT
// The axioms (axiom.h).
#include "axiom.h"

#include <string.h>

// What the causality order says of two writes of one memory, the coherence order says too.
int axiom_coherence(const struct execution *x)
{
    RELATION_EACH(write, x->writes)
    {
        RELATION_EACH(later, x->causality.row[write] & x->writes)
        {
            if (execution_memory(x, write) == execution_memory(x, later) && !relation_has(&x->coherence, write, later))
                return 0;
        }
    }
    return !relation_is_reflexive(&x->coherence);
}

// The Fence-SC order and causality order do not contradict each other. Fences access no memory, so that no proxy stands
// between them: it is the base causality order that counts.
int axiom_fence_sc(const struct execution *x)
{
    for (int i = 0; i < x->events; i++) RELATION_EACH(later, x->fence_sc.row[i])
        {
            if (relation_has(&x->base, later, i)) return 0;
        }
    return 1;
}

// No write that is morally strong with an atomic comes between its read and its write.
int axiom_atomicity(const struct execution *x)
{
    RELATION_EACH(read, x->reads)
    {
        RELATION_EACH(own, x->rmw.row[read])
        {
            RELATION_EACH(write, x->from_reads.row[read] & x->morally_strong.row[read] & ~relation_bit(own))
            {
                if (relation_has(&x->coherence, write, own) && relation_has(&x->morally_strong, write, own)) return 0;
            }
        }
    }
    return 1;
}

int axiom_no_thin_air(const struct execution *x)
{
    struct relation both = x->reads_from;
    relation_join(&both, &x->dependency);
    return !relation_has_cycle(&both);
}

void axiom_location_order(const struct execution *x, struct relation *order)
{
    for (int i = 0; i < RELATION_EVENTS; i++)
        order->row[i] = (x->reads_from.row[i] | x->coherence.row[i] | x->from_reads.row[i]) & x->morally_strong.row[i];
    const uint64_t memory = x->reads | x->writes;
    RELATION_EACH(event, memory)
    {
        RELATION_EACH(later, x->program.row[event] & memory)
        {
            if (execution_address(x, event) == execution_address(x, later) &&
                x->event[event].proxy == x->event[later].proxy)
                relation_add(order, event, later);
        }
    }
}

int axiom_sc_per_location(const struct execution *x)
{
    struct relation order;
    axiom_location_order(x, &order);
    return !relation_has_cycle(&order);
}

// A read does not read what comes behind it, nor what was overwritten before it.
int axiom_causality(const struct execution *x)
{
    for (int i = 0; i < x->events; i++) RELATION_EACH(later, x->causality.row[i])
        {
            if (relation_has(&x->reads_from, later, i) || relation_has(&x->from_reads, later, i)) return 0;
        }
    return 1;
}

static const struct {
    const char *name;
    int (*keeps)(const struct execution *x);
} rows[AXIOM_COUNT] = {
    [AXIOM_NONE] = {"none", NULL},
    [AXIOM_COHERENCE] = {"Coherence", axiom_coherence},
    [AXIOM_FENCE_SC] = {"Fence-SC", axiom_fence_sc},
    [AXIOM_ATOMICITY] = {"Atomicity", axiom_atomicity},
    [AXIOM_NO_THIN_AIR] = {"No Thin Air", axiom_no_thin_air},
    [AXIOM_SC_PER_LOCATION] = {"Sequential Consistency Per Location", axiom_sc_per_location},
    [AXIOM_CAUSALITY] = {"Causality", axiom_causality},
};

const char *axiom_name(enum axiom axiom)
{
    return rows[axiom].name;
}

enum axiom axiom_broken(const struct execution *x)
{
    for (int axiom = AXIOM_NONE + 1; axiom < AXIOM_COUNT; axiom++)
        if (!rows[axiom].keeps(x)) return (enum axiom)axiom;
    return AXIOM_NONE;
}

// An atomic is one operation: what comes behind its write comes behind its read.
static bool comes_first(const struct execution *x, int one, int other)
{
    bool is_first = relation_has(&x->causality, one, other);
    RELATION_EACH(write, x->rmw.row[one]) is_first |= relation_has(&x->causality, write, other);
    return is_first;
}

bool axiom_race(const struct execution *x, int race[2])
{
    const uint64_t memory = x->reads | x->writes;
    RELATION_EACH(a, memory)
    {
        RELATION_EACH(b,
                      (x->event[a].what & IS_WRITE ? memory : x->writes) & ~x->morally_strong.row[a] & ~relation_bit(a))
        {
            bool is_ordered = comes_first(x, a, b) || comes_first(x, b, a);
            bool is_initial = ((x->event[a].what | x->event[b].what) & IS_INITIAL) != 0;
            if (is_ordered || is_initial || execution_memory(x, a) != execution_memory(x, b)) continue;
            race[0] = a;
            race[1] = b;
            return true;
        }
    }
    return false;
}
