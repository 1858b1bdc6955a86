// SPDX-License-Identifier: MIT
// One thread of CTA 2 executes trap.
#include "program.cuh"

__global__ void trap_kernel(int *to)
{
    if (blockIdx.x == 2 && threadIdx.x == 40) __trap();
    __syncthreads();
    to[threadIdx.x] = 1;
}

int main()
{
    trap_kernel<<<4, 64>>>((int *)device_words(64));
    return finish();
}
