// SPDX-License-Identifier: MIT
// Queue of stages with qidx and p, as in tutorials on fast matrix kernels: whole warpgroups wait, one thread of each
// arrives; consumers arrive on empty once before they begin, so the producer's first wait has parity 0. Registers move
// from the producer to the consumers.
#include "hang.cuh"

enum { STAGES = 4, TILE = 1024, BLOCKS = 11, CONSUMERS = 2 };

__global__ void __launch_bounds__(384, 1) queue(const float *from, float *to)
{
    __shared__ alignas(128) float tile[STAGES][TILE];
    __shared__ barrier_t full[STAGES], empty[STAGES];
    const int group = threadIdx.x / 128, thread = threadIdx.x % 128;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            init(&full[i], ALTER(1, 1, 3));                                       //@ full: init count
            init(&empty[i], ALTER(1, CONSUMERS, ALTER(2, CONSUMERS + 1, 1)));     //@ empty: init count
        }
        fence_init();
    }
    __syncthreads();
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (thread == 0) {
            int p = 0, qidx = 0;
            for (int b = 0; b < ALTER(1, BLOCKS, BLOCKS - 2); b++, qidx++) { //@ full empty: rounds
                if (qidx == STAGES) {
                    qidx = 0;
                    DROP(p ^= 1) //@ empty: parity
                }
                wait(&empty[qidx], ALTER(1, p, p ^ 1));                                   //@ empty: parity
                expect(&full[ALTER(1, qidx, 0)], ALTER(2, sizeof tile[0], sizeof tile));  //@ full: expect
                copy(tile[qidx], from + b * TILE, sizeof tile[0], &full[ALTER(1, qidx, (qidx + 1) % STAGES)]); //@ full: copy
            }
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    for (int i = 0; i < STAGES; i++)
        if (thread == 0) DROP(arrive(&empty[i])) //@ empty: arrive
    float sum = 0;
    int p = 0, qidx = 0;
    for (int b = 0; b < ALTER(1, BLOCKS, BLOCKS + 1); b++, qidx++) { //@ full empty: rounds
        if (qidx == STAGES) {
            qidx = 0;
            DROP(p ^= 1) //@ full: parity
        }
        wait(&full[qidx], ALTER(1, p, p ^ 1)); //@ full: parity
        sum += tile[qidx][thread];
        if (thread == 0 && !(qidx == 2 && ALTER(1, 0, 1)))  //@ empty: arrive
            DROP(arrive(&empty[qidx]))                      //@ empty: arrive
    }
    to[threadIdx.x] = sum;
}

RUN(queue, 6, 384)
