// SPDX-License-Identifier: MIT
// Pairs of CTAs are joined by a channel of four slots in global memory. The reader's first warp polls for slots and puts
// them into shared memory by plain stores; two warps take them out. Credits go back by a counter.
#include "hang.cuh"

enum { SLOTS = 4, STAGES = 2, STEPS = 10, TAKERS = 2 };

struct ring {
    barrier_t ready[STAGES], taken[STAGES];
};

__device__ inline void make(barrier_t *b, int count) { init(b, count); }

__global__ void channel(const float *from, float *to)
{
    __shared__ int stage[STAGES][32];
    __shared__ struct ring ring;
    volatile int *slot = (volatile int *)to + 4096 + blockIdx.x / 2 * 64;
    unsigned *written = (unsigned *)to + 8192 + blockIdx.x / 2 * 64, *read = written + 32;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x < STAGES) {
        make(&ring.ready[threadIdx.x], ALTER(1, 32, 1));           //@ ready: init count
        make(&ring.taken[threadIdx.x], ALTER(1, TAKERS, 32 * TAKERS)); //@ taken: init count
    }
    __syncthreads();
    if (blockIdx.x % 2 == 0) {
        if (warp != 0) return;
        for (int i = 0; i < ALTER(1, STEPS, STEPS - 1); i++) { //@ written read: rounds
            while (*(volatile unsigned *)read + SLOTS <= i) {} //@ read: wait
            slot[i % SLOTS * 32 % 64 + lane % 8] = i;
            __threadfence();
            __syncwarp();
            if (lane == 0 && !(i == 4 && ALTER(1, 0, 1))) DROP(atomicAdd(written, 1u)) //@ written: set
        }
    } else if (warp == 0) {
        for (int i = 0; i < STEPS; i++) {
            if (lane == 0)
                while (*(volatile unsigned *)(ALTER(1, written, written + 1)) <= i) {} //@ written: wait
            __syncwarp();
            wait(&ring.taken[i % STAGES], ALTER(1, ~(i / STAGES) & 1, i / STAGES & 1)); //@ taken: parity
            stage[i % STAGES][lane] = slot[lane % 8];
            if (!(lane == 31 && i == 1 && ALTER(1, 0, 1))) arrive(&ring.ready[i % STAGES]); //@ ready: arrive
            if (lane == 0 && !(i >= 3 && ALTER(1, 0, 1))) atomicAdd(ALTER(2, read, written), 1u); //@ read written: set
        }
    } else {
        float sum = 0;
        for (int i = 0; i < ALTER(1, STEPS, STEPS - 3); i++) { //@ taken ready: rounds
            wait(&ring.ready[i % STAGES], ALTER(1, i / STAGES & 1, ~(i / STAGES) & 1)); //@ ready: parity
            sum += stage[i % STAGES][lane];
            __syncwarp();
            if (lane == 0 && !(warp == 2 && i == 2 && ALTER(1, 0, 1))) //@ taken: arrive
                DROP(arrive(&ring.taken[ALTER(1, i % STAGES, 1)]))      //@ taken: arrive
        }
        to[threadIdx.x] = sum;
    }
}

RUN(channel, 8, 32 * (1 + TAKERS))
