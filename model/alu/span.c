// SPDX-License-Identifier: MIT
#include "span.h"

#include "lanes_loop.h"

// The upper half of the lanes is where the lower is, so many steps on; so are the halves of that, down to one lane.
#define PATTERN(bits)                                                                                                  \
    LANE_INLINE uint##bits##_t uneven_##bits(const uint##bits##_t *row, int half, uint##bits##_t step)                 \
    {                                                                                                                  \
        uint##bits##_t uneven = 0;                                                                                     \
        for (int i = 0; i < half; i++) uneven |= (row[half + i] - row[i]) ^ (uint##bits##_t)half * step;               \
        return uneven;                                                                                                 \
    }                                                                                                                  \
    LANE_INLINE enum alu_reach pattern_##bits(const uint##bits##_t *row, uint##bits##_t bytes)                         \
    {                                                                                                                  \
        const uint##bits##_t step = row[1] - row[0];                                                                   \
        if (step != 0 && step != bytes) return ALU_SCATTERED;                                                          \
        if ((uneven_##bits(row, 16, step) | uneven_##bits(row, 8, step)) != 0) return ALU_SCATTERED;                   \
        if ((uneven_##bits(row, 4, step) | uneven_##bits(row, 2, step)) != 0) return ALU_SCATTERED;                    \
        return step == 0 ? ALU_AT_ONE : ALU_SIDE_BY_SIDE;                                                              \
    }
PATTERN(32)
PATTERN(64)

// Of the offsets, what is greater than `last` shows in a sign, and what lies far from the first in bits above 31.
enum { SIGN_32 = 31, SIGN_64 = 63 };

LANE_INLINE enum alu_reach scattered_32(const struct alu_stretch *stretch, const uint32_t *row, uint32_t more,
                                        uint32_t bytes, uint32_t lanes, struct alu_spots *spots)
{
    const uint32_t last = (uint32_t)stretch->last;
    uint32_t all = 0, outside = 0;
    spots->begin = 0;
    EACH_LANE
    {
        const uint32_t mine = lanes == ALL_LANES ? ALL_LANES : 0 - (lanes >> i & 1), offset = (row[i] + more) & mine;
        spots->offset[i] = (int32_t)offset;
        all |= offset;
        outside |= last - offset;
    }
    return (all & (bytes - 1)) != 0 || (all | outside) >> SIGN_32 != 0 ? ALU_OUTSIDE : ALU_SCATTERED;
}

LANE_INLINE enum alu_reach scattered_64(const struct alu_stretch *stretch, const uint64_t *row, uint64_t more,
                                        uint64_t bytes, uint32_t lanes, struct alu_spots *spots)
{
    const uint64_t last = stretch->last, begin = row[__builtin_ctz(lanes)], first = begin + more;
    uint64_t all = 0, outside = 0, far = 0;
    spots->begin = first;
    EACH_LANE
    {
        const uint64_t mine = lanes == ALL_LANES ? UINT64_MAX : 0 - (uint64_t)(lanes >> i & 1);
        const uint64_t behind = (row[i] - begin) & mine, offset = behind + first;
        spots->offset[i] = (int32_t)(uint32_t)behind;
        all |= offset;
        outside |= last - offset;
        far |= behind + (UINT64_C(1) << SIGN_32);
    }
    return (all & (bytes - 1)) != 0 || far >> 32 != 0 || (all | outside) >> SIGN_64 != 0 ? ALU_OUTSIDE : ALU_SCATTERED;
}

// Of all lanes side by side or at one place only the ends are looked up.
#define REACH(bits)                                                                                                    \
    LANE_INLINE enum alu_reach in_order_##bits(const struct alu_stretch *stretch, const uint##bits##_t *row,           \
                                               uint##bits##_t first, uint##bits##_t bytes)                             \
    {                                                                                                                  \
        const enum alu_reach pattern = pattern_##bits(row, bytes);                                                     \
        const uint##bits##_t last = (uint##bits##_t)stretch->last;                                                     \
        const uint##bits##_t end = first + (pattern == ALU_SIDE_BY_SIDE ? (LANES - 1) * bytes : 0);                    \
        if (pattern == ALU_SCATTERED) return pattern;                                                                  \
        return (first & (bytes - 1)) != 0 || first > last || end > last || end < first ? ALU_OUTSIDE : pattern;        \
    }                                                                                                                  \
    static enum alu_reach reach_##bits(const struct alu_stretch *stretch, const void *row, uint64_t add,               \
                                       uint64_t bytes, uint32_t lanes, struct alu_spots *spots)                        \
    {                                                                                                                  \
        const uint##bits##_t *const address = row, more = (uint##bits##_t)(add - stretch->origin);                     \
        const uint##bits##_t each = (uint##bits##_t)bytes;                                                             \
        if (lanes != ALL_LANES) return scattered_##bits(stretch, address, more, each, lanes, spots);                   \
        const enum alu_reach reach = in_order_##bits(stretch, address, address[0] + more, each);                       \
        if (reach == ALU_SCATTERED) return scattered_##bits(stretch, address, more, each, ALL_LANES, spots);           \
        spots->begin = address[0] + more;                                                                              \
        return reach;                                                                                                  \
    }
REACH(32)
REACH(64)

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

// Registers are read as vectors: one that is put together lane by lane waits for all of them first. A sanitizer sees
// only what is no intrinsic.
#if defined __AVX2__ && !defined ALU_SANITIZED
LANE_INLINE __m256i mask_of(uint32_t lanes, int first)
{
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)(lanes >> first)), bit), bit);
}

