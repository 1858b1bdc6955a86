// SPDX-License-Identifier: MIT
// A sum: shuffles in a warp, dynamic shared memory in a block, an atomic in the grid.
#include <vector>

#include "check.h"

__global__ void sum(const int *values, int count, unsigned long long *total)
{
    extern __shared__ int parts[];
    int part = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) part += values[i];
    for (int step = 16; step > 0; step /= 2) part += __shfl_down_sync(~0u, part, step);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = part;
    __syncthreads();
    if (threadIdx.x == 0) {
        long long all = 0;
        for (int warp = 0; warp < (int)blockDim.x / 32; warp++) all += parts[warp];
        atomicAdd(total, (unsigned long long)all);
    }
}

int main()
{
    const int count = 50000, threads = 128;
    std::vector<int> values(count);
    unsigned long long expected = 0, total = 0, *device_total;
    for (int i = 0; i < count; i++) expected += values[i] = i % 1000;
    int *device, blocks;
    CUDA(cudaMalloc(&device, count * sizeof(int)));
    CUDA(cudaMalloc(&device_total, sizeof total));
    CUDA(cudaMemset(device_total, 0, sizeof total));
    CUDA(cudaMemcpy(device, values.data(), count * sizeof(int), cudaMemcpyHostToDevice));
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sum, threads, 1024));
    REQUIRE(blocks > 0 && blocks <= 32);
    sum<<<20, threads, threads / 32 * sizeof(int)>>>(device, count, device_total);
    CUDA(cudaMemcpy(&total, device_total, sizeof total, cudaMemcpyDeviceToHost));
    REQUIRE(total == expected);
}
