// SPDX-License-Identifier: MIT
// Persistent CTAs: a scheduler warp takes the number of the next tile from a counter and hands it to the others by a
// mailbox of its own, a producer loads, consumers add up. A negative number ends the work.
#include "hang.cuh"

enum { STAGES = 2, TILE = 256, TILES = 30, STEPS = 3 };

__global__ void tiles(const float *from, float *to)
{
    __shared__ alignas(128) float tile[STAGES][TILE];
    __shared__ barrier_t full[STAGES], empty[STAGES], given, taken;
    __shared__ int next;
    int *counter = (int *)to + 9000;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            init(&full[s], ALTER(1, 1, 2));            //@ full: init count
            init(&empty[s], ALTER(1, 256, 255 + 33));  //@ empty: init count
        }
        init(&given, ALTER(1, 1, 9));                  //@ box: init count
        init(&taken, ALTER(1, 9, ALTER(2, 10, 8)));    //@ box: init count
        fence_init();
    }
    __syncthreads();
    float sum = 0;
    int i = 0;
    if (warp == 9) {
        for (int n = 0, number = 0; lane == 0 && number >= 0; n++) {
            wait(&taken, ALTER(1, ~n & 1, n & 1));              //@ box: parity
            number = atomicAdd(counter, 1);
            if (number >= TILES) number = -1;
            next = number;
            if (!(n == 1 && ALTER(1, 0, 1))) DROP(arrive(&given)) //@ box: arrive
        }
        return;
    }
    for (int n = 0;; n++) {
        wait(&given, ALTER(1, n & 1, ALTER(2, ~n & 1, 0)));          //@ box: parity
        const int number = next;
        __syncwarp();
        if (lane == 0 && !(warp == 3 && ALTER(1, 0, 1)))             //@ box: arrive
            DROP(arrive(&taken))                                     //@ box: arrive
        if (number < 0) break;
        for (int k = 0; k < ALTER(1, STEPS, STEPS - (warp == 8)); k++, i++) { //@ full empty: rounds
            const int s = i % STAGES, lap = i / STAGES & 1;
            if (warp == 8) {
                if (lane != 0) continue;
                wait(&empty[s], ALTER(1, lap ^ 1, lap));                              //@ empty: parity
                DROP(expect(&full[s], ALTER(1, sizeof tile[s], sizeof tile[s] - 16))) //@ full: expect
                DROP(copy(tile[s], from, sizeof tile[s], &full[ALTER(1, s, 1)]))      //@ full: copy
            } else {
                wait(&full[s], ALTER(1, lap, lap ^ 1));                //@ full: parity
                sum += tile[s][threadIdx.x];
                if (!(k == 1 && warp == 6 && ALTER(1, 0, 1)))          //@ empty: arrive
                    DROP(arrive(&empty[s]))                            //@ empty: arrive
            }
        }
    }
    to[threadIdx.x] = sum;
}

RUN(tiles, 4, 320)
