// SPDX-License-Identifier: MIT
// Events of the steps of cluster programs. Loads, stores and atomics of a thread go by the generic proxy, and
// so do barriers and st.async; bulk copies by the async proxy.
#include "cluster_step.h"

struct telling {
    const struct cluster_step *step;
    const struct teller *teller;
};

static uint32_t barrier_address(const struct cluster_step *step)
{
    return CLUSTER_BARRIER_START + MBARRIER_BYTES * step->barrier;
}

static void tell_barrier(const struct telling *telling, enum barrier_step what, uint32_t rank,
                         struct mbarrier_transaction transaction)
{
    struct event event = {.kind = EVENT_BARRIER,
                          .barrier = {.step = what,
                                      .order = what == BARRIER_INIT ? ORDER_WEAK : ORDER_RELAXED,
                                      .scope = what == BARRIER_INIT                   ? SCOPE_NONE
                                               : rank == telling->teller->origin.rank ? SCOPE_CTA
                                                                                      : SCOPE_CLUSTER,
                                      .rank = rank,
                                      .address = barrier_address(telling->step),
                                      .transaction = transaction}};
    event_tell(telling->teller, event);
}

// A load, store, red or atom of the issuing thread; atomics are relaxed, at the scope that PTX defaults to.
static void tell_data(const struct telling *telling, uint32_t rank)
{
    const struct cluster_step *step = telling->step;
    int is_atomic = cluster_has_function(step->opcode);
    enum access_kind kind = is_atomic ? ACCESS_REDUCE : step->opcode == CLUSTER_OP_LD ? ACCESS_READ : ACCESS_WRITE;
    const struct access access = {.kind = kind,
                                  .order = is_atomic ? ORDER_RELAXED : ORDER_WEAK,
                                  .scope = is_atomic ? SCOPE_GPU : SCOPE_NONE,
                                  .space = SPACE_SHARED,
                                  .rank = rank};
    event_tell_access(telling->teller, access, CLUSTER_DATA_START + step->offset_bytes, cluster_data_bytes(step));
}

static void tell_async(const struct telling *telling, uint32_t issuer, uint32_t ctas, uint64_t arena)
{
    const struct cluster_step *step = telling->step;
    uint32_t bytes = cluster_data_bytes(step), ranks = UINT32_C(1) << cluster_target(step, issuer, ctas);
    int is_bulk = step->opcode == CLUSTER_OP_BULK, is_multicast = step->opcode == CLUSTER_OP_MULTICAST;
    int is_reduction = step->opcode == CLUSTER_OP_RED_ASYNC;
    enum access_proxy proxy = is_bulk || is_multicast ? PROXY_ASYNC : PROXY_GENERIC;
    const struct access own = {.proxy = proxy, .space = SPACE_SHARED, .rank = issuer}, global = {.proxy = proxy};
    struct access to = {.kind = is_reduction ? ACCESS_REDUCE : ACCESS_WRITE,
                        .proxy = proxy,
                        .order = is_reduction ? ORDER_RELAXED : ORDER_WEAK,
                        .scope = is_reduction ? SCOPE_CLUSTER : SCOPE_NONE,
                        .space = SPACE_SHARED};
    if (is_multicast) ranks = step->target;
    if (is_bulk) event_tell_access(telling->teller, own, CLUSTER_DATA_START, bytes);
    if (is_multicast) event_tell_access(telling->teller, global, arena + step->operand, bytes);
    for (to.rank = 0; to.rank < CLUSTER_CTAS; to.rank++) {
        if (!(ranks >> to.rank & 1)) continue;
        event_tell_access(telling->teller, to, CLUSTER_DATA_START + step->offset_bytes, bytes);
        tell_barrier(telling, BARRIER_TRANSACTION, to.rank, (struct mbarrier_transaction){.complete_bytes = bytes});
    }
}

static void tell_store_at_exit(const struct telling *telling, uint32_t issuer, uint64_t global)
{
    int is_reduction = telling->step->opcode == CLUSTER_OP_REDUCE_EXIT;
    uint32_t bytes = telling->step->size_bytes;
    const struct access from = {.proxy = PROXY_ASYNC, .space = SPACE_SHARED, .rank = issuer};
    const struct access to = {.kind = is_reduction ? ACCESS_REDUCE : ACCESS_WRITE,
                              .proxy = PROXY_ASYNC,
                              .order = is_reduction ? ORDER_RELAXED : ORDER_WEAK,
                              .scope = is_reduction ? SCOPE_GPU : SCOPE_NONE};
    event_tell_access(telling->teller, from, CLUSTER_DATA_START, bytes);
    event_tell_access(telling->teller, to, global, bytes);
}

void cluster_observe(const struct cluster_step *step, uint32_t issuer, uint32_t ctas, uint64_t arena, uint64_t global,
                     const struct teller *teller)
{
    const struct telling telling = {step, teller};
    if (step->opcode == CLUSTER_OP_INIT)
        tell_barrier(&telling, BARRIER_INIT, issuer, (struct mbarrier_transaction){0});
    else if (cluster_is_store_at_exit(step->opcode))
        tell_store_at_exit(&telling, issuer, global);
    else if (cluster_is_async(step->opcode))
        tell_async(&telling, issuer, ctas, arena);
    else if (cluster_has_barrier(step->opcode))
        tell_barrier(&telling, BARRIER_TRANSACTION, cluster_target(step, issuer, ctas), cluster_transaction(step));
    else if (cluster_has_data(step->opcode))
        tell_data(&telling, cluster_target(step, issuer, ctas));
}
