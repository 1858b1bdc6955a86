// SPDX-License-Identifier: MIT
// A kernel that reads past the end of an allocation: the script reads the report.
#include "check.h"

__global__ void shift(const int *from, int *to, int count)
{
    int i = threadIdx.x;
    to[i] = from[i + count]; // the broken line
}

int main()
{
    int *from, *to;
    CUDA(cudaMalloc(&from, 32 * sizeof(int)));
    CUDA(cudaMalloc(&to, 32 * sizeof(int)));
    shift<<<1, 32>>>(from, to, 8);
    cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s\n", cudaGetErrorName(error));
    REQUIRE(cudaFree(from) == error && cudaGetLastError() == error);
}
