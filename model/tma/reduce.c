// SPDX-License-Identifier: MIT
// One function for each operation and type, and the table of them. Floats go through the host's FPU in its default
// rounding (to nearest even, subnormals kept); what a GPU does otherwise, NaNs above all, is spelled out.
#include "reduce.h"

#include <string.h>

// Defines a function over runs of elements: `expression` makes the new value of `a` (memory) and `b` (source). Blocks
// of a constant length let the compiler use vector instructions.
enum { BLOCK_ELEMS = 64 };
#define RUN(name, type, expression)                                                                                    \
    static inline void name##_elems(uint8_t *restrict memory, const uint8_t *restrict source, uint32_t count)          \
    {                                                                                                                  \
        for (uint32_t i = 0; i < count; i++) {                                                                         \
            type a, b;                                                                                                 \
            memcpy(&a, memory + i * sizeof a, sizeof a);                                                               \
            memcpy(&b, source + i * sizeof b, sizeof b);                                                               \
            a = (type)(expression);                                                                                    \
            memcpy(memory + i * sizeof a, &a, sizeof a);                                                               \
        }                                                                                                              \
    }                                                                                                                  \
    static void name(uint8_t *restrict memory, const uint8_t *restrict source, uint32_t count)                         \
    {                                                                                                                  \
        uint32_t done = 0;                                                                                             \
        for (; count - done >= BLOCK_ELEMS; done += BLOCK_ELEMS)                                                       \
            name##_elems(memory + done * sizeof(type), source + done * sizeof(type), BLOCK_ELEMS);                     \
        name##_elems(memory + done * sizeof(type), source + done * sizeof(type), count - done);                        \
    }

// --- integers --------------------------------------------------------------------------------------------------------

RUN(add_u32, uint32_t, a + b)
RUN(add_u64, uint64_t, a + b)
RUN(min_u32, uint32_t, a < b ? a : b)
RUN(max_u32, uint32_t, a > b ? a : b)
RUN(min_s32, int32_t, a < b ? a : b)
RUN(max_s32, int32_t, a > b ? a : b)
RUN(min_u64, uint64_t, a < b ? a : b)
RUN(max_u64, uint64_t, a > b ? a : b)
RUN(min_s64, int64_t, a < b ? a : b)
RUN(max_s64, int64_t, a > b ? a : b)
RUN(inc_u32, uint32_t, a >= b ? 0 : a + 1)
RUN(dec_u32, uint32_t, a == 0 || a > b ? b : a - 1)
RUN(and_u32, uint32_t, a &b)
RUN(or_u32, uint32_t, a | b)
RUN(xor_u32, uint32_t, a ^ b)
RUN(and_u64, uint64_t, a &b)
RUN(or_u64, uint64_t, a | b)
RUN(xor_u64, uint64_t, a ^ b)

// --- float32, float64 ------------------------------------------------------------------------------------------------

static inline float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Every NaN result is the one that NVIDIA calls canonical.
static inline uint32_t sum_f32(uint32_t a, uint32_t b)
{
    float sum = float_of(a) + float_of(b);
    return sum != sum ? 0x7fffffff : bits_of(sum);
}

