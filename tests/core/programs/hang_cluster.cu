// SPDX-License-Identifier: MIT
// CTA 1 of each cluster makes one round less and stands at barrier.cluster; CTA 0 waits for its arrival.
#include "program.cuh"

enum { ROUNDS = 4 };

__global__ void __cluster_dims__(2, 1, 1) cluster_kernel(int *to)
{
    __shared__ uint64_t ready;
    uint32_t rank = cluster_rank();
    if (threadIdx.x == 0) {
        barrier_init(&ready, 1);
        barriers_are_ready();
    }
    cluster_arrive();
    cluster_wait();
    for (int i = 0; i < ROUNDS - (int)rank; i++) { // mistake: both make ROUNDS rounds
        if (threadIdx.x == 0) barrier_arrive_at(&ready, rank ^ 1);
        barrier_wait(&ready, i & 1);
        __syncthreads();
    }
    cluster_arrive();
    cluster_wait();
    to[blockIdx.x * 64 + threadIdx.x] = (int)rank;
}

int main()
{
    cluster_kernel<<<4, 64>>>((int *)device_words(256));
    return finish();
}
