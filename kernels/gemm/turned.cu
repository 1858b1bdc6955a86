// SPDX-License-Identifier: MIT
// Split-K GEMM kernels that compute the transpose of D, so that a tile can have any multiple of 16 rows.
#include "split.cuh"

#define FUNCTION(kernel, in, out, m, n, ...)                                                                           \
    GEMM_FUNCTION(gemm_##kernel##_##in##_##out##_##m##x##n, produce_parts, consume_parts, in, out, m, n, __VA_ARGS__,  \
                  true, false, false, true)
GEMM_TURNED_INSTANCES(FUNCTION)
