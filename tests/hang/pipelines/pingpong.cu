// SPDX-License-Identifier: MIT
// Ping-pong: two consumer warpgroups take turns by two named barriers, one computes while the other writes out. A
// producer fills stages that each of them takes alternately.
#include "hang.cuh"

enum { STAGES = 4, TILE = 128, TURNS = 6, EACH = 2 };

__global__ void pingpong(const float *from, float *to)
{
    __shared__ alignas(128) float tile[STAGES][TILE];
    __shared__ barrier_t full[STAGES], empty[STAGES];
    const int group = threadIdx.x / 128, thread = threadIdx.x % 128;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            init(&full[s], ALTER(1, 1, 2));      //@ full: init count
            init(&empty[s], ALTER(1, 128, 256)); //@ empty: init count
        }
        fence_init();
    }
    __syncthreads();
    if (group == 2) {
        if (thread != 0) return;
        for (int i = 0; i < ALTER(1, 2 * TURNS * EACH, 2 * TURNS * EACH - 2); i++) { //@ full empty: rounds
            wait(&empty[i % STAGES], ALTER(1, ~(i / STAGES) & 1, i / STAGES & 1)); //@ empty: parity
            expect(&full[i % STAGES], ALTER(1, sizeof tile[0], 1024));             //@ full: expect
            DROP(copy(tile[i % STAGES], from, sizeof tile[0], &full[i % STAGES]))  //@ full: copy
        }
        return;
    }
    const int mine = 1 + group, other = 2 - group; // barriers 1 and 2: whose turn it is
    float sum = 0;
    if (group == 1) DROP(named_arrive(ALTER(1, 1, 3), ALTER(2, 256, 128))) //@ turn: arrive
    for (int t = 0; t < ALTER(1, TURNS, TURNS - (group == 0)); t++) { //@ turn full empty: rounds
        DROP(named_sync(ALTER(1, mine, other), ALTER(2, 256, 384))) //@ turn: sync
        for (int k = 0; k < EACH; k++) {
            const int i = (2 * t + group) * EACH + k;
            wait(&full[i % STAGES], ALTER(1, i / STAGES & 1, ~(i / STAGES) & 1)); //@ full: parity
            sum += tile[i % STAGES][thread];
            if (!(t == 2 && ALTER(1, 0, 1)))                   //@ empty: arrive
                DROP(arrive(&empty[ALTER(1, i, i + 1) % STAGES])) //@ empty: arrive
        }
        if (t + 1 < TURNS || group == 0)
            DROP(named_arrive(ALTER(1, other, mine), ALTER(2, 256, 512))) //@ turn: arrive
    }
    to[threadIdx.x] = sum;
}

RUN(pingpong, 5, 384)
