// SPDX-License-Identifier: MIT
// Bulk copies and reductions without a map (cp.async.bulk, cp.reduce.async.bulk), and st.async and red.async, which
// move a few register bytes to another CTA by the same rules of addresses. Checks first, then moves; what faults has
// written nothing. The arithmetic is in reduce.h, the barrier that counts the bytes in mbarrier.h.
#ifndef TMAREF_BULK_H
#define TMAREF_BULK_H

#include <stdbool.h>

#include "bulk_op.h"
#include "finding.h"
#include "memory.h"
#include "reduce.h"

// One row of the lists in bulk_op.h; `op_ptx` and `type_ptx` as PTX spells them.
struct bulk_reduction {
    enum reduce_op op;
    enum dtype dtype;
    const char *op_ptx, *type_ptx;
    bool is_global_only;
};

// Row `id`, which is less than BULK_REDUCTIONS.
const struct bulk_reduction *bulk_reduction(enum bulk_reduction_id id);

// One operation. Addresses in shared memory are 32 bits, read as operand.h says; those in another CTA are offsets in
// it. `source` holds what `from` points into: global memory, the issuing CTA's shared memory, or the
// registers' bytes; `destination` likewise. `size_bytes` is the operand: for registers 4, 8 or 16.
struct bulk {
    enum bulk_form form;
    const struct memory *source, *destination;
    uint64_t from, to;
    uint32_t size_bytes;
};

bool bulk_is_from_global(enum bulk_form form);
bool bulk_is_to_global(enum bulk_form form);
bool bulk_is_to_other(enum bulk_form form);

// The bytes that move, and that complete_tx counts where a barrier is told: ((size >> 4) & 0xffff) * 16 of a bulk
// operation, all of them from registers. Rules BULK_SIZE, BULK_SIZE_FIELD, BULK_TX_BYTES.
uint32_t bulk_moved_bytes(enum bulk_form form, uint32_t size_bytes);

// The check of a bulk operation: 716 before 700 before 719. An operation that moves nothing looks at no address.
//   findings  NULL, or takes every rule broken, and the warnings
//   returns   RULE_OK or the first rule broken; rule_cuda_error() of it is the sticky error an H200 raises
//   source    PTX ISA 9.1 cp.async.bulk (#data-movement-and-conversion-instructions-cp-async-bulk)
enum rule bulk_check(const struct bulk *bulk, struct findings *findings);

// The check of the mbarrier operand, whose rank does not count: 716, then as operand_check_barrier() where the source
// is global memory, and as a destination in another CTA (719, 700) for all other forms. A copy from global memory whose
// barrier is nowhere moves nothing.
enum rule bulk_check_barrier(enum bulk_form form, uint32_t barrier, const struct memory *memory,
                             struct findings *findings);

// cp.async.bulk, or st.async from registers, done at once.
//   transaction_bytes  what complete_tx subtracts from the destination CTA's mbarrier, 0 where the destination is
//                      global memory; written only on RULE_OK                                              (bytes)
//   findings, returns  as bulk_check(); on a fault nothing is changed
enum rule bulk_copy(const struct bulk *bulk, uint32_t *transaction_bytes, struct findings *findings);

// Does PTX have this reduction for this form?
bool bulk_reduce_is_legal(enum bulk_form form, enum reduce_op op, enum dtype dtype);

// cp.reduce.async.bulk, or red.async from registers: as bulk_copy(), every element of the destination replaced by
// op(destination, source). RULE_BULK_REDUCE_TYPE where bulk_reduce_is_legal() says no.
enum rule bulk_reduce(const struct bulk *bulk, enum reduce_op op, enum dtype dtype, uint32_t *transaction_bytes,
                      struct findings *findings);

#endif
