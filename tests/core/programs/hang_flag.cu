// SPDX-License-Identifier: MIT
// 64 CTAs poll a flag in global memory; CTA 0 sets the word beside it.
#include "program.cuh"

static __device__ __forceinline__ int load_acquire(const int *flag)
{
    int value;
    asm volatile("ld.acquire.gpu.global.b32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    return value;
}

__global__ void flag_kernel(int *flags, int *to)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        __threadfence();
        atomicExch(&flags[1], 1); // mistake: flags[0]
    }
    if (threadIdx.x == 0)
        while (load_acquire(&flags[0]) != 1) continue;
    __syncthreads();
    to[threadIdx.x] = 1;
}

int main()
{
    flag_kernel<<<64, 64>>>((int *)device_words(2), (int *)device_words(64));
    return finish();
}
