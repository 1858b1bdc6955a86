// SPDX-License-Identifier: MIT
// Floats of 16 bits, f16 and bf16, one or two in a register. Every NaN that arithmetic gives is 7FFF.
#include <math.h>

#include "narrow.h"
#include "table.h"

// What the words of an instruction ask for.
struct asked {
    int flush, saturate, relu, oob, keeps_nan, xors_signs;
};

LANE_INLINE struct asked asked_of(const struct ptx_choice *choice)
{
    return (struct asked){says_ftz(choice),
                          says_sat(choice),
                          word_is(choice, PTX_CLASS_RELU, PTX_RELU),
                          word_is(choice, PTX_CLASS_OOB, PTX_OOB),
                          word_is(choice, PTX_CLASS_NAN, PTX_NAN),
                          word_is(choice, PTX_CLASS_XORSIGN, PTX_XORSIGN)};
}

LANE_INLINE int is_nothing(struct asked asked)
{
    return !(asked.flush | asked.saturate | asked.relu | asked.oob | asked.keeps_nan | asked.xors_signs);
}

LANE_INLINE double widened(struct narrow format, uint32_t bits, int flush)
{
    if (flush) bits = narrow_flushed(format, bits);
    return format.precision == 11 ? f16_to_f32(bits) : bf16_to_f32(bits);
}

LANE_INLINE uint32_t finished(struct narrow format, double f, struct asked asked)
{
    uint32_t bits = narrow_round(format, f, PTX_RN, asked.flush);
    if (asked.saturate) bits = narrow_saturated(format, bits);
    return asked.relu ? narrow_relu(format, bits) : bits;
}

// The value that a tensor copy fills in out of bounds.
LANE_INLINE int is_out_of_bounds(uint32_t bits)
{
    return (bits & 0x7fff) == 0x7ff7;
}

enum operation { ADD, SUB, MUL, FMA };

LANE_INLINE uint32_t computed(struct narrow format, enum operation operation, uint32_t x, uint32_t y, uint32_t z,
                              struct asked asked)
{
    double a = widened(format, x, asked.flush), b = widened(format, y, asked.flush);
    double c = operation == FMA ? widened(format, z, asked.flush) : 0;
    if (operation == ADD) return finished(format, sum_to_odd(a, b), asked);
    if (operation == SUB) return finished(format, sum_to_odd(a, -b), asked);
    if (operation == MUL) return finished(format, a * b, asked);
    uint32_t result = finished(format, sum_to_odd(a * b, c), asked);
    return asked.oob && (is_out_of_bounds(x) || is_out_of_bounds(y)) ? 0 : result;
}

// The loop where nothing is asked for has no branches, and becomes vectors.
#define HALF_LOOP(D, last, ...)                                                                                        \
    {                                                                                                                  \
        RESULT(D);                                                                                                     \
        const D *as = alu_at(registers, slot[1]), *bs = alu_at(registers, slot[last > 1 ? 2 : 1]),                     \
                *cs = alu_at(registers, slot[last]);                                                                   \
        const struct asked words = asked_of(choice);                                                                   \
        const struct environment environment = environment_enter(PTX_RN, 0, d);                                        \
        if (is_nothing(words)) {                                                                                       \
            const struct asked asked = {0};                                                                            \
            EACH_LANE d[i] = (D)(__VA_ARGS__);                                                                         \
        } else {                                                                                                       \
            const struct asked asked = words;                                                                          \
            EACH_LANE d[i] = (D)(__VA_ARGS__);                                                                         \
        }                                                                                                              \
        environment_leave(environment, d);                                                                             \
        keep(lanes, alu_at(registers, slot[0]), scratch, sizeof *d);                                                   \
    }

