// SPDX-License-Identifier: MIT
// The gathering GEMM kernels: split-K through a workspace, or one part; operands by cp.async, not by TMA.
#include "gather.cuh"

#define FUNCTION(kernel, in, out, m, n, ...)                                                                           \
    GEMM_FUNCTION(gemm_##kernel##_##in##_##out##_##m##x##n, produce_gathered, consume_parts, in, out, m, n,            \
                  __VA_ARGS__, true, false, true)
GEMM_GATHER_INSTANCES(FUNCTION)
