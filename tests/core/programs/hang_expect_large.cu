// SPDX-License-Identifier: MIT
// The barrier expects twice the bytes that the tile brings. The map lies in constant memory.
#include "program.cuh"

__constant__ CUtensorMap constant_map;

enum { TILE_BYTES = 32 * 8 * 4 };

__global__ void large_kernel(float *to)
{
    __shared__ __align__(128) float tile[2 * TILE_BYTES / 4];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) barrier_init(&full, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        barrier_expect(&full, 2 * TILE_BYTES); // mistake: one tile
        tile_load(tile, &constant_map, 0, 0, &full);
    }
    barrier_wait(&full, 0);
    to[threadIdx.x] = tile[threadIdx.x];
}

int main()
{
    CUtensorMap map = map_of(device_words(4096), 2, 32, 8);
    CHECK(cudaMemcpyToSymbol(constant_map, &map, sizeof map));
    large_kernel<<<4, 128>>>((float *)device_words(128));
    return finish();
}
