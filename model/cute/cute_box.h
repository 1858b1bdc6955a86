// SPDX-License-Identifier: MIT
// CuTe layouts and TMA boxes: which box and swizzle fill a layout of shared memory, in how many copies; and the layout
// that a box leaves. Read cute.h first.
#ifndef TMAREF_CUTE_BOX_H
#define TMAREF_CUTE_BOX_H

#include "cute.h"
#include "tensormap.h"

enum { CUTE_MAX_LOOPS = 40 }; // a loop for each number, and for what is left of each dimension

// Copies of one box that follow each other: `count` of them, each `step_elems` further along dimension `dim` of the
// tensor (-1: no dimension, another stage) and `step_bytes` further in shared memory.
struct cute_loop {
    uint64_t count, step_elems, step_bytes;
    int dim;
};

// The copies that fill a layout. Dimension i of the tensor map, innermost first, is mode mode[i] of the layout.
//   extent[]      elements of the whole layout along the dimension; box[] those of one copy
//   align_bytes   the layout's address is a multiple of this: of the swizzle's pattern, or of what a copy needs
//   offset_bytes  where the first copy goes
struct cute_box {
    int rank, mode[TENSORMAP_MAX_RANK];
    uint64_t extent[TENSORMAP_MAX_RANK];
    uint32_t box[TENSORMAP_MAX_RANK];
    enum tensormap_swizzle swizzle;
    uint32_t align_bytes, offset_bytes;
    uint64_t copies;
    int loops;
    struct cute_loop loop[CUTE_MAX_LOOPS];
};

// Finds them, with boxes as large as can be.
//   modes   how many modes of the layout are dimensions of the tensor, 1 to 5; the others are stages
//   error   the column is that of the stride in the text which cute_write() makes
//   returns 1; or 0 where no tensor copies fill it, with the reason
//   source  PTX ISA 9.1 "Swizzling Modes" (#tensor-swizzling-modes); rules MAP_BOX_DIM, MAP_INNER_BYTES,
//           MAP_SWIZZLE_SPAN, TILE_PITCH, SWIZZLE_ABSOLUTE, LOAD_SMEM_ALIGN
int cute_box_of(const struct cute_layout *layout, enum dtype dtype, int modes, struct cute_box *box,
                struct cute_error *error);

// The swizzle mode of a layout whose elements have `bytes` bytes. Returns 0, with the reason, where the hardware has
// none that puts every 16 bytes where the layout does.
int cute_swizzle_mode(const struct cute_layout *layout, uint32_t bytes, enum tensormap_swizzle *mode,
                      struct cute_error *error);

// The layout of a box in shared memory: mode i is dimension i of the map, tiled and without interleave. Returns 0
// where there is none.
int cute_of_box(const struct tensormap *map, struct cute_layout *layout);

#endif
