// SPDX-License-Identifier: MIT
// Stores and reductions in im2col mode, from shared to global memory: no offsets, and a bounding box that stays inside
// the tensor. Checks first, then moves; what faults has written nothing. Read im2col.h first; arithmetic is in
// reduce.h.
#ifndef TMAREF_IM2COL_STORE_H
#define TMAREF_IM2COL_STORE_H

#include "im2col.h"
#include "memory.h"
#include "reduce.h"

// The check of an im2col store, in the hardware's order: 715 before 716 before 700. Without global memory (NULL) what
// is mapped is not asked, and all else is checked.
//   dims      the .Nd of the instruction; `coord` has as many entries
//   shared    source address in the CTA's shared window                                                (bytes)
//   findings  NULL, or takes every rule broken, not only the first
//   returns   RULE_OK or the first rule broken; rule_cuda_error() of it is the sticky error an H200 raises
//   source    PTX ISA 9.1 cp.async.bulk.tensor (#data-movement-and-conversion-instructions-cp-async-bulk-tensor)
enum rule im2col_store_check(const struct tensormap *map, int dims, const int32_t *coord,
                             const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared,
                             struct findings *findings);

// The same for a reduction: the type of the map must have the operation too.
enum rule im2col_reduce_check(enum reduce_op op, const struct tensormap *map, int dims, const int32_t *coord,
                              const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared,
                              struct findings *findings);

// cp.async.bulk.tensor.{dims}d.global.shared::cta.im2col_no_offs, done at once. Where pixels share an address the last
// one wins; an H200 promises no order.
//   findings, returns  as im2col_store_check(); on a fault global memory is unchanged
enum rule im2col_store(const struct tensormap *map, int dims, const int32_t *coord, const struct memory *global_memory,
                       const struct memory *shared_memory, uint32_t shared, struct findings *findings);

// cp.reduce.async.bulk.tensor.{dims}d.global.shared::cta.{op}.im2col_no_offs, done at once; the rest as im2col_store().
//   source  PTX ISA 9.1 cp.reduce.async.bulk.tensor
//           (#data-movement-and-conversion-instructions-cp-reduce-async-bulk-tensor)
enum rule im2col_reduce(enum reduce_op op, const struct tensormap *map, int dims, const int32_t *coord,
                        const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared,
                        struct findings *findings);

#endif
