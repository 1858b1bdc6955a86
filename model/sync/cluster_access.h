// SPDX-License-Identifier: MIT
// Accesses to the shared memory of a cluster by shared::cluster addresses, one instruction of one thread each. What
// such an address is: cluster.h; barriers: mbarrier_operate.h; copies: tma/bulk.h.
#ifndef TMAREF_CLUSTER_ACCESS_H
#define TMAREF_CLUSTER_ACCESS_H

#include "cluster_memory.h"
#include "finding.h"

// Who asks: ld, st, red and atom, a barrier operation, st.async and red.async, or cp.async.bulk between CTAs.
enum cluster_use { CLUSTER_PLAIN, CLUSTER_BARRIER_OPERATION, CLUSTER_REGISTERS_ASYNC, CLUSTER_COPY };

// The check of `bytes` bytes at `address` for the CTA of rank `issuer`, in the hardware's order:
//   715  CLUSTER_NONE, CLUSTER_RANK_LIMIT (a copy takes any rank for a CTA that is not there)
//   716  CLUSTER_ALIGN, MBARRIER_ADDRESS_ALIGN
//   700  CLUSTER_LIMIT: past 228 KiB
//   719  CLUSTER_RANK_MISSING, CLUSTER_EXITED
//   719  CLUSTER_BOUNDS; CLUSTER_LIMIT (700) in the issuer's own memory, unless the operation is asynchronous
//   findings  NULL, or takes every rule broken
//   returns   RULE_OK or the first rule broken
//   source    PTX ISA 9.1 "State spaces: shared"; traces cluster, cluster_fault
enum rule cluster_access_check(const struct cluster_memory *cluster, enum cluster_use use, uint32_t issuer,
                               uint32_t address, uint32_t bytes, struct findings *findings);

// Where the bytes at a shared::cluster address are, or NULL.
uint8_t *cluster_access_at(const struct cluster_memory *cluster, uint32_t address, uint32_t bytes);

#endif
