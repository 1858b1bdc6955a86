// SPDX-License-Identifier: MIT
// Cooperative GEMM kernels that compute the transpose of D, so that a tile can have any multiple of 16 rows.
#include "kernel.cuh"

#define FUNCTION(...) GEMM_FUNCTION(turned, produce, consume, , __VA_ARGS__)
GEMM_COOPERATIVE_TURNED_INSTANCES(FUNCTION)
