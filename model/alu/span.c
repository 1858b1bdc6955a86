// SPDX-License-Identifier: MIT
#include "span.h"

#include "lanes_loop.h"

static uint64_t step(const uint64_t *address)
{
    const uint64_t step = address[1] - address[0];
    uint64_t difference = 0;
    for (int i = 1; i < LANES; i++) difference |= (address[i] - address[i - 1]) ^ step;
    return difference == 0 ? step : UINT64_MAX;
}

// One register of each lane: the row is the span.
#define WHOLE(bytes)                                                                                                   \
    static void load_##bytes(const struct alu_registers *registers, const uint32_t *slot, void *span)                  \
    {                                                                                                                  \
        memcpy(alu_at(registers, slot[0]), span, bytes *(size_t)LANES);                                                \
    }                                                                                                                  \
    static void store_##bytes(const struct alu_registers *registers, const uint32_t *slot, void *span)                 \
    {                                                                                                                  \
        memcpy(span, alu_at(registers, slot[0]), bytes *(size_t)LANES);                                                \
    }
WHOLE(2)
WHOLE(4)
WHOLE(8)
WHOLE(16)

// Vectors of 2 and of 4: the loops over lanes are what compilers turn into vector instructions.
#define PAIRS(name, T)                                                                                                 \
    typedef T __attribute__((may_alias)) name;                                                                         \
    static void load_2_##name(const struct alu_registers *registers, const uint32_t *slot, void *span)                 \
    {                                                                                                                  \
        name *a = alu_at(registers, slot[0]), *b = alu_at(registers, slot[1]);                                         \
        const name *at = span;                                                                                         \
        EACH_LANE a[i] = at[2 * i], b[i] = at[2 * i + 1];                                                              \
    }                                                                                                                  \
    static void store_2_##name(const struct alu_registers *registers, const uint32_t *slot, void *span)                \
    {                                                                                                                  \
        const name *a = alu_at(registers, slot[0]), *b = alu_at(registers, slot[1]);                                   \
        name *at = span;                                                                                               \
        EACH_LANE at[2 * i] = a[i], at[2 * i + 1] = b[i];                                                              \
    }
#define FOURS(name)                                                                                                    \
    static void load_4_##name(const struct alu_registers *registers, const uint32_t *slot, void *span)                 \
    {                                                                                                                  \
        name *a = alu_at(registers, slot[0]), *b = alu_at(registers, slot[1]), *c = alu_at(registers, slot[2]),        \
             *d = alu_at(registers, slot[3]);                                                                          \
        const name *at = span;                                                                                         \
        EACH_LANE a[i] = at[4 * i], b[i] = at[4 * i + 1], c[i] = at[4 * i + 2], d[i] = at[4 * i + 3];                  \
    }                                                                                                                  \
    static void store_4_##name(const struct alu_registers *registers, const uint32_t *slot, void *span)                \
    {                                                                                                                  \
        const name *a = alu_at(registers, slot[0]), *b = alu_at(registers, slot[1]), *c = alu_at(registers, slot[2]),  \
                   *d = alu_at(registers, slot[3]);                                                                    \
        name *at = span;                                                                                               \
        EACH_LANE at[4 * i] = a[i], at[4 * i + 1] = b[i], at[4 * i + 2] = c[i], at[4 * i + 3] = d[i];                  \
    }
PAIRS(word_16, uint16_t)
PAIRS(word_32, uint32_t)
PAIRS(word_64, uint64_t)
FOURS(word_16)
FOURS(word_64)

// Four words of each lane are the common vector. Compilers permute more than it takes: eight lanes at a time are two
// transpositions of four by four, side by side.
#if defined __AVX2__
static inline void transpose(__m256i row[4])
{
    const __m256i a = _mm256_unpacklo_epi32(row[0], row[1]), b = _mm256_unpackhi_epi32(row[0], row[1]);
    const __m256i c = _mm256_unpacklo_epi32(row[2], row[3]), d = _mm256_unpackhi_epi32(row[2], row[3]);
    row[0] = _mm256_unpacklo_epi64(a, c), row[1] = _mm256_unpackhi_epi64(a, c);
    row[2] = _mm256_unpacklo_epi64(b, d), row[3] = _mm256_unpackhi_epi64(b, d);
}

static void load_4_word_32(const struct alu_registers *registers, const uint32_t *slot, void *span)
{
    uint32_t *const to[] = {alu_at(registers, slot[0]), alu_at(registers, slot[1]), alu_at(registers, slot[2]),
                            alu_at(registers, slot[3])};
    for (int lane = 0; lane < LANES; lane += 8) {
        const __m128i *at = (const __m128i *)span + lane;
        __m256i row[4];
        for (int i = 0; i < 4; i++) row[i] = _mm256_loadu2_m128i(at + i + 4, at + i);
        transpose(row);
        for (int i = 0; i < 4; i++) _mm256_storeu_si256((__m256i *)(void *)(to[i] + lane), row[i]);
    }
}

static void store_4_word_32(const struct alu_registers *registers, const uint32_t *slot, void *span)
{
    const uint32_t *const from[] = {alu_at(registers, slot[0]), alu_at(registers, slot[1]), alu_at(registers, slot[2]),
                                    alu_at(registers, slot[3])};
    for (int lane = 0; lane < LANES; lane += 8) {
        __m256i *at = (__m256i *)((__m128i *)span + lane), row[4];
        for (int i = 0; i < 4; i++) row[i] = _mm256_loadu_si256((const __m256i *)(const void *)(from[i] + lane));
        transpose(row);
        _mm256_storeu_si256(at, _mm256_permute2x128_si256(row[0], row[1], 0x20));
        _mm256_storeu_si256(at + 1, _mm256_permute2x128_si256(row[2], row[3], 0x20));
        _mm256_storeu_si256(at + 2, _mm256_permute2x128_si256(row[0], row[1], 0x31));
        _mm256_storeu_si256(at + 3, _mm256_permute2x128_si256(row[2], row[3], 0x31));
    }
}
#else
FOURS(word_32)
#endif

const struct alu_span ALU_NAME(alu_span_of) = {
    step,
    {
        {{load_2, load_2_word_16, load_4_word_16}, {store_2, store_2_word_16, store_4_word_16}},
        {{load_4, load_2_word_32, load_4_word_32}, {store_4, store_2_word_32, store_4_word_32}},
        {{load_8, load_2_word_64, load_4_word_64}, {store_8, store_2_word_64, store_4_word_64}},
        {{load_16}, {store_16}},
    }};
