// SPDX-License-Identifier: MIT
// Which elements of A and D the registers of the warpgroup hold. ldmatrix and stmatrix, which fill and empty them, are
// in mma/matrix.h.
#ifndef TMAREF_WGMMA_FRAGMENTS_H
#define TMAREF_WGMMA_FRAGMENTS_H

#include <stdint.h>

#include "types.h"

// Places of A count k in units (see wgmma_units).

// Part `part` of register `index` of D in thread 0 .. 127 of the warpgroup: part 0, and 1 where f16 share a register.
struct number_place wgmma_place_d(enum wgmma_types types, int thread, int index, int part);

// Unit `part` (lowest bits first) of register 0 .. 3 of A in thread 0 .. 127.
struct number_place wgmma_place_a(enum wgmma_types types, int thread, int index, int part);

// Units of A in one register: 4 bytes of them.
int wgmma_a_parts(enum wgmma_types types);

// Columns `first` .. `first` + 7 of D, `first` a multiple of 8, as rows out of the registers and back into them:
// register r of the 32 lanes of warp w is d[r][w], and `columns` has WGMMA_M rows.
enum { WGMMA_COLUMNS = 8 };
void wgmma_columns_of_d(enum wgmma_types types, int first, uint32_t *const (*d)[WGMMA_PARTS],
                        uint32_t (*columns)[WGMMA_COLUMNS]);
void wgmma_columns_to_d(enum wgmma_types types, int first, uint32_t (*columns)[WGMMA_COLUMNS],
                        uint32_t *const (*d)[WGMMA_PARTS]);

#endif
