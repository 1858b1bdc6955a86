// SPDX-License-Identifier: MIT
// Clusters of two: each CTA loads half of a stage for both by multicast, and frees its stages at both CTAs. Tiles are
// taken in turn, and the cluster meets at the end, so that no CTA exits while the other still arrives at it.
#include "hang.cuh"

enum { STAGES = 3, HALF = 256, TILES = 3, STEPS = 5 };

__global__ void __cluster_dims__(2, 1, 1) multicasting(const float *from, float *to)
{
    __shared__ alignas(128) float tile[STAGES][2 * HALF];
    __shared__ barrier_t full[STAGES], empty[STAGES];
    const uint32_t rank = rank_in_cluster();
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            init(&full[s], 1);                                       //@ full: init count
            init(&empty[s], ALTER(1, 2 * 4, ALTER(2, 4, 2 * 4 + 1)));  //@ empty: init count
        }
        fence_init();
    }
    cluster_sync();
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum = 0;
    int stage = 0;
    uint32_t phase = 0;
    if (warp == 4) {
        for (int t = 0; t < ALTER(1, TILES, TILES - (rank == 1)); t++) //@ full empty: rounds
            for (int k = 0; k < STEPS; k++) {
                if (lane == 0) {
                    wait(&empty[stage], ALTER(1, phase ^ 1, phase));                                          //@ empty: parity
                    if (!(rank == 1 && ALTER(2, 0, 1)))                                                       //@ full: expect
                        DROP(expect(&full[stage], ALTER(1, sizeof tile[0], sizeof tile[0] / 2)))              //@ full: expect
                    DROP(multicast(tile[stage] + rank * HALF, from, HALF * 4, &full[stage], ALTER(1, 3, 1)))  //@ full: copy
                }
                if (++stage == STAGES) stage = 0, phase ^= 1;
            }
    } else {
        for (int t = 0; t < ALTER(1, TILES, TILES - (rank == 0)); t++) //@ full empty: rounds
            for (int k = 0; k < STEPS; k++) {
                wait(&full[stage], ALTER(1, phase, phase ^ 1)); //@ full: parity
                sum += tile[stage][threadIdx.x];
                __syncwarp();
                if (lane < ALTER(1, 2, 1))                                                               //@ empty: arrive
                    if (!(rank == 0 && t == 1 && ALTER(2, 0, 1)))                                        //@ empty: arrive
                        DROP(arrive_at(&empty[stage], ALTER(1, lane, rank)))                             //@ empty: arrive
                if (++stage == STAGES) stage = 0, phase ^= ALTER(3, 1, 0);                               //@ full: parity
            }
    }
    __syncwarp();
    cluster_sync();
    to[blockIdx.x * 160 + threadIdx.x] = sum;
}

RUN(multicasting, 8, 160)
