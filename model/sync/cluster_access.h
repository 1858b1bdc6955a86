// SPDX-License-Identifier: MIT
// Accesses to the shared memory of a cluster by shared::cluster addresses, one instruction of one thread each. What
// such an address is: cluster.h; barriers: mbarrier_operate.h; copies: operation.h.
#ifndef TMAREF_CLUSTER_ACCESS_H
#define TMAREF_CLUSTER_ACCESS_H

#include "atomic.h"
#include "cluster_memory.h"
#include "event.h"
#include "finding.h"

// Who asks: ld, st, red and atom, or a barrier operation. (st.async, red.async and copies have operation_check() in
// tma/operation.h.)
enum cluster_use {
    CLUSTER_PLAIN,
    CLUSTER_BARRIER_OPERATION,
};

// The check of `bytes` bytes at `address` for the CTA of rank `issuer`, in the hardware's order:
//   715  CLUSTER_NONE, CLUSTER_RANK_LIMIT
//   716  CLUSTER_ALIGN, MBARRIER_ADDRESS_ALIGN
//   700  CLUSTER_LIMIT: past 228 KiB
//   719  CLUSTER_RANK_MISSING, CLUSTER_EXITED
//   719  CLUSTER_BOUNDS; CLUSTER_LIMIT (700) in the issuer's own memory
//   findings  NULL, or takes every rule broken
//   returns   RULE_OK or the first rule broken
//   source    PTX ISA 9.1 "State spaces: shared"; traces cluster, cluster_fault
enum rule cluster_access_check(const struct cluster_memory *cluster, enum cluster_use use, uint32_t issuer,
                               uint32_t address, uint32_t bytes, struct findings *findings);

// One access: `bytes` bytes (1, 2, 4, 8 or 16) at a shared::cluster address, by a thread of the CTA of rank `issuer`.
struct cluster_access {
    const struct cluster_memory *cluster;
    uint32_t issuer, address, bytes;
};

// ld and st: weak. Their bytes go to `to`, or come from `from`.
//   returns  RULE_OK, or the rule that cluster_access_check() names: then nothing was read or written
enum rule cluster_load(const struct cluster_access *access, void *to, const struct teller *teller,
                       struct findings *findings);
enum rule cluster_store(const struct cluster_access *access, const void *from, const struct teller *teller,
                        struct findings *findings);

// atom, and red, which has no use for `*old` (it is written all the same, so not NULL): relaxed, at gpu scope. The
// bytes are those of the function (atomic.h); access->bytes is not looked at.
enum rule cluster_atomic(const struct cluster_access *access, uint32_t function, uint64_t operand, uint64_t compare,
                         uint64_t *old, const struct teller *teller, struct findings *findings);

#endif
