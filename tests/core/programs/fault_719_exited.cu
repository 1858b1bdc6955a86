// SPDX-License-Identifier: MIT
// CTA 1 of a cluster exits; CTA 0 then arrives at its barrier.
#include "program.cuh"

__global__ void __cluster_dims__(2, 1, 1) exited_kernel(int *to)
{
    __shared__ uint64_t done;
    if (threadIdx.x == 0) {
        barrier_init(&done, 2);
        barriers_are_ready();
    }
    cluster_arrive();
    cluster_wait();
    if (cluster_rank() == 1) return; // mistake: it stays
    for (int i = 0; i < 100; i++) __nanosleep(10000);
    if (threadIdx.x == 0) barrier_arrive_at(&done, 1);
    for (int i = 0; i < 100; i++) __nanosleep(10000);
    to[threadIdx.x] = 1;
}

int main()
{
    exited_kernel<<<4, 32>>>((int *)device_words(32));
    return finish();
}
