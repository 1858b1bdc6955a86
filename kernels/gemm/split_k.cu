// SPDX-License-Identifier: MIT
// The split-K GEMM kernels: the CTAs that share a tile have a part of k each.
#include "split.cuh"

#define FUNCTION(kernel, in, out, m, n, ...)                                                                           \
    GEMM_FUNCTION(gemm_##kernel##_##in##_##out##_##m##x##n, produce_parts, consume_parts, in, out, m, n, __VA_ARGS__,  \
                  true, false)
GEMM_SPLIT_K_INSTANCES(FUNCTION)

#define TIMELINE(kernel, in, out, m, n, ...)                                                                           \
    GEMM_FUNCTION(gemm_##kernel##_##in##_##out##_##m##x##n##_timeline, produce_parts, consume_parts, in, out, m, n,    \
                  __VA_ARGS__, true, true)
GEMM_SPLIT_K_TIMELINES(TIMELINE)
