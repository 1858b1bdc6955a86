// SPDX-License-Identifier: MIT
// What the kernels that copy whole tensors and the harness agree on: what a launch does beside its maps, and what
// memory holds before. Plain C, included by both.
#ifndef TMAREF_COPY_JOB_H
#define TMAREF_COPY_JOB_H

#include "store_job.h"

enum {
    COPY_SHARED_START = 1024, // first shared address of a CTA's own memory: the system keeps 1 KiB on sm_90
    COPY_TILE_START = 2048,   // first address that a tile may have: barriers lie below
    COPY_MAX_RANK = 3,
    COPY_GROUP = 16,  // CTAs that may share a tile: the largest cluster
    COPY_STAGES = 16, // of a ring, at most
    COPY_THREADS = 128,
    COPY_STREAM_THREADS = 64,  // one warp loads, the other takes what came
    COPY_VECTOR_THREADS = 256, // each copies 16 bytes
};

// What a store's tile and the tensor hold before: store_pattern(), or numbers so small that every sum is exact and the
// order of reductions cannot be seen: rows of the tile hold their number, the tensor 0 to 15.
enum { COPY_PATTERN, COPY_ROWS };

// One launch on a tensor. Index 0 is the innermost dimension; blockIdx.x runs along the outermost, as over the rows of
// a matrix. A tile is cut[i] boxes along dimension i, which follow each other in shared memory, innermost first.
//   output, words   where tiles and barrier words are dumped, in the order of the CTAs; output 0: not at all
//   tiles[]         of the tensor; `count` of them
//   shared          address of the tile, or of the ring's first stage
//   box_pitch_bytes, tile_bytes   from one box, or stage, to the next; load_bytes: what all boxes of a tile signal
//   dump_bytes      of shared memory from `shared` on, filled before and dumped after
//   operation       0: store, 1 + enum reduce_op
//   row_bytes, swizzle   of the tile, to write rows; fill, data_type, seed: what it holds
//   is_waiting      whether a CTA waits until its store has read shared memory, or just exits
//   share[]         CTAs of the cluster along blockIdx.x, .y, .z that have the same tile (1: they have different ones)
//   mask[], slice[] ctaMask of each rank of the cluster, and the box that it loads for all of them
//   stages          of the ring
//   stagger         of a stream without multicast: how many tiles further each next CTA of a cluster starts
struct copy_job {
    uint64_t output, words, seed;
    uint32_t rank, box[COPY_MAX_RANK], cut[COPY_MAX_RANK], tiles[COPY_MAX_RANK], count;
    uint32_t shared, box_pitch_bytes, tile_bytes, load_bytes, dump_bytes;
    uint32_t operation, data_type, fill, row_bytes, swizzle, is_waiting;
    uint32_t is_multicast, share[3], boxes, stages, stagger;
    uint16_t mask[COPY_GROUP], slice[COPY_GROUP];
};

// One launch on bytes: both addresses are multiples of 16, the size is any. `chunk_bytes` is what a CTA of copy_bytes
// copies, a multiple of 16.
struct copy_flat {
    uint64_t to, from, size_bytes, chunk_bytes;
};

// What shared memory holds at `address` of the CTA `cta` before a load: see load_canary().
STORE_FUNCTION uint32_t copy_canary(uint32_t cta, uint32_t address)
{
    uint32_t x = (cta << 16 ^ (address / 4 + 1)) * 0x9e3779b1u;
    return x ^ x >> 15;
}

// The bits of `value` < 2^11 as one element; bfloat16 keeps the upper 8 bits of it.
STORE_FUNCTION uint64_t copy_number(uint32_t data_type, uint32_t value)
{
    uint32_t exponent = 0;
    while (value >> exponent > 1) exponent++;
    uint64_t fraction = value - (value == 0 ? 0 : (uint64_t)1 << exponent); // below 2^exponent
    switch (data_type) {
    case DTYPE_UINT8:
        return value & 0xff;
    case DTYPE_FLOAT16:
        return value == 0 ? 0 : (uint64_t)(15 + exponent) << 10 | fraction << 10 >> exponent;
    case DTYPE_BFLOAT16:
        return value == 0 ? 0 : (uint64_t)(127 + exponent) << 7 | fraction << 7 >> exponent;
    case DTYPE_FLOAT64:
        return value == 0 ? 0 : (uint64_t)(1023 + exponent) << 52 | fraction << 52 >> exponent;
    case DTYPE_FLOAT32:
    case DTYPE_FLOAT32_FTZ:
    case DTYPE_TFLOAT32:
    case DTYPE_TFLOAT32_FTZ:
        return value == 0 ? 0 : (uint64_t)(127 + exponent) << 23 | fraction << 23 >> exponent;
    default:
        return value;
    }
}

// Eight bytes of elements that all hold `value`.
STORE_FUNCTION uint64_t copy_numbers(uint32_t data_type, uint32_t value)
{
    uint64_t word = copy_number(data_type, value);
    switch (data_type) {
    case DTYPE_UINT8:
        return word * 0x0101010101010101u;
    case DTYPE_UINT16:
    case DTYPE_FLOAT16:
    case DTYPE_BFLOAT16:
        return word * 0x0001000100010001u;
    case DTYPE_UINT64:
    case DTYPE_INT64:
    case DTYPE_FLOAT64:
        return word;
    default:
        return word | word << 32;
    }
}

#endif
