// SPDX-License-Identifier: MIT
// The gathering GEMM kernels: split-K through a workspace, or one part; operands by cp.async, not by TMA.
#include "gather.cuh"

#define FUNCTION(...) GEMM_FUNCTION(gathered, produce_gathered, consume_parts, , __VA_ARGS__)
GEMM_GATHER_INSTANCES(FUNCTION)
