// SPDX-License-Identifier: MIT
// Reductions: what an operation makes of two elements, bit for bit, for every type that has it. Tensor reductions take
// the type from the map; bulk reductions name it (f16, bf16, f32, f64 are FLOAT16, BFLOAT16, FLOAT32, FLOAT64; b32 and
// b64 are UINT32 and UINT64). Which bytes meet is not decided here: see store.h.
#ifndef TMAREF_REDUCE_H
#define TMAREF_REDUCE_H

#include <stdint.h>

#include "dtype.h"

// The operations of cp.reduce.async.bulk, in the order in which PTX lists them.
enum reduce_op {
    REDUCE_ADD,
    REDUCE_MIN,
    REDUCE_MAX,
    REDUCE_INC,
    REDUCE_DEC,
    REDUCE_AND,
    REDUCE_OR,
    REDUCE_XOR,
    REDUCE_OPS
};

// Does an H200 reduce elements of this type with this operation, or is it an illegal instruction?
int reduce_is_legal(enum reduce_op op, enum dtype dtype);

// memory[i] = op(memory[i], source[i]) for `count` elements that need no alignment and do not overlap.
//   memory, source  little-endian elements of `dtype`: the old value in global memory, and the one in shared memory
//   count           elements
//   returns         1; 0, with nothing changed, if the type does not have the operation
//   source          PTX ISA 9.1 cp.reduce.async.bulk (#data-movement-and-conversion-instructions-cp-reduce-async-bulk);
//                   rules REDUCE_INTEGER, REDUCE_FLOAT_ADD, REDUCE_FTZ, REDUCE_HALF_MIN_MAX
int reduce_apply(enum reduce_op op, enum dtype dtype, void *memory, const void *source, uint32_t count);

// "add", "min", ... as PTX spells it.
const char *reduce_op_name(enum reduce_op op);

// The operation with this name, or REDUCE_OPS.
enum reduce_op reduce_op_find(const char *name);

#endif
