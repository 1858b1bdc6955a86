// SPDX-License-Identifier: MIT
// The bytes of a tensor operation: rows of its box, or a part of one. Private to model/tma.
#ifndef TMAREF_TENSOR_H
#define TMAREF_TENSOR_H

#include <stdbool.h>

#include "flight.h"

// Where rows move: a load, a store or a reduction (by `op`) of `map`, between global memory and the place `shared` in
// the CTAs of `targets`, of a store in that of rank `issuer`. `hit`: NULL, or the region of the last rows.
struct tensor_mover {
    enum operation_kind kind;
    enum reduce_op op;
    uint32_t issuer, targets, shared;
    const struct tensormap *map;
    const struct global_memory *global;
    const struct cluster_memory *cluster;
    const struct region *hit;
};

// Moves a whole box of `mover->map` at once, which nobody hears.
void tensor_move(struct tensor_mover *mover, const struct box *box);

// Makes the box of a flight, as its check does; and starts the walk of it.
void tensor_box(struct flight *flight);
void tensor_start(struct flight *flight);

// How far behind its place in shared memory a store or reduction reads.
uint64_t tensor_reach_bytes(struct flight *flight);

// Moves up to `most_bytes` bytes of a flight, of which `*bytes` takes how many; returns whether nothing is left.
bool tensor_advance(struct flight *flight, uint64_t most_bytes, uint64_t *bytes);

#endif
