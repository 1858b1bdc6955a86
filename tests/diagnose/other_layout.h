// SPDX-License-Identifier: MIT
// Interleaved and im2col tiles in plain numbers, loaded by loops of their own: no code of model/ or harness/ has a part
// in the bytes.
#ifndef TMAREF_OTHER_LAYOUT_H
#define TMAREF_OTHER_LAYOUT_H

#include "mistakes.h"

enum { LAYOUT_DIMS = 5 };

// A tensor and one tile of it. Of an interleaved one (`piece` is 16 or 32, else 0) the dimensions are W, H, slice, N,
// and a pixel is a piece; of an im2col one C, W, H, N in elements of `element` bytes.
//   box       pixels along each dimension; of im2col box[0] channels of `pixels` pixels
//   lower, upper, tap   corners and offsets of im2col, W first
//   span      of the swizzle: 0, 32, 64 or 128 bytes
struct layout {
    int piece, element, dims, span, pixels;
    uint64_t address;
    int64_t extent[LAYOUT_DIMS], pitch[LAYOUT_DIMS], at[LAYOUT_DIMS];
    int box[LAYOUT_DIMS], lower[2], upper[2], tap[2];
    uint32_t shared;
};

// Draws a tile as meant.
void layout_draw(struct layout *layout, struct dice *dice, bool is_im2col);

// Bytes of the tensor, and of the tile in shared memory.
uint64_t layout_tensor_bytes(const struct layout *layout);
uint32_t layout_tile_bytes(const struct layout *layout);

// Does the machine take it? A map and a start that fault are no wrong tile.
bool layout_is_legal(const struct layout *layout);

// Loads the tile; 0 if it would read what is not there.
int layout_load(const struct layout *layout, const struct bytes *tensor, const struct bytes *shared);

#endif
