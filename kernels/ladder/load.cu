// SPDX-License-Identifier: MIT
// Step 1 of the ladder: load, wait, multiply. One thread asks for a block of A and of B; the barrier tells all of them
// that the bytes have come; the warpgroup multiplies; then the next block may overwrite them. Copy engine and tensor
// cores work in turn, never together.
#include "ladder.cuh"

extern "C" __global__ void __launch_bounds__(128)
    ladder_load(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                const __grid_constant__ ladder_job job)
{
    const uint32_t a = LADDER_SHARED_START, b = a + LADDER_BOX_BYTES, full = b + LADDER_BOX_BYTES;
    const uint32_t row = blockIdx.y * LADDER_TILE, column = blockIdx.x * LADDER_TILE;
    float d[2][64] = {};
    uint32_t patience = WAIT_TRIES;

    if (threadIdx.x == 0) {
        mbarrier_init(full, 1);
        mbarrier_init_fence();
    }
    __syncthreads(); // the barrier is there for all
    for (uint32_t block = 0; block < ladder_blocks(job); block++) {
        if (threadIdx.x == 0) {
            mbarrier_arrive_expect_tx(full, 2 * LADDER_BOX_BYTES);
            load_box(a, map_a, block, row, full);
            load_box(b, map_b, block, column, full);
        }
        mbarrier_wait(full, block & 1, patience); // acquires what the copies wrote
        multiply_block(d, a, b);
        wgmma_wait<0>();
        __syncthreads(); // nobody reads the block any more: the next one may come
    }
    store_fragment(job, row, column, d[0]);
    store_fragment(job, row + 64, column, d[1]);
    if (patience == 0) fail();
}
