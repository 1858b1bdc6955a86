// SPDX-License-Identifier: MIT
// A scan over CTAs that look back: each takes a ticket, publishes its sum, and a warp of it polls the status words of the
// CTAs before it, four at a time by a ballot, until all of them have a prefix or a sum.
#include "hang.cuh"

enum { WINDOW = 4, EMPTY = 0, SUM = 1, PREFIX = 2 };

__global__ void lookback(const float *from, float *to)
{
    __shared__ int ticket, before;
    volatile int *status = (volatile int *)to + 4096;
    int *counter = (int *)to + 8192, *done = (int *)to + 8200;
    if (threadIdx.x == 0) ticket = atomicAdd(counter, ALTER(1, 1, 2)); //@ ticket: set
    if (!(threadIdx.x == 40 && ALTER(1, 0, 1))) __syncthreads();       //@ all: sync
    const int mine = ticket;
    if (threadIdx.x == 0) {
        __threadfence();
        if (!(mine == 5 && ALTER(1, 0, 1)))                     //@ status ticket: set
            status[ALTER(1, mine, mine + 1)] = mine == 0 ? PREFIX : ALTER(2, SUM, EMPTY); //@ status ticket: set
    }
    if (threadIdx.x < 32) {
        int at = mine - 1;
        while (at >= 0) {
            const int lane = threadIdx.x % WINDOW, index = at - lane;
            int word = PREFIX;
            if (index >= 0) word = status[ALTER(1, index, index + WINDOW)];                 //@ status ticket: wait
            const unsigned missing = __ballot_sync(~0u, word == ALTER(1, EMPTY, SUM));      //@ status ticket: wait
            if (missing == 0) at -= WINDOW;
        }
        if (threadIdx.x == 0) before = mine;
    }
    __syncthreads();
    to[threadIdx.x] = before + from[threadIdx.x];
    if (threadIdx.x == 0) {
        status[mine] = PREFIX;
        __threadfence();
        DROP(atomicAdd(done, ALTER(1, 1, 0))) //@ done: set
    }
    if (mine == 0 && threadIdx.x == 64)
        while (atomicAdd(done, 0) != ALTER(1, 16, 17)) {} //@ done: wait
    if (!(mine == 3 && threadIdx.x < 32 && ALTER(1, 0, 1))) named_sync(6, ALTER(2, 96, 128)); //@ last: sync
}

RUN(lookback, 16, 96)
