// SPDX-License-Identifier: MIT
// Floats of 32 bits: sums, products, quotients, roots in four rounding modes, least and greatest, signs. Every NaN that
// arithmetic gives is 7FFFFFFF.
#include <math.h>

#include "environment.h"
#include "table.h"

LANE_INLINE float read_f32(uint32_t bits, int flush)
{
    return f32_of(flush && !HOST_FLUSHES ? f32_flushed(bits) : bits);
}

LANE_INLINE uint32_t write_f32(float f, int flush, bool saturate)
{
    uint32_t bits = saturate ? f32_saturated(f) : f32_result(f);
    return flush && !HOST_FLUSHES ? f32_flushed(bits) : bits;
}

// A loop of one expression of the floats a, b, c; operand `last` is the last that there is.
#define F32_LOOP(saturate, ...)                                                                                        \
    EACH_LANE                                                                                                          \
    {                                                                                                                  \
        float a = read_f32(as[i], flush), b = read_f32(bs[i], flush), c = read_f32(cs[i], flush);                      \
        (void)b, (void)c;                                                                                              \
        d[i] = write_f32(__VA_ARGS__, flush, saturate);                                                                \
    }
#define F32_OPERANDS(second, last)                                                                                     \
    const uint32_t *as = alu_at(registers, slot[1]), *bs = alu_at(registers, slot[second]),                            \
                   *cs = alu_at(registers, slot[last])

// To nearest, with subnormals, of all lanes: as nearly all are. And as the words say.
#define F32(name, second, last, ...)                                                                                   \
    NOT_INLINE ALU_FUNCTION(name##_as_said)                                                                            \
    {                                                                                                                  \
        RESULT(uint32_t);                                                                                              \
        F32_OPERANDS(second, last);                                                                                    \
        int flush = says_ftz(choice);                                                                                  \
        struct environment environment = environment_enter(rounding(choice), flush, d);                                \
        if (says_sat(choice))                                                                                          \
            F32_LOOP(1, __VA_ARGS__)                                                                                   \
        else                                                                                                           \
            F32_LOOP(0, __VA_ARGS__)                                                                                   \
        environment_leave(environment, d);                                                                             \
        keep(lanes, alu_at(registers, slot[0]), scratch, sizeof *d);                                                   \
    }                                                                                                                  \
    ALU_FUNCTION(name)                                                                                                 \
    {                                                                                                                  \
        int flush = says_ftz(choice), is_nearest = rounding(choice) == PTX_RN || rounding(choice) == PTX_WORD_NONE;    \
        if (!LIKELY(lanes == ALL_LANES && is_nearest && !flush && !says_sat(choice))) {                                \
            name##_as_said(registers, slot, choice, lanes);                                                            \
            return;                                                                                                    \
        }                                                                                                              \
        uint32_t *d = alu_at(registers, slot[0]);                                                                      \
        F32_OPERANDS(second, last);                                                                                    \
        flush = 0;                                                                                                     \
        F32_LOOP(0, __VA_ARGS__)                                                                                       \
    }

F32(add, 2, 2, a + b)
F32(sub, 2, 2, a - b)
F32(mul, 2, 2, a *b)
F32(fma_f32, 2, 3, fmaf(a, b, c))
F32(div_f32, 2, 2, a / b)
F32(rcp, 1, 1, 1.0f / a)
F32(sqrt_f32, 1, 1, sqrtf(a))

// Subnormals lose their value with .ftz.
LANE_INLINE uint32_t read_bits(uint32_t bits, int flush)
{
    uint32_t kept = flush ? 0x80000000 : 0xffffffff;
    return (bits & 0x7f800000) == 0 ? bits & kept : bits;
}

LANE_INLINE uint32_t absolute(uint32_t a)
{
    return f32_is_nan(a) ? F32_NAN : a & 0x7fffffff;
}

LANE_INLINE uint32_t negative(uint32_t a)
{
    return f32_is_nan(a) ? F32_NAN : a ^ 0x80000000;
}

UNARY(abs_f32, uint32_t, uint32_t, absolute(read_bits(a, says_ftz(choice))))
UNARY(neg_f32, uint32_t, uint32_t, negative(read_bits(a, says_ftz(choice))))
BINARY(copysign_f32, uint32_t, uint32_t, uint32_t, (a & 0x80000000) | (b & 0x7fffffff))

// Bits as a number that grows with the float, -0 below +0.
LANE_INLINE int32_t ordered(uint32_t bits)
{
    return (int32_t)(bits ^ ((uint32_t)((int32_t)bits >> 31) >> 1));
}

// Of one NaN the other operand; with .NaN a NaN.
LANE_INLINE uint32_t extreme(uint32_t a, uint32_t b, bool greatest, int keeps_nan, int flush)
{
    a = read_bits(a, flush), b = read_bits(b, flush);
    uint32_t a_nan = 0u - (uint32_t)f32_is_nan(a), b_nan = 0u - (uint32_t)f32_is_nan(b);
    uint32_t keeps = keeps_nan ? 0xffffffff : 0, nan = (a_nan & b_nan) | (keeps & (a_nan | b_nan));
    int32_t x = greatest ? ordered(a) : ordered(b), y = greatest ? ordered(b) : ordered(a);
    uint32_t pick = x > y ? a : b;
    pick = a_nan ? b : pick;
    pick = b_nan ? a : pick;
    return nan ? F32_NAN : pick;
}

// The same of magnitudes, with the product's sign.
LANE_INLINE uint32_t extreme_xorsign(uint32_t a, uint32_t b, bool greatest, int keeps_nan, int flush)
{
    uint32_t pick = extreme(a & 0x7fffffff, b & 0x7fffffff, greatest, keeps_nan, flush);
    return f32_is_nan(pick) ? pick : pick | ((a ^ b) & 0x80000000);
}

#define SAYS_NAN (word_is(choice, PTX_CLASS_NAN, PTX_NAN))
BINARY(min_f32, uint32_t, uint32_t, uint32_t, extreme(a, b, 0, SAYS_NAN, says_ftz(choice)))
BINARY(max_f32, uint32_t, uint32_t, uint32_t, extreme(a, b, 1, SAYS_NAN, says_ftz(choice)))
BINARY(min_xorsign, uint32_t, uint32_t, uint32_t, extreme_xorsign(a, b, 0, SAYS_NAN, says_ftz(choice)))
BINARY(max_xorsign, uint32_t, uint32_t, uint32_t, extreme_xorsign(a, b, 1, SAYS_NAN, says_ftz(choice)))

static const struct alu_row rows[] = {
    ROW_ANY(ADD_F32, add),
    ROW_ANY(SUB_F32, sub),
    ROW_ANY(MUL_F32, mul),
    ROW_ANY(FMA_F32, fma_f32),
    ROW_ANY(MAD_F32, fma_f32),
    ROW_ANY(DIV_F32, div_f32),
    ROW_ANY(RCP_F32, rcp),
    ROW_ANY(SQRT_F32, sqrt_f32),
    ROW_ANY(ABS_F32, abs_f32),
    ROW_ANY(NEG_F32, neg_f32),
    ROW(COPYSIGN, f32, copysign_f32),
    ROW_ANY(MIN_F32, min_f32),
    ROW_ANY(MAX_F32, max_f32),
    ROW_ANY(MIN_F32_XORSIGN, min_xorsign),
    ROW_ANY(MAX_F32_XORSIGN, max_xorsign),
};
ALU_ROWS(alu_float32, rows);
