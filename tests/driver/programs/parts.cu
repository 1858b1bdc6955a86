// SPDX-License-Identifier: MIT
// Green contexts: two parts of the device's multiprocessors, with a stream each.
#include <cuda.h>

#include "check.h"

const int elements = 1024, threads = 128, least = 32;

#define DRIVER(call) REQUIRE((call) == CUDA_SUCCESS)

__global__ void add(int *to)
{
    atomicAdd(&to[blockIdx.x * blockDim.x + threadIdx.x], 1);
}

static void require_all(const int *memory, int value)
{
    static int got[elements];
    CUDA(cudaMemcpy(got, memory, sizeof got, cudaMemcpyDeviceToHost));
    for (int one : got) REQUIRE(one == value);
}

int main()
{
    CUdevResource all, part[2], rest;
    CUgreenCtx green[2], told;
    CUstream stream[2], own;
    CUcontext context;
    cudaEvent_t event;
    unsigned parts = 2;
    int *memory;
    CUDA(cudaMalloc(&memory, elements * sizeof *memory));
    CUDA(cudaMemset(memory, 0, elements * sizeof *memory));
    CUDA(cudaDeviceSynchronize());
    DRIVER(cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
    DRIVER(cuDevSmResourceSplitByCount(part, &parts, &all, &rest, 0, least));
    REQUIRE(parts == 2 && part[0].sm.smCount >= least && part[1].sm.smCount == part[0].sm.smCount);
    REQUIRE(2 * part[0].sm.smCount + rest.sm.smCount == all.sm.smCount);
    for (int i = 0; i < 2; i++) {
        CUdevResourceDesc what;
        DRIVER(cuDevResourceGenerateDesc(&what, &part[i], 1));
        DRIVER(cuGreenCtxCreate(&green[i], what, 0, CU_GREEN_CTX_DEFAULT_STREAM));
        DRIVER(cuGreenCtxStreamCreate(&stream[i], green[i], CU_STREAM_NON_BLOCKING, 0));
        add<<<elements / threads, threads, 0, stream[i]>>>(memory);
        CUDA(cudaGetLastError());
        CUDA(cudaStreamSynchronize(stream[i]));
    }
    require_all(memory, 2);
    CUDA(cudaEventCreate(&event));
    DRIVER(cuGreenCtxRecordEvent(green[0], event));
    DRIVER(cuGreenCtxWaitEvent(green[1], event));
    DRIVER(cuCtxFromGreenCtx(&context, green[0]));
    DRIVER(cuCtxPushCurrent(context));
    CUDA(cudaStreamCreate(&own));
    DRIVER(cuStreamGetGreenCtx(own, &told));
    REQUIRE(told == green[0]);
    add<<<elements / threads, threads, 0, own>>>(memory);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaStreamDestroy(own));
    DRIVER(cuCtxPopCurrent(&context));
    require_all(memory, 3);
    for (int i = 0; i < 2; i++) {
        DRIVER(cuStreamDestroy(stream[i]));
        DRIVER(cuGreenCtxDestroy(green[i]));
    }
}
