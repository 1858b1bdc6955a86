// SPDX-License-Identifier: MIT
// Three warps meet at named barrier 1, which counts four. The fourth waits for an mbarrier behind it.
#include "program.cuh"

__global__ void named_kernel(int *to)
{
    __shared__ uint64_t done;
    if (threadIdx.x == 0) barrier_init(&done, 96);
    __syncthreads();
    if (threadIdx.x < 96) {
        asm volatile("bar.sync 1, 128;" ::: "memory"); // mistake: 96
        barrier_arrive(&done);
    } else {
        barrier_wait(&done, 0);
    }
    to[threadIdx.x] = 1;
}

int main()
{
    named_kernel<<<2, 128>>>((int *)device_words(128));
    return finish();
}
