// SPDX-License-Identifier: MIT
// The end of a wait that takes too long: it says who waited for what, and the kernel goes on to its end.
#ifndef TMAREF_LATE_CUH
#define TMAREF_LATE_CUH

#include "late.h"

extern "C" __device__ struct late late_wait = {};

static __device__ void give_up(const uint64_t *barrier, uint32_t parity)
{
    if (atomicAdd(&late_wait.waits, 1) != 0) return;
    late_wait.cta = blockIdx.x;
    late_wait.thread = threadIdx.x;
    late_wait.barrier = (uint32_t)__cvta_generic_to_shared(barrier);
    late_wait.parity = parity;
}

#endif
