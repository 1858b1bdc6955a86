// SPDX-License-Identifier: MIT
// The cooperative GEMM kernels: both consumer warpgroups share a tile.
#include "kernel.cuh"

#define FUNCTION(...) GEMM_FUNCTION(plain, produce, consume, , __VA_ARGS__)
GEMM_COOPERATIVE_INSTANCES(FUNCTION)

#define TIMELINE(...) GEMM_FUNCTION(watched<plain>, produce, consume, _timeline, __VA_ARGS__)
GEMM_COOPERATIVE_TIMELINES(TIMELINE)
