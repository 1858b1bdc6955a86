// SPDX-License-Identifier: MIT
// A store of eight bytes to an address in shared memory that is a multiple of four.
#include "program.cuh"

__global__ void shared_kernel(int *to, int shift)
{
    __shared__ __align__(16) char bytes[1024];
    if (threadIdx.x >= 32) *(double *)(bytes + 8 * threadIdx.x + shift) = 1;
    __syncthreads();
    to[threadIdx.x] = *(int *)(bytes + 8 * threadIdx.x);
}

int main()
{
    shared_kernel<<<2, 64>>>((int *)device_words(64), 4);
    return finish();
}
