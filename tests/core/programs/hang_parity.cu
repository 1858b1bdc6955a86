// SPDX-License-Identifier: MIT
// The producer waits for parity 0 of an empty barrier that is new. It should wait for parity 1.
#include "program.cuh"

enum { STAGES = 3, ROUNDS = 9, BYTES = 1024 };

__global__ void parity_kernel(const float *from, float *to)
{
    __shared__ __align__(128) float tile[STAGES][BYTES / 4];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            barrier_init(&full[i], 1);
            barrier_init(&empty[i], 64);
        }
        barriers_are_ready();
    }
    __syncthreads();
    int stage = 0, phase = 0;
    for (int i = 0; i < ROUNDS; i++) {
        if (threadIdx.x == 64) {
            barrier_wait(&empty[stage], phase); // mistake: phase ^ 1
            barrier_expect(&full[stage], BYTES);
            bulk_load(tile[stage], from, BYTES, &full[stage]);
        }
        if (threadIdx.x < 64) {
            barrier_wait(&full[stage], phase);
            to[threadIdx.x] += tile[stage][threadIdx.x];
            barrier_arrive(&empty[stage]);
        }
        if (++stage == STAGES) {
            stage = 0;
            phase ^= 1;
        }
    }
}

int main()
{
    parity_kernel<<<3, 96>>>((const float *)device_words(1024), (float *)device_words(64));
    return finish();
}
