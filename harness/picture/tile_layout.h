// SPDX-License-Identifier: MIT
// A box of rows in shared memory and which 16-byte chunk of it lies at an address. The swizzle itself is
// model/walk/swizzle.h, used for every address; how the rows come out of a tensor is model/walk/tile.h.
#ifndef TMAREF_TILE_LAYOUT_H
#define TMAREF_TILE_LAYOUT_H

#include <stdint.h>

#include "tensormap.h"

enum { LAYOUT_LINE_BYTES = 128, LAYOUT_CHUNK_BYTES = 16, LAYOUT_LINE_CHUNKS = 8, LAYOUT_LABEL_BYTES = 32 };

// `rows` rows of `row_bytes` bytes (a multiple of 16, at most the span) from the absolute shared address `base`
// (a multiple of 128). `element_bytes` is 0 where nobody said what the elements are.
struct layout {
    enum tensormap_swizzle mode;
    uint32_t base, rows, row_bytes, element_bytes;
};

// What lies at an address. GAP: between a short row and the span, never touched. OUTSIDE: not in the box at all.
enum cell_kind { CELL_OUTSIDE, CELL_GAP, CELL_DATA };
struct cell {
    enum cell_kind kind;
    uint32_t row, chunk;
};

// Bytes from a row to the next: the span, or the row itself without swizzle (rule TILE_PITCH).
uint32_t layout_pitch_bytes(const struct layout *layout);

// How many 128-byte lines of shared memory the box reaches into.
uint32_t layout_lines(const struct layout *layout);

// Where byte `byte` of row `row` lands: the absolute shared address, swizzled.                            (bytes)
uint32_t layout_address(const struct layout *layout, uint32_t row, uint32_t byte);

// What lies in the chunk of shared memory at the absolute address `address`. The inverse of layout_address().
struct cell layout_cell(const struct layout *layout, uint32_t address);

// Writes the cell's name into label[LAYOUT_LABEL_BYTES]: "r3 c5", with elements "r3 40-47", "gap", or "." outside.
void layout_label(const struct layout *layout, struct cell cell, char *label);

#endif
