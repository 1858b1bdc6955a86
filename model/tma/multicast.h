// SPDX-License-Identifier: MIT
// Loads in a cluster: which CTAs a load from global memory goes to, with and without multicast, and the checks of that.
// What is loaded, and where it lands in each CTA, is the same as for a CTA alone: copy.h, im2col_load.h, bulk.h. The
// slices of a tile that CTAs load for each other are in slice.h.
#ifndef TMAREF_MULTICAST_H
#define TMAREF_MULTICAST_H

#include <stdbool.h>

#include "cluster_memory.h"
#include "im2col_load.h"

// Where a load goes.
//   issuer      rank of the CTA that issues
//   is_multicast, mask   .multicast::cluster and its ctaMask, 16 bits
//   to_rank, shared      the destination, a shared::cluster address: the CTA it names, and the offset there
//   barrier_rank         the CTA that the address of the barrier names
struct cluster_load {
    struct cluster_memory cluster;
    uint32_t issuer;
    bool is_multicast;
    uint32_t mask;
    uint32_t to_rank, shared;
    uint32_t barrier_rank;
};

// The CTAs that get the data, each of them also the full transaction bytes on its barrier at the offset of the barrier
// operand: the mask, or the CTA that the destination names. Bit i is rank i; 0 for a rank that no cluster has. Rules
// MULTICAST_TARGETS, MULTICAST_OFFSET, LOAD_OTHER_BARRIER.
uint32_t multicast_targets(const struct cluster_load *load);

// The loads in a cluster, done at once: as tile_load(), im2col_load() and bulk_copy(), with the destination of `load`.
// A load that faults has written nothing; one whose mask is 0 does nothing, whatever else is wrong with it.
//   transaction_bytes  what complete_tx subtracts from the barrier of each target                             (bytes)
//   findings  NULL, or takes every rule broken, and the warnings
//   returns   RULE_OK or the first rule broken, in the order of the hardware: a launch without a cluster (715), the
//             instruction (715), alignment (716), missing CTAs (719), the source (700), the destination (700, 719)
//   source    PTX ISA 9.1 cp.async.bulk.tensor, cp.async.bulk: .multicast::cluster
enum rule multicast_tile_load(const struct tensormap *map, int dims, const int32_t *coord,
                              const struct memory *global_memory, const struct cluster_load *load,
                              uint32_t *transaction_bytes, struct findings *findings);

enum rule multicast_im2col_load(const struct tensormap *map, int dims, const int32_t *coord, const uint16_t *offset,
                                const struct memory *global_memory, const struct cluster_load *load,
                                uint32_t *transaction_bytes, struct findings *findings);

enum rule multicast_bulk_load(uint64_t from, uint32_t size_bytes, const struct memory *global_memory,
                              const struct cluster_load *load, uint32_t *transaction_bytes, struct findings *findings);

#endif
