// SPDX-License-Identifier: MIT
// Ping-pong GEMM kernels that compute the transpose of D, so that a tile can have any multiple of 16 rows.
#include "kernel.cuh"

#define FUNCTION(...) GEMM_FUNCTION(turned, produce, consume_in_turns, , __VA_ARGS__)
GEMM_PINGPONG_TURNED_INSTANCES(FUNCTION)
