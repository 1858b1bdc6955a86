// SPDX-License-Identifier: MIT
// The matrix descriptor of wgmma: its 64 bits, and where in shared memory each element of the operand lies.
#ifndef TMAREF_WGMMA_DESCRIPTOR_H
#define TMAREF_WGMMA_DESCRIPTOR_H

#include <stdint.h>

#include "hopper.h"

// As the descriptor encodes it: not the numbers that tensor maps have.
enum wgmma_swizzle { WGMMA_SWIZZLE_NONE, WGMMA_SWIZZLE_128B, WGMMA_SWIZZLE_64B, WGMMA_SWIZZLE_32B };

// The fields, in bytes. `base_offset` counts lines of 128 bytes.
struct wgmma_descriptor {
    uint32_t start_bytes, leading_bytes, stride_bytes, base_offset;
    enum wgmma_swizzle swizzle;
};

// The 64 bits; fields are cut to their width (18 bits in units of 16 bytes; 3 bits; 2 bits).
uint64_t wgmma_descriptor_pack(const struct wgmma_descriptor *descriptor);
struct wgmma_descriptor wgmma_descriptor_unpack(uint64_t bits);

// Where a byte of a K-major operand lies.
//   row      of M or N
//   k_bytes  its byte along K
//   returns  absolute shared address; it does not wrap at 2^18                                           (bytes)
//   source   PTX ISA 9.1 "Strides", "Matrix Descriptor" (#asynchronous-warpgroup-level-matrix-shared-memory-layout)
uint32_t wgmma_address_k_major(const struct wgmma_descriptor *descriptor, int row, int k_bytes);

// Where the 16-bit element (row of M or N, k) of an MN-major operand lies.
uint32_t wgmma_address_mn_major(const struct wgmma_descriptor *descriptor, int row, int k);

// Where that byte or element would lie if there were no swizzle.
uint32_t wgmma_unswizzled(const struct wgmma_descriptor *descriptor, uint32_t address);

// Bytes of a row of the pattern: 128, 64 or 32, or 16 without a swizzle.
uint32_t wgmma_span_bytes(const struct wgmma_descriptor *descriptor);

#endif
