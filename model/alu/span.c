// SPDX-License-Identifier: MIT
#include "span.h"

#include <stdbool.h>

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

enum { SIGN_32 = 31 };

LANE_INLINE enum alu_reach scattered_32(const struct alu_stretch *stretch, const uint32_t *row, uint32_t more,
                                        uint32_t bytes, uint32_t lanes, struct alu_spots *spots)
{
    // Of the offsets, what is greater than `last` shows in a sign.
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

// What lies far from the first shows in bits above 31; of all others the least and the greatest are looked up.
LANE_INLINE enum alu_reach scattered_64(const struct alu_stretch *stretch, const uint64_t *row, uint64_t more,
                                        uint64_t bytes, uint32_t lanes, struct alu_spots *spots)
{
    const uint64_t begin = row[__builtin_ctz(lanes)], first = begin + more;
    uint64_t far = 0;
    int32_t least = 0, greatest = 0, all = 0;
    spots->begin = first;
    EACH_LANE
    {
        const uint64_t mine = lanes == ALL_LANES ? UINT64_MAX : 0 - (uint64_t)(lanes >> i & 1);
        const uint64_t behind = (row[i] - begin) & mine;
        spots->offset[i] = (int32_t)(uint32_t)behind;
        far |= behind + (UINT64_C(1) << SIGN_32);
    }
    EACH_LANE
    {
        const int32_t offset = spots->offset[i];
        least = offset < least ? offset : least;
        greatest = offset > greatest ? offset : greatest;
        all |= offset;
    }
    const bool is_outside = first + (uint64_t)least > stretch->last || first + (uint64_t)greatest > stretch->last;
    return (((uint64_t)all | first) & (bytes - 1)) != 0 || far >> 32 != 0 || is_outside ? ALU_OUTSIDE : ALU_SCATTERED;
}

// Of all lanes side by side or at one place only the ends are looked up. Whether the last lane can be so shows at once.
#define REACH(bits)                                                                                                    \
    LANE_INLINE enum alu_reach in_order_##bits(const struct alu_stretch *stretch, const uint##bits##_t *row,           \
                                               uint##bits##_t first, uint##bits##_t bytes)                             \
    {                                                                                                                  \
        const uint##bits##_t span = row[LANES - 1] - row[0], last = (uint##bits##_t)stretch->last;                     \
        if (span != 0 && span != (LANES - 1) * bytes) return ALU_SCATTERED;                                            \
        const enum alu_reach pattern = pattern_##bits(row, bytes);                                                     \
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

// Four lanes at a time, or eight where all are one row.
#define RAMP(bits, most)                                                                                               \
    typedef uint##bits##_t __attribute__((vector_size(most * bits / 8))) most_##bits;                                  \
    typedef uint##bits##_t __attribute__((vector_size(4 * bits / 8))) four_##bits;                                     \
    LANE_INLINE void one_row_##bits(uint##bits##_t *to, uint##bits##_t first, uint##bits##_t step)                     \
    {                                                                                                                  \
        most_##bits next;                                                                                              \
        for (int i = 0; i < most; i++) next[i] = (uint##bits##_t)(first + (uint##bits##_t)i * step);                   \
        for (int i = 0; i < LANES; i += most, next += most * step) memcpy(to + i, &next, sizeof next);                 \
    }                                                                                                                  \
    static void ramp_##bits(void *row, uint64_t first, int64_t step, int64_t rise, uint32_t width)                     \
    {                                                                                                                  \
        const uint##bits##_t by = (uint##bits##_t)(uint64_t)step;                                                      \
        uint##bits##_t *to = row, begin = (uint##bits##_t)first;                                                       \
        if (width == LANES) {                                                                                          \
            one_row_##bits(to, begin, by);                                                                             \
            return;                                                                                                    \
        }                                                                                                              \
        const four_##bits four = {0, by, 2 * by, 3 * by};                                                              \
        for (int y = 0; y < LANES; y += (int)width, begin += (uint##bits##_t)(uint64_t)rise) {                         \
            four_##bits next = four + begin;                                                                           \
            for (uint32_t x = 0; x < width; x += 4, next += 4 * by, to += 4) memcpy(to, &next, sizeof next);           \
        }                                                                                                              \
    }
RAMP(32, 8)
RAMP(64, 4)

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

// Registers are read as vectors: one that is put together lane by lane waits for all of them first. So lanes are loaded
// a vector of them at a time: 8 words, or 4 of 64 bits. Of those, lanes side by side are one load or one store: so lie
// threads of a block that is 8 or 16 wide, and those that the edge of an array leaves of a warp. A sanitizer sees only
// what is no intrinsic.
#if defined __AVX2__ && !defined ALU_SANITIZED
// All ones in each of the eight lanes of `bits`.
LANE_INLINE __m256i mask_of(uint32_t bits)
{
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)bits), bit), bit);
}

