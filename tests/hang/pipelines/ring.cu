// SPDX-License-Identifier: MIT
// A ring of four stages: one producer warp, four consumer warps, one arrival of each consumer warp.
#include "hang.cuh"

enum { STAGES = 4, TILE = 256, ROUNDS = 18, CONSUMERS = 4 };

__global__ void ring(const float *from, float *to)
{
    __shared__ alignas(128) float tile[STAGES][TILE];
    __shared__ barrier_t full[STAGES], empty[STAGES];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            DROP(init(&full[s], ALTER(1, 1, 2)))                                     //@ full: init count
            DROP(init(&empty[s], ALTER(1, CONSUMERS, ALTER(2, CONSUMERS + 1, 128)))) //@ empty: init count
        }
        fence_init();
    }
    __syncthreads();
    if (warp == CONSUMERS) {
        if (lane != 0) return;
        for (int i = 0; i < ALTER(1, ROUNDS, ROUNDS - 1); i++) { //@ full empty: rounds
            const int s = i % STAGES, lap = i / STAGES;
            wait(&empty[s], ALTER(1, ~lap & 1, lap & 1));                                //@ empty: parity
            if (!(i == 6 && ALTER(2, 0, 1)))                                             //@ full: expect
                DROP(expect(&full[s], ALTER(1, sizeof tile[s], sizeof tile[s] + 128)))   //@ full: expect
            DROP(copy(tile[s], from + i * TILE, ALTER(1, sizeof tile[s], sizeof tile[s] / 2), &full[s])) //@ full: copy
        }
        return;
    }
    float sum = 0;
    for (int i = 0; i < ALTER(1, ROUNDS, ROUNDS + 1); i++) { //@ full empty: rounds
        const int s = i % STAGES, lap = i / STAGES;
        wait(&full[s], ALTER(1, lap & 1, ALTER(2, ~lap & 1, 0))); //@ full: parity
        sum += tile[s][threadIdx.x];
        __syncwarp();
        if (lane == 0 && !(i == 5 && ALTER(1, 0, 1)))                                      //@ empty: arrive
            if (!(warp == 2 && ALTER(2, 0, 1))) DROP(arrive(&empty[ALTER(3, s, s & 2)]))   //@ empty: arrive
    }
    to[threadIdx.x] = sum;
}

RUN(ring, 8, 160)
