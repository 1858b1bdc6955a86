// SPDX-License-Identifier: MIT
// Loops over the lanes of a warp that compilers make vectors of. An operation is one expression of a, b, c; all lanes
// are computed, and those kept that execute, for registers either are the same or do not overlap. The files with such
// loops are compiled twice on x86-64, for every processor and for those with AVX2; ALU_NAME() keeps their names apart.
#ifndef TMAREF_ALU_LANES_LOOP_H
#define TMAREF_ALU_LANES_LOOP_H

#include <string.h>
#if defined __AVX2__
#include <immintrin.h>
#endif

#include "alu.h"

#ifdef ALU_AVX2
#define ALU_NAME(name) name##_avx2
#else
#define ALU_NAME(name) name
#endif

#if defined __SANITIZE_THREAD__ || defined __SANITIZE_ADDRESS__
#define ALU_SANITIZED
#elif defined __has_feature
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define ALU_SANITIZED
#endif
#endif

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
#define NOT_INLINE  __attribute__((noinline))
#define MAY_IGNORE  __attribute__((unused))
#define LIKELY(x)   __builtin_expect(x, 1)
#else
#define LANE_INLINE static inline
#define LANE_SHARED static
#define NOT_INLINE
#define MAY_IGNORE
#define LIKELY(x) (x)
#endif

#define KEEP(T, name)                                                                                                  \
    LANE_SHARED void name(T *d, const T *from, uint32_t lanes)                                                         \
    {                                                                                                                  \
        EACH_LANE                                                                                                      \
        {                                                                                                              \
            T mask = (T)(0 - (T)(lanes >> i & 1));                                                                     \
            d[i] = (T)((from[i] & mask) | (d[i] & (T)~mask));                                                          \
        }                                                                                                              \
    }
KEEP(uint16_t, keep_16)
KEEP(uint32_t, keep_32)
KEEP(uint64_t, keep_64)

LANE_INLINE void keep(uint32_t lanes, void *d, const void *from, size_t size_bytes)
{
    if (lanes == ALL_LANES) return;
    if (size_bytes == 2)
        keep_16(d, from, lanes);
    else if (size_bytes == 4)
        keep_32(d, from, lanes);
    else
        keep_64(d, from, lanes);
}

// `d`, where the results of all lanes go, and `choice`, a copy that no result overlaps.
#define COPY_CHOICE                                                                                                    \
    const struct ptx_choice copy = *choice;                                                                            \
    choice = &copy
#define RESULT(D)                                                                                                      \
    COPY_CHOICE;                                                                                                       \
    D scratch[LANES], *d = lanes == ALL_LANES ? alu_at(registers, slot[0]) : scratch

// The results of one expression: of all lanes, or of those that execute.
#define EACH_RESULT(D, takes, ...)                                                                                     \
    COPY_CHOICE;                                                                                                       \
    D *d = alu_at(registers, slot[0]);                                                                                 \
    if (LIKELY(lanes == ALL_LANES)) EACH_LANE                                                                          \
        {                                                                                                              \
            takes;                                                                                                     \
            d[i] = (D)(__VA_ARGS__);                                                                                   \
        }                                                                                                              \
    else                                                                                                               \
        EACH_LANE                                                                                                      \
        {                                                                                                              \
            takes;                                                                                                     \
            D mask = (D)(0 - (D)(lanes >> i & 1));                                                                     \
            d[i] = (D)(((D)(__VA_ARGS__)&mask) | (d[i] & (D)~mask));                                                   \
        }

// Functions of one to four registers: name, type of the result, types of the operands, the expression.
#define ALU_FUNCTION(name)                                                                                             \
    static void name(const struct alu_registers *registers, const uint32_t *slot,                                      \
                     MAY_IGNORE const struct ptx_choice *choice, MAY_IGNORE uint32_t lanes)

#define UNARY(name, D, A, ...)                                                                                         \
    ALU_FUNCTION(name)                                                                                                 \
    {                                                                                                                  \
        const A *as = alu_at(registers, slot[1]);                                                                      \
        EACH_RESULT(D, A a = as[i], __VA_ARGS__)                                                                       \
    }

#define BINARY(name, D, A, B, ...)                                                                                     \
    ALU_FUNCTION(name)                                                                                                 \
    {                                                                                                                  \
        const A *as = alu_at(registers, slot[1]);                                                                      \
        const B *bs = alu_at(registers, slot[2]);                                                                      \
        EACH_RESULT(D, A a = as[i]; B b = bs[i], __VA_ARGS__)                                                          \
    }

#define TERNARY(name, D, A, B, C, ...)                                                                                 \
    ALU_FUNCTION(name)                                                                                                 \
    {                                                                                                                  \
        const A *as = alu_at(registers, slot[1]);                                                                      \
        const B *bs = alu_at(registers, slot[2]);                                                                      \
        const C *cs = alu_at(registers, slot[3]);                                                                      \
        EACH_RESULT(D, A a = as[i]; B b = bs[i]; C c = cs[i], __VA_ARGS__)                                             \
    }

// Bits of a predicate or of the carry flags, for the lanes that execute.
LANE_INLINE void keep_bits(uint32_t *d, uint32_t bits, uint32_t lanes)
{
    *d = (*d & ~lanes) | (bits & lanes);
}

// A bit a lane of flags that are 0 or all ones.
#if defined __AVX2__
LANE_INLINE uint32_t gathered_16(const int16_t flags[LANES])
{
    const __m256i *of = (const __m256i *)(const void *)flags;
    __m256i bytes = _mm256_packs_epi16(_mm256_loadu_si256(of), _mm256_loadu_si256(of + 1)); // in the order 0, 2, 1, 3
    return (uint32_t)_mm256_movemask_epi8(_mm256_permute4x64_epi64(bytes, 0xd8));
}

LANE_INLINE uint32_t gathered_32(const int32_t flags[LANES])
{
    const __m256i *of = (const __m256i *)(const void *)flags; // two words of all ones are a word of 16 bits
    __m256i low = _mm256_packs_epi32(_mm256_loadu_si256(of), _mm256_loadu_si256(of + 1));
    __m256i high = _mm256_packs_epi32(_mm256_loadu_si256(of + 2), _mm256_loadu_si256(of + 3));
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7); // of the fours of lanes that packing makes
    return (uint32_t)_mm256_movemask_epi8(_mm256_permutevar8x32_epi32(_mm256_packs_epi16(low, high), order));
}

LANE_INLINE uint32_t gathered_64(const int64_t flags[LANES])
{
    uint32_t bits = 0;
    for (int i = 0; i < LANES; i += 4)
        bits |= (uint32_t)_mm256_movemask_pd(_mm256_loadu_pd((const double *)(const void *)(flags + i))) << i;
    return bits;
}
#else
#define GATHERED(bits)                                                                                                 \
    LANE_INLINE uint32_t gathered_##bits(const int##bits##_t flags[LANES])                                             \
    {                                                                                                                  \
        uint32_t gathered = 0;                                                                                         \
        for (int i = 0; i < LANES; i++) gathered |= (uint32_t)(flags[i] & 1) << i;                                     \
        return gathered;                                                                                               \
    }
GATHERED(16)
GATHERED(32)
GATHERED(64)
#endif

LANE_INLINE int word_is(const struct ptx_choice *choice, enum ptx_class class, enum ptx_word word)
{
    return choice->word[class] == word;
}

#endif
