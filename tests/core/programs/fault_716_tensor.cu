// SPDX-License-Identifier: MIT
// A tensor load to shared memory that is aligned to 16 bytes only.
#include "program.cuh"

__global__ void tensor_kernel(const __grid_constant__ CUtensorMap map, float *to)
{
    extern __shared__ __align__(128) char bytes[];
    __shared__ uint64_t full;
    char *tile = bytes + 16; // mistake: 128
    if (threadIdx.x == 0) barrier_init(&full, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        barrier_expect(&full, 1024);
        tile_load(tile, &map, 0, 0, &full);
    }
    barrier_wait(&full, 0);
    to[threadIdx.x] = *(float *)(tile + 4 * threadIdx.x);
}

int main()
{
    CUtensorMap map = map_of(device_words(4096), 2, 32, 8);
    tensor_kernel<<<2, 64, 2048>>>(map, (float *)device_words(64));
    return finish();
}
