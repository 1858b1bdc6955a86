// SPDX-License-Identifier: MIT
// Which elements of A and D the registers of the warpgroup hold, and the moves between registers and shared memory that
// know of matrices: ldmatrix and stmatrix.
#ifndef TMAREF_WGMMA_FRAGMENTS_H
#define TMAREF_WGMMA_FRAGMENTS_H

#include <stdint.h>

#include "memory.h"
#include "types.h"

// An element of a matrix; of A the column is k, in units (see wgmma_units).
struct wgmma_place {
    int row, column;
};

// Part `part` of register `index` of D in thread 0 .. 127 of the warpgroup: part 0, and 1 where f16 share a register.
struct wgmma_place wgmma_place_d(enum wgmma_types types, int thread, int index, int part);

// Unit `part` (lowest bits first) of register 0 .. 3 of A in thread 0 .. 127.
struct wgmma_place wgmma_place_a(enum wgmma_types types, int thread, int index, int part);

// Units of A in one register: 4 bytes of them.
int wgmma_a_parts(enum wgmma_types types);

// ldmatrix.sync.aligned.m8n8.x<count>{.trans}.b16 of one warp: `address[lane]` is the row that the lane points at
// (lanes 8i to 8i + 7 those of matrix i), registers[i][lane] what each lane gets of matrix i. Returns 0, and moves
// nothing, when one of the rows is not a multiple of 16 or not in `shared`. stmatrix is the same, the other way.
//   source   PTX ISA 9.1 "ldmatrix" (#warp-level-matrix-instructions-ldmatrix), "stmatrix"
int wgmma_ldmatrix(const struct memory *shared, const uint32_t address[32], int count, int is_trans,
                   uint32_t registers[][32]);
int wgmma_stmatrix(const struct memory *shared, const uint32_t address[32], int count, int is_trans,
                   uint32_t registers[][32]);

#endif
