// SPDX-License-Identifier: MIT
// The access record: what an observer sees of every access to memory that an operation makes, whoever makes it. The
// model only tells; what follows from it (races, missing fences) is the observer's business. What barriers are told is
// in ledger.h. Who produces records: model/tma/observe.h, model/sync/mbarrier_step.h.
#ifndef TMAREF_ACCESS_H
#define TMAREF_ACCESS_H

#include <stdint.h>

enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_REDUCE }; // REDUCE: reads and writes as one, element by element

// The way an access takes to memory; accesses by different ways are ordered by a proxy fence only.
// PTX ISA 9.1 "Proxies" (#proxies).
enum access_proxy { PROXY_GENERIC, PROXY_ASYNC, PROXY_TENSORMAP };

// Who may see a strong (relaxed) access in one order; an access that is weak promises nothing to anybody.
enum access_scope { SCOPE_WEAK, SCOPE_CTA, SCOPE_CLUSTER, SCOPE_GPU, SCOPE_SYS };

enum access_space { SPACE_GLOBAL, SPACE_SHARED };

// Who made it, and where in the user's program. Given by whoever executes; the model hands it on.
//   cta        rank in the cluster
//   operation  the number of the asynchronous operation it is part of; 0: the thread itself made it
//   file       NULL where no source is known; `line` then counts steps of a program, or is 0
struct access_origin {
    uint32_t cta, thread;
    uint64_t operation;
    const char *file;
    uint32_t line;
};

// One access: `bytes` bytes at `address`, of the shared memory of CTA `cta` or of global memory.
struct access {
    const struct access_origin *origin;
    enum access_kind kind;
    enum access_proxy proxy;
    enum access_scope scope;
    enum access_space space;
    uint32_t cta;
    uint64_t address, bytes;
};

struct ledger_entry;

// Who listens: both functions are called in the order in which the operation would do things one after the other. An
// asynchronous operation promises no order: only that all its accesses come before its transaction.
struct observer {
    void *context;
    void (*access)(void *context, const struct access *access);
    void (*transaction)(void *context, const struct ledger_entry *entry);
};

// "read", "write", "reduce"; "generic", "async", "tensormap"; "weak", "cta", "cluster", "gpu", "sys"; "global",
// "shared".
const char *access_kind_name(enum access_kind kind);
const char *access_proxy_name(enum access_proxy proxy);
const char *access_scope_name(enum access_scope scope);
const char *access_space_name(enum access_space space);

#endif
