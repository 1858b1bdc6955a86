// SPDX-License-Identifier: MIT
// The only code that reads shared memory for a tensor store or reduction: bytes, un-swizzled on their way out. The
// mirror of move.h. Private to model/tma. It checks nothing: whoever calls it has checked that both sides are mapped.
#ifndef TMAREF_TAKE_H
#define TMAREF_TAKE_H

#include "move.h"
#include "tile.h"
#include "transfer_check.h"

#pragma GCC visibility push(hidden) // not for users of the shared library

// Stores rows of whole 16-byte chunks, all like `run`, from where the walk found them, or reduces them element by
// element. Rule STORE_BITS.
void take_rows(const struct transfer *transfer, const struct rows *rows, const struct tile_run *run);

// The first of these rows that is not all mapped in global memory; 0 if there is none. Looks at all together first.
int take_find_unmapped(const struct transfer *transfer, const struct rows *rows, const struct tile_run *run,
                       uint64_t *unmapped);

#pragma GCC visibility pop

#endif
