// SPDX-License-Identifier: MIT
// Loops over the lanes of a warp that compilers make vectors of. An operation is one expression of a, b, c; all lanes
// are computed, into a scratch register where some do not execute, for registers either are the same or do not overlap.
#ifndef TMAREF_ALU_LANES_LOOP_H
#define TMAREF_ALU_LANES_LOOP_H

#include <string.h>
#if defined __SSE2__
#include <emmintrin.h>
#endif

#include "table.h"

enum { LANES = 32 };
#define ALL_LANES 0xffffffffu

#if defined __clang__
#define EACH_LANE _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < LANES; i++)
#elif defined __GNUC__
#define EACH_LANE _Pragma("GCC ivdep") for (int i = 0; i < LANES; i++)
#else
#define EACH_LANE for (int i = 0; i < LANES; i++)
#endif

#if defined __GNUC__
#define LANE_INLINE static inline __attribute__((always_inline, unused))
#define LANE_SHARED static __attribute__((noinline, unused))
#else
#define LANE_INLINE static inline
#define LANE_SHARED static
#endif

#define KEEP(T, name)                                                                                                  \
    LANE_SHARED void name(T *d, const T *from, uint32_t lanes)                                                         \
    {                                                                                                                  \
        EACH_LANE d[i] = lanes >> i & 1 ? from[i] : d[i];                                                              \
    }
KEEP(uint16_t, keep_16)
KEEP(uint32_t, keep_32)
KEEP(uint64_t, keep_64)

LANE_INLINE void keep(const struct alu_call *call, void *d, const void *from, size_t size_bytes)
{
    if (call->lanes == ALL_LANES) return;
    if (size_bytes == 2)
        keep_16(d, from, call->lanes);
    else if (size_bytes == 4)
        keep_32(d, from, call->lanes);
    else
        keep_64(d, from, call->lanes);
}

// `d`, where the results of all lanes go, and `choice`, a copy that no result overlaps.
#define RESULT(D)                                                                                                      \
    const struct ptx_choice copy = *call->choice, *choice = &copy;                                                     \
    D scratch[LANES], *d = call->lanes == ALL_LANES ? call->operand[0] : scratch;                                      \
    (void)choice

// Functions of one to four registers: name, type of the result, types of the operands, the expression.
#define UNARY(name, D, A, ...)                                                                                         \
    static void name(const struct alu_call *call)                                                                      \
    {                                                                                                                  \
        RESULT(D);                                                                                                     \
        const A *as = call->operand[1];                                                                                \
        EACH_LANE                                                                                                      \
        {                                                                                                              \
            A a = as[i];                                                                                               \
            d[i] = (D)(__VA_ARGS__);                                                                                   \
        }                                                                                                              \
        keep(call, call->operand[0], scratch, sizeof *d);                                                              \
    }

#define BINARY(name, D, A, B, ...)                                                                                     \
    static void name(const struct alu_call *call)                                                                      \
    {                                                                                                                  \
        RESULT(D);                                                                                                     \
        const A *as = call->operand[1];                                                                                \
        const B *bs = call->operand[2];                                                                                \
        EACH_LANE                                                                                                      \
        {                                                                                                              \
            A a = as[i];                                                                                               \
            B b = bs[i];                                                                                               \
            d[i] = (D)(__VA_ARGS__);                                                                                   \
        }                                                                                                              \
        keep(call, call->operand[0], scratch, sizeof *d);                                                              \
    }

#define TERNARY(name, D, A, B, C, ...)                                                                                 \
    static void name(const struct alu_call *call)                                                                      \
    {                                                                                                                  \
        RESULT(D);                                                                                                     \
        const A *as = call->operand[1];                                                                                \
        const B *bs = call->operand[2];                                                                                \
        const C *cs = call->operand[3];                                                                                \
        EACH_LANE                                                                                                      \
        {                                                                                                              \
            A a = as[i];                                                                                               \
            B b = bs[i];                                                                                               \
            C c = cs[i];                                                                                               \
            d[i] = (D)(__VA_ARGS__);                                                                                   \
        }                                                                                                              \
        keep(call, call->operand[0], scratch, sizeof *d);                                                              \
    }

// Bits of a predicate or of the carry flags, for the lanes that execute.
LANE_INLINE void keep_bits(uint32_t *d, uint32_t bits, uint32_t lanes)
{
    *d = (*d & ~lanes) | (bits & lanes);
}

// A bit a lane of flags that are 0 or 1, eight or sixteen at once.
LANE_INLINE uint32_t gathered(const uint8_t flags[LANES])
{
#if defined __SSE2__
    __m128i low = _mm_loadu_si128((const __m128i *)flags), high = _mm_loadu_si128((const __m128i *)(flags + 16));
    uint32_t upper = (uint32_t)_mm_movemask_epi8(_mm_slli_epi16(high, 7));
    return upper << 16 | (uint32_t)_mm_movemask_epi8(_mm_slli_epi16(low, 7));
#else
    uint32_t bits = 0;
    for (int i = 0; i < LANES; i += 8) {
        uint64_t eight;
        memcpy(&eight, flags + i, sizeof eight);
        bits |= (uint32_t)(eight * 0x0102040810204080u >> 56) << i;
    }
    return bits;
#endif
}

LANE_INLINE int word_is(const struct ptx_choice *choice, enum ptx_class class, enum ptx_word word)
{
    return choice->word[class] == word;
}

#endif
