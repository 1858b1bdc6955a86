// SPDX-License-Identifier: MIT
// What the store kernel and the harness agree on: one job is one tensor store or reduction, and what memory holds
// before it. Plain C, included by both.
#ifndef TMAREF_STORE_JOB_H
#define TMAREF_STORE_JOB_H

#include <stdint.h>

#include "../model/core/dtype.h"

enum {
    STORE_SHARED_START = 1024,   // first shared address of a CTA's own memory: the system keeps 1 KiB on sm_90
    STORE_SHARED_BYTES = 101376, // dynamic shared memory of the launch: two blocks fit a multiprocessor
    STORE_SHARED_END = STORE_SHARED_START + STORE_SHARED_BYTES,
    STORE_THREADS = 128,
};

enum { STORE_TILE, STORE_IM2COL }; // values of `mode`

// `map` is a CUtensorMap, at a 64-byte boundary. `dims` is the .Nd of the instruction, `mode` STORE_TILE or
// STORE_IM2COL
// (.im2col_no_offs, 3 to 5 dims). `operation`: 0 is a store, 1 + an enum reduce_op a reduction. `shared` is the source;
// shared addresses `filled` .. `filled_end` get the pattern of `shared_seed` before. `window_bytes` of global memory at
// `window` (an offset in the buffer of windows) get that of `window_seed`, counted from word `window_first`.
// `data_type`: an enum dtype, which the patterns lean to.
struct store_job {
    uint64_t map[16];
    int32_t coord[5];
    int32_t dims;
    uint32_t operation, data_type;
    uint32_t shared, filled, filled_end;
    uint32_t window_first, window_bytes, mode;
    uint64_t window, shared_seed, window_seed;
    uint64_t pad[6];
};

#ifndef __CUDACC__
_Static_assert(sizeof(struct store_job) == 256, "every map lies at a 64-byte boundary");
#endif

#ifdef __CUDACC__
#define STORE_FUNCTION static inline __device__
#else
#define STORE_FUNCTION static inline
#endif

STORE_FUNCTION uint64_t store_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// A float at the limits of its format: `infinity` and `one` are bit patterns, `least` is the least normal number.
STORE_FUNCTION uint64_t store_float(uint64_t r, uint64_t infinity, uint64_t one, uint64_t least, uint64_t sign_bit)
{
    uint64_t sign = r & sign_bit, mantissa = r & (least - 1), any = r & (sign_bit - 1);
    switch (store_mix(r) >> 60) {
    case 0:
        return sign;
    case 1:
        return sign | mantissa; // subnormals
    case 2:
        return sign | infinity;
    case 3:
        return sign | infinity | mantissa; // NaN payloads
    case 4:
        return sign | (infinity - 1 - (mantissa & 3)); // overflow is near
    case 5:
        return sign | (one + (r >> 2 & 3)); // equal and opposite operands
    case 6:
        return sign | (least + 2 - (r >> 2 & 3)); // the least normal number
    case 7:
    case 8:
    case 9:
        return sign | (one + any % (16 * least) - 8 * least); // exponents so close that bits are lost
    case 10:
        return sign | any % (4 * least);
    default:
        return sign | any;
    }
}

// An integer where sums wrap and comparisons turn.
STORE_FUNCTION uint64_t store_integer(uint64_t r, uint64_t mask)
{
    switch (store_mix(r) >> 60) {
    case 0:
        return 0;
    case 1:
        return mask;
    case 2:
        return mask / 2 + 1;
    case 3:
        return mask / 2;
    case 4:
    case 5:
        return r & 3;
    case 6:
        return r & 255;
    case 7:
        return mask - (r & 3);
    default:
        return r & mask;
    }
}

STORE_FUNCTION uint64_t store_element(uint32_t data_type, uint64_t r)
{
    switch (data_type) {
    case DTYPE_FLOAT16:
        return store_float(r, 0x7c00, 0x3c00, 0x0400, 0x8000);
    case DTYPE_BFLOAT16:
        return store_float(r, 0x7f80, 0x3f80, 0x0080, 0x8000);
    case DTYPE_FLOAT64:
        return store_float(r, 0x7ff0000000000000u, 0x3ff0000000000000u, 0x0010000000000000u, 0x8000000000000000u);
    case DTYPE_FLOAT32:
    case DTYPE_FLOAT32_FTZ:
    case DTYPE_TFLOAT32:
    case DTYPE_TFLOAT32_FTZ:
        return store_float(r, 0x7f800000, 0x3f800000, 0x00800000, 0x80000000);
    case DTYPE_UINT64:
    case DTYPE_INT64:
        return store_integer(r, 0xffffffffffffffffu);
    default:
        return store_integer(r, 0xffffffffu);
    }
}

// The 8 bytes at 8 * index of a memory that holds elements of a type, before anything is stored.
STORE_FUNCTION uint64_t store_pattern(uint64_t seed, uint32_t data_type, uint32_t index)
{
    uint64_t r = store_mix(seed + index * 0x9e3779b97f4a7c15u);
    switch (data_type) {
    case DTYPE_UINT8:
    case DTYPE_UINT16:
        return r;
    case DTYPE_UINT64:
    case DTYPE_INT64:
    case DTYPE_FLOAT64:
        return store_element(data_type, r);
    case DTYPE_FLOAT16:
    case DTYPE_BFLOAT16:
        return store_element(data_type, r) | store_element(data_type, store_mix(r + 1)) << 16 |
               store_element(data_type, store_mix(r + 2)) << 32 | store_element(data_type, store_mix(r + 3)) << 48;
    default:
        return store_element(data_type, r) | store_element(data_type, store_mix(r + 1)) << 32;
    }
}

#endif
