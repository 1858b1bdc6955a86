// SPDX-License-Identifier: MIT
// The bytes of an operation without a box under way: one run from one place to another. Private to model/tma.
#ifndef TMAREF_LINEAR_H
#define TMAREF_LINEAR_H

#include <stdbool.h>

#include "cp_async.h"
#include "flight.h"

// How many bytes the operation moves; a prefetch none, but it reads them.
uint64_t linear_bytes(const struct operation *operation);

// One copy of cp.async, whose destination is `to`: what is read, then zeros. The memories of `copy` are not looked at.
void linear_copy(const struct cp_async *copy, const struct global_memory *global, uint8_t *to);

// As tensor_advance().
bool linear_advance(struct flight *flight, uint64_t most_bytes, uint64_t *bytes);

#endif
