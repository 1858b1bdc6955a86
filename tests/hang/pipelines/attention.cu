// SPDX-License-Identifier: MIT
// The shape of an attention kernel: one load of Q, then K and V in pipelines of their own; two consumer warpgroups take
// turns at their softmax by named barriers, and meet the producer once more before the output is stored.
#include "hang.cuh"

enum { STAGES = 2, TILE = 256, BLOCKS = 5 };

__global__ void __launch_bounds__(384) attention(const float *from, float *to)
{
    __shared__ alignas(128) float q[TILE], k[STAGES][TILE], v[STAGES][TILE];
    __shared__ barrier_t q_full, k_full[STAGES], k_empty[STAGES], v_full[STAGES], v_empty[STAGES];
    const int group = threadIdx.x / 128, thread = threadIdx.x % 128;
    if (threadIdx.x == 0) {
        init(&q_full, ALTER(1, 1, 2));                                    //@ q: init count
        for (int s = 0; s < STAGES; s++) {
            init(&k_full[s], ALTER(1, 1, 2));                             //@ k: init count
            init(&v_full[s], ALTER(1, 1, 2));                             //@ v: init count
            init(&k_empty[s], ALTER(1, 2, ALTER(2, 3, 256)));             //@ k: init count
            init(&v_empty[s], ALTER(1, 2, ALTER(2, 4, 1)));               //@ v: init count
        }
        fence_init();
    }
    __syncthreads();
    if (group == 0) {
        if (thread == 0) {
            DROP(expect(&q_full, ALTER(1, sizeof q, 512)))                          //@ q: expect
            DROP(copy(q, from, ALTER(1, sizeof q, 512), &q_full))                   //@ q: copy
            for (int i = 0; i < ALTER(1, BLOCKS, BLOCKS - 1); i++) {                //@ k v: rounds
                const int s = i % STAGES, odd = i / STAGES & 1;
                wait(&k_empty[s], ALTER(1, odd ^ 1, odd));                          //@ k: parity
                DROP(expect(&k_full[s], ALTER(1, sizeof k[s], 2 * sizeof k[s])))    //@ k: expect
                DROP(copy(k[s], from, sizeof k[s], ALTER(1, &k_full[s], &v_full[s]))) //@ k: copy
                wait(&v_empty[s], ALTER(1, odd ^ 1, odd));                          //@ v: parity
                if (!(i == 3 && ALTER(1, 0, 1)))                                    //@ v: expect
                    DROP(expect(&v_full[s], sizeof v[s]))                           //@ v: expect
                DROP(copy(v[s], from, ALTER(1, sizeof v[s], 64), &v_full[s]))       //@ v: copy
            }
        }
        __syncwarp();
        DROP(named_arrive(ALTER(1, 4, 5), 384)) //@ out: arrive
        return;
    }
    float sum = 0;
    if (group == 2) DROP(named_arrive(ALTER(1, 2, 3), ALTER(2, 256, 384))) //@ turn: arrive
    wait(&q_full, ALTER(1, 0, 1));                                         //@ q: parity
    sum += q[thread];
    for (int i = 0; i < ALTER(1, BLOCKS, BLOCKS + (group == 2)); i++) {    //@ k v turn: rounds
        const int s = i % STAGES, odd = i / STAGES & 1;
        wait(&k_full[s], ALTER(1, odd, odd ^ 1));                          //@ k: parity
        DROP(named_sync(ALTER(1, 1 + group % 2, 1), 256))                  //@ turn: sync
        sum += k[s][thread];
        if (i + 1 < BLOCKS || group == 1)
            DROP(named_arrive(ALTER(1, 2 - group % 2, 1), ALTER(2, 256, 192))) //@ turn: arrive
        if (thread == 0 && !(i == 1 && ALTER(1, 0, 1)))                    //@ k: arrive
            DROP(arrive(&k_empty[ALTER(1, s, 0)]))                         //@ k: arrive
        wait(&v_full[s], ALTER(1, odd, 0));                                //@ v: parity
        sum += v[s][thread];
        if (thread == 0 && !(group == 2 && ALTER(1, 0, 1)))                //@ v: arrive
            DROP(arrive(&v_empty[s], ALTER(1, 1, 2)))                      //@ v: arrive
    }
    DROP(named_sync(4, ALTER(1, 384, 416))) //@ out: sync
    to[threadIdx.x] = sum;
}

RUN(attention, 7, 384)
