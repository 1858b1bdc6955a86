// SPDX-License-Identifier: MIT
// A chain of three roles: one warp loads, a warpgroup converts, another stores; between each two a pipeline of its own.
#include "hang.cuh"

enum { STAGES = 3, TILE = 128, STEPS = 13 };

struct ring {
    barrier_t full[STAGES], empty[STAGES];
};

__global__ void relay(const float *from, float *to)
{
    __shared__ alignas(128) float raw[STAGES][TILE], ready[STAGES][TILE];
    __shared__ ring first, second;
    if (threadIdx.x < STAGES) {
        init(&first.full[threadIdx.x], ALTER(1, 1, 32));              //@ first: init count
        init(&first.empty[threadIdx.x], ALTER(1, 4, ALTER(2, 5, 2))); //@ first: init count
        DROP(init(&second.full[threadIdx.x], ALTER(1, 128, 129)))     //@ second: init count
        init(&second.empty[threadIdx.x], ALTER(1, 128, 160));         //@ second: init count
        fence_init();
    }
    __syncthreads();
    const int role = threadIdx.x / 128, thread = threadIdx.x % 128;
    if (role == 2) {
        if (thread != 0) return;
        for (int i = 0; i < ALTER(1, STEPS, STEPS - 2); i++) { //@ first: rounds
            const int s = i % STAGES;
            wait(&first.empty[s], ALTER(1, ~(i / STAGES) & 1, i / STAGES & 1)); //@ first: parity
            DROP(expect(&first.full[s], ALTER(1, 512, 768)))                    //@ first: expect
            if (!(i == 8 && ALTER(1, 0, 1)))                                    //@ first: copy
                DROP(copy(raw[s], from, 512, &first.full[ALTER(1, s, 2 - s)]))  //@ first: copy
        }
    } else if (role == 0) {
        for (int i = 0; i < ALTER(1, STEPS, STEPS - 1); i++) { //@ first second: rounds
            const int s = i % STAGES;
            wait(&first.full[s], ALTER(1, i / STAGES & 1, 0));                              //@ first: parity
            const float value = raw[s][thread];
            __syncwarp();
            if (thread % 32 == 0 && !(i == 4 && ALTER(1, 0, 1)))                            //@ first: arrive
                DROP(arrive(&first.empty[s]))                                               //@ first: arrive
            DROP(wait(&second.empty[s], ALTER(1, ~(i / STAGES) & 1, i / STAGES & 1)))       //@ second: parity
            ready[s][thread] = value;
            if (!(thread == 77 && i == 2 && ALTER(1, 0, 1)))                                //@ second: arrive
                DROP(arrive(&second.full[ALTER(1, s, (s + 1) % STAGES)]))                   //@ second: arrive
        }
    } else {
        for (int i = 0; i < ALTER(1, STEPS, STEPS + 1); i++) { //@ second: rounds
            const int s = i % STAGES;
            wait(&second.full[s], ALTER(1, i / STAGES & 1, ALTER(2, ~(i / STAGES) & 1, 1))); //@ second: parity
            to[i * TILE + thread] = ready[s][thread];
            if (!(thread >= 96 && ALTER(1, 0, 1)))                                           //@ second: arrive
                DROP(arrive(&second.empty[ALTER(1, s, 0)]))                                  //@ second: arrive
        }
    }
}

RUN(relay, 9, 288)
