// SPDX-License-Identifier: MIT
// One function for each operation and type, and the table of them. Floats go through the host's FPU in its default
// environment (to nearest even, subnormals kept); what a GPU does otherwise, NaNs above all, is spelled out.
#include "reduce.h"

#include <string.h>

#include "float_environment.h"

#ifdef __FAST_MATH__
#error "-ffast-math and -Ofast lose NaNs, zeros' signs and the order of operations: build tmaref without them"
#endif

// Defines a function over bytes: `expression` makes the new value of `a` (memory) and `b` (source), words of `type`.
// Loops of a constant length are what compilers turn into vector instructions, so an end of less than 16 bytes, which
// only red.async has, is done as part of 16.
enum { BLOCK_BYTES = 64, PIECE_BYTES = 16 };
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
    static void name(uint8_t *restrict memory, const uint8_t *restrict source, uint32_t bytes)                         \
    {                                                                                                                  \
        uint32_t done = 0;                                                                                             \
        for (; bytes - done >= BLOCK_BYTES; done += BLOCK_BYTES)                                                       \
            name##_elems(memory + done, source + done, BLOCK_BYTES / sizeof(type));                                    \
        for (; bytes - done >= PIECE_BYTES; done += PIECE_BYTES)                                                       \
            name##_elems(memory + done, source + done, PIECE_BYTES / sizeof(type));                                    \
        if (done < bytes) {                                                                                            \
            uint8_t a[PIECE_BYTES] = {0}, b[PIECE_BYTES] = {0};                                                        \
            memcpy(a, memory + done, bytes - done);                                                                    \
            memcpy(b, source + done, bytes - done);                                                                    \
            name##_elems(a, b, PIECE_BYTES / sizeof(type));                                                            \
            memcpy(memory + done, a, bytes - done);                                                                    \
        }                                                                                                              \
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
    double x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    double sum = x + y;
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    bits = sum != sum ? UINT64_C(0xfff8000000000000) : bits;
    bits = x != x ? a : bits;
    return y != y ? b : bits;
}

RUN(add_f32, uint32_t, sum_f32(a, b))
RUN(add_f32_ftz, uint32_t, flush(sum_f32(flush(a), flush(b))))
RUN(add_f64, uint64_t, sum_f64(a, b))

// --- float16, bfloat16 -----------------------------------------------------------------------------------------------
// A float32 has at least 2p + 2 bits of mantissa for both, and it holds their subnormal sums exactly, so that rounding
// the float32 sum once more gives what rounding the exact sum once gives.

// They come in pairs, for vector instructions do not like to widen, and are put together by masks: a float operation
// behind a condition keeps a loop from becoming vectors.
enum {
    F32_INFINITY = 255 << 23,
    F16_REBIAS = 112 << 23, // from the exponents of float16 to those of float32
    F32_HALF = 126 << 23    // 0.5, whose last bit is 2^-24, the least of all float16
};

static inline uint32_t mask_if(int condition)
{
    return 0 - (uint32_t)condition;
}

static inline float float_of_f16(uint32_t half)
{
    uint32_t magnitude = half & 0x7fff, infinity = mask_if((int32_t)magnitude >= 0x7c00) & F32_INFINITY;
    return float_of((half & 0x8000) << 16 | bits_of(float_of(magnitude << 13) * 0x1p112f) | infinity);
}

static inline uint32_t f16_of_float(float value)
{
    uint32_t bits = bits_of(value), sign = bits >> 16 & 0x8000;
    int32_t magnitude = (int32_t)(bits & 0x7fffffff);
    uint32_t subnormal = bits_of(float_of((uint32_t)magnitude) + 0.5f) - F32_HALF;
    int32_t normal = (magnitude - F16_REBIAS + 0xfff + (magnitude >> 13 & 1)) >> 13;
    uint32_t is_subnormal = mask_if(magnitude < F16_REBIAS + (1 << 23)), is_nan = mask_if(magnitude > F32_INFINITY);
    uint32_t half = (uint32_t)(normal < 0x7c00 ? normal : 0x7c00);
    half = (subnormal & is_subnormal) | (half & ~is_subnormal);
    return half | (sign & ~is_nan) | (0x7fff & is_nan);
}

static inline uint32_t sum_f16(uint32_t a, uint32_t b)
{
    return f16_of_float(float_of_f16(a) + float_of_f16(b));
}

// Bfloat16s as the high halves of float32s; of the result only the high half counts.
static inline uint32_t sum_bf16(uint32_t a, uint32_t b)
{
    float sum = float_of(a) + float_of(b);
    uint32_t bits = bits_of(sum);
    return sum != sum ? 0x7fff0000 : bits + 0x7fff + (bits >> 16 & 1);
}

// Bits as a number that orders as the values do, -0 below +0; the same way back. A NaN, which lies past `infinity`,
// becomes `loser`.
static inline int16_t order_key(int16_t bits, int16_t infinity, int16_t loser)
{
    int16_t key = (int16_t)(bits ^ (bits >> 15 & 0x7fff)), magnitude = (int16_t)(bits & 0x7fff);
    return magnitude > infinity ? loser : key;
}

static inline int16_t bits_of_key(int16_t key)
{
    return (int16_t)(key ^ (key >> 15 & 0x7fff));
}

// INT16_MAX is the key of the NaN 0x7fff: it is left where there is nothing else.
static inline int16_t min_half(int16_t a, int16_t b, int16_t infinity)
{
    int16_t x = order_key(a, infinity, INT16_MAX), y = order_key(b, infinity, INT16_MAX);
    return bits_of_key(x < y ? x : y);
}

static inline int16_t max_half(int16_t a, int16_t b, int16_t infinity)
{
    int16_t x = order_key(a, infinity, INT16_MIN), y = order_key(b, infinity, INT16_MIN);
    int16_t greater = x > y ? x : y;
    return greater == INT16_MIN ? 0x7fff : bits_of_key(greater);
}

RUN(add_f16, uint32_t, sum_f16(a & 0xffff, b & 0xffff) | sum_f16(a >> 16, b >> 16) << 16)
RUN(min_f16, int16_t, min_half(a, b, 0x7c00))
RUN(max_f16, int16_t, max_half(a, b, 0x7c00))
RUN(add_bf16, uint32_t, sum_bf16(a << 16, b << 16) >> 16 | (sum_bf16(a & 0xffff0000, b & 0xffff0000) & 0xffff0000))
RUN(min_bf16, int16_t, min_half(a, b, 0x7f80))
RUN(max_bf16, int16_t, max_half(a, b, 0x7f80))

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
    struct float_environment caller = float_environment_set_default();
    runs[dtype][op](memory, source, count * dtype_row(dtype)->size_bytes);
    float_environment_put_back(&caller);
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
