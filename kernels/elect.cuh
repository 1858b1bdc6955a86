// SPDX-License-Identifier: MIT
// One thread, for instructions that one thread is to issue. The compiler then knows that it is one, and puts no loop
// around them.
#ifndef TMAREF_ELECT_CUH
#define TMAREF_ELECT_CUH

#include <stdint.h>

// True in the thread of the warp that elect.sync picks; all its threads call it together.
static __device__ __forceinline__ bool elect_one()
{
    uint32_t elected;
    asm volatile("{\n .reg .pred p;\n elect.sync _|p, 0xffffffff;\n selp.u32 %0, 1, 0, p;\n}" : "=r"(elected));
    return elected;
}

// True in one thread of the CTA, that of warp 0.
static __device__ __forceinline__ bool is_elected()
{
    bool elected = elect_one();
    return __shfl_sync(0xffffffff, threadIdx.x / 32, 0) == 0 && elected;
}

#endif
