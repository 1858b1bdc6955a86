// SPDX-License-Identifier: MIT
// Step 2 of the ladder: two buffers. The next block is on its way while this one is multiplied. New: a barrier for each
// buffer, whose phase turns every second block; the load of a block is issued before the wait for the one in front.
#include "ladder.cuh"

static constexpr uint32_t STAGE_BYTES = 2 * LADDER_BOX_BYTES, BARRIERS = LADDER_SHARED_START + 2 * STAGE_BYTES;

static __device__ __forceinline__ void load_block(const CUtensorMap &map_a, const CUtensorMap &map_b, uint32_t block,
                                                  uint32_t row, uint32_t column)
{
    uint32_t a = LADDER_SHARED_START + block % 2 * STAGE_BYTES, full = BARRIERS + block % 2 * 8;
    mbarrier_arrive_expect_tx(full, STAGE_BYTES);
    load_box(a, map_a, block, row, full);
    load_box(a + LADDER_BOX_BYTES, map_b, block, column, full);
}

extern "C" __global__ void __launch_bounds__(128)
    ladder_double_buffer(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                         const __grid_constant__ ladder_job job)
{
    const uint32_t row = blockIdx.y * LADDER_TILE, column = blockIdx.x * LADDER_TILE, blocks = ladder_blocks(job);
    float d[2][64] = {};
    uint32_t patience = WAIT_TRIES;

    if (threadIdx.x == 0) {
        mbarrier_init(BARRIERS, 1);
        mbarrier_init(BARRIERS + 8, 1);
        mbarrier_init_fence();
        load_block(map_a, map_b, 0, row, column);
    }
    __syncthreads(); // the barriers are there for all
    for (uint32_t block = 0; block < blocks; block++) {
        uint32_t a = LADDER_SHARED_START + block % 2 * STAGE_BYTES;
        if (threadIdx.x == 0 && block + 1 < blocks) load_block(map_a, map_b, block + 1, row, column);
        mbarrier_wait(BARRIERS + block % 2 * 8, block / 2 & 1, patience); // acquires what the copies wrote
        multiply_block(d, a, a + LADDER_BOX_BYTES);
        wgmma_wait<0>();
        __syncthreads(); // nobody reads this buffer any more: the block after the next may come
    }
    store_fragment(job, row, column, d[0]);
    store_fragment(job, row + 64, column, d[1]);
    if (patience == 0) fail();
}
