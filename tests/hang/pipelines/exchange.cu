// SPDX-License-Identifier: MIT
// Four CTAs of a cluster pass bytes around in a ring of distributed shared memory: st.async to the right neighbour's
// mailbox, which tells the sender when it is free.
#include "hang.cuh"

enum { STEPS = 7, SIZE = 4 };

__device__ void send(uint32_t *to, uint32_t value, barrier_t *b, uint32_t rank)
{
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(mapped(to, rank)),
                 "r"(value), "r"(mapped(b, rank))
                 : "memory");
}

__global__ void __cluster_dims__(SIZE, 1, 1) exchange(const float *from, float *to)
{
    __shared__ uint32_t box[32];
    __shared__ barrier_t arrived, taken;
    const uint32_t rank = rank_in_cluster(), right = (rank + 1) % SIZE, left = (rank + SIZE - 1) % SIZE;
    if (threadIdx.x == 0) {
        DROP(init(&arrived, ALTER(1, 1, 2)))  //@ arrived: init count
        DROP(init(&taken, ALTER(1, 32, ALTER(2, 1, 33)))) //@ taken: init count
        fence_init();
    }
    cluster_sync();
    uint32_t value = rank;
    for (int i = 0; i < ALTER(1, STEPS, STEPS - (rank == 2)); i++) { //@ arrived taken: rounds
        if (threadIdx.x == 0 && !(rank == 1 && i == 3 && ALTER(2, 0, 1)))   //@ arrived: expect
            DROP(expect(&arrived, ALTER(1, sizeof box, sizeof box + 4)))     //@ arrived: expect
        __syncwarp();
        wait(&taken, ALTER(1, ~i & 1, i & 1));                                                 //@ taken: parity
        if (threadIdx.x < ALTER(1, 32, 31))                                                    //@ arrived: copy
            DROP(send(&box[threadIdx.x], value, &arrived, ALTER(1, right, ALTER(2, left, 0)))) //@ arrived: copy
        __syncwarp();
        wait(&arrived, ALTER(1, i & 1, ALTER(2, ~i & 1, 0))); //@ arrived: parity
        value = box[threadIdx.x] + 1;
        if (!(i == 4 && rank == 3 && ALTER(1, 0, 1)))                //@ taken: arrive
            if (!(threadIdx.x == 31 && ALTER(1, 0, 1)))              //@ taken: arrive
                DROP(arrive_at(&taken, ALTER(1, left, right)))       //@ taken: arrive
    }
    cluster_sync();
    to[blockIdx.x * 32 + threadIdx.x] = (float)value + from[0];
}

RUN(exchange, 8, 32)
