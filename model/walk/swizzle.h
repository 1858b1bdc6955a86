// SPDX-License-Identifier: MIT
// Swizzle: which 16-byte chunk of shared memory a byte goes to. One XOR on the absolute shared address.
#ifndef TMAREF_SWIZZLE_H
#define TMAREF_SWIZZLE_H

#include <stdint.h>

#include "tensormap.h"

// The value XORed onto a shared address: its bits 7.. moved onto bits 4.. ; a constant for each 128-byte line.
//   address  absolute shared-memory address, before swizzling                                          (bytes)
//   source   PTX ISA 9.1 "Swizzling Modes" (#tensor-swizzling-modes); rules SWIZZLE_32B, SWIZZLE_64B, SWIZZLE_128B
static inline uint32_t swizzle_xor(enum tensormap_swizzle mode, uint32_t address)
{
    return (address >> 7 & ((1u << mode) - 1)) << 4;
}

// Where the byte at `address` lands. Its own inverse.
static inline uint32_t swizzle_apply(enum tensormap_swizzle mode, uint32_t address)
{
    return address ^ swizzle_xor(mode, address);
}

#endif
