// SPDX-License-Identifier: MIT
// One access to memory, as an observer of the model hears of it; who made it is in event.h.
#ifndef TMAREF_ACCESS_H
#define TMAREF_ACCESS_H

#include <stdint.h>

enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_REDUCE }; // REDUCE: reads and writes as one, element by element

// How strong it is, and among whom: a weak access promises nothing to anybody (SCOPE_NONE). Fences have an order and a
// scope too. PTX ISA 9.1 "Memory Consistency Model" (#memory-consistency-model).
enum access_order {
    ORDER_WEAK,
    ORDER_RELAXED,
    ORDER_ACQUIRE,
    ORDER_RELEASE,
    ORDER_ACQ_REL,
    ORDER_SC,
    ORDER_VOLATILE,
    ORDER_MMIO
};
enum access_scope { SCOPE_NONE, SCOPE_CTA, SCOPE_CLUSTER, SCOPE_GPU, SCOPE_SYS };

// The way an access takes to memory; accesses by different ways are ordered by a proxy fence only. PROXY_ALIAS is only
// fenced: accesses to one place by two virtual addresses. PTX ISA 9.1 "Proxies" (#proxies).
enum access_proxy { PROXY_GENERIC, PROXY_ASYNC, PROXY_TENSORMAP, PROXY_ALIAS };

enum access_space { SPACE_GLOBAL, SPACE_SHARED };

// `bytes` bytes at `address`, of global memory or of the shared memory of the CTA whose rank in the cluster is `rank`.
// each: 0, or of several lanes the bytes of one: all have these same bytes, or they lie side by side in the order of
// lanes.
struct access {
    enum access_kind kind;
    enum access_proxy proxy;
    enum access_order order;
    enum access_scope scope;
    enum access_space space;
    uint32_t rank;
    int is_constant; // ld.global.nc: its bytes are not to change while the kernel runs
    uint64_t address, bytes, each;
};

// "read", "write", "reduce"; "weak", "relaxed", ...; "none", "cta", "cluster", "gpu", "sys"; "generic", "async",
// "tensormap", "alias"; "global", "shared".
const char *access_kind_name(enum access_kind kind);
const char *access_order_name(enum access_order order);
const char *access_scope_name(enum access_scope scope);
const char *access_proxy_name(enum access_proxy proxy);
const char *access_space_name(enum access_space space);

#endif
