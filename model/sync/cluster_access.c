// SPDX-License-Identifier: MIT
#include "cluster_access.h"

#include "cluster.h"

enum { BARRIER_ALIGN = 8, COPY_ALIGN = 16 };

// A check in progress: the first rule broken so far.
struct check {
    struct findings *findings;
    uint32_t address;
    enum rule first;
};

static void broken(struct check *check, enum rule rule, uint64_t limit, uint64_t nearest)
{
    if (check->first == RULE_OK) check->first = rule;
    finding_add(check->findings, (struct finding){rule, "a", -1, 0, check->address, limit, nearest});
}

static uint32_t offset_of(uint32_t address)
{
    return cluster_mapa(address, 0);
}

static uint32_t align_of(enum cluster_use use, uint32_t bytes)
{
    if (use == CLUSTER_BARRIER_OPERATION) return BARRIER_ALIGN;
    return use == CLUSTER_COPY ? COPY_ALIGN : bytes;
}

static void check_operand(struct check *check, const struct cluster_memory *cluster, enum cluster_use use)
{
    const uint32_t rank = cluster_address_rank(check->address), offset = offset_of(check->address);
    const int is_between_ctas = use == CLUSTER_REGISTERS_ASYNC || use == CLUSTER_COPY;
    if (!cluster->is_cluster && (rank != 0 || is_between_ctas)) broken(check, RULE_CLUSTER_NONE, 0, offset);
    if (rank > CLUSTER_MAX_RANK && use != CLUSTER_COPY)
        broken(check, RULE_CLUSTER_RANK_LIMIT, CLUSTER_MAX_RANK, offset);
}

// Past an SM, in a CTA that is not there, or past the memory of one that is.
static void check_place(struct check *check, const struct cluster_memory *cluster, int is_own, uint32_t bytes)
{
    const uint32_t rank = cluster_address_rank(check->address), offset = offset_of(check->address);
    const struct memory *memory = &cluster->cta[rank < cluster->ctas ? rank : 0];
    const uint64_t end = memory->base + memory->size_bytes;
    const uint32_t nearest = cluster_mapa((uint32_t)(end - bytes), rank);
    const enum rule reach = cluster_memory_check(cluster, rank);
    if (offset + bytes > SM_SHARED_BYTES) broken(check, RULE_CLUSTER_LIMIT, SM_SHARED_BYTES, nearest);
    if (reach != RULE_OK) broken(check, reach, cluster->ctas, offset);
    if (offset + bytes <= SM_SHARED_BYTES && memory_at(memory, offset, bytes) == NULL)
        broken(check, is_own ? RULE_CLUSTER_LIMIT : RULE_CLUSTER_BOUNDS, end, nearest);
}

enum rule cluster_access_check(const struct cluster_memory *cluster, enum cluster_use use, uint32_t issuer,
                               uint32_t address, uint32_t bytes, struct findings *findings)
{
    struct check check = {findings, address, RULE_OK};
    const uint32_t align = align_of(use, bytes);
    const int is_own = cluster_address_rank(address) == issuer && use <= CLUSTER_BARRIER_OPERATION;
    findings_clear(findings);
    check_operand(&check, cluster, use);
    if (address % align != 0)
        broken(&check, use == CLUSTER_BARRIER_OPERATION ? RULE_MBARRIER_ADDRESS_ALIGN : RULE_CLUSTER_ALIGN, align,
               address - address % align);
    check_place(&check, cluster, is_own, bytes);
    return check.first;
}

uint8_t *cluster_access_at(const struct cluster_memory *cluster, uint32_t address, uint32_t bytes)
{
    return cluster_memory_at(cluster, cluster_address_rank(address), offset_of(address), bytes);
}
