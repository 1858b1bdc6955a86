// SPDX-License-Identifier: MIT
// An assertion that does not hold in lanes 3 and up.
#include "program.cuh"
#include <assert.h>

__global__ void assert_kernel(int *to)
{
    assert(threadIdx.x < 3);
    to[threadIdx.x] = 1;
}

int main()
{
    assert_kernel<<<1, 32>>>((int *)device_words(32));
    return finish();
}