// Of eight lanes, those side by side or at one place are one load: so lie threads of a block that is 8 or 16 wide.
LANE_INLINE __m256i eight_of(const uint8_t *at, const int32_t *offset)
{
    const __m256i index = _mm256_loadu_si256((const __m256i *)(const void *)offset);
    const __m256i behind = _mm256_sub_epi32(index, _mm256_set1_epi32(offset[0]));
    const __m256i uneven = _mm256_xor_si256(behind, _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28));
    int32_t first;
    if (_mm256_testz_si256(uneven, uneven)) return _mm256_loadu_si256((const __m256i *)(const void *)(at + offset[0]));
    if (!_mm256_testz_si256(behind, behind)) return _mm256_i32gather_epi32((const int *)(const void *)at, index, 1);
    memcpy(&first, at + offset[0], sizeof first);
    return _mm256_set1_epi32(first);
}

static void gather_4(void *row, uint32_t lanes, uint8_t *at, const int32_t *offset)
{
    for (int lane = 0; lane < LANES; lane += 8) {
        __m256i *const to = (__m256i *)(void *)((uint32_t *)row + lane);
        if (lanes == ALL_LANES) {
            _mm256_storeu_si256(to, eight_of(at, offset + lane));
            continue;
        }
        const __m256i index = _mm256_loadu_si256((const __m256i *)(const void *)(offset + lane));
        const __m256i mask = mask_of(lanes, lane), old = _mm256_loadu_si256(to);
        _mm256_storeu_si256(to, _mm256_mask_i32gather_epi32(old, (const int *)(const void *)at, index, mask, 1));
    }
}
#define GATHER_4 gather_4
#else
#define GATHER_4 NULL
#endif

const struct alu_span ALU_NAME(alu_span_of) = {
    {reach_32, reach_64},
    {
        {{load_2, load_2_word_16, load_4_word_16}, {store_2, store_2_word_16, store_4_word_16}},
        {{load_4, load_2_word_32, load_4_word_32}, {store_4, store_2_word_32, store_4_word_32}},
        {{load_8, load_2_word_64, load_4_word_64}, {store_8, store_2_word_64, store_4_word_64}},
        {{load_16}, {store_16}},
    },
    GATHER_4};
