// SPDX-License-Identifier: MIT
// The slow walk of a tiled box, which loads, stores and reductions share. Read slow.h first.
#ifndef TMAREF_SLOW_BOX_H
#define TMAREF_SLOW_BOX_H

#include "slow.h"

// One box under way. `element` is the size of an element, `unit` of a step of dimension 0 (an element, or a pixel with
// interleave), `pitch` from one row to the next in shared memory: bytes. steps[] from the rank on are 1.
struct slow_box {
    const struct slow_tile *tile;
    enum slow_mutant mutant;
    uint32_t element, unit, pitch;
    uint32_t steps[5];
};

struct slow_box slow_box_of(const struct slow_tile *tile, enum slow_mutant mutant);

// Step by step: slow_box_next() turns step k[0] .. k[4] into the one after it and returns 0 after the last.
bool slow_box_next(const struct slow_box *box, uint32_t *k);

// Is the element (pixel) in bounds, element by element?
bool slow_box_is_inside(const struct slow_box *box, const uint32_t *k);

// The global address of an element (pixel), in 64-bit arithmetic.
uint64_t slow_box_address(const struct slow_box *box, const uint32_t *k);

// The row of the box that the step lies in, and the shared address of byte `byte` of a row.
uint32_t slow_box_row(const struct slow_box *box, const uint32_t *k);
uint32_t slow_box_shared(const struct slow_box *box, uint32_t row, uint32_t byte);

bool slow_box_in_gmem(const struct slow_box *box, uint64_t address);
bool slow_box_in_smem(const struct slow_box *box, uint32_t address);

// What is wrong before any memory is looked at: 715 (`is_illegal`, or for all copies: mode, rank, dimensions,
// coordinate 0), 716, or 0.
int slow_box_fault(const struct slow_box *box, bool is_illegal);

#endif
