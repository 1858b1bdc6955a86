// SPDX-License-Identifier: MIT
// createpolicy, as ptxas 13.0 computes it in plain instructions for sm_90a, and an H200 gave it bit for bit. The fields
// have the names of CCCL's access_property.
#include "policy.h"

#include <string.h>

#include "approximate.h"

enum {
    INTERLEAVED = 2,
    BLOCKS = 3,
    COUNT_BIT = 37,      // the number of blocks, 7 bits
    START_BIT = 44,      // the first block, 7 bits
    SIXTEENTHS_BIT = 52, // the fraction less 1/16, or log2 of a block's 4 KiB
    SECONDARY_BIT = 56,
    PRIMARY_BIT = 57,
    MODE_BIT = 59,
    MOST_BLOCKS = 127,
    SMALLEST_BLOCK = 12, // log2
    BLOCKS_OF_TOTAL = 7, // log2
};

static uint64_t field(uint64_t value, int bit)
{
    return value << bit;
}

static uint64_t number_of(enum ptx_word word)
{
    return word == PTX_L2_EVICT_FIRST ? 1 : word == PTX_L2_EVICT_LAST ? 2 : word == PTX_L2_EVICT_NORMAL ? 3 : 0;
}

static uint64_t evictions(struct l2_policy policy, int mode)
{
    return field(number_of(policy.primary), PRIMARY_BIT) | field(number_of(policy.secondary), SECONDARY_BIT) |
           field((uint64_t)mode, MODE_BIT);
}

// cvt.rzi.u32.f32: NaN is 0.
static uint32_t cut(float value)
{
    return value >= 0x1p32f ? UINT32_MAX : value > 0 ? (uint32_t)value : 0;
}

uint64_t machine_policy_fraction(struct l2_policy policy, uint32_t fraction)
{
    float value;
    memcpy(&value, &fraction, sizeof value);
    return evictions(policy, INTERLEAVED) | field(cut(value * 15.99f) & 15, SIXTEENTHS_BIT);
}

// log2, rounded up, of what lg2.approx makes of it: a little above a power of two is still that power.
static uint32_t ceil_log2(uint32_t bytes)
{
    float value = (float)bytes;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = mufu_lg2(bits);
    memcpy(&value, &bits, sizeof value);
    return cut(value) + ((float)cut(value) < value);
}

uint64_t machine_policy_range(struct l2_policy policy, uint64_t address, uint32_t primary_bytes, uint32_t total_bytes)
{
    if (total_bytes == 0) return field(BLOCKS, MODE_BIT);
    uint32_t log2 = ceil_log2(total_bytes), shift = SMALLEST_BLOCK;
    if (log2 > shift + BLOCKS_OF_TOTAL) shift = log2 - BLOCKS_OF_TOTAL;
    // The sum of 32 bits wraps.
    uint64_t start = address >> shift, end = (address + (uint32_t)(primary_bytes - 1 + (1u << shift))) >> shift;
    uint64_t count = end - start < MOST_BLOCKS ? end - start : MOST_BLOCKS;
    return evictions(policy, BLOCKS) | field(shift - SMALLEST_BLOCK, SIXTEENTHS_BIT) |
           field(start & MOST_BLOCKS, START_BIT) | field(count, COUNT_BIT);
}
