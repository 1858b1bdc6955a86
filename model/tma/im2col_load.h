// SPDX-License-Identifier: MIT
// Tensor loads in im2col mode, from global to shared memory. Checks first, then copies; a load that faults has written
// nothing. Read im2col.h first.
#ifndef TMAREF_IM2COL_LOAD_H
#define TMAREF_IM2COL_LOAD_H

#include "im2col.h"
#include "memory.h"

// The check of an im2col load, in the hardware's order: 715 before 716 before 700. Without global memory (NULL) what
// is mapped is not asked, and all else is checked.
//   dims      the .Nd of the instruction; `coord` has as many entries
//   offset    im2colOffsets, rank - 2 entries, W first; any value                                    (elements)
//   shared    destination address in the CTA's shared window                                           (bytes)
//   findings  NULL, or takes every rule broken, not only the first
//   returns   RULE_OK or the first rule broken; rule_cuda_error() of it is the sticky error an H200 raises
//   source    PTX ISA 9.1 cp.async.bulk.tensor (#data-movement-and-conversion-instructions-cp-async-bulk-tensor)
enum rule im2col_load_check(const struct tensormap *map, int dims, const int32_t *coord, const uint16_t *offset,
                            const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared,
                            struct findings *findings);

// cp.async.bulk.tensor.{dims}d.shared::cluster.global.im2col, done at once.
//   transaction_bytes  what complete_tx subtracts from the mbarrier; written only on RULE_OK           (bytes)
//   findings, returns  as im2col_load_check(); on a fault shared memory is unchanged
enum rule im2col_load(const struct tensormap *map, int dims, const int32_t *coord, const uint16_t *offset,
                      const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared,
                      uint32_t *transaction_bytes, struct findings *findings);

#endif
