// SPDX-License-Identifier: MIT
// Clusters: how a shared::cluster address is made and read, where a CTA of a grid stands in its cluster, and which
// launches an H200 refuses. Accesses: cluster_access.h.
//
// A shared::cluster address is 32 bits: the rank of the CTA in bits 31..24, the offset in its shared memory in bits
// 23..0. The address of a CTA's own variable already has its rank in it.
#ifndef TMAREF_CLUSTER_H
#define TMAREF_CLUSTER_H

#include <stdint.h>

#include "finding.h"
#include "hopper.h"

enum { CLUSTER_MAX_PORTABLE = 8, CLUSTER_MAX = 16 };
enum { LAUNCH_MAX_THREADS = 1024, LAUNCH_DEFAULT_SHARED_BYTES = 48 * 1024, LAUNCH_MAX_SHARED_BYTES = 227 * 1024 };
#define LAUNCH_MAX_GRID_X UINT32_C(0x7fffffff)
enum { LAUNCH_MAX_GRID_YZ = 65535, LAUNCH_MAX_BLOCK_Z = 64 };

// mapa.shared::cluster.u32: the same offset in CTA `rank`; only bits 7..0 of the rank count. Arithmetic only: neither
// the rank nor the address is checked. Rule CLUSTER_MAPA.
uint32_t cluster_mapa(uint32_t address, uint32_t rank);

// getctarank.shared::cluster.u32: bits 31..24 of any address. Rule CLUSTER_MAPA.
uint32_t cluster_address_rank(uint32_t address);

// The same for generic addresses (mapa.u64, getctarank.u64): bits 63..32 are kept, and not looked at.
uint64_t cluster_mapa_generic(uint64_t address, uint32_t rank);
uint32_t cluster_generic_rank(uint64_t address);

// isspacep.shared::cta and isspacep.shared::cluster of the generic address that lies `offset` behind the start of the
// shared window (modulo 2^64), asked by the CTA of rank `rank`. The window is 2^32 bytes, in every launch, whatever of
// it is there. Rule CLUSTER_WINDOW.
int cluster_is_shared_cta(uint64_t offset, uint32_t rank);
int cluster_is_shared_cluster(uint64_t offset);

// The rank of the CTA at `ctaid` of a cluster of `cluster` CTAs: x fastest, then y, then z. Rule CLUSTER_RANK.
uint32_t cluster_rank(const uint32_t cluster[3], const uint32_t ctaid[3]);

// What a CTA reads of its cluster: the special registers of the same names.
struct cluster_registers {
    uint32_t clusterid[3], nclusterid[3], cluster_ctaid[3], cluster_nctaid[3];
    uint32_t cluster_ctarank, cluster_nctarank, is_explicit_cluster;
};

// A launch: what the calls say, and what the kernel was compiled with. Index 0 is x.
struct cluster_launch {
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; // CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, if has_cluster
    int has_cluster;
    int non_portable;      // CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
    uint32_t shared_bytes; // dynamic
    int allows_shared;     // whether CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES was set before, to this:
    uint32_t allowed_shared_bytes;

    uint32_t compiled_cluster[3];  // __cluster_dims__, 0 without
    uint32_t compiled_threads;     // the threads of __launch_bounds__, LAUNCH_MAX_THREADS without
    uint32_t compiled_max_cluster; // its third argument, 0 without
    uint32_t static_shared_bytes;
};

// RULE_OK, or the first rule that the launch breaks, in the driver's order; all of them go to `findings` (may be NULL).
// Setting the allowed shared memory is part of it: cuFuncSetAttribute refuses what is out of range.
//   source   CUDA Driver API 13.0, cuLaunchKernelEx; trace cluster
enum rule cluster_launch_check(const struct cluster_launch *launch, struct findings *findings);

// The registers of the CTA at `ctaid` of a launch that passed the check. Without attribute and __cluster_dims__ every
// CTA is a cluster of its own, not an explicit one.
struct cluster_registers cluster_registers(const struct cluster_launch *launch, const uint32_t ctaid[3]);

#endif
