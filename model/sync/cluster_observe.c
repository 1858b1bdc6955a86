// SPDX-License-Identifier: MIT
// Access records of the steps of cluster programs. Loads, stores and atomics of a thread go by the generic proxy, and
// so do barriers and st.async; bulk copies by the async proxy.
#include "cluster_step.h"

struct telling {
    const struct cluster_step *step;
    const struct access_origin *origin;
    const struct observer *observer;
};

static void tell(const struct telling *telling, enum access_kind kind, enum access_proxy proxy, enum access_scope scope,
                 enum access_space space, uint32_t cta, uint64_t address, uint64_t bytes)
{
    const struct access access = {telling->origin, kind, proxy, scope, space, cta, address, bytes};
    telling->observer->access(telling->observer->context, &access);
}

static uint32_t barrier_address(const struct cluster_step *step)
{
    return CLUSTER_BARRIER_START + MBARRIER_BYTES * step->barrier;
}

static void tell_transaction(const struct telling *telling, uint32_t rank, struct mbarrier_transaction transaction)
{
    const struct ledger_entry entry = {*telling->origin, rank, barrier_address(telling->step), transaction};
    telling->observer->transaction(telling->observer->context, &entry);
}

static void tell_barrier(const struct telling *telling, uint32_t rank, uint32_t issuer)
{
    tell(telling, ACCESS_REDUCE, PROXY_GENERIC, rank == issuer ? SCOPE_CTA : SCOPE_CLUSTER, SPACE_SHARED, rank,
         barrier_address(telling->step), MBARRIER_BYTES);
    tell_transaction(telling, rank, cluster_transaction(telling->step));
}

// A load, store, red or atom of the issuing thread; atomics are relaxed, at the scope that PTX defaults to.
static void tell_data(const struct telling *telling, uint32_t rank)
{
    const struct cluster_step *step = telling->step;
    int is_atomic = cluster_has_function(step->opcode);
    enum access_kind kind = is_atomic ? ACCESS_REDUCE : step->opcode == CLUSTER_OP_LD ? ACCESS_READ : ACCESS_WRITE;
    tell(telling, kind, PROXY_GENERIC, is_atomic ? SCOPE_GPU : SCOPE_WEAK, SPACE_SHARED, rank,
         CLUSTER_DATA_START + step->offset_bytes, cluster_data_bytes(step));
}

static void tell_async(const struct telling *telling, uint32_t issuer, uint32_t ctas, uint64_t arena)
{
    const struct cluster_step *step = telling->step;
    uint32_t bytes = cluster_data_bytes(step), ranks = UINT32_C(1) << cluster_target(step, issuer, ctas);
    int is_bulk = step->opcode == CLUSTER_OP_BULK, is_multicast = step->opcode == CLUSTER_OP_MULTICAST;
    int is_reduction = step->opcode == CLUSTER_OP_RED_ASYNC;
    enum access_proxy proxy = is_bulk || is_multicast ? PROXY_ASYNC : PROXY_GENERIC;
    if (is_multicast) ranks = step->target;
    if (is_bulk) tell(telling, ACCESS_READ, proxy, SCOPE_WEAK, SPACE_SHARED, issuer, CLUSTER_DATA_START, bytes);
    if (is_multicast) tell(telling, ACCESS_READ, proxy, SCOPE_WEAK, SPACE_GLOBAL, 0, arena + step->operand, bytes);
    for (uint32_t rank = 0; rank < CLUSTER_CTAS; rank++) {
        if (!(ranks >> rank & 1)) continue;
        tell(telling, is_reduction ? ACCESS_REDUCE : ACCESS_WRITE, proxy, is_reduction ? SCOPE_CLUSTER : SCOPE_WEAK,
             SPACE_SHARED, rank, CLUSTER_DATA_START + step->offset_bytes, bytes);
        tell_transaction(telling, rank, (struct mbarrier_transaction){.complete_bytes = bytes});
    }
}

static void tell_store_at_exit(const struct telling *telling, uint32_t issuer, uint64_t global)
{
    int is_reduction = telling->step->opcode == CLUSTER_OP_REDUCE_EXIT;
    uint32_t bytes = telling->step->size_bytes;
    tell(telling, ACCESS_READ, PROXY_ASYNC, SCOPE_WEAK, SPACE_SHARED, issuer, CLUSTER_DATA_START, bytes);
    tell(telling, is_reduction ? ACCESS_REDUCE : ACCESS_WRITE, PROXY_ASYNC, is_reduction ? SCOPE_GPU : SCOPE_WEAK,
         SPACE_GLOBAL, 0, global, bytes);
}

void cluster_observe(const struct cluster_step *step, uint32_t issuer, uint32_t ctas, uint64_t arena, uint64_t global,
                     const struct access_origin *origin, const struct observer *observer)
{
    const struct telling telling = {step, origin, observer};
    if (step->opcode == CLUSTER_OP_INIT)
        tell(&telling, ACCESS_WRITE, PROXY_GENERIC, SCOPE_WEAK, SPACE_SHARED, issuer, barrier_address(step),
             MBARRIER_BYTES);
    else if (cluster_is_store_at_exit(step->opcode))
        tell_store_at_exit(&telling, issuer, global);
    else if (cluster_is_async(step->opcode))
        tell_async(&telling, issuer, ctas, arena);
    else if (cluster_has_barrier(step->opcode))
        tell_barrier(&telling, cluster_target(step, issuer, ctas), issuer);
    else if (cluster_has_data(step->opcode))
        tell_data(&telling, cluster_target(step, issuer, ctas));
}
