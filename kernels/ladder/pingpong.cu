// SPDX-License-Identifier: MIT
// Step 5 of the ladder: ping-pong. Each consumer has a tile of its own, and they multiply in turn: while one stores its
// tile, the other has the tensor cores. New: CTAs stay for many tiles, through which the ring goes on; two named
// barriers pass the turn.
#include "ladder.cuh"

static constexpr uint32_t STAGES = 6, STAGE_BYTES = 2 * LADDER_BOX_BYTES, CONSUMER_WARPS = 4, CONSUMERS = 256;
static constexpr uint32_t FULL = LADDER_SHARED_START + STAGES * STAGE_BYTES, EMPTY = FULL + 8 * STAGES;
static constexpr uint32_t TURN = 1; // named barrier TURN + c: consumer c may multiply

// All tiles of the CTA, block by block; `step` counts them through the ring.
static __device__ void produce(const CUtensorMap &map_a, const CUtensorMap &map_b, const ladder_job &job,
                               uint32_t tiles, uint32_t &patience)
{
    uint32_t step = 0;
    for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        uint32_t row = tile / job.columns * LADDER_TILE, column = tile % job.columns * LADDER_TILE;
        for (uint32_t block = 0; block < ladder_blocks(job); block++, step++) {
            uint32_t stage = step % STAGES, round = step / STAGES, a = LADDER_SHARED_START + stage * STAGE_BYTES;
            mbarrier_wait(EMPTY + 8 * stage, (round & 1) ^ 1, patience); // the consumer's reads are over
            mbarrier_arrive_expect_tx(FULL + 8 * stage, STAGE_BYTES);
            load_box(a, map_a, block, row, FULL + 8 * stage);
            load_box(a + LADDER_BOX_BYTES, map_b, block, column, FULL + 8 * stage);
        }
    }
}

// Every second tile of the CTA. A turn is passed on only to a consumer that has a tile left.
static __device__ void consume(const ladder_job &job, uint32_t tiles, uint32_t &patience)
{
    const uint32_t consumer = threadIdx.x / 128, blocks = ladder_blocks(job);
    uint32_t number = consumer;
    for (uint32_t tile = blockIdx.x + consumer * gridDim.x; tile < tiles; tile += 2 * gridDim.x, number += 2) {
        uint32_t row = tile / job.columns * LADDER_TILE, column = tile % job.columns * LADDER_TILE;
        float d[2][64] = {};
        if (number > 0) named_barrier_sync(TURN + consumer, CONSUMERS); // the other one has multiplied
        for (uint32_t block = 0; block < blocks; block++) {
            uint32_t step = number * blocks + block, stage = step % STAGES, round = step / STAGES;
            uint32_t a = LADDER_SHARED_START + stage * STAGE_BYTES;
            mbarrier_wait(FULL + 8 * stage, round & 1, patience); // acquires what the copies wrote
            multiply_block(d, a, a + LADDER_BOX_BYTES);
            wgmma_wait<1>(); // this warp's reads of the block before are over
            if (block > 0 && threadIdx.x % 32 == 0) mbarrier_arrive(EMPTY + 8 * ((step - 1) % STAGES));
        }
        if (tile + gridDim.x < tiles) named_barrier_arrive(TURN + 1 - consumer, CONSUMERS);
        wgmma_wait<0>();
        if (threadIdx.x % 32 == 0) mbarrier_arrive(EMPTY + 8 * (((number + 1) * blocks - 1) % STAGES));
        store_fragment(job, row, column, d[0]);
        store_fragment(job, row + 64, column, d[1]);
    }
}

extern "C" __global__ void __launch_bounds__(288)
    ladder_pingpong(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                    const __grid_constant__ ladder_job job)
{
    const uint32_t tiles = (job.m + LADDER_TILE - 1) / LADDER_TILE * job.columns;
    uint32_t patience = WAIT_TRIES;

    if (threadIdx.x == 0) {
        for (uint32_t stage = 0; stage < STAGES; stage++) {
            mbarrier_init(FULL + 8 * stage, 1); // the producer's arrival, and the bytes it announces
            mbarrier_init(EMPTY + 8 * stage, CONSUMER_WARPS);
        }
        mbarrier_init_fence();
    }
    __syncthreads(); // the barriers are there for all
    if (threadIdx.x < CONSUMERS) {
        consume(job, tiles, patience);
    } else if (threadIdx.x == CONSUMERS) {
        produce(map_a, map_b, job, tiles, patience);
    }
    if (patience == 0) fail();
}
