// SPDX-License-Identifier: MIT
// One thread of a CTA, for instructions that one thread is to issue.
#ifndef TMAREF_ELECT_CUH
#define TMAREF_ELECT_CUH

#include <stdint.h>

// True for the thread of warp 0 that elect.sync picks: the compiler then knows that it is one. All threads of the warp
// call it together.
static __device__ inline bool is_elected()
{
    uint32_t elected;
    asm volatile("{\n .reg .pred p;\n elect.sync _|p, 0xffffffff;\n selp.u32 %0, 1, 0, p;\n}" : "=r"(elected));
    return __shfl_sync(0xffffffff, threadIdx.x / 32, 0) == 0 && elected;
}

#endif
