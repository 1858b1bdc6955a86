// SPDX-License-Identifier: MIT
// Split-K GEMM kernels that compute the transpose of D, so that a tile can have any multiple of 16 rows.
#include "split.cuh"

#define FUNCTION(...) GEMM_FUNCTION(turned_split, produce_parts, consume_parts, , __VA_ARGS__)
GEMM_TURNED_INSTANCES(FUNCTION)
