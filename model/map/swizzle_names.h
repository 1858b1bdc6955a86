// SPDX-License-Identifier: MIT
// What a swizzle mode is called elsewhere: the driver's enum, tensormap.replace, CuTe, the wgmma matrix descriptor.
// How a mode moves bytes is model/walk/swizzle.h; nothing here computes an address.
#ifndef TMAREF_MAP_SWIZZLE_NAMES_H
#define TMAREF_MAP_SWIZZLE_NAMES_H

#include <stdint.h>

#include "rule.h"
#include "tensormap.h"

// CuTe's Swizzle<bits, base, shift>: XOR `bits` bits from position base + shift onto position base.
struct swizzle_cute {
    uint32_t bits, base, shift;
};

// One mode. The code in tensormap.replace's swizzle_mode is the driver's enum value, which is the mode itself;
// `wgmma` is bits 63..62 of a matrix descriptor, which count the other way.
struct swizzle_name {
    const char *name, *driver;
    uint32_t wgmma;
    enum rule rule;
};

// The row of `mode`, one of the four of sm_90a.
//   source   PTX ISA 9.1 "tensormap.replace" and "Matrix Descriptor Format" (#asynchronous-warpgroup-level-matrix)
const struct swizzle_name *swizzle_name(enum tensormap_swizzle mode);

// Its name alone, for the fields of a case; and the mode of a matrix descriptor's two bits.
const char *swizzle_plain_name(uint32_t mode);
enum tensormap_swizzle swizzle_of_wgmma(uint32_t wgmma);

// The mode as a CuTe swizzle of indices of elements of `element_bytes` bytes (1, 2, 4, 8, 16); 1 gives the byte form.
struct swizzle_cute swizzle_cute(enum tensormap_swizzle mode, uint32_t element_bytes);

// After how many bytes of shared memory the pattern repeats; 0 for SWIZZLE_NONE, whose pattern is empty.
uint32_t swizzle_repeat_bytes(enum tensormap_swizzle mode);

// The alignment that starts the pattern at its beginning: the repeat, and 128 for SWIZZLE_NONE (any tensor copy's).
uint32_t swizzle_align_bytes(enum tensormap_swizzle mode);

#endif