// Of four of `bits`, in 64 bits each.
LANE_INLINE __m256i wide_mask_of(uint32_t bits)
{
    return _mm256_cvtepi32_epi64(_mm256_castsi256_si128(mask_of(bits)));
}

// Where the first lane of eight or four would be, were they side by side from lane `known` on.
LANE_INLINE uint8_t *begin_of(uint8_t *at, const int32_t *offset, uint32_t known, uint32_t bytes)
{
    return (uint8_t *)((uintptr_t)at + (uintptr_t)(intptr_t)offset[known] - known * bytes);
}

// What is added to the place of lane `known` for lanes that are not side by side with it.
LANE_INLINE __m256i uneven_8(const int32_t *offset, uint32_t known)
{
    const __m256i behind = _mm256_sub_epi32(_mm256_loadu_si256((const __m256i *)(const void *)offset),
                                            _mm256_set1_epi32((int32_t)((uint32_t)offset[known] - known * 4)));
    return _mm256_xor_si256(behind, _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28));
}

LANE_INLINE __m128i uneven_4(const int32_t *offset, uint32_t known)
{
    const __m128i behind = _mm_sub_epi32(_mm_loadu_si128((const __m128i *)(const void *)offset),
                                         _mm_set1_epi32((int32_t)((uint32_t)offset[known] - known * 8)));
    return _mm_xor_si128(behind, _mm_setr_epi32(0, 8, 16, 24));
}

LANE_INLINE __m256i eight_of(const uint8_t *at, const int32_t *offset)
{
    const __m256i index = _mm256_loadu_si256((const __m256i *)(const void *)offset), uneven = uneven_8(offset, 0);
    const __m256i behind = _mm256_sub_epi32(index, _mm256_set1_epi32(offset[0]));
    int32_t first;
    if (_mm256_testz_si256(uneven, uneven)) return _mm256_loadu_si256((const __m256i *)(const void *)(at + offset[0]));
    if (!_mm256_testz_si256(behind, behind)) return _mm256_i32gather_epi32((const int *)(const void *)at, index, 1);
    memcpy(&first, at + offset[0], sizeof first);
    return _mm256_set1_epi32(first);
}

