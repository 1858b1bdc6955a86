// SPDX-License-Identifier: MIT
// A bulk load whose source is not mapped.
#include "program.cuh"

__global__ void bulk_kernel(const char *from, int *to)
{
    __shared__ __align__(128) int tile[256];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) barrier_init(&full, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        barrier_expect(&full, 1024);
        bulk_load(tile, from, 1024, &full);
    }
    barrier_wait(&full, 0);
    to[threadIdx.x] = tile[threadIdx.x];
}

int main()
{
    bulk_kernel<<<2, 64>>>((const char *)0x100000000000, (int *)device_words(64));
    return finish();
}
