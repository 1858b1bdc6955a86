// SPDX-License-Identifier: MIT
// Operations that a kernel issues. They give all their accesses at their issue, from a flight of their own that moves
// nothing.
#include <string.h>

#include "flight_item.h"
#include "operation_part.h"
#include "parts.h"
#include "sanitize_state.h"

// The barrier that an operation tells, as an offset in the CTA; UINT32_MAX if it tells none.
static uint32_t barrier_of(const struct operation *operation)
{
    return operation_has_barrier(operation->kind) ? cluster_mapa(operation->barrier, 0) : UINT32_MAX;
}

// Do the destination and the mbarrier name the same CTA? sm_90a ignores the rank of the mbarrier.
static void check_ranks(struct look_sanitize *sanitize, const struct flight *flight)
{
    const struct operation *operation = &flight->operation;
    const struct event_origin *who = &flight->teller.origin;
    const uint32_t to = operation_destination_rank(operation);
    if (!operation_has_barrier(operation->kind) || operation->is_multicast || to >= sanitize->cluster->ctas ||
        to == operation_rank(operation->barrier))
        return;
    const struct sanitize_side side = {.line = who->line,
                                       .rank = who->rank,
                                       .warp = who->warp,
                                       .lane = who->lanes != 0 ? (uint32_t)__builtin_ctz(who->lanes) : 0,
                                       .cta = who->cta,
                                       .is_operation = true};
    struct sanitize_finding finding = {.kind = SANITIZE_BARRIER_RANK,
                                       .space = SPACE_SHARED,
                                       .cta = sanitize->cluster->cta[to].number,
                                       .address = operation_place(operation->barrier),
                                       .bytes = 8,
                                       .older = side,
                                       .newer = side};
    if (sanitize_found_again(&sanitize->found, &finding)) return;
    sanitize_name_of(sanitize, (uint32_t)finding.address, finding.name);
    sanitize_found_add(&sanitize->found, &finding);
}

static void issue_operation(struct look_sanitize *sanitize, const struct flight_operation *of)
{
    static const struct memories none;
    struct flight ghost = of->flight;
    const struct order_issue issue = {of->head.async, of->group, barrier_of(&ghost.operation), ghost.targets};
    ghost.memories = none;
    ghost.teller.observer = &sanitize->ghost;
    clock_order_issue(sanitize->order, &ghost.teller.origin, &issue);
    if (!sanitize->is_quick) check_ranks(sanitize, &ghost);
    memset(sanitize->brought, 0, sizeof sanitize->brought);
    while (!flight_advance(&ghost, UINT64_MAX).is_last) continue;
    for (uint32_t rank = 0; rank < ORDER_MOST_CTAS; rank++)
        if (sanitize->brought[rank] != 0)
            clock_order_brings(sanitize->order, &ghost.teller.origin, rank, sanitize->brought[rank]);
    if (!sanitize->is_quick && !sanitize_layouts_issue(sanitize->layouts, &of->flight, sanitize->cluster))
        sanitize->order->is_short = true;
}

static void issue_copies(struct look_sanitize *sanitize, const struct flight_copies *copies)
{
    const struct order_issue issue = {ASYNC_COPY, 0, UINT32_MAX, 0};
    const struct access read = {.kind = ACCESS_READ, .space = SPACE_GLOBAL};
    const struct access write = {.kind = ACCESS_WRITE, .space = SPACE_SHARED, .rank = copies->head.warp->cta->rank};
    struct teller teller = copies->head.teller;
    teller.observer = &sanitize->ghost;
    clock_order_issue(sanitize->order, &teller.origin, &issue);
    for (uint32_t left = copies->head.lanes; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        teller.origin.lanes = left & -left;
        event_tell_access(&teller, read, copies->from_address[lane], copies->read[lane]);
        event_tell_access(&teller, write, copies->to_address[lane], copies->bytes);
    }
}

static void issue_arrive(struct look_sanitize *sanitize, const struct flight_arrive *arrive)
{
    for (uint32_t left = arrive->head.lanes; left != 0; left &= left - 1)
        clock_order_copies_arrive(sanitize->order, &arrive->head.teller.origin,
                                  cluster_mapa(arrive->address[__builtin_ctz(left)], 0));
}

void look_sanitize_issue(struct look_sanitize *sanitize, const struct machine_flight *flight)
{
    if (flight->kind == FLIGHT_OPERATION) issue_operation(sanitize, (const struct flight_operation *)flight);
    if (flight->kind == FLIGHT_COPIES) issue_copies(sanitize, (const struct flight_copies *)flight);
    if (flight->kind == FLIGHT_ARRIVE) issue_arrive(sanitize, (const struct flight_arrive *)flight);
    if (flight->kind != FLIGHT_PRODUCT) return;
    clock_order_product(sanitize->order, &flight->teller.origin);
    if (!sanitize->is_quick && !sanitize_layouts_product(sanitize->layouts, (const struct flight_product *)flight))
        sanitize->order->is_short = true;
}

void look_sanitize_done(struct look_sanitize *sanitize, const struct machine_flight *flight)
{
    const struct event_origin *who = &((const struct flight_operation *)flight)->flight.teller.origin;
    if (flight->kind != FLIGHT_OPERATION) return;
    const uint32_t actor = order_operation_find(sanitize->order, who->cta, who->operation, UINT32_MAX);
    if (actor == 0) return;
    sanitize->order->actor[actor].is_done = true;
    sanitize_values_done(&sanitize->values, sanitize->global, actor);
}