LANE_INLINE int64_t wide_at(const uint8_t *at)
{
    int64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

LANE_INLINE __m256i four_of(const uint8_t *at, const int32_t *offset)
{
    const __m128i index = _mm_loadu_si128((const __m128i *)(const void *)offset), uneven = uneven_4(offset, 0);
    const __m128i behind = _mm_sub_epi32(index, _mm_set1_epi32(offset[0]));
    if (_mm_testz_si128(uneven, uneven)) return _mm256_loadu_si256((const __m256i *)(const void *)(at + offset[0]));
    if (!_mm_testz_si128(behind, behind)) // four loads take less than what gathers four
        return _mm256_set_epi64x(wide_at(at + offset[3]), wide_at(at + offset[2]), wide_at(at + offset[1]),
                                 wide_at(at + offset[0]));
    return _mm256_set1_epi64x(wide_at(at + offset[0]));
}

// Those of `bits`; of the others what was there.
LANE_INLINE __m256i some_of_8(__m256i old, uint32_t bits, uint8_t *at, const int32_t *offset)
{
    const uint32_t known = (uint32_t)__builtin_ctz(bits);
    const __m256i mask = mask_of(bits), index = _mm256_loadu_si256((const __m256i *)(const void *)offset);
    if (!_mm256_testz_si256(uneven_8(offset, known), mask))
        return _mm256_mask_i32gather_epi32(old, (const int *)(const void *)at, index, mask, 1);
    const __m256i found = _mm256_maskload_epi32((const int *)(const void *)begin_of(at, offset, known, 4), mask);
    return _mm256_blendv_epi8(old, found, mask);
}

LANE_INLINE __m256i some_of_4(__m256i old, uint32_t bits, uint8_t *at, const int32_t *offset)
{
    const uint32_t known = (uint32_t)__builtin_ctz(bits);
    const __m256i mask = wide_mask_of(bits);
    const __m128i index = _mm_loadu_si128((const __m128i *)(const void *)offset);
    if (!_mm_testz_si128(uneven_4(offset, known), _mm256_castsi256_si128(mask_of(bits))))
        return _mm256_mask_i32gather_epi64(old, (const long long *)(const void *)at, index, mask, 1);
    const __m256i found = _mm256_maskload_epi64((const long long *)(const void *)begin_of(at, offset, known, 8), mask);
    return _mm256_blendv_epi8(old, found, mask);
}

// name: of the function; per: lanes of a vector; those of a vector, and some of them.
#define GATHER(name, T, per, those, some)                                                                              \
    static void name(void *row, uint32_t lanes, uint8_t *at, const int32_t *offset)                                    \
    {                                                                                                                  \
        for (int lane = 0; lane < LANES; lane += per) {                                                                \
            __m256i *const to = (__m256i *)(void *)((T *)row + lane);                                                  \
            const uint32_t bits = lanes >> lane & ((1u << per) - 1);                                                   \
            if (bits == (1u << per) - 1)                                                                               \
                _mm256_storeu_si256(to, those(at, offset + lane));                                                     \
            else if (bits != 0)                                                                                        \
                _mm256_storeu_si256(to, some(_mm256_loadu_si256(to), bits, at, offset + lane));                        \
        }                                                                                                              \
    }
GATHER(gather_4, uint32_t, 8, eight_of, some_of_8)
GATHER(gather_8, uint64_t, 4, four_of, some_of_4)

// Are those of `bits` side by side? Then they are stored as one.
LANE_INLINE int stores_8(const uint32_t *from, uint32_t bits, uint8_t *at, const int32_t *offset)
{
    const __m256i row = _mm256_loadu_si256((const __m256i *)(const void *)from);
    const uint32_t known = bits == 0xff ? 0 : (uint32_t)__builtin_ctz(bits);
    const __m256i mask = bits == 0xff ? _mm256_set1_epi32(-1) : mask_of(bits);
    if (!_mm256_testz_si256(uneven_8(offset, known), mask)) return 0;
    uint8_t *const to = begin_of(at, offset, known, 4);
    if (bits == 0xff)
        _mm256_storeu_si256((__m256i *)(void *)to, row);
    else
        _mm256_maskstore_epi32((int *)(void *)to, mask, row);
    return 1;
}

LANE_INLINE int stores_4(const uint64_t *from, uint32_t bits, uint8_t *at, const int32_t *offset)
{
    const __m256i row = _mm256_loadu_si256((const __m256i *)(const void *)from);
    const uint32_t known = bits == 0xf ? 0 : (uint32_t)__builtin_ctz(bits);
    const __m128i mask = bits == 0xf ? _mm_set1_epi32(-1) : _mm256_castsi256_si128(mask_of(bits));
    if (!_mm_testz_si128(uneven_4(offset, known), mask)) return 0;
    uint8_t *const to = begin_of(at, offset, known, 8);
    if (bits == 0xf)
        _mm256_storeu_si256((__m256i *)(void *)to, row);
    else
        _mm256_maskstore_epi64((long long *)(void *)to, _mm256_cvtepi32_epi64(mask), row);
    return 1;
}

#define SCATTER(name, T, per, stores)                                                                                  \
    LANE_INLINE void name##_one(const T *from, uint8_t *at, const int32_t *offset, int one)                            \
    {                                                                                                                  \
        memcpy(at + offset[one], from + one, sizeof *from);                                                            \
    }                                                                                                                  \
    static void name(void *row, uint32_t lanes, uint8_t *at, const int32_t *offset)                                    \
    {                                                                                                                  \
        for (int lane = 0; lane < LANES; lane += per) {                                                                \
            const T *const from = (const T *)row + lane;                                                               \
            uint32_t bits = lanes >> lane & ((1u << per) - 1);                                                         \
            if (bits == 0 || stores(from, bits, at, offset + lane)) continue;                                          \
            if (bits == (1u << per) - 1)                                                                               \
                for (int one = 0; one < per; one++) name##_one(from, at, offset + lane, one);                          \
            else                                                                                                       \
                for (; bits != 0; bits &= bits - 1) name##_one(from, at, offset + lane, __builtin_ctz(bits));          \
        }                                                                                                              \
    }
SCATTER(scatter_4, uint32_t, 8, stores_8)
SCATTER(scatter_8, uint64_t, 4, stores_4)
#define SOME                                                                                                           \
    {                                                                                                                  \
        {gather_4, scatter_4}, {gather_8, scatter_8},                                                                  \
    }
#else
#define SOME                                                                                                           \
    {                                                                                                                  \
        {                                                                                                              \
            NULL                                                                                                       \
        }                                                                                                              \
    }
#endif

// A row of lanes here and there.
#if defined __AVX2__ && !defined ALU_SANITIZED
LANE_INLINE void load_strided_4(word_32 *to, const uint8_t *at, int64_t step, int width)
{
    const int32_t by = (int32_t)step;
    const __m256i index = _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(by));
    const __m256i ones = _mm256_set1_epi32(-1);
    for (int x = 0; x < width; x += 8) {
        const int *from = (const int *)(const void *)(at + x * step);
        if (width == 4)
            _mm_storeu_si128((__m128i *)(void *)to, _mm_i32gather_epi32(from, _mm256_castsi256_si128(index), 1));
        else
            _mm256_storeu_si256((__m256i *)(void *)(to + x),
                                _mm256_mask_i32gather_epi32(_mm256_setzero_si256(), from, index, ones, 1));
    }
}
#else
LANE_INLINE void load_strided_4(word_32 *to, const uint8_t *at, int64_t step, int width)
{
    for (int x = 0; x < width; x++) memcpy(to + x, at + x * step, sizeof *to);
}
#endif

