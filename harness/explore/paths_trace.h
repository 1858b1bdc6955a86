// SPDX-License-Identifier: MIT
// What comes before what in one order of a program's steps, and which pairs of it synchronisation leaves open.
#ifndef TMAREF_EXPLORE_PATHS_TRACE_H
#define TMAREF_EXPLORE_PATHS_TRACE_H

#include "paths.h"

struct paths_list {
    uint32_t *item, count, room;
};

// 0: there is no memory.
bool paths_list_add(struct paths_list *list, uint32_t item);
bool paths_list_has(const struct paths_list *list, uint32_t item);
void paths_list_free(struct paths_list *list);

// Two places of an order whose steps could come the other way round, and might then do something else.
struct paths_race {
    uint32_t first, later;
};

struct paths_mark;
struct paths_past;

//   step    at each place of the order; steps: how many there are
//   races   of the order, sorted by `first`
struct paths_trace {
    const struct paths_program *program;
    const struct paths_state *state; // in which they were made
    uint32_t *step, steps;
    struct paths_race *race;
    uint32_t races, race_room;
    bool is_short; // of memory
    bool is_free;  // strong accesses hold nothing
    // paths_trace.c's
    struct paths_mark *mark;
    struct paths_past *past;
    struct paths_list come, exits; // places, of the barrier of the cluster
    uint32_t *place, *last, *counts, chains, chain_room, *now, marked;
};

bool paths_trace_open(const struct paths_program *program, const struct paths_state *state, struct paths_trace *trace);
void paths_trace_close(struct paths_trace *trace);

// Finds the order's races anew: trace->step and the state say what was made.
void paths_trace_order(struct paths_trace *trace);

// Does place `a` come before place `b`, which is behind it, in any order that leaves the open pairs as they are?
bool paths_trace_is_before(const struct paths_trace *trace, uint32_t a, uint32_t b);

#endif
