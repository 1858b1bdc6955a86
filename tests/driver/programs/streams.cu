// SPDX-License-Identifier: MIT
// Streams, events, a function of the host, memory in stream order, 2D copies, and a graph that was captured.
#include <cstring>

#include "check.h"

__global__ void scale(int *values, int by)
{
    values[threadIdx.x] *= by;
}

static void CUDART_CB count_call(void *calls)
{
    ++*(int *)calls;
}

static void run_in_order()
{
    cudaStream_t stream;
    cudaEvent_t start, end;
    int *device, host[32], calls = 0;
    float milliseconds = -1;
    for (int i = 0; i < 32; i++) host[i] = i;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&end));
    CUDA(cudaEventRecord(start, stream));
    CUDA(cudaMallocAsync(&device, sizeof host, stream));
    CUDA(cudaMemcpyAsync(device, host, sizeof host, cudaMemcpyHostToDevice, stream));
    scale<<<1, 32, 0, stream>>>(device, 3);
    CUDA(cudaMemcpyAsync(host, device, sizeof host, cudaMemcpyDeviceToHost, stream));
    CUDA(cudaLaunchHostFunc(stream, count_call, &calls));
    CUDA(cudaFreeAsync(device, stream));
    CUDA(cudaEventRecord(end, stream));
    CUDA(cudaEventSynchronize(end));
    CUDA(cudaEventElapsedTime(&milliseconds, start, end));
    REQUIRE(milliseconds >= 0 && calls == 1);
    for (int i = 0; i < 32; i++) REQUIRE(host[i] == 3 * i);
    CUDA(cudaEventDestroy(start));
    CUDA(cudaStreamDestroy(stream));
}

static void run_graph()
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int *device, host[32];
    CUDA(cudaMalloc(&device, sizeof host));
    for (int i = 0; i < 32; i++) host[i] = i;
    CUDA(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    scale<<<1, 32, 0, stream>>>(device, 2);
    scale<<<1, 32, 0, stream>>>(device, 5);
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (int run = 0; run < 3; run++) CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) REQUIRE(host[i] == 1000 * i);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
}

static void copy_rows()
{
    char *device, host[4][10], back[4][6] = {};
    size_t pitch;
    memset(host, 'x', sizeof host);
    for (int y = 0; y < 4; y++) memcpy(host[y], "abcdef", 6);
    CUDA(cudaMallocPitch(&device, &pitch, 6, 4));
    REQUIRE(pitch == 512);
    CUDA(cudaMemcpy2D(device, pitch, host, 10, 6, 4, cudaMemcpyHostToDevice));
    CUDA(cudaMemset2D(device, pitch, 'z', 2, 4));
    CUDA(cudaMemcpy2D(back, 6, device, pitch, 6, 4, cudaMemcpyDeviceToHost));
    for (int y = 0; y < 4; y++) REQUIRE(memcmp(back[y], "zzcdef", 6) == 0);
}

int main()
{
    run_in_order();
    run_graph();
    copy_rows();
}
