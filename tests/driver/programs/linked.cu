// SPDX-License-Identifier: MIT
// A program of two files that nvcc compiles apart (-rdc=true) and links: functions, pointers to them, variables,
// constants, managed and dynamic shared memory of one file are used in the other.
#include "linked.h"

#include "check.h"

__constant__ int factors[4] = {1, 2, 3, 4};
__device__ int launched;
static __device__ int own = 5;

__device__ int *room()
{
    extern __shared__ int first[];
    return first;
}

static __global__ void start(int *values)
{
    room()[threadIdx.x] = scaled(threadIdx.x) + plus<3>(own);
    values[threadIdx.x] = choices[threadIdx.x % CHOICES](room()[threadIdx.x]);
}

int main()
{
    const int factor = 20;
    int *values, result[THREADS], count, mine;
    CUDA(cudaMalloc(&values, sizeof result));
    CUDA(cudaMemcpyToSymbol(factors, &factor, sizeof factor, sizeof factor));
    start<<<1, THREADS, sizeof result>>>(values);
    CUDA(cudaGetLastError());
    finish(values);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(result, values, sizeof result, cudaMemcpyDeviceToHost));
    for (int i = 0; i < THREADS; i++) {
        const int begun = (i + 3) * factor + 7 + 8;
        REQUIRE(result[i] == (i % 2 ? -begun : begun) + 3);
    }
    CUDA(cudaMemcpyFromSymbol(&count, launched, sizeof count));
    CUDA(cudaMemcpyFromSymbol(&mine, own, sizeof mine));
    REQUIRE(count == THREADS && mine == 5 && told == 11);
}
