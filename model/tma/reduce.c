// SPDX-License-Identifier: MIT
// One function for each operation and type, and the table of them. Floats go through the host's FPU in its default
// environment (to nearest even, subnormals kept); what a GPU does otherwise, NaNs above all, is spelled out.
#include "reduce.h"

#include <string.h>

#include "float_add.h"
#include "reducer.h"

#ifdef __FAST_MATH__
#error "-ffast-math and -Ofast lose NaNs, zeros' signs and the order of operations: build tmaref without them"
#endif

// Defines a function over bytes: `expression` makes the new value of `a` (memory) and `b` (source), words of `type`.
// Loops of a constant length are what compilers turn into vector instructions, so an end of less than 16 bytes, which
// only red.async has, is done as part of 16.
enum { BLOCK_BYTES = 64, PIECE_BYTES = 16, WARP_LANES = 32 };
#define RUN(name, type, expression)                                                                                    \
    enum { name##_bytes = sizeof(type) };                                                                              \
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
    }                                                                                                                  \
    static inline type name##_one(uint8_t *memory, const void *source, void *old, int lane)                            \
    {                                                                                                                  \
        type a, b;                                                                                                     \
        memcpy(&a, memory, sizeof a);                                                                                  \
        memcpy(&b, (const uint8_t *)source + (size_t)lane * sizeof b, sizeof b);                                       \
        const type before = a;                                                                                         \
        a = (type)(expression);                                                                                        \
        memcpy(memory, &a, sizeof a);                                                                                  \
        if (old != NULL) memcpy((uint8_t *)old + (size_t)lane * sizeof b, &before, sizeof before);                     \
        return (type)(a ^ before);                                                                                     \
    }                                                                                                                  \
    static int name##_each(uint8_t *memory, const int32_t *offset, uint32_t lanes, const void *source, void *old)      \
    {                                                                                                                  \
        type changed = 0;                                                                                              \
        if (lanes == UINT32_MAX && old == NULL)                                                                        \
            for (int lane = 0; lane < WARP_LANES; lane++)                                                              \
                changed = (type)(changed | name##_one(memory + offset[lane], source, NULL, lane));                     \
        else if (lanes == UINT32_MAX)                                                                                  \
            for (int lane = 0; lane < WARP_LANES; lane++)                                                              \
                changed = (type)(changed | name##_one(memory + offset[lane], source, old, lane));                      \
        else                                                                                                           \
            for (; lanes != 0; lanes &= lanes - 1) {                                                                   \
                const int lane = __builtin_ctz(lanes);                                                                 \
                changed = (type)(changed | name##_one(memory + offset[lane], source, old, lane));                      \
            }                                                                                                          \
        return changed != 0;                                                                                           \
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

// Of a sum it is known without looking whether it changes anything: any but zero does. So all lanes together are added
// with nothing but the sums, four in a row.
#define SUMS(name, type)                                                                                               \
    static int name##_sums(uint8_t *memory, const int32_t *offset, uint32_t lanes, const void *source, void *old)      \
    {                                                                                                                  \
        type any = 0;                                                                                                  \
        if (lanes != UINT32_MAX) return name##_each(memory, offset, lanes, source, old);                               \
        for (int lane = 0; lane < WARP_LANES; lane++) {                                                                \
            type one;                                                                                                  \
            memcpy(&one, (const uint8_t *)source + (size_t)lane * sizeof one, sizeof one);                             \
            any = (type)(any | one);                                                                                   \
        }                                                                                                              \
        for (int lane = 0; lane < WARP_LANES; lane += 4) {                                                             \
            name##_one(memory + offset[lane], source, old, lane);                                                      \
            name##_one(memory + offset[lane + 1], source, old, lane + 1);                                              \
            name##_one(memory + offset[lane + 2], source, old, lane + 2);                                              \
            name##_one(memory + offset[lane + 3], source, old, lane + 3);                                              \
        }                                                                                                              \
        return any != 0;                                                                                               \
    }
SUMS(add_u32, uint32_t)
SUMS(add_u64, uint64_t)

// --- floats ----------------------------------------------------------------------------------------------------------

RUN(add_f32, uint32_t, sum_f32(a, b))
RUN(add_f32_ftz, uint32_t, flush(sum_f32(flush(a), flush(b))))
RUN(add_f64, uint64_t, sum_f64(a, b))

// They come in pairs, for vector instructions do not like to widen.

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

// Rows as enum dtype, columns as enum reduce_op; none is an illegal instruction.
// clang-format off
#define ROW(name) {name, name##_each, name##_bytes}
#define SUM(name) {name, name##_sums, name##_bytes}
// clang-format on
static const struct {
    reducer_run *run;
    reducer_each *each;
    uint32_t each_bytes;
} runs[DTYPE_COUNT][REDUCE_OPS] = {
    [DTYPE_UINT32] = {SUM(add_u32), ROW(min_u32), ROW(max_u32), ROW(inc_u32), ROW(dec_u32), ROW(and_u32), ROW(or_u32),
                      ROW(xor_u32)},
    [DTYPE_INT32] = {SUM(add_u32), ROW(min_s32), ROW(max_s32), {0}, {0}, ROW(and_u32), ROW(or_u32), ROW(xor_u32)},
    [DTYPE_UINT64] = {SUM(add_u64), ROW(min_u64), ROW(max_u64), {0}, {0}, ROW(and_u64), ROW(or_u64), ROW(xor_u64)},
    [DTYPE_INT64] = {{0}, ROW(min_s64), ROW(max_s64)},
    [DTYPE_FLOAT16] = {ROW(add_f16), ROW(min_f16), ROW(max_f16)},
    [DTYPE_BFLOAT16] = {ROW(add_bf16), ROW(min_bf16), ROW(max_bf16)},
    [DTYPE_FLOAT32] = {ROW(add_f32)},
    [DTYPE_FLOAT64] = {ROW(add_f64)},
    [DTYPE_FLOAT32_FTZ] = {ROW(add_f32_ftz)},
    [DTYPE_TFLOAT32] = {ROW(add_f32)},
    [DTYPE_TFLOAT32_FTZ] = {ROW(add_f32_ftz)},
};

int reduce_is_legal(enum reduce_op op, enum dtype dtype)
{
    return (unsigned)op < REDUCE_OPS && (unsigned)dtype < DTYPE_COUNT && runs[dtype][op].run != NULL;
}

struct reducer reducer_begin(enum reduce_op op, enum dtype dtype)
{
    struct reducer reducer = {
        .run = runs[dtype][op].run, .each = runs[dtype][op].each, .each_bytes = runs[dtype][op].each_bytes};
    reducer.adds_floats = op == REDUCE_ADD && dtype_row(dtype)->is_float;
    if (reducer.adds_floats) reducer.caller = float_environment_set_default();
    return reducer;
}

void reducer_end(const struct reducer *reducer)
{
    if (reducer->adds_floats) float_environment_put_back(&reducer->caller);
}

int reduce_apply(enum reduce_op op, enum dtype dtype, void *memory, const void *source, uint32_t count)
{
    if (!reduce_is_legal(op, dtype)) return 0;
    struct reducer reducer = reducer_begin(op, dtype);
    reducer.run(memory, source, count * dtype_row(dtype)->size_bytes);
    reducer_end(&reducer);
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
