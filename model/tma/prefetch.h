// SPDX-License-Identifier: MIT
// Prefetches into L2, and L2 cache hints: they move nothing that a program can see, but operands are checked. What is
// not checked here (mapped or not) is ignored by an H200. Read load_check.c for what a load checks besides.
#ifndef TMAREF_PREFETCH_H
#define TMAREF_PREFETCH_H

#include "tensormap.h"

// cp.async.bulk.prefetch.tensor.{dims}d.L2.global.tile: the checks of a load that look at map and coordinates, all 715.
// The tensor need not be mapped.
//   findings  NULL, or takes every rule broken
//   returns   RULE_OK or the first rule broken
//   source    PTX ISA 9.1 cp.async.bulk.prefetch.tensor
enum rule tile_prefetch_check(const struct tensormap *map, int dims, const int32_t *coord, struct findings *findings);

// The same for .im2col, whose start must lie in the bounding box. `offset` (rank - 2 entries) is never refused.
enum rule im2col_prefetch_check(const struct tensormap *map, int dims, const int32_t *coord, const uint16_t *offset,
                                struct findings *findings);

// cp.async.bulk.prefetch.L2.global: the address is a multiple of 16 (716), and bits 56 to 63 of the first and the
// last are all 0 or all 1 (700), unless the size comes to nothing, as in bulk_moved_bytes().
//   source    PTX ISA 9.1 cp.async.bulk.prefetch
enum rule bulk_prefetch_check(uint64_t from, uint32_t size_bytes, struct findings *findings);

// The 64-bit operand of .L2::cache_hint, on any instruction that moves bytes: 715 for values that no createpolicy makes
// and the hardware cannot read. Rule CACHE_POLICY.
//   source    PTX ISA 9.1 createpolicy
enum rule cache_policy_check(uint64_t policy, struct findings *findings);

#endif
