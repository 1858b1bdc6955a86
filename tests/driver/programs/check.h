// SPDX-License-Identifier: MIT
// What the programs share: a CUDA error ends them, and a wrong value does.
#ifndef CHECK_H
#define CHECK_H

#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#define CUDA(call)                                                                                                     \
    do {                                                                                                               \
        cudaError_t error = (call);                                                                                    \
        if (error == cudaSuccess) break;                                                                               \
        std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(error));                            \
        std::exit(EXIT_FAILURE);                                                                                       \
    } while (0)

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (condition) break;                                                                                          \
        std::printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                          \
        std::exit(EXIT_FAILURE);                                                                                       \
    } while (0)

#endif
