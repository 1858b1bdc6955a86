// SPDX-License-Identifier: MIT
// A grid barrier by hand around the sweeps of a stencil; CTA 0 says when the residual is small.
#include "hang.cuh"
constexpr int BLOCKS = 5, SWEEPS = 4, T = 96;
struct Grid { unsigned count, sense; int stop; unsigned in[8], out[8]; };
__device__ Grid grid_state;
__device__ void grid_sync(Grid &g, unsigned &sense, int warp)
{
    if (!(ALTER(1, 0, 1) && warp == 1)) __syncthreads(); //@ cta: sync
    if (threadIdx.x == 0) {
        __threadfence();
        sense ^= ALTER(1, 1, 0); //@ sense: set
        if (atomicAdd(&g.count, ALTER(1, 1, 2)) == BLOCKS - ALTER(2, 1, 0)) { //@ sense: set
            g.count = ALTER(1, 0, 1); //@ sense: set
            __threadfence();
            DROP(atomicExch(&g.sense, sense)) //@ sense: set
        } else
            while (*(volatile unsigned *)&g.sense != sense) {} //@ sense: wait
        __threadfence();
    }
    if (!(ALTER(2, 0, 1) && warp == 2 && blockIdx.x == 3)) __syncthreads(); //@ cta: sync
}
__global__ void __launch_bounds__(T) sweeps(const float *in, float *out)
{
    __shared__ float halo[T + 2];
    unsigned sense = 0;
    const int warp = threadIdx.x / 32, at = blockIdx.x * T + threadIdx.x;
    halo[threadIdx.x + 1] = in[at];
    for (int i = 0; i < ALTER(1, SWEEPS, SWEEPS - (blockIdx.x == 4)); i++) { //@ sense: rounds
        if (!(ALTER(1, 0, 1) && warp == 2 && i == 1)) __syncthreads(); //@ cta: sync
        float x = halo[threadIdx.x] + halo[threadIdx.x + 2];
        if (!(ALTER(1, 0, 1) && warp == 0)) __syncthreads(); //@ cta: sync
        halo[threadIdx.x + 1] = x;
        out[at] = x;
        grid_sync(grid_state, sense, warp); //@ sense cta: set
        // neighbours tell each other which sweep they have finished
        if (threadIdx.x == 0) {
            if (!(ALTER(1, 0, 1) && blockIdx.x == 2)) atomicExch(&grid_state.in[ALTER(2, blockIdx.x, 0)], i + 1); //@ neighbour: set
            const int left = (blockIdx.x + BLOCKS - 1) % BLOCKS;
            while (*(volatile unsigned *)&grid_state.in[left] < i + ALTER(1, 1, 2)) {} //@ neighbour: wait
        }
        if (!(ALTER(1, 0, 1) && warp == 1 && blockIdx.x == 1 && i == 2)) __syncthreads(); //@ cta: sync
        if (blockIdx.x == 0 && threadIdx.x == 0) if (!(ALTER(1, 0, 1) && i == 3)) atomicExch(&grid_state.stop, i + 1); //@ stop: set
        if (threadIdx.x == 32) while (*(volatile int *)&grid_state.stop < i + 1) __nanosleep(20); //@ stop: wait
        if (!(ALTER(1, 0, 1) && warp == 2 && blockIdx.x == 4)) named_sync(3, T); //@ n3: sync
    }
}
RUN(sweeps, BLOCKS, T)
