// SPDX-License-Identifier: MIT
// The producer makes one round less than the consumers and exits. The ring is dynamic behind static memory.
#include "program.cuh"

enum { ROUNDS = 6, BYTES = 2048 };

__global__ void exit_kernel(const float *from, float *to, int rounds)
{
    __shared__ float total[128];
    extern __shared__ __align__(128) float tile[];
    __shared__ uint64_t full, empty;
    if (threadIdx.x == 0) {
        barrier_init(&full, 1);
        barrier_init(&empty, 128);
    }
    total[threadIdx.x % 128] = 0;
    __syncthreads();
    if (threadIdx.x == 128) {
        for (int i = 0; i < rounds - 1; i++) { // mistake: i < rounds
            barrier_wait(&empty, i & 1 ^ 1);
            barrier_expect(&full, BYTES);
            bulk_load(tile, from, BYTES, &full);
        }
    }
    if (threadIdx.x >= 128) return;
    for (int i = 0; i < rounds; i++) {
        barrier_wait(&full, i & 1);
        total[threadIdx.x] += tile[threadIdx.x];
        barrier_arrive(&empty);
    }
    to[threadIdx.x] = total[threadIdx.x];
}

int main()
{
    exit_kernel<<<2, 160, BYTES>>>((const float *)device_words(512), (float *)device_words(128), ROUNDS);
    return finish();
}
