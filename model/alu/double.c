// SPDX-License-Identifier: MIT
// Floats of 64 bits. A NaN comes back quiet with its sign and payload, which operand's depends on the instruction; what
// is invalid gives FFF8000000000000.
#include <math.h>

#include "environment.h"
#include "table.h"

LANE_SHARED void keep_doubles(uint64_t *d, const double *from, uint32_t lanes)
{
    EACH_LANE d[i] = lanes >> i & 1 ? bits_of_f64(from[i]) : d[i];
}

// Which operand's NaN a result is: the first of `x`, `y`, `z` that is one.
LANE_INLINE uint64_t f64_result(double f, uint64_t x, uint64_t y, uint64_t z)
{
    uint64_t result = f != f ? F64_INVALID : bits_of_f64(f);
    result = f64_is_nan(z) ? z | F64_QUIET : result;
    result = f64_is_nan(y) ? y | F64_QUIET : result;
    return f64_is_nan(x) ? x | F64_QUIET : result;
}

// Of loops without a NaN, nearly all, the results are those of the host.
#define F64(name, second, last, x, y, z, ...)                                                                          \
    ALU_FUNCTION(name)                                                                                                 \
    {                                                                                                                  \
        const uint64_t *as = alu_at(registers, slot[1]), *bs = alu_at(registers, slot[second]),                        \
                       *cs = alu_at(registers, slot[last]);                                                            \
        double sum[LANES];                                                                                             \
        uint64_t nans = 0, *d = alu_at(registers, slot[0]);                                                            \
        struct environment environment = environment_enter(rounding(choice), 0, sum);                                  \
        EACH_LANE                                                                                                      \
        {                                                                                                              \
            double a = f64_of(as[i]), b = f64_of(bs[i]), c = f64_of(cs[i]);                                            \
            (void)b, (void)c;                                                                                          \
            sum[i] = __VA_ARGS__;                                                                                      \
        }                                                                                                              \
        EACH_LANE nans |= (uint64_t)(sum[i] != sum[i]);                                                                \
        environment_leave(environment, sum);                                                                           \
        if (nans != 0) EACH_LANE sum[i] = f64_of(f64_result(sum[i], x[i], y[i], z[i]));                                \
        if (lanes == ALL_LANES)                                                                                        \
            memcpy(d, sum, sizeof sum);                                                                                \
        else                                                                                                           \
            keep_doubles(d, sum, lanes);                                                                               \
    }

F64(add, 2, 2, bs, as, as, a + b)
F64(sub, 2, 2, bs, as, as, a - b)
F64(mul, 2, 2, bs, as, as, a *b)
F64(fma_f64, 2, 3, bs, cs, as, fma(a, b, c))
F64(div_f64, 2, 2, as, bs, bs, a / b)
F64(rcp, 1, 1, as, as, as, 1.0 / a)
F64(sqrt_f64, 1, 1, as, as, as, sqrt(a))

UNARY(abs_f64, uint64_t, uint64_t, f64_is_nan(a) ? a | F64_QUIET : a & ~F64_SIGN)
UNARY(neg_f64, uint64_t, uint64_t, f64_is_nan(a) ? a | F64_QUIET : a ^ F64_SIGN)
BINARY(copysign_f64, uint64_t, uint64_t, uint64_t, (a & F64_SIGN) | (b & ~F64_SIGN))

LANE_INLINE int64_t ordered(uint64_t bits)
{
    return (int64_t)(bits ^ ((uint64_t)((int64_t)bits >> 63) >> 1));
}

LANE_INLINE uint64_t extreme(uint64_t a, uint64_t b, bool greatest)
{
    uint64_t pick = (ordered(a) > ordered(b)) == greatest ? a : b;
    pick = f64_is_nan(b) ? a : pick;
    pick = f64_is_nan(a) ? b : pick;
    return f64_is_nan(pick) ? pick | F64_QUIET : pick;
}

BINARY(min_f64, uint64_t, uint64_t, uint64_t, extreme(a, b, 0))
BINARY(max_f64, uint64_t, uint64_t, uint64_t, extreme(a, b, 1))

static const struct alu_row rows[] = {
    ROW_ANY(ADD_F64, add),       ROW_ANY(SUB_F64, sub),     ROW_ANY(MUL_F64, mul),     ROW_ANY(FMA_F64, fma_f64),
    ROW_ANY(MAD_F64, fma_f64),   ROW_ANY(DIV_F64, div_f64), ROW_ANY(RCP_F64, rcp),     ROW_ANY(RCP_FTZ_F64, rcp),
    ROW_ANY(SQRT_F64, sqrt_f64), ROW_ANY(ABS_F64, abs_f64), ROW_ANY(NEG_F64, neg_f64), ROW(COPYSIGN, f64, copysign_f64),
    ROW_ANY(MIN_F64, min_f64),   ROW_ANY(MAX_F64, max_f64),
};
ALU_ROWS(alu_double, rows);
