// SPDX-License-Identifier: MIT
// The transposition kernels on matrices in device memory.
#ifndef TMAREF_TRANSPOSE_LAUNCH_H
#define TMAREF_TRANSPOSE_LAUNCH_H

#include "transpose_case.h"

// Starts the kernel of a case on the default stream.
//   source, result  device addresses of the two matrices, multiples of 16
//   dump            device address of what is dumped, TRANSPOSE_DUMP_BYTES(c) bytes; 0 for none (whole matrices alone)
//   returns         0 or the CUDA error
int transpose_launch(struct gpu *gpu, const struct transpose_case *test_case, uint64_t source, uint64_t result,
                     uint64_t dump);

// The case that transposes a matrix fastest: swizzle 128B and the walk without conflicts, tiles down first, as many
// CTAs as run side by side. Pitches are rows rounded up to 16 bytes.
struct transpose_case transpose_fast_case(const struct gpu *gpu, uint32_t element_bytes, uint32_t rows,
                                          uint32_t columns);

// Starts the turning of `rounds` tiles in shared memory by TRANSPOSE_TIMED_CTAS CTAs on each SM; nothing is loaded or
// stored. The slowest CTA's clocks go to the 8 bytes at device address `answer`, if they hold less. Returns 0 or the
// CUDA error.
int transpose_start_turning(struct gpu *gpu, uint32_t element_bytes, enum tensormap_swizzle swizzle,
                            enum transpose_walk walk, uint32_t rounds, uint64_t answer);

#endif
