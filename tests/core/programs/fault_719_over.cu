// SPDX-License-Identifier: MIT
// Two arrivals at a barrier of which one is pending.
#include "program.cuh"

__global__ void over_kernel(int *to)
{
    __shared__ uint64_t other[3], done;
    if (threadIdx.x == 0) {
        barrier_init(&other[1], 7);
        barrier_init(&done, 1);
    }
    __syncthreads();
    if (threadIdx.x == 32) barrier_arrive(&done, 2); // mistake: 1
    __nanosleep(20000);
    barrier_wait(&done, 0);
    to[threadIdx.x] = 1;
}

int main()
{
    over_kernel<<<2, 64>>>((int *)device_words(64));
    return finish();
}
