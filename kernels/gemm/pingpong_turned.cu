// SPDX-License-Identifier: MIT
// Ping-pong GEMM kernels that compute the transpose of D, so that a tile can have any multiple of 16 rows.
#include "kernel.cuh"

#define FUNCTION(kernel, in, out, m, n, ...)                                                                           \
    GEMM_FUNCTION(gemm_##kernel##_##in##_##out##_##m##x##n, produce, consume_in_turns, in, out, m, n, __VA_ARGS__,     \
                  false, false, false, true)
GEMM_PINGPONG_TURNED_INSTANCES(FUNCTION)
