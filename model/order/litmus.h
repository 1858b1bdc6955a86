// SPDX-License-Identifier: MIT
// A litmus test as data: a few threads of a few instructions, the places they access, and a question about how they may
// end. The text of a test becomes this (harness/litmus/litmus_read.h); what may happen is asked of memory_model.h.
// Other executors read the same struct. It holds no pointers: copy it freely.
#ifndef TMAREF_LITMUS_H
#define TMAREF_LITMUS_H

#include <stdbool.h>
#include <stdint.h>

#include "event.h"

enum {
    LITMUS_THREADS = 8,
    LITMUS_STEPS = 32, // of a thread
    LITMUS_PLACES = 24,
    LITMUS_REGISTERS = 16, // of a thread
    LITMUS_TERMS = 64,
    LITMUS_LINKS = 8,
    LITMUS_NAME_BYTES = 64,
    LITMUS_ABOUT_BYTES = 1024
};

// The way an access takes to memory (PTX ISA "Proxies"); VIA_ALIAS is only fenced.
enum litmus_proxy {
    VIA_GENERIC,
    VIA_ASYNC,
    VIA_TENSORMAP,
    VIA_TEXTURE,
    VIA_SURFACE,
    VIA_CONSTANT,
    VIA_ALIAS,
    VIA_COUNT
};

// Where a place is; a fence of one space covers the places of that space, and those that name none.
enum litmus_space { IN_ANY, IN_GLOBAL, IN_SHARED };

// What a step does. `sync` of a barrier is an arrive and a wait.
enum litmus_kind {
    LITMUS_COMPUTE,         // to = a OP b
    LITMUS_BRANCH,          // if a OP b, go on at `target`
    LITMUS_LOAD,            // to = place
    LITMUS_STORE,           // place = a
    LITMUS_ATOM,            // to = place, place = to OP a; of cas, b is stored where a was read; `to` < 0 is red
    LITMUS_FENCE,           // fence, membar
    LITMUS_PROXY_FENCE,     // fence.proxy.{async,alias,...}: both ways
    LITMUS_ONE_WAY_FENCE,   // fence.proxy.{tensormap,async}::generic.{acquire,release}
    LITMUS_MAP_COPY,        // tensormap.cp_fenceproxy: place = source, then the release
    LITMUS_INIT_FENCE,      // fence.mbarrier_init
    LITMUS_BARRIER,         // bar.sync, bar.arrive: barrier a (and `instance`), b participants
    LITMUS_CLUSTER_ARRIVE,  // barrier.cluster.arrive
    LITMUS_CLUSTER_WAIT,    // barrier.cluster.wait
    LITMUS_MBARRIER_INIT,   // mbarrier.init place, a
    LITMUS_MBARRIER_ARRIVE, // mbarrier.arrive place, a arrivals; to = 1 if it met an initialised object, else 0
    LITMUS_MBARRIER_EXPECT, // mbarrier.expect_tx: a operations more; with `arrives` it is arrive.expect_tx
    LITMUS_MBARRIER_WAIT,   // mbarrier.try_wait.parity place, a; to = 1 or 0; without `to`, until it is true
    LITMUS_COPY,            // cp.async, cp.async.bulk, cp.async.bulk.tensor: place = source
    LITMUS_REDUCE,          // cp.reduce.async.bulk: place = place OP source
    LITMUS_STORE_ASYNC,     // st.async: place = a
    LITMUS_REDUCE_ASYNC,    // red.async: place = place OP a
    LITMUS_COPY_ARRIVE,     // cp.async.mbarrier.arrive
    LITMUS_COMMIT,          // cp.async.commit_group, cp.async.bulk.commit_group, wgmma.commit_group
    LITMUS_WAIT_GROUP,      // ... until at most a groups are pending
    LITMUS_WGMMA_FENCE,     // wgmma.fence
    LITMUS_WGMMA,           // wgmma.mma_async: to = place, some time before its group has ended
    LITMUS_GRID_LAUNCH,     // griddepcontrol.launch_dependents
    LITMUS_GRID_WAIT,       // griddepcontrol.wait
    LITMUS_HOST_LAUNCH,     // the host launches grid a
    LITMUS_HOST_WAIT        // the host waits for the end of grid a
};