LANE_INLINE void load_strided_8(word_64 *to, const uint8_t *at, int64_t step, int width)
{
    for (int x = 0; x < width; x += 4) {
        word_64 four[4];
        for (int i = 0; i < 4; i++) memcpy(four + i, at + (x + i) * step, sizeof *four);
        memcpy(to + x, four, sizeof four);
    }
}

// A loop of its own for each width.
#define BY_WIDTH(name, of)                                                                                             \
    static void name(void *row, uint8_t *at, int64_t step, int64_t rise, uint32_t width)                               \
    {                                                                                                                  \
        if (width == 32)                                                                                               \
            of(row, at, step, rise, 32);                                                                               \
        else if (width == 16)                                                                                          \
            of(row, at, step, rise, 16);                                                                               \
        else if (width == 8)                                                                                           \
            of(row, at, step, rise, 8);                                                                                \
        else                                                                                                           \
            of(row, at, step, rise, 4);                                                                                \
    }

// Rows that lie side by side are copied. One at one place is filled.
#define ROWS(bytes, T)                                                                                                 \
    LANE_INLINE void load_row_##bytes(T *to, const uint8_t *at, int64_t step, int width)                               \
    {                                                                                                                  \
        T first;                                                                                                       \
        memcpy(&first, at, sizeof first);                                                                              \
        const T four[4] = {first, first, first, first};                                                                \
        if (step == bytes)                                                                                             \
            memcpy(to, at, (size_t)width *bytes);                                                                      \
        else if (step == 0)                                                                                            \
            for (int x = 0; x < width; x += 4) memcpy(to + x, four, sizeof four);                                      \
        else                                                                                                           \
            load_strided_##bytes(to, at, step, width);                                                                 \
    }                                                                                                                  \
    LANE_INLINE void load_each_##bytes(T *to, const uint8_t *at, int64_t step, int64_t rise, int width)                \
    {                                                                                                                  \
        load_row_##bytes(to, at, step, width);                                                                         \
        for (int y = width; y < LANES; y += width) {                                                                   \
            at += rise;                                                                                                \
            if (rise == 0)                                                                                             \
                memcpy(to + y, to, (size_t)width * bytes);                                                             \
            else                                                                                                       \
                load_row_##bytes(to + y, at, step, width);                                                             \
        }                                                                                                              \
    }                                                                                                                  \
    LANE_INLINE void store_each_##bytes(const T *from, uint8_t *at, int64_t step, int64_t rise, int width)             \
    {                                                                                                                  \
        for (int y = 0; y < LANES; y += width, at += rise) {                                                           \
            if (step == bytes)                                                                                         \
                memcpy(at, from + y, (size_t)width * bytes);                                                           \
            else                                                                                                       \
                for (int x = 0; x < width; x++) memcpy(at + x * step, from + y + x, bytes);                            \
        }                                                                                                              \
    }                                                                                                                  \
    BY_WIDTH(load_rows_##bytes, load_each_##bytes)                                                                     \
    BY_WIDTH(store_rows_##bytes, store_each_##bytes)
ROWS(4, word_32)
ROWS(8, word_64)

const struct alu_span ALU_NAME(alu_span_of) = {
    {reach_32, reach_64},
    {
        {{load_2, load_2_word_16, load_4_word_16}, {store_2, store_2_word_16, store_4_word_16}},
        {{load_4, load_2_word_32, load_4_word_32}, {store_4, store_2_word_32, store_4_word_32}},
        {{load_8, load_2_word_64, load_4_word_64}, {store_8, store_2_word_64, store_4_word_64}},
        {{load_16}, {store_16}},
    },
    SOME,
    {ramp_32, ramp_64},
    {{load_rows_4, store_rows_4}, {load_rows_8, store_rows_8}}};
