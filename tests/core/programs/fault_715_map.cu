// SPDX-License-Identifier: MIT
// A map that nobody filled.
#include "program.cuh"

__global__ void map_kernel(const __grid_constant__ CUtensorMap map, float *to)
{
    __shared__ __align__(128) float tile[256];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) barrier_init(&full, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        barrier_expect(&full, 1024);
        tile_load(tile, &map, 0, 0, &full);
    }
    barrier_wait(&full, 0);
    to[threadIdx.x] = tile[threadIdx.x];
}

int main()
{
    CUtensorMap map = {};
    map_kernel<<<1, 64>>>(map, (float *)device_words(64));
    return finish();
}
