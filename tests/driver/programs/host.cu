// SPDX-License-Identifier: MIT
// C++ without a kernel: no list of kernels says that the runtime is linked into the program. It asks for the driver's
// private interface itself, as a compiler does that is linked into the same file.
#include <cuda.h>

#include <cstdio>

#include "check.h"

static void ask()
{
    typedef CUresult ask_driver(const void **table, const CUuuid *id);
    void *call = NULL;
    const void *table = NULL;
    const CUuuid id = {{1}};
    CUDA(cudaGetDriverEntryPointByVersion("cuGetExportTable", &call, 3000, cudaEnableDefault, NULL));
    REQUIRE(reinterpret_cast<ask_driver *>(call)(&table, &id) == CUDA_ERROR_NOT_SUPPORTED && table == NULL);
}

int main()
{
    int count = 0, version = 0, values[4] = {};
    void *memory;
    CUDA(cudaDriverGetVersion(&version));
    printf("the driver says %d\n", version);
    CUDA(cudaGetDeviceCount(&count));
    CUDA(cudaMalloc(&memory, sizeof values));
    CUDA(cudaMemset(memory, 1, sizeof values));
    CUDA(cudaMemcpy(values, memory, sizeof values, cudaMemcpyDeviceToHost));
    CUDA(cudaFree(memory));
    ask();
    REQUIRE(count == 1 && values[3] == 0x01010101);
}
