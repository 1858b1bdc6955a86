// SPDX-License-Identifier: MIT
// The split-K GEMM kernels: the CTAs that share a tile have a part of k each.
#include "split.cuh"

#define FUNCTION(...) GEMM_FUNCTION(split, produce_parts, consume_parts, , __VA_ARGS__)
GEMM_SPLIT_K_INSTANCES(FUNCTION)

#define TIMELINE(...) GEMM_FUNCTION(watched<split>, produce_parts, consume_parts, _timeline, __VA_ARGS__)
GEMM_SPLIT_K_TIMELINES(TIMELINE)
