// SPDX-License-Identifier: MIT
// The shared memories of a cluster, by rank: what loads, multicast, bulk copies, st.async, red.async, mapa'd accesses
// and barriers of other CTAs reach. A launch without clusters is one CTA of rank 0. Read memory.h first.
#ifndef TMAREF_CLUSTER_MEMORY_H
#define TMAREF_CLUSTER_MEMORY_H

#include "memory.h"
#include "rule.h"

enum { CLUSTER_MEMORY_MAX_CTAS = 16 };

//   cta         the shared memory of each CTA; all of one size and base, for they run one kernel. Bases are offsets in
//               the CTA's window: the rank of a shared::cluster address (bits 31..24) is not in them
//   ctas        how many there are: 1 to 16
//   is_cluster  0 in a launch without the cluster attribute
//   exited      bit r: the CTA of rank r has ended, so nobody can reach its memory
struct cluster_memory {
    const struct memory *cta;
    uint32_t ctas;
    int is_cluster;
    uint32_t exited;
};

// Can CTA `rank` be reached? RULE_OK, CLUSTER_RANK_MISSING or CLUSTER_EXITED, both 719.
enum rule cluster_memory_check(const struct cluster_memory *cluster, uint32_t rank);

// Where the `count_bytes` bytes at offset `offset` of CTA `rank` are; NULL if the CTA cannot be reached, or not all of
// them are its memory.
uint8_t *cluster_memory_at(const struct cluster_memory *cluster, uint32_t rank, uint32_t offset, uint64_t count_bytes);

// The memory of one CTA that was launched without a cluster.
static inline struct cluster_memory cluster_memory_alone(const struct memory *cta)
{
    struct cluster_memory cluster = {cta, 1, 0, 0};
    return cluster;
}

#endif
