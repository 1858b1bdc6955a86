// SPDX-License-Identifier: MIT
// A cooperative launch: the CTAs of a grid meet, and then read what all of them wrote.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;
const int ctas = 16;

__global__ void meet(int *values)
{
    cg::grid_group grid = cg::this_grid();
    if (threadIdx.x == 0) values[blockIdx.x] = blockIdx.x + 1;
    grid.sync();
    int sum = 0;
    for (int i = 0; i < ctas; i++) sum += values[i];
    grid.sync();
    if (threadIdx.x == 0) values[blockIdx.x] = sum;
}

int main()
{
    int *device, host[ctas];
    CUDA(cudaMalloc(&device, sizeof host));
    void *arguments[] = {&device};
    for (int launch = 0; launch < 2; launch++) CUDA(cudaLaunchCooperativeKernel((void *)meet, ctas, 64, arguments, 0, 0));
    CUDA(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int value : host) REQUIRE(value == ctas * (ctas + 1) / 2);
}
