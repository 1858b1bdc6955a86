// SPDX-License-Identifier: MIT
// C++ without a kernel: no list of kernels says that the runtime is linked into the program.
#include "check.h"

int main()
{
    int count = 0, values[4] = {};
    void *memory;
    CUDA(cudaGetDeviceCount(&count));
    CUDA(cudaMalloc(&memory, sizeof values));
    CUDA(cudaMemset(memory, 1, sizeof values));
    CUDA(cudaMemcpy(values, memory, sizeof values, cudaMemcpyDeviceToHost));
    CUDA(cudaFree(memory));
    REQUIRE(count == 1 && values[3] == 0x01010101);
}
