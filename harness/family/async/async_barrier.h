// SPDX-License-Identifier: MIT
// Every state that one barrier may be in while asynchronous arrivals are on their way: a wait, a fault or a word counts
// only where all of them agree.
#ifndef TMAREF_ASYNC_BARRIER_H
#define TMAREF_ASYNC_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

#include "mbarrier.h"

enum { ASYNC_BARRIER_STATES = 64 };

// `plain` and `noinc`: arrivals of cp.async.mbarrier.arrive and of its .noinc form that have not landed.
struct async_barrier_state {
    uint64_t word;
    uint32_t plain, noinc;
};

// `open`: the states disagreed about something that can be seen, or were too many.
struct async_barrier {
    bool open;
    int states;
    struct async_barrier_state state[ASYNC_BARRIER_STATES];
};

void async_barrier_start(struct async_barrier *barrier, uint32_t count);

// cp.async.mbarrier.arrive[.noinc] is issued; it lands now or later.
enum rule async_barrier_copies_arrive(struct async_barrier *barrier, bool is_noinc);

// An operation of the barrier's own CTA. Returns the fault it ends in, in every state.
enum rule async_barrier_transact(struct async_barrier *barrier, const struct mbarrier_transaction *transaction);

// Waits for the phase of `parity`, as long as it takes: *complete is 1 when it completes, 0 when it never does.
enum rule async_barrier_wait(struct async_barrier *barrier, uint32_t parity, int *complete);

// Everything has landed.
void async_barrier_settle(struct async_barrier *barrier);

// Is nothing on its way in any state?
bool async_barrier_is_settled(const struct async_barrier *barrier);

#endif
