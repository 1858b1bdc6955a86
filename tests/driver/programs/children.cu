// SPDX-License-Identifier: MIT
// Kernels that launch kernels: which run after which, what they are passed, what their streams, events, copies and
// errors answer.
#include "check.h"

#include <cstring>

enum { MARKS = 16, DEEP = 200 };

struct large {
    char bytes[4000];
};

__device__ int marks, mark[MARKS];
__device__ int errors[6];
__device__ float sums[2];
__device__ int depth, rounds;

static __device__ void leave(int number)
{
    const int i = atomicAdd(&marks, 1);
    if (i < MARKS) mark[i] = number;
}

__global__ void leaf(int number)
{
    leave(number);
}

__global__ void middle(int number)
{
    leave(number);
    leaf<<<1, 1>>>(number + 1);
    leaf<<<1, 1, 0, cudaStreamTailLaunch>>>(number + 2);
}

// The tail launch waits for the others, and for theirs.
__global__ void root()
{
    cudaStream_t stream;
    cudaEvent_t event;
    leaf<<<1, 1, 0, cudaStreamTailLaunch>>>(90);
    errors[0] = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    middle<<<1, 1, 0, stream>>>(10);
    errors[5] = cudaEventCreateWithFlags(&event, cudaEventDefault);
    errors[1] = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaEventRecord(event, stream);
    cudaStreamWaitEvent(stream, event, 0);
    middle<<<1, 1, 0, stream>>>(20);
    cudaEventDestroy(event);
    cudaStreamDestroy(stream);
    leave(1);
}

__global__ void refuse()
{
    leaf<<<1, 2000>>>(1);
    errors[2] = cudaPeekAtLastError();
    errors[3] = cudaGetLastError();
    errors[4] = cudaGetLastError();
}

__global__ void add(large numbers, double more, const int *memory)
{
    extern __shared__ float part[];
    part[threadIdx.x] = numbers.bytes[threadIdx.x] + numbers.bytes[3999];
    __syncthreads();
    if (threadIdx.x == 0)
        sums[blockIdx.y] = part[0] + part[blockDim.x - 1] + more + memory[1] + (memory[3] == 0x11111111);
}

__global__ void pass(const int *from)
{
    large numbers;
    for (int i = 0; i < 4000; i++) numbers.bytes[i] = i % 100;
    int *memory = new int[4];
    cudaMemsetAsync(memory, 0x11, 16, 0);
    cudaMemcpyAsync(memory + 1, from, 4, cudaMemcpyDeviceToDevice, 0);
    add<<<dim3(1, 2), 64, 64 * sizeof(float)>>>(numbers, 0.5, memory);
}

// Each block asks, in whatever thread of the host runs it.
__global__ void spread(int *words, int turns)
{
    for (int i = 0; i < turns; i++) __nanosleep(20);
    cudaMemsetAsync(words + blockIdx.x, 0x11, 4, 0);
    cudaMemcpyAsync(words + gridDim.x + blockIdx.x, words + blockIdx.x, 4, cudaMemcpyDeviceToDevice, 0);
}

__global__ void descend(int n)
{
    depth = n;
    if (n < DEEP) descend<<<1, 1>>>(n + 1);
}

__global__ void repeat(int n)
{
    rounds = n;
    if (n < DEEP) repeat<<<1, 1, 0, cudaStreamTailLaunch>>>(n + 1);
}

static void launches_run_in_order()
{
    static const int want[] = {1, 10, 11, 12, 20, 21, 22, 90};
    int got[MARKS], got_errors[6];
    root<<<1, 1>>>();
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpyFromSymbol(got, mark, sizeof got));
    REQUIRE(memcmp(got, want, sizeof want) == 0 && got[8] == 0);
    refuse<<<1, 1>>>();
    CUDA(cudaMemcpyFromSymbol(got_errors, errors, sizeof got_errors));
    REQUIRE(got_errors[0] == cudaSuccess && got_errors[1] == cudaSuccess);
    REQUIRE(got_errors[2] == cudaErrorInvalidConfiguration && got_errors[3] == cudaErrorInvalidConfiguration);
    REQUIRE(got_errors[4] == cudaSuccess && got_errors[5] == cudaErrorInvalidValue);
}

static void launches_pass_parameters()
{
    static const int number = 1000;
    float got[2];
    int *from;
    CUDA(cudaMalloc(&from, sizeof number));
    CUDA(cudaMemcpy(from, &number, sizeof number, cudaMemcpyHostToDevice));
    pass<<<1, 1>>>(from);
    CUDA(cudaMemcpyFromSymbol(got, sums, sizeof got));
    REQUIRE(got[0] == 0 + 99 + 63 + 99 + 0.5f + number + 1 && got[1] == got[0]);
}

static void blocks_ask()
{
    enum { BLOCKS = 200 };
    int got[2 * BLOCKS], *words;
    CUDA(cudaMalloc(&words, sizeof got));
    CUDA(cudaMemset(words, 0, sizeof got));
    spread<<<BLOCKS, 1>>>(words, 1000);
    CUDA(cudaMemcpy(got, words, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 2 * BLOCKS; i++) REQUIRE(got[i] == 0x11111111);
    CUDA(cudaFree(words));
}

static void launches_go_deep()
{
    int got[2];
    descend<<<1, 1>>>(0);
    repeat<<<1, 1>>>(0);
    CUDA(cudaMemcpyFromSymbol(&got[0], depth, sizeof got[0]));
    CUDA(cudaMemcpyFromSymbol(&got[1], rounds, sizeof got[1]));
    REQUIRE(got[0] == DEEP && got[1] == DEEP);
}

int main()
{
    launches_run_in_order();
    launches_pass_parameters();
    blocks_ask();
    launches_go_deep();
}
