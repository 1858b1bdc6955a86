// SPDX-License-Identifier: MIT
// The cooperative GEMM kernels: both consumer warpgroups share a tile.
#include "kernel.cuh"

#define FUNCTION(kernel, in, out, m, n, ...)                                                                           \
    GEMM_FUNCTION(gemm_##kernel##_##in##_##out##_##m##x##n, produce, consume, in, out, m, n, __VA_ARGS__, false, false)
GEMM_COOPERATIVE_INSTANCES(FUNCTION)

#define TIMELINE(kernel, in, out, m, n, ...)                                                                           \
    GEMM_FUNCTION(gemm_##kernel##_##in##_##out##_##m##x##n##_timeline, produce, consume, in, out, m, n, __VA_ARGS__,   \
                  false, true)
GEMM_COOPERATIVE_TIMELINES(TIMELINE)
