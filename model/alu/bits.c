// SPDX-License-Identifier: MIT
// Bits counted, found, reversed, taken out and put in.
#include <stdbool.h>

#include "lanes_loop.h"
#include "table.h"

LANE_INLINE uint32_t top_bit_32(uint32_t x)
{
    return x == 0 ? 0xffffffff : 31 - (uint32_t)__builtin_clz(x);
}

LANE_INLINE uint32_t top_bit_64(uint64_t x)
{
    return x == 0 ? 0xffffffff : 63 - (uint32_t)__builtin_clzll(x);
}

// The place of the top bit, or how far it is from the top.
LANE_INLINE uint32_t found(uint32_t place, uint32_t bits, int as_shift)
{
    return as_shift && place != 0xffffffff ? bits - 1 - place : place;
}

LANE_INLINE uint32_t reversed_32(uint32_t x)
{
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(x);
}

// Positions and lengths are whole numbers of 32 bits for registers of 64, the low 8 of them for those of 32.
//
// taken: bits `pos` to pos + length - 1 of `a`; of a signed one the last of them, or the top bit, repeated.
#define FIELDS(bits, T)                                                                                                \
    LANE_INLINE T ones_##bits(T count)                                                                                 \
    {                                                                                                                  \
        return count >= bits ? (T)-1 : ((T)1 << (count & (bits - 1))) - 1;                                             \
    }                                                                                                                  \
    LANE_INLINE T taken_##bits(T a, T pos, T length, int is_signed)                                                    \
    {                                                                                                                  \
        const T end = pos + length, last = end < bits ? end - 1 : bits - 1;                                            \
        const T sign = 0 - ((a >> (last & (bits - 1)) & 1) & (T)(is_signed & (length != 0)));                          \
        const T mask = pos >= bits ? 0 : ones_##bits(length > bits - pos ? bits - pos : length);                       \
        return (a >> (pos & (bits - 1)) & mask) | (sign & ~mask);                                                      \
    }                                                                                                                  \
    LANE_INLINE T put_##bits(T a, T b, T pos, T length)                                                                \
    {                                                                                                                  \
        const T mask = pos >= bits ? 0 : ones_##bits(length) << (pos & (bits - 1));                                    \
        return (b & ~mask) | (a << (pos & (bits - 1)) & mask);                                                         \
    }
FIELDS(32, uint32_t)
FIELDS(64, uint64_t)

// The `offset`-th set bit of `mask` from `base` on, upwards or downwards; 0: the one at base.
LANE_INLINE uint32_t nth_set(uint32_t mask, uint32_t base, int32_t offset)
{
    int64_t step = offset < 0 ? -1 : 1, left = offset == 0 ? 1 : offset * step;
    int64_t end = offset == 0 ? (int64_t)base + 1 : offset < 0 ? -1 : LANES;
    for (int64_t at = base; at >= 0 && at < LANES && at != end; at += step)
        if ((mask >> at & 1) && --left == 0) return (uint32_t)at;
    return 0xffffffff;
}

LANE_INLINE uint32_t extended(uint32_t a, uint32_t bits, int wraps, bool is_signed)
{
    if (!wraps && bits >= 32) return a;
    bits &= 31;
    uint32_t above = 0xffffffffu << bits;
    bool is_negative = is_signed && bits != 0 && (a >> ((bits - 1) & 31) & 1);
    return is_negative ? a | above : a & ~above;
}

LANE_INLINE uint32_t bit_mask(uint32_t start, uint32_t count, int wraps)
{
    if (!wraps && start >= 32) return 0;
    uint32_t end = (start & 31) + (wraps ? count & 31 : count > 32 ? 32 : count);
    return 0xffffffffu << (start & 31) & (end >= 32 ? 0xffffffff : ~(0xffffffffu << end));
}

#define SHIFTAMT (word_is(choice, PTX_CLASS_SHIFTAMT, PTX_SHIFTAMT))
#define WRAPS    (word_is(choice, PTX_CLASS_CLAMP, PTX_WRAP))

