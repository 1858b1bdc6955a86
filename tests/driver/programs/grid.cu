// SPDX-License-Identifier: MIT
// A cooperative launch: the CTAs of a grid meet, and then read what all of them wrote. With BY_HANDLE they meet by the
// calls of libcudadevrt, as Numba's kernels do.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;
const int ctas = 16;

__device__ void sync_grid()
{
#ifdef BY_HANDLE
    asm volatile("// the device runtime"); // the name of the part that has them
    cudaCGSynchronize(cudaCGGetIntrinsicHandle(cudaCGScopeGrid), 0);
#else
    cg::this_grid().sync();
#endif
}

__global__ void meet(int *values)
{
    if (threadIdx.x == 0) values[blockIdx.x] = blockIdx.x + 1;
    sync_grid();
    int sum = 0;
    for (int i = 0; i < ctas; i++) sum += values[i];
    sync_grid();
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
