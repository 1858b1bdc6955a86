// SPDX-License-Identifier: MIT
// How each kind of item ends, but for those that model/tma moves.
#include <stdlib.h>
#include <string.h>

#include "cluster.h"
#include "each.h"
#include "flight_item.h"
#include "veil.h"

// --- cp.async --------------------------------------------------------------------------------------------------------

static void tell_copy(const struct flight_copies *copies, uint32_t lane)
{
    const struct access read = {.kind = ACCESS_READ, .space = SPACE_GLOBAL};
    const struct access write = {.kind = ACCESS_WRITE, .space = SPACE_SHARED, .rank = copies->head.warp->cta->rank};
    struct teller teller = copies->head.teller;
    teller.origin.lanes = UINT32_C(1) << lane;
    event_tell_access(&teller, read, copies->from_address[lane], copies->read[lane]);
    event_tell_access(&teller, write, copies->to_address[lane], copies->bytes);
}

static void copy_lane(const struct flight_copies *copies, uint32_t lane)
{
    enum { MOST_BYTES = 16 };
    const uint32_t read = copies->read[lane];
    const struct machine_cluster *cluster = copies->head.warp->cta->cluster;
    if (cluster->veil != NULL) machine_veil_lift(cluster, copies->to[lane], copies->bytes);
    if (read == MOST_BYTES) { // most often
        memcpy(copies->to[lane], copies->from[lane], MOST_BYTES);
        return;
    }
    if (read > 0) memcpy(copies->to[lane], copies->from[lane], read); // else from nowhere
    memset(copies->to[lane] + read, 0, copies->bytes - read);
}

bool flight_copies_end(struct flight_copies *copies)
{
    if (copies->is_row) {
        const uint32_t bytes = copies->bytes * MACHINE_LANES;
        machine_veil_lift(copies->head.warp->cta->cluster, copies->to[0], bytes);
        memcpy(copies->to[0], copies->from[0], bytes);
        return true;
    }
    for (EACH_BIT(lane, copies->head.lanes)) {
        copy_lane(copies, lane);
        if (copies->head.teller.observer != NULL) tell_copy(copies, lane);
    }
    return true;
}

// Lanes on one barrier are one transaction.
int flight_arrive_end(struct flight_arrive *arrive)
{
    for (uint32_t left = arrive->head.lanes, same; left != 0; left &= ~same) {
        uint32_t address = arrive->address[__builtin_ctz(left)];
        same = 0;
        for (EACH_BIT(lane, left))
            if (arrive->address[lane] == address) same |= 1u << lane;
        const struct mbarrier_transaction end =
            mbarrier_copies_end((uint32_t)__builtin_popcount(same), arrive->is_noinc);
        struct teller teller = arrive->head.teller;
        teller.origin.lanes = same;
        flight_land(flights_of(arrive->head.warp), arrive->head.warp->cta->rank, address, &end, &teller);
    }
    return 1;
}

// --- The source of a store -------------------------------------------------------------------------------------------

static uint32_t place_of_source(const struct operation *o)
{
    bool is_tensor = o->kind == OPERATION_TENSOR_STORE || o->kind == OPERATION_TENSOR_REDUCE;
    return cluster_mapa(is_tensor ? o->shared : (uint32_t)o->from, 0);
}

bool flight_read_source(struct flight_operation *operation)
{
    struct flight *flight = &operation->flight;
    const struct memory *cta = &flight->memories.cluster->cta[flight->operation.issuer];
    uint32_t first = place_of_source(&flight->operation);
    uint64_t bytes = flight_reach_bytes(flight);
    if (bytes == 0) return operation->head.is_read = true;
    const uint8_t *from = memory_at(cta, first, bytes);
    if (from == NULL || (operation->own = malloc(bytes)) == NULL) return false;
    machine_veil_read(operation->head.warp->cta->cluster, from, bytes, operation->own);
    memcpy(operation->own_memory, operation->head.warp->cta->cluster->memory, sizeof operation->own_memory);
    operation->own_memory[flight->operation.issuer] = (struct memory){operation->own, first, bytes};
    operation->own_cluster = *flight->memories.cluster;
    operation->own_cluster.cta = operation->own_memory;
    flight->memories.cluster = &operation->own_cluster;
    return operation->head.is_read = true;
}

