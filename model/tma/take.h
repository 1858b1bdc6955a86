// SPDX-License-Identifier: MIT
// The only code that reads shared memory for a tensor store or reduction: bytes, un-swizzled on their way out. The
// mirror of move.h. Private to model/tma. It checks nothing: whoever calls it has checked that both sides are mapped.
#ifndef TMAREF_TAKE_H
#define TMAREF_TAKE_H

#include "move.h"
#include "reduce.h"

#pragma GCC visibility push(hidden) // not for users of the shared library

// Where a store reads: shared address `base` is at `bytes`.
struct origin {
    const uint8_t *bytes;
    uint32_t base;
    enum tensormap_swizzle swizzle;
};

// Copies rows of whole 16-byte chunks from shared address `from`, before swizzling, to `to`. Rule STORE_BITS.
void take_rows(const struct origin *origin, const struct rows *rows, uint8_t *to, uint32_t from);

// Reduces them into `to`, element by element; `op` is one that `dtype` has.
void reduce_rows(const struct origin *origin, const struct rows *rows, enum reduce_op op, enum dtype dtype, uint8_t *to,
                 uint32_t from);

#pragma GCC visibility pop

#endif
