// SPDX-License-Identifier: MIT
// A path while it runs: shared by path.c, which has what a thread does itself, and path_async.c, which has what it lets
// others do. Nobody else needs this.
#ifndef TMAREF_RUNNER_H
#define TMAREF_RUNNER_H

#include "path.h"

enum { OPERATIONS = 24 };

// An asynchronous operation that the thread has begun, for those who wait for it.
struct flight {
    enum litmus_group group;
    int number;         // of its group; -1: not committed
    uint64_t all, read; // its events; those that read its source
};

struct runner {
    struct execution *x;
    const struct litmus_thread *code;
    const struct path *path;
    const struct path_domain *domains;
    const struct path_limits *limits;
    int thread, step, taken; // choices taken
    struct path_result result;
    int stopped;
    uint64_t before;                            // events of the thread in program order
    uint64_t ordered;                           // those that a wgmma is ordered behind
    uint64_t source[LITMUS_REGISTERS], control; // reads that a register, a branch depends on
    int flights, committed[4];
    struct flight flight[OPERATIONS];
    int rounds[LITMUS_STEPS];                               // branches back taken at a step
    int64_t registers_then[LITMUS_STEPS][LITMUS_REGISTERS]; // when a step was last reached
    uint64_t before_then[LITMUS_STEPS];
};

// Ends the run, unless it has ended; `options` if it asks.
void runner_stop(struct runner *run, enum path_end end, int options);

// A number or a register; the reads that it depends on. Sets a register, or nothing if `to` is -1.
int64_t runner_value(struct runner *run, const struct litmus_value *value);
uint64_t runner_source(const struct runner *run, const struct litmus_value *value);
void runner_set(struct runner *run, int to, int64_t value, uint64_t source);

// The step that runs; an event of it; one that reads a chosen value; one that writes.
const struct litmus_step *runner_step(const struct runner *run);
struct order_event runner_event(const struct runner *run, unsigned what);
struct order_event runner_read(struct runner *run, int place, enum access_order order);
struct order_event runner_write(const struct runner *run, int place, enum access_order order, int64_t value);

// Adds an event behind all others of the thread; or one of an asynchronous operation, behind the events `behind` and in
// front of nothing. Returns its number; 0 if the run has ended.
int runner_add(struct runner *run, struct order_event event);
int runner_add_beside(struct runner *run, struct order_event event, uint64_t behind);

// Runs the step if it is an asynchronous one (path_async.c); else returns 0.
bool runner_begin(struct runner *run);

#endif
