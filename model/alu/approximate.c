// SPDX-License-Identifier: MIT
// The approximate functions of PTX, made of machine instructions (approximate.h) as ptxas of CUDA 13.0 makes them for
// sm_90a: arguments that those would take for zero are scaled. The sums and products around them are ordinary ones.
#include <math.h>

#include "approximate.h"
#include "narrow.h"
#include "table.h"

// In the environment to nearest, with .ftz the one that flushes.
LANE_INLINE uint32_t product(uint32_t a, uint32_t b, int flush)
{
    uint32_t bits = f32_result(f32_of(a) * f32_of(b));
    return either(flush & ((bits & 0x7f800000) == 0), bits & 0x80000000, bits);
}

LANE_INLINE uint32_t scaled(uint32_t a, float by)
{
    return f32_result(f32_of(a) * by);
}

LANE_INLINE bool is_tiny(uint32_t a)
{
    return (a & 0x7fffffff) < 0x00800000;
}

LANE_INLINE bool is_huge(uint32_t a) // above 2^126, no infinity nor NaN: of those the scale does not matter
{
    return (a & 0x7fffffff) > 0x7e800000;
}

LANE_INLINE uint32_t ex2(uint32_t a, int ftz)
{
    bool is_halved = !ftz && f32_of(a) < -126.0f;
    uint32_t value = mufu_ex2(is_halved ? scaled(a, 0.5f) : a);
    return is_halved ? product(value, value, 0) : value;
}

// Is the argument scaled up by 2^24?
LANE_INLINE bool is_raised(uint32_t a, int ftz)
{
    return (ftz == 0) & is_tiny(a);
}

LANE_INLINE uint32_t raised(uint32_t a, int ftz)
{
    return either(is_raised(a, ftz), scaled(a, 0x1p24f), a);
}

LANE_INLINE uint32_t lg2(uint32_t a, int ftz)
{
    const uint32_t value = mufu_lg2(raised(a, ftz));
    return either(is_raised(a, ftz), f32_result(f32_of(value) + -24.0f), value);
}

LANE_INLINE float rcp_scale(uint32_t a)
{
    return is_tiny(a) ? 0x1p24f : is_huge(a) ? 0.25f : 1.0f;
}

LANE_INLINE uint32_t rcp(uint32_t a, int ftz)
{
    float scale = ftz ? 1.0f : rcp_scale(a);
    return scaled(mufu_rcp(scaled(a, scale)), scale);
}

LANE_INLINE uint32_t rsqrt(uint32_t a, int ftz)
{
    const uint32_t value = mufu_rsq(raised(a, ftz));
    return either(is_raised(a, ftz), scaled(value, 0x1p12f), value);
}

LANE_INLINE uint32_t square_root(uint32_t a, int ftz)
{
    const uint32_t value = mufu_sqrt(raised(a, ftz));
    return either(is_raised(a, ftz), scaled(value, 0x1p-12f), value);
}

// a / 2 pi, toward zero, with subnormals.
LANE_INLINE uint32_t turns(uint32_t a)
{
    double exact = (double)f32_of(a) * (double)f32_of(0x3e22f983);
    float nearest = (float)exact;
    return bits_of_f32(nearest) - (fabs((double)nearest) > fabs(exact));
}

// With .ftz a divisor that is tiny is zero, and .full alone scales one that is huge.
LANE_INLINE uint32_t quotient_scale(uint32_t b, int full, int ftz)
{
    const uint32_t up = either(is_raised(b, ftz), bits_of_f32(0x1p24f), F32_ONE);
    return either(full & is_huge(b), bits_of_f32(0.25f), up);
}

LANE_INLINE uint32_t quotient(uint32_t a, uint32_t b, int full, int ftz)
{
    const uint32_t scale = quotient_scale(b, full, ftz);
    return product(mufu_rcp(product(b, scale, ftz)), product(a, scale, ftz), ftz);
}

// --- f64 -------------------------------------------------------------------------------------------------------------

LANE_INLINE uint64_t rsqrt_64(uint64_t a)
{
    if (f64_is_nan(a)) return a | F64_QUIET;
    if ((a & ~F64_SIGN) == 0) return a | F64_INF;
    if (a >> 63) return F64_INVALID;
    if (a == F64_INF) return 0;
    bool is_subnormal = a >> 52 == 0;
    double x = f64_of(a) * (is_subnormal ? 0x1p54 : 1), y = f64_of(mufu_rsq64h(bits_of_f64(x)));
    double e = fma(x, -(y * y), 1), root = fma(fma(e, 0.375, 0.5), y * e, y);
    return bits_of_f64(root * (is_subnormal ? 0x1p27 : 1));
}

// --- Of 16 bits: the instruction of 32, and its low bits dropped -----------------------------------------------------

