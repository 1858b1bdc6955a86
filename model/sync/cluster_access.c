// SPDX-License-Identifier: MIT
#include "cluster_access.h"

#include <stdbool.h>
#include <string.h>

#include "broken.h"
#include "cluster.h"
#include "rules/cluster.h"
#include "rules/mbarrier.h"

enum { BARRIER_ALIGN = 8 };

// A check in progress: the first rule broken so far.
struct report {
    struct findings *findings;
    uint32_t address;
    enum rule first;
};

static void broken(struct report *report, enum rule rule, uint64_t limit, uint64_t nearest)
{
    if (report->first == RULE_OK) report->first = rule;
    finding_add(report->findings, FINDING(rule, "a", .value = report->address, .limit = limit, .nearest = nearest));
}

static uint32_t offset_of(uint32_t address)
{
    return cluster_mapa(address, 0);
}

// Are there accesses of so many bytes?
static bool is_size(uint32_t bytes)
{
    return bytes >= 1 && bytes <= 16 && (bytes & (bytes - 1)) == 0;
}

static void check_operand(struct report *report, const struct cluster_memory *cluster)
{
    const uint32_t rank = cluster_address_rank(report->address), offset = offset_of(report->address);
    if (!cluster->is_cluster && rank != 0) broken(report, RULE_CLUSTER_NONE, 0, offset);
    if (rank > SHARED_MOST_RANK) broken(report, RULE_CLUSTER_RANK_LIMIT, SHARED_MOST_RANK, offset);
}

// Past an SM, in a CTA that is not there, or past the memory of one that is.
static void check_place(struct report *report, const struct cluster_memory *cluster, uint32_t rank, bool is_own,
                        uint32_t bytes)
{
    const uint64_t offset = offset_of(report->address);
    const struct memory *memory = &cluster->cta[rank < cluster->ctas ? rank : 0];
    const uint64_t end = memory->base + memory->size_bytes;
    const uint32_t nearest = cluster_mapa((uint32_t)(end - bytes), rank);
    const enum rule reach = cluster_memory_check(cluster, rank);
    if (offset + bytes > SM_SHARED_BYTES) broken(report, RULE_CLUSTER_LIMIT, SM_SHARED_BYTES, nearest);
    if (reach != RULE_OK) broken(report, reach, cluster->ctas, offset);
    if (offset + bytes <= SM_SHARED_BYTES && memory_at(memory, offset, bytes) == NULL)
        broken(report, is_own ? RULE_CLUSTER_LIMIT : RULE_CLUSTER_BOUNDS, end, nearest);
}

enum rule cluster_access_check(const struct cluster_memory *cluster, enum cluster_use use, uint32_t issuer,
                               uint32_t address, uint32_t bytes, struct findings *findings)
{
    struct report report = {findings, address, RULE_OK};
    const bool is_barrier = use == CLUSTER_BARRIER_OPERATION;
    const uint32_t align = is_barrier ? BARRIER_ALIGN : bytes, rank = cluster_address_rank(address);
    findings_clear(findings);
    if ((unsigned)use > CLUSTER_BARRIER_OPERATION) return finding_of_form(findings, "use", (uint64_t)use);
    if (!is_size(bytes)) return finding_of_form(findings, "bytes", bytes);
    check_operand(&report, cluster);
    if (address % align != 0)
        broken(&report, is_barrier ? RULE_MBARRIER_ADDRESS_ALIGN : RULE_CLUSTER_ALIGN, align,
               address - address % align);
    check_place(&report, cluster, rank, rank == issuer, bytes);
    return report.first;
}

static enum rule check(const struct cluster_access *access, uint32_t bytes, struct findings *findings)
{
    return cluster_access_check(access->cluster, CLUSTER_PLAIN, access->issuer, access->address, bytes, findings);
}

static uint8_t *bytes_at(const struct cluster_access *access, uint32_t bytes)
{
    return cluster_memory_at(access->cluster, cluster_address_rank(access->address), offset_of(access->address), bytes);
}

static void tell(const struct cluster_access *access, struct access as, uint32_t bytes, const struct teller *teller)
{
    as.space = SPACE_SHARED;
    as.rank = cluster_address_rank(access->address);
    event_tell_access(teller, as, offset_of(access->address), bytes);
}

enum rule cluster_load(const struct cluster_access *access, void *to, const struct teller *teller,
                       struct findings *findings)
{
    enum rule rule = check(access, access->bytes, findings);
    if (rule != RULE_OK) return rule;

    memcpy(to, bytes_at(access, access->bytes), access->bytes);
    tell(access, (struct access){.kind = ACCESS_READ}, access->bytes, teller);
    return RULE_OK;
}

enum rule cluster_store(const struct cluster_access *access, const void *from, const struct teller *teller,
                        struct findings *findings)
{
    enum rule rule = check(access, access->bytes, findings);
    if (rule != RULE_OK) return rule;

    memcpy(bytes_at(access, access->bytes), from, access->bytes);
    tell(access, (struct access){.kind = ACCESS_WRITE}, access->bytes, teller);
    return RULE_OK;
}

enum rule cluster_atomic(const struct cluster_access *access, uint32_t function, uint64_t operand, uint64_t compare,
                         uint64_t *old, const struct teller *teller, struct findings *findings)
{
    if (function >= ATOMIC_FUNCTION_COUNT) {
        findings_clear(findings);
        return finding_of_form(findings, "function", function);
    }
    const uint32_t bytes = atomic_row(function)->bytes;
    enum rule rule = check(access, bytes, findings);
    if (rule != RULE_OK) return rule;

    uint8_t *at = bytes_at(access, bytes);
    *old = 0;
    memcpy(old, at, bytes);
    const uint64_t new = atomic_apply(function, *old, operand, compare);
    memcpy(at, &new, bytes);
    tell(access, (struct access){.kind = ACCESS_REDUCE, .order = ORDER_RELAXED, .scope = SCOPE_GPU}, bytes, teller);
    return RULE_OK;
}
