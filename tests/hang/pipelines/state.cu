// SPDX-License-Identifier: MIT
// A pipeline with a state of index and phase, as CUTLASS has it: the producer starts in the opposite phase.
#include "hang.cuh"

enum { STAGES = 3, TILE = 512, TILES = 5, STEPS = 4 };

struct state {
    int index = 0;
    uint32_t phase = 0;
    __device__ void next()
    {
        index++;
        if (index == STAGES) {
            index = 0;
            DROP(phase ^= 1) //@ full empty: parity
        }
    }
};

struct pipeline {
    barrier_t full[STAGES], empty[STAGES];
    __device__ void make(int consumers)
    {
        for (int s = 0; s < STAGES; s++) {
            init(&full[s], ALTER(1, 1, 2));                             //@ full: init count
            init(&empty[s], ALTER(1, consumers, consumers / 32));       //@ empty: init count
            if (s == 1 && ALTER(1, 0, 1)) init(&full[s], 3);            //@ full: init count
        }
    }
    __device__ void acquire(state p, uint32_t bytes)
    {
        wait(&empty[p.index], p.phase);                                 //@ empty: wait
        DROP(expect(&full[p.index], bytes))                             //@ full: expect
    }
    __device__ void consumer_wait(state p) { wait(&full[p.index], p.phase); } //@ full: wait
    __device__ void release(state p) { DROP(arrive(&empty[p.index])) }        //@ empty: arrive
};

__global__ void __launch_bounds__(384) stateful(const float *from, float *to)
{
    extern __shared__ __align__(128) char memory[];
    __shared__ alignas(128) float tile[STAGES][TILE];
    __shared__ pipeline pipe;
    if (threadIdx.x == 0) {
        pipe.make(256);
        fence_init();
    }
    __syncthreads();
    const int group = threadIdx.x / 128;
    if (group == 0) {
        state write;
        write.phase = ALTER(1, 1, 0); //@ empty: parity
        if (threadIdx.x == 0)
            for (int t = 0; t < ALTER(2, TILES, TILES - 1); t++) //@ full empty: rounds
                for (int k = 0; k < STEPS; k++) {
                    pipe.acquire(write, 2048 //@ empty: wait
                                     + ALTER(1, 0, 2048));                                                //@ full: expect
                    copy(tile[write.index], from, ALTER(1, 1024, 512), &pipe.full[write.index]);          //@ full: copy
                    DROP(copy(tile[write.index] + 256, from + 256, 1024, &pipe.full[write.index]))        //@ full: copy
                    write.next();
                }
    } else {
        state read;
        float sum = 0;
        for (int t = 0; t < TILES; t++) {
            for (int k = 0; k < ALTER(1, STEPS, STEPS - 1); k++) { //@ full empty: rounds
                pipe.consumer_wait(read); //@ full: wait
                sum += tile[read.index][threadIdx.x - 128];
                if (!(group == 2 && ALTER(1, 0, 1))) pipe.release(read);                //@ empty: arrive
                if (!(t == 2 && k == 1 && ALTER(2, 0, 1))) read.next();                 //@ full empty: parity
            }
        }
        to[threadIdx.x] = sum + (memory == nullptr);
    }
}

RUN(stateful, 4, 384)
