// SPDX-License-Identifier: MIT
// Loads in a cluster, done at once: the operation that each one is, without its barrier operand, whose offset a
// cluster_load does not have.
#include "multicast.h"

#include <string.h>

#include "bulk.h"
#include "flight.h"
#include "operand.h"
#include "operation_part.h"

uint32_t multicast_targets(const struct cluster_load *load)
{
    if (load->is_multicast) return load->mask & UINT16_MAX;
    return load->to_rank < CLUSTER_MEMORY_MAX_CTAS ? UINT32_C(1) << load->to_rank : 0;
}

static uint32_t address_of(uint32_t rank, uint32_t offset)
{
    return rank << SHARED_RANK_SHIFT | operation_place(offset);
}

static enum rule run(struct operation *o, const struct memory *global_memory, const struct cluster_load *load,
                     uint32_t *transaction_bytes, struct findings *findings)
{
    const struct region region = {*global_memory, 0};
    const struct global_memory global = {&region, 1};
    const struct memories memories = {&global, &load->cluster};
    struct box box;
    const struct question question = {o, &memories, &box, false};
    *transaction_bytes = 0;
    o->issuer = load->issuer;
    o->is_multicast = load->is_multicast, o->mask = load->mask;
    o->shared = address_of(load->to_rank, load->shared);
    o->to = o->shared;
    o->barrier = address_of(load->barrier_rank, 0);
    enum rule rule = operation_question(&question, findings);
    if (rule != RULE_OK) return rule;
    struct flight flight = operation_issue(o, &memories, NULL);
    *transaction_bytes = flight_advance(&flight, UINT64_MAX).complete_bytes;
    return RULE_OK;
}

static struct operation tensor_load(enum tensormap_mode mode, const struct tensormap *map, int dims,
                                    const int32_t *coord)
{
    struct operation o = {.kind = OPERATION_TENSOR_LOAD, .mode = mode, .dims = dims, .map = *map};
    for (int i = 0; i < dims && i < TENSORMAP_MAX_RANK; i++) o.coord[i] = coord[i];
    return o;
}

enum rule multicast_tile_load(const struct tensormap *map, int dims, const int32_t *coord,
                              const struct memory *global_memory, const struct cluster_load *load,
                              uint32_t *transaction_bytes, struct findings *findings)
{
    struct operation o = tensor_load(TENSORMAP_TILED, map, dims, coord);
    return run(&o, global_memory, load, transaction_bytes, findings);
}

enum rule multicast_im2col_load(const struct tensormap *map, int dims, const int32_t *coord, const uint16_t *offset,
                                const struct memory *global_memory, const struct cluster_load *load,
                                uint32_t *transaction_bytes, struct findings *findings)
{
    struct operation o = tensor_load(TENSORMAP_IM2COL, map, dims, coord);
    for (int i = 0; i < dims - 2 && i < map->rank - 2 && i < IM2COL_MAX_SPATIAL; i++) o.offset[i] = offset[i];
    return run(&o, global_memory, load, transaction_bytes, findings);
}

enum rule multicast_bulk_load(uint64_t from, uint32_t size_bytes, const struct memory *global_memory,
                              const struct cluster_load *load, uint32_t *transaction_bytes, struct findings *findings)
{
    struct operation o = {.kind = OPERATION_BULK_LOAD, .from = from, .size_bytes = size_bytes};
    return run(&o, global_memory, load, transaction_bytes, findings);
}
