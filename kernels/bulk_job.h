// SPDX-License-Identifier: MIT
// What the bulk kernel and the harness agree on: one job is one bulk operation, and both know what memory holds before
// it. Plain C, included by both.
#ifndef TMAREF_BULK_JOB_H
#define TMAREF_BULK_JOB_H

#include <stdint.h>

#include "../model/tma/bulk_op.h"

enum {
    BULK_SHARED_START = 1024,   // first shared address of a CTA's own memory: the system keeps 1 KiB on sm_90
    BULK_SHARED_BYTES = 203776, // dynamic shared memory of the launch: less than the most, to see both of its ends
    BULK_SHARED_END = BULK_SHARED_START + BULK_SHARED_BYTES,
    BULK_BARRIER = BULK_SHARED_START,             // shared address of the mbarrier
    BULK_WINDOW_START = BULK_SHARED_START + 1024, // first address that is filled or dumped
    BULK_THREADS = 128,
    BULK_COPY = BULK_REDUCTIONS, // the operation of a job that does not reduce
};

// What memory holds before: words that are all different, or elements of a type with its limits among them.
enum bulk_content {
    BULK_CONTENT_DISTINCT,
    BULK_CONTENT_INT32,
    BULK_CONTENT_INT64,
    BULK_CONTENT_F16,
    BULK_CONTENT_BF16,
    BULK_CONTENT_F32,
    BULK_CONTENT_F64,
    BULK_CONTENTS
};

// `from` and `to` are global addresses, or shared ones counted in their CTA. `source` .. `source_end` is the issuer's
// shared memory that is filled before, `window` .. `window_end` the destination's, filled before and dumped after:
// shared addresses (multiples of 16), or for global memory offsets in the output, where it lies itself. `output` is
// where the window goes in the output buffer, the barrier's word 8 bytes before it. `rank` is the destination's CTA, or
// the issuer's (0) for global memory. `settle`: the barrier will not tell when the bytes are there; wait for a fixed
// time instead.
struct bulk_job {
    uint64_t from, to, output;
    uint32_t form, operation, content, seed;
    uint32_t size_bytes, expect_bytes, settle;
    uint32_t source, source_end, window, window_end;
    uint32_t rank;
};

#ifdef __CUDACC__
#define BULK_DEVICE __device__
#else
#define BULK_DEVICE
#endif

// 64 bits that depend on all bits of `x`.
BULK_DEVICE static inline uint64_t bulk_mix(uint64_t x)
{
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

// Elements from 64 random bits: every second one a limit of its type, or small, or close to 1 so that sums round.
BULK_DEVICE static inline uint16_t bulk_half(uint64_t bits, int is_bf16)
{
    const uint16_t f16[16] = {0x0000, 0x0001, 0x0002, 0x0200, 0x03ff, 0x0400, 0x1000, 0x1400,
                              0x3c00, 0x3c01, 0x7bff, 0x4c00, 0x7c00, 0x7c01, 0x7e00, 0x7fff};
    const uint16_t bf16[16] = {0x0000, 0x0001, 0x0002, 0x0040, 0x007f, 0x0080, 0x3b80, 0x3c00,
                               0x3f80, 0x3f81, 0x7f7f, 0x7b00, 0x7f80, 0x7f81, 0x7fc0, 0x7fff};
    uint16_t sign = (uint16_t)(bits & 0x8000), pick = (uint16_t)(bits >> 16 & 15);
    if (bits >> 24 & 1) return (uint16_t)(sign | (is_bf16 ? bf16[pick] : f16[pick]));
    if (bits >> 25 & 1) return (uint16_t)((bits & 0x83ff) | (is_bf16 ? 0x3e00 : 0x3800));
    return (uint16_t)bits;
}

BULK_DEVICE static inline uint32_t bulk_float(uint64_t bits)
{
    const uint32_t limit[16] = {0x00000000, 0x00000001, 0x00400000, 0x007fffff, 0x00800000, 0x00800001,
                                0x33800000, 0x33800001, 0x3f800000, 0x3f800001, 0x7f7fffff, 0x73000000,
                                0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff};
    uint32_t low = (uint32_t)bits, sign = low & 0x80000000;
    if (bits >> 40 & 1) return sign | limit[bits >> 32 & 15];
    if (bits >> 41 & 1) return (low & 0x81ffffff) | 0x3e000000;
    return low;
}

BULK_DEVICE static inline uint64_t bulk_double(uint64_t bits)
{
    const uint64_t limit[16] = {0x0000000000000000, 0x0000000000000001, 0x0008000000000000, 0x000fffffffffffff,
                                0x0010000000000000, 0x0010000000000001, 0x3ca0000000000000, 0x3ca0000000000001,
                                0x3ff0000000000000, 0x3ff0000000000001, 0x7fefffffffffffff, 0x7c90000000000000,
                                0x7ff0000000000000, 0x7ff0000000000001, 0x7ff8000000000000, 0x7fffffffffffffff};
    uint64_t other = bulk_mix(bits), sign = bits & 0x8000000000000000;
    if (other & 1) return sign | limit[other >> 1 & 15];
    if (other & 2) return (bits & 0x803fffffffffffff) | 0x3fc0000000000000;
    return bits;
}

// An integer of `width` 32 or 64 bits.
BULK_DEVICE static inline uint64_t bulk_integer(uint64_t bits, int width)
{
    const uint64_t sign = (uint64_t)1 << (width - 1);
    const uint64_t limit[8] = {0, 1, 2, sign - 1, sign, sign + 1, 0 - (uint64_t)1, 0 - (uint64_t)2};
    uint64_t other = bulk_mix(bits);
    uint64_t value = other & 1 ? limit[other >> 1 & 7] : other & 16 ? other >> 8 & 7 : bits;
    return width == 32 ? value & 0xffffffff : value;
}

// The 8 bytes at `address` (a multiple of 8) before the operation. `salt` keeps source and destination apart.
BULK_DEVICE static inline uint64_t bulk_word(uint32_t seed, uint32_t content, uint32_t salt, uint64_t address)
{
    uint64_t bits = bulk_mix(((uint64_t)seed << 32 | address >> 3) * 2 + salt + 1), word = 0;
    switch (content) {
    case BULK_CONTENT_INT32:
        return bulk_integer(bits, 32) << 32 | bulk_integer(bits >> 32, 32);
    case BULK_CONTENT_INT64:
        return bulk_integer(bits, 64);
    case BULK_CONTENT_F16:
    case BULK_CONTENT_BF16:
        for (int i = 0; i < 4; i++)
            word = word << 16 | bulk_half(bulk_mix(bits + (uint64_t)i), content == BULK_CONTENT_BF16);
        return word;
    case BULK_CONTENT_F32:
        return (uint64_t)bulk_float(bits) << 32 | bulk_float(bulk_mix(bits + 1));
    case BULK_CONTENT_F64:
        return bulk_double(bits);
    default:
        return bits;
    }
}

enum { BULK_SALT_DESTINATION, BULK_SALT_SOURCE };

#endif
