// SPDX-License-Identifier: MIT
// A recursion without an end.
#include "program.cuh"

__device__ __noinline__ int deeper(int depth, volatile int *to)
{
    int words[32];
    for (int i = 0; i < 32; i++) words[i] = to[i] + depth;
    if (depth < 0) return 0;
    int below = deeper(depth + 1, to);
    return words[below & 31] + below;
}

__global__ void stack_kernel(int *to)
{
    to[threadIdx.x] = deeper(1, to);
}

int main()
{
    stack_kernel<<<1, 32>>>((int *)device_words(64));
    return finish();
}
