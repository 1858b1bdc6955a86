// SPDX-License-Identifier: MIT
// From an address of PTX to bytes of the host.
#include "address_check.h"
#include "cluster_access.h"
#include "each.h"
#include "remote.h"
#include "rules/global.h"
#include "veil.h"

#include <string.h>

// A kernel's parameters lie at 0 in their space, so that an address fits 32 bits; no generic address is so low.
static uint64_t of_parameter(const struct machine *machine, uint64_t address)
{
    return address < machine->kernel->facts.parameter_bytes ? address + machine_parameter_window(machine) : address;
}

struct machine_place machine_place(const struct machine_strand *strand, enum ptx_word space, uint64_t address)
{
    uint32_t rank = strand->warp->cta->rank;
    switch (space) {
    case PTX_SHARED_CLUSTER:
        return (struct machine_place){PTX_SHARED_CLUSTER, (uint32_t)address};
    case PTX_SHARED:
    case PTX_SHARED_CTA:
        // Addresses of own variables carry the rank of the CTA; the model's checks take those without it.
        if ((uint32_t)address >> SHARED_RANK_SHIFT == rank) address &= SHARED_WINDOW_BYTES - 1;
        return (struct machine_place){PTX_SHARED, (uint32_t)address};
    case PTX_LOCAL:
        return (struct machine_place){PTX_LOCAL, (uint32_t)address};
    case PTX_GLOBAL:
        return (struct machine_place){PTX_GLOBAL, address};
    case PTX_PARAM:
        address = of_parameter(strand->warp->cta->cluster->machine, address);
        break;
    default:
        break;
    }
    if (address - MACHINE_SHARED_WINDOW < MACHINE_WINDOW_BYTES)
        return (struct machine_place){PTX_SHARED_CLUSTER, (uint32_t)address};
    if (address - MACHINE_LOCAL_WINDOW < MACHINE_WINDOW_BYTES)
        return (struct machine_place){PTX_LOCAL, (uint32_t)address};
    return (struct machine_place){PTX_GLOBAL, address};
}

// Is the address no multiple of the size?
static bool is_misaligned(uint64_t address, uint32_t bytes)
{
    return (address & (bytes - 1)) != 0;
}

static uint8_t *global_at(const struct machine_strand *strand, uint64_t address, uint32_t bytes, enum memory_use use,
                          enum rule *rule)
{
    const struct global_memory *global = &strand->warp->cta->cluster->machine->global;
    const struct region **hit = &strand->warp->hit[strand->pc % MACHINE_HITS];
    if (is_misaligned(address, bytes)) {
        *rule = RULE_GLOBAL_ACCESS_ALIGN;
        return NULL;
    }
    const struct region *region = region_find(global, *hit, address);
    if (region != NULL) *hit = region;
    uint8_t *at = region_at(region, address, bytes, use);
    if (at == NULL) *rule = RULE_GLOBAL_ACCESS_UNMAPPED;
    return at;
}

static uint8_t *any_global_at(const struct machine_strand *strand, uint64_t address, uint32_t bytes,
                              enum memory_use use, enum rule *rule)
{
    uint8_t *at = global_at(strand, address, bytes, use, rule);
    if (at != NULL && use == MEMORY_WRITES) machine_veil_write(strand->warp, at, bytes);
    return at;
}

static uint8_t *local_at(const struct machine_strand *strand, uint64_t address, uint32_t lane, uint32_t bytes,
                         enum rule *rule)
{
    const struct machine_warp *warp = strand->warp;
    *rule = is_misaligned(address, bytes) ? RULE_GLOBAL_ACCESS_ALIGN : RULE_GLOBAL_ACCESS_UNMAPPED;
    if (is_misaligned(address, bytes) || address + bytes > warp->local_bytes) return NULL;
    *rule = RULE_OK;
    return warp->local + (address / MACHINE_LOCAL_GRANULE * MACHINE_LANES + lane) * MACHINE_LOCAL_GRANULE +
           address % MACHINE_LOCAL_GRANULE;
}

