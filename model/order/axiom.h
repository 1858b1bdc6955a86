// SPDX-License-Identifier: MIT
// The axioms of the memory consistency model (PTX ISA 9.1 "Axioms", #axioms), one function each: does the execution
// keep it? What is broken stays broken when the coherence order grows, so that a search may ask early.
#ifndef TMAREF_AXIOM_H
#define TMAREF_AXIOM_H

#include <stdbool.h>

#include "execution.h"

enum axiom {
    AXIOM_NONE,
    AXIOM_COHERENCE,
    AXIOM_FENCE_SC,
    AXIOM_ATOMICITY,
    AXIOM_NO_THIN_AIR,
    AXIOM_SC_PER_LOCATION,
    AXIOM_CAUSALITY,
    AXIOM_COUNT
};

const char *axiom_name(enum axiom axiom); // "Causality"

int axiom_coherence(const struct execution *x);
int axiom_fence_sc(const struct execution *x);
int axiom_atomicity(const struct execution *x);
int axiom_no_thin_air(const struct execution *x);
int axiom_sc_per_location(const struct execution *x);
int axiom_causality(const struct execution *x);

// The first that the execution breaks, or AXIOM_NONE.
enum axiom axiom_broken(const struct execution *x);

// "Conflict and Data-races" (#conflict-and-data-races): two accesses of one memory, one a write, that neither causality
// order relates nor moral strength. Puts the first such pair into `race`; 0 if there is none.
bool axiom_race(const struct execution *x, int race[2]);

// The order that Sequential Consistency Per Location wants without a cycle: morally strong communication, and program
// order between accesses to one address.
void axiom_location_order(const struct execution *x, struct relation *order);

// What breaks it: a cycle of at most `room` edges, each with its two events and the name of its relation.
struct axiom_edge {
    int from, to;
    const char *name;
};
int axiom_cycle(const struct execution *x, enum axiom axiom, struct axiom_edge *edges, int room);

#endif
