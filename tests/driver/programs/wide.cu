// SPDX-License-Identifier: MIT
// Products and quotients of 128 bits, as nvcc writes them, against those of the host.
#include "check.h"

using wide = __int128;

enum { CASES = 256, RESULTS = 5 };

static __host__ __device__ wide number(int i)
{
    const unsigned long long high = 0x9e3779b97f4a7c15ull * (i + 1), low = 0xbf58476d1ce4e5b9ull * (i + 7);
    const wide value = (wide)(((unsigned __int128)high << 64) | low);
    return i % 3 == 0 ? value : value >> i % 127;
}

static __host__ __device__ void compute(int i, wide *result)
{
    const wide a = number(i), b = number(5 * i + 1) == 0 ? 1 : number(5 * i + 1);
    result[0] = a / b;
    result[1] = a % b;
    result[2] = (wide)((unsigned __int128)a / (unsigned __int128)b);
    result[3] = a * b;
    result[4] = a / (i + 3);
}

__global__ void compute_all(wide *result)
{
    compute(threadIdx.x, result + threadIdx.x * RESULTS);
}

int main()
{
    static wide got[CASES * RESULTS], want[RESULTS];
    wide *result;
    CUDA(cudaMalloc(&result, sizeof got));
    compute_all<<<1, CASES>>>(result);
    CUDA(cudaMemcpy(got, result, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < CASES; i++) {
        compute(i, want);
        for (int k = 0; k < RESULTS; k++) REQUIRE(got[i * RESULTS + k] == want[k]);
    }
}
