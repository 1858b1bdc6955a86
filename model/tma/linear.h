// SPDX-License-Identifier: MIT
// The bytes of an operation without a box under way: one run from one place to another. Private to model/tma.
#ifndef TMAREF_LINEAR_H
#define TMAREF_LINEAR_H

#include "flight_begin.h"

#pragma GCC visibility push(hidden) // not for users of the shared library

// How many bytes the operation moves; a prefetch none, but it reads them.
uint64_t linear_bytes(const struct operation *operation);

// Starts an operation of CTA 0 that passed its check, without multicast and cache hint, the rest of whose operands the
// caller sets.
void linear_begin(struct flight *flight, enum operation_kind kind, const struct memories *memories, uint64_t from,
                  uint64_t to, uint32_t size_bytes);

// As tensor_advance().
int linear_advance(struct flight *flight, uint64_t most_bytes, uint64_t *bytes);

#pragma GCC visibility pop

#endif
