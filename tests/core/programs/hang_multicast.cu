// SPDX-License-Identifier: MIT
// Rank 0 sends a tile to both CTAs of the cluster. Rank 1 arrives, but expects no bytes.
#include "program.cuh"

enum { BYTES = 1024 };

__global__ void __cluster_dims__(2, 1, 1) multicast_kernel(const float *from, float *to)
{
    __shared__ __align__(128) float tile[BYTES / 4];
    __shared__ uint64_t full[2];
    uint32_t rank = cluster_rank();
    if (threadIdx.x == 0) {
        barrier_init(&full[0], 1);
        barrier_init(&full[1], 1);
        barriers_are_ready();
    }
    cluster_arrive();
    cluster_wait();
    if (threadIdx.x == 0 && rank == 0) {
        barrier_expect(&full[1], BYTES); // mistake: rank 1 expects them too
        bulk_multicast(tile, from, BYTES, &full[1], 3);
    }
    barrier_wait(&full[1], 0);
    to[threadIdx.x] = tile[threadIdx.x];
    cluster_arrive();
    cluster_wait();
}

int main()
{
    multicast_kernel<<<4, 96>>>((const float *)device_words(256), (float *)device_words(96));
    return finish();
}
