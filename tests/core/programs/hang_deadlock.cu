// SPDX-License-Identifier: MIT
// Warp 0 waits for a and then arrives at b; warp 1 waits for b and then arrives at a.
#include "program.cuh"

__global__ void deadlock_kernel(int *to)
{
    __shared__ uint64_t a, b;
    if (threadIdx.x == 0) {
        barrier_init(&a, 32);
        barrier_init(&b, 32);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        barrier_wait(&a, 0); // mistake: behind the arrive
        barrier_arrive(&b);
    } else {
        barrier_wait(&b, 0);
        barrier_arrive(&a);
    }
    to[threadIdx.x] = 1;
}

int main()
{
    deadlock_kernel<<<1, 64>>>((int *)device_words(64));
    return finish();
}
