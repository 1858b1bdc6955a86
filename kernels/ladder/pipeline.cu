// SPDX-License-Identifier: MIT
// Step 3 of the ladder: a producer warp and a ring of buffers. Who loads no longer multiplies, so loads run ahead as far
// as the ring goes, and no __syncthreads() stops everybody. New: a second barrier for each buffer, "empty", by which the
// consumers hand it back, one block late: the tensor cores already have the next one when they have done with this.
#include "ladder.cuh"

static constexpr uint32_t STAGES = 3, STAGE_BYTES = 2 * LADDER_BOX_BYTES, CONSUMER_WARPS = 4;
static constexpr uint32_t FULL = LADDER_SHARED_START + STAGES * STAGE_BYTES, EMPTY = FULL + 8 * STAGES;

// Round r of a buffer begins when the consumers have handed it back r times: a wait for parity 1 on a new barrier
// returns at once.
static __device__ void produce(const CUtensorMap &map_a, const CUtensorMap &map_b, uint32_t row, uint32_t column,
                               uint32_t blocks, uint32_t &patience)
{
    for (uint32_t block = 0; block < blocks; block++) {
        uint32_t stage = block % STAGES, round = block / STAGES, a = LADDER_SHARED_START + stage * STAGE_BYTES;
        mbarrier_wait(EMPTY + 8 * stage, (round & 1) ^ 1, patience); // the consumers' reads are over
        mbarrier_arrive_expect_tx(FULL + 8 * stage, STAGE_BYTES);
        load_box(a, map_a, block, row, FULL + 8 * stage);
        load_box(a + LADDER_BOX_BYTES, map_b, block, column, FULL + 8 * stage);
    }
}

static __device__ void consume(const ladder_job &job, uint32_t row, uint32_t column, uint32_t blocks,
                               uint32_t &patience)
{
    float d[2][64] = {};
    for (uint32_t block = 0; block < blocks; block++) {
        uint32_t stage = block % STAGES, round = block / STAGES, a = LADDER_SHARED_START + stage * STAGE_BYTES;
        mbarrier_wait(FULL + 8 * stage, round & 1, patience); // acquires what the copies wrote
        multiply_block(d, a, a + LADDER_BOX_BYTES);
        wgmma_wait<1>(); // this warp's reads of the block before are over
        if (block > 0 && threadIdx.x % 32 == 0) mbarrier_arrive(EMPTY + 8 * ((block - 1) % STAGES));
    }
    wgmma_wait<0>();
    store_fragment(job, row, column, d[0]);
    store_fragment(job, row + 64, column, d[1]);
}

extern "C" __global__ void __launch_bounds__(160)
    ladder_pipeline(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                    const __grid_constant__ ladder_job job)
{
    const uint32_t row = blockIdx.y * LADDER_TILE, column = blockIdx.x * LADDER_TILE, blocks = ladder_blocks(job);
    uint32_t patience = WAIT_TRIES;

    if (threadIdx.x == 0) {
        for (uint32_t stage = 0; stage < STAGES; stage++) {
            mbarrier_init(FULL + 8 * stage, 1); // the producer's arrival, and the bytes it announces
            mbarrier_init(EMPTY + 8 * stage, CONSUMER_WARPS);
        }
        mbarrier_init_fence();
    }
    __syncthreads(); // the barriers are there for all
    if (threadIdx.x < 128) {
        consume(job, row, column, blocks, patience);
    } else if (threadIdx.x == 128) {
        produce(map_a, map_b, row, column, blocks, patience);
    }
    if (patience == 0) fail();
}
