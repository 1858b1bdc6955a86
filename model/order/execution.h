// SPDX-License-Identifier: MIT
// One execution of a litmus test: its events, and the relations of the memory consistency model between them. The given
// ones come from the paths that the threads took (path.h), the meetings at barriers (phase.h), and the choices of the
// search (memory_model.h). The derived ones are made of them: derive.h names each as PTX does.
#ifndef TMAREF_EXECUTION_H
#define TMAREF_EXECUTION_H

#include <stdbool.h>
#include <stdint.h>

#include "litmus.h"
#include "relation.h"

// What an event is; several may hold.
enum {
    IS_READ = 1,
    IS_WRITE = 2,
    IS_FENCE = 4,          // of threads: it has an order and a scope
    IS_PROXY_FENCE = 8,    // of `proxy`
    IS_ARRIVE = 16,        // at a barrier
    IS_WAIT = 32,          // for a barrier
    IS_INITIAL = 64,       // the write that came before all threads
    IS_API = 128,          // a grid starts or ends
    IS_REDUCTION = 256,    // the read of red: no acquire pattern begins with it
    IS_ONE_WAY = 512,      // a proxy fence from the generic proxy to `proxy`, an acquire or a release
    IS_INIT_FENCE = 1024,  // fence.mbarrier_init
    IS_COMPLETE_TX = 2048, // an arrive that the engine makes: it counts bytes, no arrivals
    IS_EXPECT_TX = 4096,
    IS_FOREVER = 8192, // a read that is repeated without end (of questions about progress)
    IS_STUCK = 16384   // a wait that never ends
};

enum meeting { AT_NONE, AT_BARRIER, AT_CLUSTER, AT_MBARRIER };

struct order_event {
    unsigned what;
    int thread, step; // -1: of no thread
    int operation;    // asynchronous operation of the thread that makes it, or -1: it is in program order
    enum access_order order;
    enum access_scope scope;
    enum litmus_proxy proxy;
    enum litmus_space space;
    int place; // or -1
    int64_t value;
    // of arrives and waits
    enum meeting meeting;
    int instance, barrier; // of bar.sync; the mbarrier is `place`
    int weight;            // arrivals; operations that are expected
    int quorum;            // 0: all threads of the CTA
    int phase;             // that it belongs to; of a wait, that it saw complete
};

struct execution {
    const struct litmus *test;
    int events;
    struct order_event event[RELATION_EVENTS];
    uint64_t reads, writes;
    struct litmus_end end;
    // given by the paths
    struct relation program, issue, inside, dependency, rmw;
    // given by meetings, grids and the host
    struct relation meets, progress;
    struct relation begins; // what fence.mbarrier_init orders: an edge that can only be the first of a chain
    // chosen
    struct relation reads_from, fence_sc, coherence;
    // derived
    struct relation morally_strong, observation, synchronizes, base, preserved, causality, from_reads;
};

// Adds an event; -1 if there is no room.
int execution_add(struct execution *x, struct order_event event);

// Forgets the events from `events` on, and all relations with them that paths give.
void execution_cut(struct execution *x, int events);

// The memory of an event's place, or -1; its virtual address.
int execution_memory(const struct execution *x, int event);
int execution_address(const struct execution *x, int event);

// Are both in the same CTA? Does the scope of `a` include the thread of `b`?
bool execution_same_cta(const struct execution *x, int a, int b);
bool execution_includes(const struct execution *x, int a, int b);

#endif
