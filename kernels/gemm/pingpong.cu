// SPDX-License-Identifier: MIT
// The ping-pong GEMM kernels: each consumer warpgroup has tiles of its own, one multiplies while the other stores.
#include "kernel.cuh"

#define FUNCTION(...) GEMM_FUNCTION(plain, produce, consume_in_turns, , __VA_ARGS__)
GEMM_PINGPONG_INSTANCES(FUNCTION)

#define TIMELINE(...) GEMM_FUNCTION(watched<plain>, produce, consume_in_turns, _timeline, __VA_ARGS__)
GEMM_PINGPONG_TIMELINES(TIMELINE)