// Does it read shared memory? Not a copy within a CTA, whose ranges may overlap.
static bool reads_shared(const struct flight *flight)
{
    const struct operation *o = &flight->operation;
    if (o->kind == OPERATION_BULK_SEND || o->kind == OPERATION_BULK_SEND_REDUCE)
        return (flight->targets >> o->issuer & 1) == 0;
    return o->kind == OPERATION_TENSOR_STORE || o->kind == OPERATION_TENSOR_REDUCE || o->kind == OPERATION_BULK_STORE ||
           o->kind == OPERATION_BULK_STORE_REDUCE;
}

void flight_veil_source(struct flight_operation *operation)
{
    struct flight *flight = &operation->flight;
    const struct machine_cluster *cluster = operation->head.warp->cta->cluster;
    if (cluster->veil == NULL || !reads_shared(flight)) return;
    const uint64_t bytes = flight_reach_bytes(flight);
    const uint8_t *from =
        memory_at(&cluster->memory[flight->operation.issuer], place_of_source(&flight->operation), bytes);
    if (from != NULL && machine_veil_hides(cluster, from, bytes)) flight_read_source(operation);
}

bool flight_veil_global(struct flight_operation *operation)
{
    struct flight *flight = &operation->flight;
    const enum operation_kind kind = flight->operation.kind;
    if ((kind != OPERATION_TENSOR_LOAD && kind != OPERATION_BULK_LOAD) || flight->is_idle) return false;
    operation->own_global = machine_veil_global(operation->head.warp->cta->cluster, &flight->operation);
    if (operation->own_global == NULL) return false;
    flight->memories.global = operation->own_global;
    return true;
}

// --- wgmma -----------------------------------------------------------------------------------------------------------

static void copy_d(int registers, uint32_t *const (*to)[FLIGHT_WARPS], uint32_t *const (*from)[FLIGHT_WARPS])
{
    for (int r = 0; r < registers; r++)
        for (int w = 0; w < FLIGHT_WARPS; w++) memcpy(to[r][w], from[r][w], MACHINE_LANES * sizeof *to[r][w]);
}

// Registers that are named twice in D: each part of D begins with what was there before, and the last stays.
static void multiply_apart(const struct flight_product *product, const struct wgmma_operands *operands,
                           uint32_t *const (*d)[FLIGHT_WARPS])
{
    static _Thread_local uint32_t own[FLIGHT_MOST_D][FLIGHT_WARPS][MACHINE_LANES];
    uint32_t *rows[FLIGHT_MOST_D][FLIGHT_WARPS], *const(*at)[FLIGHT_WARPS] = (uint32_t *const(*)[FLIGHT_WARPS])rows;
    for (int r = 0; r < product->d_registers; r++)
        for (int w = 0; w < FLIGHT_WARPS; w++) rows[r][w] = own[r][w];
    copy_d(product->d_registers, at, d);
    wgmma_execute_at(&product->wgmma, operands, at, NULL);
    copy_d(product->d_registers, d, at);
}

static void gather_a(const struct flight_product *product, uint32_t (*a)[4])
{
    for (int t = 0; t < WGMMA_THREADS; t++)
        for (int r = 0; r < 4; r++) a[t][r] = product->a[t / MACHINE_LANES][r][t % MACHINE_LANES];
}

// The operands are read now, and D is written now. What can break was checked at the issue.
int flight_product_end(struct flight_product *product)
{
    static _Thread_local uint32_t a[WGMMA_THREADS][4], metadata[WGMMA_THREADS];
    uint32_t *const(*d)[FLIGHT_WARPS] = (uint32_t *const(*)[FLIGHT_WARPS])product->d;
    const struct machine_cta *cta = product->head.warp->cta;
    struct memory room;
    struct wgmma_operands operands = {
        .descriptor = {product->descriptor[0], product->descriptor[1]},
        .a = product->wgmma.a_in_registers ? a : NULL,
        .shared = machine_veil_memory(cta, &room),
        .scale_d = product->scale_d,
        .metadata = product->wgmma.is_sparse ? metadata : NULL,
    };
    if (operands.a != NULL) gather_a(product, a);
    if (operands.metadata != NULL) memcpy(metadata, product->metadata, sizeof metadata);
    if (product->head.teller.observer != NULL) wgmma_observe(&product->wgmma, &operands, &product->head.teller);
    if (product->is_apart)
        wgmma_execute_at(&product->wgmma, &operands, d, NULL);
    else
        multiply_apart(product, &operands, d);
    return 1;
}
