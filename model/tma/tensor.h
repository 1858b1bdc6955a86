// SPDX-License-Identifier: MIT
// The bytes of a tensor operation under way: rows of its box, or a part of one. Private to model/tma.
#ifndef TMAREF_TENSOR_H
#define TMAREF_TENSOR_H

#include "flight_begin.h"
#include "transfer_check.h"

#pragma GCC visibility push(hidden) // not for users of the shared library

// Starts a tensor operation of CTA 0 of `cluster` from what its check was asked; flight->box is in place.
void tensor_begin(struct flight *flight, enum operation_kind kind, const struct transfer *transfer,
                  const struct cluster_memory *cluster);

// Starts the walk of its box.
void tensor_start(struct flight *flight);

// The box of an operation that passed its check; it points to the operation's map.
struct box tensor_box(const struct operation *operation);

// Moves up to `most_bytes` bytes, of which `*bytes` takes how many; returns whether nothing is left.
int tensor_advance(struct flight *flight, uint64_t most_bytes, uint64_t *bytes);

#pragma GCC visibility pop

#endif