UNARY(popc_32, uint32_t, uint32_t, __builtin_popcount(a))
UNARY(popc_64, uint32_t, uint64_t, __builtin_popcountll(a))
UNARY(clz_32, uint32_t, uint32_t, 31 - top_bit_32(a))
UNARY(clz_64, uint32_t, uint64_t, 63 - top_bit_64(a))
UNARY(brev_32, uint32_t, uint32_t, reversed_32(a))
UNARY(brev_64, uint64_t, uint64_t, (uint64_t)reversed_32((uint32_t)a) << 32 | reversed_32((uint32_t)(a >> 32)))
UNARY(bfind_u32, uint32_t, uint32_t, found(top_bit_32(a), 32, SHIFTAMT))
UNARY(bfind_u64, uint32_t, uint64_t, found(top_bit_64(a), 64, SHIFTAMT))
UNARY(bfind_s32, uint32_t, int32_t, found(top_bit_32((uint32_t)(a ^ a >> 31)), 32, SHIFTAMT))
UNARY(bfind_s64, uint32_t, int64_t, found(top_bit_64((uint64_t)(a ^ a >> 63)), 64, SHIFTAMT))
TERNARY(fns, uint32_t, uint32_t, uint32_t, int32_t, nth_set(a, b, c))
TERNARY(bfe_u32, uint32_t, uint32_t, uint32_t, uint32_t, taken_32(a, b & 255, c & 255, 0))
TERNARY(bfe_u64, uint64_t, uint64_t, uint32_t, uint32_t, taken_64(a, b, c, 0))
TERNARY(bfe_s32, uint32_t, uint32_t, uint32_t, uint32_t, taken_32(a, b & 255, c & 255, 1))
TERNARY(bfe_s64, uint64_t, uint64_t, uint32_t, uint32_t, taken_64(a, b, c, 1))
BINARY(szext_u32, uint32_t, uint32_t, uint32_t, extended(a, b, WRAPS, 0))
BINARY(szext_s32, uint32_t, uint32_t, uint32_t, extended(a, b, WRAPS, 1))
BINARY(bmsk, uint32_t, uint32_t, uint32_t, bit_mask(a, b, WRAPS))

#define INSERT(name, T, width, count)                                                                                  \
    ALU_FUNCTION(name)                                                                                                 \
    {                                                                                                                  \
        RESULT(T);                                                                                                     \
        const T *as = alu_at(registers, slot[1]), *bs = alu_at(registers, slot[2]);                                    \
        const uint32_t *pos = alu_at(registers, slot[3]), *length = alu_at(registers, slot[4]);                        \
        EACH_LANE d[i] = (T)put_##width(as[i], bs[i], pos[i] & count, length[i] & count);                              \
        keep(lanes, alu_at(registers, slot[0]), scratch, sizeof *d);                                                   \
    }
INSERT(bfi_32, uint32_t, 32, 255)
INSERT(bfi_64, uint64_t, 64, UINT32_MAX)

static const struct alu_row rows[] = {
    ROW(POPC, b32, popc_32),    ROW(POPC, b64, popc_64),    ROW(CLZ, b32, clz_32),      ROW(CLZ, b64, clz_64),
    ROW(BREV, b32, brev_32),    ROW(BREV, b64, brev_64),    ROW(BFIND, u32, bfind_u32), ROW(BFIND, u64, bfind_u64),
    ROW(BFIND, s32, bfind_s32), ROW(BFIND, s64, bfind_s64), ROW_ANY(FNS, fns),          ROW(BFE, u32, bfe_u32),
    ROW(BFE, u64, bfe_u64),     ROW(BFE, s32, bfe_s32),     ROW(BFE, s64, bfe_s64),     ROW(BFI, b32, bfi_32),
    ROW(BFI, b64, bfi_64),      ROW(SZEXT, u32, szext_u32), ROW(SZEXT, s32, szext_s32), ROW_ANY(BMSK, bmsk),
};
ALU_ROWS(alu_bits, rows);
