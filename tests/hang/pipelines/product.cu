// SPDX-License-Identifier: MIT
// A warpgroup multiplies what a producer warpgroup brings: wgmma, whose group must end before the stage is freed. At the
// end both warpgroups meet at a named barrier.
#include "hang.cuh"

enum { STAGES = 3, BYTES = 64 * 32, STEPS = 10 };

__device__ void multiply(float (&d)[4], const void *a)
{
    const uint64_t descriptor = (uint64_t)(smem(a) >> 4) | (uint64_t)8 << 16 | (uint64_t)16 << 32;
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %4, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(descriptor));
}

__global__ void __launch_bounds__(256, 1) product(const float *from, float *to)
{
    __shared__ alignas(128) char tile[STAGES][BYTES];
    __shared__ barrier_t full[STAGES], empty[STAGES];
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            init(&full[s], ALTER(1, 1, 128));                      //@ full: init count
            init(&empty[s], ALTER(1, 1, ALTER(2, 4, 128)));        //@ empty: init count
        }
        DROP(fence_init())
    }
    if (!(threadIdx.x >= 128 && ALTER(1, 0, 1))) //@ all: sync
        __syncthreads();                         //@ all: sync
    float d[4] = {};
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        for (int i = 0; threadIdx.x == 0 && i < ALTER(1, STEPS, STEPS - 1); i++) { //@ full empty: rounds
            const int s = i % STAGES;
            if (!(i == 7 && ALTER(1, 0, 1)))                                  //@ empty: wait
                wait(&empty[s], ALTER(1, ~(i / STAGES) & 1, i / STAGES & 1)); //@ empty: parity
            if (ALTER(1, 0, 1))                                               //@ full: expect
                expect_only(&full[s], BYTES);                                 //@ full: expect
            else
                expect(&full[s], ALTER(1, BYTES, BYTES + 16));                //@ full: expect
            DROP(copy(tile[s], from, ALTER(1, BYTES, BYTES - 16), &full[s]))  //@ full: copy
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        for (int i = 0; i < ALTER(1, STEPS, STEPS + 3); i++) { //@ full empty: rounds
            const int s = i % STAGES;
            wait(&full[s], ALTER(1, i / STAGES & 1, ~(i / STAGES) & 1)); //@ full: parity
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
            multiply(d, tile[s]);
            DROP(asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"))
            DROP(asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"))
            if (threadIdx.x == 128 && !(s == 1 && ALTER(1, 0, 1)))       //@ empty: arrive
                DROP(arrive(&empty[ALTER(1, s, 2)]))                     //@ empty: arrive
        }
    }
    if (threadIdx.x < 128)
        DROP(named_arrive(ALTER(1, 5, 6), ALTER(2, 256, 128))) //@ end: arrive
    else
        DROP(named_sync(ALTER(1, 5, 7), ALTER(2, 256, 288)))   //@ end: sync
    to[threadIdx.x] = d[0] + d[1];
}

RUN(product, 3, 256)
