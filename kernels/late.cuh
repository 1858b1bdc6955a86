// SPDX-License-Identifier: MIT
// The end of a wait that takes too long: it says who waited for what, and the kernel goes on to its end.
#ifndef TMAREF_LATE_CUH
#define TMAREF_LATE_CUH

#include "device.cuh"
#include "late.h"

extern "C" __device__ struct late late_wait = {};

static __device__ void give_up(const uint64_t *barrier, uint32_t parity)
{
    if (atomicAdd(&late_wait.waits, 1) != 0) return;
    late_wait.cta = blockIdx.x;
    late_wait.thread = threadIdx.x;
    late_wait.barrier = shared_address(barrier);
    late_wait.parity = parity;
}

// By every thread that reads what the copies of the phase wrote: acquires it.
static __device__ __forceinline__ void wait_or_give_up(uint64_t *barrier, uint32_t parity, long long clocks)
{
    const auto try_once = [&] {
        return ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, barrier, parity);
    };
    if (!wait_until(clocks, try_once)) give_up(barrier, parity);
}

#endif
