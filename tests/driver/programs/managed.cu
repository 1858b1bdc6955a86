// SPDX-License-Identifier: MIT
// Memory that host and device share: managed, pinned, registered, and a __managed__ variable.
#include "check.h"

__managed__ int counter = 40;

__global__ void touch(int *managed, int *pinned, int *registered)
{
    managed[threadIdx.x] += 1;
    pinned[threadIdx.x] += 2;
    registered[threadIdx.x] += 3;
    if (threadIdx.x == 0) counter += 2;
}

int main()
{
    const int count = 64;
    int *managed, *pinned, *registered = (int *)aligned_alloc(4096, 4096), *mapped;
    REQUIRE(counter == 40);
    CUDA(cudaMallocManaged(&managed, count * sizeof(int)));
    CUDA(cudaMallocHost(&pinned, count * sizeof(int)));
    CUDA(cudaHostRegister(registered, 4096, cudaHostRegisterMapped));
    CUDA(cudaHostGetDevicePointer(&mapped, registered, 0));
    for (int i = 0; i < count; i++) managed[i] = pinned[i] = registered[i] = i;
    touch<<<1, count>>>(managed, pinned, mapped);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < count; i++) REQUIRE(managed[i] == i + 1 && pinned[i] == i + 2 && registered[i] == i + 3);
    REQUIRE(counter == 42);
    cudaPointerAttributes attributes;
    CUDA(cudaPointerGetAttributes(&attributes, managed));
    REQUIRE(attributes.type == cudaMemoryTypeManaged);
    CUDA(cudaPointerGetAttributes(&attributes, &count));
    REQUIRE(attributes.type == cudaMemoryTypeUnregistered);
    CUDA(cudaHostUnregister(registered));
}