LANE_INLINE uint32_t cut(struct narrow format, uint32_t f32)
{
    if (f32_is_nan(f32)) return format.nan;
    if (format.precision == 8) return f32 >> 16;
    if ((f32 & 0x7fffffff) >= 0x47800000) return (f32 >> 16 & format.sign) | format.infinity;
    return narrow_round(format, f32_of(f32), PTX_RZ, 0);
}

LANE_INLINE uint32_t widened(struct narrow format, uint32_t bits)
{
    return bits_of_f32(format.precision == 8 ? bf16_to_f32(bits) : f16_to_f32(bits));
}

LANE_INLINE uint32_t half_ex2(struct narrow format, uint32_t a)
{
    return cut(format, mufu_ex2(widened(format, a)));
}

LANE_INLINE uint32_t half_tanh(struct narrow format, uint32_t a)
{
    return cut(format, mufu_tanh(widened(format, a)));
}

// --- Loops -----------------------------------------------------------------------------------------------------------

#define APPROXIMATE(name, T, second, expression)                                                                       \
    ALU_FUNCTION(name)                                                                                                 \
    {                                                                                                                  \
        RESULT(T);                                                                                                     \
        const T *as = alu_at(registers, slot[1]), *bs = alu_at(registers, slot[second]);                               \
        int ftz = says_ftz(choice);                                                                                    \
        struct environment environment = environment_enter(PTX_RN, ftz && second == 2, d);                             \
        EACH_LANE                                                                                                      \
        {                                                                                                              \
            T a = as[i], b = bs[i];                                                                                    \
            (void)a, (void)b, (void)ftz;                                                                               \
            d[i] = (T)(expression);                                                                                    \
        }                                                                                                              \
        environment_leave(environment, d);                                                                             \
        keep(lanes, alu_at(registers, slot[0]), scratch, sizeof *d);                                                   \
    }
#define SAYS_FULL (word_is(choice, PTX_CLASS_APPROX, PTX_FULL))
APPROXIMATE(ex2_f32, uint32_t, 1, ex2(a, ftz))
APPROXIMATE(lg2_f32, uint32_t, 1, lg2(a, ftz))
APPROXIMATE(rcp_f32, uint32_t, 1, rcp(a, ftz))
APPROXIMATE(rsqrt_f32, uint32_t, 1, rsqrt(a, ftz))
APPROXIMATE(sqrt_f32, uint32_t, 1, square_root(a, ftz))
APPROXIMATE(sin_f32, uint32_t, 1, f32_is_nan(a) ? F32_NAN : mufu_sin(turns(a), 0))
APPROXIMATE(cos_f32, uint32_t, 1, f32_is_nan(a) ? F32_NAN : mufu_sin(turns(a), 1))
APPROXIMATE(tanh_f32, uint32_t, 1, mufu_tanh(a))
APPROXIMATE(div_f32, uint32_t, 2, quotient(a, b, SAYS_FULL, ftz))
APPROXIMATE(rcp_f64, uint64_t, 1, mufu_rcp64h(a))
APPROXIMATE(rsqrt_f64, uint64_t, 1, ftz ? mufu_rsq64h(a) : rsqrt_64(a))

#define HALVES(name, format, each)                                                                                     \
    APPROXIMATE(name, uint16_t, 1, each(format, a))                                                                    \
    APPROXIMATE(name##_x2, uint32_t, 1, each(format, a & 0xffff) | each(format, a >> 16) << 16)
HALVES(ex2_f16, NARROW_F16, half_ex2)
HALVES(ex2_bf16, NARROW_BF16, half_ex2)
HALVES(tanh_f16, NARROW_F16, half_tanh)
HALVES(tanh_bf16, NARROW_BF16, half_tanh)

static const struct alu_row rows[] = {
    ROW_ANY(EX2, ex2_f32),
    ROW_ANY(LG2, lg2_f32),
    ROW_ANY(RCP_APPROX, rcp_f32),
    ROW_ANY(RSQRT_F32, rsqrt_f32),
    ROW_ANY(SQRT_APPROX, sqrt_f32),
    ROW_ANY(SIN, sin_f32),
    ROW_ANY(COS, cos_f32),
    ROW_ANY(TANH, tanh_f32),
    ROW_ANY(DIV_APPROX, div_f32),
    ROW_ANY(RCP_APPROX_F64, rcp_f64),
    ROW_ANY(RSQRT_F64, rsqrt_f64),
    ROW(EX2_F16, f16, ex2_f16),
    ROW(EX2_F16, f16x2, ex2_f16_x2),
    ROW(EX2_BF16, bf16, ex2_bf16),
    ROW(EX2_BF16, bf16x2, ex2_bf16_x2),
    ROW(TANH_F16, f16, tanh_f16),
    ROW(TANH_F16, f16x2, tanh_f16_x2),
    ROW(TANH_F16, bf16, tanh_bf16),
    ROW(TANH_F16, bf16x2, tanh_bf16_x2),
};
ALU_ROWS(alu_approximate, rows);
