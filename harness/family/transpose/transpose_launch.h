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

// CTAs that run side by side on a GPU, for `ctas` of a case that is to be fast.
uint32_t transpose_resident_ctas(const struct gpu *gpu, uint32_t element_bytes);

// Clocks of an SM in which each of its TRANSPOSE_TIMED_CTAS CTAs turns `rounds` tiles in shared memory; nothing is
// loaded or stored.
//   answer   device address of 8 bytes
//   returns  0 or the CUDA error
int transpose_clocks(struct gpu *gpu, uint32_t element_bytes, enum tensormap_swizzle swizzle, enum transpose_walk walk,
                     uint32_t rounds, uint64_t answer, uint64_t *clocks);

#endif
