// SPDX-License-Identifier: MIT
// What the tests of the simulated libraries share: each is a program that prints what does not hold, and returns
// `failed`.
#ifndef TMAREF_TESTS_LIBRARY_CALLS_H
#define TMAREF_TESTS_LIBRARY_CALLS_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cuda_api.h"

static int failed;
#define HOLDS(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) failed |= printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition) > 0;                 \
    } while (0)

// Memory of the device, which the host reads and writes too; it holds zeros.
static inline void *device_memory(size_t bytes)
{
    unsigned long long at = 0;
    HOLDS(cuMemAlloc_v2(&at, bytes) == CUDA_SUCCESS);
    memset((void *)(uintptr_t)at, 0, bytes);
    return (void *)(uintptr_t)at;
}

static inline void done(void)
{
    HOLDS(cuCtxSynchronize() == CUDA_SUCCESS);
}

// The same numbers each time, between -1 and 1.
static inline double next_number(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / (double)(1ull << 52) - 1;
}

#endif
