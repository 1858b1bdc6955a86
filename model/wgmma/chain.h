// SPDX-License-Identifier: MIT
// A chain of instructions along K on one accumulator, element by element: what a GEMM leaves. An element of D depends
// on its row of A and its column of B alone, whatever the tiles, the warpgroup or the N of the instructions.
#ifndef TMAREF_CHAIN_H
#define TMAREF_CHAIN_H

#include <stddef.h>

#include "arithmetic.h"

// Instructions of a chain over `k` elements; the last one's missing elements are zeros, as a load out of bounds gives.
size_t wgmma_chain_steps(enum wgmma_types types, uint64_t k);

// Takes one row of A (operand 0) or column of B (1) apart: `k` elements of 8 bits or more at `bytes`, K along them,
// into wgmma_chain_steps() vectors.
void wgmma_chain_read(enum wgmma_types types, int operand, uint64_t k, const uint8_t *bytes,
                      struct wgmma_vector *vectors);

// One element of D after `steps` instructions in ascending K, the first without an accumulator unless `c` is one.
uint32_t wgmma_chain_dot(enum wgmma_types types, size_t steps, const struct wgmma_vector *a,
                         const struct wgmma_vector *b, const uint32_t *c);

// An f32 accumulator in the format that an epilogue stores: F32 as it is, F16 and BF16 to the nearest, ties to even,
// as cvt.rn; any NaN is then 0x7fff.
//   source   PTX ISA 9.1 "cvt" (#data-movement-and-conversion-instructions-cvt)
uint32_t wgmma_round(enum wgmma_format format, uint32_t f32);

#endif
