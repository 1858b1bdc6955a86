// SPDX-License-Identifier: MIT
// Variables of the program: constant and global, by name; and what is asked of kernels and of the device.
#include <cstring>

#include "check.h"

__constant__ int factors[4] = {1, 2, 3, 4};
__device__ int results[4];

template <int more> __global__ void __launch_bounds__(64) multiply()
{
    __shared__ int room[16];
    room[threadIdx.x] = factors[threadIdx.x] * more;
    results[threadIdx.x] = room[threadIdx.x];
}

int main()
{
    const int factor[2] = {30, 40};
    int result[4];
    void *address;
    size_t bytes;
    CUDA(cudaMemcpyToSymbol(factors, factor, sizeof factor, 2 * sizeof(int)));
    multiply<10><<<1, 4>>>();
    CUDA(cudaMemcpyFromSymbol(result, results, sizeof result));
    REQUIRE(result[0] == 10 && result[1] == 20 && result[2] == 300 && result[3] == 400);
    CUDA(cudaGetSymbolAddress(&address, results));
    CUDA(cudaGetSymbolSize(&bytes, results));
    REQUIRE(bytes == sizeof result);
    CUDA(cudaMemset(address, 0, bytes));
    cudaFuncAttributes attributes;
    CUDA(cudaFuncGetAttributes(&attributes, multiply<10>));
    REQUIRE(attributes.maxThreadsPerBlock == 64 && attributes.sharedSizeBytes == 64);
    cudaDeviceProp properties;
    CUDA(cudaGetDeviceProperties(&properties, 0));
    REQUIRE(strcmp(properties.name, "NVIDIA H200 (tmaref)") == 0 && properties.major == 9);
    REQUIRE(properties.multiProcessorCount == 132 && properties.sharedMemPerBlockOptin == 232448);
    multiply<10><<<1, 65>>>();
    REQUIRE(cudaGetLastError() == cudaErrorInvalidValue);
    multiply<10><<<1, 2048>>>();
    REQUIRE(cudaPeekAtLastError() == cudaErrorInvalidValue);
    REQUIRE(cudaGetLastError() == cudaErrorInvalidValue);
    REQUIRE(cudaGetLastError() == cudaSuccess);
}