static uint8_t *shared_at(const struct machine_strand *strand, uint64_t address, uint32_t bytes, enum rule *rule)
{
    const struct machine_cta *cta = strand->warp->cta;
    const struct memory *memory = &cta->cluster->memory[cta->rank];
    uint8_t *at = memory_at(memory, address, bytes);
    if (at != NULL && !is_misaligned(address, bytes)) return at;
    *rule = shared_access_check((uint32_t)address, bytes, memory, NULL);
    return NULL;
}

static uint8_t *cluster_at(const struct machine_strand *strand, uint64_t address, uint32_t bytes, enum rule *rule)
{
    const struct machine_cta *cta = strand->warp->cta;
    const struct cluster_memory *shared = &cta->cluster->shared;
    uint32_t rank = (uint32_t)address >> SHARED_RANK_SHIFT, offset = (uint32_t)address % SHARED_WINDOW_BYTES;
    if (rank == cta->rank && !is_misaligned(address, bytes)) {
        uint8_t *at = memory_at(&cta->cluster->memory[rank], offset, bytes);
        if (at != NULL) return at;
    }
    *rule = cluster_access_check(shared, CLUSTER_PLAIN, cta->rank, (uint32_t)address, bytes, NULL);
    if (*rule != RULE_OK) return NULL;
    uint8_t *at = cluster_memory_at(shared, rank, offset, bytes);
    if (at != NULL) machine_remote_land(cta, at, bytes);
    return at;
}

static uint8_t *any_shared_at(const struct machine_strand *strand, struct machine_place place, uint32_t bytes,
                              enum memory_use use, enum rule *rule)
{
    uint8_t *at = place.space == PTX_SHARED ? shared_at(strand, place.address, bytes, rule)
                                            : cluster_at(strand, place.address, bytes, rule);
    if (at != NULL && use == MEMORY_WRITES) machine_veil_write(strand->warp, at, bytes);
    return at;
}

uint8_t *machine_at(const struct machine_strand *strand, struct machine_place place, uint32_t lane, uint32_t bytes,
                    enum memory_use use, enum rule *rule)
{
    *rule = RULE_OK;
    switch (place.space) {
    case PTX_SHARED:
    case PTX_SHARED_CLUSTER:
        return any_shared_at(strand, place, bytes, use, rule);
    case PTX_LOCAL:
        return local_at(strand, place.address, lane, bytes, rule);
    default:
        return any_global_at(strand, place.address, bytes, use, rule);
    }
}

void machine_show(const struct machine_strand *strand, enum ptx_word space, uint32_t lanes,
                  const uint64_t address[MACHINE_LANES], uint32_t bytes)
{
    for (EACH_BIT(lane, lanes)) {
        const struct machine_place place = machine_place(strand, space, address[lane]);
        if (place.space == PTX_GLOBAL) machine_veil_see(strand->warp, place.address, bytes);
    }
}

int machine_read(const struct machine_strand *strand, struct machine_place place, uint32_t lane, void *to,
                 uint64_t bytes, enum rule *rule)
{
    for (uint64_t i = 0; i < bytes; i++, place.address++) {
        const uint8_t *at = machine_at(strand, place, lane, 1, MEMORY_READS, rule);
        if (at == NULL) return 0;
        ((uint8_t *)to)[i] = *at;
    }
    return 1;
}

int machine_write(const struct machine_strand *strand, struct machine_place place, uint32_t lane, const void *from,
                  uint64_t bytes, enum rule *rule)
{
    for (uint64_t i = 0; i < bytes; i++, place.address++) {
        uint8_t *at = machine_at(strand, place, lane, 1, MEMORY_WRITES, rule);
        if (at == NULL) return 0;
        *at = ((const uint8_t *)from)[i];
    }
    machine_progress(strand);
    return 1;
}
