// SPDX-License-Identifier: MIT
// c = a + b over a length that is no multiple of the block, through ordinary device memory.
#include <vector>

#include "check.h"

__global__ void add(const float *a, const float *b, float *c, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) c[i] = a[i] + b[i];
}

int main()
{
    const int count = 100001;
    const size_t bytes = count * sizeof(float);
    std::vector<float> a(count), b(count), c(count);
    for (int i = 0; i < count; i++) a[i] = 0.5f * i, b[i] = 3.0f - i;
    float *device[3];
    for (float *&pointer : device) CUDA(cudaMalloc(&pointer, bytes));
    CUDA(cudaMemcpy(device[0], a.data(), bytes, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(device[1], b.data(), bytes, cudaMemcpyHostToDevice));
    add<<<(count + 255) / 256, 256>>>(device[0], device[1], device[2], count);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(c.data(), device[2], bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++) REQUIRE(c[i] == a[i] + b[i]);
    for (float *pointer : device) CUDA(cudaFree(pointer));
}
