// SPDX-License-Identifier: MIT
// Integer arithmetic: sums, products, quotients, with and without carry, saturated, packed, of 24 bits, dot products.
#include <stdbool.h>

#include "lanes_loop.h"
#include "table.h"

typedef unsigned __int128 u128;
typedef __int128 s128;

// --- Helpers ---------------------------------------------------------------------------------------------------------

LANE_INLINE int32_t clamped(int64_t x)
{
    return (int32_t)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}

LANE_INLINE int32_t signed_24(uint32_t x)
{
    return (int32_t)(x << 8) >> 8;
}

// Quotients and remainders. By zero: all ones. The least number by -1: itself, and 0.
#define DIVISION(S, U)                                                                                                 \
    LANE_INLINE U quotient_##U(U a, U b)                                                                               \
    {                                                                                                                  \
        return (U)(b == 0 ? (U) ~(U)0 : a / b);                                                                        \
    }                                                                                                                  \
    LANE_INLINE U remainder_##U(U a, U b)                                                                              \
    {                                                                                                                  \
        return (U)(b == 0 ? (U) ~(U)0 : a % b);                                                                        \
    }                                                                                                                  \
    LANE_INLINE S quotient_##S(S a, S b)                                                                               \
    {                                                                                                                  \
        return (S)(b == 0 ? -1 : b == -1 ? (S)(0u - (U)a) : a / b);                                                    \
    }                                                                                                                  \
    LANE_INLINE S remainder_##S(S a, S b)                                                                              \
    {                                                                                                                  \
        return (S)(b == 0 ? -1 : b == -1 ? 0 : a % b);                                                                 \
    }
DIVISION(int16_t, uint16_t)
DIVISION(int32_t, uint32_t)
DIVISION(int64_t, uint64_t)

// --- Operations, one line each ---------------------------------------------------------------------------------------

