// SPDX-License-Identifier: MIT
// A barrier of the whole grid: one thread of each CTA counts up and waits; two named barriers pass a tile from loaders
// to workers inside the CTA, as kernels of Ampere do.
#include "hang.cuh"

enum { BLOCKS = 20, LOADERS = 64, WORKERS = 192, STEPS = 4 };

__global__ void grid(const float *from, float *to)
{
    __shared__ float tile[2][LOADERS];
    int *counter = (int *)to + 8192;
    float sum = 0;
    for (int phase = 0; phase < 2; phase++) {
        if (threadIdx.x < LOADERS) {
            for (int i = 0; i < ALTER(1, STEPS, STEPS - (phase == 1)); i++) { //@ ready freed: rounds
                DROP(named_sync(ALTER(1, 3 + i % 2, 3), ALTER(2, LOADERS + WORKERS, LOADERS + WORKERS + 32))) //@ freed: sync
                tile[i % 2][threadIdx.x] = from[i];
                if (!(i == 2 && ALTER(1, 0, 1)))                                                                    //@ ready: arrive
                    DROP(named_arrive(ALTER(1, 1 + i % 2, 5), ALTER(2, LOADERS + WORKERS, LOADERS + WORKERS - 32))) //@ ready: arrive
            }
        } else {
            DROP(named_arrive(ALTER(1, 3, 4), LOADERS + WORKERS)) //@ freed: arrive
            DROP(named_arrive(4, LOADERS + WORKERS))              //@ freed: arrive
            for (int i = 0; i < ALTER(1, STEPS, STEPS + 1); i++) { //@ ready freed: rounds
                named_sync(ALTER(1, 1 + i % 2, 1), ALTER(2, LOADERS + WORKERS, WORKERS + WORKERS)); //@ ready: sync
                sum += tile[i % 2][threadIdx.x % LOADERS];
                if (i + 2 < STEPS && !(threadIdx.x >= 224 && ALTER(1, 0, 1)))    //@ freed: arrive
                    DROP(named_arrive(3 + i % 2, LOADERS + WORKERS))             //@ freed: arrive
            }
        }
        if (!(threadIdx.x == 0 && phase == 1 && ALTER(1, 0, 1))) //@ all: sync
            __syncthreads();                                    //@ all: sync
        if (threadIdx.x == 0) {
            __threadfence();
            if (!(blockIdx.x == 13 && ALTER(1, 0, 1)))           //@ counter: arrive
                DROP(atomicAdd(counter, ALTER(1, 1, 0)))         //@ counter: arrive
            while (*(volatile int *)counter < ALTER(1, BLOCKS, BLOCKS + 1) * (phase + 1)) {} //@ counter: wait
        }
        if (!(threadIdx.x >= 96 && threadIdx.x < 128 && ALTER(1, 0, 1))) //@ all: sync
            __syncthreads();                                             //@ all: sync
    }
    to[threadIdx.x] = sum;
}

RUN(grid, BLOCKS, LOADERS + WORKERS)
