// SPDX-License-Identifier: MIT
// What kernels ask for, launches above all: kept while the grid that asks runs, and done behind it.
#ifndef TMAREF_CHILDREN_H
#define TMAREF_CHILDREN_H

#include "machine.h"
#include "work.h"

struct child {
    struct work work;
    bool is_tail;
};

//   context   of the launch: the threads that ask have none
//   module    of the grid that runs: its kernels are those that can be named
//   asked     by that grid, in order; after it they go to `waiting`, of which the last is the next to run
struct children {
    struct driver *driver;
    const struct CUctx_st *context;
    struct CUmod_st *module;
    pthread_mutex_t lock;
    struct child *asked, *waiting;
    size_t asks, waits;
};

void children_open(struct children *children, struct driver *driver);
void children_close(struct children *children);

// For machine_launch.child, with children as context.
int children_ask(void *context, const struct machine_child *asked);

// After a grid. 0 if there is no memory.
bool children_settle(struct children *children);

// 0 if none is left. Who takes it releases it.
bool children_next(struct children *children, struct work *work);

#endif
