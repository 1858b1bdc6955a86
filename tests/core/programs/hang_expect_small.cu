// SPDX-License-Identifier: MIT
// The barrier expects half of the bytes that the tile brings. The map lies in global memory.
#include "program.cuh"

enum { TILE_BYTES = 64 * 32 * 4 };

__global__ void small_kernel(const CUtensorMap *map, float *to)
{
    __shared__ __align__(1024) float tile[TILE_BYTES / 4];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) barrier_init(&full, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        barrier_expect(&full, TILE_BYTES / 2); // mistake: the whole tile
        tile_load(tile, map, 0, 0, &full);
    }
    barrier_wait(&full, 0);
    to[threadIdx.x] = tile[threadIdx.x];
}

int main()
{
    CUtensorMap map = map_of(device_words(4096), 2, 64, 32), *there = (CUtensorMap *)device_words(4096);
    CHECK(cudaMemcpy(there, &map, sizeof map, cudaMemcpyHostToDevice));
    small_kernel<<<1, 64>>>(there, (float *)device_words(64));
    return finish();
}