// Of one number, and of two.
#define HALF_LOOPS(name, format, last, each)                                                                           \
    ALU_FUNCTION(name)                                                                                                 \
    HALF_LOOP(uint16_t, last, each(format, as[i], bs[i], cs[i], asked))                                                \
    ALU_FUNCTION(name##_x2)                                                                                            \
    HALF_LOOP(uint32_t, last,                                                                                          \
              each(format, as[i] & 0xffff, bs[i] & 0xffff, cs[i] & 0xffff, asked) |                                    \
                  each(format, as[i] >> 16, bs[i] >> 16, cs[i] >> 16, asked) << 16)

LANE_INLINE uint32_t add_each(struct narrow format, uint32_t a, uint32_t b, uint32_t c, struct asked asked)
{
    return computed(format, ADD, a, b, c, asked);
}

LANE_INLINE uint32_t sub_each(struct narrow format, uint32_t a, uint32_t b, uint32_t c, struct asked asked)
{
    return computed(format, SUB, a, b, c, asked);
}

LANE_INLINE uint32_t mul_each(struct narrow format, uint32_t a, uint32_t b, uint32_t c, struct asked asked)
{
    return computed(format, MUL, a, b, c, asked);
}

LANE_INLINE uint32_t fma_each(struct narrow format, uint32_t a, uint32_t b, uint32_t c, struct asked asked)
{
    return computed(format, FMA, a, b, c, asked);
}

LANE_INLINE uint32_t abs_each(struct narrow format, uint32_t a, uint32_t b, uint32_t c, struct asked asked)
{
    (void)b, (void)c;
    if (asked.flush) a = narrow_flushed(format, a);
    return narrow_is_nan(format, a) ? format.nan : a & (format.sign - 1);
}

LANE_INLINE uint32_t neg_each(struct narrow format, uint32_t a, uint32_t b, uint32_t c, struct asked asked)
{
    (void)b, (void)c;
    if (asked.flush) a = narrow_flushed(format, a);
    return narrow_is_nan(format, a) ? format.nan : a ^ format.sign;
}

// Bits as a number that grows with the float, -0 below +0.
LANE_INLINE int32_t ordered(struct narrow format, uint32_t bits)
{
    return bits >= format.sign ? (int32_t)(format.sign - 1 - bits) : (int32_t)bits;
}

LANE_INLINE uint32_t extreme(struct narrow format, uint32_t a, uint32_t b, int greatest, int keeps_nan, int flush)
{
    if (flush) a = narrow_flushed(format, a), b = narrow_flushed(format, b);
    int a_nan = narrow_is_nan(format, a), b_nan = narrow_is_nan(format, b);
    uint32_t pick = (ordered(format, a) > ordered(format, b)) == greatest ? a : b;
    pick = a_nan ? b : b_nan ? a : pick;
    return (a_nan && b_nan) || (keeps_nan && (a_nan || b_nan)) ? format.nan : pick;
}

LANE_INLINE uint32_t extreme_of(struct narrow format, uint32_t a, uint32_t b, int greatest, struct asked asked)
{
    if (!asked.xors_signs) return extreme(format, a, b, greatest, asked.keeps_nan, asked.flush);
    uint32_t magnitude = format.sign - 1;
    uint32_t pick = extreme(format, a & magnitude, b & magnitude, greatest, asked.keeps_nan, asked.flush);
    return narrow_is_nan(format, pick) ? format.nan : pick | ((a ^ b) & format.sign);
}

LANE_INLINE uint32_t min_each(struct narrow format, uint32_t a, uint32_t b, uint32_t c, struct asked asked)
{
    (void)c;
    return extreme_of(format, a, b, 0, asked);
}

LANE_INLINE uint32_t max_each(struct narrow format, uint32_t a, uint32_t b, uint32_t c, struct asked asked)
{
    (void)c;
    return extreme_of(format, a, b, 1, asked);
}

#define HALVES(name, last)                                                                                             \
    HALF_LOOPS(name##_f16, NARROW_F16, last, name##_each) HALF_LOOPS(name##_bf16, NARROW_BF16, last, name##_each)
HALVES(add, 2)
HALVES(sub, 2)
HALVES(mul, 2)
HALVES(fma, 3)
HALVES(abs, 1)
HALVES(min, 2)
HALVES(max, 2)
HALVES(neg, 1)

// ptxas takes .rz, .rm and .rp for bf16, and what it makes of them is not that. Of two numbers each is rounded to
// nearest; one is taken for f16, without .oob and .relu, and its f32 sum, rounded as said, is rounded to nearest.
ALU_FUNCTION(fma_mistaken)
{
    const uint16_t *as = alu_at(registers, slot[1]), *bs = alu_at(registers, slot[2]), *cs = alu_at(registers, slot[3]);
    uint16_t d[LANES];
    float sum[LANES];
    struct environment environment = environment_enter(rounding(choice), 0, sum);
    EACH_LANE sum[i] = fmaf(f16_to_f32(as[i]), f16_to_f32(bs[i]), f16_to_f32(cs[i]));
    environment_leave(environment, sum);
    environment = environment_enter(PTX_RN, 0, d);
    EACH_LANE d[i] = (uint16_t)narrow_round(NARROW_F16, sum[i], PTX_RN, 0);
    environment_leave(environment, d);
    keep_16(alu_at(registers, slot[0]), d, lanes);
}

ALU_FUNCTION(fma_bf16_any)
{
    rounding(choice) == PTX_RN ? fma_bf16(registers, slot, choice, lanes)
                               : fma_mistaken(registers, slot, choice, lanes);
}

#define F16_ROWS(form, name)  ROW(form, f16, name##_f16), ROW(form, f16x2, name##_f16_x2)
#define BF16_ROWS(form, name) ROW(form, bf16, name##_bf16), ROW(form, bf16x2, name##_bf16_x2)

static const struct alu_row rows[] = {
    F16_ROWS(ADD_F16, add),
    F16_ROWS(SUB_F16, sub),
    F16_ROWS(MUL_F16, mul),
    F16_ROWS(FMA_F16, fma),
    F16_ROWS(FMA_F16_RELU, fma),
    F16_ROWS(FMA_OOB, fma),
    F16_ROWS(FMA_OOB_SAT, fma),
    F16_ROWS(ABS_F16, abs),
    F16_ROWS(NEG_F16, neg),
    F16_ROWS(MIN_F16, min),
    F16_ROWS(MAX_F16, max),
    F16_ROWS(MIN_F16_XORSIGN, min),
    F16_ROWS(MAX_F16_XORSIGN, max),
    BF16_ROWS(ADD_BF16, add),
    BF16_ROWS(SUB_BF16, sub),
    BF16_ROWS(MUL_BF16, mul),
    ROW(FMA_BF16, bf16, fma_bf16_any),
    ROW(FMA_BF16, bf16x2, fma_bf16_x2),
    BF16_ROWS(FMA_OOB, fma),
    ROW(FMA_OOB_BF16, bf16, fma_mistaken),
    ROW(FMA_OOB_BF16, bf16x2, fma_bf16_x2),
    BF16_ROWS(ABS_BF16, abs),
    BF16_ROWS(NEG_BF16, neg),
    BF16_ROWS(MIN_BF16, min),
    BF16_ROWS(MAX_BF16, max),
    BF16_ROWS(MIN_BF16_XORSIGN, min),
    BF16_ROWS(MAX_BF16_XORSIGN, max),
};
ALU_ROWS(alu_half, rows);
