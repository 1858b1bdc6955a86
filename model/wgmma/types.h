// SPDX-License-Identifier: MIT
// Which formats a dense wgmma multiplies: the rows of wgmma_op.h.
#ifndef TMAREF_WGMMA_TYPES_H
#define TMAREF_WGMMA_TYPES_H

#include "format.h"
#include "sparsity.h"
#include "wgmma_op.h"

// `name` as in PTX: "f32.e4m3.e5m2" (D, A, B). `k` elements of A and B make one element of D.
struct wgmma_types_row {
    const char *name;
    enum number_format d, a, b;
    int k;
};

// The row of types (< WGMMA_TYPES_COUNT).
const struct wgmma_types_row *wgmma_types_row(enum wgmma_types types);

// The types of that name, WGMMA_TYPES_COUNT if there are none.
enum wgmma_types wgmma_types_find(const char *name);

// s8, u8 and b1 are summed as integers, all others as floats.
int wgmma_is_integer(enum wgmma_types types);

// Only A and B of 16 bits may be MN-major.
int wgmma_may_transpose(enum wgmma_types types);

// Whether PTX has this N: 8 to 256 in steps of 8; for integers and bits above 32 in steps of 16, and 24 but not 40.
int wgmma_n_is_legal(enum wgmma_types types, int n);

// 32-bit registers of D that each thread has: N/2, or N/4 where two f16 share one.
int wgmma_d_registers(enum wgmma_types types, int n);

// The units in which A and B are handed over: elements, or 32 bits at a time of b1.
int wgmma_units(enum wgmma_types types);
int wgmma_unit_bytes(enum wgmma_types types);

// What the metadata of the sparse instruction of these types is for: as many chunks as there are pairs of units, of
// tf32 units.
struct number_sparsity wgmma_sparsity(enum wgmma_types types);

#endif
