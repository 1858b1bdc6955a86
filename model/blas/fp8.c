// SPDX-License-Identifier: MIT
#include "fp8.h"

#include <string.h>

#include "chain.h"

enum { CHAIN = 128, ROW_FACTORS = CHAIN / NUMBER_LANES, GROUPS = FP8_MOST / NUMBER_LANES };

// chain: what the tensor cores have; sum: of the chains that have ended.
static struct {
    struct number_factors a[FP8_MOST * ROW_FACTORS], b[CHAIN];
    uint32_t chain[GROUPS][FP8_MOST][NUMBER_LANES];
    float sum[GROUPS][FP8_MOST][NUMBER_LANES];
} work;

static enum wgmma_types types_of(const struct fp8_block *block)
{
    if (block->a.type == CUDA_R_8F_E5M2) return WGMMA_F32_E5M2_E4M3;
    return block->b.type == CUDA_R_8F_E5M2 ? WGMMA_F32_E4M3_E5M2 : WGMMA_F32_E4M3_E4M3;
}

static void end_chains(const struct fp8_block *block)
{
    for (int group = 0; group * NUMBER_LANES < block->columns; group++)
        for (int row = 0; row < block->rows; row++)
            for (int i = 0; i < NUMBER_LANES; i++) {
                float part;
                memcpy(&part, &work.chain[group][row][i], sizeof part);
                work.sum[group][row][i] += part;
                work.chain[group][row][i] = 0;
            }
}

// `k` elements more, from `at` on.
static void go_on(const struct fp8_block *block, int64_t at, uint64_t k)
{
    const enum wgmma_types types = types_of(block);
    const struct fp8_side *a = &block->a, *b = &block->b;
    const struct number_block product =
        wgmma_chain_block(types, k, block->rows, work.a, work.b, 0, wgmma_chain_steps(types, k));
    for (int row = 0; row < block->rows; row++)
        wgmma_chain_read_row(types, k, a->at + row * a->lane_step + at * a->depth_step, (size_t)a->depth_step,
                             work.a + (size_t)row * wgmma_chain_row(types, k));
    for (int column = 0; column < block->columns; column += NUMBER_LANES) {
        const int left = block->columns - column;
        wgmma_chain_read_columns(types, k, left < NUMBER_LANES ? left : NUMBER_LANES,
                                 b->at + column * b->lane_step + at * b->depth_step, (size_t)b->lane_step,
                                 (size_t)b->depth_step, work.b);
        number_multiply(&product, work.chain[column / NUMBER_LANES]);
    }
}

void fp8_multiply(const struct fp8_block *block)
{
    memset(work.chain, 0, sizeof work.chain);
    memset(work.sum, 0, sizeof work.sum);
    for (int64_t at = 0; at < block->k; at += CHAIN) {
        const int64_t left = block->k - at;
        go_on(block, at, (uint64_t)(left < CHAIN ? left : CHAIN));
        if (!block->has_fast_sums) end_chains(block);
    }
    end_chains(block);
}

float fp8_sum(int row, int column)
{
    return work.sum[column / NUMBER_LANES][row][column % NUMBER_LANES];
}