// Those that are the same for signed and unsigned numbers.
#define MODULAR(U, t)                                                                                                  \
    BINARY(add_##t, U, U, U, 1u * a + b)                                                                               \
    BINARY(sub_##t, U, U, U, 1u * a - b)                                                                               \
    BINARY(mul_lo_##t, U, U, U, 1u * a * b)                                                                            \
    TERNARY(mad_lo_##t, U, U, U, U, 1u * a * b + c)                                                                    \
    UNARY(neg_##t, U, U, 0u - a)                                                                                       \
    UNARY(abs_##t, U, U, a >> (8 * sizeof a - 1) ? 0u - a : a)
MODULAR(uint16_t, 16)
MODULAR(uint32_t, 32)
MODULAR(uint64_t, 64)

// Those that are not: T of the type U as wide, unsigned, and W twice as wide.
#define EITHER_SIGN(T, U, W, t)                                                                                        \
    BINARY(mul_hi_##t, T, T, T, ((W)a * b) >> 8 * sizeof a)                                                            \
    TERNARY(mad_hi_##t, U, T, T, U, (U)(((W)a * b) >> 8 * sizeof a) + 1u * c)                                          \
    BINARY(div_##t, T, T, T, quotient_##T(a, b))                                                                       \
    BINARY(rem_##t, T, T, T, remainder_##T(a, b))                                                                      \
    BINARY(min_##t, T, T, T, a < b ? a : b)                                                                            \
    BINARY(max_##t, T, T, T, a > b ? a : b)                                                                            \
    TERNARY(sad_##t, U, T, T, U, 1u * c + (a < b ? 1u * (U)b - (U)a : 1u * (U)a - (U)b))
EITHER_SIGN(uint16_t, uint16_t, uint32_t, u16)
EITHER_SIGN(uint32_t, uint32_t, uint64_t, u32)
EITHER_SIGN(uint64_t, uint64_t, u128, u64)
EITHER_SIGN(int16_t, uint16_t, int32_t, s16)
EITHER_SIGN(int32_t, uint32_t, int64_t, s32)
EITHER_SIGN(int64_t, uint64_t, s128, s64)

#define WIDE(T, W, UW, t)                                                                                              \
    BINARY(mul_wide_##t, W, T, T, (W)a *b)                                                                             \
    TERNARY(mad_wide_##t, UW, T, T, UW, (UW)((W)a * b) + c)
WIDE(uint16_t, uint32_t, uint32_t, u16)
WIDE(uint32_t, uint64_t, uint64_t, u32)
WIDE(int16_t, int32_t, uint32_t, s16)
WIDE(int32_t, int64_t, uint64_t, s32)

BINARY(add_sat, int32_t, int32_t, int32_t, clamped((int64_t)a + b))
BINARY(sub_sat, int32_t, int32_t, int32_t, clamped((int64_t)a - b))
TERNARY(mad_hi_sat, int32_t, int32_t, int32_t, int32_t, clamped((((int64_t)a * b) >> 32) + c))

BINARY(mul24_lo_u32, uint32_t, uint32_t, uint32_t, (a & 0xffffff) * (b & 0xffffff))
BINARY(mul24_lo_s32, uint32_t, uint32_t, uint32_t, (int64_t)signed_24(a) * signed_24(b))
BINARY(mul24_hi_u32, uint32_t, uint32_t, uint32_t, (uint64_t)(a & 0xffffff) * (b & 0xffffff) >> 16)
BINARY(mul24_hi_s32, uint32_t, uint32_t, uint32_t, (int64_t)signed_24(a) * signed_24(b) >> 16)
TERNARY(mad24_lo_u32, uint32_t, uint32_t, uint32_t, uint32_t, (a & 0xffffff) * (b & 0xffffff) + c)
TERNARY(mad24_lo_s32, uint32_t, uint32_t, uint32_t, uint32_t, (int64_t)signed_24(a) * signed_24(b) + c)
TERNARY(mad24_hi_u32, uint32_t, uint32_t, uint32_t, uint32_t, ((uint64_t)(a & 0xffffff) * (b & 0xffffff) >> 16) + c)
TERNARY(mad24_hi_s32, uint32_t, uint32_t, uint32_t, uint32_t, ((int64_t)signed_24(a) * signed_24(b) >> 16) + c)
TERNARY(mad24_hi_sat, int32_t, uint32_t, uint32_t, int32_t, clamped(((int64_t)signed_24(a) * signed_24(b) >> 16) + c))

BINARY(min_relu, int32_t, int32_t, int32_t, (a < b ? a : b) > 0 ? (a < b ? a : b) : 0)
BINARY(max_relu, int32_t, int32_t, int32_t, (a > b ? a : b) > 0 ? (a > b ? a : b) : 0)

// Two numbers of 16 bits in 32: loops over 64 halves, of lanes that lie one after the other.
#define PACKED(name, T, ...)                                                                                           \
    ALU_FUNCTION(name)                                                                                                 \
    {                                                                                                                  \
        RESULT(uint32_t);                                                                                              \
        const uint32_t *as = alu_at(registers, slot[1]), *bs = alu_at(registers, slot[2]);                             \
        EACH_LANE                                                                                                      \
        {                                                                                                              \
            uint32_t both = 0;                                                                                         \
            for (int half = 0; half < 2; half++) {                                                                     \
                T a = (T)(as[i] >> 16 * half), b = (T)(bs[i] >> 16 * half);                                            \
                both |= (uint32_t)(uint16_t)(__VA_ARGS__) << 16 * half;                                                \
            }                                                                                                          \
            d[i] = both;                                                                                               \
        }                                                                                                              \
        keep(lanes, alu_at(registers, slot[0]), scratch, sizeof *d);                                                   \
    }
PACKED(add_packed, uint16_t, 1u * a + b)
PACKED(min_u16x2, uint16_t, a < b ? a : b)
PACKED(max_u16x2, uint16_t, a > b ? a : b)
PACKED(min_s16x2, int16_t, a < b ? a : b)
PACKED(max_s16x2, int16_t, a > b ? a : b)
PACKED(min_packed_relu, int16_t, (a < b ? a : b) > 0 ? (a < b ? a : b) : 0)
PACKED(max_packed_relu, int16_t, (a > b ? a : b) > 0 ? (a > b ? a : b) : 0)

// --- With carry ------------------------------------------------------------------------------------------------------
// `in` is the flag before, `out` the one after. A difference adds the complement, so a borrow is a carry flag of 0: the
// division of __int128, which nvcc writes, reads with addc what subc.cc has set.

#define SUM(U)                                                                                                         \
    LANE_INLINE U sum_##U(U x, U y, uint32_t in, uint32_t *out)                                                        \
    {                                                                                                                  \
        U sum = x + y + in;                                                                                            \
        *out = sum < x || (in != 0 && sum == x);                                                                       \
        return sum;                                                                                                    \
    }                                                                                                                  \
    LANE_INLINE U difference_##U(U x, U y, uint32_t in, uint32_t *out)                                                 \
    {                                                                                                                  \
        *out = x > y || (in != 0 && x == y);                                                                           \
        return x - y - !in;                                                                                            \
    }
SUM(uint32_t)
SUM(uint64_t)

// `flags` is the carry flags as they are read; the last operand is number `last`.
#define CARRY(name, U, flags, last, ...)                                                                               \
    ALU_FUNCTION(name)                                                                                                 \
    {                                                                                                                  \
        RESULT(U);                                                                                                     \
        const U *as = alu_at(registers, slot[1]), *bs = alu_at(registers, slot[2]),                                    \
                *cs = alu_at(registers, slot[last]);                                                                   \
        uint32_t before = flags, after = 0;                                                                            \
        for (int i = 0; i < LANES; i++) {                                                                              \
            U a = as[i], b = bs[i], c = cs[i];                                                                         \
            uint32_t in = before >> i & 1, out;                                                                        \
            (void)a, (void)b, (void)c;                                                                                 \
            d[i] = __VA_ARGS__;                                                                                        \
            after |= out << i;                                                                                         \
        }                                                                                                              \
        if (word_is(choice, PTX_CLASS_CARRY, PTX_CC)) keep_bits(registers->carry, after, lanes);                       \
        keep(lanes, alu_at(registers, slot[0]), scratch, sizeof *d);                                                   \
    }
#define CARRIES(U, t)                                                                                                  \
    CARRY(add_cc_##t, U, 0, 2, sum_##U(a, b, in, &out))                                                                \
    CARRY(addc_##t, U, *registers->carry, 2, sum_##U(a, b, in, &out))                                                  \
    CARRY(sub_cc_##t, U, ~0u, 2, difference_##U(a, b, in, &out))                                                       \
    CARRY(subc_##t, U, *registers->carry, 2, difference_##U(a, b, in, &out))                                           \
    CARRY(mad_lo_cc_##t, U, 0, 3, sum_##U(a *b, c, in, &out))                                                          \
    CARRY(madc_lo_##t, U, *registers->carry, 3, sum_##U(a *b, c, in, &out))
#define CARRIES_HIGH(T, U, W, t)                                                                                       \
    CARRY(mad_hi_cc_##t, U, 0, 3, sum_##U((U)((W)(T)a * (T)b >> 8 * sizeof a), c, in, &out))                           \
    CARRY(madc_hi_##t, U, *registers->carry, 3, sum_##U((U)((W)(T)a * (T)b >> 8 * sizeof a), c, in, &out))
CARRIES(uint32_t, 32)
CARRIES(uint64_t, 64)
CARRIES_HIGH(uint32_t, uint32_t, uint64_t, u32)
CARRIES_HIGH(int32_t, uint32_t, int64_t, s32)
CARRIES_HIGH(uint64_t, uint64_t, u128, u64)
CARRIES_HIGH(int64_t, uint64_t, s128, s64)

// --- Dot products ----------------------------------------------------------------------------------------------------

// Part `n` of `bits` bits.
LANE_INLINE uint32_t part(uint32_t x, int bits, int n, bool is_signed)
{
    uint32_t up = x << (32 - bits * (n + 1));
    return is_signed ? (uint32_t)((int32_t)up >> (32 - bits)) : up >> (32 - bits);
}

LANE_INLINE uint32_t dot(uint32_t a, uint32_t b, uint32_t c, bool a_signed, bool b_signed, int bits, int first)
{
    for (int n = 0; n < 32 / bits; n++) c += part(a, bits, n, a_signed) * part(b, 8, n + first, b_signed);
    return c;
}

#define DOTS(t, a_signed, b_signed)                                                                                    \
    TERNARY(dp4a_##t, uint32_t, uint32_t, uint32_t, uint32_t, dot(a, b, c, a_signed, b_signed, 8, 0))                  \
    TERNARY(dp2a_lo_##t, uint32_t, uint32_t, uint32_t, uint32_t, dot(a, b, c, a_signed, b_signed, 16, 0))              \
    TERNARY(dp2a_hi_##t, uint32_t, uint32_t, uint32_t, uint32_t, dot(a, b, c, a_signed, b_signed, 16, 2))
DOTS(u32_u32, 0, 0)
DOTS(u32_s32, 0, 1)
DOTS(s32_u32, 1, 0)
DOTS(s32_s32, 1, 1)

// --- Rows ------------------------------------------------------------------------------------------------------------

#define MODULAR_ROWS(form, name)                                                                                       \
    ROW(form, u16, name##_16), ROW(form, u32, name##_32), ROW(form, u64, name##_64), ROW(form, s16, name##_16),        \
        ROW(form, s32, name##_32), ROW(form, s64, name##_64)
#define SIGNED_ROWS(form, name) ROW(form, s16, name##_16), ROW(form, s32, name##_32), ROW(form, s64, name##_64)
#define SIGN_ROWS(form, name)                                                                                          \
    ROW(form, u16, name##_u16), ROW(form, u32, name##_u32), ROW(form, u64, name##_u64), ROW(form, s16, name##_s16),    \
        ROW(form, s32, name##_s32), ROW(form, s64, name##_s64)
#define WIDE_ROWS(form, name)                                                                                          \
    ROW(form, u16, name##_u16), ROW(form, u32, name##_u32), ROW(form, s16, name##_s16), ROW(form, s32, name##_s32)
#define CARRY_ROWS(form, name)                                                                                         \
    ROW(form, u32, name##_32), ROW(form, s32, name##_32), ROW(form, u64, name##_64), ROW(form, s64, name##_64)
#define CARRY_HIGH_ROWS(form, name)                                                                                    \
    ROW(form, u32, name##_u32), ROW(form, s32, name##_s32), ROW(form, u64, name##_u64), ROW(form, s64, name##_s64)
#define ROWS_32(form, name) ROW(form, u32, name##_u32), ROW(form, s32, name##_s32)
#define DOT_ROWS(form, name)                                                                                           \
    ROW_2(form, u32, u32, name##_u32_u32), ROW_2(form, u32, s32, name##_u32_s32),                                      \
        ROW_2(form, s32, u32, name##_s32_u32), ROW_2(form, s32, s32, name##_s32_s32)

static const struct alu_row rows[] = {
    MODULAR_ROWS(ADD_INT, add),
    MODULAR_ROWS(SUB_INT, sub),
    MODULAR_ROWS(MUL_LO, mul_lo),
    MODULAR_ROWS(MAD_LO, mad_lo),
    SIGNED_ROWS(NEG_INT, neg),
    SIGNED_ROWS(ABS_INT, abs),
    SIGN_ROWS(MUL_HI, mul_hi),
    SIGN_ROWS(MAD_HI, mad_hi),
    SIGN_ROWS(DIV_INT, div),
    SIGN_ROWS(REM, rem),
    SIGN_ROWS(MIN_INT, min),
    SIGN_ROWS(MAX_INT, max),
    SIGN_ROWS(SAD, sad),
    WIDE_ROWS(MUL_WIDE, mul_wide),
    WIDE_ROWS(MAD_WIDE, mad_wide),
    ROW_ANY(ADD_SAT, add_sat),
    ROW_ANY(SUB_SAT, sub_sat),
    ROW_ANY(MAD_HI_SAT, mad_hi_sat),
    ROWS_32(MUL24_LO, mul24_lo),
    ROWS_32(MUL24_HI, mul24_hi),
    ROWS_32(MAD24_LO, mad24_lo),
    ROWS_32(MAD24_HI, mad24_hi),
    ROW_ANY(MAD24_HI_SAT, mad24_hi_sat),
    ROW_ANY(MIN_RELU, min_relu),
    ROW_ANY(MAX_RELU, max_relu),
    ROW_ANY(ADD_PACKED, add_packed),
    ROW(MIN_PACKED, u16x2, min_u16x2),
    ROW(MIN_PACKED, s16x2, min_s16x2),
    ROW(MAX_PACKED, u16x2, max_u16x2),
    ROW(MAX_PACKED, s16x2, max_s16x2),
    ROW_ANY(MIN_PACKED_RELU, min_packed_relu),
    ROW_ANY(MAX_PACKED_RELU, max_packed_relu),
    CARRY_ROWS(ADD_CC, add_cc),
    CARRY_ROWS(ADDC, addc),
    CARRY_ROWS(SUB_CC, sub_cc),
    CARRY_ROWS(SUBC, subc),
    CARRY_ROWS(MAD_LO_CC, mad_lo_cc),
    CARRY_ROWS(MADC_LO, madc_lo),
    CARRY_HIGH_ROWS(MAD_HI_CC, mad_hi_cc),
    CARRY_HIGH_ROWS(MADC_HI, madc_hi),
    DOT_ROWS(DP4A, dp4a),
    DOT_ROWS(DP2A_LO, dp2a_lo),
    DOT_ROWS(DP2A_HI, dp2a_hi),
};
ALU_ROWS(alu_integer, rows);
