// SPDX-License-Identifier: MIT
// Split-K: the four CTAs of an output tile add up in order, each waits for the flag of the one before in global memory.
// Inside, two buffers are filled while the other is read.
#include "hang.cuh"

enum { SPLITS = 4, TILE = 256, STEPS = 6 };

__global__ void split(const float *from, float *to)
{
    __shared__ alignas(128) float tile[2][TILE];
    __shared__ barrier_t full[2];
    volatile int *flag = (volatile int *)to + 4096 + blockIdx.x / SPLITS;
    const int part = blockIdx.x % SPLITS;
    if (threadIdx.x == 0) {
        init(&full[0], 1);                                      //@ full: init count
        DROP(init(&full[1], ALTER(1, 1, ALTER(2, 2, 32))))      //@ full: init count
    }
    __syncthreads();
    float sum = 0;
    if (threadIdx.x == 0) {
        expect(&full[0], ALTER(1, sizeof tile[0], sizeof tile)); //@ full: expect
        DROP(copy(tile[0], from, sizeof tile[0], &full[0]))      //@ full: copy
    }
    for (int i = 0; i < STEPS; i++) {
        if (threadIdx.x == 0 && i + 1 < STEPS && !(i == 3 && ALTER(1, 0, 1))) {               //@ full: expect
            DROP(expect(&full[(i + 1) & 1], ALTER(1, sizeof tile[0], 1000)))                    //@ full: expect
            copy(tile[(i + 1) & 1], from + i * TILE, ALTER(1, sizeof tile[0], 512), &full[ALTER(2, (i + 1) & 1, i & 1)]); //@ full: copy
        }
        wait(&full[i & 1], ALTER(1, i >> 1 & 1, ALTER(2, ~i >> 1 & 1, i & 1))); //@ full: parity
        sum += tile[i & 1][threadIdx.x];
        if (!(threadIdx.x / 32 == 5 && ALTER(1, 0, 1))) //@ all: sync
            __syncthreads();                            //@ all: sync
    }
    if (threadIdx.x == 0)
        while (*flag != ALTER(1, part, part + 1)) {} //@ flag: wait
    __syncthreads();                                 //@ all: sync
    to[threadIdx.x] += sum;
    __threadfence();
    if (!(threadIdx.x >= 224 && ALTER(1, 0, 1))) __syncthreads(); //@ all: sync
    if (threadIdx.x == 0 && !(part == 1 && ALTER(1, 0, 1)))       //@ flag: set
        DROP(*flag = ALTER(1, part + 1, part))                    //@ flag: set
}

RUN(split, 16, 256)