// Subnormals to the zero of their sign.
static inline uint32_t flush(uint32_t bits)
{
    return (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
}

// Here NaNs pass as they are, signalling ones too; the source's wins. Only inf - inf makes a new one, a negative one.
static inline uint64_t sum_f64(uint64_t a, uint64_t b)
{
    const uint64_t magnitude = INT64_MAX, infinity = UINT64_C(0x7ff0000000000000);
    double x, y;
    if ((b & magnitude) > infinity) return b;
    if ((a & magnitude) > infinity) return a;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x += y;
    memcpy(&a, &x, sizeof a);
    return x != x ? UINT64_C(0xfff8000000000000) : a;
}

RUN(add_f32, uint32_t, sum_f32(a, b))
RUN(add_f32_ftz, uint32_t, flush(sum_f32(flush(a), flush(b))))
RUN(add_f64, uint64_t, sum_f64(a, b))

// --- float16, bfloat16 -----------------------------------------------------------------------------------------------
// A float32 has at least 2p + 2 bits of mantissa for both, and it holds their subnormal sums exactly, so that rounding
// the float32 sum once more gives what rounding the exact sum once gives.

static inline float float_of_f16(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, magnitude = half & 0x7fff;
    if (magnitude >= 0x7c00) return float_of(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
    return float_of(sign | bits_of(float_of(magnitude << 13) * 0x1p112f));
}

// `value` is no NaN; below the least normal float16 it is a multiple of 2^-24.
static inline uint16_t f16_of_float(float value)
{
    uint32_t bits = bits_of(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude < 0x38800000) return (uint16_t)(sign | (uint32_t)(float_of(magnitude) * 0x1p24f));
    if (magnitude >= 0x47800000) return (uint16_t)(sign | 0x7c00);
    magnitude += 0xfff + (magnitude >> 13 & 1); // up to infinity, where it must
    return (uint16_t)(sign | (magnitude - 0x38000000) >> 13);
}

static inline uint16_t sum_f16(uint16_t a, uint16_t b)
{
    float sum = float_of_f16(a) + float_of_f16(b);
    return sum != sum ? 0x7fff : f16_of_float(sum);
}

static inline uint16_t sum_bf16(uint16_t a, uint16_t b)
{
    float sum = float_of((uint32_t)a << 16) + float_of((uint32_t)b << 16);
    uint32_t bits = bits_of(sum);
    return sum != sum ? 0x7fff : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// Bits as a number that orders as the values do, -0 below +0.
static inline int32_t order_key(uint16_t bits)
{
    return bits & 0x8000 ? -1 - (bits & 0x7fff) : bits;
}

// The lesser (sign 1) or greater (sign -1) operand; a NaN, which lies past `infinity`, loses.
static inline uint16_t pick_half(uint16_t a, uint16_t b, uint16_t infinity, int32_t sign)
{
    int a_is_nan = (a & 0x7fff) > infinity, b_is_nan = (b & 0x7fff) > infinity;
    uint16_t picked = sign * order_key(a) < sign * order_key(b) ? a : b;
    if (a_is_nan) picked = b_is_nan ? 0x7fff : b;
    return b_is_nan && !a_is_nan ? a : picked;
}

RUN(add_f16, uint16_t, sum_f16(a, b))
RUN(min_f16, uint16_t, pick_half(a, b, 0x7c00, 1))
RUN(max_f16, uint16_t, pick_half(a, b, 0x7c00, -1))
RUN(add_bf16, uint16_t, sum_bf16(a, b))
RUN(min_bf16, uint16_t, pick_half(a, b, 0x7f80, 1))
RUN(max_bf16, uint16_t, pick_half(a, b, 0x7f80, -1))

// --- the table: rule REDUCE_TYPE -------------------------------------------------------------------------------------

// Rows as enum dtype, columns as enum reduce_op; NULL is an illegal instruction.
static void (*const runs[DTYPE_COUNT][REDUCE_OPS])(uint8_t *restrict, const uint8_t *restrict, uint32_t) = {
    [DTYPE_UINT32] = {add_u32, min_u32, max_u32, inc_u32, dec_u32, and_u32, or_u32, xor_u32},
    [DTYPE_INT32] = {add_u32, min_s32, max_s32, NULL, NULL, and_u32, or_u32, xor_u32},
    [DTYPE_UINT64] = {add_u64, min_u64, max_u64, NULL, NULL, and_u64, or_u64, xor_u64},
    [DTYPE_INT64] = {NULL, min_s64, max_s64},
    [DTYPE_FLOAT16] = {add_f16, min_f16, max_f16},
    [DTYPE_BFLOAT16] = {add_bf16, min_bf16, max_bf16},
    [DTYPE_FLOAT32] = {add_f32},
    [DTYPE_FLOAT64] = {add_f64},
    [DTYPE_FLOAT32_FTZ] = {add_f32_ftz},
    [DTYPE_TFLOAT32] = {add_f32},
    [DTYPE_TFLOAT32_FTZ] = {add_f32_ftz},
};

int reduce_is_legal(enum reduce_op op, enum dtype dtype)
{
    return (unsigned)op < REDUCE_OPS && (unsigned)dtype < DTYPE_COUNT && runs[dtype][op] != NULL;
}

int reduce_apply(enum reduce_op op, enum dtype dtype, void *memory, const void *source, uint32_t count)
{
    if (!reduce_is_legal(op, dtype)) return 0;
    runs[dtype][op](memory, source, count);
    return 1;
}

static const char *const names[REDUCE_OPS] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};

const char *reduce_op_name(enum reduce_op op)
{
    return (unsigned)op < REDUCE_OPS ? names[op] : "?";
}

enum reduce_op reduce_op_find(const char *name)
{
    for (int op = 0; op < REDUCE_OPS; op++)
        if (strcmp(names[op], name) == 0) return (enum reduce_op)op;
    return REDUCE_OPS;
}
