// SPDX-License-Identifier: MIT
// The same idea in C++: cuda::ptx for barriers and copies, with cuda::barrier's way of tokens on the side of consumers.
#include <cuda/ptx>

#include "hang.cuh"

namespace ptx = cuda::ptx;
enum { STAGES = 2, TILE = 512, STEPS = 9, WARPS = 2 };

__global__ void cxx(const float *from, float *to)
{
    __shared__ alignas(128) float tile[STAGES][TILE];
    __shared__ uint64_t ready[STAGES], freed[STAGES];
    __shared__ uint64_t done;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            ptx::mbarrier_init(&ready[s], ALTER(1, 1, 2));                          //@ ready: init count
            ptx::mbarrier_init(&freed[s], ALTER(1, 32 * WARPS, ALTER(2, WARPS, 32 * WARPS + 32))); //@ freed: init count
        }
        DROP(ptx::mbarrier_init(&done, ALTER(1, 96, ALTER(2, 3, 128))))             //@ done: init count
    }
    __syncthreads();
    float sum = 0;
    if (threadIdx.x >= 32 * WARPS) {
        if (threadIdx.x == 32 * WARPS)
            for (int i = 0; i < ALTER(1, STEPS, STEPS - 1); i++) { //@ ready freed: rounds
                const int s = i % STAGES;
                if (i >= ALTER(1, STAGES, 0)) //@ freed: parity
                    while (!ptx::mbarrier_try_wait_parity(&freed[s], ALTER(1, (i / STAGES - 1) & 1, i / STAGES & 1))) {} //@ freed: parity
                DROP(ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &ready[s], ALTER(1, 2048, 2064))) //@ ready: expect
                DROP(ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[s], from, ALTER(1, 2048, 1024), &ready[ALTER(2, s, 0)])) //@ ready: copy
            }
    } else {
        for (int i = 0; i < ALTER(1, STEPS, STEPS + 2); i++) { //@ ready freed: rounds
            const int s = i % STAGES;
            while (!ptx::mbarrier_try_wait_parity(&ready[s], ALTER(1, i / STAGES & 1, ALTER(2, ~(i / STAGES) & 1, i & 1)))) {} //@ ready: parity
            sum += tile[s][threadIdx.x];
            if (!(threadIdx.x == 3 && ALTER(1, 0, 1)))              //@ freed: arrive
                if (!(i == 2 && ALTER(1, 0, 1)))                    //@ freed: arrive
                    DROP(ptx::mbarrier_arrive(&freed[ALTER(2, s, 1)])) //@ freed: arrive
        }
    }
    if (!(threadIdx.x == 40 && ALTER(1, 0, 1))) { //@ done: arrive
        const uint64_t token = ptx::mbarrier_arrive(&done); //@ done: arrive
        while (!ptx::mbarrier_try_wait(&done, token)) {} //@ done: wait
    }
    to[threadIdx.x] = sum;
}

RUN(cxx, 12, 96)
