// SPDX-License-Identifier: MIT
// Loading and computing warps hand buffers over by pairs of named barriers: one side arrives, the other waits (as CudaDMA
// does). Two buffers, so four barriers; at the end all meet at a fifth.
#include "hang.cuh"

enum { LOADERS = 32, WORKERS = 96, ALL = LOADERS + WORKERS, STEPS = 8, FILLED = 1, FREED = 3, END = 5 };

__global__ void handover(const float *from, float *to)
{
    __shared__ float buffer[2][WORKERS];
    float sum = 0;
    if (threadIdx.x >= WORKERS) {
        const int lane = threadIdx.x - WORKERS;
        for (int i = 0; i < ALTER(1, STEPS, STEPS - 1); i++) { //@ filled freed end: rounds
            if (i >= ALTER(1, 2, 0))                           //@ freed filled end: sync
                DROP(named_sync(FREED + ALTER(1, i % 2, 1), ALTER(2, ALL, ALL + 32))) //@ freed: sync
            for (int j = lane; j < WORKERS; j += LOADERS) buffer[i % 2][j] = from[j];
            DROP(named_arrive(FILLED + ALTER(1, i % 2, 0), ALTER(2, ALL, ALL - 32))) //@ filled: arrive
        }
    } else {
        for (int i = 0; i < ALTER(1, STEPS, STEPS + 1); i++) { //@ filled freed end: rounds
            named_sync(FILLED + ALTER(1, i % 2, i / 2 % 2), ALTER(2, ALL, ALL + 32)); //@ filled: sync
            sum += buffer[i % 2][threadIdx.x];
            if (i + 2 < STEPS && !(threadIdx.x >= 64 && i == 2 && ALTER(1, 0, 1))) //@ freed: arrive
                DROP(named_arrive(FREED + i % 2, ALL))                              //@ freed: arrive
        }
    }
    if (!(threadIdx.x < 32 && ALTER(1, 0, 1))) named_sync(END, ALTER(2, ALL, ALL + 32)); //@ end: sync
    if (threadIdx.x < WORKERS) to[threadIdx.x] = sum;
}

RUN(handover, 2, ALL)