// OP of a computation, an atomic, or a branch.
enum litmus_operation {
    DO_MOVE,
    DO_ADD,
    DO_SUB,
    DO_MUL,
    DO_DIV,
    DO_AND,
    DO_OR,
    DO_XOR,
    DO_MIN,
    DO_MAX,
    DO_EXCHANGE,
    DO_COMPARE_SWAP,
    IF_ALWAYS,
    IF_EQUAL,
    IF_NOT_EQUAL,
    IF_LESS,
    IF_LESS_EQUAL,
    IF_GREATER,
    IF_GREATER_EQUAL
};

// Which groups a commit or a wait means, and how a copy says that it is done.
enum litmus_group { GROUP_NONE, GROUP_ASYNC, GROUP_BULK, GROUP_WGMMA };

// A number or a register of the thread.
struct litmus_value {
    bool is_register;
    int64_t number; // the register, if it is one
};

struct litmus_step {
    enum litmus_kind kind;
    enum litmus_operation operation;
    enum access_order order;
    enum access_scope scope;
    enum litmus_proxy proxy; // of the access; of a copy, that of its source
    enum litmus_space space; // that a proxy fence covers
    enum litmus_group group;
    int to;                      // a register, or -1
    int place, source, mbarrier; // or -1
    struct litmus_value a, b;
    bool has_b;
    int instance; // of bar.cta.sync; -1: the barrier is a alone
    int arrives;
    bool waits;       // of barriers
    bool is_read;     // wait_group.read
    int target;       // of a branch: a step, or the number of steps
    int line, column; // in the text, from 1
};

// A thread and where it runs. Threads of one CTA have all these numbers equal; `cluster` -1: the CTA is alone.
struct litmus_thread {
    bool is_host;
    int gpu, grid, cluster, cta;
    int steps, registers;
    struct litmus_step step[LITMUS_STEPS];
    char register_name[LITMUS_REGISTERS][LITMUS_NAME_BYTES / 4];
    int64_t initial[LITMUS_REGISTERS];
};

// `address` is the place whose virtual address this one has, `memory` the place whose bytes. An mbarrier has a count
// if it is initialised before the test begins, else 0.
struct litmus_place {
    char name[LITMUS_NAME_BYTES / 2];
    enum litmus_proxy proxy;
    enum litmus_space space;
    int address, memory;
    int64_t initial;
    bool is_mbarrier;
    int count;
};

// Grid `second` is launched behind grid `first`: when that has ended, or (programmatic) when it allows it.
struct litmus_link {
    int first, second;
    bool is_programmatic;
};

// A term of a condition.
enum litmus_term_kind { TERM_TRUE, TERM_AND, TERM_OR, TERM_NOT, TERM_COMPARE };
enum litmus_leaf_kind { LEAF_NUMBER, LEAF_REGISTER, LEAF_PLACE };
struct litmus_leaf {
    enum litmus_leaf_kind kind;
    int thread, index; // the register; the place
    int64_t number;
};
struct litmus_term {
    enum litmus_term_kind kind;
    int left, right; // terms
    enum litmus_operation compare;
    struct litmus_leaf leaf[2];
};

// What the test claims: an end of this kind can happen, cannot happen, or always happens.
enum litmus_claim { CLAIM_EXISTS, CLAIM_NEVER, CLAIM_ALWAYS };

struct litmus {
    char name[LITMUS_NAME_BYTES];
    char about[LITMUS_ABOUT_BYTES]; // what stands between the name and the first brace
    int threads, places, links, terms;
    struct litmus_thread thread[LITMUS_THREADS];
    struct litmus_place place[LITMUS_PLACES];
    struct litmus_link link[LITMUS_LINKS];
    struct litmus_term term[LITMUS_TERMS];
    enum litmus_claim claim;
    int condition, filter; // terms; a filter of -1 lets every end pass
};

// How a test ended: what registers and places hold.
struct litmus_end {
    int64_t reg[LITMUS_THREADS][LITMUS_REGISTERS];
    int64_t place[LITMUS_PLACES];
};

// What a computation or an atomic makes of `old` and `operand`; `swap` is what cas stores. Division by 0 is 0.
int64_t litmus_compute(enum litmus_operation operation, int64_t old, int64_t operand, int64_t swap);

// Does a comparison hold?
int litmus_compare(enum litmus_operation compare, int64_t left, int64_t right);

// Does the term hold in this end?
int litmus_holds(const struct litmus *test, int term, const struct litmus_end *end);

// Is thread `other` among the threads that `scope` names for thread `thread`? PTX ISA 9.1 "Scope" (#scope).
bool litmus_in_scope(const struct litmus *test, int thread, enum access_scope scope, int other);

#endif
