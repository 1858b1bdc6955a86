// SPDX-License-Identifier: MIT
// A wgmma ring of four stages whose consumer wraps after three.
#include "program.cuh"

enum { STAGES = 4, ROUNDS = 16, A_BYTES = 64 * 16 * 2, B_BYTES = 8 * 16 * 2, STAGE_BYTES = A_BYTES + B_BYTES };

static __device__ __forceinline__ uint64_t matrix(const void *start)
{
    return (uint64_t)(at(start) >> 4 & 0x3fff) | (uint64_t)(128 >> 4) << 16 | (uint64_t)(256 >> 4) << 32;
}

static __device__ __forceinline__ void multiply(float (&d)[4], const char *stage)
{
    asm volatile("wgmma.fence.sync.aligned;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;\n"
                 "wgmma.commit_group.sync.aligned;\n"
                 "wgmma.wait_group.sync.aligned 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(matrix(stage)), "l"(matrix(stage + A_BYTES))
                 : "memory");
}

__global__ void stage_kernel(const char *from, float *to)
{
    extern __shared__ __align__(128) char stages[];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            barrier_init(&full[i], 1);
            barrier_init(&empty[i], 1);
        }
        barriers_are_ready();
    }
    __syncthreads();
    int stage = 0, phase = 0;
    if (threadIdx.x >= 128) {
        for (int i = 0; threadIdx.x == 128 && i < ROUNDS; i++) {
            barrier_wait(&empty[stage], phase ^ 1);
            barrier_expect(&full[stage], STAGE_BYTES);
            bulk_load(stages + stage * STAGE_BYTES, from, STAGE_BYTES, &full[stage]);
            if (++stage == STAGES) stage = 0, phase ^= 1;
        }
        return;
    }
    float d[4] = {0, 0, 0, 0};
    for (int i = 0; i < ROUNDS; i++) {
        barrier_wait(&full[stage], phase);
        multiply(d, stages + stage * STAGE_BYTES);
        if (threadIdx.x == 0) barrier_arrive(&empty[stage]);
        if (++stage == STAGES - 1) stage = 0, phase ^= 1; // mistake: STAGES
    }
    for (int i = 0; i < 4; i++) to[threadIdx.x * 4 + i] = d[i];
}

int main()
{
    stage_kernel<<<2, 160, STAGES * STAGE_BYTES>>>((const char *)device_words(STAGE_BYTES), (float *)device_words(512));
    return finish();
}
