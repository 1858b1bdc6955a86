// SPDX-License-Identifier: MIT
// The empty barrier of a ring counts four warps. Warp 3 never arrives. The map is a parameter, the ring dynamic.
#include "program.cuh"

enum { STAGES = 2, ROUNDS = 8, TILE_BYTES = 64 * 16 * 4, WARPS = 5 };

struct ring {
    float tile[STAGES][TILE_BYTES / 4];
    uint64_t full[STAGES], empty[STAGES];
};

__global__ void ring_kernel(const __grid_constant__ CUtensorMap map, float *sums)
{
    extern __shared__ __align__(128) char bytes[];
    ring &ring = *(struct ring *)bytes;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            barrier_init(&ring.full[i], 1);
            barrier_init(&ring.empty[i], WARPS - 1);
        }
        barriers_are_ready();
    }
    __syncthreads();
    if (warp == WARPS - 1) {
        for (int i = 0; lane == 0 && i < ROUNDS; i++) {
            int stage = i % STAGES, phase = i / STAGES & 1;
            barrier_wait(&ring.empty[stage], phase ^ 1);
            barrier_expect(&ring.full[stage], TILE_BYTES);
            tile_load(ring.tile[stage], &map, 0, i * 8, &ring.full[stage]);
        }
        return;
    }
    float sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        int stage = i % STAGES, phase = i / STAGES & 1;
        barrier_wait(&ring.full[stage], phase);
        sum += ring.tile[stage][threadIdx.x];
        if (lane == 0 && warp != 3) barrier_arrive(&ring.empty[stage]); // mistake: warp 3 arrives as well
    }
    sums[blockIdx.x * 128 + threadIdx.x] = sum;
}

int main()
{
    CUtensorMap map = map_of(device_words(4096), 2, 64, 16);
    ring_kernel<<<2, 32 * WARPS, sizeof(ring)>>>(map, (float *)device_words(256));
    return finish();
}
