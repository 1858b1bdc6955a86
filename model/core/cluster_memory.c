// SPDX-License-Identifier: MIT
#include "cluster_memory.h"

#include <stddef.h>

#include "rules/cluster.h"

enum rule cluster_memory_check(const struct cluster_memory *cluster, uint32_t rank)
{
    if (rank >= cluster->ctas) return RULE_CLUSTER_RANK_MISSING;
    return cluster->exited >> rank & 1 ? RULE_CLUSTER_EXITED : RULE_OK;
}

uint8_t *cluster_memory_at(const struct cluster_memory *cluster, uint32_t rank, uint32_t offset, uint64_t count_bytes)
{
    if (cluster_memory_check(cluster, rank) != RULE_OK) return NULL;
    return memory_at(&cluster->cta[rank], offset, count_bytes);
}
