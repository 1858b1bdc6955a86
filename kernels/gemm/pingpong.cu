// SPDX-License-Identifier: MIT
// The ping-pong GEMM kernels: each consumer warpgroup has tiles of its own, one multiplies while the other stores.
#include "kernel.cuh"

#define FUNCTION(kernel, in, out, m, n, ...)                                                                           \
    GEMM_FUNCTION(gemm_##kernel##_##in##_##out##_##m##x##n, produce, consume_in_turns, in, out, m, n, __VA_ARGS__,     \
                  false, false)
GEMM_PINGPONG_INSTANCES(FUNCTION)

#define TIMELINE(kernel, in, out, m, n, ...)                                                                           \
    GEMM_FUNCTION(gemm_##kernel##_##in##_##out##_##m##x##n##_timeline, produce, consume_in_turns, in, out, m, n,       \
                  __VA_ARGS__, false, true)
GEMM_PINGPONG_TIMELINES(TIMELINE)
