// SPDX-License-Identifier: MIT
// A two-dimensional load through a map of three dimensions, in constant memory.
#include "program.cuh"

__constant__ CUtensorMap cube_map;

__global__ void rank_kernel(float *to)
{
    __shared__ __align__(128) float tile[256];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) barrier_init(&full, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        barrier_expect(&full, 1024);
        tile_load(tile, &cube_map, 0, 0, &full);
    }
    barrier_wait(&full, 0);
    to[threadIdx.x] = tile[threadIdx.x];
}

int main()
{
    CUtensorMap map = map_of(device_words(4096), 3, 32, 8);
    CHECK(cudaMemcpyToSymbol(cube_map, &map, sizeof map));
    rank_kernel<<<1, 64>>>((float *)device_words(64));
    return finish();
}
