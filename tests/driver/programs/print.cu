// SPDX-License-Identifier: MIT
// printf in a kernel: the script compares what comes out.
#include "check.h"

__global__ void greet(const char *name)
{
    printf("thread %d of %u: %s %.2f %c %llx\n", threadIdx.x, blockDim.x, "text", 2.5, 'c', 0x123456789abcull);
}

int main()
{
    greet<<<1, 2>>>(nullptr);
    CUDA(cudaDeviceSynchronize());
    std::puts("end");
}
